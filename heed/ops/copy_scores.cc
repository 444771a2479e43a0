#include "heed/ops/copy_scores.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "heed/base/at.h"
#include "heed/base/threads.h"
#include "heed/kernels/rowwise.h"
#include "heed/ops/check.h"

namespace heed {
namespace {

constexpr int64_t kRowsPerChunk = 16;
constexpr double kLeastWeight = 1e-10;

/// log σ(x).
double LogSigmoid(double x) {
  return std::min(x, 0.0) - std::log1p(std::exp(-std::abs(x)));
}

double LogSumExp(double a, double b) {
  const double larger = std::max(a, b);
  return larger + std::log1p(std::exp(std::min(a, b) - larger));
}

/// Operands and results of a mixture.
struct Mixture {
  Tensor generated;  // log softmax [R, V]
  Tensor gate;       // [R, 1]
  Tensor weights;    // [R, S]
  Tensor ids;        // i32 [R, S]
  Tensor scores;     // [R, V + S]

  /// Fills row r of the scores; `copied` is scratch of V + S zeros.
  template <typename T>
  void FillRow(int64_t r, std::vector<double>& copied) {
    const int64_t V = generated.cols(), S = ids.cols();
    const double g = gate.row<T>(r)[0];
    const double generates = LogSigmoid(g), copies = LogSigmoid(-g);
    const int32_t* id = ids.row<int32_t>(r);
    const T* own = generated.row<T>(r);
    T* y = scores.row<T>(r);
    for (int64_t v = 0; v < V; ++v) y[v] = static_cast<T>(own[v] + generates);
    std::fill_n(y + V, S, static_cast<T>(kNoCopy));
    for (int64_t s = 0; s < S; ++s) {
      if (id[s] < 0) continue;
      At(copied, id[s]) += double{weights.row<T>(r)[s]} + kLeastWeight;
    }
    for (int64_t s = 0; s < S; ++s) {
      if (id[s] < 0 || At(copied, id[s]) == 0) continue;
      const double log_copied = copies + std::log(At(copied, id[s]));
      At(copied, id[s]) = 0;
      y[id[s]] = static_cast<T>(
          id[s] < V ? LogSumExp(own[id[s]] + generates, log_copied)
                    : log_copied);
    }
  }

  /// Writes the gradient of row r to `d`; d.generated is that of the log
  /// softmax. `seen` is scratch of V + S zeros.
  template <typename T>
  void GradientRow(int64_t r, const Tensor& dy, Mixture& d,
                   std::vector<char>& seen) const {
    const int64_t V = generated.cols(), S = ids.cols();
    const double g = gate.row<T>(r)[0];
    const double generates = LogSigmoid(g), copies = LogSigmoid(-g);
    const int32_t* id = ids.row<int32_t>(r);
    const T* slope = dy.row<T>(r);
    const T* y = scores.row<T>(r);
    T* dgenerated = d.generated.row<T>(r);
    std::copy_n(slope, V, dgenerated);
    double dcopies = 0;
    for (int64_t s = 0; s < S; ++s) {
      T& dweight = d.weights.row<T>(r)[s];
      dweight = 0;
      if (id[s] < 0) continue;
      const double share =
          id[s] < V
              ? std::exp(generated.row<T>(r)[id[s]] + generates - y[id[s]])
              : 0;
      dweight = static_cast<T>(slope[id[s]] * std::exp(copies - y[id[s]]));
      if (At(seen, id[s]) != 0) continue;
      At(seen, id[s]) = 1;
      if (id[s] < V) dgenerated[id[s]] = static_cast<T>(slope[id[s]] * share);
      dcopies += slope[id[s]] * (1 - share);
    }
    double dgenerates = 0;
    for (int64_t v = 0; v < V; ++v) dgenerates += dgenerated[v];
    d.gate.row<T>(r)[0] = static_cast<T>(dgenerates * std::exp(copies) -
                                         dcopies * std::exp(generates));
    for (int64_t s = 0; s < S; ++s) {
      if (id[s] >= 0) At(seen, id[s]) = 0;
    }
  }
};

/// Calls fn(T{}, r, scratch) for each row, with `width` zeros as scratch.
template <typename Scratch, typename Fn>
void ForEachRow(const Mixture& m, const Fn& fn) {
  const auto width = static_cast<size_t>(m.generated.cols() + m.ids.cols());
  ParallelFor(m.ids.rows(), kRowsPerChunk, [&](int64_t begin, int64_t end) {
    std::vector<Scratch> scratch(width);
    for (int64_t r = begin; r < end; ++r) {
      if (m.gate.dtype() == DType::kF64) {
        fn(double{}, r, scratch);
      } else {
        fn(float{}, r, scratch);
      }
    }
  });
}

}  // namespace

Var CopyScores(const Var& logits, const Var& gate, const Var& weights,
               const Tensor& ids) {
  const int64_t R = logits.value().rows(), V = logits.dim(-1);
  const int64_t S = weights.dim(-1);
  CheckShapes(ids.dtype() == DType::kI32 && ids.shape() == weights.shape() &&
                  ids.rows() == R && gate.value().rows() == R &&
                  gate.dim(-1) == 1 &&
                  logits.value().dtype() == weights.value().dtype(),
              "copy scores", "logits, gate, weights and ids that do not fit",
              {logits.shape(), gate.shape(), weights.shape(), ids.shape()});
  CheckTargets("copy scores", ids, /*ignore_id=*/-1, V + S);
  Shape shape = logits.shape();
  shape.Set(-1, V + S);
  Mixture m = {kernels::LogSoftmax(logits.value().Contiguous()), gate.value(),
               weights.value(), ids, Tensor(shape, logits.value().dtype())};
  ForEachRow<double>(m, [&]<typename T>(T, int64_t r, auto& copied) {
    m.FillRow<T>(r, copied);
  });
  return Record("copy scores", m.scores, {logits, gate, weights},
                [m](const Tensor& dy, Grads& g) {
                  Mixture d = {Tensor(m.generated.shape(), dy.dtype()),
                               Tensor(m.gate.shape(), dy.dtype()),
                               Tensor(m.weights.shape(), dy.dtype()),
                               m.ids,
                               {}};
                  ForEachRow<char>(m,
                                   [&]<typename T>(T, int64_t r, auto& seen) {
                                     m.GradientRow<T>(r, dy, d, seen);
                                   });
                  if (g.Needs(0))
                    g.Add(0, kernels::LogSoftmaxGrad(d.generated, m.generated));
                  if (g.Needs(1)) g.Add(1, std::move(d.gate));
                  if (g.Needs(2)) g.Add(2, std::move(d.weights));
                });
}

}  // namespace heed
