#include "heed/models/ratings/d_attn.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "heed/models/outline_parts.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/matmul.h"
#include "heed/ops/row_sums.h"
#include "heed/ops/score_modifiers.h"
#include "heed/ops/shape.h"
#include "heed/ops/steps.h"

namespace heed {
namespace {

/// 1 for words of each document, 0 for padding. Shapes: result [B, S].
Tensor InsideOf(const ReviewDocuments& document, DType dtype) {
  Tensor inside = Tensor::Zeros({document.B(), document.S()}, DType::kF64);
  for (int64_t b = 0; b < document.B(); ++b) {
    std::fill_n(inside.row<double>(b), document.lengths.data<int32_t>()[b],
                1.0);
  }
  return inside.To(dtype);
}

/// Number of windows of `width` words within each document; 1 for a shorter
/// document, 0 for an empty one.
Tensor WindowsOf(const Tensor& lengths, int64_t width) {
  Tensor windows(lengths.shape(), DType::kI32);
  for (int64_t b = 0; b < lengths.numel(); ++b) {
    const int32_t length = lengths.data<int32_t>()[b];
    const auto whole = length - static_cast<int32_t>(width) + 1;
    windows.data<int32_t>()[b] = std::max(whole, std::min(length, 1));
  }
  return windows;
}

RatingParts::Side GatesOf(const DAttnSide::Pass& pass,
                          const ReviewDocuments& document) {
  RatingParts::Side side;
  if (pass.local.defined()) {
    side.gates = NumbersOf(pass.local);
    side.gates.resize(static_cast<size_t>(document.lengths.data<int32_t>()[0]));
  }
  if (pass.global.defined()) side.document_gate = NumbersOf(pass.global)[0];
  return side;
}

}  // namespace

DAttnSide::DAttnSide(const Scope& scope, const ResolvedDAttn& config,
                     int64_t words, const char* input)
    : config_(config),
      input_(input),
      words_(scope / "words", words, config.embedding, config.embedding_init),
      local_(scope / "local", config.embedding, config.local_filters,
             config.matrix_init),
      hidden_(scope / "hidden",
              config.local_filters +
                  std::ssize(config.widths) * config.global_filters,
              config.hidden, config.matrix_init),
      factors_(scope / "factors", config.hidden, config.factors,
               config.matrix_init) {
  if (gates_words()) {
    local_gate_.emplace(scope / "local_gate", config.window * config.embedding,
                        1, config.matrix_init);
  }
  if (gates_documents()) {
    global_gate_ =
        &scope.Add("global_gate.weight", {config.document, config.embedding},
                   config.matrix_init);
    global_gate_bias_ = &scope.Add("global_gate.bias", {1}, kZeroInit);
  }
  for (size_t i = 0; i < config.widths.size(); ++i) {
    global_.emplace_back(scope / ("global." + std::to_string(i)),
                         config.widths[i] * config.embedding,
                         config.global_filters, config.matrix_init);
  }
}

DAttnSide::Pass DAttnSide::Read(const Context& ctx,
                                const ReviewDocuments& document) const {
  ctx.CheckCancelled();
  const int64_t B = document.B(), S = document.S(), M = config_.embedding;
  const Var vectors = Dropout(ctx, ctx.Input(input_, words_(ctx, document.ids)),
                              config_.dropout);
  const Var x = ScaleRows(vectors, InsideOf(document, vectors.value().dtype()));
  Pass pass;
  Var gated = x;
  if (gates_words()) {
    const Var windows =
        UnfoldSteps(x, config_.window, (config_.window - 1) / 2);
    pass.local = Reshape(Sigmoid((*local_gate_)(ctx, windows)), {B, S});
    gated = ScaleRows(x, pass.local);
  }
  // tanh is monotonic: the maximum of tanh is the tanh of the maximum.
  std::vector<Var> features = {
      Tanh(MaxOverSteps(local_(ctx, gated), document.lengths))};
  Var whole = x;
  if (gates_documents()) {
    const Var kernel = Reshape(Slice(ctx.Use(*global_gate_), 0, S), {S * M, 1});
    const Var flat = Reshape(x, {B, S * M});
    pass.global = Sigmoid(
        Reshape(Affine(flat, kernel, ctx.Use(*global_gate_bias_)), {B}));
    whole = Reshape(ScaleRows(flat, pass.global), {B, S, M});
  }
  for (size_t i = 0; i < global_.size(); ++i) {
    const int64_t width = config_.widths[i];
    features.push_back(
        Tanh(MaxOverSteps(global_[i](ctx, UnfoldSteps(whole, width, 0)),
                          WindowsOf(document.lengths, width))));
  }
  const Var found = Dropout(ctx, ConcatColumns(features), config_.dropout);
  const Var hidden = Dropout(ctx, Relu(hidden_(ctx, found)), config_.dropout);
  pass.factors = factors_(ctx, hidden);
  return pass;
}

OutlineSequence DAttnSide::Outline(const char* name) const {
  using Kind = OutlinePart::Kind;
  OutlineSequence words = {.name = name, .axis = input_};
  const auto add = [&words](const OutlinePart& part) {
    words.blocks.push_back({{part}, 1});
  };
  const Shape& table = words_.weight().value().shape();
  const int64_t global = std::ssize(config_.widths) * config_.global_filters;
  add(EmbeddingOutline(table[0], table[1], "", "xⱼ").parts[0]);
  if (gates_words()) {
    add({Kind::kNear, "local attention", 1,
         fmt::format("a gate, of {} words", config_.window), "sⱼ",
         "σ(w · [… {xⱼ} …] + b)"});
  }
  add({Kind::kEach, "local filters", config_.local_filters, "of one word", "pⱼ",
       gates_words() ? "tanh(W {sⱼ} {xⱼ} + d)" : ""});
  if (gates_documents()) {
    add({Kind::kEach, "global attention", 1, "a gate, of all words", "g",
         "σ(Σⱼ vⱼ · {xⱼ} + a)"});
  }
  add({Kind::kNear, "global filters", global,
       fmt::format("of {} words", fmt::join(config_.widths, ", ")), "qⱼ",
       gates_documents() ? "tanh(K {g} [{xⱼ} …] + d)"
                         : "tanh(K [{xⱼ} …] + d)"});
  add({Kind::kPool, "maximum", config_.local_filters + global, "", "m",
       "maximum over words of [{pⱼ}; {qⱼ}]"});
  add({Kind::kEach, "hidden layer", config_.hidden, "relu"});
  add({Kind::kEach, "factors", config_.factors});
  return words;
}

DAttn::DAttn(const Scope& scope, const ResolvedDAttn& config,
             const RatingSizes& sizes)
    : config_(config),
      words_(sizes.words),
      biases_(scope / "biases", sizes.users, sizes.items),
      user_(scope / "user", config, sizes.words, "user_words"),
      item_(scope / "item", config, sizes.words, "item_words") {}

DocumentLimits DAttn::limits() const {
  return {.reviews = config_.document,
          .words_of_review = config_.document,
          .words = config_.document};
}

DAttn::Pass DAttn::Read(const Context& ctx, const RatingBatch& batch) const {
  CheckRatingBatch("d-attn", batch, words_, limits());
  Pass pass = {user_.Read(ctx, batch.user), item_.Read(ctx, batch.item), {}};
  const Var product =
      Reshape(RowSums(Mul(pass.user.factors, pass.item.factors)), {batch.B()});
  pass.product = Mul(product, HasBothDocuments(batch, product.value().dtype()));
  return pass;
}

Var DAttn::Ratings(const Context& ctx, const RatingBatch& batch) const {
  return Add(Read(ctx, batch).product, biases_(ctx, batch));
}

RatingParts DAttn::Parts(const RatingBatch& batch) const {
  const Pass pass = Read({}, batch);
  RatingParts parts;
  biases_.AddTo(batch, parts);
  parts.reviews = NumbersOf(pass.product)[0];
  parts.user_side = GatesOf(pass.user, batch.user);
  parts.item_side = GatesOf(pass.item, batch.item);
  return parts;
}

ModelOutline DAttn::Outline() const {
  return {
      {},
      {user_.Outline("words by the user"), item_.Outline("words of the item"),
       RatingOutline(
           {{{{OutlinePart::Kind::kPool, "product", 1}}}, biases_.Outline()},
           {0, 1})}};
}

}  // namespace heed
