// Test fixture for operations: compares gradients with finite differences, for
// dense and for strided operands and results.
#ifndef HEED_OPS_TESTING_H_
#define HEED_OPS_TESTING_H_

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "heed/autograd/testing.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/shape.h"

namespace heed {

using Inputs = std::span<const Var>;

/// Operation at fixed sizes.
struct Operation {
  std::string name;
  std::function<Var(Inputs)> apply;
  std::vector<Shape> shapes;
};

inline void PrintTo(const Operation& operation, std::ostream* out) {
  *out << operation.name;
}
inline std::string NameOf(const testing::TestParamInfo<Operation>& info) {
  return info.param.name;
}

class OperationTest : public testing::TestWithParam<Operation> {
 protected:
  /// Random inputs, wider by `margin` columns.
  static std::vector<Tensor> Random(int64_t margin) {
    std::vector<Tensor> inputs;
    for (Shape shape : GetParam().shapes) {
      shape.Set(-1, shape[-1] + margin);
      inputs.push_back(RandomTensor(shape, 20 + inputs.size()));
    }
    return inputs;
  }

  static void ExpectGradients() {
    ExpectGradientOf(GetParam().apply, Random(0));
  }

  static void ExpectGradientsOfRowsApart() {
    const auto apply = [](Inputs wide) {
      std::vector<Var> in;
      for (const Var& x : wide) in.push_back(Columns(x, 1, x.dim(-1) - 1));
      const Var y = GetParam().apply(in);
      if (y.shape().rank() == 0) return y;
      // The gradient of one part arrives as columns of a wider tensor.
      return ConcatColumns({y, Scale(y, 2)});
    };
    ExpectGradientOf(apply, Random(2));
  }

  /// Checks gradients with one operand on the tape and the others constant.
  static void ExpectGradientsOfEachOperandAlone() {
    const std::vector<Tensor> all = Random(0);
    for (size_t i = 0; i < all.size(); ++i) {
      const auto apply = [&](Inputs one) {
        std::vector<Var> in(all.begin(), all.end());
        in[i] = one[0];
        return GetParam().apply(in);
      };
      ExpectGradientOf(apply, {all[i].Clone()});
    }
  }

  static void ExpectGradientsInF32() {
    const auto run = [&](DType dtype) {
      Tape tape;
      std::vector<Var> in;
      for (const Tensor& x : Random(0)) in.push_back(tape.Leaf(x.To(dtype)));
      const Var y = GetParam().apply(in);
      std::vector<Tensor> results = {y.value().Clone()};
      tape.Backward(y, RandomTensor(y.shape(), 5, dtype));
      for (const Var& x : in) results.push_back(tape.Gradient(x));
      return results;
    };
    const std::vector<Tensor> f32 = run(DType::kF32);
    const std::vector<Tensor> f64 = run(DType::kF64);
    for (size_t i = 0; i < f32.size(); ++i) {
      EXPECT_LT(MaxDifference(f32[i], f64[i]), 5e-6)
          << "result or gradient " << i;
    }
  }
};

}  // namespace heed

#endif  // HEED_OPS_TESTING_H_
