#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/models/recurrent_config.h"
#include "heed/tasks/translate/translation.h"

namespace heed {
namespace {

TEST(TranslationConfig, DefaultsAreInTheirRanges) {
  EXPECT_NO_THROW(Check(TranslationConfig()));
}

TEST(TranslationConfig, ResolveFillsInWhatZeroStandsFor) {
  TranslationConfig config;
  config.Resolve();
  EXPECT_EQ(config.data.source_vocabulary_size, 8000);
  EXPECT_EQ(config.data.target_vocabulary_size, 8000);
  EXPECT_EQ(config.optimizer.epsilon, 1e-8);
  EXPECT_EQ(config.model.As<RecurrentConfig>().variant, "rnnsearch");
  for (const Field& field : FieldsOf(config)) {
    // Chosen by the task, and by what the files look like.
    if (field.key == "metric" || field.key == "delimiter" ||
        field.key == "header" || field.key == "tokenize") {
      continue;
    }
    EXPECT_NE(field.Value(), "auto") << field.key;
  }
}

TEST(TranslationConfig, WordsAndCharactersHaveNoDefaultSize) {
  for (const char* kind : {"words", "characters"}) {
    TranslationConfig config;
    config.data.vocabulary = kind;
    config.Resolve();
    EXPECT_EQ(config.data.source_vocabulary_size, 0);
  }
}

TEST(TranslationConfig, DefaultSizeIsThatOfTheSidesOwnKind) {
  TranslationConfig config;
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

TEST(TranslationConfig, ResolveKeepsWhatWasChosen) {
  TranslationConfig config;
  config.data.target_vocabulary_size = 300;
  config.optimizer.optimizer = "adadelta";
  config.run.keep = 9;
  config.run.average = 4;
  config.Resolve();
  EXPECT_EQ(config.data.source_vocabulary_size, 8000);
  EXPECT_EQ(config.data.target_vocabulary_size, 300);
  EXPECT_EQ(config.optimizer.epsilon, 1e-6);
  EXPECT_EQ(config.run.keep, 9);
}

TEST(TranslationConfig, AsManyWeightsAreKeptAsAreAveraged) {
  TranslationConfig config;
  config.run.average = 7;
  config.Resolve();
  EXPECT_EQ(config.run.keep, 7);
}

TEST(TranslationConfig, ResolvingTwiceChangesNothing) {
  for (const char* model : {"fixed", "bahdanau", "luong"}) {
    TranslationConfig config;
    config.model.Choose(model);
    config.Resolve();
    const auto once = ToJson(config);
    config.Resolve();
    EXPECT_EQ(ToJson(config), once);
  }
}

TEST(TranslationConfig, ChoicesThatDoNotFitAreRefused) {
  TranslationConfig joint;
  joint.data.joint_vocabulary = true;
  joint.data.source_vocabulary_size = 100;
  EXPECT_NO_THROW(joint.Resolve());
  EXPECT_EQ(joint.data.target_vocabulary_size, 100);
  joint.data.target_vocabulary_size = 200;
  EXPECT_NE(
      MessageOf<ConfigError>([&] { joint.Resolve(); }).find("joint_vocabulary"),
      std::string::npos);
  TranslationConfig kinds;
  kinds.data.joint_vocabulary = true;
  kinds.data.vocabulary = "characters";
  kinds.data.target_vocabulary = "characters";
  EXPECT_NO_THROW(kinds.Resolve());
  kinds.data.target_vocabulary = "words";
  EXPECT_NE(MessageOf<ConfigError>([&] {
              kinds.Resolve();
            }).find("target_vocabulary 'words'"),
            std::string::npos);
  TranslationConfig merges;
  merges.data.bpe_dropout = 0.1;
  EXPECT_NE(MessageOf<ConfigError>([&] { merges.Resolve(); }).find("bpe"),
            std::string::npos);
  merges.data.target_vocabulary = "bpe";
  EXPECT_NO_THROW(merges.Resolve());
  TranslationConfig seeds;
  seeds.run.seed = kNoSeed;
  EXPECT_NE(MessageOf<ConfigError>([&] { seeds.Resolve(); }).find("seed"),
            std::string::npos);
  TranslationConfig halving;
  halving.optimizer.schedule = "step_halving";
  EXPECT_NE(
      MessageOf<ConfigError>([&] { halving.Resolve(); }).find("halve_every"),
      std::string::npos);
}

TEST(TranslationConfig, JsonGivesTheSameBack) {
  TranslationConfig config;
  config.model.As<RecurrentConfig>().units = 77;
  config.data.train.source = {"a \"b\"", "c,d"};
  config.optimizer.learning_rate = 0.1 + 0.2;
  config.run.seed = ~uint64_t{0};
  TranslationConfig read;
  FromJson(read, ToJson(config), "file");
  EXPECT_EQ(ToJson(read), ToJson(config));
  EXPECT_EQ(read.optimizer.learning_rate, 0.1 + 0.2);
  EXPECT_EQ(read.run.seed, ~uint64_t{0});
}

}  // namespace
}  // namespace heed
