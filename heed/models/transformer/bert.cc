#include "heed/models/transformer/bert.h"

#include <algorithm>

#include "heed/models/outline_parts.h"
#include "heed/ops/activation.h"
#include "heed/ops/elementwise.h"

namespace heed {
namespace {

/// Options of scale · mean over the rows.
CrossEntropyOptions MeanOptions(const Tensor& targets, double scale,
                                double smoothing) {
  CrossEntropyOptions options;
  options.smoothing = smoothing;
  options.scale =
      scale / static_cast<double>(std::max<int64_t>(1, targets.numel()));
  return options;
}

}  // namespace

Bert::Bert(const ResolvedTransformer& config, int64_t vocabulary, uint64_t seed,
           DType dtype, bool next_sentence)
    : parameters_(seed, dtype, config.stack.precision),
      encoder_(Scope(parameters_, "encoder"), config, vocabulary),
      pooler_(next_sentence ? std::optional<Linear>(
                                  std::in_place, Scope(parameters_, "pooler"),
                                  config.stack.width, config.stack.width,
                                  config.stack.init)
                            : std::nullopt),
      activation_(config.stack.activation),
      dense_(Scope(parameters_, "words.dense"), config.stack.width,
             config.stack.width, config.stack.init),
      norm_(Scope(parameters_, "words.norm"), config.stack.width,
            config.stack.epsilon),
      scores_(Scope(parameters_, "words"), encoder_.tokens(), true) {
  if (next_sentence) {
    next_.emplace(Scope(parameters_, "next"), config.stack.width, 2,
                  config.stack.init);
  }
}

Var Bert::States(const Context& ctx, const BertText& text) const {
  return encoder_(ctx, TextInput{text.ids, text.lengths, text.segments});
}

ModelOutline Bert::Outline() const {
  const int64_t width = encoder_.output_size();
  return {
      {},
      {{"encoder", "source", false, false,
        WithBlock(WithBlock(encoder_.Outline(),
                            {{{.name = "dense + norm", .features = width}}, 1}),
                  OutputOutline("softmax",
                                encoder_.tokens().weight().value().dim(0)))}}};
}

Var Bert::Pool(const Context& ctx, const Var& states) const {
  Tensor firsts({states.dim(0)}, DType::kI32);
  for (int64_t b = 0; b < firsts.numel(); ++b) {
    firsts.data<int32_t>()[b] = static_cast<int32_t>(b * states.dim(1));
  }
  return Tanh((*pooler_)(ctx, StatesAt(states, firsts)));
}

Var Bert::Features(const Context& ctx, const Var& states,
                   const Tensor& rows) const {
  const Var hidden =
      AffineActivation(StatesAt(states, rows), ctx.Use(dense_.weight()),
                       ctx.Use(*dense_.bias()), activation_);
  return norm_(ctx, hidden);
}

Var Bert::TokenLogits(const Context& ctx, const Var& states,
                      const Tensor& rows) const {
  return scores_.Scores(ctx, Features(ctx, states, rows));
}

Var Bert::NextScores(const Context& ctx, const Var& states) const {
  return (*next_)(ctx, Pool(ctx, states));
}

BertLoss Bert::Loss(const Context& ctx, const BertText& text,
                    const BertTargets& targets,
                    const BertLossOptions& options) const {
  const Var states = States(ctx, text);
  BertLoss loss;
  loss.words = scores_.Loss(
      ctx, Features(ctx, states, targets.rows), targets.labels,
      MeanOptions(targets.labels, options.scale, options.smoothing));
  if (!has_next_sentence()) {
    loss.loss = loss.words.loss;
    return loss;
  }
  loss.next = CrossEntropy(NextScores(ctx, states), targets.next,
                           MeanOptions(targets.next, options.scale, 0));
  loss.loss = Add(loss.words.loss, loss.next.loss);
  return loss;
}

}  // namespace heed
