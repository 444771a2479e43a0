#include "heed/models/bi_encoder.h"

#include <utility>

#include "heed/ops/attention.h"
#include "heed/ops/check.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/loss.h"
#include "heed/ops/norm.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

constexpr double kNormEpsilon = 1e-12;
// Far below every cosine over every temperature, and still finite.
constexpr double kExcluded = -1e6;

PoolingOptions PoolingOf(const BiEncoderConfig& config, int64_t features) {
  PoolingOptions options;
  options.kind = config.pooling;
  options.features = features;
  return options;
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

/// The loss is linear in the cosines that decide it: c_bn is 1 for the nearest
/// wrong document of a query that is too near, −1 for its answer, else 0.
Var MarginLoss(double margin, const Var& cosines, const Tensor& answers,
               const Tensor& relevant, double scale) {
  const std::vector<double> s = cosines.value().ToVector<double>();
  const int64_t documents = cosines.dim(1);
  Tensor deciding = Tensor::Zeros(cosines.shape(), DType::kF64);
  int64_t violations = 0;
  for (int64_t b = 0; b < cosines.dim(0); ++b) {
    const double* row = &s[static_cast<size_t>(b * documents)];
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
  v("pooling", pooling, OneOf(PoolingNames()),
    "pooling of the states of a text");
  v("match_loss", match_loss,
    "margin: hinge loss against the hardest negative; softmax: cross entropy "
    "over all texts of the batch");
  v("margin", margin, Range(0, 2), "margin: wanted difference of the cosines");
  v("temperature", temperature, Range(1e-3, 100),
    "softmax: temperature, by which cosines are divided");
}

BiEncoder::BiEncoder(const Scope& scope, const BiEncoderConfig& config,
                     std::unique_ptr<TextEncoder> encoder)
    : encoder_(std::move(encoder)),
      pooling_(scope / "pooling", PoolingOf(config, encoder_->output_size())) {}

Var BiEncoder::Encode(const Context& ctx, const Tensor& ids,
                      const Tensor& lengths) const {
  const Var words = (*encoder_)(ctx, ids, lengths, {});
  return NormalizeRows(pooling_(ctx, words, lengths), kNormEpsilon);
}

Var Cosines(const Var& queries, const Var& documents) {
  CheckShapes(queries.shape().rank() == 2 && documents.shape().rank() == 2 &&
                  queries.dim(1) == documents.dim(1),
              "cosines", "not queries [B, D] with documents [N, D]",
              {queries.shape(), documents.shape()});
  const Var q = Reshape(queries, {1, queries.dim(0), queries.dim(1)});
  const Var k = Reshape(documents, {1, documents.dim(0), documents.dim(1)});
  return Reshape(DotScores(q, k, 1), {queries.dim(0), documents.dim(0)});
}

Var MatchLoss(const BiEncoderConfig& config, const Var& cosines,
              const Tensor& answers, const Tensor& relevant, double scale) {
  CheckAnswers(cosines, answers, relevant);
  return config.match_loss == MatchLossKind::kMargin
             ? MarginLoss(config.margin, cosines, answers, relevant, scale)
             : SoftmaxLoss(config.temperature, cosines, answers, relevant,
                           scale);
}

}  // namespace heed
