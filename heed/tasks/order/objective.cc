#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/rng.h"
#include "heed/data/shuffle.h"
#include "heed/io/file.h"
#include "heed/tasks/order/order.h"
#include "heed/train/progress.h"

namespace heed::order {
namespace {

/// Batch size of tuples without gradients.
constexpr int64_t kTuplesAtOnce = 64;

int32_t OrderLabel(const FrameTuple& tuple) { return tuple.in_order ? 0 : 1; }

std::string ComputeClipsChecksum(const Data& data) {
  std::string sums;
  for (const Clips* clips : {&data.train, &data.valid}) {
    sums += fmt::format("{:08x} {} ", PixelChecksum(*clips), clips->size());
  }
  return fmt::format("{:08x}", Crc32(sums));
}

/// Cross entropy of the order of tuples.
class OrderObjective : public ObjectiveOf<Model> {
 public:
  OrderObjective(const Settings& settings, Data data, Model& model,
                 uint64_t seed)
      : ObjectiveOf(model, settings.Measures(data)),
        seed_(seed),
        data_(std::move(data)),
        valid_tuples_(
            BalancedTuples(data_.valid, settings.data.spacing, seed + 1)) {}

  std::string unit() const override { return "tuple"; }
  std::string Summary() const override {
    return fmt::format("{} of {} frames of {} × {} pixels, {} for validation",
                       Counted(data_.train.size(), "clip"),
                       data_.train.frames(), model_.frame.width,
                       model_.frame.height, data_.valid.size());
  }
  std::string Checksum() const override { return ComputeClipsChecksum(data_); }
  /// Clip i of epoch k is example k·N + i, since each epoch draws new tuples.
  EpochPlan PlanEpoch(uint64_t seed, int epoch) const override {
    return NumberedBatches(data_.train.size(), model_.config.data.batch_tuples,
                           seed, epoch);
  }
  BatchLoss Loss(const Context& ctx, std::span<const int64_t> examples,
                 const LossOptions& options) const override;
  std::string loss_measure() const override { return "nll"; }
  bool has_valid() const override { return data_.valid.size() > 0; }
  Metrics Validate(const std::string& /*measure*/) const override {
    const images::ImageAnswers answers =
        AnswersOf(model_, data_.valid, valid_tuples_);
    return {{"accuracy", answers.accuracy()}, {"nll", answers.nll}};
  }

 private:
  uint64_t seed_;
  Data data_;
  std::vector<FrameTuple> valid_tuples_;
};

BatchLoss OrderObjective::Loss(const Context& ctx,
                               std::span<const int64_t> examples,
                               const LossOptions& options) const {
  std::vector<FrameTuple> tuples;
  Tensor labels({std::ssize(examples)}, DType::kI32);
  for (const int64_t example : examples) {
    Rng rng(Rng(seed_, static_cast<uint64_t>(example)).Next());
    const bool in_order = rng.Below(2) == 0;
    FrameTuple tuple = DrawTuple(data_.train, example % data_.train.size(),
                                 model_.config.data.spacing, in_order, rng);
    tuple.mirrored = rng.Below(2) == 1;
    labels.data<int32_t>()[tuples.size()] = OrderLabel(tuple);
    tuples.push_back(tuple);
  }
  ImageLoss loss =
      model_.network->Loss(ctx, StripBatch(data_.train, tuples), labels,
                           {options.scale, options.smoothing});
  return {std::move(loss.loss), loss.nll * options.scale};
}

}  // namespace

std::vector<FrameTuple> BalancedTuples(const Clips& clips, int64_t spacing,
                                       uint64_t seed) {
  std::vector<FrameTuple> tuples;
  for (int64_t clip = 0; clip < clips.size(); ++clip) {
    Rng rng(Rng(seed, static_cast<uint64_t>(clip)).Next());
    for (const bool in_order : {true, false}) {
      tuples.push_back(DrawTuple(clips, clip, spacing, in_order, rng));
    }
  }
  return tuples;
}

images::ImageAnswers AnswersOf(const Model& model, const Clips& clips,
                               const std::vector<FrameTuple>& tuples) {
  std::vector<int32_t> labels;
  for (const FrameTuple& tuple : tuples) labels.push_back(OrderLabel(tuple));
  return images::AnswersInBatches(
      labels, kTuplesAtOnce, [&](int64_t begin, int64_t end) {
        const auto some = std::span(tuples).subspan(
            static_cast<size_t>(begin), static_cast<size_t>(end - begin));
        return model.LogProbabilities({}, StripBatch(clips, some));
      });
}

std::unique_ptr<Trainable> Settings::MakeObjective(Data read, Model& made,
                                                   uint64_t seed) const {
  if (read.train.format != made.frame) {
    throw FormatError(
        "frames of {} × {} × {} are not of the model's size, {} × {} × {}",
        read.train.format.width, read.train.format.height,
        read.train.format.channels, made.frame.width, made.frame.height,
        made.frame.channels);
  }
  return std::make_unique<OrderObjective>(*this, std::move(read), made, seed);
}

}  // namespace heed::order
