// heed demo ratings: which reviews decide how a user rates an item, on made-up
// reviews of which that is known.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "apps/heed/program.h"
#include "demos/demos.h"
#include "demos/explained_file.h"
#include "demos/training_in.h"
#include "heed/base/errors.h"
#include "heed/base/threads.h"
#include "heed/data/planted_reviews.h"
#include "heed/io/file.h"
#include "heed/models/preset.h"
#include "heed/tasks/ratings/ratings.h"
#include "heed/tasks/run.h"

namespace heed {
namespace {

constexpr int kHeldOutRatings = 2000;

struct RatingDemo {
  std::string out = "heed-ratings";
  int users = 500;
  int epochs = 60;
  bool write_only = false;
  uint64_t seed = 1;
  int threads = 0;

  void Visit(FieldList& v) {
    v("out", out, Any{"DIR"}, "folder for reviews, models and pictures");
    v("users", users, Range(100, 1000000),
      "users, and as many items, with ten reviews each; 2000 other pairs are "
      "for validation and 2000 for the test");
    v("epochs", epochs, Range(1, 1000),
      "passes over the reviews of models with pointers; the others learn "
      "sooner and have a quarter of them");
    v("write_only", write_only,
      "write the reviews, as heed train --task ratings reads them, and train "
      "nothing");
    v("seed", seed, "of the reviews and the weights");
    v("threads", threads, Range(0, 1024), "threads; 0: one per core");
  }
  std::string Path(const std::string& file) const { return out + "/" + file; }
};

/// A model that is compared.
struct RatingEntry {
  std::string name;  // and its folder
  std::string model;
  std::string preset;
};

/// Few features and no dropout: what is planted needs no more. Pointers that
/// are trained as published stay where some of the words are not found.
constexpr const char* kSmallRatings[] = {
    "embedding=16",     "pointers=1",    "combine=sum",
    "soft_batches=0.5", "temperature=5", "gate=relu",
    "document=50",      "dropout=0",     "local_filters=150"};

/// Every model of the task, and those that point also without their pointers.
std::vector<RatingEntry> RatingEntries() {
  std::vector<RatingEntry> entries;
  for (const std::string& model : ModelNames<RatingSettings>()) {
    entries.push_back({model, model, ""});
    ratings::Settings task;
    task.ChooseModel(model);
    if (FindField(FieldsOf(*task.model), "pointing") != nullptr) {
      entries.push_back({model + "-mean", model, "pointing=mean"});
    }
  }
  return entries;
}

struct RatingResult {
  std::string name;
  LoadedModel loaded;
  Report report;

