#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/convert/convert.h"
#include "heed/convert/testing.h"
#include "heed/io/file.h"
#include "heed/io/marian_binary.h"
#include "heed/models/transformer/transformer_config.h"
#include "heed/tasks/translate/testing.h"

namespace heed::export_bergamot_test {
namespace {

class ExportBergamotTest : public testing::Test {
 protected:
  std::string Ours(const std::string& file = "") const {
    return folder_.Path("ours") + (file.empty() ? "" : "/" + file);
  }
  std::string Theirs(const std::string& file = "") const {
    return folder_.Path("theirs") + (file.empty() ? "" : "/" + file);
  }
  Notes Export(const BergamotRequest& request = {}) {
    return ExportBergamot(Ours(), Theirs(), request);
  }
  std::string Error(const BergamotRequest& request = {}) {
    return MessageOf<ConfigError>([&] { Export(request); });
  }
  BergamotRequest Calibrated() {
    return {.calibration = folder_.Put("text", "a b c\n\nd\nb d a\n"),
            .source_language = "en",
            .target_language = "de"};
  }

  /// Settings of a student that can be exported and trains in an instant.
  translate::Config Student(bool joint) const {
    translate::Config config = translate::TinyConfig(Ours());
    config.model.Choose("student-tiny");
    auto& c = config.model.As<TransformerConfig>();
    c.layers = 1;
    c.decoder_layers = 1;
    c.width = c.ff = 64;
    c.heads = 2;
    if (joint) c.tie = "all";
    config.data.vocabulary = "unigram";
    config.data.joint_vocabulary = joint;
    config.data.source_vocabulary_size = kSpecialTokens + 9;
    config.data.target_vocabulary_size = kSpecialTokens + 9;
    config.run.steps = 20;
    return config;
  }
  static void Train(const translate::Config& config) {
    translate::TrainTranslation(config, {ReversedLetters(40, 1), {}});
  }

  /// Bytes are equal, and numbers up to the last bits of an f32.
  static void ExpectClose(const Tensor& a, const Tensor& b,
                          const std::string& name) {
    const auto ours = a.To(DType::kF32).ToVector<float>();
    const auto theirs = b.To(DType::kF32).ToVector<float>();
    ASSERT_EQ(ours.size(), theirs.size()) << name;
    for (size_t i = 0; i < ours.size(); ++i) {
      EXPECT_FLOAT_EQ(ours[i], theirs[i]) << name;
    }
  }

