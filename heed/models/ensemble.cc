#include "heed/models/ensemble.h"

#include <algorithm>
#include <utility>

#include "heed/base/errors.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

/// Mean of the scores of several layers, for concatenated features.
class MeanOutput : public OutputLayer {
 public:
  using Layers = std::vector<std::shared_ptr<const OutputLayer>>;

  explicit MeanOutput(Layers layers) : layers_(std::move(layers)) {}

  int64_t features() const override {
    int64_t sum = 0;
    for (const auto& layer : layers_) sum += layer->features();
    return sum;
  }
  Var Scores(const Context& ctx, const Var& x) const override {
    Var sum;
    int64_t begin = 0;
    for (const auto& layer : layers_) {
      const int64_t end = begin + layer->features();
      const Var scores = layer->Scores(ctx, Columns(x, begin, end));
      sum = begin == 0 ? scores : Add(sum, scores);
      begin = end;
    }
    return Scale(sum, 1.0 / static_cast<double>(layers_.size()));
  }
  std::unique_ptr<OutputLayer> Restricted(const Tensor& ids) const override {
    Layers restricted;
    for (const auto& layer : layers_) {
      restricted.push_back(layer->Restricted(ids));
    }
    return std::make_unique<MeanOutput>(std::move(restricted));
  }

 private:
  Layers layers_;
};

}  // namespace

Ensemble::Ensemble(std::vector<std::shared_ptr<const Decoder>> members)
    : Decoder(kNoSeed, DType::kF32, kernels::Precision::kNative),
      members_(std::move(members)) {
  if (members_.empty()) throw ConfigError("an ensemble of no models");
  MeanOutput::Layers layers;
  for (const auto& member : members_) {
    if (member->copies()) {
      throw ConfigError(
          "a model that copies cannot join an ensemble: its scores include the "
          "tokens of the source; leave the ensemble out");
    }
    layers.emplace_back(member, &member->output());
  }
  output_ = std::make_unique<MeanOutput>(std::move(layers));
}

Encoding Ensemble::Encode(const Context& ctx, const Inputs& inputs) const {
  Encoding encoding;
  encoding.sources = inputs.size();
  encoding.lengths = inputs.lengths;
  for (size_t m = 0; m < members_.size(); ++m) {
    encoding.members.push_back(members_[m]->Encode(ContextOf(m, ctx), inputs));
  }
  return encoding;
}

DecoderState Ensemble::Start(const Context& ctx,
                             const Encoding& encoding) const {
  DecoderState state(encoding.sources);
  for (size_t m = 0; m < members_.size(); ++m) {
    state.members.push_back(members_[m]->Start(
        ctx, encoding.members.empty() ? encoding : encoding.members[m]));
  }
  return state;
}

Var Ensemble::Features(const Context& ctx, const Tensor& tokens,
                       DecoderState& state) const {
  std::vector<Var> features;
  Var weights;
  int seen = 0;
  for (size_t m = 0; m < members_.size(); ++m) {
    DecoderState& own = state.members[m];
    own.whole = state.whole;
    own.wants_weights = state.wants_weights;
    if (state.whole) {
      features.push_back(members_[m]->Features(ContextOf(m, ctx), tokens, own));
      continue;
    }
    std::vector<Var> steps;  // each member reads its own prompt
    for (int64_t t = 0; t < tokens.dim(0); ++t) {
      steps.push_back(members_[m]->Next(ctx, tokens[t], own));
    }
    features.push_back(Stack(steps));
    if (!own.weights.defined()) continue;
    weights = seen == 0 ? Var(own.weights) : Add(weights, own.weights);
    ++seen;
  }
  if (seen > 0) state.weights = Scale(weights, 1.0 / seen).value();
  return ConcatColumns(features);
}

Context Ensemble::ContextOf(size_t m, const Context& ctx) const {
  Context own = ctx;
  if (m == Attending()) return own;
  own.observer = nullptr;
  return own;
}

int64_t Ensemble::positions() const {
  int64_t fewest = 0;
  for (const auto& member : members_) {
    const int64_t positions = member->positions();
    if (positions > 0 && (fewest == 0 || positions < fewest)) {
      fewest = positions;
    }
  }
  return fewest;
}

std::string Ensemble::alignment_attention() const {
  return members_[Attending()]->alignment_attention();
}

int64_t Ensemble::alignment_head() const {
  return members_[Attending()]->alignment_head();
}

std::vector<std::string> Ensemble::source_attentions() const {
  return members_[Attending()]->source_attentions();
}

size_t Ensemble::Attending() const {
  const auto found = std::ranges::find_if(members_, [](const auto& member) {
    return !member->alignment_attention().empty();
  });
  return found == members_.end()
             ? 0
             : static_cast<size_t>(found - members_.begin());
}

}  // namespace heed
