#include "heed/models/retain/retain.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "heed/attention/mask.h"
#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/models/outline_parts.h"
#include "heed/ops/attention.h"
#include "heed/ops/check.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/normalizers.h"
#include "heed/ops/shape.h"
#include "heed/ops/sparse.h"

namespace heed {
namespace {

Recurrent MakeVisitGru(const Scope& scope, const ResolvedRetain& config,
                       int64_t units) {
  RecurrentOptions options;
  options.cell = Cell::kGru;
  options.inputs = {config.embedding};
  if (config.times) options.inputs.push_back(1);
  options.units = units;
  options.input_init = config.matrix_init;
  options.recurrent_init = config.recurrent_init;
  return {scope, options};
}

/// Sum of the code vectors of each visit [B, S, M].
Var VisitVectors(const Context& ctx, const Parameter& embedding,
                 const VisitBatch& batch, double dropout) {
  ctx.CheckCancelled();
  const Var rows = SparseMatMul(batch.codes, {}, ctx.Use(embedding));
  const Var visits =
      Reshape(rows, {batch.B, batch.S, embedding.value().dim(1)});
  return Dropout(ctx, ctx.Input("source", visits), dropout);
}

/// Projected inputs of a GRU: visits and, if used, their ages. Shapes: visits
/// [S, B, M], ages [S, B, 1] or undefined.
Var Projected(const Context& ctx, const Recurrent& rnn, const Var& visits,
              const Var& ages) {
  Var x = rnn.Project(ctx, visits);
  return ages.defined() ? rnn.AddProjection(ctx, std::move(x), ages, 1) : x;
}

Var AgesOf(const VisitBatch& batch, bool read, DType dtype) {
  return read ? TransposeLeading(batch.ages.To(dtype)) : Var();
}

std::vector<double> Numbers(const Tensor& x) {
  return x.To(DType::kF64).Contiguous().ToVector<double>();
}

using VisitPart = OutlinePart::Kind;

/// Outline of the sum of a visit's code vectors.
OutlineBlock VisitOutline(int64_t codes, int64_t features) {
  return {{{VisitPart::kEach, "sum of code vectors", features,
            fmt::format("of {} codes", codes), "vⱼ"}},
          1};
}

ModelOutline OutlineOfVisits(std::vector<OutlineBlock> blocks) {
  OutlineSequence visits = {.name = "visits of a patient", .axis = "source"};
  visits.blocks = std::move(blocks);
  return {{}, {std::move(visits)}};
}

void CheckOnePatient(const char* where, const VisitBatch& batch) {
  CheckShapes(batch.B == 1, where, "not one patient", {batch.lengths.shape()});
}

}  // namespace

void CheckVisitBatch(const char* where, const VisitBatch& batch, int64_t codes,
                     bool needs_ages) {
  const bool fits = batch.codes != nullptr && batch.S > 0 &&
                    batch.codes->rows == batch.B * batch.S &&
                    batch.codes->cols == codes && batch.lengths.defined();
  if (!fits) {
    throw ShapeError("{}: codes do not fit {} patients of {} visits", where,
                     batch.B, batch.S);
  }
  CheckLengths(where, batch.lengths, batch.B, batch.S);
  if (!needs_ages) return;
  const bool known = batch.ages.defined() &&
                     batch.ages.shape() == Shape({batch.B, batch.S, 1});
  if (!known) throw ShapeError("{}: visits without times", where);
}

Retain::Retain(const Scope& scope, const ResolvedRetain& config, int64_t codes)
    : config_(config),
      codes_(codes),
      info_{.path = (scope / "alpha").path(),
            .score = "linear",
            .normalizer = "softmax",
            .query_axis = "answer"},
      embedding_(scope.Add("embedding", {codes, config.embedding},
                           config.embedding_init)),
      alpha_rnn_(MakeVisitGru(scope / "alpha_rnn", config, config.units)),
      beta_rnn_(MakeVisitGru(scope / "beta_rnn", config, config.beta_units)),
      alpha_(scope / "alpha", config.units, 1, config.matrix_init),
      beta_(scope / "beta", config.beta_units, config.embedding,
            config.matrix_init),
      output_(scope / "output", config.embedding, 1, config.matrix_init) {}

Var Retain::Attend(const Context& ctx, const Var& alpha, const Var& scores,
                   const Var& values) const {
  Var context = WeightedSum(alpha, values);  // [B, 1, M]
  if (ctx.observer == nullptr) return context;
  const AttentionRequest request = ctx.observer->Wants(info_);
  if (!request.any()) return context;
  const auto by_head = [](const Tensor& x) {
    return x.Reshape({x.dim(0), 1, x.dim(1), x.dim(2)});
  };
  AttentionParts parts;
  if (request.parts) {
    parts.values = by_head(values.value());
    parts.scores = by_head(scores.value());
    parts.weights = by_head(alpha.value());
    parts.context = by_head(context.value());
  }
  ctx.observer->OnAttention({info_, 0,
                             Reshape(alpha, {alpha.dim(0), 1, 1, alpha.dim(2)}),
                             nullptr, request.parts ? &parts : nullptr});
  return context;
}

Retain::Pass Retain::Read(const Context& ctx, const VisitBatch& batch) const {
  CheckVisitBatch("retain", batch, codes_, config_.times);
  const Var v = VisitVectors(ctx, embedding_, batch, config_.embedding_dropout);
  const auto reversed = [&batch](const Var& x) {
    return ReverseByLength(x, batch.lengths);
  };
  const DType dtype = v.value().dtype();
  const Var steps = reversed(TransposeLeading(v));
  Var ages = AgesOf(batch, config_.times, dtype);
  if (ages.defined()) ages = reversed(ages);
  const auto states = [&](const Recurrent& rnn) {
    ctx.CheckCancelled();
    const Var outputs =
        rnn.Forward(ctx, Projected(ctx, rnn, steps, ages),
                    rnn.InitialState(batch.B, dtype), batch.lengths)
            .outputs;
    const Var h = TransposeLeading(reversed(outputs));
    return config_.state_factor == 1 ? h : Scale(h, config_.state_factor);
  };
  const Mask padding = Padding(batch.lengths);
  const Var scores = MaskScores(
      Reshape(alpha_(ctx, states(alpha_rnn_)), {batch.B, 1, batch.S}),
      padding.rule().get(), /*heads=*/1, /*query_offset=*/0);
  Pass pass;
  pass.alpha = Softmax(scores);
  pass.beta = Tanh(beta_(ctx, states(beta_rnn_)));
  const Var context = Attend(ctx, pass.alpha, scores, Mul(pass.beta, v));
  pass.logits =
      Reshape(output_(ctx, Dropout(ctx, context, config_.dropout)), {batch.B});
  return pass;
}

Var Retain::Logits(const Context& ctx, const VisitBatch& batch) const {
  return Read(ctx, batch).logits;
}

std::optional<VisitParts> Retain::Parts(const VisitBatch& batch) const {
  CheckOnePatient("retain", batch);
  const Pass pass = Read({}, batch);
  const auto M = static_cast<size_t>(config_.embedding);
  const std::vector<double> beta = Numbers(pass.beta.value());
  const std::vector<double> w = Numbers(output_.weight().value());
  VisitParts parts;
  parts.alpha = Numbers(pass.alpha.value());
  parts.bias = Numbers(output_.bias()->value())[0];
  // w ⊙ α_j β_j is shared by all codes of a visit.
  const auto* offsets = batch.codes->offsets.data<int32_t>();
  const auto* columns = batch.codes->columns.data<int32_t>();
  const Tensor table = embedding_.value();
  std::vector<double> weights(M);
  for (size_t j = 0; j < parts.alpha.size(); ++j) {
    for (size_t m = 0; m < M; ++m) {
      weights[m] = parts.alpha[j] * w[m] * beta[j * M + m];
    }
    for (int32_t e = offsets[j]; e < offsets[j + 1]; ++e) {
      const std::vector<double> row = Numbers(table[columns[e]]);
      parts.contributions.push_back(
          std::inner_product(weights.begin(), weights.end(), row.begin(), 0.0));
    }
  }
  std::vector<size_t> order(M);
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::greater<>(),
                           [&w](size_t m) { return w[m]; });
  for (size_t j = 0; j < parts.alpha.size(); ++j) {
    std::vector<double>& own = parts.beta.emplace_back();
    for (const size_t m : order) own.push_back(beta[j * M + m]);
  }
  return parts;
}

