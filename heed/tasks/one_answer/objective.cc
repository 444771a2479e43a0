#include <fmt/format.h>

#include <utility>

#include "heed/base/at.h"
#include "heed/base/text.h"
#include "heed/data/batches.h"
#include "heed/io/file.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/row_sums.h"
#include "heed/tasks/one_answer/model.h"
#include "heed/train/progress.h"

namespace heed::one_answer {
namespace {

std::string ComputeExamplesChecksum(const Data& data) {
  std::string bytes;
  for (const ExampleSet* part : {&data.train, &data.valid}) {
    for (const auto* ids : {&part->corpus.source, &part->corpus.target}) {
      for (const std::vector<int32_t>& row : *ids) {
        bytes += fmt::format("{}\n", fmt::join(row, " "));
      }
    }
    bytes += fmt::format("{}\n", fmt::join(part->numbers, " "));
  }
  return fmt::format("{:08x}", Crc32(bytes));
}

/// Cross entropy of labels, or squared error of normalised numbers.
class OneAnswerObjective : public ObjectiveOf<Model> {
 public:
  OneAnswerObjective(std::vector<MeasureInfo> measures, Data data, Model& model)
      : ObjectiveOf(model, std::move(measures)),
        checksum_(ComputeExamplesChecksum(data)),
        data_(std::move(data)) {}

  std::string unit() const override { return "input"; }
  std::string Summary() const override {
    return fmt::format("{}, {} for validation",
                       Counted(data_.train.size(), "input"),
                       data_.valid.size());
  }
  std::string Checksum() const override { return checksum_; }
  EpochPlan PlanEpoch(uint64_t seed, int epoch) const override {
    return PlanBatches(
        data_.train.corpus,
        {model_.config.batch_symbols, model_.config.batch_inputs}, seed, epoch);
  }
  BatchLoss Loss(const Context& ctx, std::span<const int64_t> examples,
                 const LossOptions& options) const override;
  std::string loss_measure() const override {
    return model_.of_labels() ? "loss" : "rmse";
  }
  bool has_valid() const override { return data_.valid.size() > 0; }
  Metrics Validate(const std::string& /*measure*/) const override {
    Metrics metrics;
    AppendFigures(
        model_.Score(model_.Answers({}, data_.valid.corpus), data_.valid),
        metrics);
    return metrics;
  }

 private:
  std::string checksum_;
  Data data_;
};

BatchLoss OneAnswerObjective::Loss(const Context& ctx,
                                   std::span<const int64_t> examples,
                                   const LossOptions& options) const {
  const ExampleSet& train = data_.train;
  Var scores =
      model_.network.Scores(ctx, BatchOf(train.corpus.source, examples));
  if (model_.of_labels()) {
    TextLabels labels;
    for (const int64_t i : examples) {
      labels.push_back(At(train.corpus.target, i));
    }
    ClassifierLoss loss = model_.network.LossOf(
        std::move(scores), labels, {options.scale, options.smoothing});
    return {std::move(loss.loss), loss.nll * options.scale};
  }
  Tensor numbers({std::ssize(examples), 1});
  for (int64_t b = 0; b < std::ssize(examples); ++b) {
    const double number = At(train.numbers, examples[b]);
    numbers.row<float>(b)[0] = static_cast<float>((number - model_.scale.mean) /
                                                  model_.scale.deviation);
  }
  const Var error = Sub(scores, Var(numbers));
  Var loss = Scale(Sum(Mul(error, error)), options.scale);
  const double value = loss.value().item();
  return {std::move(loss), value};
}

}  // namespace

std::unique_ptr<Trainable> Settings::MakeObjective(Data data, Model& model,
                                                   uint64_t /*seed*/) const {
  std::vector<MeasureInfo> measures = Measures(data);
  return std::make_unique<OneAnswerObjective>(std::move(measures),
                                              std::move(data), model);
}

std::vector<MeasureInfo> Settings::Measures(const Data& /*data*/) const {
  if (task_->labels.empty()) return {{"rmse", false}, {"mae", false}};
  return {{"accuracy", true}, {"macro_f1", true}, {"loss", false}};
}

}  // namespace heed::one_answer
