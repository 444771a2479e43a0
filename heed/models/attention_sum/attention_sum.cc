#include "heed/models/attention_sum/attention_sum.h"

#include <fmt/format.h>

#include <utility>

#include "heed/attention/mask.h"
#include "heed/attention/shown_weights.h"
#include "heed/autograd/observer.h"
#include "heed/models/outline_parts.h"
#include "heed/ops/attention.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/group_log_sum_exp.h"
#include "heed/ops/matmul.h"
#include "heed/ops/normalizers.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

EncoderOptions Reading(EncoderOptions options, int64_t inputs) {
  options.inputs = inputs;
  return options;
}

/// x ⊙ u at each step. Shapes: x [B, S, D], u [B, D].
Var GatedBy(const Var& x, const Var& u) {
  const Tensor ones =
      Tensor::Full({x.dim(0), x.dim(1), 1}, 1, x.value().dtype());
  return Mul(x, WeightedSum(ones, Reshape(u, {x.dim(0), 1, x.dim(2)})));
}

}  // namespace

AttentionSum::AttentionSum(const Scope& scope,
                           const ResolvedAttentionSum& config,
                           const TextSizes& sizes)
    : config_(config),
      sizes_(sizes),
      words_(scope / "words", sizes.vocabulary, config.embedding,
             kEmbeddingInit),
      passage_(scope / "passage",
               Reading(config.reader, config.embedding + sizes.vectors)) {
  const int64_t D = passage_.output_size();
  if (config.query == PassageQuery::kQuestion) {
    question_.emplace(scope / "question",
                      Reading(config.reader, config.embedding + sizes.vectors));
  } else {
    blind_ = &scope.Add("blind", {1, D}, config.matrix_init);
  }
  for (int64_t k = 0; k < config.hops; ++k) {
    const Scope hop = scope / fmt::format("hops.{}", k);
    infos_.push_back({.path = hop.path(),
                      .score = "dot",
                      .normalizer = "softmax",
                      .query_axis = "answer",
                      .key_axis = "source"});
    if (k == 0) continue;
    queries_.emplace_back(hop / "query", D, D, config.matrix_init);
    if (config.rereads) {
      readers_.emplace_back(hop / "reader", Reading(config.reader, D));
    }
  }
}

Var AttentionSum::Steps(const Context& ctx, const char* name, const Tensor& ids,
                        const Tensor& vectors) const {
  const Var x = ctx.Input(name, words_(ctx, ids));
  return Drop(ctx, TransposeLeading(WithVectors(x, vectors)));
}

void AttentionSum::Observe(const Context& ctx, size_t hop,
                           const Var& weights) const {
  ShowWeights(ctx, infos_[hop], [&] { return weights; });
}

Var AttentionSum::FirstQuery(const Context& ctx,
                             const PassageBatch& batch) const {
  if (blind_ != nullptr) {
    return Embed(ctx.Use(*blind_), Tensor::Zeros({batch.B()}, DType::kI32));
  }
  const EncoderResult question = (*question_)(
      ctx, Steps(ctx, "question", batch.questions, batch.question_vectors),
      batch.question_lengths);
  return ConcatColumns({Recurrent::Hidden(question.states.back()),
                        Recurrent::Hidden(question.backward_states.back())});
}

Var AttentionSum::Scores(const Context& ctx, const PassageBatch& batch) const {
  CheckPassageBatch("attention sum", batch, sizes_);
  const int64_t B = batch.B(), S = batch.S();
  const auto answers = [&](const Var& scores) {
    return GroupLogSumExp(Reshape(scores, {B, S}), batch.answers, batch.C);
  };
  const auto states = [&](const RecurrentEncoder& reader, const Var& steps) {
    return TransposeLeading(
        Drop(ctx, reader(ctx, steps, batch.passage_lengths).outputs));
  };
  Var h = states(passage_, Steps(ctx, "source", batch.passages,
                                 batch.passage_vectors));  // [B, S, D]
  const int64_t D = h.dim(2);
  Var u = FirstQuery(ctx, batch);
  for (size_t k = 0;; ++k) {
    ctx.CheckCancelled();
    const Var scores = MaskPadding(DotScores(Reshape(u, {B, 1, D}), h, 1),
                                   batch.passage_lengths);
    const bool last = k + 1 == infos_.size();
    if (last && ctx.observer == nullptr) return answers(scores);
    const Var weights = Softmax(scores);
    Observe(ctx, k, weights);
    if (last) return answers(scores);
    const Var read = Reshape(WeightedSum(weights, h), {B, D});
    if (config_.rereads) {
      h = states(readers_[k], TransposeLeading(GatedBy(h, u)));
    }
    u = Add(u, queries_[k](ctx, read));
  }
}

ModelOutline AttentionSum::Outline() const {
  using Kind = OutlinePart::Kind;
  const int64_t D = passage_.output_size();
  const std::vector<OutlineBlock> reading = {
      EmbeddingOutline(sizes_.vocabulary, config_.embedding + sizes_.vectors,
                       sizes_.vectors > 0 ? "pretrained vectors" : ""),
      RecurrentOutline(config_.reader)};
  OutlineSequence passage = {
      .name = "passage", .axis = "source", .blocks = reading};
  OutlineSequence question = {.name = "question", .axis = "question"};
  question.letter = "q";
  if (question_) {
    question.blocks = reading;
    question.blocks.back().parts.back().result = "";
    question.blocks.push_back({{{Kind::kPool, "last states", D}}, 1});
  } else {
    question.blocks = {
        {{{Kind::kPool, "learned query", D, "of any question"}}, 1}};
  }
  if (config_.hops > 1) {
    OutlineBlock hop = {{AttentionOutline(infos_[0], Kind::kSource, D),
                         {.name = "next query", .features = D}},
                        config_.hops - 1};
    if (config_.rereads)
      hop.parts[1].detail = "the passage is read again by it";
    question.blocks.push_back(std::move(hop));
  }
  question.blocks.push_back(
      {{AttentionOutline(infos_.back(), Kind::kSource, 0)}, 1});
  question.blocks.push_back({{{.name = "sum over equal words"}}, 1});
  return {{}, {std::move(passage), std::move(question)}};
}

}  // namespace heed
