#include "heed/nn/positions.h"

#include <cmath>

#include "heed/base/errors.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

template <typename T>
void Fill(PositionKind kind, int64_t begin, Tensor& table) {
  const int64_t half = table.cols() / 2;
  const bool t2t = kind == PositionKind::kSinusoidalT2t;
  const bool beside = kind == PositionKind::kSinusoidal;
  const auto steps = static_cast<double>(t2t ? half - 1 : half);
  for (int64_t i = 0; i < half; ++i) {
    const double frequency =
        i == 0 ? 1 : std::pow(10000, -static_cast<double>(i) / steps);
    for (int64_t p = 0; p < table.rows(); ++p) {
      const double angle = static_cast<double>(begin + p) * frequency;
      T* row = table.row<T>(p);
      row[beside ? 2 * i : i] = static_cast<T>(std::sin(angle));
      row[beside ? 2 * i + 1 : half + i] = static_cast<T>(std::cos(angle));
    }
  }
}

}  // namespace

Tensor Sinusoids(PositionKind kind, int64_t begin, int64_t end,
                 int64_t features, DType dtype) {
  Tensor table({end - begin, features}, dtype);
  if (dtype == DType::kF64) {
    Fill<double>(kind, begin, table);
  } else {
    Fill<float>(kind, begin, table);
  }
  return table;
}

Positions::Positions(const Scope& scope, PositionKind kind, int64_t max,
                     int64_t features, Init init, DType dtype)
    : kind_(kind), path_(scope.path()), features_(features) {
  if (kind == PositionKind::kLearned) {
    learned_.emplace(scope, max, features, init);
  } else if (kind != PositionKind::kNone) {
    if (features % 2 != 0) {
      throw ConfigError("{}: {} features do not divide into sines and cosines",
                        path_, features);
    }
    table_ = Sinusoids(kind, 0, max, features, dtype);
  }
}

Tensor Positions::Rows(int64_t begin, int64_t end) const {
  if (!table_.defined()) return {};
  if (end <= table_.dim(0)) return table_.Slice(begin, end);
  return Sinusoids(kind_, begin, end, features_, table_.dtype());
}

Var Positions::AddTo(const Context& ctx, const Var& x, int64_t offset) const {
  if (kind_ == PositionKind::kNone) return x;
  const int64_t end = offset + x.dim(1);
  Var rows;
  if (learned_) {
    const int64_t max = learned_->weight().value().dim(0);
    if (end > max) {
      throw ShapeError(
          "{}: position {} of {}; shorten the text, or train a model with more "
          "max_positions",
          path_, end, max);
    }
    rows = learned_->Rows(ctx, offset, end);
  } else {
    rows = Rows(offset, end);
  }
  const int64_t all = x.dim(1) * x.dim(2);
  return Reshape(AddRow(Reshape(x, {x.dim(0), all}), Reshape(rows, {all})),
                 x.shape());
}

}  // namespace heed
