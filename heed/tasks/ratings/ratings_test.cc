#include "heed/tasks/ratings/ratings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "course/data/planted_reviews.h"
#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/explain/payloads.h"
#include "heed/io/file.h"
#include "heed/tasks/explain.h"
#include "heed/tasks/run.h"

namespace heed::ratings {
namespace {

using testing::HasSubstr;

constexpr const char* kModels[] = {"dattn", "mpcn", "factors", "bias", "mean"};

Settings RatingSettingsOf(const std::string& model,
                          const std::string& values = "min_count=1") {
  Settings settings;
  settings.ChooseModel(model);
  for (const char* one :
       {"embedding=6", "hidden=5", "factors=4", "filters=3", "local_filters=3",
        "document=20", "dropout=0", "init_scale=0.5", "init=uniform"}) {
    SetPresetIfKnown(FieldsOf(*settings.model), one);
  }
  SetPreset(FieldsOf(settings), values);
  settings.Resolve();
  return settings;
}

Review ReviewBy(const std::string& user, const std::string& item, double rating,
                const std::string& text) {
  Review review;
  review.user = user;
  review.item = item;
  review.rating = rating;
  review.text = text;
  return review;
}

std::vector<Review> SomeReviews() {
  return {ReviewBy("ann", "lamp", 5, "bright and warm light"),
          ReviewBy("ann", "desk", 4, "plain but solid"),
          ReviewBy("ann", "chair", 2, "it hurts"),
          ReviewBy("bob", "lamp", 1, "went dark"),
          ReviewBy("bob", "desk", 3, ""),
          ReviewBy("cat", "lamp", 4, "solid light"),
          ReviewBy("cat", "desk", 3, "it wobbles")};
}

double RatingOfLine(const Settings& settings, const Model& model,
                    const std::string& line) {
  const std::vector<Input> inputs = {{line, "standard input:4"}};
  return settings.MakePredictor(model, {})
      ->Predict(inputs)
      .front()
      .parts.at("rating")
      .get<double>();
}

TEST(Model, TheReviewOfAPairIsInNeitherOfItsDocuments) {
  for (const char* name : {"dattn", "mpcn"}) {
    Settings settings = RatingSettingsOf(name);
    // Soft pointers make every review count.
    SetPresetIfKnown(FieldsOf(*settings.model), "pointing=soft");
    const auto ratings_with = [&](const std::string& text) {
      // The vocabulary and the weights are the same.
      const auto known = settings.MakeModel({SomeReviews(), {}}, 1);
      std::vector<Review> reviews = SomeReviews();
      reviews[0].text = text;
      Model model(settings, ReviewMemory(reviews), known->vocabulary, 1);
      model.StartAtBiases();
      std::vector<RatingPair> pairs = {model.PairOf("ann", "lamp"),
                                       model.PairOf("ann", "desk"),
                                       model.PairOf("cat", "lamp")};
      return model.Ratings({}, pairs);
    };
    const auto as_it_is = ratings_with("bright and warm light");
    const auto changed = ratings_with("hurts hurts dark");
    const auto empty = ratings_with("");
    EXPECT_EQ(as_it_is[0], changed[0]) << name;
    EXPECT_EQ(as_it_is[0], empty[0]) << name;
    // The review affects other pairs of the same user and of the same item.
    EXPECT_NE(as_it_is[1], changed[1]) << name;
    EXPECT_NE(as_it_is[2], changed[2]) << name;
  }
}

TEST(Model, TrainingDoesNotSeeTheReviewOfItsPair) {
  const Settings settings = RatingSettingsOf("dattn");
  const auto model = settings.MakeModel({SomeReviews(), {}}, 1);
  const ReviewMemory& memory = model->memory;
  for (size_t i = 0; i < memory.reviews().size(); ++i) {
    const RatingPair pair =
        model->PairOf(memory.user_ids()[i], memory.item_ids()[i]);
    for (const RatingDocument* side : {&pair.of_user, &pair.of_item}) {
      EXPECT_EQ(std::ranges::count(side->places, static_cast<int32_t>(i)), 0);
    }
  }
  // Reviews without words are left out.
  EXPECT_THAT(model->PairOf("ann", "lamp").of_item.places,
              testing::ElementsAre(3, 5));
  EXPECT_THAT(model->PairOf("bob", "lamp").of_user.places,
              testing::ElementsAre());
}

TEST(Model, NewestReviewsAreReadWithinTheLimits) {
  const auto model = RatingSettingsOf("mpcn",
                                      "min_count=1 read_reviews=2 "
                                      "review_words=3")
                         .MakeModel({SomeReviews(), {}}, 1);
  const RatingPair pair = model->PairOf("new", "lamp");
  EXPECT_THAT(pair.of_item.places, testing::ElementsAre(3, 5));
  const RatingPair ann = model->PairOf("ann", "shelf");
  EXPECT_THAT(ann.of_user.places, testing::ElementsAre(1, 2));
  EXPECT_EQ(ann.of_user.reviews[0].size(), 3);
  const auto joined = RatingSettingsOf("dattn", "min_count=1 document=4")
                          .MakeModel({SomeReviews(), {}}, 1);
  const RatingPair cut = joined->PairOf("ann", "shelf");
  EXPECT_THAT(cut.of_user.places, testing::ElementsAre(1, 2));
  EXPECT_EQ(cut.of_user.reviews[0].size(), 2);
  EXPECT_EQ(cut.of_user.reviews[1].size(), 2);
}

TEST(RatingPredictor, WhoIsNotKnownGetsTheMeanOfWhatIs) {
  for (const char* name : kModels) {
    const Settings settings = RatingSettingsOf(name);
    const auto model = settings.MakeModel({SomeReviews(), {}}, 1);
    EXPECT_NEAR(RatingOfLine(settings, *model, "dan\tlamp"), 10.0 / 3, 1e-9);
    EXPECT_NEAR(RatingOfLine(settings, *model, "ann\tshelf"), 11.0 / 3, 1e-9);
    EXPECT_NEAR(RatingOfLine(settings, *model, "dan\tshelf"), 22.0 / 7, 1e-9);
    // Users or items without reviews other than of the pair itself or without
    // words.
    for (const char* line : {"cat\tlamp", "bob\tlamp", "ann\tchair"}) {
      const double rating = RatingOfLine(settings, *model, line);
      EXPECT_TRUE(rating >= 1 && rating <= 5) << name << " " << line;
    }
  }
}

TEST(RatingPredictor, GivenReviewsStandForThoseThatAreKnown) {
  for (const char* name : {"dattn", "mpcn"}) {
    const Settings settings = RatingSettingsOf(name);
    const auto model = settings.MakeModel({SomeReviews(), {}}, 1);
    const double known = RatingOfLine(
        settings, *model,
        R"({"user": "ann", "item": "lamp", "item_reviews": ["went dark", )"
        R"("solid light"]})");
    EXPECT_NEAR(known, RatingOfLine(settings, *model, "ann\tlamp"), 1e-6);
    const double other = RatingOfLine(
        settings, *model,
        R"({"user": "ann", "item": "lamp", "item_reviews": ["it hurts"]})");
    EXPECT_GT(std::abs(known - other), 1e-6);
    // A request without names has no biases.
    RatingOfLine(settings, *model,
                 R"({"user_reviews": ["Solid!"], "item_reviews": [""]})");
  }
}

TEST(RatingPredictor, WhatIsNoPairIsNamedWithItsPlace) {
  const Settings settings = RatingSettingsOf("bias");
  const auto model = settings.MakeModel({SomeReviews(), {}}, 1);
  EXPECT_THAT(MessageOf<FormatError>(
                  [&] { RatingOfLine(settings, *model, "ann lamp"); }),
              HasSubstr("standard input:4: is not a pair"));
}

TEST(RatingPredictor, RatingsStayWithinTheScale) {
  const Settings settings =
      RatingSettingsOf("bias", "least_rating=2 most_rating=4 shrinkage=0.001");
  const auto model = settings.MakeModel(
      {{ReviewBy("a", "x", 4, ""), ReviewBy("a", "y", 4, ""),
        ReviewBy("b", "x", 4, ""), ReviewBy("b", "z", 2, ""),
        ReviewBy("c", "z", 2, ""), ReviewBy("c", "y", 4, "")},
       {}},
      1);
  EXPECT_EQ(model->Clipped(5), 4);
  EXPECT_EQ(model->Clipped(1), 2);
  EXPECT_LE(RatingOfLine(settings, *model, "a\tx"), 4);
}

TEST(Model, StartsAtTheBiasesOfTheRatings) {
  const Settings settings = RatingSettingsOf("bias", "shrinkage=2");
  const auto model = settings.MakeModel({SomeReviews(), {}}, 1);
  const RatingBiasFit fit = FitBiases(model->memory, 2);
  EXPECT_NEAR(RatingOfLine(settings, *model, "ann\tlamp"),
              fit.mean + fit.users[0] + fit.items[2], 1e-5);
}

TEST(RatingObjective, ChecksAndPlansAreFunctionsOfTheReviews) {
  const Settings settings = RatingSettingsOf("bias");
  Data data = {SomeReviews(), {}};
  const auto model = settings.MakeModel(data, 1);
  const auto objective = settings.MakeObjective(data, *model, 1);
  EXPECT_FALSE(objective->has_valid());
  EXPECT_EQ(objective->PlanEpoch(1, 2).All(), objective->PlanEpoch(1, 2).All());
  data.train[0].rating = 3;
  EXPECT_NE(settings.MakeObjective(data, *model, 1)->Checksum(),
            objective->Checksum());
}

TEST(RatingSettings, WhatDoesNotFitIsRefused) {
  EXPECT_THROW(RatingSettingsOf("bias", "least_rating=5 most_rating=1"),
               ConfigError);
  Settings settings;
  settings.data.files.columns = {"a", "b"};
  EXPECT_THROW(settings.Resolve(), ConfigError);
  settings = {};
  settings.data.split = ReviewsKept::kLast;
  settings.data.valid_reviews = {"x"};
  EXPECT_THROW(settings.Resolve(), ConfigError);
  settings = {};
  settings.ChooseModel("dattn");
  SetPreset(FieldsOf(*settings.model), "widths=3,x");
  settings.Resolve();
  EXPECT_THROW(settings.MakeModel({SomeReviews(), {}}, 1), ConfigError);
}

double FigureOf(const Report& report, const std::string& key) {
  const auto found = std::ranges::find(report.figures, key, &Figure::key);
  return found == report.figures.end() ? NAN : found->value;
}

TEST(Evaluation, OfOnePairThereIsNoConfidence) {
  const Settings settings = RatingSettingsOf("bias");
  const auto model = settings.MakeModel({SomeReviews(), {}}, 1);
  const TemporaryFolder folder;
  Evaluation evaluation;
  evaluation.reviews = {folder.Put("one.tsv", "ann\tlamp\t4\tbright\n")};
  const Report report = settings.Evaluate(*model, evaluation);
  EXPECT_THAT(report.heading, HasSubstr("1 pair, 0 of them"));
  const auto above =
      std::ranges::find(report.figures, "above_biases", &Figure::key);
  ASSERT_NE(above, report.figures.end());
  EXPECT_EQ(above->note, "of one pair, so without a confidence");
}

class PlantedRatings : public testing::Test {
 protected:
  /// Makes synthetic reviews with a seed, also used by trainings.
  void MakeWorld(uint64_t seed, int64_t users = 500) {
    seed_ = seed;
    PlantedReviewOptions options;
    options.users = users;
    const PlantedReviews world(options, seed);
    Write("train.tsv", world.reviews());
    Write("valid.tsv", world.OtherPairs(300, 1));
    Write("test.tsv", world.OtherPairs(400, 2));
  }
  void Write(const std::string& name, const std::vector<Review>& reviews) {
    std::string lines = "user\titem\trating\treview\ttime\tdecides\n";
    for (const Review& review : reviews) lines += ReviewLine(review) + "\n";
    folder_.Put(name, lines);
  }
  Report TrainedOn(const std::string& model, const std::string& preset,
                   int epochs, double rate,
                   const std::string& training_preset) {
    Settings settings;
    settings.ChooseModel(model);
    settings.data.reviews = {folder_.Path("train.tsv")};
    settings.data.valid_reviews = {folder_.Path("valid.tsv")};
    settings.data.files.columns = {"user",   "item", "rating",
                                   "review", "time", "decides"};
    settings.data.batch_pairs = 128;
    SetPreset(FieldsOf(*settings.model), preset);
    TrainingConfig training;
    settings.SetDefaults(training);
    training.run.out = folder_.Path("model-" + model);
    training.run.overwrite = true;
    training.run.seed = seed_;
    training.run.epochs = epochs;
    training.run.quiet = true;
    training.run.patience = 0;
    training.optimizer.learning_rate = rate;
    SetPreset(FieldsOf(training), training_preset);
    Train(settings, training);
    const LoadedModel loaded = ReadModel(training.run.out);
    Evaluation evaluation;
    evaluation.reviews = {folder_.Path("test.tsv")};
    evaluation.files = settings.data.files;
    return loaded.settings->Evaluate(*loaded.model,
                                     OptionsOf<Evaluation>(evaluation));
  }

