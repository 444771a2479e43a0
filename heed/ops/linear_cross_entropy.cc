#include "heed/ops/linear_cross_entropy.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "heed/kernels/elementwise.h"
#include "heed/kernels/gather.h"
#include "heed/kernels/reduce.h"
#include "heed/kernels/rowwise.h"
#include "heed/ops/check.h"
#include "heed/ops/product.h"

namespace heed {
namespace {

/// Maximum size of scores, or of a weight's gradient, for the cache.
constexpr int64_t kCacheBytes = 8 << 20;
/// Rows per block if the gradient exceeds the cache and is read and written for
/// each block.
constexpr int64_t kManyRows = 1024;
/// Products are fastest for a multiple of this many rows.
constexpr int64_t kRowUnit = 64;

/// Rows per block; all blocks have about the same size.
int64_t BlockRows(const Tensor& x, int64_t V) {
  const auto row =
      std::max<int64_t>(1, V) * static_cast<int64_t>(SizeOf(x.dtype()));
  const int64_t max = row * x.dim(1) > kCacheBytes
                          ? kManyRows
                          : std::max(kRowUnit, kCacheBytes / row);
  const int64_t blocks = std::max<int64_t>(1, (x.dim(0) + max - 1) / max);
  const int64_t rows = (x.dim(0) + blocks - 1) / blocks;
  return std::min(x.dim(0), (rows + kRowUnit - 1) / kRowUnit * kRowUnit);
}

/// Rows that are not ignored.
struct Counted {
  Tensor x;        // [N, M]
  Tensor targets;  // i32 [N]
  Tensor places;  // i32 [N]: original positions; undefined if no row is ignored
};

Counted CountedRows(const Tensor& x, const Tensor& targets, int32_t ignore_id) {
  const Tensor rows = x.Contiguous().Reshape({targets.numel(), x.dim(-1)});
  const Tensor labels = targets.Reshape({targets.numel()});
  std::vector<int32_t> places;
  for (int64_t i = 0; i < labels.numel(); ++i) {
    if (labels.data<int32_t>()[i] == ignore_id) continue;
    places.push_back(static_cast<int32_t>(i));
  }
  if (std::ssize(places) == labels.numel()) return {rows, labels, {}};
  const Tensor ids = Tensor::Of(places, {std::ssize(places)});
  return {kernels::Gather(rows, ids), kernels::Gather(labels, ids), ids};
}

/// Gradient of x from the gradient of the rows that are not ignored.
Tensor Spread(const Tensor& gradient, const Tensor& places,
              const Shape& shape) {
  if (!places.defined()) return gradient.Reshape(shape);
  Tensor spread = Tensor::Zeros(shape, gradient.dtype());
  Tensor rows = spread.Reshape({spread.rows(), spread.cols()});
  kernels::ScatterAddTo(rows, places, gradient);
  return spread;
}

/// Accumulates the loss and its gradients block by block.
class Blocks {
 public:
  Blocks(const Var& x, const LinearWeights& output, const Counted& rows)
      : factor_(output.weight),
        transposed_(output.transposed),
        bias_(output.bias.value()),
        precision_(output.weight.parameter() != nullptr
                       ? output.weight.parameter()->precision()
                       : kernels::Precision::kNative) {
    if (x.tape() != nullptr) dx = Tensor(rows.x.shape(), rows.x.dtype());
    if (output.weight.tape() != nullptr) {
      // The first block overwrites the gradient.
      dweight = rows.x.dim(0) > 0
                    ? Tensor(output.weight.shape(), rows.x.dtype())
                    : Tensor::Zeros(output.weight.shape(), rows.x.dtype());
    }
    if (output.bias.tape() != nullptr) {
      dbias = Tensor::Zeros(output.bias.shape(), rows.x.dtype());
    }
  }

  /// Adds the rows from `begin` on; `scores` is scratch.
  kernels::CrossEntropyResult Add(const Tensor& x, const Tensor& targets,
                                  int64_t begin,
                                  const CrossEntropyOptions& options,
                                  Tensor scores) {
    MultiplyBy(x, factor_, transposed_, {.bias = &bias_}, scores);
    const bool differentiated =
        dx.defined() || dweight.defined() || dbias.defined();
    const kernels::CrossEntropyResult result = kernels::CrossEntropy(
        scores, targets, options.ignore_id, options.smoothing, options.scale,
        differentiated ? &scores : nullptr);
    if (dx.defined()) {
      Tensor part = dx.Slice(begin, begin + x.dim(0));
      MultiplyBy(scores, factor_, !transposed_, {}, part);
    }
    if (dweight.defined()) {
      kernels::MultiplyTransposed(transposed_ ? scores : x,
                                  transposed_ ? x : scores, begin > 0,
                                  precision_, dweight);
    }
    if (dbias.defined()) kernels::ColumnSumTo(dbias, scores);
    return result;
  }

  // Undefined if not needed.
  Tensor dx;  // of the rows that are not ignored
  Tensor dweight;
  Tensor dbias;

 private:
  Factor factor_;
  bool transposed_;
  Tensor bias_;
  kernels::Precision precision_;
};

Tensor Scaled(const Tensor& gradient, double factor) {
  return factor == 1 ? gradient : kernels::Scale(gradient, factor);
}

}  // namespace

CrossEntropyLoss LinearCrossEntropy(const Var& x, const LinearWeights& output,
                                    const Tensor& targets,
                                    const CrossEntropyOptions& options) {
  const Var& weight = output.weight;
  CheckAffine("linear cross entropy", x, weight, output.bias,
              output.transposed);
  const int64_t V = weight.dim(output.transposed ? 0 : 1);
  CheckShapes(x.value().rows() == targets.numel(), "linear cross entropy",
              "rows and targets that do not fit", {x.shape(), targets.shape()});
  CheckTargets("linear cross entropy", targets, options.ignore_id, V);
  const Counted rows = CountedRows(x.value(), targets, options.ignore_id);
  const int64_t block = BlockRows(rows.x, V);
  const Tensor scores({block, V}, rows.x.dtype());
  Blocks blocks(x, output, rows);
  CrossEntropyLoss loss;
  double sum = 0;
  for (int64_t begin = 0; begin < rows.x.dim(0); begin += block) {
    const int64_t end = std::min(begin + block, rows.x.dim(0));
    const kernels::CrossEntropyResult result =
        blocks.Add(rows.x.Slice(begin, end), rows.targets.Slice(begin, end),
                   begin, options, scores.Slice(0, end - begin));
    sum += result.loss;
    loss.nll += result.nll;
    loss.tokens += result.tokens;
    loss.correct += result.correct;
  }
  loss.loss = Record(
      "linear cross entropy",
      Tensor::Full({}, options.scale * sum, rows.x.dtype()),
      {x, weight, output.bias},
      [dx = blocks.dx, dweight = blocks.dweight, dbias = blocks.dbias,
       places = rows.places, shape = x.shape()](const Tensor& dy, Grads& g) {
        const double d = dy.item();
        if (g.Needs(0)) g.Add(0, Spread(Scaled(dx, d), places, shape));
        if (g.Needs(1)) g.Add(1, Scaled(dweight, d));
        if (g.Needs(2)) g.Add(2, Scaled(dbias, d));
      });
  return loss;
}

}  // namespace heed
