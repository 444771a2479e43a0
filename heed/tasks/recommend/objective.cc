#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/data/batches.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/loss.h"
#include "heed/ops/matmul.h"
#include "heed/ops/row_sums.h"
#include "heed/tasks/recommend/recommend.h"
#include "heed/tasks/text_vocabulary.h"

namespace heed::recommend {
namespace {

/// Loss of the next item after each item of a history.
class RecommendObjective : public ObjectiveOf<Model> {
 public:
  RecommendObjective(std::vector<MeasureInfo> measures,
                     std::span<const History> histories, Model& model)
      : ObjectiveOf(model, std::move(measures)),
        checksum_(ComputeChecksum(std::vector<std::string>{
            model.items.text(), fmt::format("{}", histories)})),
        valid_(WithoutLast(histories)) {
    // Histories are split into parts of the length that the model reads.
    const int64_t size = model.config.history;
    for (const History& all : WithoutLast(valid_)) {
      for (int64_t end = std::ssize(all); end > 1; end -= size) {
        const int64_t begin = std::max<int64_t>(end - size - 1, 0);
        read_.emplace_back(all.begin() + begin, all.begin() + end - 1);
        next_.emplace_back(all.begin() + begin + 1, all.begin() + end);
      }
    }
    if (next_.empty()) {
      throw ConfigError("interactions: no user has four items");
    }
  }

  std::string unit() const override { return "item"; }
  std::string Summary() const override {
    return fmt::format("{} parts of histories, {} for validation; {} items",
                       next_.size(), valid_.size(), model_.items.size());
  }
  std::string Checksum() const override { return checksum_; }
  EpochPlan PlanEpoch(uint64_t seed, int epoch) const override {
    const auto length = [this](int64_t i) {
      const auto n = static_cast<int32_t>(At(next_, i).size());
      return PairLength{n, n};
    };
    const Config& config = model_.config;
    return PlanPairs({.length = length, .ends = {std::ssize(next_)}},
                     {.tokens = config.batch_histories * config.history,
                      .sentences = config.batch_histories},
                     seed, epoch);
  }
  int64_t Units(std::span<const int64_t> examples) const override {
    int64_t steps = 0;
    for (const int64_t i : examples) steps += std::ssize(At(next_, i));
    return steps;
  }
  BatchLoss Loss(const Context& ctx, std::span<const int64_t> examples,
                 const LossOptions& options) const override {
    const IdRows read = MakeIdRows(read_, examples, 0);
    const Tensor next = MakeIdRows(next_, examples, kIgnored).ids;
    const Recommender& network = model_.network;
    const Var states = (*network.encoder)(ctx, {read.ids, read.lengths});
    if (const int negatives = model_.config.negatives; negatives > 0) {
      const Var loss = SampledLoss(ctx, states, ctx.Use(network.items.weight()),
                                   next, negatives, options.scale);
      return {loss, double{loss.value().item()}};
    }
    CrossEntropyLoss loss = network.output.Loss(
        ctx, states, next, {kIgnored, options.smoothing, options.scale});
    return {std::move(loss.loss), loss.nll * options.scale};
  }
  bool has_valid() const override { return true; }
  Metrics Validate(const std::string& /*measure*/) const override {
    return ScoreLastItems(valid_, [this](std::span<const History> histories) {
      return model_.Scores({}, histories).value();
    });
  }

 private:
  std::string checksum_;
  std::vector<History> valid_;
  std::vector<History> read_, next_;  // the item after each item that is read
};

}  // namespace

Var SampledLoss(const Context& ctx, const Var& states, const Var& table,
                const Tensor& next, int negatives, double scale) {
  Rng rng(ctx.NextKey());
  const auto others = static_cast<uint64_t>(table.value().rows() - 1);
  std::vector<int32_t> places, items;
  std::vector<float> labels;
  for (int32_t i = 0; i < next.numel(); ++i) {
    const int32_t id = next.data<int32_t>()[i];
    for (int n = 0; id != kIgnored && n <= negatives; ++n) {
      const auto other = static_cast<int32_t>(rng.Below(others));
      places.push_back(i);
      items.push_back(n == 0 ? id : other + (other < id ? 0 : 1));
      labels.push_back(n == 0 ? 1 : 0);
    }
  }
  const int64_t R = std::ssize(items);
  const Var logits = RowSums(Mul(StatesAt(states, Tensor::Of(places, {R})),
                                 Embed(table, Tensor::Of(items, {R}))));
  const Tensor targets = Tensor::Of(labels, {R, 1});
  return BinaryCrossEntropy(logits, targets.To(logits.value().dtype()), scale);
}

std::unique_ptr<Trainable> Settings::MakeObjective(Histories read, Model& made,
                                                   uint64_t /*seed*/) const {
  return std::make_unique<RecommendObjective>(Measures(read),
                                              made.items.Encode(read, 3), made);
}

}  // namespace heed::recommend
