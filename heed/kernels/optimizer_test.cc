#include "heed/kernels/optimizer.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <hwy/tests/hwy_gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "heed/base/at.h"
#include "heed/kernels/testing.h"

namespace heed::kernels::optimizer_test {
namespace {

class Optimizer : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(Optimizer);

/// Parameter, its gradient and two states.
struct Case {
  Case(int64_t n, DType dtype) {
    Rng rng(1);
    for (Tensor* x : {&w, &g, &s1, &s2}) {
      *x = RandomSlice({1, n}, dtype, rng).Contiguous().Reshape({n});
    }
    s1.Fill(0);
    s2.Fill(0);
    for (const Tensor& x : {w, g, s1, s2}) before.push_back(x.Clone());
  }
  double Before(int which, int64_t i) const {
    return At(At(before, which), 0, i);
  }

  Tensor w, g, s1, s2;
  std::vector<Tensor> before;
};

/// Checks that three steps of `step` agree with those of `scalar`, elementwise.
template <typename Step, typename Scalar>
void ExpectSteps(const Step& step, const Scalar& scalar) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    for (const int64_t n : {0, 1, 3, 15, 17, 63, 65, 127, 129, 40000}) {
      Case c(n, dtype);
      for (int t = 1; t <= 3; ++t) step(c, t);
      for (int64_t i = 0; i < n; ++i) {
        double w = c.Before(0, i);
        double s1 = 0;
        double s2 = 0;
        for (int t = 1; t <= 3; ++t) scalar(w, c.Before(1, i), s1, s2, t);
        const double tolerance = dtype == DType::kF32 ? 2e-6 : 1e-13;
        ASSERT_NEAR(At(c.w, 0, i), w, tolerance) << Name(dtype) << " " << i;
        ASSERT_NEAR(At(c.s1, 0, i), s1, tolerance) << Name(dtype) << " " << i;
        ASSERT_NEAR(At(c.s2, 0, i), s2, tolerance) << Name(dtype) << " " << i;
      }
      EXPECT_EQ(c.g.ToVector<double>(), c.before[1].ToVector<double>());
    }
  }
}

TEST_P(Optimizer, AdamIsTheFormula) {
  AdamOptions o{.learning_rate = 0.1,
                .beta1 = 0.8,
                .beta2 = 0.98,
                .epsilon = 1e-3,
                .weight_decay = 0.2,
                .grad_scale = 0.5,
                .step = 1};
  ExpectSteps(
      [&](Case& c, int t) {
        o.step = t;
        AdamStep({c.w}, c.g, c.s1, c.s2, o);
      },
      [&](double& w, double g, double& m, double& v, int t) {
        g *= 0.5;
        m = 0.8 * m + 0.2 * g;
        v = 0.98 * v + 0.02 * g * g;
        const double m_hat = m / (1 - std::pow(0.8, t));
        const double v_hat = v / (1 - std::pow(0.98, t));
        w -= 0.1 * (m_hat / (std::sqrt(v_hat) + 1e-3) + 0.2 * w);
      });
}

TEST_P(Optimizer, AdamOfZeroGradientsStaysFinite) {
  Tensor w = Tensor::Full({33}, 1);
  Tensor m = Tensor::Zeros({33});
  Tensor v = Tensor::Zeros({33});
  AdamStep({w}, Tensor::Zeros({33}), m, v, AdamOptions{});
  for (const float x : w.ToVector<float>()) EXPECT_EQ(x, 1);
}

TEST_P(Optimizer, AdadeltaIsTheFormula) {
  ExpectSteps(
      [](Case& c, int) {
        AdadeltaStep({c.w}, c.g, c.s1, c.s2, 0.95, 1e-2, 1.5, 0.5);
      },
      [](double& w, double g, double& eg2, double& ed2, int) {
        g *= 0.5;
        eg2 = 0.95 * eg2 + 0.05 * g * g;
        const double d = std::sqrt(ed2 + 1e-2) / std::sqrt(eg2 + 1e-2) * g;
        ed2 = 0.95 * ed2 + 0.05 * d * d;
        w -= 1.5 * d;
      });
}

