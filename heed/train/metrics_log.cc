#include "heed/train/metrics_log.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "heed/base/errors.h"
#include "heed/base/json.h"
#include "heed/io/file.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kLinesFile = "metrics.jsonl";
constexpr const char* kEventsPrefix = "events.out.tfevents.";

// Seconds since 1970, to the millisecond.
double Now() {
  using std::chrono::milliseconds;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<double>(
             std::chrono::duration_cast<milliseconds>(now).count()) /
         1000;
}

std::string HostName() {
  char name[256] = {};
  return gethostname(name, sizeof(name) - 1) == 0 && name[0] ? name : "host";
}

// Step of a line of metrics, if the line is valid.
std::optional<int64_t> StepOfLine(std::string_view line) {
  try {
    const Json json = ParseJson(line, "line");
    const Json step = json.is_object() ? json.value("step", Json()) : Json();
    if (step.is_number_integer()) return step.get<int64_t>();
  } catch (const FormatError&) {  // truncated or damaged
  }
  return std::nullopt;
}

// Prefix of `text` before the first line that is damaged, incomplete, or of a
// step after `last_step`.
std::string_view LinesUpTo(std::string_view text, int64_t last_step) {
  size_t begin = 0;
  for (size_t end; (end = text.find('\n', begin)) != text.npos;
       begin = end + 1) {
    const auto step = StepOfLine(text.substr(begin, end - begin));
    if (!step || *step > last_step) break;
  }
  return text.substr(0, begin);
}

// Existing event file of `folder`, or the name of a new one.
std::string EventsPath(const std::string& folder) {
  std::string newest;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(kEventsPrefix) && !IsUnfinished(name)) {
      newest = std::max(newest, name);
    }
  }
  if (newest.empty()) {
    newest = fmt::format("{}{:010}.{}", kEventsPrefix,
                         static_cast<int64_t>(Now()), HostName());
  }
  return folder + "/" + newest;
}

void Append(std::ofstream& file, const std::string& path,
            std::string_view bytes) {
  errno = 0;
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.flush();
  if (!file) {
    throw IoError("cannot write {}: {}", path,
                  errno ? std::strerror(errno) : "write failed");
  }
}

// Opens `path` for appending after the part that `cut` keeps, or after `header`
// if the file is new.
template <typename Cut>
std::ofstream OpenBehind(const std::string& path, const std::string& header,
                         Cut cut) {
  DiscardUnfinished(path);
  bool empty = true;
  std::error_code unreachable;  // opening reports the reason
  if (std::filesystem::exists(path, unreachable)) {
    const std::string old = ReadFile(path);
    const std::string_view kept = cut(old);
    if (kept.size() < old.size()) WriteFileAtomically(path, kept);
    empty = kept.empty();
  }
  errno = 0;
  std::ofstream file(path, std::ios::binary | std::ios::app);
  if (!file) {
    throw IoError("cannot write {}: {}", path, std::strerror(errno));
  }
  if (empty) Append(file, path, header);
  return file;
}

}  // namespace

bool IsMetricsFile(std::string_view name) {
  return name == kLinesFile || name.starts_with(kEventsPrefix);
}

MetricsLog::MetricsLog(const std::string& folder, int64_t resume_step)
    : lines_path_(folder + "/" + kLinesFile),
      events_path_(EventsPath(folder)),
      lines_(OpenBehind(
          lines_path_, "",
          [&](std::string_view text) { return LinesUpTo(text, resume_step); })),
      events_(OpenBehind(events_path_, EventFileHeader(Now()),
                         [&](std::string_view file) {
                           return EventsUpTo(file, resume_step);
                         })) {}

void MetricsLog::Add(int64_t step, const Metrics& metrics) {
  const double now = Now();
  Json line = {{"step", step}, {"time", now}};
  for (const auto& [name, value] : metrics) {
    line[name] = std::isfinite(value) ? Json(value) : Json(nullptr);
  }
  Append(lines_, lines_path_, line.dump() + "\n");
  Append(events_, events_path_, EventRecord(now, step, metrics));
}

}  // namespace heed
