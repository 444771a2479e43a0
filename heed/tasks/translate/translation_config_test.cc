#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/models/recurrent/recurrent_config.h"
#include "heed/tasks/translate/translation.h"

namespace heed::translate {
namespace {

TEST(Config, DefaultsAreInTheirRanges) { EXPECT_NO_THROW(Check(Config())); }

TEST(Config, ResolveFillsInWhatZeroStandsFor) {
  Config config;
  config.Resolve();
  EXPECT_EQ(config.data.source_vocabulary_size, 8000);
  EXPECT_EQ(config.data.target_vocabulary_size, 8000);
  EXPECT_EQ(config.optimizer.epsilon, 1e-8);
  EXPECT_EQ(config.model.As<RecurrentConfig>().variant, "rnnsearch");
  for (const Field& field : FieldsOf(config)) {
    // Resolved from the task and the files.
    if (field.key == "metric" || field.key == "delimiter" ||
        field.key == "header" || field.key == "tokenize") {
      continue;
    }
    EXPECT_NE(field.Value(), "auto") << field.key;
  }
}

TEST(Config, WordsAndCharactersHaveNoDefaultSize) {
  for (const char* kind : {"words", "characters"}) {
    Config config;
    config.data.vocabulary = kind;
    config.Resolve();
    EXPECT_EQ(config.data.source_vocabulary_size, 0);
  }
}

TEST(Config, DefaultSizeIsThatOfTheSidesOwnKind) {
  Config config;
  config.data.vocabulary = "characters";
  config.data.target_vocabulary = "bpe";
  config.Resolve();
  EXPECT_EQ(config.data.source_vocabulary_size, 0);
  EXPECT_EQ(config.data.target_vocabulary_size, 8000);
  EXPECT_EQ(config.data.source_kind(), VocabularyKind::kCharacters);
  EXPECT_EQ(config.data.target_kind(), VocabularyKind::kBpe);
  config.data.target_vocabulary = "same";
  EXPECT_EQ(config.data.target_kind(), VocabularyKind::kCharacters);
}

TEST(Config, ResolveKeepsWhatWasChosen) {
  Config config;
  config.data.target_vocabulary_size = 300;
  config.optimizer.optimizer = OptimizerKind::kAdadelta;
  config.run.keep = 9;
  config.run.average = 4;
  config.Resolve();
  EXPECT_EQ(config.data.source_vocabulary_size, 8000);
  EXPECT_EQ(config.data.target_vocabulary_size, 300);
  EXPECT_EQ(config.optimizer.epsilon, 1e-6);
  EXPECT_EQ(config.run.keep, 9);
}

TEST(Config, AsManyWeightsAreKeptAsAreAveraged) {
  Config config;
  config.run.average = 7;
  config.Resolve();
  EXPECT_EQ(config.run.keep, 7);
}

TEST(Config, ResolvingTwiceChangesNothing) {
  for (const char* model : {"fixed", "bahdanau", "luong"}) {
    Config config;
    config.model.Choose(model);
    config.Resolve();
    const auto once = ToJson(config);
    config.Resolve();
    EXPECT_EQ(ToJson(config), once);
  }
}

TEST(Config, ChoicesThatDoNotFitAreRefused) {
  Config joint;
  joint.data.joint_vocabulary = true;
  joint.data.source_vocabulary_size = 100;
  EXPECT_NO_THROW(joint.Resolve());
  EXPECT_EQ(joint.data.target_vocabulary_size, 100);
  joint.data.target_vocabulary_size = 200;
  EXPECT_NE(
      MessageOf<ConfigError>([&] { joint.Resolve(); }).find("joint_vocabulary"),
      std::string::npos);
  Config kinds;
  kinds.data.joint_vocabulary = true;
  kinds.data.vocabulary = "characters";
  kinds.data.target_vocabulary = "characters";
  EXPECT_NO_THROW(kinds.Resolve());
  kinds.data.target_vocabulary = "words";
  EXPECT_NE(MessageOf<ConfigError>([&] {
              kinds.Resolve();
            }).find("target_vocabulary 'words'"),
            std::string::npos);
  Config merges;
  merges.data.bpe_dropout = 0.1;
  EXPECT_NE(MessageOf<ConfigError>([&] { merges.Resolve(); }).find("bpe"),
            std::string::npos);
  merges.data.target_vocabulary = "bpe";
  EXPECT_NO_THROW(merges.Resolve());
  Config noise;
  noise.data.noise.noise_case = 0.1;
  EXPECT_NO_THROW(noise.Resolve());
  noise.data.lowercase = true;
  EXPECT_NE(MessageOf<ConfigError>([&] { noise.Resolve(); }).find("lower case"),
            std::string::npos);
  noise.data.lowercase = false;
  noise.data.large.token_files = "tokens";
  EXPECT_NE(
      MessageOf<ConfigError>([&] { noise.Resolve(); }).find("token_files"),
      std::string::npos);
  Config seeds;
  seeds.run.seed = kNoSeed;
  EXPECT_NE(MessageOf<ConfigError>([&] { seeds.Resolve(); }).find("seed"),
            std::string::npos);
  Config halving;
  halving.optimizer.schedule = Schedule::kStepHalving;
  EXPECT_NE(
      MessageOf<ConfigError>([&] { halving.Resolve(); }).find("halve_every"),
      std::string::npos);
}

TEST(Config, JsonGivesTheSameBack) {
  Config config;
  config.model.As<RecurrentConfig>().units = 77;
  config.data.train.source = {"a \"b\"", "c,d"};
  config.optimizer.learning_rate = 0.1 + 0.2;
  config.run.seed = ~uint64_t{0};
  Config read;
  FromJson(read, ToJson(config), "file");
  EXPECT_EQ(ToJson(read), ToJson(config));
  EXPECT_EQ(read.optimizer.learning_rate, 0.1 + 0.2);
  EXPECT_EQ(read.run.seed, ~uint64_t{0});
}

}  // namespace
}  // namespace heed::translate
