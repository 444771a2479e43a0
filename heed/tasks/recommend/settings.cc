#include <algorithm>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/data/batches.h"
#include "heed/models/outline_parts.h"
#include "heed/tasks/recommend/recommend.h"
#include "heed/tasks/text_vocabulary.h"

namespace heed::recommend {
TaskRow Task() {
  TaskRow row;
  row.name = "recommend";
  row.description = "the next item of a user, from the history of items";
  row.settings = [] { return std::make_unique<Settings>(); };
  row.input_label = "History";
  row.answer_label = "Next items";
  row.prompt = "Names or titles of items, the oldest first: A | B | C";
  row.training = {"--interactions ratings.csv --titles movies.csv"};
  return row;
}

void Settings::Visit(FieldList& v) {
  v.Section("Data");
  v("interactions", interactions, Any{"FILE"},
    "table of user, item and optionally time, with tabs, commas, :: or spaces "
    "between fields; the last item of each user is kept for the test, and the "
    "one before it for validation")
      .Main();
  v.Require({{"interactions"}});
  v("titles", titles, Any{"FILE"}, "table of items and their titles").Main();
  v("min_interactions", min_interactions, Range(1, 1000000),
    "leave out users and items with fewer interactions");
  v("history", history, Range(1, 100000),
    "maximum items that the model reads: the last ones");
  v("negatives", negatives, Range(0, 1000),
    "random items beside each next item in the loss (binary cross-entropy; the "
    "paper of SASRec has 1); 0: all items (softmax)");
  v("batch_histories", batch_histories, Range(1, 1000000),
    "histories per batch")
      .Alias("batch_size")
      .Alias("bs");
  model.VisitName(v, "architecture");
  model->Visit(v);
}

void Prediction::Visit(FieldList& v) {
  v.Section("Output");
  v("best", best, Range(1, 1000),
    "items for each history, most probable first, without those of the "
    "history: item, tab, probability, tab, ...");
}

void Evaluation::Visit(FieldList& v) {
  v.Section("Data");
  v("interactions", interactions, Any{"FILE"},
    "interactions, whose last item of each user is predicted; baselines are "
    "fitted to all but the last two")
      .Main();
  v.Require({{"interactions"}});
}

void Settings::SetDefaults(TrainingConfig& training) const {
  training.optimizer.learning_rate = 3e-3;
  training.optimizer.label_smoothing = 0;
  training.run.epochs = 30;
  training.run.patience = 0;
}

Histories Settings::Read() const {
  Histories read = ReadInteractions(interactions);
  if (!titles.empty()) read.titles = ReadTitles(titles);
  KeepFrequent(min_interactions, read);
  return read;
}

std::unique_ptr<Model> Settings::MakeModel(const Histories& read,
                                           uint64_t seed) const {
  ItemTable items(ItemLines(read), titles);
  if (items.size() < 2) {
    throw ConfigError(
        "interactions: no two frequent items; lower min_interactions");
  }
  return std::make_unique<Model>(*this, std::move(items), seed);
}

constexpr const char* kItemsFile = "items.tsv";

std::unique_ptr<Model> Settings::Open(const ModelFiles& files,
                                      const std::string& folder,
                                      uint64_t seed) const {
  ItemTable items(FindFile(files, folder, kItemsFile),
                  PathIn(folder, kItemsFile));
  return std::make_unique<Model>(*this, std::move(items), seed);
}

Model::Model(Config settings, ItemTable table, uint64_t seed)
    : config(std::move(settings)),
      items(std::move(table)),
      parameters_(seed, DType::kF32, config.model->precision()),
      network(Scope(parameters_, ""), *config.model, items.size()) {}

ModelFiles Model::Files() const { return {{kItemsFile, items.text()}}; }

ModelOutline Model::Outline() const {
  return {.sequences = {
              {.name = "history",
               .axis = "source",
               .blocks = WithBlock(network.encoder->Outline(),
                                   OutputOutline("items", items.size()))}}};
}

std::vector<InputExample> Model::Examples() const {
  if (items.size() < 2) return {};
  return {{items.shown(0) + " | " + items.shown(1)}};
}

std::span<const int32_t> Model::Read(const History& history) const {
  const auto max = static_cast<size_t>(config.history);
  return std::span(history).last(std::min(history.size(), max));
}

Var Model::Scores(const Context& ctx,
                  std::span<const History> histories) const {
  const auto row = [&](int64_t b) { return Read(At(histories, b)); };
  const auto [ids, lengths] = MakeIdRows(std::ssize(histories), row, 0);
  const Var states = (*network.encoder)(ctx, {ids, lengths});
  return network.output.Scores(ctx, network.last(ctx, states, lengths));
}

}  // namespace heed::recommend
