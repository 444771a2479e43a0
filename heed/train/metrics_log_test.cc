#include "heed/train/metrics_log.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "heed/base/errors.h"
#include "heed/io/file.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

// One field of a protobuf message.
struct ProtoField {
  uint64_t number;
  uint64_t varint = 0;
  std::string bytes;  // content of a fixed or length-delimited field
};

uint64_t TakeVarint(std::string_view& in) {
  uint64_t value = 0;
  for (int shift = 0; !in.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(in[0]);
    in.remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) break;
  }
  return value;
}

std::vector<ProtoField> ParseProto(std::string_view in) {
  std::vector<ProtoField> fields;
  while (!in.empty()) {
    const uint64_t key = TakeVarint(in);
    ProtoField field{key >> 3, 0, ""};
    const uint64_t type = key & 7;
    if (type == 0) {
      field.varint = TakeVarint(in);
    } else {
      const size_t size = type == 1 ? 8 : type == 5 ? 4 : TakeVarint(in);
      field.bytes = in.substr(0, size);
      in.remove_prefix(size);
    }
    fields.push_back(field);
  }
  return fields;
}

template <typename T>
T As(const std::string& bytes) {
  T value;
  EXPECT_EQ(bytes.size(), sizeof(T));
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

struct Event {
  double wall_time = 0;
  int64_t step = 0;
  std::string file_version;
  Metrics metrics;
};

Event ParseEvent(std::string_view data) {
  Event event;
  for (const ProtoField& field : ParseProto(data)) {
    if (field.number == 1) event.wall_time = As<double>(field.bytes);
    if (field.number == 2) event.step = static_cast<int64_t>(field.varint);
    if (field.number == 3) event.file_version = field.bytes;
    if (field.number != 5) continue;
    for (const ProtoField& value : ParseProto(field.bytes)) {
      EXPECT_EQ(value.number, 1u);
      const auto parts = ParseProto(value.bytes);
      event.metrics.emplace_back(parts.at(0).bytes,
                                 As<float>(parts.at(1).bytes));
    }
  }
  return event;
}

uint32_t Masked(uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + 0xA282EAD8u;
}

std::vector<Event> ParseEventFile(const std::string& file) {
  std::vector<Event> events;
  for (size_t at = 0; at < file.size();) {
    const std::string length = file.substr(at, 8);
    const auto size = As<uint64_t>(length);
    EXPECT_EQ(As<uint32_t>(file.substr(at + 8, 4)), Masked(Crc32c(length)));
    const std::string data = file.substr(at + 12, size);
    EXPECT_EQ(As<uint32_t>(file.substr(at + 12 + size, 4)),
              Masked(Crc32c(data)));
    events.push_back(ParseEvent(data));
    at += 16 + size;
  }
  return events;
}

class MetricsLogTest : public testing::Test {
 protected:
  MetricsLogTest() {
    std::string name = testing::TempDir() + "metrics_log.XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  ~MetricsLogTest() override { fs::remove_all(folder_); }

  std::string Lines() const { return ReadFile(folder_ + "/metrics.jsonl"); }
  std::vector<int64_t> LineSteps() const {
    std::vector<int64_t> steps;
    for (const std::string& line : ReadLines(folder_ + "/metrics.jsonl")) {
      steps.push_back(nlohmann::json::parse(line)["step"].get<int64_t>());
    }
    return steps;
  }
  std::string EventsPath() const {
    std::string path;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      if (entry.path().filename() == "metrics.jsonl") continue;
      EXPECT_EQ(path, "") << "more than one event file";
      path = entry.path().string();
    }
    return path;
  }
  std::vector<Event> Events() const {
    return ParseEventFile(ReadFile(EventsPath()));
  }
  std::vector<int64_t> EventSteps() const {
    std::vector<int64_t> steps;
    for (const Event& event : Events()) {
      if (!event.metrics.empty()) steps.push_back(event.step);
    }
    return steps;
  }

  std::string folder_;
};

TEST(Crc32c, GivesThePublishedCheckValues) {
  EXPECT_EQ(Crc32c("123456789"), 0xE3069283u);
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8A9136AAu);  // RFC 3720 B.4
  EXPECT_EQ(Crc32c(""), 0u);
}

TEST_F(MetricsLogTest, WritesOneJsonObjectALine) {
  MetricsLog log(folder_);
  log.Add(1, {{"loss", 2.5}, {"rate", 0.001}});
  const auto line = nlohmann::ordered_json::parse(Lines());
  EXPECT_EQ(line["step"], 1);
  EXPECT_EQ(line["loss"], 2.5);
  EXPECT_EQ(line["rate"], 0.001);
  EXPECT_GT(line["time"], 1.7e9);
}