  TemporaryFolder folder_;
};

TEST_F(ExportBergamotTest, ImportedStudentsKeepTheirBytes) {
  for (const char* name : {"bergamot/joint", "bergamot/split"}) {
    SCOPED_TRACE(name);
    Imported imported = heed::Import(Golden(name));
    WriteImported(Ours(), true, imported);
    EXPECT_TRUE(Export({.overwrite = true}).empty());
    const std::string model = "model.ende.intgemm.alphas.bin";
    const std::vector<MarianTensor> theirs = ReadMarianBinary(Theirs(model));
    const std::vector<MarianTensor> golden =
        ReadMarianBinary(Golden(name) + "/" + model);
    ASSERT_EQ(theirs.size(), golden.size());
    for (size_t i = 0; i + 1 < theirs.size(); ++i) {  // the last: settings
      const MarianTensor& tensor = golden[i];
      EXPECT_EQ(theirs[i].name, tensor.name);
      EXPECT_EQ(theirs[i].value.shape(), tensor.value.shape()) << tensor.name;
      ExpectClose(theirs[i].value, tensor.value, tensor.name);
      EXPECT_FLOAT_EQ(theirs[i].multiplier, tensor.multiplier) << tensor.name;
    }
    const std::string list = "lex.50.50.ende.s2t.bin";
    EXPECT_EQ(ReadFile(Theirs(list)), ReadFile(Golden(name) + "/" + list));
    Imported again = heed::Import(Theirs());
    WriteImported(folder_.Path("again"), true, again);
    for (const char* file : {"model.safetensors", "shortlist.safetensors"}) {
      EXPECT_EQ(ReadFile(folder_.Path("again/") + file), ReadFile(Ours(file)));
    }
  }
}

TEST_F(ExportBergamotTest, TrainedStudentsTranslateAlikeAfterTheirReturn) {
  for (const bool joint : {false, true}) {
    SCOPED_TRACE(joint);
    translate::Config config = Student(joint);
    config.run.overwrite = true;
    config.run.steps = 300;
    Train(config);
    BergamotRequest request = Calibrated();
    request.overwrite = true;
    Export(request);
    Imported again = heed::Import(Theirs());
    WriteImported(folder_.Path("again"), true, again);
    const std::vector<std::string> lines = {"a b c", "d", "b d", "c a b a"};
    const auto translated = [&](const std::string& folder) {
      return translate::TranslateLines(translate::ReadTranslationModel(folder),
                                       lines, {});
    };
    EXPECT_EQ(translated(folder_.Path("again")), translated(Ours()));
    translate::ReadTranslationModel(folder_.Path("again"), {},
                                    Activations::kFixed);
    const auto metadata =
        nlohmann::json::parse(ReadFile(Theirs("metadata.json")));
    EXPECT_EQ(metadata["architecture"], "student");
    EXPECT_EQ(metadata["sourceLanguage"], "en");
    EXPECT_EQ(metadata["byteSize"],
              ReadFile(Theirs("model.ende.intgemm.alphas.bin")).size());
  }
}

TEST_F(ExportBergamotTest, MissingScalesAndLanguagesNameTheirOptions) {
  Train(Student(false));
  BergamotRequest request = Calibrated();
  request.calibration = "";
  EXPECT_NE(Error(request).find("--calibrate FILE"), std::string::npos);
  request = Calibrated();
  request.target_language = "";
  EXPECT_NE(Error(request).find("--target-language CODE"), std::string::npos);
  request.target_language = "d/e";
  EXPECT_NE(Error(request).find("'d/e' is not a language"), std::string::npos);
  request = Calibrated();
  request.calibration = folder_.Put("empty", "\n \n");
  EXPECT_THROW(Export(request), FormatError);
  EXPECT_FALSE(std::filesystem::exists(Theirs()));
}

TEST_F(ExportBergamotTest, SettingsThatTheEngineLacksAreNamed) {
  translate::Config config = Student(false);
  auto& c = config.model.As<TransformerConfig>();
  c.width = 32;
  c.norm = "pre";
  c.final_norm = "yes";
  c.position = "sinusoidal";
  c.activation = "gelu";
  c.tie = "none";
  c.epsilon = 1e-5;
  config.data.vocabulary = "words";
  config.data.source_vocabulary_size = 0;
  config.data.target_vocabulary_size = 0;
  config.run.steps = 1;
  Train(config);
  EXPECT_EQ(Error(Calibrated()),
            "Firefox's engine has no norm 'pre' (only 'post'), no final_norm "
            "'yes' (only 'no'), no position 'sinusoidal' (only "
            "'sinusoidal_t2t'), no activation 'gelu' (only 'relu'), no "
            "norm_epsilon '1e-05' (only '1e-06'), no tie 'none' (only 'output' "
            "or 'all'), no width '32' (only multiples of 64), no vocabulary "
            "'words' (only 'unigram' or 'bpe'); heed train --model "
            "student-tiny and heed distill make students");
}

TEST_F(ExportBergamotTest, OtherModelsAreRefused) {
  const translate::Config recurrent = translate::TinyConfig(Ours());
  Train(recurrent);
  EXPECT_NE(Error(Calibrated()).find("decoder_recurrence 'ssru'"),
            std::string::npos);
}

TEST_F(ExportBergamotTest, AFolderWithAModelStays) {
  Imported imported = heed::Import(Golden("bergamot/joint"));
  WriteImported(Ours(), true, imported);
  Export();
  EXPECT_NE(Error().find("--overwrite"), std::string::npos);
  EXPECT_NE(MessageOf<ConfigError>([&] {
              ExportBergamot(Ours(), Ours(), {.overwrite = true});
            }).find("another folder"),
            std::string::npos);
}

}  // namespace
}  // namespace heed::export_bergamot_test
