#include "heed/tasks/recommend/recommend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "heed/autograd/testing.h"
#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/tasks/explain.h"
#include "heed/tasks/testing.h"

namespace heed::recommend {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Recommend : public testing::Test {
 protected:
  /// Settings for users who go through items i0 to i19 in steps of one.
  /// Popularity does not know where they are, and factorisation not in which
  /// direction they go.
  Settings With(OptionTexts values) const {
    std::string table;
    for (int i = 0; i < 160 * 8; ++i) {
      table += fmt::format("u{},i{}\n", i / 8, (7 * (i / 8) + i % 8) % 20);
    }
    values.insert({{"interactions", folder_.Put("x.csv", table)},
                   {"titles", folder_.Put("titles.csv", "i3,Three\n")}});
    values.merge(OptionTexts(kSmallTransformer));
    Settings settings;
    FieldList fields;
    settings.Visit(fields);
    SetValues(fields, values);
    settings.Resolve();
    return settings;
  }

  const TemporaryFolder folder_;
};

TEST(Ranks, LeaveOutTheHistoryAndCountTiesHalf) {
  const auto rank = [](const History& history) {
    const std::vector<float> scores = {5, 3, 3, 3, 4, 1};
    const Metrics found = ScoreLastItems(std::span(&history, 1), [&](auto) {
      return Tensor::Of(scores, {1, 6});
    });
    return 100 / found.at(2).second;  // MRR
  };
  EXPECT_DOUBLE_EQ(rank({0, 1}), 3) << "behind 4, and one of two ties";
  EXPECT_DOUBLE_EQ(rank({0, 4, 2, 3, 1}), 1);
  EXPECT_DOUBLE_EQ(rank({1, 5, 5}), 5) << "an item of the history";
}

TEST(Factorisation, ProjectsHistoriesOnSingularVectors) {
  const std::vector<History> train = {{0, 1}, {0, 1}, {0, 1}, {2, 3}};
  const std::vector<History> some = {{0}, {2}};
  // The singular vectors are (1, 1, 0, 0, 0) / √2 and (0, 0, 1, 1, 0) / √2.
  const std::vector<double> expected = {0.5, 0.5, 0, 0, 0, 0, 0, 0.5, 0.5, 0};
  EXPECT_THAT(Factorisation(train, 5, 5)(some).ToVector<double>(),
              testing::Pointwise(testing::DoubleNear(1e-6), expected));
}

TEST(SampledLoss, HasTheGradientOfFiniteDifferences) {
  const auto loss = [](std::span<const Var> x) {
    Rng rng(2);
    Context ctx;
    ctx.rng = &rng;
    return SampledLoss(ctx, x[0], x[1], Ids({1, -1, 4, 0}, {2, 2}), 3, 0.5);
  };
  ExpectGradientOf(loss, {RandomTensor({2, 2, 3}, 1), RandomTensor({5, 3}, 2)});
}

TEST_F(Recommend, LearnsTheOrderThatBaselinesDoNotKnow) {
  for (const char* negatives : {"0", "5"}) {
    Settings settings = With({{"negatives", negatives}, {"history", "4"}});
    TrainingConfig training;
    settings.SetDefaults(training);
    training.optimizer.learning_rate = 0.01;
    training.run.epochs = 60;
    training.run.quiet = true;
    training.run.out = folder_.Path(negatives);
    Train(settings, training);
    const LoadedModel loaded = ReadModel(training.run.out);
    const Report report =
        EvaluateWith(loaded, {{"interactions", folder_.Path("x.csv")}});
    const auto figure = [&](const char* key) {
      return std::ranges::find(report.figures, key, &Figure::key)->value;
    };
    EXPECT_GT(figure("ndcg10"), 90);
    EXPECT_LT(figure("popularity_ndcg10"), 70);
    EXPECT_LT(figure("factorisation_ndcg10"), 80);
    EXPECT_THAT(PredictLines(loaded, "i4\ti5\ti6\n"),
                testing::StartsWith("i7\t"));
  }
}

TEST_F(Recommend, SplitsHistoriesAndPredictsItemsOutsideThem) {
  const Settings settings = With({{"history", "3"}});
  const auto model = settings.MakeModel(settings.Read(), 1);
  const auto objective = settings.MakeObjective(settings.Read(), *model, 1);
  EXPECT_EQ(objective->Units(std::vector<int64_t>{0, 1}), 5)
      << "six items have five next ones, in parts of 3 and 2";
  EXPECT_THAT(objective->Summary(), HasSubstr("320 parts of histories, 160"));
  EXPECT_THROW(settings.MakeObjective({}, *model, 1), ConfigError);

  const auto predictor = settings.MakePredictor(*model, Prediction{30});
  const auto parts = [&](const std::string& line) {
    return predictor->Predict(std::vector<Input>{{line}}).front().parts;
  };
  for (const char* line : {"Three | i4", "i3 i4", "Three\t i4\t"}) {
    EXPECT_EQ(parts(line), parts("i3\ti4")) << line;
  }
  EXPECT_EQ(parts("i3 | x | y").at("unknown"), "'x', 'y'");
  EXPECT_THAT(MessageOf<FormatError>([&] { parts("x"); }),
              HasSubstr("no item that the model knows"));
  const auto items = parts("i0 i1 i2 i3").at("items");
  const auto others = parts("i0 i5 i1 i2 i3").at("items");
  EXPECT_EQ(items.size(), 16) << "of twenty";
  EXPECT_EQ(others.size(), 15);
  EXPECT_EQ(items[0], others[0]) << "the model reads the last three items";
  for (size_t i = 1; i < items.size(); ++i) {
    EXPECT_NE(items[i].at("item"), "Three");
    EXPECT_LE(items[i].at("probability"), items[i - 1].at("probability"));
  }
  ExplainInput input = {{"i0 i1 i2 Three"}};
  const auto explained = [&] {
    return predictor->PrepareExplanation({}, input, predictor->options())
        .segments.front()
        .segment;
  };
  EXPECT_EQ(explained().answer, items[0].at("item"));
  EXPECT_THAT(explained().axis("source").items,
              ElementsAre("i1", "i2", "Three"));
  EXPECT_EQ(explained().targets[0].row, 2) << "the last item predicts";
  input.contrast = "x";
  EXPECT_THAT(MessageOf<FormatError>(explained),
              HasSubstr("does not know the item 'x'"));
}

}  // namespace
}  // namespace heed::recommend
