#include "heed/models/recurrent/rnn_encoder.h"

#include "heed/models/outline_parts.h"
#include "heed/ops/check.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/shape.h"

namespace heed {
RnnEncoder::RnnEncoder(const Scope& scope, const ResolvedRnn& config,
                       int64_t inputs)
    : config_(config), inputs_(inputs), features_(inputs) {
  if (config_.recurrent.layers > 0) {
    EncoderOptions options = config_.recurrent;
    options.inputs = inputs;
    recurrent_.emplace(scope, options);
    features_ = recurrent_->output_size();
  }
  if (!config_.attention) return;
  AttentionSpec spec = *config_.attention;
  spec.query = spec.key = features_;
  attention_.emplace(scope / "attention", spec);
  if (!config_.concat) {
    combine_.emplace(scope / "combine", 2 * features_, features_,
                     config_.recurrent.input_init);
  }
}

int64_t RnnEncoder::output_size() const {
  return attention_ && !combine_ ? 2 * features_ : features_;
}

std::vector<OutlineBlock> RnnEncoder::Outline() const {
  std::vector<OutlineBlock> blocks;
  if (recurrent_) blocks.push_back(RecurrentOutline(config_.recurrent));
  if (!attention_) return blocks;
  blocks.push_back({{AttentionOutline(attention_->info(),
                                      config_.attention->mask.all()
                                          ? OutlinePart::Kind::kAll
                                          : OutlinePart::Kind::kCausal,
                                      features_)}});
  blocks.push_back({{{.name = combine_ ? "tanh(W [h; c])" : "[h; c]",
                      .features = output_size()}},
                    1});
  return blocks;
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
    Memory& memory = state.MemoryOf(attention_->info().path);
    memory = attention_->Extend(ctx, std::move(memory), y, y);
    y = Combine(ctx, y, attention_->Attend(ctx, y, &memory).context);
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
