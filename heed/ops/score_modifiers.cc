#include "heed/ops/score_modifiers.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/kernels/elementwise.h"
#include "heed/kernels/normalizers.h"
#include "heed/kernels/rotary.h"
#include "heed/kernels/score_modifiers.h"
#include "heed/ops/check.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/matmul.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

/// Throws ShapeError unless `fits` and the dtypes are equal.
void CheckFits(bool fits, std::string_view op, std::string_view message,
               const Var& x, const Var& y) {
  CheckShapes(fits, op, message, {x.shape(), y.shape()});
  CheckShapes(x.value().dtype() == y.value().dtype(), op,
              "operands of different dtypes", {x.shape(), y.shape()});
}

/// True if dimensions 0 .. axes - 1 of x and y are equal.
bool SameLeading(const Var& x, const Var& y, int axes) {
  for (int axis = 0; axis < axes; ++axis) {
    if (x.dim(axis) != y.dim(axis)) return false;
  }
  return true;
}

/// Throws ShapeError unless x is [..., S] and numbers [...].
void CheckRowNumbers(std::string_view op, std::string_view message,
                     const Var& x, const Var& numbers) {
  const int axes = numbers.shape().rank();
  CheckFits(x.shape().rank() == axes + 1 && SameLeading(x, numbers, axes), op,
            message, x, numbers);
}

void CheckPositive(std::string_view op, std::string_view what, double value) {
  if (value > 0) return;
  throw ConfigError("{}: {} of {}, but it must be above 0", op, what, value);
}

/// True if e is [B*H, T, S].
bool IsByHead(const Var& e, int64_t heads) {
  return e.shape().rank() == 3 && heads >= 1 && e.dim(0) % heads == 0;
}

bool IsOneOr(int64_t dim, int64_t size) { return dim == 1 || dim == size; }

}  // namespace

Var Softplus(const Var& x) {
  return Record("softplus", kernels::Softplus(x.value()), {x},
                [x = x.value()](const Tensor& dy, Grads& g) {
                  const Tensor slope = kernels::Sigmoid(x.Contiguous());
                  g.Add(0, kernels::Mul(dy, slope));
                });
}

Var LeakyRelu(const Var& x, double slope) {
  return Record("leaky relu", kernels::LeakyRelu(x.value(), slope), {x},
                [x = x.value(), slope](const Tensor& dy, Grads& g) {
                  g.Add(0, kernels::LeakyReluGrad(dy, x, slope));
                });
}

Var ScaleRows(const Var& x, const Var& factor) {
  CheckRowNumbers("scale rows", "not a factor for every row", x, factor);
  const Tensor f = factor.value().Contiguous();
  return Record("scale rows", kernels::ScaleRows(x.value(), f), {x, factor},
                [x = x.value(), f](const Tensor& dy, Grads& g) {
                  if (g.Needs(0)) g.Add(0, kernels::ScaleRows(dy, f));
                  if (g.Needs(1)) g.Add(1, kernels::RowDots(dy, x));
                });
}

Var SoftCap(const Var& x, double cap) {
  CheckPositive("soft cap", "a cap", cap);
  return Scale(Tanh(Scale(x, 1 / cap)), cap);
}

Var AddBias(const Var& e, const Var& bias, int64_t heads) {
  const bool fits = IsByHead(e, heads) && bias.shape().rank() == 4 &&
                    IsOneOr(bias.dim(0), e.dim(0) / heads) &&
                    IsOneOr(bias.dim(1), heads) &&
                    IsOneOr(bias.dim(2), e.dim(1)) && bias.dim(3) == e.dim(2);
  CheckFits(fits, "add bias", "scores and a bias that do not fit", e, bias);
  return Record("add bias", kernels::AddBias(e.value(), bias.value(), heads),
                {e, bias}, [heads](const Tensor& dy, Grads& g) {
                  g.Add(0, dy);
                  if (g.Needs(1))
                    kernels::AddBiasGradTo(g.Accumulate(1), dy, heads);
                });
}

Var AddDistanceBias(const Var& e, const Var& bias, int64_t heads) {
  const bool fits =
      IsByHead(e, heads) && bias.shape().rank() == 2 &&
      IsOneOr(bias.dim(0), heads) &&
      bias.dim(1) == std::max<int64_t>(0, e.dim(1) + e.dim(2) - 1);
  CheckFits(fits, "add distance bias",
            "scores and a bias of T + S - 1 distances that do not fit", e,
            bias);
  return Record("add distance bias",
                kernels::AddDistanceBias(e.value(), bias.value(), heads),
                {e, bias}, [heads](const Tensor& dy, Grads& g) {
                  g.Add(0, dy);
                  if (g.Needs(1))
                    kernels::AddDistanceBiasGradTo(g.Accumulate(1), dy, heads);
                });
}