TEST_F(MetricsLogTest, WritesWhatTensorBoardReads) {
  MetricsLog log(folder_);
  log.Add(300, {{"train/loss", 2.5}, {"größe", -1}});
  const auto events = Events();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].file_version, "brain.Event:2");
  EXPECT_EQ(events[1].step, 300);
  EXPECT_GT(events[1].wall_time, 1.7e9);
  EXPECT_EQ(events[1].metrics, (Metrics{{"train/loss", 2.5}, {"größe", -1}}));
  EXPECT_EQ(fs::path(EventsPath())
                .filename()
                .string()
                .rfind("events.out.tfevents.", 0),
            0u);
}

TEST_F(MetricsLogTest, ValuesThatAreNotFiniteAreNull) {
  MetricsLog log(folder_);
  log.Add(
      1, {{"a", std::nan("")}, {"b", std::numeric_limits<double>::infinity()}});
  const auto line = nlohmann::json::parse(Lines());
  EXPECT_TRUE(line["a"].is_null());
  EXPECT_TRUE(line["b"].is_null());
}

TEST_F(MetricsLogTest, ResumingDropsLaterSteps) {
  {
    MetricsLog log(folder_);
    for (const int step : {1, 100, 200, 300}) log.Add(step, {{"loss", step}});
  }
  {
    MetricsLog log(folder_, 200);
    log.Add(201, {{"loss", 1}});
  }
  const std::vector<int64_t> steps = {1, 100, 200, 201};
  EXPECT_EQ(LineSteps(), steps);
  EXPECT_EQ(EventSteps(), steps);
  EXPECT_EQ(Events()[0].file_version, "brain.Event:2");
}

TEST_F(MetricsLogTest, ResumingRepairsWhatAKillLeftHalfWritten) {
  {
    MetricsLog log(folder_);
    for (const int step : {1, 2, 3}) log.Add(step, {{"loss", step}});
  }
  const std::string lines_path = folder_ + "/metrics.jsonl";
  fs::resize_file(lines_path, fs::file_size(lines_path) - 1);
  fs::resize_file(EventsPath(), fs::file_size(EventsPath()) - 1);
  MetricsLog(folder_, 3).Add(4, {{"loss", 4}});
  const std::vector<int64_t> steps = {1, 2, 4};
  EXPECT_EQ(LineSteps(), steps);
  EXPECT_EQ(EventSteps(), steps);
}

TEST_F(MetricsLogTest, ResumingDiscardsWhatAKilledResumeWasWriting) {
  MetricsLog(folder_).Add(1, {{"loss", 1}});
  for (const std::string& path : {EventsPath(), folder_ + "/metrics.jsonl"}) {
    WriteFileAtomically(path + ".123456789012.tmp", "half");
  }
  MetricsLog(folder_, 1).Add(2, {{"loss", 2}});
  const std::vector<int64_t> steps = {1, 2};
  EXPECT_EQ(LineSteps(), steps);
  EXPECT_EQ(EventSteps(), steps);  // in a single event file
  EXPECT_FALSE(fs::exists(folder_ + "/metrics.jsonl.123456789012.tmp"));
}

TEST_F(MetricsLogTest, StartingAnewDropsEverything) {
  MetricsLog(folder_).Add(1, {{"loss", 1}});
  MetricsLog(folder_).Add(1, {{"loss", 2}});
  EXPECT_EQ(LineSteps(), std::vector<int64_t>{1});
  EXPECT_EQ(Events().back().metrics, (Metrics{{"loss", 2}}));
}

TEST_F(MetricsLogTest, DamagedEventFileIsCutAtTheDamage) {
  {
    MetricsLog log(folder_);
    for (const int step : {1, 2, 3}) log.Add(step, {{"loss", step}});
  }
  const size_t record = EventRecord(0, 3, {{"loss", 3}}).size();
  std::string file = ReadFile(EventsPath());
  file[file.size() - record - 6] ^= 1;
  std::ofstream(EventsPath(), std::ios::binary) << file;
  MetricsLog(folder_, 3).Add(4, {{"loss", 4}});
  EXPECT_EQ(EventSteps(), (std::vector<int64_t>{1, 4}));
}

TEST(MetricsLog, FolderThatIsMissingIsAnIoError) {
  EXPECT_THROW(MetricsLog("/nonexistent/folder"), IoError);
}

TEST_F(MetricsLogTest, OnlyRegularFilesAreContinued) {
  for (const char* name : {"metrics.jsonl", "events.out.tfevents.1.h"}) {
    const std::string path = folder_ + "/" + name;
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    EXPECT_THROW(MetricsLog log(folder_), IoError) << name;
    fs::remove(path);
    fs::create_symlink("/dev/zero", path);
    EXPECT_THROW(MetricsLog log(folder_), IoError) << name;
    fs::remove(path);
  }
}

}  // namespace
}  // namespace heed
