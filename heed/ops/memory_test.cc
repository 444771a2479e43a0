#include "heed/ops/memory.h"

#include <gtest/gtest.h>

#include "heed/ops/elementwise.h"
#include "heed/ops/testing.h"

namespace heed::memory_test {
namespace {

constexpr int64_t B = 2;
constexpr int64_t H = 2;
constexpr int64_t N = 5;
constexpr int64_t F = 3;
constexpr int64_t R = 1;

Tensor Numbers(uint64_t seed = 1) {
  return RandomTensor({B, H * AddressSize(F, R)}, seed);
}
Tensor Memory() { return RandomTensor({B, F, N}, 2); }

/// Random weights over the slots.
Tensor Weights(uint64_t seed) {
  return AddressMemory(Numbers(seed),
                       Tensor::Full({B, H, N}, 1.0 / N, DType::kF64), Memory())
      .value();
}

/// Weight 1 on one slot, for each row and head.
Tensor OneHot(int64_t slot) {
  Tensor w = Tensor::Zeros({B, H, N}, DType::kF64);
  for (int64_t r = 0; r < B * H; ++r) w.row<double>(r)[slot] = 1;
  return w;
}

/// Numbers that keep each head's weights and shift them by `shift` slots.
Tensor Moving(int64_t shift) {
  Tensor p = Tensor::Zeros({B, H * AddressSize(F, R)}, DType::kF64);
  for (int64_t b = 0; b < B; ++b) {
    for (int64_t h = 0; h < H; ++h) {
      double* own = p.row<double>(b) + h * AddressSize(F, R);
      own[F + 1] = -1000;              // the gate keeps the previous weights
      own[F + 2 + shift + R] = 10000;  // shift with probability 1
    }
  }
  return p;
}

TEST(Memory, GradientsAreThoseOfDifferences) {
  ExpectGradientOf(
      [](std::span<const Var> in) {
        return AddressMemory(in[0], in[1], in[2]);
      },
      {Numbers(), Weights(3), Memory()});
  ExpectGradientOf(
      [](std::span<const Var> in) {
        return WriteMemory(in[0], in[1], in[2], in[3]);
      },
      {Memory(), Weights(3), RandomTensor({B, H * F}, 4),
       RandomTensor({B, H * F}, 5)});
  ExpectGradientOf(
      [](std::span<const Var> in) { return ReadMemory(in[0], in[1]); },
      {Memory(), Weights(3)});
}

TEST(Memory, OneVariableForSeveralInputsGetsAllOfItsGradient) {
  ExpectGradientOf(
      [](std::span<const Var> in) {
        const Var w = AddressMemory(in[0], in[1], in[2]);
        const Var written = WriteMemory(in[2], w, Sigmoid(in[3]), Tanh(in[3]));
        const Var again = AddressMemory(in[0], w, written);
        return ReadMemory(written, again);
      },
      {Numbers(), Weights(3), Memory(), RandomTensor({B, H * F}, 4)});
}

TEST(Memory, OneHotWeightsShiftExactlyAndWrap) {
  for (int64_t shift = -R; shift <= R; ++shift) {
    for (int64_t slot = 0; slot < N; ++slot) {
      const Tensor w =
          AddressMemory(Moving(shift), OneHot(slot), Memory()).value();
      EXPECT_EQ(MaxDifference(w, OneHot((slot + shift + N) % N)), 0)
          << slot << " by " << shift;
    }
  }
}

TEST(Memory, FullEraseWithOneHotWeightsReplacesASlot) {
  const Tensor add = RandomTensor({B, H * F}, 5);
  const Tensor ones = Tensor::Full({B, H * F}, 1, DType::kF64);
  const Tensor memory = Memory();
  const Tensor y = WriteMemory(memory, OneHot(2), ones, add).value();
  for (int64_t b = 0; b < B; ++b) {
    for (int64_t f = 0; f < F; ++f) {
      for (int64_t i = 0; i < N; ++i) {
        // Both heads write to this slot, so their vectors add up.
        const double expected =
            i == 2 ? add.row<double>(b)[f] + add.row<double>(b)[F + f]
                   : memory.row<double>(b * F + f)[i];
        EXPECT_EQ(y.row<double>(b * F + f)[i], expected);
      }
    }
  }
}

TEST(Memory, TheOrderOfHeadsThatWriteDoesNotMatter) {
  const Tensor w = Weights(3);
  const Tensor e = RandomTensor({B, H * F}, 4);
  const Tensor a = RandomTensor({B, H * F}, 5);
  Tensor swapped_w = w.Clone();
  Tensor swapped_e = e.Clone();
  Tensor swapped_a = a.Clone();
  for (int64_t b = 0; b < B; ++b) {
    for (int64_t i = 0; i < N; ++i) {
      std::swap(swapped_w.row<double>(b * H)[i],
                swapped_w.row<double>(b * H + 1)[i]);
    }
    for (int64_t f = 0; f < F; ++f) {
      std::swap(swapped_e.row<double>(b)[f], swapped_e.row<double>(b)[F + f]);
      std::swap(swapped_a.row<double>(b)[f], swapped_a.row<double>(b)[F + f]);
    }
  }
  EXPECT_LT(MaxDifference(
                WriteMemory(Memory(), w, e, a).value(),
                WriteMemory(Memory(), swapped_w, swapped_e, swapped_a).value()),
            1e-15);
}

TEST(Memory, ReadingAOneHotSlotGivesIt) {
  const Tensor memory = Memory();
  const Tensor r = ReadMemory(memory, OneHot(3)).value();
  for (int64_t b = 0; b < B; ++b) {
    for (int64_t f = 0; f < F; ++f) {
      EXPECT_EQ(r.row<double>(b)[f], memory.row<double>(b * F + f)[3]);
      EXPECT_EQ(r.row<double>(b)[F + f], memory.row<double>(b * F + f)[3]);
    }
  }
}

TEST(Memory, OneSlotHasAllWeight) {
  const Tensor memory = RandomTensor({B, F, 1}, 2);
  const Tensor one = Tensor::Full({B, H, 1}, 1, DType::kF64);
  EXPECT_EQ(MaxDifference(AddressMemory(Numbers(), one, memory).value(), one),
            0);
}

TEST(Memory, WhatDoesNotFitIsAShapeError) {
  const Tensor w = Weights(3);
  ExpectShapeError(
      [&] {
        AddressMemory(Numbers(), w, RandomTensor({B, F, 4}, 1));
      },
      {"address memory", "do not fit"});
  ExpectShapeError(
      [&] {
        AddressMemory(RandomTensor({B, H * (F + 5)}, 1), w, Memory());
      },
      {"address memory", "numbers"});
  ExpectShapeError(
      [&] {
        AddressMemory(RandomTensor({B, 7}, 1), w, Memory());
      },
      {"address memory", "numbers"});
  const Tensor e = RandomTensor({B, H * F}, 4);
  ExpectShapeError(
      [&] {
        WriteMemory(Memory(), w, e, RandomTensor({B, F}, 1));
      },
      {"write memory", "erase and add"});
  ExpectShapeError(
      [&] {
        ReadMemory(Memory(), RandomTensor({B, N}, 1));
      },
      {"read memory"});
}

}  // namespace
}  // namespace heed::memory_test
