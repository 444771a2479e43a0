// Throughput of a convolution, relative to the rate of large products.
#ifndef HEED_BENCH_CONVOLUTION_BENCH_H_
#define HEED_BENCH_CONVOLUTION_BENCH_H_

#include <string>

#include "heed/base/config.h"

namespace heed {

/// Options. Images are random, with equal numbers of input and output channels.
struct ConvolutionBenchOptions {
  int batch = 64;
  int size = 56;
  int channels = 64;
  int filters = 0;
  int window = 3;
  int stride = 1;
  std::string dtype = "f32";
  bool backward = false;
  double seconds = 2;
  int threads = 0;

  void Visit(FieldList& v);
};

struct ConvolutionBenchResult {
  std::string dtype;  // number format used: f32 if bf16 is not supported
  int threads = 0;
  double ms = 0;     // median of one pass
  double gflop = 0;  // 2 H' W' K² C F per image; with backward 3 times
  double gflops = 0;
  double limit_gflops = 0;  // rate of large matrix products in this run
  double fraction = 0;      // gflops / limit_gflops
};

/// Throws: ConfigError.
ConvolutionBenchResult BenchConvolution(const ConvolutionBenchOptions& options);

}  // namespace heed

#endif  // HEED_BENCH_CONVOLUTION_BENCH_H_