  double Figure(const std::string& key) const {
    for (const heed::Figure& figure : report.figures) {
      if (figure.key == key) return figure.value;
    }
    return NAN;
  }
};

void WriteReviews(const RatingDemo& demo) {
  PlantedReviewOptions how;
  how.users = demo.users;
  const PlantedReviews world(how, demo.seed);
  const auto write = [&](const std::string& file,
                         const std::vector<Review>& reviews) {
    std::string lines = "user\titem\trating\treview\ttime\tdecides\n";
    for (const Review& review : reviews) lines += ReviewLine(review) + '\n';
    WriteFileAtomically(demo.Path(file), lines);
  };
  std::filesystem::create_directories(demo.out);
  write("train.tsv", world.reviews());
  write("valid.tsv", world.OtherPairs(kHeldOutRatings, 1));
  write("test.tsv", world.OtherPairs(kHeldOutRatings, 2));
}

RatingResult TrainRatings(const RatingDemo& demo, const RatingEntry& entry) {
  ratings::Settings task;
  task.ChooseModel(entry.model);
  for (const char* one : kSmallRatings) {
    SetPresetIfKnown(FieldsOf(*task.model), one);
  }
  SetPreset(FieldsOf(*task.model), entry.preset);
  task.data.reviews = {demo.Path("train.tsv")};
  task.data.valid_reviews = {demo.Path("valid.tsv")};
  task.data.files.columns = {"user",   "item", "rating",
                             "review", "time", "decides"};
  task.data.batch_pairs = 128;
  const bool points = FindField(FieldsOf(*task.model), "pointing") != nullptr;
  TrainingConfig training =
      TrainingIn(demo.Path(entry.name), task,
                 points ? demo.epochs : (demo.epochs + 3) / 4, demo.seed);
  training.run.patience = 0;
  // As the tests of the task have it; pointers learn too late at less.
  training.optimizer.learning_rate = points ? 1e-2 : 5e-3;
  fmt::print(stderr, "{}\n", entry.name);
  Train(task, training);
  RatingResult result = {entry.name, ReadModel(training.run.out), {}};
  ratings::Evaluation evaluation;
  evaluation.reviews = {demo.Path("test.tsv")};
  evaluation.files = task.data.files;
  result.report = result.loaded.settings->Evaluate(
      *result.loaded.model, OptionsOf<ratings::Evaluation>(evaluation));
  return result;
}

std::string RatingNumber(double value, int decimals, const char* unit = "") {
  return std::isfinite(value) ? fmt::format("{:.{}f}{}", value, decimals, unit)
                              : "-";
}

void ShowRatingResults(const std::vector<RatingResult>& results) {
  fmt::print("\n{:<12} {:>7} {:>12} {:>14} {:>14}\n", "test", "MSE",
             "of biases'", "user pointer", "item pointer");
  for (const RatingResult& result : results) {
    const double share = result.Figure("mse") / result.Figure("bias_mse");
    fmt::print("{:<12} {:>7} {:>12} {:>14} {:>14}\n", result.name,
               RatingNumber(result.Figure("mse"), 4),
               RatingNumber(100 * share, 1, " %"),
               RatingNumber(result.Figure("user_pointer"), 1, " %"),
               RatingNumber(result.Figure("item_pointer"), 1, " %"));
  }
  fmt::print(
      "\nA pointer is right where it is at the review that decides; the "
      "ratings have noise\nof variance {:.4f}, which no model can predict.\n",
      PlantedReviewOptions().noise * PlantedReviewOptions().noise);
}

/// The first pair of the test.
std::string FirstPair(const RatingDemo& demo) {
  ReviewFormat format;
  const Review review = ReadReviews({demo.Path("test.tsv")}, format).front();
  return review.user + "\t" + review.item;
}

void ShowPair(const RatingDemo& demo, const RatingResult& result) {
  fmt::print("\nWhat one rating of the test was made from, by {}\n",
             result.name);
  const std::string shown = ShowExplainedWithPage(
      result.loaded, Input{FirstPair(demo)}, demo.out, result.name);
  fmt::print("\nThe picture:     {}\n", shown);
}

}  // namespace

int RunDemoRatings(const Arguments& arguments) {
  RatingDemo demo;
  Options options(
      "demo ratings",
      "Makes up reviews of which it is known which one of a user, and which "
      "one of an item, decides the rating of a pair; trains every model of "
      "the task on them, and MPCN without its pointers; compares their errors, "
      "and where the pointers are with the reviews that decide, as Seo et al. "
      "2017 (D-Attn) and Tay et al. 2018 (MPCN).");
  demo.Visit(options.fields());
  options.Example("heed demo ratings");
  options.Example("heed demo ratings --write-only --out reviews");
  if (!options.Parse(arguments)) return 0;

  const ThreadLimit limit(demo.threads);
  WriteReviews(demo);
  if (demo.write_only) {
    fmt::print(
        "{0}/train.tsv: {1} reviews; {0}/valid.tsv and {0}/test.tsv: {2} "
        "other pairs each\n",
        demo.out, demo.users * PlantedReviewOptions().reviews, kHeldOutRatings);
    return 0;
  }
  fmt::print("Learning from {} reviews of {} items by as many users\n",
             demo.users * PlantedReviewOptions().reviews, demo.users);
  std::fflush(stdout);
  std::vector<RatingResult> results;
  for (const RatingEntry& entry : RatingEntries()) {
    results.push_back(TrainRatings(demo, entry));
  }
  ShowRatingResults(results);
  for (const RatingResult& result : results) {
    const auto& model =
        dynamic_cast<const ratings::Model&>(*result.loaded.model);
    const bool shows = model.network->limits().reviews > 0;
    if (shows && result.name == model.config.model.name()) {
      ShowPair(demo, result);
    }
  }
  fmt::print(
      "The reviews:     {0}/train.tsv, {0}/valid.tsv, {0}/test.tsv\n"
      "Try your own:    printf 'u0001\\ti0002\\n' | {1} predict {2}\n",
      demo.out, ProgramName(), demo.Path(results.front().name));
  return 0;
}

}  // namespace heed
