#include "heed/kernels/sparse.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/cpu/sparse.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "heed/base/threads.h"
#include "heed/kernels/cpu/sparse_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace {

/// Rows per chunk of a parallel loop over `rows` with `entries` entries.
int64_t EntryGrain(int64_t rows, int64_t entries, int64_t cols) {
  return RowGrain((entries / std::max<int64_t>(1, rows) + 1) * cols);
}

/// The values, or ones if they are undefined.
Tensor Given(const Tensor& values, int64_t entries, DType dtype) {
  return values.defined() ? values : Tensor::Full({1, entries}, 1, dtype);
}

/// y[r] += sum over the entries of row r of values times rows of x; each group
/// of columns has its own values.
void AddProducts(Tensor& y, int64_t rows, const int32_t* offsets,
                 const int32_t* list, const int32_t* rows_of_x,
                 const Tensor& values, const Tensor& x) {
  const int64_t groups = values.dim(0);
  const int64_t cols = x.cols();
  const int64_t width = cols / groups;
  assert(width * groups == cols);
  assert(y.contiguous() && values.contiguous() && x.dtype() == y.dtype());
  WithFloat(y, [&]<typename T>(T) {
    ParallelForEach(rows, EntryGrain(rows, values.dim(1), cols),
                    [&](int64_t r) HWY_ATTR {
                      const Edges entries{list, rows_of_x, offsets[r],
                                          offsets[r + 1] - offsets[r]};
                      if (entries.size == 0) return;
                      for (int64_t g = 0; g < groups; ++g) {
                        AddRows<T>(entries, width, T(1), values.row<T>(g),
                                   {x.data<T>() + g * width, x.row_stride()},
                                   y.data<T>() + r * cols + g * width);
                      }
                    });
  });
}

}  // namespace

Tensor SparseProduct(const SparsePattern& pattern, const Tensor& values,
                     const Tensor& w) {
  Tensor y = Tensor::Zeros({pattern.rows, w.cols()}, w.dtype());
  AddProducts(y, pattern.rows, pattern.offsets.data<int32_t>(), nullptr,
              pattern.columns.data<int32_t>(),
              Given(values, pattern.entries(), w.dtype()), w);
  return y;
}

void AddTransposedProduct(Tensor& dw, const SparsePattern& pattern,
                          const Tensor& values, const Tensor& dy) {
  AddProducts(dw, pattern.cols, pattern.transposed_offsets.data<int32_t>(),
              pattern.transposed_entries.data<int32_t>(),
              pattern.rows_of_entries.data<int32_t>(),
              Given(values, pattern.entries(), dy.dtype()), dy);
}

Tensor ValuesGrad(const SparsePattern& pattern, int64_t groups, const Tensor& w,
                  const Tensor& dy) {
  Tensor dvalues({groups, pattern.entries()}, dy.dtype());
  const int64_t width = dy.cols() / groups;
  const int32_t* column = pattern.columns.data<int32_t>();
  const int32_t* row = pattern.rows_of_entries.data<int32_t>();
  WithFloat(dy, [&]<typename T>(T) {
    ParallelForEach(pattern.entries(), RowGrain(dy.cols()),
                    [&](int64_t e) HWY_ATTR {
                      for (int64_t g = 0; g < groups; ++g) {
                        dvalues.row<T>(g)[e] =
                            DotSpan(width, w.row<T>(column[e]) + g * width,
                                    dy.row<T>(row[e]) + g * width);
                      }
                    });
  });
  return dvalues;
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(SparseProduct);
HWY_EXPORT(AddTransposedProduct);
HWY_EXPORT(ValuesGrad);

Tensor SparseMultiply(const SparsePattern& pattern, const Tensor& values,
                      const Tensor& w) {
  return HWY_DYNAMIC_DISPATCH(SparseProduct)(pattern, values, w);
}

void SparseMultiplyTransposedTo(Tensor& dw, const SparsePattern& pattern,
                                const Tensor& values, const Tensor& dy) {
  HWY_DYNAMIC_DISPATCH(AddTransposedProduct)(dw, pattern, values, dy);
}

Tensor SparseValuesGrad(const SparsePattern& pattern, int64_t groups,
                        const Tensor& w, const Tensor& dy) {
  return HWY_DYNAMIC_DISPATCH(ValuesGrad)(pattern, groups, w, dy);
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
