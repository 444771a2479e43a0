#include "heed/kernels/rnn.h"

#include <algorithm>

#include "heed/base/threads.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/cpu/rnn.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "heed/kernels/cpu/lanes-inl.h"
#include "heed/kernels/cpu/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace {

// Units of all rows in a chunk of work; one costs one to five tanh.
constexpr int64_t kChunkUnits = 8192;

/// Calls active(b) for the rows that take part in the step, else passive(b).
template <typename Active, typename Passive>
void ForRows(int64_t rows, int64_t units, StepMask mask, const Active& active,
             const Passive& passive) {
  const int32_t* lengths = mask.lengths != nullptr && mask.lengths->defined()
                               ? mask.lengths->data<int32_t>()
                               : nullptr;
  const int64_t grain = std::max<int64_t>(1, kChunkUnits / (units + 1));
  ParallelFor(rows, grain, [&](int64_t begin, int64_t end) HWY_ATTR {
    for (int64_t b = begin; b < end; ++b) {
      if (lengths == nullptr || mask.t < lengths[b]) {
        active(b);
      } else {
        passive(b);
      }
    }
  });
}

/// dy (1 - y^2), the gradient through y = tanh(x).
template <typename V>
HWY_INLINE V ThroughTanh(V dy, V y) {
  return hn::NegMulAdd(hn::Mul(dy, y), y, dy);
}

/// dy y (1 - y), the gradient through y = sig(x).
template <typename V>
HWY_INLINE V ThroughSigmoid(V dy, V y) {
  const V t = hn::Mul(dy, y);
  return hn::NegMulAdd(t, y, t);
}

/// The share p of h_prev in h = p h_prev + (1 - p) n: p = slope z + offset.
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

void RnnStep(const Tensor& a, const Tensor& h_prev, StepMask mask, Tensor& h) {
  const int64_t units = h.cols();
  WithFloat(h, [&]<typename T>(T) HWY_ATTR {
    ForRows(
        h.rows(), units, mask,
        [&](int64_t b) HWY_ATTR {
          const T* a_b = a.row<T>(b);
          T* h_b = h.row<T>(b);
          ForLanes<T>(units, [=](auto lanes, int64_t i) HEED_LANES {
            lanes.Store(Tanh(lanes.d, lanes.Load(a_b + i)), h_b + i);
          });
        },
        [&](int64_t b) { std::copy_n(h_prev.row<T>(b), units, h.row<T>(b)); });
  });
}

