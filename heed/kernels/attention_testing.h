// Reference implementation of FusedAttention: plain loops in double.
#ifndef HEED_KERNELS_ATTENTION_TESTING_H_
#define HEED_KERNELS_ATTENTION_TESTING_H_

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "heed/kernels/elementwise.h"
#include "heed/kernels/fused_attention.h"
#include "heed/kernels/testing.h"

namespace heed::kernels {

/// Reference results in f64.
struct ReferenceResult {
  Tensor context;  // [B, T, H*D]
  Tensor weights;  // [B, H, T, S], with factors
  Tensor log_sum;  // [B, H, T]
};

/// Element i of a dense tensor, as a double.
inline double Element(const Tensor& x, int64_t i) {
  return At(x, i / x.cols(), i % x.cols());
}
inline void AddTo(Tensor& x, int64_t row, int64_t col, double value) {
  if (x.defined()) x.row<double>(row)[col] += value;
}

/// phi(x) and its derivative, for scores that are not a dot product.
struct ReferencePhi {
  double y;
  double dx;
};
inline ReferencePhi PhiOf(const AttentionArgs& args, double x) {
  if (args.score == AttentionArgs::Score::kTanh) {
    const double y = std::tanh(x);
    return {y, 1 - y * y};
  }
  const double slope = x < 0 ? args.value : 1;
  return {slope * x, slope};
}

/// Modified score (or factor of a weight) and its derivatives.
struct ReferenceStep {
  double y;
  double de;
  double dx;
};
inline ReferenceStep StepOf(const ScoreModifier& m, double e, double x,
                            int64_t s) {
  using Kind = ScoreModifier::Kind;
  const double u = (static_cast<double>(s) - x) / m.value;
  const double gaussian = std::exp(-0.5 * u * u);
  const double y = std::tanh(e / m.value);
  switch (m.kind) {
    case Kind::kScale:
      return {m.value * e, m.value, 0};
    case Kind::kRowScale:
      return {x * e, x, e};
    case Kind::kSoftCap:
      return {m.value * y, 1 - y * y, 0};
    case Kind::kBias:
    case Kind::kDistanceBias:
      return {e + x, 1, 1};
    case Kind::kWindow:
      return {e, 1, 0};
    case Kind::kGaussianScores:
    case Kind::kGaussianWeights:
      break;
  }
  return {e * gaussian, gaussian, e * gaussian * u / m.value};
}

/// Row (b, h, t) of weights with its intermediate values.
class ReferenceRow {
 public:
  ReferenceRow(const AttentionArgs& args, const Tensor& kept, int64_t b,
               int64_t h, int64_t t)
      : args_(args), b_(b), h_(h), t_(t), factors_(Size(args.keys())) {
    for (int64_t s = 0; s < args.keys(); ++s) scores_.push_back(Score(s));
    for (const ScoreModifier& m : args.modifiers) {
      inputs_.push_back(scores_);
      if (m.kind == ScoreModifier::Kind::kGaussianWeights) continue;
      for (int64_t s = 0; s < args.keys(); ++s) {
        scores_[Size(s)] = StepOf(m, scores_[Size(s)], X(m, s), s).y;
      }
    }
    Forbid();
    Normalize();
    for (int64_t s = 0; s < args.keys(); ++s) {
      factors_[Size(s)] = Element(kept, Row() * args.keys() + s);
      for (const ScoreModifier& m : args.modifiers) {
        if (m.kind != ScoreModifier::Kind::kGaussianWeights) continue;
        factors_[Size(s)] *= StepOf(m, 1, X(m, s), s).y;
      }
    }
  }

  double log_sum() const { return log_sum_; }
  double Weight(int64_t s) const {
    return weights_[Size(s)] * factors_[Size(s)];
  }
  /// sum_d dcontext_d v_sd.
  double WeightGrad(const Tensor& dcontext, int64_t s) const {
    double sum = 0;
    for (int64_t d = 0; d < args_.value_features(); ++d) {
      sum += At(dcontext, QueryRow(), ContextCol(d)) *
             At(args_.v, KeyRow(s), ValueCol(d));
    }
    return sum;
  }

