#include <algorithm>

#include "heed/kernels/rnn.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/cpu/gru.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "heed/kernels/cpu/lanes-inl.h"
#include "heed/kernels/cpu/math-inl.h"
#include "heed/kernels/cpu/rnn-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace {

/// Share p of h_prev in h = p h_prev + (1 - p) n: p = slope z + offset.
template <typename T>
struct PreviousShare {
  explicit PreviousShare(bool keep)
      : slope(keep ? 1 : -1), offset(keep ? 0 : 1) {}

  template <typename D, typename V>
  HWY_INLINE V operator()(D d, V z) const {
    return hn::MulAdd(z, hn::Set(d, slope), hn::Set(d, offset));
  }

  T slope;
  T offset;
};

}  // namespace

void GruStepResetAfter(const Tensor& x, const Tensor& u, const Tensor& h_prev,
                       bool keep, StepMask mask, Tensor& gates, Tensor& h) {
  const int64_t units = h.cols();
  ForRows(
      h, units, mask,
      [&]<typename T>(T, int64_t b) HWY_ATTR {
        const PreviousShare<T> share(keep);
        const T* x_b = x.row<T>(b);
        const T* u_b = u.row<T>(b);
        const T* h_prev_b = h_prev.row<T>(b);
        T* gates_b = gates.row<T>(b);
        T* h_b = h.row<T>(b);
        ForLanes<T>(units, [=](auto lanes, int64_t i) HEED_LANES {
          const auto d = lanes.d;
          const T* x_i = x_b + i;
          const T* u_i = u_b + i;
          T* gates_i = gates_b + i;
          const auto r = Sigmoid(d, hn::Add(lanes.Load(x_i), lanes.Load(u_i)));
          const auto z = Sigmoid(
              d, hn::Add(lanes.Load(x_i + units), lanes.Load(u_i + units)));
          const auto u_n = lanes.Load(u_i + 2 * units);
          const auto n =
              Tanh(d, hn::MulAdd(r, u_n, lanes.Load(x_i + 2 * units)));
          lanes.Store(r, gates_i);
          lanes.Store(z, gates_i + units);
          lanes.Store(n, gates_i + 2 * units);
          lanes.Store(u_n, gates_i + 3 * units);
          const auto change = hn::Sub(lanes.Load(h_prev_b + i), n);
          lanes.Store(hn::MulAdd(share(d, z), change, n), h_b + i);
        });
      },
      [&]<typename T>(T, int64_t b) {
        std::copy_n(h_prev.row<T>(b), units, h.row<T>(b));
      });
}

void GruStepResetAfterGrad(const Tensor& dh, const Tensor& gates,
                           const Tensor& h_prev, bool keep, StepMask mask,
                           Tensor& dx, Tensor& du, Tensor& dh_prev) {
  const int64_t units = dh.cols();
  ForRows(
      dh, units, mask,
      [&]<typename T>(T, int64_t b) HWY_ATTR {
        const PreviousShare<T> share(keep);
        const T* dh_b = dh.row<T>(b);
        const T* gates_b = gates.row<T>(b);
        const T* h_prev_b = h_prev.row<T>(b);
        T* dx_b = dx.row<T>(b);
        T* du_b = du.row<T>(b);
        T* dh_prev_b = dh_prev.row<T>(b);
        ForLanes<T>(units, [=](auto lanes, int64_t i) HEED_LANES {
          const T* gates_i = gates_b + i;
          T* dx_i = dx_b + i;
          T* du_i = du_b + i;
          const auto r = lanes.Load(gates_i);
          const auto z = lanes.Load(gates_i + units);
          const auto n = lanes.Load(gates_i + 2 * units);
          const auto u_n = lanes.Load(gates_i + 3 * units);
          const auto dh_i = lanes.Load(dh_b + i);
          const auto dh_share = hn::Mul(dh_i, share(lanes.d, z));
          const auto dz = hn::Mul(hn::Mul(dh_i, hn::Set(lanes.d, share.slope)),
                                  hn::Sub(lanes.Load(h_prev_b + i), n));
          const auto dn = ThroughTanh(hn::Sub(dh_i, dh_share), n);
          const auto da_r = ThroughSigmoid(hn::Mul(dn, u_n), r);
          const auto da_z = ThroughSigmoid(dz, z);
          lanes.Store(da_r, dx_i);
          lanes.Store(da_z, dx_i + units);
          lanes.Store(dn, dx_i + 2 * units);
          lanes.Store(da_r, du_i);
          lanes.Store(da_z, du_i + units);
          lanes.Store(hn::Mul(dn, r), du_i + 2 * units);
          lanes.Store(dh_share, dh_prev_b + i);
        });
      },
      [&]<typename T>(T, int64_t b) {
        std::fill_n(dx.row<T>(b), 3 * units, T{0});
        std::fill_n(du.row<T>(b), 3 * units, T{0});
        std::copy_n(dh.row<T>(b), units, dh_prev.row<T>(b));
      });
}

