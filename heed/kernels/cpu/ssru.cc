#include "heed/kernels/ssru.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/cpu/ssru.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "heed/kernels/cpu/lanes-inl.h"
#include "heed/kernels/cpu/math-inl.h"
#include "heed/kernels/cpu/rnn-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace {

/// Units that are scanned together.
constexpr int64_t kScanUnits = 128;

/// Calls scan(zero, b, begin, end) for units [begin, end) of sequence b, in
/// parallel, with a zero of the element type.
template <typename Scan>
void ForScans(const Tensor& cells, const Scan& scan) {
  const int64_t steps = cells.dim(1);
  const int64_t units = cells.dim(2);
  const int64_t blocks = (units + kScanUnits - 1) / kScanUnits;
  const int64_t grain =
      std::max<int64_t>(1, kChunkUnits / (kScanUnits * steps + 1));
  WithFloat(cells, [&](auto zero) HWY_ATTR {
    ParallelForEach(cells.dim(0) * blocks, grain, [&](int64_t i) HWY_ATTR {
      const int64_t begin = i % blocks * kScanUnits;
      scan(zero, i / blocks, begin, std::min(units, begin + kScanUnits));
    });
  });
}

void SsruScanImpl(const SsruInputs& in, Tensor& cells) {
  const int64_t steps = cells.dim(1);
  const int64_t units = cells.dim(2);
  ForScans(cells, [&]<typename T>(T, int64_t b, int64_t begin,
                                  int64_t end) HWY_ATTR {
    const T zeros[kScanUnits] = {};
    const T* bias = in.bias.data<T>() + begin;
    const T* before = in.first.defined() ? in.first.row<T>(b) + begin : zeros;
    for (int64_t t = 0; t < steps; ++t) {
      const T* x = in.x.row<T>(b * steps + t) + begin;
      T* c = cells.row<T>(b * steps + t) + begin;
      ForLanes<T>(end - begin, [=](auto lanes, int64_t i) HEED_LANES {
        const auto d = lanes.d;
        const auto candidate = lanes.Load(x + i);
        const auto f = Sigmoid(
            d, hn::Add(lanes.Load(x + units + i), lanes.Load(bias + i)));
        const auto change = hn::Sub(lanes.Load(before + i), candidate);
        lanes.Store(hn::MulAdd(f, change, candidate), c + i);
      });
      before = c;
    }
  });
}

void SsruScanGradImpl(const Tensor& dcells, const SsruInputs& in,
                      const Tensor& cells, Tensor& dx, Tensor* dfirst) {
  const int64_t steps = cells.dim(1);
  const int64_t units = cells.dim(2);
  ForScans(cells, [&]<typename T>(T, int64_t b, int64_t begin,
                                  int64_t end) HWY_ATTR {
    const T zeros[kScanUnits] = {};
    T later[kScanUnits] = {};  // gradient of c_t from step t + 1
    const T* bias = in.bias.data<T>() + begin;
    T* carried = later;
    for (int64_t t = steps - 1; t >= 0; --t) {
      const int64_t row = b * steps + t;
      const T* first = in.first.defined() ? in.first.row<T>(b) + begin : zeros;
      const T* before = t > 0 ? cells.row<T>(row - 1) + begin : first;
      const T* x = in.x.row<T>(row) + begin;
      const T* dc_t = dcells.row<T>(row) + begin;
      T* dx_t = dx.row<T>(row) + begin;
      ForLanes<T>(end - begin, [=](auto lanes, int64_t i) HEED_LANES {
        const auto d = lanes.d;
        const auto candidate = lanes.Load(x + i);
        const auto f = Sigmoid(
            d, hn::Add(lanes.Load(x + units + i), lanes.Load(bias + i)));
        const auto dc = hn::Add(lanes.Load(dc_t + i), lanes.Load(carried + i));
        const auto change = hn::Sub(lanes.Load(before + i), candidate);
        const auto kept = hn::Mul(f, dc);
        lanes.Store(hn::Sub(dc, kept), dx_t + i);
        lanes.Store(ThroughSigmoid(hn::Mul(dc, change), f), dx_t + units + i);
        lanes.Store(kept, carried + i);
      });
    }
    if (dfirst == nullptr) return;
    std::copy_n(later, end - begin, dfirst->row<T>(b) + begin);
  });
}

}  // namespace
}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
namespace {

HWY_EXPORT(SsruScanImpl);
HWY_EXPORT(SsruScanGradImpl);

}  // namespace

void SsruScan(const SsruInputs& in, Tensor& cells) {
  HWY_DYNAMIC_DISPATCH(SsruScanImpl)(in, cells);
}

void SsruScanGrad(const Tensor& dcells, const SsruInputs& in,
                  const Tensor& cells, Tensor& dx, Tensor* dfirst) {
  HWY_DYNAMIC_DISPATCH(SsruScanGradImpl)(dcells, in, cells, dx, dfirst);
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
