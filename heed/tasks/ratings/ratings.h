// Rating prediction: ratings of items by users, from reviews.
#ifndef HEED_TASKS_RATINGS_RATINGS_H_
#define HEED_TASKS_RATINGS_RATINGS_H_

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heed/data/review_files.h"
#include "heed/data/reviews.h"
#include "heed/models/ratings/rating_predictor.h"
#include "heed/models/registry.h"
#include "heed/tasks/task.h"
#include "heed/text/vocabulary.h"

namespace heed::ratings {

/// Hold-out of reviews for validation and test: none, or the last ones.
enum class ReviewsKept : uint8_t { kNone, kLast };
constexpr auto WordsOf(ReviewsKept) { return std::array{"none", "last"}; }
/// Part of the reviews that an evaluation reads.
enum class ReviewPart : uint8_t { kAll, kValid, kTest };
constexpr auto WordsOf(ReviewPart) {
  return std::array{"all", "valid", "test"};
}

/// Options for reading files of reviews.
struct ReviewFileConfig {
  std::vector<std::string> columns = ReviewFormat().columns;
  double min_rating = RatingScale().min;
  double max_rating = RatingScale().max;

  void Visit(FieldList& v);
  /// Returns the format. Throws: ConfigError for an empty rating scale.
  ReviewFormat Format() const;
};

/// Files of reviews, their vocabulary and batches.
struct DataConfig {
  std::vector<std::string> reviews;
  std::vector<std::string> valid_reviews;
  Named<ReviewsKept> split = ReviewsKept::kNone;
  ReviewFileConfig files;
  int min_count = 2;
  int vocabulary_size = 20000;
  double shrinkage = 10;
  int batch_pairs = 48;

  void Visit(FieldList& v);
};

/// Settings of the task: options of `heed train`, keys of config.json.
struct Config {
  ModelChoice<RatingSettings> model;
  DataConfig data;
};

struct Data {
  std::vector<Review> train;
  std::vector<Review> valid;
};

/// The reviews of one side of a pair, oldest first.
struct RatingDocument {
  std::vector<std::vector<int32_t>> reviews;  ///< words of each
  std::vector<std::string> words;             ///< all words as text; optional
  /// Index of each review in the model's memory; −1: given in the request.
  std::vector<int32_t> places;
};

/// A user and an item whose rating is predicted.
struct RatingPair {
  int32_t user = -1;  ///< ids; −1: unknown
  int32_t item = -1;
  std::string user_name = {};
  std::string item_name = {};
  RatingDocument of_user = {};
  RatingDocument of_item = {};
  bool gives_user = false;  ///< the request gives reviews of the user
  bool gives_item = false;
};

/// Source of a predicted rating.
enum class RatingSource : uint8_t { kModel, kItemMean, kUserMean, kMean };
constexpr auto WordsOf(RatingSource) {
  return std::array{"model", "item_mean", "user_mean", "mean"};
}

/// The known reviews, their vocabulary, and a network that reads them.
class Model : public TaskModel {
 public:
  Model(Config settings, ReviewMemory known, Vocabulary words, uint64_t seed);

  using TaskModel::parameters;
  ParameterSet& parameters() override { return parameters_; }
  const Vocabulary* read_vocabulary() const override { return &vocabulary; }
  ModelFiles Files() const override;
  ModelOutline Outline() const override { return network->Outline(); }
  std::vector<std::pair<std::string, int64_t>> Sizes() const override {
    return {{"users", memory.users().size()},
            {"items", memory.items().size()},
            {"reviews", std::ssize(memory.reviews())},
            {"words", vocabulary.size()}};
  }
  /// True if the network reads texts of reviews.
  bool reads_texts() const { return network->limits().reviews > 0; }
  /// Number of known reviews without words.
  int64_t CountWithoutText() const;
  /// Initialises mean and biases to their optimum for the ratings alone.
  void StartAtBiases();

  /// Makes a pair of ids. Reviews of the item by the user are excluded from
  /// both documents, so that the rating does not leak.
  RatingPair PairOf(int32_t user, int32_t item) const;
  /// Makes a pair of names.
  RatingPair PairOf(const std::string& user, const std::string& item) const;
  /// Makes a pair of a question, with the reviews that the question gives and
  /// all words as text.
  RatingPair PairOf(const RatingQuestion& question) const;
  RatingBatch BatchOf(std::span<const RatingPair> pairs) const;

  /// Source of the rating of a pair. The network needs features for both sides:
  /// an unknown user or item has none, and no reviews unless the request gives
  /// some.
  RatingSource SourceOf(const RatingPair& pair) const;
  /// Predicts ratings, clipped to the scale. A new user gets the mean rating of
  /// the item, a new item the mean rating of the user, and both together the
  /// global mean. Throws: Cancelled.
  std::vector<double> Ratings(const Context& ctx,
                              std::span<const RatingPair> pairs) const;
  double Clipped(double rating) const;

  const Config config;
  const ReviewMemory memory;
  const RatingScale scale;
  const Vocabulary vocabulary;

 private:
  RatingDocument DocumentOf(const std::vector<int32_t>& own, int32_t user,
                            int32_t item) const;
  RatingDocument DocumentOf(const std::vector<std::string>& given) const;
  void AddWords(RatingDocument& document,
                const std::vector<std::string>& given) const;
  double MeanFor(const RatingPair& pair, RatingSource source) const;

  std::vector<std::vector<int32_t>> encoded_;  // words of each known review
  ParameterSet parameters_;

 public:
  const std::unique_ptr<RatingPredictor> network;
};

/// Squared error of each rating.
std::vector<double> SquaredErrors(std::span<const double> found,
                                  std::span<const Review> reviews);

/// Options of an evaluation: reviews with ratings, and their format.
struct Evaluation {
  std::vector<std::string> reviews;
  Named<ReviewPart> part = ReviewPart::kAll;
  ReviewFileConfig files;

  void Visit(FieldList& v);
};

class Settings : public TaskSettingsOf<Data, Model, NoOptions, Evaluation>,
                 public Config {
 public:
  std::string task() const override { return "ratings"; }
  void ChooseModel(const std::string& name) override { model.Choose(name); }
  void Visit(FieldList& v) override;
  void SetDefaults(TrainingConfig& training) const override;
  void VisitTraining(FieldList& v, TrainingConfig& training) const override {
    VisitWithoutSmoothing(v, training);
  }
  void Resolve() override;
  bool in_files() const override { return !data.reviews.empty(); }

  Data Read() const override;
  std::unique_ptr<Model> MakeModel(const Data& read,
                                   uint64_t seed) const override;
  std::unique_ptr<Model> Open(const ModelFiles& files,
                              const std::string& folder,
                              uint64_t seed) const override;
  std::vector<MeasureInfo> Measures(const Data& /*data*/) const override {
    return {{"mse", false}, {"mae", false}};
  }
  std::unique_ptr<Trainable> MakeObjective(Data read, Model& made,
                                           uint64_t seed) const override;
  Evaluation evaluation() const override {
    return {{}, ReviewPart::kAll, data.files};
  }
  InputReading Reading(const NoOptions&) const override {
    InputReading reading;
    reading.defaults.long_lines = LongLines::kStructured;
    return reading;
  }
  std::unique_ptr<Predictor> MakePredictor(const Model& made,
                                           NoOptions options) const override;
  Report Evaluate(const Model& made, const Evaluation& options) const override;
};

TaskRow Task();

}  // namespace heed::ratings

#endif  // HEED_TASKS_RATINGS_RATINGS_H_
