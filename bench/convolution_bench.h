// How fast a convolution is, against the rate of large products.
#ifndef HEED_BENCH_CONVOLUTION_BENCH_H_
#define HEED_BENCH_CONVOLUTION_BENCH_H_

#include <string>

#include "heed/base/config.h"

namespace heed {

/// Images of random numbers, as many channels out as in.
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
  std::string dtype;  // what was used: f32 where there is no bf16
  int threads = 0;
  double ms = 0;     // median of one pass
  double gflop = 0;  // 2 H' W' K² C F an image; with backward three times that
  double gflops = 0;
  double limit_gflops = 0;  // rate of large matrix products in this run
  double fraction = 0;      // gflops / limit_gflops
};

/// Throws: ConfigError.
ConvolutionBenchResult BenchConvolution(const ConvolutionBenchOptions& options);

}  // namespace heed

#endif  // HEED_BENCH_CONVOLUTION_BENCH_H_