  uint64_t seed_ = 1;
  TemporaryFolder folder_;
};

TEST_F(PlantedRatings, MpcnPointsAtTheReviewsThatDecide) {
  // With nine seeds, item pointers reached 87 % once and 97 to 100 % otherwise.
  double user_pointers = 0;
  double item_pointers = 0;
  for (const uint64_t seed : {1, 2, 3}) {
    SCOPED_TRACE(seed);
    MakeWorld(seed);
    const Report report = TrainedOn(
        "mpcn",
        "embedding=16 pointers=1 combine=sum dropout=0 soft_batches=0.5", 60,
        1e-2, "");
    EXPECT_LT(FigureOf(report, "mse"), FigureOf(report, "bias_mse") / 4);
    EXPECT_LT(FigureOf(report, "above_biases"), 0);
    EXPECT_GT(FigureOf(report, "user_pointer"), 85);
    EXPECT_GT(FigureOf(report, "item_pointer"), 85);
    user_pointers += FigureOf(report, "user_pointer");
    item_pointers += FigureOf(report, "item_pointer");
  }
  EXPECT_GT(user_pointers / 3, 90);
  EXPECT_GT(item_pointers / 3, 90);
}

TEST_F(PlantedRatings, DAttnFindsTheWordsThatDecide) {
  MakeWorld(5, 400);
  seed_ = 5;
  const Report report = TrainedOn(
      "dattn",
      "embedding=16 document=50 window=1 widths=2 local_filters=150 filters=10 "
      "hidden=200 dropout=0 word_scale=1",
      12, 5e-3, "optimizer=adamw weight_decay=1 ema=0.99");
  EXPECT_LT(FigureOf(report, "mse"), FigureOf(report, "bias_mse") / 4);
  // By chance one of about 40 words of a document.
  EXPECT_GT(FigureOf(report, "user_gate"), 90);
  EXPECT_GT(FigureOf(report, "item_gate"), 90);
  EXPECT_TRUE(std::isnan(FigureOf(report, "user_pointer")));
}

Explanation ExplanationOfLine(const std::string& model,
                              const std::string& line) {
  Settings settings = RatingSettingsOf(model);
  LoadedModel loaded;
  loaded.model = settings.MakeModel({SomeReviews(), {}}, 1);
  loaded.settings = std::make_unique<Settings>(settings);
  const auto predictor = loaded.MakePredictor();
  ExplainRequest request;
  request.input.given = {line};
  request.attribution.methods = {"saliency", "occlusion"};
  Explanation e = Explain(loaded, *predictor, request);
  CheckExplanation(e);
  return e;
}

TEST(Ratings, ExplanationHasReviewsOfBothSidesAndWhatWasChosen) {
  const Explanation e = ExplanationOfLine("mpcn", "ann\tlamp");
  const ExplanationSegment& segment = e.segments.at(0);
  const Axis& user = segment.axis("user_reviews");
  EXPECT_EQ(user.kind, "reviews");
  EXPECT_EQ(user.items, (std::vector<std::string>{"desk (4)", "chair (2)"}));
  EXPECT_EQ(user.spans, (std::vector<ItemRange>{{0, 3}, {3, 5}}));
  EXPECT_EQ(segment.axis("user_words").items,
            (std::vector<std::string>{"plain", "but", "solid", "it", "hurts"}));
  EXPECT_EQ(segment.axis("item_reviews").items,
            (std::vector<std::string>{"bob (1)", "cat (4)"}));
  EXPECT_EQ(segment.maps.at(*segment.targets[0].map).key, "user_reviews");
  // Both methods on both sides.
  EXPECT_EQ(segment.attributions.size(), 4);
  const auto parts =
      PayloadOf<RatingPayload>(segment.axis("answer")).parts.value();
  const double sum = parts.mean + parts.user + parts.item + parts.reviews;
  EXPECT_NEAR(std::clamp(sum, 1.0, 5.0), std::stod(segment.answer), 0.006);
}

TEST(Ratings, ExplanationHasGatesOfWords) {
  const Explanation e = ExplanationOfLine("dattn", "ann\tlamp");
  const ExplanationSegment& segment = e.segments.at(0);
  EXPECT_EQ(segment.attributions.at(0).method, "gates");
  EXPECT_EQ(segment.attributions.at(0).axis, "user_words");
  EXPECT_EQ(segment.attributions.at(1).axis, "item_words");
  for (const float gate : segment.attributions[0].scores) {
    EXPECT_TRUE(gate > 0 && gate < 1);
  }
}

TEST(Ratings, ExplanationWithoutReviewsSaysWhereTheAnswerIsFrom) {
  for (const char* model : kModels) {
    const Explanation e = ExplanationOfLine(model, "dan\tlamp");
    EXPECT_EQ(e.segments.at(0).answer, "3.3333333");
    EXPECT_EQ(PayloadOf<RatingPayload>(e.segments[0].axis("answer")).from,
              "item_mean");
    EXPECT_TRUE(e.segments[0].maps.empty());
    ExplanationOfLine(model, "dan\tshelf");
    ExplanationOfLine(model, "cat\tlamp");
  }
}

}  // namespace
}  // namespace heed::ratings