ModelOutline Retain::Outline() const {
  const int64_t M = config_.embedding;
  const char* ages = config_.times ? "also reads ages" : "";
  return OutlineOfVisits(
      {VisitOutline(codes_, M),
       {{{VisitPart::kBackward, "GRU of visits", config_.units, ages, "gⱼ",
          "GRU({vⱼ}, {gⱼ₊₁})"}}},
       {{{VisitPart::kEach, "attention to visits", 1, "", "αⱼ",
          "softmax over visits of wᵀ {gⱼ} + b"}}},
       {{{VisitPart::kBackward, "GRU of features", config_.beta_units, ages,
          "hⱼ", "GRU({vⱼ}, {hⱼ₊₁})"}}},
       {{{VisitPart::kEach, "attention to features", M, "", "βⱼ",
          "tanh(W {hⱼ} + b)"}}},
       {{{VisitPart::kPool, "weighted sum", M, "", "c",
          "Σⱼ {αⱼ} {βⱼ} ⊙ {vⱼ}"}}},
       OutputOutline("sigmoid", 1)});
}

VisitGru::VisitGru(const Scope& scope, const ResolvedRetain& config,
                   int64_t codes)
    : config_(config),
      codes_(codes),
      embedding_(scope.Add("embedding", {codes, config.embedding},
                           config.embedding_init)),
      rnn_(MakeVisitGru(scope / "recurrent", config, config.units)),
      output_(scope / "output", config.units, 1, config.matrix_init) {}

