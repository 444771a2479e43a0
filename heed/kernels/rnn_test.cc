#include "heed/kernels/rnn.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <hwy/tests/hwy_gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "heed/kernels/testing.h"

namespace heed::kernels::rnn_test {
namespace {

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// Random arguments of one step; half of the rows are active.
struct Case {
  Case(DType type, int64_t batch, int64_t hidden)
      : dtype(type), B(batch), H(hidden) {
    std::vector<int32_t> values;
    for (int64_t b = 0; b < B; ++b) {
      values.push_back(static_cast<int32_t>(b % 4));
    }
    lengths = Tensor::Of(values, {B});
  }

  Tensor Random(int64_t parts = 1) {
    return RandomSlice({B, parts * H}, dtype, rng);
  }
  StepMask Mask() const { return {&lengths, 1}; }
  bool Active(int64_t b) const { return b % 4 > 1; }

  DType dtype;
  int64_t B;
  int64_t H;
  Tensor lengths;
  Rng rng{3};
};

/// Sizes around the boundaries of vectors, and one with several chunks.
template <typename Body>
void ForCases(const Body& body) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    for (const auto& [B, H] :
         std::vector<std::pair<int64_t, int64_t>>{{0, 3},
                                                  {4, 0},
                                                  {1, 1},
                                                  {3, 3},
                                                  {4, 15},
                                                  {5, 17},
                                                  {4, 63},
                                                  {4, 65},
                                                  {4, 127},
                                                  {4, 129},
                                                  {40, 600}}) {
      SCOPED_TRACE(std::string(Name(dtype)) + " B=" + std::to_string(B) +
                   " H=" + std::to_string(H));
      Case n(dtype, B, H);
      body(n);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

constexpr double kTolerance = 1e-6;

class RnnKernels : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(RnnKernels);

TEST_P(RnnKernels, RnnStepIsTanh) {
  ForCases([](Case& n) {
    const Tensor a = n.Random();
    const Tensor h_prev = n.Random();
    Tensor h = n.Random();
    RnnStep(a, h_prev, n.Mask(), h);
    ExpectEach(h, kTolerance, [&](int64_t b, int64_t u) {
      return n.Active(b) ? std::tanh(At(a, b, u)) : At(h_prev, b, u);
    });
  });
}

TEST_P(RnnKernels, WithoutLengthsEveryRowTakesPart) {
  Case n(DType::kF32, 4, 5);
  const Tensor a = n.Random();
  Tensor h = n.Random();
  const Tensor none;
  for (const StepMask mask : {StepMask{}, StepMask{&none, 7}}) {
    h.Fill(9);
    RnnStep(a, n.Random(), mask, h);
    ExpectEach(h, kTolerance,
               [&](int64_t b, int64_t u) { return std::tanh(At(a, b, u)); });
  }
}

TEST_P(RnnKernels, LstmStepIsTheFormula) {
  ForCases([](Case& n) {
    const Tensor a = n.Random(4);
    const Tensor h_prev = n.Random();
    const Tensor c_prev = n.Random();
    Tensor gates = Tensor::Zeros({n.B, 4 * n.H}, n.dtype);
    Tensor h = n.Random();
    Tensor c = n.Random();
    LstmStep(a, h_prev, c_prev, n.Mask(), gates, h, c);
    const auto gate = [&](int64_t b, int64_t u, int64_t which) {
      const double x = At(a, b, which * n.H + u);
      return which == 2 ? std::tanh(x) : Sigmoid(x);
    };
    const auto cell = [&](int64_t b, int64_t u) {
      return n.Active(b) ? gate(b, u, 1) * At(c_prev, b, u) +
                               gate(b, u, 0) * gate(b, u, 2)
                         : At(c_prev, b, u);
    };
    ExpectEach(c, kTolerance, cell);
    ExpectEach(h, kTolerance, [&](int64_t b, int64_t u) {
      return n.Active(b) ? gate(b, u, 3) * std::tanh(cell(b, u))
                         : At(h_prev, b, u);
    });
    ExpectEach(gates, kTolerance, [&](int64_t b, int64_t u) {
      return n.Active(b) ? gate(b, u % n.H, u / n.H) : 0;
    });
  });
}

TEST_P(RnnKernels, NestedLstmInputsAndOutputAreTheFormula) {
  ForCases([](Case& n) {
    const Tensor a = n.Random(4);
    const Tensor h_prev = n.Random();
    const Tensor c_prev = n.Random();
    Tensor gates = Tensor::Zeros({n.B, 4 * n.H}, n.dtype);
    Tensor inner = n.Random(2);
    NestedLstmInputs(a, c_prev, n.Mask(), gates, inner);
    const auto gate = [&](int64_t b, int64_t u, int64_t which) {
      const double x = At(a, b, which * n.H + u);
      return which == 2 ? x : Sigmoid(x);
    };
    ExpectEach(gates, kTolerance, [&](int64_t b, int64_t u) {
      return n.Active(b) ? gate(b, u % n.H, u / n.H) : 0;
    });
    ExpectEach(inner, kTolerance, [&](int64_t b, int64_t u) {
      if (!n.Active(b)) return 0.0;
      return u < n.H ? gate(b, u, 0) * gate(b, u, 2)
                     : gate(b, u - n.H, 1) * At(c_prev, b, u - n.H);
    });
    const Tensor c = n.Random();
    Tensor h = n.Random();
    NestedLstmOutput(gates, c, h_prev, n.Mask(), h);
    ExpectEach(h, kTolerance, [&](int64_t b, int64_t u) {
      return n.Active(b) ? gate(b, u, 3) * std::tanh(At(c, b, u))
                         : At(h_prev, b, u);
    });
  });
}

TEST_P(RnnKernels, GruStepResetAfterIsTheFormula) {
  for (const bool keep : {true, false}) {
    ForCases([keep](Case& n) {
      const Tensor x = n.Random(3);
      const Tensor u = n.Random(3);
      const Tensor h_prev = n.Random();
      Tensor gates = n.Random(4);
      Tensor h = n.Random();
      GruStepResetAfter(x, u, h_prev, keep, n.Mask(), gates, h);
      ExpectEach(h, kTolerance, [&](int64_t b, int64_t i) {
        if (!n.Active(b)) return At(h_prev, b, i);
        const double r = Sigmoid(At(x, b, i) + At(u, b, i));
        const double z = Sigmoid(At(x, b, n.H + i) + At(u, b, n.H + i));
        const double candidate =
            std::tanh(At(x, b, 2 * n.H + i) + r * At(u, b, 2 * n.H + i));
        const double p = keep ? z : 1 - z;
        return p * At(h_prev, b, i) + (1 - p) * candidate;
      });
    });
  }
}

TEST_P(RnnKernels, GruGatesAndCandidateAreTheFormula) {
  for (const bool keep : {true, false}) {
    ForCases([keep](Case& n) {
      const Tensor x = n.Random(3);
      const Tensor u = n.Random(2);
      const Tensor un = n.Random();
      const Tensor h_prev = n.Random();
      Tensor gates = n.Random(3);
      Tensor rh = n.Random();
      Tensor h = n.Random();
      GruGates(x, u, h_prev, gates, rh);
      ExpectEach(rh, kTolerance, [&](int64_t b, int64_t i) {
        return Sigmoid(At(x, b, i) + At(u, b, i)) * At(h_prev, b, i);
      });
      GruCandidate(x, un, h_prev, keep, n.Mask(), gates, h);
      ExpectEach(h, kTolerance, [&](int64_t b, int64_t i) {
        if (!n.Active(b)) return At(h_prev, b, i);
        const double z = Sigmoid(At(x, b, n.H + i) + At(u, b, n.H + i));
        const double candidate =
            std::tanh(At(x, b, 2 * n.H + i) + At(un, b, i));
        const double p = keep ? z : 1 - z;
        return p * At(h_prev, b, i) + (1 - p) * candidate;
      });
    });
  }
}

TEST_P(RnnKernels, RnnStepGradIsTheDifference) {
  Case n(DType::kF64, 6, 9);
  Tensor a = n.Random();
  Tensor h_prev = n.Random();
  Tensor h = n.Random();
  const Tensor dh = n.Random();
  Tensor da = n.Random();
  Tensor dh_prev = n.Random();
  const auto loss = [&] {
    RnnStep(a, h_prev, n.Mask(), h);
    return Dot(h, dh);
  };
  loss();
  RnnStepGrad(dh, h, n.Mask(), da, dh_prev);
  ExpectGradient(da, a, loss);
  ExpectGradient(dh_prev, h_prev, loss);
}

TEST_P(RnnKernels, LstmStepGradIsTheDifference) {
  Case n(DType::kF64, 6, 9);
  Tensor a = n.Random(4);
  Tensor h_prev = n.Random();
  Tensor c_prev = n.Random();
  Tensor gates = n.Random(4);
  Tensor h = n.Random();
  Tensor c = n.Random();
  const Tensor dh = n.Random();
  const Tensor dc = n.Random();
  Tensor da = n.Random(4);
  // In place: outgoing gradients replace incoming ones.
  Tensor dh_prev = dh.Clone();
  Tensor dc_prev = dc.Clone();
  const auto loss = [&] {
    LstmStep(a, h_prev, c_prev, n.Mask(), gates, h, c);
    return Dot(h, dh) + Dot(c, dc);
  };
  loss();
  LstmStepGrad(dh_prev, dc_prev, gates, c_prev, c, n.Mask(), da, dh_prev,
               dc_prev);
  ExpectGradient(da, a, loss);
  ExpectGradient(dh_prev, h_prev, loss);
  ExpectGradient(dc_prev, c_prev, loss);
}

/// Replaces the inner LSTM by c = half of its memory input plus a third of its
/// other input.
TEST_P(RnnKernels, NestedLstmGradsAreTheDifference) {
  Case n(DType::kF64, 6, 9);
  Tensor a = n.Random(4);
  Tensor h_prev = n.Random();
  Tensor c_prev = n.Random();
  Tensor gates = n.Random(4);
  Tensor inner = n.Random(2);
  Tensor c = n.Random();
  Tensor h = n.Random();
  const Tensor dh = n.Random();
  const auto loss = [&] {
    NestedLstmInputs(a, c_prev, n.Mask(), gates, inner);
    for (int64_t b = 0; b < n.B; ++b) {
      for (int64_t u = 0; u < n.H; ++u) {
        SetAt(c, b, u, At(inner, b, u) / 3 + At(inner, b, n.H + u) / 2);
      }
    }
    NestedLstmOutput(gates, c, h_prev, n.Mask(), h);
    return Dot(h, dh);
  };
  loss();
  Tensor da = n.Random(4);
  Tensor dh_prev = n.Random();
  Tensor dc = Tensor::Zeros({n.B, n.H}, n.dtype);
  NestedLstmOutputGrad(dh, gates, c, n.Mask(), da, dc, dh_prev);
  Tensor dinner = n.Random(2);
  for (int64_t b = 0; b < n.B; ++b) {
    for (int64_t u = 0; u < n.H; ++u) {
      SetAt(dinner, b, u, At(dc, b, u) / 3);
      SetAt(dinner, b, n.H + u, At(dc, b, u) / 2);
    }
  }
  Tensor dc_prev = Tensor::Zeros({n.B, n.H}, n.dtype);
  NestedLstmInputsGrad(dinner, gates, c_prev, n.Mask(), da, dc_prev);
  ExpectGradient(da, a, loss);
  ExpectGradient(dh_prev, h_prev, loss);
  ExpectGradient(dc_prev, c_prev, loss);
}

TEST_P(RnnKernels, GruStepResetAfterGradIsTheDifference) {
  for (const bool keep : {true, false}) {
    Case n(DType::kF64, 6, 9);
    Tensor x = n.Random(3);
    Tensor u = n.Random(3);
    Tensor h_prev = n.Random();
    Tensor gates = n.Random(4);
    Tensor h = n.Random();
    const Tensor dh = n.Random();
    Tensor dx = n.Random(3);
    Tensor du = n.Random(3);
    Tensor dh_prev = n.Random();
    const auto loss = [&] {
      GruStepResetAfter(x, u, h_prev, keep, n.Mask(), gates, h);
      return Dot(h, dh);
    };
    loss();
    GruStepResetAfterGrad(dh, gates, h_prev, keep, n.Mask(), dx, du, dh_prev);
    ExpectGradient(dx, x, loss);
    ExpectGradient(du, u, loss);
    ExpectGradient(dh_prev, h_prev, loss);
  }
}

TEST_P(RnnKernels, GruGatesAndCandidateGradsAreTheDifference) {
  constexpr double kU = 0.7;  // replaces the product between both halves
  for (const bool keep : {true, false}) {
    Case n(DType::kF64, 6, 9);
    Tensor x = n.Random(3);
    Tensor u = n.Random(2);
    Tensor h_prev = n.Random();
    Tensor gates = n.Random(3);
    Tensor rh = n.Random();
    Tensor un = n.Random();
    Tensor h = n.Random();
    const Tensor dh = n.Random();
    const auto scaled = [&](const Tensor& from, int64_t first, Tensor& to) {
      for (int64_t b = 0; b < n.B; ++b) {
        for (int64_t i = 0; i < n.H; ++i) {
          SetAt(to, b, i, kU * At(from, b, first + i));
        }
      }
    };
    const auto loss = [&] {
      GruGates(x, u, h_prev, gates, rh);
      scaled(rh, 0, un);
      GruCandidate(x, un, h_prev, keep, n.Mask(), gates, h);
      return Dot(h, dh);
    };
    loss();
    Tensor dx = n.Random(3);
    Tensor drh = n.Random();
    Tensor dh_prev = n.Random();
    GruCandidateGrad(dh, gates, h_prev, keep, n.Mask(), dx, dh_prev);
    scaled(dx, 2 * n.H, drh);
    GruGatesGrad(drh, gates, h_prev, n.Mask(), dx, dh_prev);
    ExpectGradient(dx, x, loss);
    ExpectGradient(dx.Columns(0, 2 * n.H), u, loss);
    ExpectGradient(dh_prev, h_prev, loss);
  }
}

/// Calls grad(dtype) for f32 and f64 and compares the results.
template <typename Grads>
void ExpectEqualInBothTypes(const Grads& grads) {
  const std::vector<Tensor> f32 = grads(DType::kF32);
  const std::vector<Tensor> f64 = grads(DType::kF64);
  for (size_t i = 0; i < f32.size(); ++i) {
    ExpectEach(f32[i], 3e-6,
               [&](int64_t b, int64_t u) { return At(f64[i], b, u); });
  }
}

TEST_P(RnnKernels, GradientsInF32AreThoseInF64) {
  for (const int64_t hidden : {1, 15, 17, 65, 129}) {
    ExpectEqualInBothTypes([&](DType dtype) {
      Case n(dtype, 5, hidden);
      const Tensor dh = n.Random();
      const Tensor dc = n.Random();
      const Tensor state = n.Random();
      const Tensor gates = n.Random(4);
      Tensor da = n.Random();
      Tensor dh_prev = n.Random();
      RnnStepGrad(dh, state, n.Mask(), da, dh_prev);
      Tensor d4 = n.Random(4);
      Tensor dh_lstm = n.Random();
      Tensor dc_lstm = n.Random();
      LstmStepGrad(dh, dc, gates, state, dc, n.Mask(), d4, dh_lstm, dc_lstm);
      Tensor d4_nested = n.Random(4);
      Tensor dc_nested = state.Clone();
      Tensor dh_nested = n.Random();
      NestedLstmOutputGrad(dh, gates, state, n.Mask(), d4_nested, dc_nested,
                           dh_nested);
      NestedLstmInputsGrad(n.Random(2), gates, state, n.Mask(), d4_nested,
                           dc_nested);
      Tensor dx = n.Random(3);
      Tensor du = n.Random(3);
      Tensor dh_gru = n.Random();
      GruStepResetAfterGrad(dh, gates, state, true, n.Mask(), dx, du, dh_gru);
      Tensor dx_before = n.Random(3);
      Tensor dh_before = n.Random();
      GruCandidateGrad(dh, gates, state, false, n.Mask(), dx_before, dh_before);
      GruGatesGrad(dc, gates, state, n.Mask(), dx_before, dh_before);
      return std::vector<Tensor>{
          da,        dh_prev, d4, dh_lstm, dc_lstm,   d4_nested, dc_nested,
          dh_nested, dx,      du, dh_gru,  dx_before, dh_before};
    });
  }
}

}  // namespace
}  // namespace heed::kernels::rnn_test
