#include <fmt/format.h>

#include <numbers>

#include "heed/base/at.h"
#include "heed/io/file.h"
#include "heed/ops/loss.h"
#include "heed/ops/shape.h"
#include "heed/tasks/algorithm/algorithm.h"

namespace heed::algorithm {
namespace {

/// Random stream of validation, distinct from that of training.
constexpr uint64_t kValidationStream = 0x76616c6964;

/// Number of validation sequences of one length in a batch.
constexpr int64_t kValidationBatch = 10;

/// Bits per sequence.
class AlgorithmObjective : public ObjectiveOf<Model> {
 public:
  AlgorithmObjective(const Settings& settings, Model& model, uint64_t seed)
      : ObjectiveOf(model, settings.Measures({})), seed_(seed) {}

  std::string unit() const override { return "seq"; }
  std::string Summary() const override {
    const Config& c = model_.config;
    std::string text =
        fmt::format("{} of {} to {} vectors of {} bits", c.problem.word(),
                    c.min_length, c.max_length, c.bits);
    if (c.problem == Problem::kRepeatCopy) {
      text += fmt::format(", {} to {} times", c.min_repeats, c.max_repeats);
    }
    return text +
           fmt::format("; {} sequences for validation", c.valid_sequences);
  }
  std::string Checksum() const override {
    return fmt::format("{:08x}", Crc32(Summary()));
  }
  /// Plans new sequences in every epoch: example numbers continue across
  /// epochs.
  EpochPlan PlanEpoch(uint64_t /*seed*/, int epoch) const override;
  BatchLoss Loss(const Context& ctx, std::span<const int64_t> examples,
                 const LossOptions& options) const override;
  std::string loss_measure() const override { return "bits"; }
  bool has_valid() const override { return true; }
  Metrics Validate(const std::string& measure) const override;

 private:
  BitSequence Draw(uint64_t seed, int64_t number, int64_t batch) const {
    return DrawSequence(model_.config.Shape(), model_.config.Lengths(), seed,
                        number, number / batch);
  }

  uint64_t seed_;
};

EpochPlan AlgorithmObjective::PlanEpoch(uint64_t /*seed*/, int epoch) const {
  const int64_t batch = model_.config.batch_sequences;
  const int64_t count = (model_.config.epoch_sequences + batch - 1) / batch;
  std::vector<std::vector<int64_t>> batches(static_cast<size_t>(count));
  int64_t number = epoch * count * batch;
  for (std::vector<int64_t>& examples : batches) {
    for (int64_t i = 0; i < batch; ++i) examples.push_back(number++);
  }
  return batches;
}

BatchLoss AlgorithmObjective::Loss(const Context& ctx,
                                   std::span<const int64_t> examples,
                                   const LossOptions& options) const {
  std::vector<BitSequence> sequences;
  for (const int64_t number : examples) {
    sequences.push_back(Draw(seed_, number, model_.config.batch_sequences));
  }
  const SequenceGroup group = GroupOf(model_.config.Shape(), sequences);
  const Var logits =
      Slice(model_.Logits(ctx, group.inputs), group.begin, group.end);
  const Var loss = BinaryCrossEntropy(logits, group.targets,
                                      options.scale / std::numbers::ln2);
  return {loss, loss.value().item()};
}

Metrics AlgorithmObjective::Validate(const std::string& /*measure*/) const {
  SequenceScores scores;
  std::vector<BitSequence> sequences;
  const int64_t count = model_.config.valid_sequences;
  for (int64_t number = 0; number < count; ++number) {
    sequences.push_back(
        Draw(seed_ ^ kValidationStream, number, kValidationBatch));
    if (std::ssize(sequences) < kValidationBatch && number + 1 < count) {
      continue;
    }
    scores.Add(model_.Score({}, GroupOf(model_.config.Shape(), sequences)));
    sequences.clear();
  }
  return {{"bits", scores.Mean(scores.bits)},
          {"bit_errors", scores.Mean(scores.bit_errors)}};
}

}  // namespace

SequenceGroup GroupOf(const ProblemShape& shape,
                      const std::vector<BitSequence>& sequences) {
  SequenceGroup group;
  const int64_t batch = std::ssize(sequences);
  for (int64_t b = 0; b < batch; ++b) {
    const EncodedSequence one = Encode(shape, At(sequences, b));
    if (b == 0) {
      group.begin = one.begin;
      group.end = one.end;
      group.inputs = Tensor({one.inputs.dim(0), batch, one.inputs.dim(1)});
      group.targets = Tensor({one.end - one.begin, batch, one.targets.dim(1)});
    }
    for (int64_t t = 0; t < group.inputs.dim(0); ++t) {
      Tensor row = group.inputs[t][b];
      row.CopyFrom(one.inputs[t]);
    }
    for (int64_t t = group.begin; t < group.end; ++t) {
      Tensor row = group.targets[t - group.begin][b];
      row.CopyFrom(one.targets[t]);
    }
  }
  return group;
}

void SequenceScores::Add(const SequenceScores& other) {
  bits += other.bits;
  bit_errors += other.bit_errors;
  faultless += other.faultless;
  sequences += other.sequences;
}

std::unique_ptr<Trainable> Settings::MakeObjective(Data /*data*/,
                                                   Model& algorithm,
                                                   uint64_t seed) const {
  return std::make_unique<AlgorithmObjective>(*this, algorithm, seed);
}
}  // namespace heed::algorithm