TEST_P(Optimizer, RmspropIsTheFormula) {
  Tensor moved;
  double delta = 0;
  ExpectSteps(
      [&](Case& c, int t) {
        if (t == 1) moved = Tensor::Zeros(c.w.shape(), c.w.dtype());
        RmspropStep({c.w}, c.g, c.s1, c.s2, moved, {0.1, 0.8, 0.5, 1e-2, 0.5});
      },
      [&](double& w, double g, double& n, double& m, int t) {
        if (t == 1) delta = 0;
        g *= 0.5;
        n = 0.8 * n + 0.2 * g * g;
        m = 0.8 * m + 0.2 * g;
        delta = 0.5 * delta - 0.1 * g / std::sqrt(n - m * m + 1e-2);
        w += delta;
      });
}

TEST_P(Optimizer, ClampKeepsWhatIsWithinTheLimit) {
  ExpectSteps([](Case& c, int) { ClampStep(c.w, 0.75); },
              [](double& w, double, double&, double&, int) {
                w = std::min(std::max(w, -0.75), 0.75);
              });
}

TEST_P(Optimizer, SgdIsTheFormula) {
  ExpectSteps([](Case& c, int) { SgdStep({c.w}, c.g, c.s1, 0.1, 0.9, 0.5); },
              [](double& w, double g, double& v, double&, int) {
                v = 0.9 * v + 0.5 * g;
                w -= 0.1 * v;
              });
}

/// True if both hold equal bytes.
bool Same(const PackedMatrix& a, const PackedMatrix& b) {
  return a.data.numel() == b.data.numel() && a.data.dtype() == b.data.dtype() &&
         std::memcmp(
             a.data.raw(), b.data.raw(),
             static_cast<size_t>(a.data.numel()) * SizeOf(a.data.dtype())) == 0;
}

TEST_P(Optimizer, StepsArrangeTheNewValues) {
  using Step = void (*)(const Weight&, const Tensor&, Tensor*);
  const Step steps[] = {[](const Weight& w, const Tensor& g, Tensor* s) {
                          AdamStep(w, g, s[0], s[1], {});
                        },
                        [](const Weight& w, const Tensor& g, Tensor* s) {
                          AdadeltaStep(w, g, s[0], s[1], 0.95, 1e-2, 1.5, 0.5);
                        },
                        [](const Weight& w, const Tensor& g, Tensor* s) {
                          RmspropStep(w, g, s[0], s[1], s[2], {});
                        },
                        [](const Weight& w, const Tensor& g, Tensor* s) {
                          SgdStep(w, g, s[0], 0.1, 0.9, 0.5);
                        }};
  // Partial panels and blocks, several of them, and forms written by streaming
  // stores.
  const Shape shapes[] = {{1, 1},    {3, 70},    {64, 64},   {65, 130}, {70, 3},
                          {130, 65}, {129, 516}, {40, 1100}, {700, 96}};
  for (const Precision precision : {Precision::kNative, Precision::kBF16}) {
    for (const Shape& shape : shapes) {
      for (const Step step : steps) {
        Tensor w = Random(shape, DType::kF32, 1);
        const Tensor g = Random(shape, DType::kF32, 2);
        Tensor plain_w = w.Clone();
        Tensor state[3];
        Tensor plain_state[3];
        for (int i = 0; i < 3; ++i) {
          state[i] = Tensor::Zeros(shape);
          plain_state[i] = Tensor::Zeros(shape);
        }
        PackedMatrix forms[2];
        Pack(w, false, precision, forms[0]);
        Pack(w, true, precision, forms[1]);
        step({plain_w}, g, plain_state);
        step({w, {&forms[0], &forms[1]}}, g, state);
        EXPECT_EQ(w.ToVector<float>(), plain_w.ToVector<float>());
        EXPECT_EQ(state[0].ToVector<float>(), plain_state[0].ToVector<float>());
        PackedMatrix expected;
        for (const bool transpose : {false, true}) {
          Pack(w, transpose, precision, expected);
          EXPECT_TRUE(Same(forms[transpose ? 1 : 0], expected))
              << shape.ToString() << " " << transpose;
        }
        // Only the transposed form.
        step({w, {nullptr, &forms[1]}}, g, state);
        Pack(w, true, precision, expected);
        EXPECT_TRUE(Same(forms[1], expected)) << shape.ToString();
      }
    }
  }
}

TEST_P(Optimizer, AverageIsTheFormula) {
  ExpectSteps([](Case& c, int) { AverageStep(c.s1, c.g, 0.25); },
              [](double&, double g, double& mean, double&, int) {
                mean = 0.75 * mean + 0.25 * g;
              });
}

}  // namespace
}  // namespace heed::kernels::optimizer_test