Var VisitGru::Logits(const Context& ctx, const VisitBatch& batch) const {
  CheckVisitBatch("gru of visits", batch, codes_, config_.times);
  const Var v = VisitVectors(ctx, embedding_, batch, config_.embedding_dropout);
  const DType dtype = v.value().dtype();
  const Var ages = AgesOf(batch, config_.times, dtype);
  ctx.CheckCancelled();
  const Var last =
      rnn_.Forward(ctx, Projected(ctx, rnn_, TransposeLeading(v), ages),
                   rnn_.InitialState(batch.B, dtype), batch.lengths)
          .state;
  return Reshape(output_(ctx, Dropout(ctx, last, config_.dropout)), {batch.B});
}

ModelOutline VisitGru::Outline() const {
  return OutlineOfVisits(
      {VisitOutline(codes_, config_.embedding),
       {{{VisitPart::kForward, "GRU", config_.units,
          config_.times ? "also reads ages" : "", "hⱼ"}},
        1},
       {{{VisitPart::kPool, "last state", config_.units, {}, {}}}, 1},
       OutputOutline("sigmoid", 1)});
}

VisitLogistic::VisitLogistic(const Scope& scope, int64_t codes)
    : codes_(codes),
      weight_(scope.Add("weight", {codes, 1}, kZeroInit)),
      bias_(scope.Add("bias", {1}, kZeroInit)) {}

Var VisitLogistic::Logits(const Context& ctx, const VisitBatch& batch) const {
  CheckVisitBatch("logistic regression of visits", batch, codes_, false);
  const Var visits = VisitVectors(ctx, weight_, batch, 0);
  const Tensor ones =
      Tensor::Full({batch.B, 1, batch.S}, 1, visits.value().dtype());
  const Var sums = Reshape(WeightedSum(ones, visits), {batch.B, 1});
  return Reshape(AddRow(sums, ctx.Use(bias_)), {batch.B});
}

ModelOutline VisitLogistic::Outline() const {
  return OutlineOfVisits(
      {VisitOutline(codes_, 1),
       {{{VisitPart::kPool, "sum of visits", 1, "and a bias", {}}}, 1},
       OutputOutline("sigmoid", 1)});
}

std::optional<VisitParts> VisitLogistic::Parts(const VisitBatch& batch) const {
  CheckOnePatient("logistic regression of visits", batch);
  CheckVisitBatch("logistic regression of visits", batch, codes_, false);
  const std::vector<double> weights = Numbers(weight_.value());
  VisitParts parts;
  parts.bias = Numbers(bias_.value())[0];
  for (const int32_t code : batch.codes->columns.ToVector<int32_t>()) {
    parts.contributions.push_back(At(weights, code));
  }
  return parts;
}

}  // namespace heed
