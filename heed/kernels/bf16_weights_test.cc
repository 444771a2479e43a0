#include "heed/kernels/bf16_weights.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "heed/kernels/gather.h"
#include "heed/kernels/testing.h"

namespace heed::kernels::bf16_weights_test {
namespace {

bool SameBits(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() && a.dtype() == b.dtype() &&
         std::memcmp(a.raw(), b.raw(), static_cast<size_t>(a.bytes())) == 0;
}

/// Checks products with a weight in bf16 against native ones of its values.
void CheckBF16Weights(int64_t M, int64_t K, int64_t N) {
  SCOPED_TRACE(Shape({M, K, N}).ToString());
  Rng rng(static_cast<uint64_t>(M * 1000003 + K * 1009 + N));
  const Tensor a = RandomSlice({M, K}, DType::kF32, rng);
  const Tensor half = RandomSlice({K, N}, DType::kF32, rng).To(DType::kBF16);
  const Tensor wide = half.To(DType::kF32);
  const Tensor bias = RandomSlice({N}, DType::kF32, rng);
  Tensor turned({N, K}, DType::kBF16);
  for (int64_t i = 0; i < K * N; ++i) {
    turned.row<bfloat16>(i % N)[i / N] = half.row<bfloat16>(i / N)[i % N];
  }
  PackedMatrix native;
  Pack(wide, false, Precision::kNative, native);
  const auto multiply = [&](const PackedMatrix& b, bool accumulate) {
    Tensor c = Tensor::Full({M, N}, 0.5);
    Multiply(a, b,
             Epilogue{.bias = &bias,
                      .activation = Activation::kRelu,
                      .accumulate = accumulate},
             c);
    return c;
  };
  PackedMatrix packed;
  EXPECT_TRUE(SameBits(Unpack(native, false), wide));
  const auto check = [&](const Tensor& b, bool transpose) {
    PackBF16(b, transpose, Precision::kNative, packed);
    for (const bool accumulate : {false, true}) {
      EXPECT_TRUE(
          SameBits(multiply(packed, accumulate), multiply(native, accumulate)));
    }
  };
  check(half, false);
  EXPECT_TRUE(SameBits(Unpack(packed, false), half));
  check(turned, true);
  EXPECT_TRUE(SameBits(Unpack(packed, true), turned));
}

TEST(BF16Weights, ComputeAsTheirValues) {
  for (const int64_t M : {1, 2, 3, 5, 6, 7, 8, 13, 65, 600}) {
    for (const int64_t K : {1, 2, 15, 64, 129, 2101}) {
      for (const int64_t N : {1, 63, 64, 65, 300}) {
        if (M * K * N > 100'000'000) continue;
        CheckBF16Weights(M, K, N);
        if (HasFailure()) return;
      }
    }
  }
}

TEST(BF16Weights, PackedFormKeepsEveryBit) {
  // All bf16 numbers: infinities, NaNs and subnormals too.
  constexpr int64_t kRows = 512;
  constexpr int64_t kColumns = 128;
  Tensor all({kRows, kColumns}, DType::kBF16);
  for (int64_t i = 0; i < all.numel(); ++i) {
    all.data<bfloat16>()[i].bits = static_cast<uint16_t>(i);
  }
  const Tensor ids = Tensor::Of<int32_t>(std::vector<int32_t>{0, 511, 70}, {3});
  for (const Precision precision : {Precision::kNative, Precision::kBF16}) {
    for (const bool transpose : {false, true}) {
      PackedMatrix packed;
      PackBF16(all, transpose, precision, packed);
      EXPECT_TRUE(SameBits(Unpack(packed, transpose), all));
      if (!transpose) continue;
      EXPECT_TRUE(SameBits(GatherColumns(packed, ids),
                           Gather(all, ids).To(DType::kF32)));
    }
  }
}

TEST(BF16Weights, RoundRowsToBF16OnRequest) {
  if (!HasBF16()) GTEST_SKIP() << "needs bf16 products";
  Rng rng(5);
  const Tensor a = RandomSlice({7, 130}, DType::kF32, rng);
  const Tensor half = RandomSlice({130, 70}, DType::kF32, rng).To(DType::kBF16);
  PackedMatrix rounded;
  Pack(half.To(DType::kF32), false, Precision::kBF16, rounded);
  PackedMatrix packed;
  PackBF16(half, false, Precision::kBF16, packed);
  Tensor expected({7, 70});
  Tensor found({7, 70});
  Multiply(a, rounded, false, expected);
  Multiply(a, packed, false, found);
  EXPECT_TRUE(SameBits(found, expected));
}

TEST(BF16Weights, SelectedColumnsAndPanelsComputeAsTheWhole) {
  Rng rng(6);
  const Tensor a = RandomSlice({3, 65}, DType::kF32, rng);
  const Tensor half = RandomSlice({65, 200}, DType::kF32, rng).To(DType::kBF16);
  PackedMatrix packed;
  PackBF16(half, false, Precision::kNative, packed);
  Tensor all({3, 200});
  Multiply(a, packed, false, all);
  Tensor panel({3, 72});
  Multiply(a, SelectPanels(packed, 2, 4), false, panel);
  EXPECT_TRUE(SameBits(panel, all.Columns(128, 200).Contiguous()));
  const Tensor ids = Tensor::Of<int32_t>(std::vector<int32_t>{199, 0, 64}, {3});
  Tensor chosen({3, 3});
  Multiply(a, SelectColumns(packed, ids), false, chosen);
  for (int64_t r = 0; r < 3; ++r) {
    for (int64_t c = 0; c < 3; ++c) {
      EXPECT_EQ(chosen.row<float>(r)[c],
                all.row<float>(r)[ids.data<int32_t>()[c]]);
    }
  }
}

}  // namespace
}  // namespace heed::kernels::bf16_weights_test
