#include "heed/train/config.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "heed/base/errors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

TEST(TrainConfig, DefaultsAreInTheirRanges) {
  EXPECT_NO_THROW(Check(TrainConfig()));
}

TEST(TrainConfig, ResolveFillsInWhatZeroStandsFor) {
  TrainConfig config;
  config.Resolve();
  EXPECT_EQ(config.data.source_vocabulary_size, 8000);
  EXPECT_EQ(config.data.target_vocabulary_size, 8000);
  EXPECT_EQ(config.optimizer.epsilon, 1e-8);
  EXPECT_EQ(config.model.variant, "rnnsearch");
  for (const Field& field : FieldsOf(config)) {
    EXPECT_NE(field.Value(), "auto") << field.key;
  }
}

TEST(TrainConfig, WordsAndCharactersHaveNoDefaultSize) {
  for (const char* kind : {"words", "characters"}) {
    TrainConfig config;
    config.data.vocabulary = kind;
    config.Resolve();
    EXPECT_EQ(config.data.source_vocabulary_size, 0);
  }
}

TEST(TrainConfig, ResolveKeepsWhatWasChosen) {
  TrainConfig config;
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

TEST(TrainConfig, AsManyWeightsAreKeptAsAreAveraged) {
  TrainConfig config;
  config.run.average = 7;
  config.Resolve();
  EXPECT_EQ(config.run.keep, 7);
}

TEST(TrainConfig, ResolvingTwiceChangesNothing) {
  for (const char* model : {"fixed", "bahdanau", "luong"}) {
    TrainConfig config;
    config.model.model = model;
    config.Resolve();
    const auto once = ToJson(config);
    config.Resolve();
    EXPECT_EQ(ToJson(config), once);
  }
}

TEST(TrainConfig, ChoicesThatDoNotFitAreRefused) {
  TrainConfig joint;
  joint.data.joint_vocabulary = true;
  joint.data.source_vocabulary_size = 100;
  EXPECT_NE(
      MessageOf<ConfigError>([&] { joint.Resolve(); }).find("joint_vocabulary"),
      std::string::npos);
  TrainConfig halving;
  halving.optimizer.schedule = "step_halving";
  EXPECT_NE(
      MessageOf<ConfigError>([&] { halving.Resolve(); }).find("halve_every"),
      std::string::npos);
}

TEST(TrainConfig, JsonGivesTheSameBack) {
  TrainConfig config;
  config.model.units = 77;
  config.data.source = "a \"b\"";
  config.optimizer.learning_rate = 0.1 + 0.2;
  config.run.seed = ~uint64_t{0};
  TrainConfig read;
  FromJson(read, ToJson(config), "file");
  EXPECT_EQ(ToJson(read), ToJson(config));
  EXPECT_EQ(read.optimizer.learning_rate, 0.1 + 0.2);
  EXPECT_EQ(read.run.seed, ~uint64_t{0});
}

}  // namespace
}  // namespace heed
