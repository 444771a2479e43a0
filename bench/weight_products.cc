// Products of few rows with the matrices of a language model, beside the rate
// at which the machine reads memory in the same run: decoding of one text is
// memory-bound if the ratio is near 1.
//
//   bench_weight_products [SECONDS]
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "heed/base/rng.h"
#include "heed/base/timing.h"
#include "heed/kernels/bf16_weights.h"
#include "heed/kernels/gemm.h"
#include "heed/kernels/memory_rate.h"
#include "heed/kernels/quantize.h"

namespace heed {
namespace {

using kernels::PackedMatrix;
using kernels::Precision;

/// Number format of the matrices; rows are f32, or int8 for int8.
enum class Format : uint8_t { kF32, kBF16, kInt8 };

Tensor RandomNumbers(const Shape& shape, Rng& rng) {
  Tensor x(shape);
  for (int64_t i = 0; i < x.numel(); ++i) {
    x.data<float>()[i] = static_cast<float>(rng.Uniform(-0.1, 0.1));
  }
  return x;
}

/// Matrices of GPT-2 with 124 million weights: 12 layers, and the scores.
std::vector<PackedMatrix> Matrices(Format format) {
  constexpr int kLayers = 12;
  constexpr int64_t kWidth = 768;
  std::vector<Shape> shapes;
  for (int i = 0; i < kLayers; ++i) {
    shapes.insert(shapes.end(), {{kWidth, 3 * kWidth},
                                 {kWidth, kWidth},
                                 {kWidth, 4 * kWidth},
                                 {4 * kWidth, kWidth}});
  }
  shapes.push_back({kWidth, 50257});
  Rng rng(1);
  std::vector<PackedMatrix> matrices;
  for (const Shape& shape : shapes) {
    const Tensor w = RandomNumbers(shape, rng);
    PackedMatrix& packed = matrices.emplace_back();
    if (format == Format::kBF16) {
      kernels::PackBF16(w.To(DType::kBF16), false, Precision::kNative, packed);
    } else {
      kernels::Pack(
          w, false,
          format == Format::kInt8 ? Precision::kInt8 : Precision::kNative,
          packed);
    }
  }
  return matrices;
}

/// Multiplies rows by each matrix, as often as fits into `seconds`; prints a
/// line of the table.
void Measure(const char* name, const std::vector<PackedMatrix>& matrices,
             int64_t rows, const Tensor& large, double seconds) {
  Rng rng(2);
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
  int64_t bytes = 0;
  for (const PackedMatrix& w : matrices) {
    inputs.push_back(RandomNumbers({rows, w.k}, rng));
    outputs.emplace_back(Shape{rows, w.n});
    bytes += w.data.bytes();
  }
  const auto pass = [&] {
    for (size_t i = 0; i < matrices.size(); ++i) {
      kernels::Multiply(inputs[i], matrices[i], false, outputs[i]);
    }
  };
  pass();
  std::vector<double> times;
  std::vector<double> rates;
  const auto begin = Clock::now();
  // Both see the same machine state.
  while (times.size() < 5 || SecondsSince(begin) < seconds) {
    const auto start = Clock::now();
    pass();
    times.push_back(SecondsSince(start));
    rates.push_back(kernels::MeasureReadRate(large));
  }
  const double time = Median(times);
  const double rate = static_cast<double>(bytes) / time;
  fmt::print("{:5} {:4} {:8.2f} {:8.1f} {:8.1f} {:6.2f}\n", name, rows,
             1e3 * time, rate / 1e9, Median(rates) / 1e9, rate / Median(rates));
}

void Run(double seconds) {
  constexpr int64_t kReadBytes = int64_t{1} << 28;
  const Tensor large = Tensor::Zeros({kReadBytes / 4});
  fmt::print("{:5} {:>4} {:>8} {:>8} {:>8} {:>6}\n", "type", "rows", "ms",
             "GB/s", "read", "ratio");
  for (const auto& [name, format] : {std::pair{"f32", Format::kF32},
                                     {"bf16", Format::kBF16},
                                     {"int8", Format::kInt8}}) {
    const std::vector<PackedMatrix> matrices = Matrices(format);
    for (const int64_t rows : {1, 2, 4, 8, 64, 512}) {
      Measure(name, matrices, rows, large, seconds);
    }
  }
}

}  // namespace
}  // namespace heed

int main(int argc, char** argv) {
  heed::Run(argc > 1 ? std::strtod(argv[1], nullptr) : 2);
  return 0;
}
