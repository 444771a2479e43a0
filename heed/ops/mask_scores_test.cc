#include <gtest/gtest.h>

#include <cmath>

#include "heed/autograd/testing.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/normalizers.h"

namespace heed::mask_scores_test {
namespace {

using kernels::At;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Staircase mask s <= 7 t + b with exact block extents.
class Staircase : public kernels::MaskRule {
 public:
  void Row(int64_t b, int64_t t, kernels::Range keys,
           uint8_t* may) const override {
    for (int64_t s = keys.begin; s < keys.end; ++s)
      may[s - keys.begin] = May(b, t, s) ? 1 : 0;
  }
  Extent Block(int64_t b, kernels::Range queries,
               kernels::Range keys) const override {
    if (!May(b, queries.end - 1, keys.begin)) return Extent::kNone;
    return May(b, queries.begin, keys.end - 1) ? Extent::kAll : Extent::kSome;
  }
  static bool May(int64_t b, int64_t t, int64_t s) { return s <= 7 * t + b; }
};

/// Mask with one extent for all blocks, whose rows must not be read.
class AllAlike : public kernels::MaskRule {
 public:
  explicit AllAlike(Extent extent) : extent_(extent) {}
  void Row(int64_t, int64_t, kernels::Range, uint8_t*) const override {
    ADD_FAILURE() << "a needless question";
  }
  Extent Block(int64_t, kernels::Range, kernels::Range) const override {
    return extent_;
  }

 private:
  Extent extent_;
};

const Staircase kStaircase;

void ExpectStaircase(const Tensor& e, int64_t heads, int64_t offset) {
  const Tensor y = MaskScores(e, &kStaircase, heads, offset).value();
  for (int64_t r = 0; r < e.rows(); ++r) {
    const int64_t b = r / e.dim(1) / heads;
    const int64_t t = r % e.dim(1) + offset;
    for (int64_t s = 0; s < e.cols(); ++s) {
      ASSERT_EQ(At(y, r, s), Staircase::May(b, t, s) ? At(e, r, s) : -kInfinity)
          << "row " << r << " key " << s;
    }
  }
}

TEST(MaskScores, HidesWhatTheRuleForbidsForEveryHead) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    for (const int64_t s_size : {0, 1, 3, 15, 17, 63, 65, 129, 600}) {
      const Tensor e = RandomTensor({6, 37, s_size}, 3, dtype);
      ExpectStaircase(e, 3, 0);
      ExpectStaircase(e, 1, 5);
    }
    ExpectStaircase(RandomTensor({0, 5, 7}, 3, dtype), 2, 0);
    ExpectStaircase(RandomTensor({2, 0, 7}, 3, dtype), 2, 0);
  }
}

TEST(MaskScores, AsksNothingAboutBlocksThatAreAlike) {
  const Tensor e = RandomTensor({2, 20, 300}, 3);
  const AllAlike none(kernels::MaskRule::Extent::kNone);
  const AllAlike all(kernels::MaskRule::Extent::kAll);
  EXPECT_EQ(MaxDifference(MaskScores(e, &all, 2, 0).value(), e), 0);
  for (const double x : MaskScores(e, &none, 2, 0).value().ToVector<double>())
    ASSERT_EQ(x, -kInfinity);
}

TEST(MaskScores, WithoutAMaskAreTheScores) {
  Tape tape;
  const Var e = tape.Leaf(RandomTensor({2, 3, 5}, 1));
  const Var y = MaskScores(e, nullptr, 2, 0);
  EXPECT_EQ(y.node(), e.node());
  EXPECT_TRUE(y.value().Aliases(e.value()));
}

TEST(MaskScores, NeverShowsHiddenScores) {
  Tensor e = RandomTensor({1, 1, 4}, 1);
  kernels::SetAt(e, 0, 3, NAN);
  for (const double a :
       Softmax(MaskScores(e, &kStaircase, 1, 0)).value().ToVector<double>())
    EXPECT_TRUE(std::isfinite(a));
}

TEST(MaskScores, GradientIsThatOfDifferences) {
  const auto apply = [&](std::span<const Var> in) {
    return Mul(Softmax(MaskScores(in[0], &kStaircase, 2, 0)), in[0]);
  };
  ExpectGradientOf(apply, {RandomTensor({4, 3, 5}, 1)});
}

TEST(MaskScores, RefusesScoresThatHeadsDoNotDivide) {
  ExpectShapeError(
      [&] {
        MaskScores(RandomTensor({3, 2, 5}, 1), &kStaircase, 2, 0);
      },
      {"mask scores", "2 heads", "[3, 2, 5]"});
  ExpectShapeError(
      [&] {
        MaskScores(RandomTensor({3, 5}, 1), &kStaircase, 1, 0);
      },
      {"mask scores", "[3, 5]"});
  ExpectShapeError(
      [&] {
        MaskScores(RandomTensor({3, 2, 5}, 1), &kStaircase, 0, 0);
      },
      {"mask scores", "0 heads"});
}

}  // namespace
}  // namespace heed::mask_scores_test
