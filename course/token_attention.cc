#include "course/token_attention.h"

#include "heed/ops/elementwise.h"

namespace heed {
namespace {

Tensor PlacesOf(int64_t batch, int64_t length) {
  Tensor places({batch, length}, DType::kI32);
  for (int64_t i = 0; i < places.numel(); ++i) {
    places.data<int32_t>()[i] = static_cast<int32_t>(i % length);
  }
  return places;
}

}  // namespace

TokenAttention::TokenAttention(ParameterSet& set,
                               const TokenAttentionOptions& o)
    : options(o),
      letters_(Scope(set, "letters"), o.tokens, o.width, o.embedding),
      places_(o.positions ? std::optional<Embedding>(
                                std::in_place, Scope(set, "places"), o.length,
                                o.width, o.embedding)
                          : std::nullopt),
      projections_(o.projections ? std::optional<Projections>(
                                       {Linear(Scope(set, "query"), o.width,
                                               o.spec.query, o.projection),
                                        Linear(Scope(set, "key"), o.width,
                                               o.spec.key, o.projection)})
                                 : std::nullopt),
      value_(Scope(set, "value"), o.width, o.spec.value, o.projection),
      output_(Scope(set, "output"), o.spec.value, o.outputs, {}),
      attention_(Scope(set, "attention"), o.spec) {}

TokenAttention::Prepared TokenAttention::Prepare(const Context& ctx,
                                                 const Tensor& tokens) const {
  Var x = letters_(ctx, tokens);
  if (places_) {
    x = Add(x, (*places_)(ctx, PlacesOf(tokens.dim(0), tokens.dim(1))));
  }
  if (!projections_) return {x, x, x};
  return {x, projections_->query(ctx, x), projections_->key(ctx, x)};
}

TokenAttention::Output TokenAttention::operator()(const Context& ctx,
                                                  const Tensor& tokens,
                                                  const Mask& mask,
                                                  WantWeights want,
                                                  double temperature) const {
  const Prepared p = Prepare(ctx, tokens);
  const Memory memory = attention_.Prepare(ctx, p.keys, value_(ctx, p.x), mask);
  const Var queries =
      temperature == 1 ? p.queries : Scale(p.queries, 1 / temperature);
  Output output;
  output.attended = attention_.Attend(ctx, queries, memory, {.want = want});
  output.logits = output_(ctx, output.attended.context);
  return output;
}

}  // namespace heed
