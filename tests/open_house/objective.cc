#include <fmt/format.h>

#include <utility>

#include "heed/data/shuffle.h"
#include "heed/io/file.h"
#include "tests/open_house/task.h"

namespace heed::strips {
namespace {

const std::vector<MeasureInfo> kMeasures = {{"accuracy", true}};

/// Cross entropy of the colours of strips.
class StripObjective : public ObjectiveOf<StripModel> {
 public:
  StripObjective(StripData data, StripModel& model)
      : ObjectiveOf(model, kMeasures), data_(std::move(data)) {}

  std::string unit() const override { return "strip"; }
  std::string Summary() const override {
    return fmt::format("{} strips, {} for validation", data_.train.size(),
                       data_.valid.size());
  }
  std::string CheckSum() const override {
    std::string bytes;
    for (const LabelledStrips* part : {&data_.train, &data_.valid}) {
      for (int64_t i = 0; i < part->size(); ++i) {
        const auto at = static_cast<size_t>(i);
        for (const int32_t cell : part->strips[at]) bytes += kColours[cell][0];
        bytes += fmt::format(" {}\n", part->colours[at]);
      }
    }
    return fmt::format("{:08x}", Crc32(bytes));
  }
  EpochPlan PlanEpoch(uint64_t seed, int epoch) const override {
    return ShuffledBatches(data_.train.size(), model_.config.batch_strips, seed,
                           epoch);
  }
  BatchLoss Loss(const Context& ctx, std::span<const int64_t> examples,
                 const LossOptions& options) const override {
    TextLabels colours;
    for (const int64_t i : examples) {
      colours.push_back({data_.train.colours[static_cast<size_t>(i)]});
    }
    ClassifierLoss loss =
        model_.network.Loss(ctx, BatchOf(data_.train.strips, examples), colours,
                            {options.scale, options.smoothing});
    return {std::move(loss.loss), loss.nll * options.scale};
  }
  std::string loss_measure() const override { return "accuracy"; }
  bool has_valid() const override { return data_.valid.size() > 0; }
  Metrics Validate(const std::string& /*measure*/) const override {
    return {{"accuracy", AccuracyOf(model_, data_.valid)}};
  }

 private:
  StripData data_;
};

}  // namespace

std::unique_ptr<Trainable> StripSettings::Objective(StripData data,
                                                    StripModel& model,
                                                    uint64_t /*seed*/) const {
  return std::make_unique<StripObjective>(std::move(data), model);
}

std::vector<MeasureInfo> StripSettings::MeasuresOf(
    const StripData& /*data*/) const {
  return kMeasures;
}

}  // namespace heed::strips
