#include "heed/kernels/memory_addressing.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <hwy/tests/hwy_gtest.h>

#include <cmath>
#include <vector>

#include "heed/kernels/testing.h"

namespace heed::kernels {
namespace {

/// Sizes of a case; some are no multiple of a vector.
struct Sizes {
  int64_t b, h, n, f, reach;
};
const std::vector<Sizes> kSizes = {
    {1, 1, 1, 1, 1},  {2, 1, 3, 2, 0},    {1, 2, 5, 4, 1}, {3, 2, 17, 3, 2},
    {2, 3, 33, 7, 4}, {1, 1, 128, 20, 1}, {2, 1, 2, 3, 3}};

/// Random inputs of all three operations.
struct Case {
  Case(const Sizes& s, DType dtype)
      : numbers(Random({s.b, s.h * AddressSize(s.f, s.reach)}, dtype, 1)),
        previous(Random({s.b, s.h, s.n}, DType::kF64, 2)),
        memory(Random({s.b, s.f, s.n}, dtype, 3)),
        erase(Random({s.b, s.h * s.f}, dtype, 4)),
        add(Random({s.b, s.h * s.f}, dtype, 5)) {
    for (int64_t r = 0; r < previous.rows(); ++r) {
      double sum = 0;
      for (int64_t i = 0; i < s.n; ++i) {
        SetAt(previous, r, i, std::exp(At(previous, r, i)));
        sum += At(previous, r, i);
      }
      for (int64_t i = 0; i < s.n; ++i) {
        SetAt(previous, r, i, At(previous, r, i) / sum);
      }
    }
    previous = previous.To(dtype);
  }
  Tensor numbers, previous, memory, erase, add;
};

double Softplus(double x) { return std::log1p(std::exp(x)); }

/// Eq. 5 to 9 of one head, one number after the other.
std::vector<double> PlainWeights(const Sizes& s, const Case& c, int64_t b,
                                 int64_t h) {
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
    content[static_cast<size_t>(i)] =
        std::exp(Softplus(number(s.f)) * dot / std::sqrt(key2 * slot2));
    sum += content[static_cast<size_t>(i)];
  }
  const double gate = 1 / (1 + std::exp(-number(s.f + 1)));
  for (int64_t i = 0; i < s.n; ++i) {
    mixed[static_cast<size_t>(i)] =
        gate * content[static_cast<size_t>(i)] / sum +
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
      t += std::exp(number(s.f + 2 + o + s.reach)) / shifts *
           mixed[static_cast<size_t>(from)];
    }
    moved[static_cast<size_t>(i)] =
        std::pow(t, 1 + Softplus(number(s.f + 3 + 2 * s.reach)));
    powers += moved[static_cast<size_t>(i)];
  }
  for (double& w : moved) w /= powers;
  return moved;
}

class MemoryAddressing : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(MemoryAddressing);

TEST_P(MemoryAddressing, AddressIsTheFormula) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    for (const Sizes& s : kSizes) {
      const Case c(s, dtype);
      const Tensor w = AddressMemory(c.numbers, c.previous, c.memory).weights;
      ExpectEach(w, 2e-6, [&](int64_t r, int64_t i) {
        return PlainWeights(s, c, r / s.h, r % s.h)[static_cast<size_t>(i)];
      });
    }
  }
}

TEST_P(MemoryAddressing, WriteErasesAllBeforeItAdds) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    for (const Sizes& s : kSizes) {
      const Case c(s, dtype);
      const Tensor y = WriteMemory(c.memory, c.previous, c.erase, c.add);
      ExpectEach(y, 1e-5, [&](int64_t r, int64_t i) {
        const int64_t b = r / s.f;
        const int64_t f = r % s.f;
        double kept = At(c.memory, r, i);
        double added = 0;
        for (int64_t h = 0; h < s.h; ++h) {
          const double w = At(c.previous, b * s.h + h, i);
          kept *= 1 - w * At(c.erase, b, h * s.f + f);
          added += w * At(c.add, b, h * s.f + f);
        }
        return kept + added;
      });
    }
  }
}

