#include "heed/models/rnn_encoder.h"

#include "heed/base/errors.h"
#include "heed/ops/check.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

EncoderOptions RecurrentOf(const RnnConfig& c, int64_t inputs) {
  EncoderOptions o;
  o.cell = c.cell;
  o.inputs = inputs;
  o.units = c.units;
  o.layers = c.layers;
  o.bidirectional = c.bidirectional == "yes";
  o.input_init = InputInit(c);
  o.recurrent_init = RecurrentInit(c);
  o.forget_gate_bias = c.forget_gate_bias;
  o.dropout = c.dropout;
  o.variational = c.variational;
  return o;
}

Mask MaskOf(const RnnConfig& c) {
  if (c.self_attention == "causal") return Causal();
  if (c.self_attention == "strict") return StrictCausal();
  return {};
}

AttentionSpec AttentionOf(const RnnConfig& c, int64_t features) {
  AttentionSpec spec;
  spec.score = ChooseScore(c.score);
  spec.modifiers = ChooseModifiers(c.modifiers);
  spec.mask = MaskOf(c);
  spec.normalizer = ChooseNormalizer(c.normalizer);
  spec.dropout = c.attention_dropout;
  spec.heads = c.heads;
  spec.query = features;
  spec.key = features;
  spec.units = (c.attention_units + c.heads - 1) / c.heads;
  spec.positions = c.positions;
  spec.init = InputInit(c);
  return spec;
}

}  // namespace

RnnEncoder::RnnEncoder(const Scope& scope, const RnnConfig& config,
                       int64_t inputs, bool causal)
    : config_(config), inputs_(inputs), features_(inputs) {
  // Also of a config that was resolved for the other use.
  config_.Resolve(causal);
  if (config_.layers > 0) {
    recurrent_.emplace(scope, RecurrentOf(config_, inputs));
    features_ = recurrent_->output_size();
  }
  if (config_.self_attention == "none") return;
  attention_.emplace(scope / "attention", AttentionOf(config_, features_));
  if (config_.combine == "tanh") {
    combine_.emplace(scope / "combine", 2 * features_, features_,
                     InputInit(config_));
  }
}

int64_t RnnEncoder::output_size() const {
  return attention_ && !combine_ ? 2 * features_ : features_;
}

Var RnnEncoder::operator()(const Context& ctx, const Var& x,
                           const Tensor& lengths) const {
  CheckShapes(x.shape().rank() == 3 && x.dim(2) == inputs_ && lengths.defined(),
              "rnn encoder", "inputs that do not fit, or without lengths",
              {x.shape()});
  CheckLengths("rnn encoder", lengths, x.dim(0), x.dim(1));
  Var states = States(ctx, x, lengths, nullptr);
  if (!attention_) return states;
  const Memory memory =
      attention_->Prepare(ctx, states, states, Padding(lengths));
  return Combine(ctx, states, attention_->Attend(ctx, states, memory).context);
}

Var RnnEncoder::Step(const Context& ctx, const Var& x,
                     DecoderState& state) const {
  Var y = States(ctx, x, {}, &state);
  if (attention_) {
    y = Combine(ctx, y, attention_->AttendNext(ctx, y, y, y, state));
  }
  state.position += x.dim(1);
  return y;
}

Var RnnEncoder::Combine(const Context& ctx, const Var& states,
                        const Var& context) const {
  const Var both = ConcatColumns({states, context});
  return combine_ ? Tanh((*combine_)(ctx, both)) : both;
}

Var RnnEncoder::States(const Context& ctx, const Var& x, const Tensor& lengths,
                       DecoderState* state) const {
  const auto drop = [&](const Var& steps) {
    return SequenceDropout(ctx, steps, config_.dropout, config_.variational);
  };
  const Var steps = drop(TransposeLeading(x));
  if (!recurrent_) return TransposeLeading(steps);
  const EncoderResult result =
      (*recurrent_)(ctx, steps, lengths,
                    state == nullptr ? LayerStates() : KeptLayers(*state));
  if (state != nullptr) KeepLayers(result.states, *state);
  return TransposeLeading(drop(result.outputs));
}

}  // namespace heed