Var DistanceTable(const Var& table, const Tensor& buckets) {
  CheckShapes(table.shape().rank() == 2 && buckets.rank() == 1 &&
                  buckets.dtype() == DType::kI32,
              "distance table", "not a table [R, H] with i32 buckets [L]",
              {table.shape(), buckets.shape()});
  const int64_t heads = table.dim(1);
  const int64_t distances = buckets.dim(0);
  const Var rows = Reshape(Embed(table, buckets), {distances, heads, 1});
  return Reshape(TransposeLeading(rows), {heads, distances});
}

Var GaussianFactor(const Var& x, const Var& centre, double sigma) {
  CheckRowNumbers("gaussian factor", "not a centre for every row", x, centre);
  CheckPositive("gaussian factor", "a sigma", sigma);
  const Tensor c = centre.value().Contiguous();
  return Record("gaussian factor", kernels::GaussianFactor(x.value(), c, sigma),
                {x, centre},
                [x = x.value(), c, sigma](const Tensor& dy, Grads& g) {
                  Tensor dc;
                  g.Add(0, kernels::GaussianFactorGrad(dy, x, c, sigma, dc));
                  g.Add(1, std::move(dc));
                });
}

Var MaskWindow(const Var& x, const Tensor& centre, double width) {
  CheckRowNumbers("mask window", "not a centre for every row", x, centre);
  CheckPositive("mask window", "a width", width);
  Tensor y = kernels::MaskWindow(x.value(), centre.Contiguous(), width);
  return Record("mask window", y, {x}, [y](const Tensor& dy, Grads& g) {
    g.Add(0, kernels::MaskScoresGrad(dy, y));
  });
}

Var Rotary(const Var& x, int64_t heads, int64_t offset, double base) {
  const bool fits = x.shape().rank() == 3 && heads >= 1 &&
                    x.dim(2) % heads == 0 && x.dim(2) / heads % 2 == 0;
  if (!fits) {
    CheckShapes(
        false, "rotary",
        fmt::format("not {} heads of an even number of features", heads),
        {x.shape()});
  }
  CheckPositive("rotary", "a base", base);
  const Tensor turns = kernels::RotaryTurns(x.dim(1), x.dim(2) / heads, offset,
                                            base, x.value().dtype());
  return Record("rotary", kernels::Rotate(x.value(), turns, false), {x},
                [turns](const Tensor& dy, Grads& g) {
                  g.Add(0, kernels::Rotate(dy, turns, true));
                });
}

Var Interpolate(const Var& a, const Var& previous, const Var& gate) {
  CheckSame("interpolate", a, previous);
  CheckRowNumbers("interpolate", "not a gate for every row", a, gate);
  const Var rest =
      Sub(Tensor::Full(gate.shape(), 1, gate.value().dtype()), gate);
  return Add(ScaleRows(a, gate), ScaleRows(previous, rest));
}

Var CircularShift(const Var& a, const Var& shift, const Tensor& lengths) {
  const int axes = a.shape().rank() - 1;
  const bool fits = axes >= 0 && shift.shape().rank() == axes + 1 &&
                    SameLeading(a, shift, axes) && shift.dim(-1) % 2 == 1;
  CheckFits(fits, "circular shift", "not an odd number of shifts for every row",
            a, shift);
  if (lengths.defined()) {
    const int64_t groups = lengths.numel();
    CheckShapes(a.value().rows() % std::max<int64_t>(groups, 1) == 0,
                "circular shift", "lengths that do not divide the rows",
                {lengths.shape(), a.shape()});
    CheckLengths("circular shift", lengths, groups, a.dim(-1));
  }
  return Record(
      "circular shift",
      kernels::CircularShift(a.value(), shift.value(), lengths, false),
      {a, shift},
      [a = a.value(), w = shift.value(), lengths](const Tensor& dy, Grads& g) {
        if (g.Needs(0)) {
          g.Add(0, kernels::CircularShift(dy, w, lengths, true));
        }
        if (g.Needs(1)) {
          g.Add(1, kernels::CircularShiftGrad(dy, a, lengths, w.shape()));
        }
      });
}

Var Sharpen(const Var& a, const Var& gamma) {
  CheckRowNumbers("sharpen", "not a gamma for every row", a, gamma);
  const Tensor power = gamma.value().Contiguous();
  Tensor y = kernels::Sharpen(a.value(), power);
  return Record("sharpen", y, {a, gamma},
                [y, a = a.value(), power](const Tensor& dy, Grads& g) {
                  Tensor dpower;
                  g.Add(0, kernels::SharpenGrad(dy, y, a, power, dpower));
                  g.Add(1, std::move(dpower));
                });
}

}  // namespace heed
