#include "heed/base/shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "heed/base/errors.h"

namespace heed {

Shape::Shape(std::initializer_list<int64_t> dims) {
  for (int64_t dim : dims) Append(dim);
}

void Shape::Append(int64_t dim) {
  if (rank_ == kMaxRank) {
    throw ShapeError("shape: more than {} dimensions", kMaxRank);
  }
  if (dim < 0) throw ShapeError("shape: negative dimension {}", dim);
  dims_[rank_++] = dim;
}

std::string Shape::ToString() const {
  return fmt::format("[{}]",
                     fmt::join(dims_.begin(), dims_.begin() + rank_, ", "));
}

}  // namespace heed
