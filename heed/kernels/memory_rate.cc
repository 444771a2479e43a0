#include "heed/kernels/memory_rate.h"

#include <vector>

#include "heed/base/at.h"
#include "heed/base/threads.h"
#include "heed/base/timing.h"
#include "heed/kernels/reduce.h"

namespace heed::kernels {

double MeasureReadRate(const Tensor& large) {
  constexpr int64_t kPiece = int64_t{1} << 17;
  std::vector<double> sums(static_cast<size_t>(large.numel() / kPiece));
  const auto begin = Clock::now();
  ParallelFor(
      static_cast<int64_t>(sums.size()), 1, [&](int64_t first, int64_t last) {
        for (int64_t i = first; i < last; ++i) {
          At(sums, i) = SumSquares(large.Slice(i * kPiece, (i + 1) * kPiece));
        }
      });
  return static_cast<double>(large.bytes()) / SecondsSince(begin);
}

}  // namespace heed::kernels
