
#include <utility>

#include "heed/base/errors.h"
#include "heed/tasks/ratings/ratings.h"
#include "heed/tasks/text_vocabulary.h"

namespace heed::ratings {

TaskRow Task() {
  TaskRow row;
  row.name = "ratings";
  row.description = "how a user rates an item, from reviews of both";
  row.settings = [] { return std::make_unique<Settings>(); };
  row.input = {"reviews", InputKind::Line::kText, {}};
  row.input.json_lines = true;
  row.input_label = "User and item";
  row.answer_label = "Rating";
  row.prompt = "A user and an item by their names, or reviews of either";
  row.examples = {
      {R"({"user_reviews": ["The sound is all that counts for me.",)"
       R"( "Cheap, and it sounds like it."], "item_reviews": )"
       R"(["Warm sound, well worth the money.", )"
       R"("It broke after a week."]})"}};
  row.training = {"--reviews train.tsv --valid-reviews valid.tsv"};
  return row;
}

void ReviewFileConfig::Visit(FieldList& v) {
  v.Section("Data");
  v("columns", columns,
    "columns that hold user, item, rating, and optionally text, time and what "
    "a review decides (user, item, both; or user:WORD item:WORD), by their "
    "names in a header or in JSON lines; in a file without a header they are "
    "all columns; USER,ITEM,RATING "
    "alone: no texts; the usual names of public data sets are recognised");
  v("least_rating", min_rating, Range(-1e6, 1e6), "lowest possible rating");
  v("most_rating", max_rating, Range(-1e6, 1e6), "highest possible rating");
}

ReviewFormat ReviewFileConfig::Format() const {
  CheckReviewColumns(columns);
  if (!(min_rating < max_rating)) {
    throw ConfigError("most_rating: {} is not above least_rating, {}",
                      max_rating, min_rating);
  }
  return {columns, {min_rating, max_rating}};
}

void DataConfig::Visit(FieldList& v) {
  v.Section("Data");
  v("reviews", reviews, Any{"FILE"},
    "reviews for training: user, item, rating and optionally text, as JSON "
    "lines or as a table with tabs, commas, semicolons, :: or spaces between "
    "fields (.gz too)")
      .Main();
  v.Require({{"reviews"}});
  v("valid_reviews", valid_reviews, Any{"FILE"},
    "reviews for validation, which select the best weights")
      .Main();
  v("split", split,
    "reviews to hold out: none, or for each user with at least three, the last "
    "one for the test and the one before it for validation")
      .Main();
  files.Visit(v);
  v("batch_pairs", batch_pairs, Range(1, 1000000), "pairs per batch")
      .Alias("batch_size")
      .Alias("bs");
  v("shrinkage", shrinkage, Range(1e-3, 1e6),
    "strength of the penalty of the biases, in ratings: each bias is shrunk as "
    "by X ratings at the mean");
  v.Section("Vocabulary");
  v("min_count", min_count, Range(1, 1000000),
    "replace words that occur fewer than N times by the unknown word");
  v("vocabulary_size", vocabulary_size, Range(5, 10000000),
    "maximum known words, the most frequent ones")
      .Alias("vocab_size");
}

void Evaluation::Visit(FieldList& v) {
  v.Section("Data");
  v("reviews", reviews, Any{"FILE"},
    "pairs with ratings to compare with; their texts are not read")
      .Main();
  v.Require({{"reviews"}});
  v("part", part,
    "pairs to evaluate: all, or for each user with at least three reviews the "
    "one before the last (valid) or the last (test), as split last holds them "
    "out")
      .Main();
  files.Visit(v);
}

void Settings::Visit(FieldList& v) {
  data.Visit(v);
  model.VisitName(v, "architecture");
  model->Visit(v);
}

void Settings::SetDefaults(TrainingConfig& training) const {
  training.optimizer.optimizer = OptimizerKind::kAdam;
  training.optimizer.learning_rate = 1e-3;
  training.optimizer.schedule = Schedule::kConstant;
  training.optimizer.warmup = 0;
  training.run.epochs = 10;
}

void Settings::Resolve() {
  data.files.Format();
  model->Fill();
  if (data.split == ReviewsKept::kLast && !data.valid_reviews.empty()) {
    throw ConfigError(
        "split last keeps reviews for validation; leave out "
        "valid_reviews");
  }
}

Data Settings::Read() const {
  const ReviewFormat format = data.files.Format();
  Data read;
  read.train = ReadReviews(data.reviews, format);
  if (!data.valid_reviews.empty()) {
    read.valid =
        ReadReviews(data.valid_reviews,
                    {format.columns, ScaleOf(read.train, format.scale)});
  }
  if (data.split == ReviewsKept::kLast) {
    ReviewSplit split = SplitByUser(std::move(read.train));
    read.train = std::move(split.train);
    read.valid = std::move(split.valid);
  }
  return read;
}

std::unique_ptr<Model> Settings::MakeModel(const Data& read,
                                           uint64_t seed) const {
  ReviewMemory memory(read.train);
  std::vector<std::string> texts;
  for (const Review& review : memory.reviews()) {
    if (!review.text.empty()) texts.push_back(review.text);
  }
  // Models that read no reviews need ratings alone.
  if (texts.empty()) texts.emplace_back("-");
  VocabularyOptions options;
  options.kind = VocabularyKind::kWords;
  options.size = data.vocabulary_size;
  options.min_count = data.min_count;
  auto made = std::make_unique<Model>(*this, std::move(memory),
                                      Vocabulary::Train(texts, options), seed);
  if (made->reads_texts() &&
      made->CountWithoutText() == std::ssize(made->memory.reviews())) {
    throw ConfigError(
        "{}: no review has a text, which model '{}' reads; choose one that "
        "needs "
        "none (--model bias, factors or mean), or name the column of the text "
        "(--columns user,item,rating,review)",
        data.reviews.empty() ? "the reviews" : data.reviews.front(),
        model.name());
  }
  made->StartAtBiases();
  return made;
}
}  // namespace heed::ratings
