#include "heed/kernels/memory_addressing.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <hwy/tests/hwy_gtest.h>

#include <cmath>
#include <vector>

#include "heed/base/at.h"
#include "heed/kernels/instructions_testing.h"
#include "heed/kernels/memory_testing.h"

namespace heed::kernels::memory_addressing_test {
namespace {

double Softplus(double x) { return std::log1p(std::exp(x)); }

/// Eq. 5 to 9 for one head, in scalar code.
std::vector<double> PlainWeights(const MemorySizes& s, const MemoryCase& c,
                                 int64_t b, int64_t h) {
  const int64_t at = h * AddressSize(s.f, s.reach);
  const auto number = [&](int64_t i) { return At(c.numbers, b, at + i); };
  const auto n = static_cast<size_t>(s.n);
  std::vector<double> content(n), mixed(n), moved(n);
  double key2 = kCosineEpsilon;
  for (int64_t f = 0; f < s.f; ++f) key2 += std::pow(std::tanh(number(f)), 2);
  double sum = 0;
  for (int64_t i = 0; i < s.n; ++i) {
    double dot = 0;
    double slot2 = kCosineEpsilon;
    for (int64_t f = 0; f < s.f; ++f) {
      const double m = At(c.memory, b * s.f + f, i);
      dot += std::tanh(number(f)) * m;
      slot2 += m * m;
    }
    At(content, i) =
        std::exp(Softplus(number(s.f)) * dot / std::sqrt(key2 * slot2));
    sum += At(content, i);
  }
  const double gate = 1 / (1 + std::exp(-number(s.f + 1)));
  for (int64_t i = 0; i < s.n; ++i) {
    At(mixed, i) = gate * At(content, i) / sum +
                   (1 - gate) * At(c.previous, b * s.h + h, i);
  }
  double shifts = 0;
  for (int64_t o = -s.reach; o <= s.reach; ++o) {
    shifts += std::exp(number(s.f + 2 + o + s.reach));
  }
  double powers = 0;
  for (int64_t i = 0; i < s.n; ++i) {
    double t = 0;
    for (int64_t o = -s.reach; o <= s.reach; ++o) {
      const int64_t from = ((i - o) % s.n + s.n) % s.n;
      t += std::exp(number(s.f + 2 + o + s.reach)) / shifts * At(mixed, from);
    }
    At(moved, i) = std::pow(t, 1 + Softplus(number(s.f + 3 + 2 * s.reach)));
    powers += At(moved, i);
  }
  for (double& w : moved) w /= powers;
  return moved;
}

class MemoryAddressing : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(MemoryAddressing);

TEST_P(MemoryAddressing, AddressIsTheFormula) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    for (const MemorySizes& s : kMemorySizes) {
      const MemoryCase c(s, dtype);
      const Tensor w = AddressMemory(c.numbers, c.previous, c.memory).weights;
      ExpectEach(w, 2e-6, [&](int64_t r, int64_t i) {
        return At(PlainWeights(s, c, r / s.h, r % s.h), i);
      });
    }
  }
}

TEST_P(MemoryAddressing, GradientsAreThoseOfDifferences) {
  for (const MemorySizes& s : kMemorySizes) {
    if (s.n > 40) continue;
    MemoryCase c(s, DType::kF64);
    const Tensor dw = Random(c.previous.shape(), DType::kF64, 6);
    Tensor dmemory = Tensor::Zeros(c.memory.shape(), DType::kF64);
    const auto address = [&] {
      return AddressMemory(c.numbers, c.previous, c.memory);
    };
    const MemoryAddressGrads grads = AddressMemoryGrad(
        dw, address(), c.numbers, c.previous, c.memory, dmemory);
    const auto weights = [&] { return Dot(address().weights, dw); };
    ExpectGradient(grads.numbers, c.numbers, weights);
    ExpectGradient(grads.previous, c.previous, weights);
    ExpectGradient(dmemory, c.memory, weights);
  }
}

TEST_P(MemoryAddressing, GradientsOfF32AreThoseOfF64) {
  const MemoryCase c({2, 2, 128, 20, 1}, DType::kF32);
  const Tensor dw = Random(c.previous.shape(), DType::kF32, 6);
  ExpectSameGradients([&](DType dtype) {
    const auto to = [&](const Tensor& x) { return x.To(dtype); };
    Tensor dmemory = Tensor::Zeros(c.memory.shape(), dtype);
    const MemoryAddressGrads a = AddressMemoryGrad(
        to(dw), AddressMemory(to(c.numbers), to(c.previous), to(c.memory)),
        to(c.numbers), to(c.previous), to(c.memory), dmemory);
    return std::vector<Tensor>{a.numbers, a.previous, dmemory};
  });
}

TEST(MemoryAddressingBits, AreThoseOfAnyVectors) {
  for (const MemorySizes& s : kMemorySizes) {
    SCOPED_TRACE(s.n);
    ExpectTheSameBits([&] {
      const MemoryCase c(s, DType::kF32);
      const Tensor dw = Random(c.previous.shape(), DType::kF32, 6);
      Tensor dmemory = Tensor::Zeros(c.memory.shape(), DType::kF32);
      const MemoryAddress address =
          AddressMemory(c.numbers, c.previous, c.memory);
      const MemoryAddressGrads grads = AddressMemoryGrad(
          dw, address, c.numbers, c.previous, c.memory, dmemory);
      return std::vector<Tensor>{address.weights, address.trace, grads.numbers,
                                 grads.previous, dmemory};
    });
  }
}

TEST_P(MemoryAddressing, ExtremeNumbersGiveDistributionsAndFiniteGradients) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    for (const double size : {0.0, 30.0, 1e4}) {
      for (const double slot : {0.0, 1e-6, 1e6}) {
        const MemorySizes s = {1, 2, 19, 3, 1};
        MemoryCase c(s, dtype);
        for (int64_t i = 0; i < c.numbers.cols(); ++i) {
          SetAt(c.numbers, 0, i, i % 2 == 0 ? size : -size);
        }
        c.memory.Fill(slot);
        c.previous.Fill(0);
        for (int64_t h = 0; h < s.h; ++h) SetAt(c.previous, h, 0, 1);
        const MemoryAddress address =
            AddressMemory(c.numbers, c.previous, c.memory);
        for (int64_t h = 0; h < s.h; ++h) {
          double sum = 0;
          for (int64_t i = 0; i < s.n; ++i) {
            EXPECT_GE(At(address.weights, h, i), 0);
            sum += At(address.weights, h, i);
          }
          EXPECT_NEAR(sum, 1, 1e-5) << size << " " << slot;
        }
        Tensor dmemory = Tensor::Zeros(c.memory.shape(), dtype);
        const Tensor dw = Random(c.previous.shape(), dtype, 6);
        const MemoryAddressGrads grads = AddressMemoryGrad(
            dw, address, c.numbers, c.previous, c.memory, dmemory);
        for (const Tensor& x : {grads.numbers, grads.previous, dmemory}) {
          for (const double v : x.ToVector<double>()) {
            EXPECT_TRUE(std::isfinite(v)) << size << " " << slot;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace heed::kernels::memory_addressing_test
