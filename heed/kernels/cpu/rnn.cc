#include "heed/kernels/rnn.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/cpu/rnn.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "heed/kernels/cpu/lanes-inl.h"
#include "heed/kernels/cpu/math-inl.h"
#include "heed/kernels/cpu/rnn-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

void RnnStep(const Tensor& a, const Tensor& h_prev, StepMask mask, Tensor& h) {
  const int64_t units = h.cols();
  ForRows(
      h, units, mask,
      [&]<typename T>(T, int64_t b) HWY_ATTR {
        const T* a_b = a.row<T>(b);
        T* h_b = h.row<T>(b);
        ForLanes<T>(units, [=](auto lanes, int64_t i) HEED_LANES {
          lanes.Store(Tanh(lanes.d, lanes.Load(a_b + i)), h_b + i);
        });
      },
      [&]<typename T>(T, int64_t b) {
        std::copy_n(h_prev.row<T>(b), units, h.row<T>(b));
      });
}

void RnnStepGrad(const Tensor& dh, const Tensor& h, StepMask mask, Tensor& da,
                 Tensor& dh_prev) {
  const int64_t units = h.cols();
  ForRows(
      h, units, mask,
      [&]<typename T>(T, int64_t b) HWY_ATTR {
        const T* dh_b = dh.row<T>(b);
        const T* h_b = h.row<T>(b);
        T* da_b = da.row<T>(b);
        T* dh_prev_b = dh_prev.row<T>(b);
        ForLanes<T>(units, [=](auto lanes, int64_t i) HEED_LANES {
          const auto da_i =
              ThroughTanh(lanes.Load(dh_b + i), lanes.Load(h_b + i));
          lanes.Store(da_i, da_b + i);
          lanes.Store(hn::Zero(lanes.d), dh_prev_b + i);
        });
      },
      [&]<typename T>(T, int64_t b) {
        std::fill_n(da.row<T>(b), units, T{0});
        std::copy_n(dh.row<T>(b), units, dh_prev.row<T>(b));
      });
}

void LstmStep(const Tensor& a, const Tensor& h_prev, const Tensor& c_prev,
              StepMask mask, Tensor& gates, Tensor& h, Tensor& c) {
  const int64_t units = h.cols();
  ForRows(
      h, units, mask,
      [&]<typename T>(T, int64_t b) HWY_ATTR {
        const T* a_b = a.row<T>(b);
        const T* c_prev_b = c_prev.row<T>(b);
        T* gates_b = gates.row<T>(b);
        T* h_b = h.row<T>(b);
        T* c_b = c.row<T>(b);
        ForLanes<T>(units, [=](auto lanes, int64_t u) HEED_LANES {
          const auto d = lanes.d;
          const T* a_u = a_b + u;
          T* gates_u = gates_b + u;
          const auto i = Sigmoid(d, lanes.Load(a_u));
          const auto f = Sigmoid(d, lanes.Load(a_u + units));
          const auto g = Tanh(d, lanes.Load(a_u + 2 * units));
          const auto o = Sigmoid(d, lanes.Load(a_u + 3 * units));
          lanes.Store(i, gates_u);
          lanes.Store(f, gates_u + units);
          lanes.Store(g, gates_u + 2 * units);
          lanes.Store(o, gates_u + 3 * units);
          const auto c_u =
              hn::MulAdd(f, lanes.Load(c_prev_b + u), hn::Mul(i, g));
          lanes.Store(c_u, c_b + u);
          lanes.Store(hn::Mul(o, Tanh(d, c_u)), h_b + u);
        });
      },
      [&]<typename T>(T, int64_t b) {
        std::copy_n(h_prev.row<T>(b), units, h.row<T>(b));
        std::copy_n(c_prev.row<T>(b), units, c.row<T>(b));
      });
}