  void Grad(const Tensor& dcontext, AttentionGrads& grads) const {
    double mean = 0;
    for (int64_t s = 0; s < args_.keys(); ++s) {
      mean += Weight(s) * WeightGrad(dcontext, s);
    }
    for (int64_t s = 0; s < args_.keys(); ++s) {
      if (weights_[Size(s)] == 0) continue;
      for (int64_t d = 0; d < args_.value_features(); ++d) {
        AddTo(grads.dv, KeyRow(s), ValueCol(d),
              Weight(s) * At(dcontext, QueryRow(), ContextCol(d)));
      }
      const double dlog_factor = Weight(s) * WeightGrad(dcontext, s);
      double de = dlog_factor - weights_[Size(s)] * mean;
      for (size_t i = args_.modifiers.size(); i-- > 0;) {
        const ScoreModifier& m = args_.modifiers[i];
        const bool of_weight = m.kind == ScoreModifier::Kind::kGaussianWeights;
        const ReferenceStep step =
            StepOf(m, of_weight ? 1 : inputs_[i][Size(s)], X(m, s), s);
        if (i < grads.modifiers.size() && grads.modifiers[i].defined()) {
          double& dx = grads.modifiers[i].data<double>()[XIndex(m, s)];
          // d log factor / dx = dx / y
          dx += of_weight ? (step.y == 0 ? 0 : dlog_factor * step.dx / step.y)
                          : de * step.dx;
        }
        if (!of_weight) de *= step.de;
      }
      ScoreGrad(s, de, grads);
    }
  }

 private:
  static size_t Size(int64_t i) { return static_cast<size_t>(i); }
  int64_t Row() const { return (b_ * args_.heads + h_) * args_.queries() + t_; }
  int64_t QueryRow() const { return b_ * args_.queries() + t_; }
  int64_t KeyRow(int64_t s) const { return b_ * args_.keys() + s; }
  int64_t KeyHead() const { return h_ / (args_.heads / args_.key_heads); }
  int64_t ContextCol(int64_t d) const {
    return h_ * args_.value_features() + d;
  }
  int64_t ValueCol(int64_t d) const {
    return KeyHead() * args_.value_features() + d;
  }
  int64_t QueryCol(int64_t a) const { return h_ * args_.features() + a; }
  int64_t KeyCol(int64_t a) const { return KeyHead() * args_.features() + a; }

  double Score(int64_t s) const {
    double sum = 0;
    for (int64_t a = 0; a < args_.features(); ++a) {
      const double q = At(args_.q, QueryRow(), QueryCol(a));
      const double k = At(args_.k, KeyRow(s), KeyCol(a));
      sum += args_.score == AttentionArgs::Score::kDot
                 ? args_.value * q * k
                 : Element(args_.w, QueryCol(a)) * PhiOf(args_, q + k).y;
    }
    return sum;
  }

  void ScoreGrad(int64_t s, double de, AttentionGrads& grads) const {
    for (int64_t a = 0; a < args_.features(); ++a) {
      const double q = At(args_.q, QueryRow(), QueryCol(a));
      const double k = At(args_.k, KeyRow(s), KeyCol(a));
      if (args_.score == AttentionArgs::Score::kDot) {
        AddTo(grads.dq, QueryRow(), QueryCol(a), de * args_.value * k);
        AddTo(grads.dk, KeyRow(s), KeyCol(a), de * args_.value * q);
        continue;
      }
      const ReferencePhi phi = PhiOf(args_, q + k);
      const double dx = de * Element(args_.w, QueryCol(a)) * phi.dx;
      AddTo(grads.dq, QueryRow(), QueryCol(a), dx);
      AddTo(grads.dk, KeyRow(s), KeyCol(a), dx);
      if (grads.dw.defined()) {
        grads.dw.data<double>()[QueryCol(a)] += de * phi.y;
      }
    }
  }