void RnnStepGrad(const Tensor& dh, const Tensor& h, StepMask mask, Tensor& da,
                 Tensor& dh_prev) {
  const int64_t units = h.cols();
  WithFloat(h, [&]<typename T>(T) HWY_ATTR {
    ForRows(
        h.rows(), units, mask,
        [&](int64_t b) HWY_ATTR {
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
        [&](int64_t b) {
          std::fill_n(da.row<T>(b), units, T{0});
          std::copy_n(dh.row<T>(b), units, dh_prev.row<T>(b));
        });
  });
}

void LstmStep(const Tensor& a, const Tensor& h_prev, const Tensor& c_prev,
              StepMask mask, Tensor& gates, Tensor& h, Tensor& c) {
  const int64_t units = h.cols();
  WithFloat(h, [&]<typename T>(T) HWY_ATTR {
    ForRows(
        h.rows(), units, mask,
        [&](int64_t b) HWY_ATTR {
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
        [&](int64_t b) {
          std::copy_n(h_prev.row<T>(b), units, h.row<T>(b));
          std::copy_n(c_prev.row<T>(b), units, c.row<T>(b));
        });
  });
}

void LstmStepGrad(const Tensor& dh, const Tensor& dc, const Tensor& gates,
                  const Tensor& c_prev, const Tensor& c, StepMask mask,
                  Tensor& da, Tensor& dh_prev, Tensor& dc_prev) {
  const int64_t units = dh.cols();
  WithFloat(dh, [&]<typename T>(T) HWY_ATTR {
    ForRows(
        dh.rows(), units, mask,
        [&](int64_t b) HWY_ATTR {
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
        [&](int64_t b) {
          std::fill_n(da.row<T>(b), 4 * units, T{0});
          std::copy_n(dh.row<T>(b), units, dh_prev.row<T>(b));
          std::copy_n(dc.row<T>(b), units, dc_prev.row<T>(b));
        });
  });
}

void NestedLstmInputs(const Tensor& a, const Tensor& c_prev, StepMask mask,
                      Tensor& gates, Tensor& inner) {
  const int64_t units = c_prev.cols();
  WithFloat(c_prev, [&]<typename T>(T) HWY_ATTR {
    ForRows(
        c_prev.rows(), units, mask,
        [&](int64_t b) HWY_ATTR {
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
        [&](int64_t b) { std::fill_n(inner.row<T>(b), 2 * units, T{0}); });
  });
}

void NestedLstmOutput(const Tensor& gates, const Tensor& c,
                      const Tensor& h_prev, StepMask mask, Tensor& h) {
  const int64_t units = h.cols();
  WithFloat(h, [&]<typename T>(T) HWY_ATTR {
    ForRows(
        h.rows(), units, mask,
        [&](int64_t b) HWY_ATTR {
          const T* gate_o = gates.row<T>(b) + 3 * units;
          const T* c_b = c.row<T>(b);
          T* h_b = h.row<T>(b);
          ForLanes<T>(units, [=](auto lanes, int64_t u) HEED_LANES {
            const auto tanh_c = Tanh(lanes.d, lanes.Load(c_b + u));
            lanes.Store(hn::Mul(lanes.Load(gate_o + u), tanh_c), h_b + u);
          });
        },
        [&](int64_t b) { std::copy_n(h_prev.row<T>(b), units, h.row<T>(b)); });
  });
}

void NestedLstmOutputGrad(const Tensor& dh, const Tensor& gates,
                          const Tensor& c, StepMask mask, Tensor& da,
                          Tensor& dc, Tensor& dh_prev) {
  const int64_t units = dh.cols();
  WithFloat(dh, [&]<typename T>(T) HWY_ATTR {
    ForRows(
        dh.rows(), units, mask,
        [&](int64_t b) HWY_ATTR {
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
        [&](int64_t b) {
          std::fill_n(da.row<T>(b) + 3 * units, units, T{0});
          std::copy_n(dh.row<T>(b), units, dh_prev.row<T>(b));
        });
  });
}

void NestedLstmInputsGrad(const Tensor& dinner, const Tensor& gates,
                          const Tensor& c_prev, StepMask mask, Tensor& da,
                          Tensor& dc_prev) {
  const int64_t units = c_prev.cols();
  WithFloat(c_prev, [&]<typename T>(T) HWY_ATTR {
    ForRows(
        c_prev.rows(), units, mask,
        [&](int64_t b) HWY_ATTR {
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
        [&](int64_t b) { std::fill_n(da.row<T>(b), 3 * units, T{0}); });
  });
}

void GruStepResetAfter(const Tensor& x, const Tensor& u, const Tensor& h_prev,
                       bool keep, StepMask mask, Tensor& gates, Tensor& h) {
  const int64_t units = h.cols();
  WithFloat(h, [&]<typename T>(T) HWY_ATTR {
    const PreviousShare<T> share(keep);
    ForRows(
        h.rows(), units, mask,
        [&](int64_t b) HWY_ATTR {
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
            const auto r =
                Sigmoid(d, hn::Add(lanes.Load(x_i), lanes.Load(u_i)));
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
        [&](int64_t b) { std::copy_n(h_prev.row<T>(b), units, h.row<T>(b)); });
  });
}

void GruStepResetAfterGrad(const Tensor& dh, const Tensor& gates,
                           const Tensor& h_prev, bool keep, StepMask mask,
                           Tensor& dx, Tensor& du, Tensor& dh_prev) {
  const int64_t units = dh.cols();
  WithFloat(dh, [&]<typename T>(T) HWY_ATTR {
    const PreviousShare<T> share(keep);
    ForRows(
        dh.rows(), units, mask,
        [&](int64_t b) HWY_ATTR {
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
            const auto dz =
                hn::Mul(hn::Mul(dh_i, hn::Set(lanes.d, share.slope)),
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
        [&](int64_t b) {
          std::fill_n(dx.row<T>(b), 3 * units, T{0});
          std::fill_n(du.row<T>(b), 3 * units, T{0});
          std::copy_n(dh.row<T>(b), units, dh_prev.row<T>(b));
        });
  });
}

void GruGates(const Tensor& x, const Tensor& u, const Tensor& h_prev,
              Tensor& gates, Tensor& rh) {
  const int64_t units = rh.cols();
  WithFloat(rh, [&]<typename T>(T) HWY_ATTR {
    const auto row = [&](int64_t b) HWY_ATTR {
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
    ForRows(rh.rows(), units, StepMask{}, row, row);
  });
}

void GruCandidate(const Tensor& x, const Tensor& un, const Tensor& h_prev,
                  bool keep, StepMask mask, Tensor& gates, Tensor& h) {
  const int64_t units = h.cols();
  WithFloat(h, [&]<typename T>(T) HWY_ATTR {
    const PreviousShare<T> share(keep);
    ForRows(
        h.rows(), units, mask,
        [&](int64_t b) HWY_ATTR {
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
        [&](int64_t b) { std::copy_n(h_prev.row<T>(b), units, h.row<T>(b)); });
  });
}

void GruCandidateGrad(const Tensor& dh, const Tensor& gates,
                      const Tensor& h_prev, bool keep, StepMask mask,
                      Tensor& dx, Tensor& dh_prev) {
  const int64_t units = dh.cols();
  WithFloat(dh, [&]<typename T>(T) HWY_ATTR {
    const PreviousShare<T> share(keep);
    ForRows(
        dh.rows(), units, mask,
        [&](int64_t b) HWY_ATTR {
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
            const auto dz =
                hn::Mul(hn::Mul(dh_i, hn::Set(lanes.d, share.slope)),
                        hn::Sub(lanes.Load(h_prev_b + i), n));
            lanes.Store(ThroughSigmoid(dz, z), dx_b + i + units);
            lanes.Store(ThroughTanh(hn::Sub(dh_i, dh_share), n),
                        dx_b + i + 2 * units);
            lanes.Store(dh_share, dh_prev_b + i);
          });
        },
        [&](int64_t b) {
          std::fill_n(dx.row<T>(b) + units, 2 * units, T{0});
          std::copy_n(dh.row<T>(b), units, dh_prev.row<T>(b));
        });
  });
}

void GruGatesGrad(const Tensor& drh, const Tensor& gates, const Tensor& h_prev,
                  StepMask mask, Tensor& dx, Tensor& dh_prev) {
  const int64_t units = drh.cols();
  WithFloat(drh, [&]<typename T>(T) HWY_ATTR {
    ForRows(
        drh.rows(), units, mask,
        [&](int64_t b) HWY_ATTR {
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
        [&](int64_t b) { std::fill_n(dx.row<T>(b), units, T{0}); });
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
HWY_EXPORT(GruStepResetAfter);
HWY_EXPORT(GruStepResetAfterGrad);
HWY_EXPORT(GruGates);
HWY_EXPORT(GruCandidate);
HWY_EXPORT(GruCandidateGrad);
HWY_EXPORT(GruGatesGrad);

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
