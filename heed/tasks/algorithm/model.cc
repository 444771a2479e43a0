#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "heed/ops/shape.h"
#include "heed/tasks/algorithm/algorithm.h"

namespace heed::algorithm {

std::unique_ptr<Model> Settings::Open(const ModelFiles& /*files*/,
                                      const std::string& /*folder*/,
                                      uint64_t seed) const {
  return std::make_unique<Model>(*this, seed);
}

std::vector<InputExample> Model::Examples() const {
  const char* often = config.problem == Problem::kRepeatCopy ? " x3" : "";
  return {{fmt::format("random {}{}", std::min(config.max_length, 20), often)}};
}

std::string Model::Prompt() const {
  const std::string vectors = fmt::format("vectors of {} bits", config.bits);
  const std::string drawn =
      fmt::format(", or {}, and press Enter", Examples().front().text);
  switch (config.problem.value()) {
    case Problem::kCopy:
      return fmt::format("Type {}{}", vectors, drawn);
    case Problem::kRepeatCopy:
      return fmt::format("Type {} and how often, as x3{}", vectors, drawn);
    case Problem::kRecall:
      return fmt::format(
          "Type items of {} {} with | between them, then ? and one of them{}",
          kItemVectors, vectors, drawn);
    case Problem::kNgrams:
      return fmt::format("Type bits{}", drawn);
    case Problem::kSort:
      return fmt::format("Type {} and their priorities, as 1011@0.5{}", vectors,
                         drawn);
  }
  return "";
}

Model::Model(Config settings, uint64_t seed)
    : config(std::move(settings)),
      parameters_(seed, DType::kF32, config.model->precision()),
      network(config.model->Make(Scope(parameters_, ""),
                                 config.Shape().inputs(),
                                 config.Shape().outputs())) {}

Var Model::Logits(const Context& ctx, const Tensor& inputs,
                  std::vector<MemoryStep>* trace) const {
  MachineState state = network->Start(ctx, inputs.dim(1));
  state.trace = trace;
  return network->Run(ctx, inputs, state);
}

SequenceScores Model::Score(const Context& ctx,
                            const SequenceGroup& group) const {
  const Tensor logits = Slice(Logits(ctx, group.inputs), group.begin, group.end)
                            .value()
                            .Contiguous();
  SequenceScores scores;
  scores.sequences = logits.dim(1);
  for (int64_t b = 0; b < logits.dim(1); ++b) {
    double wrong = 0;
    for (int64_t t = 0; t < logits.dim(0); ++t) {
      const Tensor own = logits[t][b];
      const Tensor right = group.targets[t][b];
      for (int64_t o = 0; o < own.numel(); ++o) {
        const double z = own.data<float>()[o];
        const bool one = right.data<float>()[o] > 0.5F;
        const double away = one ? -z : z;  // log(1 + exp(away)) nats
        scores.bits +=
            (std::max(away, 0.0) + std::log1p(std::exp(-std::abs(away)))) /
            std::numbers::ln2;
        wrong += (z > 0) != one ? 1 : 0;
      }
    }
    scores.bit_errors += wrong;
    scores.faultless += wrong == 0 ? 1 : 0;
  }
  return scores;
}

}  // namespace heed::algorithm