  int64_t XIndex(const ScoreModifier& m, int64_t s) const {
    const Shape& x = m.x.shape();
    const auto at = [&](int axis, int64_t i) { return x[axis] == 1 ? 0 : i; };
    if (m.kind == ScoreModifier::Kind::kBias) {
      return ((at(0, b_) * x[1] + at(1, h_)) * x[2] + at(2, t_)) * x[3] + s;
    }
    if (m.kind == ScoreModifier::Kind::kDistanceBias) {
      return at(0, h_) * x[1] + s - t_ + args_.queries() - 1;
    }
    return Row();
  }
  double X(const ScoreModifier& m, int64_t s) const {
    return m.x.defined() ? Element(m.x, XIndex(m, s)) : 0;
  }

  void Forbid() {
    constexpr double kForbidden = -std::numeric_limits<double>::infinity();
    std::vector<uint8_t> may(scores_.size(), 1);
    if (args_.mask != nullptr) {
      args_.mask->Row(b_, args_.query_offset + t_, {0, args_.keys()},
                      may.data());
    }
    for (int64_t s = 0; s < args_.keys(); ++s) {
      bool allowed = may[Size(s)] != 0;
      for (const ScoreModifier& m : args_.modifiers) {
        if (m.kind != ScoreModifier::Kind::kWindow) continue;
        allowed =
            allowed && std::abs(static_cast<double>(s) - X(m, s)) <= m.value;
      }
      if (!allowed) scores_[Size(s)] = kForbidden;
    }
  }

  void Normalize() {
    double max = std::numeric_limits<double>::lowest();
    for (const double e : scores_) max = std::max(max, e);
    double sum = 0;
    for (const double e : scores_) sum += std::exp(e - max);
    log_sum_ = max + std::log(sum);
    for (const double e : scores_) {
      weights_.push_back(sum == 0 ? 0 : std::exp(e - max) / sum);
    }
  }

  const AttentionArgs& args_;
  int64_t b_, h_, t_;
  std::vector<std::vector<double>> inputs_;  // inputs of each modifier
  std::vector<double> scores_;
  std::vector<double> weights_;  // before factors
  std::vector<double> factors_;
  double log_sum_ = 0;
};

/// Calls body(row, b, h, t) for all rows of weights.
template <class Body>
void ForReferenceRows(const AttentionArgs& args, const Body& body) {
  const Tensor ones =
      Tensor::Full({args.batch(), args.heads, args.queries(), args.keys()}, 1);
  const Tensor kept = Dropout(ones, args.dropout, args.dropout_key);
  for (int64_t b = 0; b < args.batch(); ++b) {
    for (int64_t h = 0; h < args.heads; ++h) {
      for (int64_t t = 0; t < args.queries(); ++t) {
        body(ReferenceRow(args, kept, b, h, t), b, h, t);
      }
    }
  }
}

/// Reference of FusedAttention for any dtype.
inline ReferenceResult ReferenceAttention(const AttentionArgs& args) {
  const int64_t width = args.value_features();
  const Shape rows{args.batch(), args.heads, args.queries()};
  ReferenceResult result{
      Tensor::Zeros({args.batch(), args.queries(), args.heads * width},
                    DType::kF64),
      Tensor::Zeros({rows[0], rows[1], rows[2], args.keys()}, DType::kF64),
      Tensor::Zeros(rows, DType::kF64)};
  int64_t i = 0;
  ForReferenceRows(
      args, [&](const ReferenceRow& row, int64_t b, int64_t h, int64_t t) {
        result.log_sum.data<double>()[i] = row.log_sum();
        for (int64_t s = 0; s < args.keys(); ++s) {
          result.weights.row<double>(i)[s] = row.Weight(s);
          const int64_t key_head = h / (args.heads / args.key_heads);
          for (int64_t d = 0; d < width; ++d) {
            AddTo(result.context, b * args.queries() + t, h * width + d,
                  row.Weight(s) *
                      At(args.v, b * args.keys() + s, key_head * width + d));
          }
        }
        ++i;
      });
  return result;
}

/// Reference of FusedAttentionGrad; adds to f64 gradients.
inline void ReferenceAttentionGrad(const AttentionArgs& args,
                                   const Tensor& dcontext,
                                   AttentionGrads& grads) {
  ForReferenceRows(args, [&](const ReferenceRow& row, int64_t, int64_t,
                             int64_t) { row.Grad(dcontext, grads); });
}

}  // namespace heed::kernels

#endif  // HEED_KERNELS_ATTENTION_TESTING_H_
