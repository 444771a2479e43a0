#include "heed/autograd/tape.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "heed/autograd/context.h"
#include "heed/autograd/testing.h"
#include "heed/kernels/elementwise.h"
#include "heed/kernels/gather.h"
#include "heed/kernels/reduce.h"

namespace heed {
namespace {

Var Times(const Var& a, const Var& b) {
  return Record("times", kernels::Mul(a.value(), b.value()), {a, b},
                [a = a.value(), b = b.value()](const Tensor& dy, Grads& g) {
                  if (g.Needs(0)) g.Add(0, kernels::Mul(dy, b));
                  if (g.Needs(1)) g.Add(1, kernels::Mul(dy, a));
                });
}

Var Plus(const Var& a, const Var& b) {
  return Record("plus", kernels::Add(a.value(), b.value()), {a, b},
                [](const Tensor& dy, Grads& g) {
                  g.Add(0, dy);
                  g.Add(1, dy);
                });
}

Var RowOf(const Var& x, int64_t i) {
  return Record("row", x.value()[i], {x}, [i](const Tensor& dy, Grads& g) {
    Tensor part = g.Accumulate(0)[i];
    kernels::AddTo(part, dy);
  });
}

/// Columns declared by SetColumnsOf.
Var ColumnsOf(const Var& x, int64_t begin, int64_t end) {
  Var part = Record("columns", x.value().Columns(begin, end), {x},
                    [begin, end](const Tensor& dy, Grads& g) {
                      Tensor sum = g.Accumulate(0).Columns(begin, end);
                      kernels::AddTo(sum, dy);
                    });
  part.tape()->SetColumnsOf(part, x, begin);
  return part;
}

/// Ways to add to the gradient of an operand.
enum class Way : uint8_t { kRows, kDense, kAdd, kTake };

/// factor · x, which adds its gradient by `way`.
Var Times(double factor, const Var& x, Way way) {
  return Record("times", kernels::Scale(x.value().Contiguous(), factor), {x},
                [factor, way](const Tensor& dy, Grads& g) {
                  switch (way) {
                    case Way::kRows:
                      return kernels::AddTo(g.AccumulateRows(0), dy, factor);
                    case Way::kDense:
                      EXPECT_TRUE(g.Accumulate(0).contiguous());
                      return kernels::AddTo(g.Accumulate(0), dy, factor);
                    case Way::kAdd:
                      return g.Add(0, kernels::Scale(dy, factor));
                    case Way::kTake: {
                      Tensor sum = g.Take(0);
                      Tensor own = kernels::Scale(dy, factor);
                      if (sum.defined()) kernels::AddTo(own, sum.Contiguous());
                      return g.Add(0, std::move(own));
                    }
                  }
                });
}

/// x W, which gathers the gradient of W.
Var Product(const Var& x, const Var& w) {
  kernels::PackedMatrix packed;
  kernels::Pack(w.value(), false, kernels::Precision::kNative, packed);
  Tensor y({x.dim(0), w.dim(1)}, DType::kF64);
  kernels::Multiply(x.value(), packed, false, y);
  return Record("product", y, {x, w},
                [x = x.value(), w = w.value()](const Tensor& dy, Grads& g) {
                  if (g.Needs(0)) {
                    kernels::PackedMatrix transposed;
                    kernels::Pack(w, true, kernels::Precision::kNative,
                                  transposed);
                    Tensor dx(x.shape(), x.dtype());
                    kernels::Multiply(dy, transposed, false, dx);
                    g.Add(0, std::move(dx));
                  }
                  g.AddProduct(1, x, dy);
                });
}

std::vector<double> Values(const Tensor& x) { return x.ToVector<double>(); }

Tensor Vector(const std::vector<double>& values) {
  return Tensor::Of(values, {static_cast<int64_t>(values.size())});
}

using Numbers = std::vector<double>;

TEST(Tape, DifferentiatesAProduct) {
  Tape tape;
  const Var a = tape.Leaf(Vector({2, 3}));
  const Var b = tape.Leaf(Vector({5, 7}));
  tape.Backward(Times(a, b));
  EXPECT_EQ(Values(tape.Gradient(a)), (Numbers{5, 7}));
  EXPECT_EQ(Values(tape.Gradient(b)), (Numbers{2, 3}));
}

/// x and 2 x; the second passes on the gradient of the first.
std::pair<Var, Var> WithDouble(const Var& x) {
  const Var same =
      Record("same", x.value(), {x}, [](const Tensor&, Grads&) { FAIL(); });
  const Var twice = Record("twice", kernels::Scale(x.value(), 2), {same, x},
                           [](const Tensor& dy, Grads& g) {
                             const Tensor taken = g.Take(0);
                             g.Add(1, kernels::Scale(dy, 2));
                             if (taken.defined()) g.Add(1, taken);
                           });
  return {same, twice};
}

TEST(Tape, TakenGradientIsForgotten) {
  Tape tape;
  const Var a = tape.Leaf(Vector({2, 3}));
  const auto [same, twice] = WithDouble(a);
  tape.Backward(Times(same, twice));
  EXPECT_EQ(Values(tape.Gradient(a)), (Numbers{8, 12}));
}

TEST(Tape, NothingIsTakenWhereThereIsNoGradient) {
  Tape tape;
  const Var a = tape.Leaf(Vector({2, 3}));
  tape.Backward(WithDouble(a).second);
  EXPECT_EQ(Values(tape.Gradient(a)), (Numbers{2, 2}));
}

TEST(Tape, MultipliesBySeed) {
  Tape tape;
  const Var a = tape.Leaf(Vector({2, 3}));
  const Tensor seed = Vector({10, 100});
  tape.Backward(Times(a, Vector({5, 7})), seed);
  EXPECT_EQ(Values(tape.Gradient(a)), (Numbers{50, 700}));
  EXPECT_EQ(Values(seed), (Numbers{10, 100})) << "the seed was changed";
}

TEST(Tape, AccumulatesOverSharedOperands) {
  Tape tape;
  const Var x = tape.Leaf(Vector({2, 3}));
  tape.Backward(Times(x, x));
  EXPECT_EQ(Values(tape.Gradient(x)), (Numbers{4, 6}));

  tape.Clear();
  const Var y = tape.Leaf(Vector({2, 3}));
  tape.Backward(Plus(y, y));
  EXPECT_EQ(Values(tape.Gradient(y)), (Numbers{2, 2}));
}

/// Overlapping columns accumulate correctly for all ways and orders.
TEST(Tape, GradientsOfColumnsAreAddedInPlace) {
  const std::array<Way, 4> ways = {Way::kRows, Way::kDense, Way::kAdd,
                                   Way::kTake};
  std::array<size_t, 4> order = {0, 1, 2, 3};
  do {
    for (const bool of_leaf : {true, false}) {
      Tape tape;
      const Var leaf = tape.Leaf(Tensor::Full({2, 4}, 1, DType::kF64));
      const Var x = of_leaf ? leaf : Times(1, leaf, Way::kAdd);
      const Var part = ColumnsOf(x, 1, 3);
      Var sum = Times(100, ColumnsOf(x, 0, 2), Way::kRows);
      for (const size_t i : order) {
        const double factor = std::array{2.0, 3.0, 5.0, 7.0}[i];
        sum = Plus(sum, Times(factor, part, ways[i]));
      }
      tape.Backward(sum);
      EXPECT_EQ(Values(tape.Gradient(leaf)),
                (Numbers{100, 117, 17, 0, 100, 117, 17, 0}));
    }
  } while (std::ranges::next_permutation(order).found);
}

TEST(Tape, ColumnsOfColumnsAndTheWholeAddUp) {
  Tape tape;
  const Var leaf = tape.Leaf(Tensor::Full({2, 4}, 1, DType::kF64));
  const Var x = Times(1, leaf, Way::kAdd);
  const Var nested = ColumnsOf(ColumnsOf(x, 1, 4), 1, 3);
  const Var whole = ColumnsOf(Times(10, x, Way::kAdd), 0, 2);
  const Var taken = ColumnsOf(Times(1000, x, Way::kTake), 0, 2);
  const auto dense = [](const Var& columns) {
    return Times(1, columns, Way::kAdd);
  };
  tape.Backward(
      Plus(Plus(dense(whole), dense(taken)), Times(3, nested, Way::kRows)));
  EXPECT_EQ(Values(tape.Gradient(leaf)),
            (Numbers{1010, 1010, 3, 3, 1010, 1010, 3, 3}));
}

TEST(Tape, SharedGradientsDoNotLeakIntoEachOther) {
  // plus passes one tensor to both; x accumulates more, y must not change.
  Tape tape;
  const Var x = tape.Leaf(Vector({2, 3}));
  const Var y = tape.Leaf(Vector({5, 7}));
  const Var sum = Plus(x, y);
  tape.Backward(Plus(Times(x, x), sum));
  EXPECT_EQ(Values(tape.Gradient(x)), (Numbers{5, 7}));
  EXPECT_EQ(Values(tape.Gradient(y)), (Numbers{1, 1}));
}

TEST(Tape, FollowsAValueThatIsUsedManyTimes) {
  Tape tape;
  const Var x = tape.Leaf(Vector({0.5}));
  Var power = x;
  for (int i = 0; i < 9; ++i) power = Times(power, x);
  tape.Backward(power);
  EXPECT_NEAR(tape.Gradient(x).item(), 10 * std::pow(0.5, 9), 1e-15);
}

TEST(Tape, ViewsAddToTheirPart) {
  Tape tape;
  const Var x = tape.Leaf(Tensor::Of(Numbers{1, 2, 3, 4, 5, 6}, {3, 2}));
  tape.Backward(Plus(Times(RowOf(x, 0), RowOf(x, 2)), RowOf(x, 2)));
  EXPECT_EQ(Values(tape.Gradient(x)), (Numbers{5, 6, 0, 0, 2, 3}));
}

TEST(Tape, RecordsNothingForConstants) {
  Tape tape;
  const Var product = Times(Vector({1}), Vector({2}));
  EXPECT_EQ(product.tape(), nullptr);
  EXPECT_EQ(tape.size(), 0);
  EXPECT_THROW(tape.Backward(product), ShapeError);
  EXPECT_THROW(tape.Gradient(product), ShapeError);
}

TEST(Tape, TellsWhichGradientsAreNeeded) {
  Tape tape;
  const Var x = tape.Leaf(Vector({1}));
  bool first = false;
  bool second = true;
  const Var y = Record("needs", Vector({1}), {x, Var(Vector({1})), Var()},
                       [&](const Tensor&, Grads& g) {
                         first = g.Needs(0);
                         second = g.Needs(1) || g.Needs(2);
                       });
  tape.Backward(y);
  EXPECT_TRUE(first);
  EXPECT_FALSE(second);
}

TEST(Tape, SkipsWhatTheOutputDoesNotDependOn) {
  Tape tape;
  const Var x = tape.Leaf(Vector({1}));
  bool ran = false;
  Record("aside", Vector({1}), {x}, [&](const Tensor&, Grads&) { ran = true; });
  tape.Backward(Times(x, x));
  EXPECT_FALSE(ran);
  const Var unused = tape.Leaf(Vector({1}));
  EXPECT_FALSE(tape.Gradient(unused).defined());
}

TEST(Tape, ALeafIsItsOwnGradient) {
  Tape tape;
  const Var x = tape.Leaf(Vector({4, 5}));
  tape.Backward(x);
  EXPECT_EQ(Values(tape.Gradient(x)), (Numbers{1, 1}));
}

class TapeWithParameter : public testing::Test {
 protected:
  Parameter w_{"w", RandomTensor({3, 2}, 1), kernels::Precision::kNative};
  Tape tape_;
};

TEST_F(TapeWithParameter, GivesOneLeafPerParameter) {
  const Var first = tape_.Leaf(w_);
  const Var second = tape_.Leaf(w_);
  EXPECT_EQ(first.node(), second.node());
  EXPECT_EQ(first.parameter(), &w_);
  EXPECT_EQ(tape_.size(), 1);
}

TEST_F(TapeWithParameter, AddsToTheParametersGradient) {
  const Tensor x = RandomTensor({4, 3}, 2);
  tape_.Backward(Product(x, tape_.Leaf(w_)));
  const Tensor once = w_.gradient().Clone();
  tape_.Clear();
  tape_.Backward(Product(x, tape_.Leaf(w_)));
  EXPECT_EQ(MaxDifference(w_.gradient(), kernels::Scale(once, 2)), 0);
  w_.ClearGradient();
  EXPECT_FALSE(w_.gradient().defined());
}

TEST_F(TapeWithParameter, GatheredProductsEqualSeparateOnes) {
  // Steps of a recurrence with unequal rows, and a use without a product.
  std::vector<Tensor> steps;
  for (const int64_t rows : {1, 4, 2}) {
    steps.push_back(RandomTensor({rows, 3}, static_cast<uint64_t>(rows)));
  }
  Tensor expected = Tensor::Zeros({3, 2}, DType::kF64);
  for (const Tensor& x : steps) {
    Tape alone;
    w_.ClearGradient();
    alone.Backward(Product(x, alone.Leaf(w_)));
    kernels::AddTo(expected, w_.gradient());
  }
  kernels::AddTo(expected, Tensor::Full({3, 2}, 1, DType::kF64));
  w_.ClearGradient();

  const Var w = tape_.Leaf(w_);
  Var total = Plus(RowOf(w, 0), Plus(RowOf(w, 1), RowOf(w, 2)));
  for (const Tensor& x : steps) {
    const Var y = Product(x, w);
    for (int64_t r = 0; r < x.rows(); ++r) total = Plus(total, RowOf(y, r));
  }
  tape_.Backward(total);
  EXPECT_LT(MaxDifference(w_.gradient(), expected), 1e-15);
}

TEST_F(TapeWithParameter, RowsOfATableAreAddedWithItsOtherTerms) {
  const Tensor ids = Tensor::Of(std::vector<int32_t>{1, 0, 1}, {3});
  const Var w = tape_.Leaf(w_);
  const Var rows =
      Record("rows", kernels::Gather(w.value(), ids), {w},
             [ids](const Tensor& dy, Grads& g) { g.AddRows(0, ids, dy, 10); });
  const Var product = Product(RandomTensor({4, 3}, 2), w);
  Var total = RowOf(product, 0);
  for (int64_t i = 0; i < 3; ++i) total = Plus(total, RowOf(rows, i));
  tape_.Backward(total);

  Tape other;
  Parameter same("w", w_.value(), kernels::Precision::kNative);
  other.Backward(RowOf(Product(RandomTensor({4, 3}, 2), other.Leaf(same)), 0));
  const Tensor counts =
      Tensor::Of(std::vector<double>{10, 10, 20, 20, 0, 0}, {3, 2});
  EXPECT_LT(MaxDifference(w_.gradient(), kernels::Add(same.gradient(), counts)),
            1e-15);
}

TEST_F(TapeWithParameter, TapesOfPartsAddToOneGradient) {
  std::vector<std::unique_ptr<Tape>> tapes;
  std::vector<Tensor> parts;
  for (const int64_t rows : {3, 1, 4}) {
    parts.push_back(RandomTensor({rows, 3}, static_cast<uint64_t>(rows)));
    Tape& tape = *tapes.emplace_back(std::make_unique<Tape>());
    tape.KeepTerms(true);
    const Var w = tape.Leaf(w_);
    Var total = RowOf(w, 0);
    const Var y = Product(parts.back(), w);
    for (int64_t r = 0; r < rows; ++r) total = Plus(total, RowOf(y, r));
    tape.Backward(total);
  }
  EXPECT_FALSE(w_.gradient().defined());
  int ready = 0;
  Tape::AddKept(tapes, [&](Parameter& p) { ready += &p == &w_ ? 1 : 0; });
  EXPECT_EQ(ready, 1);

  Tensor expected = Tensor::Zeros({3, 2}, DType::kF64);
  Tensor first = expected[0];
  first.Fill(3);
  for (const Tensor& x : parts) {
    Tape alone;
    Parameter same("w", w_.value(), kernels::Precision::kNative);
    alone.Backward(Product(x, alone.Leaf(same)));
    kernels::AddTo(expected, same.gradient());
  }
  EXPECT_LT(MaxDifference(w_.gradient(), expected), 1e-14);
}

TEST(Tape, GathersProductsOfPlainLeavesToo) {
  ExpectGradientOf(
      [](std::span<const Var> in) {
        return Product(Product(in[0], in[1]), in[1]);
      },
      {RandomTensor({4, 3}, 1), RandomTensor({3, 3}, 2)});
}

TEST(Tape, AComputedWeightPassesItsGradientOn) {
  ExpectGradientOf(
      [](std::span<const Var> in) {
        return Product(in[0], Times(in[1], in[1]));
      },
      {RandomTensor({4, 3}, 1), RandomTensor({3, 2}, 2)});
}

/// A few hundred small operations, like one training step.
double Step(Tape& tape, Parameter& w) {
  tape.Clear();
  w.ClearGradient();
  const Var weight = tape.Leaf(w);
  const Var x = RandomTensor({5, 3}, 3);
  Var sum = x;
  for (int i = 0; i < 100; ++i) {
    const Var y = Product(x, weight);
    sum = Plus(sum, Times(y, y));
  }
  tape.Backward(sum);
  return w.gradient().data<double>()[0];
}

TEST(Tape, ASteadyStepAsksTheSystemForNothing) {
  { const Tensor probe({100}); }
  if (pool::Stats().cached == 0) GTEST_SKIP() << "this build keeps no buffers";
  Parameter w("w", RandomTensor({3, 3}, 4), kernels::Precision::kNative);
  Tape tape;
  const double first = Step(tape, w);
  Step(tape, w);
  const int64_t system = pool::Stats().system;
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Step(tape, w), first);
  EXPECT_EQ(pool::Stats().system, system);
}

TEST(Tape, ClearReleasesWhatOperationsKept) {
  const auto held = std::make_shared<int>(1);
  Tape tape;
  const Var x = tape.Leaf(Vector({1}));
  Record("holds", Vector({1}), {x}, [held](const Tensor&, Grads&) {});
  EXPECT_EQ(held.use_count(), 2);
  tape.Clear();
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(tape.size(), 0);
}

TEST(Tape, BackwardReleasesWhatOperationsKept) {
  const auto held = std::make_shared<int>(1);
  Tape tape;
  const Var x = tape.Leaf(Vector({1}));
  tape.Backward(
      Record("holds", Vector({1}), {x}, [held](const Tensor&, Grads&) {}));
  EXPECT_EQ(held.use_count(), 1);
}

TEST(Tape, HoldsMoreThanOneBlockOfClosures) {
  Tape tape;
  for (int round = 0; round < 2; ++round) {
    tape.Clear();
    const Var x = tape.Leaf(Vector({1}));
    Var y = x;
    for (int i = 0; i < 5000; ++i) y = Plus(y, Times(x, Vector({1e-3})));
    tape.Backward(y);
    EXPECT_NEAR(tape.Gradient(x).item(), 6, 1e-9);
  }
}

TEST(Context, UsesAParameterAsLeafOrAsConstant) {
  const Parameter w("w", RandomTensor({3, 2}, 1), kernels::Precision::kNative);
  Context ctx;
  EXPECT_EQ(ctx.Use(w).tape(), nullptr);
  EXPECT_EQ(ctx.Use(w).parameter(), &w);
  Tape tape;
  ctx.tape = &tape;
  EXPECT_EQ(ctx.Use(w).tape(), &tape);
  EXPECT_TRUE(ctx.Use(w).value().Aliases(w.value()));
}

}  // namespace
}  // namespace heed