void LstmStepGrad(const Tensor& dh, const Tensor& dc, const Tensor& gates,
                  const Tensor& c_prev, const Tensor& c, StepMask mask,
                  Tensor& da, Tensor& dh_prev, Tensor& dc_prev) {
  const int64_t units = dh.cols();
  ForRows(
      dh, units, mask,
      [&]<typename T>(T, int64_t b) HWY_ATTR {
        const T* dh_b = dh.row<T>(b);
        const T* dc_b = dc.row<T>(b);
        const T* gates_b = gates.row<T>(b);
        const T* c_prev_b = c_prev.row<T>(b);
        const T* c_b = c.row<T>(b);
        T* da_b = da.row<T>(b);
        T* dh_prev_b = dh_prev.row<T>(b);
        T* dc_prev_b = dc_prev.row<T>(b);
        ForLanes<T>(units, [=](auto lanes, int64_t u) HEED_LANES {
          const T* gates_u = gates_b + u;
          T* da_u = da_b + u;
          const auto i = lanes.Load(gates_u);
          const auto f = lanes.Load(gates_u + units);
          const auto g = lanes.Load(gates_u + 2 * units);
          const auto o = lanes.Load(gates_u + 3 * units);
          const auto dh_u = lanes.Load(dh_b + u);
          const auto tanh_c = Tanh(lanes.d, lanes.Load(c_b + u));
          const auto dc_u = hn::Add(lanes.Load(dc_b + u),
                                    ThroughTanh(hn::Mul(dh_u, o), tanh_c));
          const auto df = hn::Mul(dc_u, lanes.Load(c_prev_b + u));
          lanes.Store(ThroughSigmoid(hn::Mul(dc_u, g), i), da_u);
          lanes.Store(ThroughSigmoid(df, f), da_u + units);
          lanes.Store(ThroughTanh(hn::Mul(dc_u, i), g), da_u + 2 * units);
          lanes.Store(ThroughSigmoid(hn::Mul(dh_u, tanh_c), o),
                      da_u + 3 * units);
          lanes.Store(hn::Zero(lanes.d), dh_prev_b + u);
          lanes.Store(hn::Mul(dc_u, f), dc_prev_b + u);
        });
      },
      [&]<typename T>(T, int64_t b) {
        std::fill_n(da.row<T>(b), 4 * units, T{0});
        std::copy_n(dh.row<T>(b), units, dh_prev.row<T>(b));
        std::copy_n(dc.row<T>(b), units, dc_prev.row<T>(b));
      });
}

void NestedLstmInputs(const Tensor& a, const Tensor& c_prev, StepMask mask,
                      Tensor& gates, Tensor& inner) {
  const int64_t units = c_prev.cols();
  ForRows(
      c_prev, units, mask,
      [&]<typename T>(T, int64_t b) HWY_ATTR {
        const T* a_b = a.row<T>(b);
        const T* c_prev_b = c_prev.row<T>(b);
        T* gates_b = gates.row<T>(b);
        T* inner_b = inner.row<T>(b);
        ForLanes<T>(units, [=](auto lanes, int64_t u) HEED_LANES {
          const auto d = lanes.d;
          const T* a_u = a_b + u;
          T* gates_u = gates_b + u;
          const auto i = Sigmoid(d, lanes.Load(a_u));
          const auto f = Sigmoid(d, lanes.Load(a_u + units));
          const auto g = lanes.Load(a_u + 2 * units);
          const auto o = Sigmoid(d, lanes.Load(a_u + 3 * units));
          lanes.Store(i, gates_u);
          lanes.Store(f, gates_u + units);
          lanes.Store(g, gates_u + 2 * units);
          lanes.Store(o, gates_u + 3 * units);
          lanes.Store(hn::Mul(i, g), inner_b + u);
          lanes.Store(hn::Mul(f, lanes.Load(c_prev_b + u)),
                      inner_b + u + units);
        });
      },
      [&]<typename T>(T, int64_t b) {
        std::fill_n(inner.row<T>(b), 2 * units, T{0});
      });
}

void NestedLstmOutput(const Tensor& gates, const Tensor& c,
                      const Tensor& h_prev, StepMask mask, Tensor& h) {
  const int64_t units = h.cols();
  ForRows(
      h, units, mask,
      [&]<typename T>(T, int64_t b) HWY_ATTR {
        const T* gate_o = gates.row<T>(b) + 3 * units;
        const T* c_b = c.row<T>(b);
        T* h_b = h.row<T>(b);
        ForLanes<T>(units, [=](auto lanes, int64_t u) HEED_LANES {
          const auto tanh_c = Tanh(lanes.d, lanes.Load(c_b + u));
          lanes.Store(hn::Mul(lanes.Load(gate_o + u), tanh_c), h_b + u);
        });
      },
      [&]<typename T>(T, int64_t b) {
        std::copy_n(h_prev.row<T>(b), units, h.row<T>(b));
      });
}

void NestedLstmOutputGrad(const Tensor& dh, const Tensor& gates,
                          const Tensor& c, StepMask mask, Tensor& da,
                          Tensor& dc, Tensor& dh_prev) {
  const int64_t units = dh.cols();
  ForRows(
      dh, units, mask,
      [&]<typename T>(T, int64_t b) HWY_ATTR {
        const T* dh_b = dh.row<T>(b);
        const T* gate_o = gates.row<T>(b) + 3 * units;
        const T* c_b = c.row<T>(b);
        T* da_o = da.row<T>(b) + 3 * units;
        T* dc_b = dc.row<T>(b);
        T* dh_prev_b = dh_prev.row<T>(b);
        ForLanes<T>(units, [=](auto lanes, int64_t u) HEED_LANES {
          const auto o = lanes.Load(gate_o + u);
          const auto dh_u = lanes.Load(dh_b + u);
          const auto tanh_c = Tanh(lanes.d, lanes.Load(c_b + u));
          lanes.Store(ThroughSigmoid(hn::Mul(dh_u, tanh_c), o), da_o + u);
          lanes.Store(hn::Add(lanes.Load(dc_b + u),
                              ThroughTanh(hn::Mul(dh_u, o), tanh_c)),
                      dc_b + u);
          lanes.Store(hn::Zero(lanes.d), dh_prev_b + u);
        });
      },
      [&]<typename T>(T, int64_t b) {
        std::fill_n(da.row<T>(b) + 3 * units, units, T{0});
        std::copy_n(dh.row<T>(b), units, dh_prev.row<T>(b));
      });
}