TEST_P(MemoryAddressing, ReadIsTheWeightedSumOfSlots) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    for (const Sizes& s : kSizes) {
      const Case c(s, dtype);
      const Tensor y = ReadMemory(c.memory, c.previous);
      ExpectEach(y, 1e-5, [&](int64_t b, int64_t at) {
        double sum = 0;
        for (int64_t i = 0; i < s.n; ++i) {
          sum += At(c.previous, b * s.h + at / s.f, i) *
                 At(c.memory, b * s.f + at % s.f, i);
        }
        return sum;
      });
    }
  }
}

TEST_P(MemoryAddressing, GradientsAreThoseOfDifferences) {
  for (const Sizes& s : kSizes) {
    if (s.n > 40) continue;
    Case c(s, DType::kF64);
    const Tensor dw = Random(c.previous.shape(), DType::kF64, 6);
    const Tensor dy = Random(c.memory.shape(), DType::kF64, 7);
    const Tensor dr = Random({s.b, s.h * s.f}, DType::kF64, 8);

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

    dmemory.Fill(0);
    const MemoryWriteGrads writes =
        WriteMemoryGrad(dy, c.memory, c.previous, c.erase, c.add, dmemory);
    const auto written = [&] {
      return Dot(WriteMemory(c.memory, c.previous, c.erase, c.add), dy);
    };
    ExpectGradient(writes.weights, c.previous, written);
    ExpectGradient(writes.erase, c.erase, written);
    ExpectGradient(writes.add, c.add, written);
    ExpectGradient(dmemory, c.memory, written);

    dmemory.Fill(0);
    const Tensor reads = ReadMemoryGrad(dr, c.memory, c.previous, dmemory);
    const auto read = [&] { return Dot(ReadMemory(c.memory, c.previous), dr); };
    ExpectGradient(reads, c.previous, read);
    ExpectGradient(dmemory, c.memory, read);
  }
}

TEST_P(MemoryAddressing, GradientsOfF32AreThoseOfF64) {
  const Sizes s = {2, 2, 128, 20, 1};
  const Case c(s, DType::kF32);
  const Tensor dw = Random(c.previous.shape(), DType::kF32, 6);
  const Tensor dy = Random(c.memory.shape(), DType::kF32, 7);
  const auto gradients = [&](DType dtype) {
    const auto to = [&](const Tensor& x) { return x.To(dtype); };
    Tensor dmemory = Tensor::Zeros(c.memory.shape(), dtype);
    const MemoryAddressGrads a = AddressMemoryGrad(
        to(dw), AddressMemory(to(c.numbers), to(c.previous), to(c.memory)),
        to(c.numbers), to(c.previous), to(c.memory), dmemory);
    const MemoryWriteGrads w = WriteMemoryGrad(
        to(dy), to(c.memory), to(c.previous), to(c.erase), to(c.add), dmemory);
    return std::vector<Tensor>{a.numbers, a.previous, w.weights,
                               w.erase,   w.add,      dmemory};
  };
  const std::vector<Tensor> exact = gradients(DType::kF64);
  const std::vector<Tensor> f32 = gradients(DType::kF32);
  for (size_t i = 0; i < exact.size(); ++i) {
    ExpectEach(f32[i], 1e-4,
               [&](int64_t r, int64_t col) { return At(exact[i], r, col); });
  }
}

TEST_P(MemoryAddressing, ExtremeNumbersGiveDistributionsAndFiniteGradients) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    for (const double size : {0.0, 30.0, 1e4}) {
      for (const double slot : {0.0, 1e-6, 1e6}) {
        const Sizes s = {1, 2, 19, 3, 1};
        Case c(s, dtype);
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
}  // namespace heed::kernels