void GruGates(const Tensor& x, const Tensor& u, const Tensor& h_prev,
              Tensor& gates, Tensor& rh) {
  const int64_t units = rh.cols();
  const auto row = [&]<typename T>(T, int64_t b) HWY_ATTR {
    const T* x_b = x.row<T>(b);
    const T* u_b = u.row<T>(b);
    const T* h_prev_b = h_prev.row<T>(b);
    T* gates_b = gates.row<T>(b);
    T* rh_b = rh.row<T>(b);
    ForLanes<T>(units, [=](auto lanes, int64_t i) HEED_LANES {
      const T* x_i = x_b + i;
      const T* u_i = u_b + i;
      const auto r =
          Sigmoid(lanes.d, hn::Add(lanes.Load(x_i), lanes.Load(u_i)));
      const auto z = Sigmoid(
          lanes.d, hn::Add(lanes.Load(x_i + units), lanes.Load(u_i + units)));
      lanes.Store(r, gates_b + i);
      lanes.Store(z, gates_b + i + units);
      lanes.Store(hn::Mul(r, lanes.Load(h_prev_b + i)), rh_b + i);
    });
  };
  ForRows(rh, units, StepMask{}, row, row);
}

void GruCandidate(const Tensor& x, const Tensor& un, const Tensor& h_prev,
                  bool keep, StepMask mask, Tensor& gates, Tensor& h) {
  const int64_t units = h.cols();
  ForRows(
      h, units, mask,
      [&]<typename T>(T, int64_t b) HWY_ATTR {
        const PreviousShare<T> share(keep);
        const T* x_n = x.row<T>(b) + 2 * units;
        const T* un_b = un.row<T>(b);
        const T* h_prev_b = h_prev.row<T>(b);
        const T* gate_z = gates.row<T>(b) + units;
        T* gate_n = gates.row<T>(b) + 2 * units;
        T* h_b = h.row<T>(b);
        ForLanes<T>(units, [=](auto lanes, int64_t i) HEED_LANES {
          const auto d = lanes.d;
          const auto n =
              Tanh(d, hn::Add(lanes.Load(x_n + i), lanes.Load(un_b + i)));
          const auto change = hn::Sub(lanes.Load(h_prev_b + i), n);
          lanes.Store(n, gate_n + i);
          lanes.Store(hn::MulAdd(share(d, lanes.Load(gate_z + i)), change, n),
                      h_b + i);
        });
      },
      [&]<typename T>(T, int64_t b) {
        std::copy_n(h_prev.row<T>(b), units, h.row<T>(b));
      });
}

void GruCandidateGrad(const Tensor& dh, const Tensor& gates,
                      const Tensor& h_prev, bool keep, StepMask mask,
                      Tensor& dx, Tensor& dh_prev) {
  const int64_t units = dh.cols();
  ForRows(
      dh, units, mask,
      [&]<typename T>(T, int64_t b) HWY_ATTR {
        const PreviousShare<T> share(keep);
        const T* dh_b = dh.row<T>(b);
        const T* gates_b = gates.row<T>(b);
        const T* h_prev_b = h_prev.row<T>(b);
        T* dx_b = dx.row<T>(b);
        T* dh_prev_b = dh_prev.row<T>(b);
        ForLanes<T>(units, [=](auto lanes, int64_t i) HEED_LANES {
          const auto z = lanes.Load(gates_b + i + units);
          const auto n = lanes.Load(gates_b + i + 2 * units);
          const auto dh_i = lanes.Load(dh_b + i);
          const auto dh_share = hn::Mul(dh_i, share(lanes.d, z));
          const auto dz = hn::Mul(hn::Mul(dh_i, hn::Set(lanes.d, share.slope)),
                                  hn::Sub(lanes.Load(h_prev_b + i), n));
          lanes.Store(ThroughSigmoid(dz, z), dx_b + i + units);
          lanes.Store(ThroughTanh(hn::Sub(dh_i, dh_share), n),
                      dx_b + i + 2 * units);
          lanes.Store(dh_share, dh_prev_b + i);
        });
      },
      [&]<typename T>(T, int64_t b) {
        std::fill_n(dx.row<T>(b) + units, 2 * units, T{0});
        std::copy_n(dh.row<T>(b), units, dh_prev.row<T>(b));
      });
}

