#include "heed/train/model_folder.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "heed/base/errors.h"
#include "heed/io/file.h"
#include "heed/models/recurrent_config.h"
#include "heed/tasks/testing.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFiles[] = {"config.json", "source.vocabulary.txt",
                                  "target.vocabulary.txt", "model.safetensors"};

class ModelFolderTest : public testing::Test {
 protected:
  ModelFolderTest() {
    TranslationConfig config = TinyConfig(folder_.Path("model"));
    // So that files are small.
    config.model.As<RecurrentConfig>().embedding =
        config.model.As<RecurrentConfig>().units = 1;
    config.optimizer.learning_rate = 0;
    config.run.epochs = 1;
    TrainTranslation(config, {{{"a b", "b"}, {"x", "y x"}}, {}});
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
  TranslationModel Read() const {
    return ReadTranslationModel(folder_.Path("model"));
  }

  /// Everything that a reader gets to see.
  static std::string Meaning(const TranslationModel& model) {
    std::string all = ToJson(model.config).dump() + ToJson(model.data).dump();
    all += model.vocabularies.source.Serialize();
    all += model.vocabularies.target.Serialize();
    for (const auto& [key, value] : model.metadata)
      all += key + "=" + value + "\n";
    for (const auto& p : model.model->parameters().all()) {
      all += p->name();
      all.append(static_cast<const char*>(p->value().raw()),
                 static_cast<size_t>(p->value().bytes()));
    }
    return all;
  }
  /// The error that names the file, or "" if it was read.
  std::string Damage(const std::string& file) const {
    std::string error;
    try {
      Read();
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
  try {
    WriteModelConfig(folder_.Path("model"), description);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "source: is not UTF-8, and so cannot be written to "
                 "config.json");
  }
}

TEST_F(ModelFolderTest, GivesBackWhatWasWritten) {
  const TranslationModel model = Read();
  EXPECT_EQ(model.config.As<RecurrentConfig>().units, 1);
  EXPECT_EQ(model.vocabularies.source.size(), 6);
  EXPECT_EQ(model.metadata.at("heed.step"), "1");
  // A rate of 0 leaves the weights as they were made.
  const auto fresh = MakeTranslator(*model.config, model.vocabularies, 1);
  for (const auto& p : fresh->parameters().all()) {
    EXPECT_EQ(
        model.model->parameters().Find(p->name())->value().ToVector<float>(),
        p->value().ToVector<float>());
  }
}

TEST_F(ModelFolderTest, MissingFileIsNamed) {
  for (const char* file : kFiles) {
    const std::string bytes = ReadFile(PathOf(file));
    fs::remove(PathOf(file));
    const std::string message = MessageOf<IoError>([&] { Read(); });
    EXPECT_NE(message.find(folder_.path()), std::string::npos) << message;
    EXPECT_NE(message.find(file), std::string::npos) << message;
    Put(file, bytes);
  }
  EXPECT_NO_THROW(Read());
  EXPECT_THROW(ReadTranslationModel(folder_.Path("none")), IoError);
  EXPECT_THROW(ReadTranslationModel(PathOf("config.json")), IoError);
}

TEST_F(ModelFolderTest, FileCutShortIsRefusedAtEveryLength) {
  for (const char* file : kFiles) {
    const std::string bytes = ReadFile(PathOf(file));
    // Without its last line feed, config.json is whole.
    const size_t whole = bytes.size() - (file == kFiles[0] ? 1 : 0);
    for (size_t size = whole; size-- > 0;) {
      fs::resize_file(PathOf(file), size);
      ASSERT_NE(Damage(file), "") << file << " of " << size << " bytes";
    }
    Put(file, bytes);
  }
}

constexpr std::array kFlips = {0x01, 0x10, 0x20, 0x80, 0xFF};
// All kinds at every byte would take minutes under the sanitizer, so it sees
// them in turn.
#ifdef HEED_SANITIZE
constexpr size_t kKindsAByte = 1;
#else
constexpr size_t kKindsAByte = kFlips.size();
#endif

TEST_F(ModelFolderTest, EveryFlippedByteIsRefusedOrChangesNothing) {
  const std::string meaning = Meaning(Read());
  for (const char* file : kFiles) {
    const std::string bytes = ReadFile(PathOf(file));
    for (size_t i = 0; i < bytes.size(); ++i) {
      for (size_t kind = 0; kind < kKindsAByte; ++kind) {
        const int bits = kFlips[(i + kind) % kFlips.size()];
        PutByte(file, i, static_cast<char>(bytes[i] ^ bits));
        if (Damage(file).empty()) {
          ASSERT_EQ(Meaning(Read()), meaning)
              << file << " at " << i << " ^ " << bits;
        }
      }
      PutByte(file, i, bytes[i]);
    }
  }
}

TEST_F(ModelFolderTest, NewerVersionSaysSo) {
  auto json = nlohmann::ordered_json::parse(ReadFile(PathOf("config.json")));
  json["heed"]["format"] = 2;
  json["a_key_of_the_future"] = 1;
  Put("config.json", json.dump());
  EXPECT_NE(Damage("config.json").find("newer version"), std::string::npos);
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
  const TranslationModel model = Read();
  ModelChoice<TranslatorSettings> config = model.config;
  config.As<RecurrentConfig>().units = 2;
  const auto other = MakeTranslator(*config, model.vocabularies, 1);
  WriteTensors(PathOf("model.safetensors"),
               ParameterTensors(other->parameters()), {});
  EXPECT_NE(Damage("model.safetensors").find("expected"), std::string::npos);
}

}  // namespace
}  // namespace heed