void NestedLstmInputsGrad(const Tensor& dinner, const Tensor& gates,
                          const Tensor& c_prev, StepMask mask, Tensor& da,
                          Tensor& dc_prev) {
  const int64_t units = c_prev.cols();
  ForRows(
      c_prev, units, mask,
      [&]<typename T>(T, int64_t b) HWY_ATTR {
        const T* dinner_b = dinner.row<T>(b);
        const T* gates_b = gates.row<T>(b);
        const T* c_prev_b = c_prev.row<T>(b);
        T* da_b = da.row<T>(b);
        T* dc_prev_b = dc_prev.row<T>(b);
        ForLanes<T>(units, [=](auto lanes, int64_t u) HEED_LANES {
          const T* gates_u = gates_b + u;
          T* da_u = da_b + u;
          const auto i = lanes.Load(gates_u);
          const auto f = lanes.Load(gates_u + units);
          const auto g = lanes.Load(gates_u + 2 * units);
          const auto dx = lanes.Load(dinner_b + u);
          const auto dmemory = lanes.Load(dinner_b + u + units);
          const auto df = hn::Mul(dmemory, lanes.Load(c_prev_b + u));
          lanes.Store(ThroughSigmoid(hn::Mul(dx, g), i), da_u);
          lanes.Store(ThroughSigmoid(df, f), da_u + units);
          lanes.Store(hn::Mul(dx, i), da_u + 2 * units);
          lanes.Store(hn::MulAdd(dmemory, f, lanes.Load(dc_prev_b + u)),
                      dc_prev_b + u);
        });
      },
      [&]<typename T>(T, int64_t b) {
        std::fill_n(da.row<T>(b), 3 * units, T{0});
      });
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(RnnStep);
HWY_EXPORT(RnnStepGrad);
HWY_EXPORT(LstmStep);
HWY_EXPORT(LstmStepGrad);
HWY_EXPORT(NestedLstmInputs);
HWY_EXPORT(NestedLstmOutput);
HWY_EXPORT(NestedLstmOutputGrad);
HWY_EXPORT(NestedLstmInputsGrad);

void RnnStep(const Tensor& a, const Tensor& h_prev, StepMask mask, Tensor& h) {
  HWY_DYNAMIC_DISPATCH(RnnStep)(a, h_prev, mask, h);
}

void RnnStepGrad(const Tensor& dh, const Tensor& h, StepMask mask, Tensor& da,
                 Tensor& dh_prev) {
  HWY_DYNAMIC_DISPATCH(RnnStepGrad)(dh, h, mask, da, dh_prev);
}

void LstmStep(const Tensor& a, const Tensor& h_prev, const Tensor& c_prev,
              StepMask mask, Tensor& gates, Tensor& h, Tensor& c) {
  HWY_DYNAMIC_DISPATCH(LstmStep)(a, h_prev, c_prev, mask, gates, h, c);
}

void LstmStepGrad(const Tensor& dh, const Tensor& dc, const Tensor& gates,
                  const Tensor& c_prev, const Tensor& c, StepMask mask,
                  Tensor& da, Tensor& dh_prev, Tensor& dc_prev) {
  HWY_DYNAMIC_DISPATCH(LstmStepGrad)
  (dh, dc, gates, c_prev, c, mask, da, dh_prev, dc_prev);
}

void NestedLstmInputs(const Tensor& a, const Tensor& c_prev, StepMask mask,
                      Tensor& gates, Tensor& inner) {
  HWY_DYNAMIC_DISPATCH(NestedLstmInputs)(a, c_prev, mask, gates, inner);
}

void NestedLstmOutput(const Tensor& gates, const Tensor& c,
                      const Tensor& h_prev, StepMask mask, Tensor& h) {
  HWY_DYNAMIC_DISPATCH(NestedLstmOutput)(gates, c, h_prev, mask, h);
}

void NestedLstmOutputGrad(const Tensor& dh, const Tensor& gates,
                          const Tensor& c, StepMask mask, Tensor& da,
                          Tensor& dc, Tensor& dh_prev) {
  HWY_DYNAMIC_DISPATCH(NestedLstmOutputGrad)
  (dh, gates, c, mask, da, dc, dh_prev);
}

void NestedLstmInputsGrad(const Tensor& dinner, const Tensor& gates,
                          const Tensor& c_prev, StepMask mask, Tensor& da,
                          Tensor& dc_prev) {
  HWY_DYNAMIC_DISPATCH(NestedLstmInputsGrad)
  (dinner, gates, c_prev, mask, da, dc_prev);
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