void GruGatesGrad(const Tensor& drh, const Tensor& gates, const Tensor& h_prev,
                  StepMask mask, Tensor& dx, Tensor& dh_prev) {
  const int64_t units = drh.cols();
  ForRows(
      drh, units, mask,
      [&]<typename T>(T, int64_t b) HWY_ATTR {
        const T* drh_b = drh.row<T>(b);
        const T* gates_b = gates.row<T>(b);
        const T* h_prev_b = h_prev.row<T>(b);
        T* dx_b = dx.row<T>(b);
        T* dh_prev_b = dh_prev.row<T>(b);
        ForLanes<T>(units, [=](auto lanes, int64_t i) HEED_LANES {
          const auto r = lanes.Load(gates_b + i);
          const auto drh_i = lanes.Load(drh_b + i);
          const auto dr = hn::Mul(drh_i, lanes.Load(h_prev_b + i));
          lanes.Store(ThroughSigmoid(dr, r), dx_b + i);
          lanes.Store(hn::MulAdd(drh_i, r, lanes.Load(dh_prev_b + i)),
                      dh_prev_b + i);
        });
      },
      [&]<typename T>(T, int64_t b) {
        std::fill_n(dx.row<T>(b), units, T{0});
      });
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(GruStepResetAfter);
HWY_EXPORT(GruStepResetAfterGrad);
HWY_EXPORT(GruGates);
HWY_EXPORT(GruCandidate);
HWY_EXPORT(GruCandidateGrad);
HWY_EXPORT(GruGatesGrad);

void GruStepResetAfter(const Tensor& x, const Tensor& u, const Tensor& h_prev,
                       bool keep, StepMask mask, Tensor& gates, Tensor& h) {
  HWY_DYNAMIC_DISPATCH(GruStepResetAfter)(x, u, h_prev, keep, mask, gates, h);
}

void GruStepResetAfterGrad(const Tensor& dh, const Tensor& gates,
                           const Tensor& h_prev, bool keep, StepMask mask,
                           Tensor& dx, Tensor& du, Tensor& dh_prev) {
  HWY_DYNAMIC_DISPATCH(GruStepResetAfterGrad)
  (dh, gates, h_prev, keep, mask, dx, du, dh_prev);
}

void GruGates(const Tensor& x, const Tensor& u, const Tensor& h_prev,
              Tensor& gates, Tensor& rh) {
  HWY_DYNAMIC_DISPATCH(GruGates)(x, u, h_prev, gates, rh);
}

void GruCandidate(const Tensor& x, const Tensor& un, const Tensor& h_prev,
                  bool keep, StepMask mask, Tensor& gates, Tensor& h) {
  HWY_DYNAMIC_DISPATCH(GruCandidate)(x, un, h_prev, keep, mask, gates, h);
}

void GruCandidateGrad(const Tensor& dh, const Tensor& gates,
                      const Tensor& h_prev, bool keep, StepMask mask,
                      Tensor& dx, Tensor& dh_prev) {
  HWY_DYNAMIC_DISPATCH(GruCandidateGrad)
  (dh, gates, h_prev, keep, mask, dx, dh_prev);
}

void GruGatesGrad(const Tensor& drh, const Tensor& gates, const Tensor& h_prev,
                  StepMask mask, Tensor& dx, Tensor& dh_prev) {
  HWY_DYNAMIC_DISPATCH(GruGatesGrad)(drh, gates, h_prev, mask, dx, dh_prev);
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
