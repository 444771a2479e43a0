#include "heed/models/bi_encoder.h"

#include <numeric>
#include <utility>

#include "heed/attention/mask.h"
#include "heed/attention/shown_weights.h"
#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/models/outline_parts.h"
#include "heed/ops/attention.h"
#include "heed/ops/check.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/loss.h"
#include "heed/ops/matmul.h"
#include "heed/ops/norm.h"
#include "heed/ops/normalizers.h"
#include "heed/ops/row_sums.h"
#include "heed/ops/shape.h"
#include "heed/ops/steps.h"

namespace heed {
namespace {

constexpr double kNormEpsilon = 1e-12;
// Score of an excluded document: finite, but far below cosine / temperature.
constexpr double kExcluded = -1e6;

PoolingOptions PoolingOf(const BiEncoderConfig& config, int64_t features) {
  PoolingOptions options;
  options.kind = config.pooling;
  options.features = features;
  return options;
}

AttentionSpec AttentionOf(int64_t features) {
  AttentionSpec spec;
  spec.score = ChooseScore("additive");
  spec.query = spec.key = spec.units = features;
  spec.query_axis = "answer";
  spec.key_axis = "document";
  return spec;
}

/// Repeats all rows N times. Shapes: x [B, D], result [N, B, D].
Var ForEach(int64_t N, const Var& x) {
  Tensor rows({N, x.dim(0)}, DType::kI32);
  for (int64_t n = 0; n < N; ++n) {
    std::iota(rows.row<int32_t>(n), rows.row<int32_t>(n) + x.dim(0), 0);
  }
  return Embed(x, rows);
}

/// Dot product of each row of x with that of y. Shapes: x and y [B, N, D],
/// result [B, N].
Var RowProducts(const Var& x, const Var& y) {
  const int64_t B = x.dim(0), N = x.dim(1);
  return Reshape(RowSums(Reshape(Mul(x, y), {B * N, x.dim(2)})), {B, N});
}

void CheckAnswers(const Var& cosines, const Tensor& answers,
                  const Tensor& relevant) {
  CheckShapes(cosines.shape().rank() == 2 &&
                  answers.shape() == Shape({cosines.dim(0)}) &&
                  relevant.shape() == cosines.shape() &&
                  answers.dtype() == DType::kI32 &&
                  relevant.dtype() == DType::kI32,
              "match loss", "not cosines [B, N] with answers and relevant",
              {cosines.shape(), answers.shape(), relevant.shape()});
  for (const int32_t answer : answers.ToVector<int32_t>()) {
    CheckShapes(answer >= 0 && answer < cosines.dim(1), "match loss",
                "an answer that is not among the documents", {cosines.shape()});
  }
}

/// The loss is linear in the cosines that determine it: c_bn is 1 for the
/// nearest wrong document if it violates the margin, −1 for its answer, else 0.
Var MarginLoss(double margin, const Var& cosines, const Tensor& answers,
               const Tensor& relevant, double scale) {
  const std::vector<double> s = cosines.value().ToVector<double>();
  const int64_t documents = cosines.dim(1);
  Tensor deciding = Tensor::Zeros(cosines.shape(), DType::kF64);
  int64_t violations = 0;
  for (int64_t b = 0; b < cosines.dim(0); ++b) {
    const double* row = &At(s, b * documents);
    const int32_t* is_relevant = relevant.row<int32_t>(b);
    const int32_t answer = answers.data<int32_t>()[b];
    int64_t nearest = -1;
    for (int64_t n = 0; n < documents; ++n) {
      if (is_relevant[n] != 0 || n == answer) continue;
      if (nearest < 0 || row[n] > row[nearest]) nearest = n;
    }
    if (nearest < 0 || margin + row[nearest] - row[answer] <= 0) continue;
    ++violations;
    deciding.row<double>(b)[nearest] = 1;
    deciding.row<double>(b)[answer] = -1;
  }
  const DType dtype = cosines.value().dtype();
  const Var sum = Sum(Mul(cosines, deciding.To(dtype)));
  const double margins = margin * static_cast<double>(violations);
  return Scale(Add(sum, Tensor::Full({}, margins, dtype)), scale);
}

Var SoftmaxLoss(double temperature, const Var& cosines, const Tensor& answers,
                const Tensor& relevant, double scale) {
  Tensor excluded = Tensor::Zeros(cosines.shape(), DType::kF64);
  for (int64_t b = 0; b < cosines.dim(0); ++b) {
    for (int64_t n = 0; n < cosines.dim(1); ++n) {
      const bool other =
          relevant.row<int32_t>(b)[n] != 0 && n != answers.data<int32_t>()[b];
      if (other) excluded.row<double>(b)[n] = kExcluded;
    }
  }
  CrossEntropyOptions options;
  options.scale = scale;
  return CrossEntropy(Add(Scale(cosines, 1 / temperature),
                          excluded.To(cosines.value().dtype())),
                      answers, options)
      .loss;
}

}  // namespace

void BiEncoderConfig::Visit(FieldList& v) {
  v.Section("Matching");
  v("match", match,
    "matching of query and text; separate: one vector of each; attention: the "
    "query's vector attends to the words of the text; attentive_pooling: words "
    "of both attend to each other");
  v("pooling", pooling,
    "pooling of the states of a text (match attention: of the query only)");
  const bool separate = match == TextMatch::kSeparate;
  v("dense", dense, Range(0, 65536),
    "features of a dense layer behind pooling; 0: none")
      .If(separate, "--match separate");
  v("dense_activation", dense_activation, "activation of the dense layer")
      .If(dense > 0, "--dense");
  v("similarity", similarity,
    "score of two vectors: their cosine, or their product (dot)")
      .If(separate, "--match separate");
  v("match_loss", match_loss,
    "margin: hinge loss against the hardest negative; softmax: cross entropy "
    "over all texts of the batch");
  v("margin", margin, Range(0, 2), "margin: minimum difference of the cosines")
      .If(match_loss == MatchLossKind::kMargin, "--match-loss margin");
  v("temperature", temperature, Range(1e-3, 100),
    "softmax: temperature that divides cosines")
      .If(match_loss == MatchLossKind::kSoftmax, "--match-loss softmax");
}

BiEncoder::BiEncoder(const Scope& scope, const BiEncoderConfig& config,
                     std::unique_ptr<TextEncoder> encoder)
    : match_(config.match),
      similarity_(config.similarity),
      encoder_(std::move(encoder)),
      path_((scope / "match").path()) {
  const int64_t D = encoder_->output_size();
  if (compares_words() &&
      (config.dense > 0 || similarity_ == Similarity::kDot)) {
    throw ConfigError("{}: only for match separate, not for {}",
                      config.dense > 0 ? "dense" : "similarity dot",
                      config.match.word());
  }
  if (match_ == TextMatch::kAttentivePooling) {
    affinity_ =
        &scope.Add("match.affinity", {D, D}, Init{}, ParameterUse::kMatrix);
    return;
  }
  pooling_ = std::make_unique<Pooling>(scope / "pooling", PoolingOf(config, D));
  if (config.dense > 0) {
    dense_.emplace(scope / "dense", D, config.dense, config.dense_activation,
                   Init());
  }
  if (match_ == TextMatch::kAttention) {
    attention_ = std::make_unique<Attention>(scope / "match", AttentionOf(D));
  }
}

EncodedTexts BiEncoder::Encode(const Context& ctx,
                               const TextInput& text) const {
  const Var words = (*encoder_)(ctx, text);
  EncodedTexts texts;
  texts.lengths = text.lengths;
  if (compares_words()) texts.states = words;
  if (pooling_ != nullptr) {
    texts.vectors = (*pooling_)(ctx, words, text.lengths);
    if (dense_) texts.vectors = (*dense_)(ctx, texts.vectors);
    if (similarity_ == Similarity::kCosine) {
      texts.vectors = NormalizeRows(texts.vectors, kNormEpsilon);
    }
  }
  return texts;
}

Var BiEncoder::Cosines(const Context& ctx, const EncodedTexts& queries,
                       const EncodedTexts& documents) const {
  const int64_t B = queries.size(), N = documents.size();
  const int64_t D = dense_ ? dense_->output_size() : output_size();
  if (match_ == TextMatch::kAttentivePooling) {
    const Pooled pooled = PoolEachOther(ctx, queries, documents);
    return RowProducts(NormalizeRows(pooled.queries, kNormEpsilon),
                       NormalizeRows(pooled.documents, kNormEpsilon));
  }
  const Var& q = queries.vectors;
  CheckShapes(q.defined() && q.shape() == Shape({B, D}), "cosines",
              "not queries [B, D]", {q.shape()});
  if (match_ == TextMatch::kAttention) {
    const Var d = TransposeLeading(AttendedDocuments(ctx, queries, documents));
    return Reshape(DotScores(Reshape(q, {B, 1, D}), d, 1), {B, N});
  }
  const Var& d = documents.vectors;
  CheckShapes(d.defined() && d.shape() == Shape({N, D}), "cosines",
              "not documents [N, D]", {d.shape()});
  return Reshape(DotScores(Reshape(q, {1, B, D}), Reshape(d, {1, N, D}), 1),
                 {B, N});
}

/// Context of each query in each document, of length 1. Shapes: result [N, B,
/// D].
Var BiEncoder::AttendedDocuments(const Context& ctx,
                                 const EncodedTexts& queries,
                                 const EncodedTexts& documents) const {
  const Memory memory = attention_->Prepare(
      ctx, documents.states, documents.states, Padding(documents.lengths));
  const Var seen =
      attention_
          ->Attend(ctx, ForEach(documents.size(), queries.vectors), memory)
          .context;
  return NormalizeRows(seen, kNormEpsilon);
}

/// tanh is monotonic, so maxima are computed before it. Shapes: each [B, N, D].
BiEncoder::Pooled BiEncoder::PoolEachOther(
    const Context& ctx, const EncodedTexts& queries,
    const EncodedTexts& documents) const {
  const Var& q = queries.states;
  const Var& d = documents.states;
  const int64_t B = q.dim(0), S = q.dim(1), D = q.dim(2);
  const int64_t N = d.dim(0), T = d.dim(1);
  const Var a = Reshape(MatMul(q, ctx.Use(*affinity_)), {1, B * S, D});
  const Var b = Reshape(d, {1, N * T, D});
  const Var scores = DotScores(a, b, 1);
  const Var of_queries = MaxOverSteps(
      Reshape(DotScores(b, a, 1), {N, T, B * S}), documents.lengths);
  const Var of_documents =
      MaxOverSteps(Reshape(scores, {B, S, N * T}), queries.lengths);
  const Pooled weights = {
      Softmax(
          MaskPadding(TransposeLeading(Reshape(Tanh(of_queries), {N, B, S})),
                      queries.lengths)),  // [B, N, S]
      Softmax(
          MaskPadding(TransposeLeading(Reshape(Tanh(of_documents), {B, N, T})),
                      documents.lengths))};  // [N, B, T]
  if (ctx.observer != nullptr && B == 1 && N == 1) {
    Observe(ctx, Reshape(scores, {1, S, T}), documents.lengths, weights);
  }
  return {WeightedSum(weights.queries, q),
          TransposeLeading(WeightedSum(weights.documents, d))};
}

/// Reports the weights of one query and one document. Words are compared by
/// softmaxes of the scores before tanh, because scores after tanh differ
/// little. Shapes: scores [1, S, T], weights [1, 1, S] and [1, 1, T].
void BiEncoder::Observe(const Context& ctx, const Var& scores,
                        const Tensor& lengths, const Pooled& weights) const {
  const auto show = [&](const char* name, const char* query, const char* key,
                        const auto& w) {
    ShowWeights(ctx,
                {.path = path_ + "." + name,
                 .score = "attentive pooling",
                 .normalizer = "softmax",
                 .query_axis = query,
                 .key_axis = key},
                w);
  };
  show("words", "source", "document",
       [&] { return Softmax(MaskPadding(scores, lengths)); });
  show("query", "answer", "source", [&] { return weights.queries; });
  show("document", "answer", "document", [&] { return weights.documents; });
}

Var MatchLoss(const BiEncoderConfig& config, const Var& cosines,
              const Tensor& answers, const Tensor& relevant, double scale) {
  CheckAnswers(cosines, answers, relevant);
  return config.match_loss == MatchLossKind::kMargin
             ? MarginLoss(config.margin, cosines, answers, relevant, scale)
             : SoftmaxLoss(config.temperature, cosines, answers, relevant,
                           scale);
}

ModelOutline BiEncoder::Outline() const {
  std::vector<OutlineBlock> blocks = encoder_->Outline();
  blocks.push_back(pooling_ ? PoolingOutline(pooling_->options())
                            : OutlineBlock{{{OutlinePart::Kind::kPool,
                                             "attentive pooling",
                                             output_size(),
                                             {}}},
                                           1});
  if (dense_) {
    blocks.push_back(
        {{{.name = dense_->Formula(), .features = dense_->output_size()}}, 1});
  }
  blocks.push_back({{{.name = similarity_ == Similarity::kCosine
                                  ? "cosine with the other text"
                                  : "product with the other text"}},
                    1});
  return {{},
          {{"encoder of queries and of documents", "source", false, false,
            std::move(blocks)}}};
}

}  // namespace heed
