#include "heed/train/model_folder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/io/file.h"
#include "heed/train/testing.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFiles[] = {"config.json", kToyFile, "model.safetensors"};

class ModelFolderTest : public testing::Test {
 protected:
  ModelFolderTest() {
    TrainingConfig config = ToyTraining(folder_.Path("model"));
    config.optimizer.learning_rate = 0;
    config.run.epochs = 1;
    Toy toy = MakeToy();
    TrainToy(toy, config);
  }

  static Toy MakeToy(uint64_t seed = 1, int64_t features = 1) {
    ToyOptions options;
    options.features = features;  // keeps the files small
    return Toy(RandomPoints(2, 1), {}, options, seed);
  }
  std::string PathOf(const std::string& file) const {
    return folder_.Path("model/" + file);
  }
  void Put(const std::string& file, const std::string& bytes) const {
    folder_.Put("model/" + file, bytes);
  }
  void PutByte(const std::string& file, size_t place, char byte) const {
    std::fstream stream(PathOf(file),
                        std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(static_cast<std::streamoff>(place));
    stream.put(byte);
  }

  /// All values that a reader receives.
  struct Read {
    ModelDescription description;
    Metadata metadata;
    Toy toy = MakeToy(2);
  };
  static Read ReadFrom(const std::string& folder) {
    Read read;
    read.description = ReadModelConfig(folder);
    const std::string path = ModelPath(folder, kWeightsFile);
    SafetensorsFile file = ReadTensors(path);
    SetParameters(read.toy.parameters(), file.tensors, path);
    read.metadata = std::move(file.metadata);
    return read;
  }
  Read ReadAll() const { return ReadFrom(folder_.Path("model")); }
  static std::string Meaning(Read read) {
    std::string all = read.description.settings.dump();
    for (const auto& [name, bytes] : read.description.files) {
      all += name + "=" + std::string(bytes.view()) + "\n";
    }
    for (const auto& [key, value] : read.metadata) {
      all += key + "=" + value + "\n";
    }
    for (const auto& p : read.toy.parameters().all()) {
      all += p->name();
      all.append(static_cast<const char*>(p->value().raw()),
                 static_cast<size_t>(p->value().bytes()));
    }
    return all;
  }
  /// Error message that names the file; "" if it was read.
  std::string Damage(const std::string& file) const {
    std::string error;
    try {
      ReadAll();
      return "";
    } catch (const FormatError& e) {
      error = e.what();
    } catch (const IoError& e) {
      error = e.what();
    }
    EXPECT_NE(error.find(file), std::string::npos) << error;
    return error;
  }

  TemporaryFolder folder_;
};

TEST_F(ModelFolderTest, SettingsThatAreNotUtf8AreNamed) {
  ModelDescription description = ReadModelConfig(folder_.Path("model"));
  description.settings["source"] = "\xFF.txt";
  EXPECT_EQ(MessageOf<ConfigError>(
                [&] { WriteModelConfig(folder_.Path("model"), description); }),
            "source: is not UTF-8, and so cannot be written to config.json");
}

TEST_F(ModelFolderTest, GivesBackWhatWasWritten) {
  Read read = ReadAll();
  EXPECT_EQ(read.description.settings, ToyDescription().settings);
  EXPECT_EQ(read.description.files, ToyDescription().files);
  EXPECT_EQ(ReadModelSettings(folder_.Path("model")),
            ToyDescription().settings);
  EXPECT_EQ(read.metadata.at("heed.step"), "1");
  // A learning rate of 0 keeps the initial weights.
  Toy fresh = MakeToy();
  for (const auto& p : fresh.parameters().all()) {
    EXPECT_EQ(read.toy.parameters().Find(p->name())->value().ToVector<float>(),
              p->value().ToVector<float>())
        << p->name();
  }
}

TEST_F(ModelFolderTest, MissingFileIsNamed) {
  for (const char* file : kFiles) {
    const std::string bytes = ReadFile(PathOf(file));
    fs::remove(PathOf(file));
    const std::string message = MessageOf<IoError>([&] { ReadAll(); });
    EXPECT_NE(message.find(folder_.path()), std::string::npos) << message;
    EXPECT_NE(message.find(file), std::string::npos) << message;
    Put(file, bytes);
  }
  EXPECT_NO_THROW(ReadAll());
  EXPECT_THROW(ReadFrom(folder_.Path("none")), IoError);
  EXPECT_THROW(ReadFrom(PathOf("config.json")), IoError);
}

TEST_F(ModelFolderTest, FileCutShortIsRefusedAtEveryLength) {
  for (const char* file : kFiles) {
    const std::string bytes = ReadFile(PathOf(file));
    // config.json is complete without its last line feed.
    const size_t whole = bytes.size() - (file == kFiles[0] ? 1 : 0);
    for (size_t size = whole; size-- > 0;) {
      fs::resize_file(PathOf(file), size);
      ASSERT_NE(Damage(file), "") << file << " of " << size << " bytes";
    }
    Put(file, bytes);
  }
}

TEST_F(ModelFolderTest, EveryFlippedByteIsRefusedOrChangesNothing) {
  const std::string meaning = Meaning(ReadAll());
  for (const char* file : kFiles) {
    const std::string bytes = ReadFile(PathOf(file));
    for (size_t i = 0; i < bytes.size(); ++i) {
      for (const int bits : {0x01, 0x10, 0x20, 0x80, 0xFF}) {
        PutByte(file, i, static_cast<char>(bytes[i] ^ bits));
        if (Damage(file).empty()) {
          ASSERT_EQ(Meaning(ReadAll()), meaning)
              << file << " at " << i << " ^ " << bits;
        }
      }
      PutByte(file, i, bytes[i]);
    }
  }
}

TEST_F(ModelFolderTest, NewerVersionSaysSo) {
  auto json = nlohmann::ordered_json::parse(ReadFile(PathOf("config.json")));
  json["heed"]["format"] = 3;
  json["a_key_of_the_future"] = 1;
  Put("config.json", json.dump());
  EXPECT_NE(Damage("config.json").find("newer version"), std::string::npos);
}

TEST_F(ModelFolderTest, SettingsOfFormat1MeanWhatTheyMeantThen) {
  using Json = nlohmann::ordered_json;
  const auto read = [&](const Json& settings, int format) {
    Json json = settings;
    json["heed"] = {{"format", format}, {"files", Json::object()}};
    json["heed"]["checksum"] = fmt::format("{:08x}", Crc32(json.dump()));
    Put("config.json", json.dump());
    const Json alone = ReadModelSettings(folder_.Path("model"));
    EXPECT_EQ(ReadModelConfig(folder_.Path("model")).settings, alone);
    return alone;
  };
  for (const std::string name : {"sigmoid", "smoothed_sigmoid"}) {
    const Json settings = {{"normalizer", name}};
    EXPECT_EQ(read(settings, 1)["normalizer"], name + "(0)");
    EXPECT_EQ(read(settings, 2), settings);
  }
  const Json softmax = {{"normalizer", "softmax"}, {"units", 3}};
  EXPECT_EQ(read(softmax, 1), softmax);
  const Json patches = {{"patch_stride", 8}};
  EXPECT_EQ(read(patches, 1)["pad_end"], "no");
  EXPECT_EQ(read(patches, 2), patches);
  Json captioner = {{"cell_positions", "yes"}, {"score", "auto"}};
  EXPECT_EQ(read(captioner, 2)["score"], "location_aware(5, 15)");
  EXPECT_EQ(read(captioner, 2)["pool_cells"], "yes");
  captioner["pool_cells"] = "no";
  EXPECT_EQ(read(captioner, 2), captioner);
}

TEST_F(ModelFolderTest, ConfigOfAnotherKindIsRefused) {
  for (const char* text :
       {"{}", "[]", "1", "", "{\"heed\": 1}", "{\"heed\": {}}",
        R"({"heed": {"format": "1"}})", R"({"heed": {"format": 1e300}})",
        R"({"heed": {"format": 1, "checksum": 3}})"}) {
    Put("config.json", text);
    EXPECT_NE(Damage("config.json"), "") << text;
  }
}

TEST_F(ModelFolderTest, WeightsOfAnotherModelAreRefused) {
  Toy other = MakeToy(1, 2);
  WriteTensors(PathOf("model.safetensors"), other.parameters().Tensors(), {});
  EXPECT_NE(Damage("model.safetensors").find("expected"), std::string::npos);
}

TEST_F(ModelFolderTest, WeightsThatAreNotFiniteAreRefused) {
  Toy toy = MakeToy();
  toy.parameters().Find("output.bias")->mutable_value() =
      Tensor::Full({3}, std::numeric_limits<double>::infinity());
  WriteTensors(PathOf("model.safetensors"), toy.parameters().Tensors(), {});
  EXPECT_NE(Damage("model.safetensors")
                .find("tensor 'output.bias' holds NaN or infinity"),
            std::string::npos);
}

}  // namespace
}  // namespace heed
