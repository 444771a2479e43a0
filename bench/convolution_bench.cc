#include "bench/convolution_bench.h"

#include <vector>

#include "heed/base/errors.h"
#include "heed/base/rng.h"
#include "heed/base/threads.h"
#include "heed/base/timing.h"
#include "heed/kernels/gemm.h"
#include "heed/ops/convolution2d.h"

namespace heed {
namespace {

Tensor SmallNumbers(const Shape& shape, uint64_t seed) {
  Rng rng(seed);
  Tensor x(shape);
  for (int64_t i = 0; i < x.numel(); ++i) {
    x.data<float>()[i] = static_cast<float>(rng.Uniform(-0.1, 0.1));
  }
  return x;
}

}  // namespace

void ConvolutionBenchOptions::Visit(FieldList& v) {
  v.Section("Convolution");
  v("batch", batch, Range(1, 65536), "images at once");
  v("size", size, Range(1, 4096), "height and width of an image");
  v("channels", channels, Range(1, 65536), "channels of an image");
  v("filters", filters, Range(0, 65536),
    "channels of the output; 0: as channels");
  v("window", window, Range(1, 1024),
    "side of a filter; images are padded by half of it with zeros");
  v("stride", stride, Range(1, 1024), "pixels from one window to the next");
  v("dtype", dtype, OneOf{"f32", "bf16"}, "number format of factors");
  v("backward", backward, "time the gradients of images and filters too");
  v.Section("Run");
  v("seconds", seconds, Range(0.01, 3600),
    "approximate measuring time in seconds");
  v("threads", threads, Range(0, 1024), "threads; 0: one per core");
}

ConvolutionBenchResult BenchConvolution(const ConvolutionBenchOptions& o) {
  const ThreadLimit limit(o.threads);
  const bool bf16 = o.dtype == "bf16" && kernels::HasBF16();
  const auto precision =
      bf16 ? kernels::Precision::kBF16 : kernels::Precision::kNative;
  const int64_t filters = o.filters == 0 ? o.channels : o.filters;
  const Window2d window = {o.window, o.stride, o.window / 2};
  const int64_t places = window.Places(o.size);
  if (places < 1) throw ConfigError("window: no place for it in an image");
  const Tensor x = SmallNumbers({o.batch, o.size, o.size, o.channels}, 1);
  const Tensor w = SmallNumbers({o.window, o.window, o.channels, filters}, 2);
  const Tensor bias = SmallNumbers({filters}, 3);
  const Tensor dy = SmallNumbers({o.batch, places, places, filters}, 4);
  Tape tape;
  const auto pass = [&] {
    if (!o.backward) {
      Convolve2d(x, w, bias, window, precision);
      return;
    }
    const Var y = Convolve2d(tape.Leaf(x), tape.Leaf(w), tape.Leaf(bias),
                             window, precision);
    tape.Backward(y, dy);
    tape.Clear();
  };
  pass();
  std::vector<double> times;
  std::vector<double> rates;
  const auto begin = Clock::now();
  // The limit is measured between the passes, so that both see the same machine
  // state.
  while (times.size() < 3 || SecondsSince(begin) < o.seconds) {
    const auto start = Clock::now();
    pass();
    times.push_back(SecondsSince(start));
    if (rates.size() < times.size() / 4 + 1) {
      rates.push_back(kernels::MeasureProductRate(precision, 0.03));
    }
  }
  ConvolutionBenchResult result;
  result.dtype = bf16 ? "bf16" : "f32";
  result.threads = ThreadCount();
  result.ms = 1e3 * Median(times);
  result.gflop = (o.backward ? 3 : 1) * 2e-9 * static_cast<double>(dy.numel()) *
                 static_cast<double>(w.rows());
  result.gflops = 1e3 * result.gflop / result.ms;
  result.limit_gflops = Median(rates) / 1e9;
  result.fraction = result.gflops / result.limit_gflops;
  return result;
}

}  // namespace heed
