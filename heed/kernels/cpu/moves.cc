// Kernels that move elements of any dtype.
#include <algorithm>
#include <cassert>
#include <cstring>

#include "heed/base/threads.h"
#include "heed/kernels/elementwise.h"
#include "heed/kernels/gather.h"

namespace heed::kernels {
namespace {

/// Items of `bytes` bytes each that make a chunk of a parallel loop.
int64_t Grain(int64_t bytes) {
  constexpr int64_t kChunkBytes = 262144;
  return std::max<int64_t>(1, kChunkBytes / std::max<int64_t>(16, bytes));
}

/// memcpy that is inlined for single ids and numbers.
void CopyBytes(char* to, const char* from, int64_t bytes) {
  if (bytes == 4) {
    std::memcpy(to, from, 4);
  } else if (bytes > 0) {
    std::memcpy(to, from, static_cast<size_t>(bytes));
  }
}

char* Bytes(Tensor& x) { return static_cast<char*>(x.raw()); }
const char* Bytes(const Tensor& x) { return static_cast<const char*>(x.raw()); }

/// Bytes of the elements that share their first `axes` indices.
int64_t TrailingBytes(const Tensor& x, int axes) {
  auto bytes = static_cast<int64_t>(SizeOf(x.dtype()));
  for (int axis = axes; axis < x.rank(); ++axis) bytes *= x.dim(axis);
  return bytes;
}

}  // namespace

Tensor ConcatColumns(std::span<const Tensor> parts) {
  assert(!parts.empty());
  const Tensor& first = parts[0];
  Shape shape = first.shape();
  int64_t cols = 0;
  for (const Tensor& part : parts) {
    assert(part.rows() == first.rows() && part.dtype() == first.dtype());
    cols += part.cols();
  }
  shape.Set(-1, cols);
  Tensor y(shape, first.dtype());
  const auto size = static_cast<int64_t>(SizeOf(first.dtype()));
  ParallelForEach(y.rows(), Grain(cols * size), [&](int64_t r) {
    char* to = Bytes(y) + r * cols * size;
    for (const Tensor& part : parts) {
      const int64_t bytes = part.cols() * size;
      CopyBytes(to, Bytes(part) + r * part.row_stride() * size, bytes);
      to += bytes;
    }
  });
  return y;
}

Tensor TransposeLeading(const Tensor& x) {
  assert(x.rank() >= 2 && x.contiguous());
  const int64_t a_count = x.dim(0);
  const int64_t b_count = x.dim(1);
  Shape shape = x.shape();
  shape.Set(0, b_count);
  shape.Set(1, a_count);
  Tensor y(shape, x.dtype());
  const int64_t bytes = TrailingBytes(x, 2);
  ParallelForEach(b_count, Grain(a_count * bytes), [&](int64_t b) {
    for (int64_t a = 0; a < a_count; ++a) {
      CopyBytes(Bytes(y) + (b * a_count + a) * bytes,
                Bytes(x) + (a * b_count + b) * bytes, bytes);
    }
  });
  return y;
}

Tensor ReverseByLength(const Tensor& x, const Tensor& lengths) {
  assert(x.rank() >= 2 && x.contiguous() && lengths.numel() == x.dim(1));
  Tensor y(x.shape(), x.dtype());
  const int64_t b_count = x.dim(1);
  const int32_t* length = lengths.data<int32_t>();
  const int64_t bytes = TrailingBytes(x, 2);
  ParallelForEach(x.dim(0), Grain(b_count * bytes), [&](int64_t s) {
    for (int64_t b = 0; b < b_count; ++b) {
      const int64_t from = s < length[b] ? length[b] - 1 - s : s;
      CopyBytes(Bytes(y) + (s * b_count + b) * bytes,
                Bytes(x) + (from * b_count + b) * bytes, bytes);
    }
  });
  return y;
}

Tensor Gather(const Tensor& table, const Tensor& ids) {
  assert(table.rank() >= 1 && table.contiguous() && ids.contiguous());
  Shape shape = ids.shape();
  for (int axis = 1; axis < table.rank(); ++axis) shape.Append(table.dim(axis));
  Tensor y(shape, table.dtype());
  const int32_t* id = ids.data<int32_t>();
  const int64_t bytes = TrailingBytes(table, 1);
  ParallelForEach(ids.numel(), Grain(bytes), [&](int64_t i) {
    assert(id[i] >= 0 && id[i] < table.dim(0));
    CopyBytes(Bytes(y) + i * bytes, Bytes(table) + id[i] * bytes, bytes);
  });
  return y;
}

}  // namespace heed::kernels
