// heed demo ratings: which reviews decide a user's rating of an item, on
// synthetic reviews with a known answer.
#include <fmt/format.h>

#include "course/data/generators.h"
#include "course/data/planted_reviews.h"
#include "course/demos.h"
#include "course/task_demo.h"
#include "heed/base/text.h"
#include "heed/models/registry.h"
#include "heed/tasks/ratings/ratings.h"

namespace heed {
namespace {

/// Returns every model of the task, and models with pointers also without them.
/// Models without pointers converge in a quarter of the epochs; pointers need
/// the higher learning rate. Gates need the weight decay
/// (docs/how-to/ratings.md).
std::vector<DemoEntry> RatingEntries(int epochs) {
  std::vector<DemoEntry> entries;
  for (const std::string& model : ModelNames<RatingSettings>()) {
    ModelChoice<RatingSettings> choice;
    choice.Choose(model);
    const auto has = [&choice](const char* option) {
      return FindField(FieldsOf(*choice), option) != nullptr;
    };
    const bool points = has("pointing");
    std::string settings =
        fmt::format("model={} epochs={} learning_rate={}", model,
                    points ? epochs : (epochs + 3) / 4, points ? 0.01 : 0.005);
    if (has("gates")) {
      settings +=
          " window=1 local_filters=150 filters=10 word_scale=1 "
          "optimizer=adamw weight_decay=1 ema=0.99";
    }
    entries.push_back({model, settings});
    if (points)
      entries.push_back({model + "-mean", settings + " pointing=mean"});
  }
  return entries;
}

/// Returns user and item of the first test pair.
std::vector<std::string_view> FirstPair(const std::string& line) {
  std::vector<std::string_view> fields = SplitAt(line, "\t");
  fields.resize(2);
  return fields;
}

}  // namespace

int RunDemoRatings(const Arguments& arguments) {
  const double noise = PlantedReviewOptions().noise;
  TaskDemo demo = {
      .name = "ratings",
      .purpose =
          "Makes up reviews of which it is known which one of a user, and "
          "which one of an item, decides the rating of a pair; trains every "
          "model of the task on them, and MPCN without its pointers; compares "
          "their errors, and how often pointers find the reviews and gates the "
          "words that decide (MPCN: Tay et al. 2018; D-Attn: Seo et al. 2017).",
      .examples = {"", " --users 200 --epochs 30"},
      .data = ReviewData(),
      .epochs = 60,
      // Few features and no dropout suffice for planted data.
      .settings =
          "embedding=16 pointers=1 combine=sum soft_batches=0.5 document=50 "
          "dropout=0 batch_pairs=128 patience=0",
      .columns = {{"MSE", "mse", 4, ""},
                  {"of biases'", "mse", 1, " %", "bias_mse"},
                  {"user review", "user_pointer"},
                  {"item review", "item_pointer"},
                  {"user word", "user_gate"},
                  {"item word", "item_gate"}},
      .remark = fmt::format(
          "Review: how often the pointer is at the review that decides. Word: "
          "how often the\nlargest gate is at the word that decides. The "
          "ratings have noise of variance {:.4f},\nwhich no model can "
          "predict.\n",
          noise * noise)};
  demo.entries = [&] { return RatingEntries(demo.epochs); };
  demo.inputs = [&](const TaskDemo::Results& results) {
    const std::string line = LineOf(demo.Path("test.tsv"), 1);
    std::vector<DemoInput> inputs;
    for (size_t i = 0; i < results.size(); ++i) {
      const auto& model =
          dynamic_cast<const ratings::Model&>(*results[i].loaded.model);
      const std::string& name = results[i].entry.name;
      if (model.network->limits().reviews == 0 ||
          name != model.config.model.name()) {
        continue;
      }
      inputs.push_back(
          {name, Input{fmt::format("{}", fmt::join(FirstPair(line), "\t"))},
           "What one rating of the test was made from, by " + name, i});
    }
    return inputs;
  };
  demo.typed = [&](const auto&) {
    return fmt::format(
        "printf '{}\\n'",
        fmt::join(FirstPair(LineOf(demo.Path("test.tsv"), 1)), "\\t"));
  };
  return RunTaskDemo(demo, arguments);
}

}  // namespace heed
