#include "heed/kernels/sparse_attention.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "heed/base/threads.h"
#include "heed/kernels/dropout.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/cpu/sparse_attention.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "heed/kernels/cpu/attention_pairs-inl.h"
#include "heed/kernels/cpu/lanes-inl.h"
#include "heed/kernels/cpu/softmax-inl.h"
#include "heed/kernels/cpu/sparse_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace {

using Score = AttentionArgs::Score;

Edges OfQuery(const Neighbourhood& graph, int64_t t) {
  const auto* offsets = graph.offsets.data<int32_t>();
  return {nullptr, graph.keys.data<int32_t>(), offsets[t],
          offsets[t + 1] - offsets[t]};
}

Edges OfKey(const Neighbourhood& graph, int64_t s) {
  const auto* offsets = graph.transposed_offsets.data<int32_t>();
  return {graph.transposed_edges.data<int32_t>(),
          graph.queries_of_edges.data<int32_t>(), offsets[s],
          offsets[s + 1] - offsets[s]};
}

/// Columns of head h in rows x [1, .., heads * width].
template <typename T>
Rows<const T> Head(const Tensor& x, int64_t h, int64_t width) {
  return {x.data<T>() + h * width, x.row_stride()};
}
template <typename T>
Rows<T> Head(Tensor& x, int64_t h, int64_t width) {
  return {x.data<T>() + h * width, x.row_stride()};
}

/// Scores e of one query row, indexed by edge.
template <typename T>
void ScoreEdges(const AttentionArgs& args, const Edges& edges, const T* q,
                Rows<const T> k, const T* w, T* e) {
  const int64_t features = args.features();
  const T value = static_cast<T>(args.value);
  if (args.score == Score::kDot) {
    for (int64_t i = 0; i < edges.size; ++i) {
      e[edges.edge(i)] = value * DotSpan(features, q, k[edges.row(i)]);
    }
    return;
  }
  WithPhi(args.score, value, [&](const auto& phi) HWY_ATTR {
    for (int64_t i = 0; i < edges.size; ++i) {
      PairScoresStrip<1>(phi, q, k.From(edges.row(i)), w, features,
                         e + edges.edge(i));
    }
  });
}

/// Gradient of ScoreEdges for the row x of one side: adds to dx and dw unless
/// null, from the gradients de, indexed by edge. `others` are the rows of the
/// other side.
template <typename T>
void ScoreEdgesGrad(const AttentionArgs& args, const Edges& edges, const T* x,
                    Rows<const T> others, const T* w, const T* de, T* dx,
                    T* dw) {
  const int64_t features = args.features();
  const T value = static_cast<T>(args.value);
  if (args.score == Score::kDot) {
    if (dx != nullptr) AddRows(edges, features, value, de, others, dx);
    return;
  }
  WithPhi(args.score, value, [&](const auto& phi) HWY_ATTR {
    ForLanes<T>(features, [&](auto lanes, int64_t a) HEED_LANES {
      const auto x_a = lanes.Load(x + a);
      auto sum = hn::Zero(lanes.d);
      auto dw_a = hn::Zero(lanes.d);
      for (int64_t i = 0; i < edges.size; ++i) {
        const auto pair = hn::Add(x_a, lanes.Load(others[edges.row(i)] + a));
        const auto de_i = hn::Set(lanes.d, de[edges.edge(i)]);
        sum = hn::Add(sum, phi.Grad(lanes.d, pair, de_i, dw_a));
      }
      if (dx != nullptr) {
        lanes.Store(hn::MulAdd(lanes.Load(w + a), sum, lanes.Load(dx + a)),
                    dx + a);
      }
      if (dw != nullptr) {
        lanes.Store(hn::Add(lanes.Load(dw + a), dw_a), dw + a);
      }
    });
  });
}

/// de = dropped * da - a sum(dropped * da) for the edges of one query, with da
/// the product of dcontext and the values.
template <typename T>
void WeightsGrad(const Edges& edges, int64_t cols, const T* dcontext,
                 Rows<const T> v, const T* a, const T* dropped, T* de) {
  T sum = 0;
  for (int64_t i = 0; i < edges.size; ++i) {
    const int64_t edge = edges.edge(i);
    de[edge] = dropped[edge] * DotSpan(cols, dcontext, v[edges.row(i)]);
    sum += de[edge];
  }
  for (int64_t i = 0; i < edges.size; ++i) {
    const int64_t edge = edges.edge(i);
    de[edge] -= a[edge] * sum;
  }
}

/// Vectorises over heads if each has one feature, as in graph attention
/// networks: such heads are adjacent in a row of queries or keys, and a vector
/// holds several heads of one edge. A loop over the few edges of a node for
/// each head would mostly be overhead.
template <typename T>
struct SideBySide {
  static constexpr size_t kMaxLanes = 8;
  static constexpr int64_t kMaxEdges = 64;  // of a row, in a buffer
  using D = hn::CappedTag<T, kMaxLanes>;
  using V = hn::Vec<D>;

  /// `edges` is the stride between heads.
  explicit SideBySide(int64_t edges)
      : apart(hn::Mul(hn::Iota(int_tag, 0),
                      hn::Set(int_tag, static_cast<Int>(edges)))) {}

  static bool Fits(const AttentionArgs& args, const Tensor& w, int64_t edges) {
    const auto lanes = static_cast<int64_t>(hn::Lanes(D()));
    return args.score != Score::kDot && args.features() == 1 &&
           args.heads == args.key_heads && args.heads % lanes == 0 &&
           w.row_stride() == 1 &&
           edges <= std::numeric_limits<int32_t>::max() / lanes;
  }
  /// Loads the elements of one edge for heads h, h + 1 .. of [H, E].
  V Load(const T* of_head) const { return hn::GatherIndex(d, of_head, apart); }
  void Store(V v, T* of_head) const { hn::ScatterIndex(v, d, of_head, apart); }

  using Int = hn::TFromD<hn::RebindToSigned<D>>;
  D d;
  hn::RebindToSigned<D> int_tag;
  hn::Vec<hn::RebindToSigned<D>> apart;
};

/// Scores and softmax of the edges of one query for all heads of `heads`; `a`
/// are the weights of the first head. At most kMaxEdges edges.
template <typename T, class Phi>
void SetWeightsSideBySide(const SideBySide<T>& heads, const Phi& phi,
                          const Edges& edges, const T* q, Rows<const T> k,
                          const T* w, T* a) {
  const auto d = heads.d;
  const auto lanes = hn::Lanes(d);
  using Heads = SideBySide<T>;
  HWY_ALIGN std::array<T, Heads::kMaxEdges * Heads::kMaxLanes> e;
  const auto q_h = hn::LoadU(d, q);
  const auto w_h = hn::LoadU(d, w);
  auto max = hn::Set(d, std::numeric_limits<T>::lowest());
  for (int64_t i = 0; i < edges.size; ++i) {
    const auto pair = hn::Add(q_h, hn::LoadU(d, k[edges.row(i)]));
    const auto score = hn::Mul(w_h, phi(d, pair));
    max = hn::Max(max, score);
    hn::StoreU(score, d, e.data() + static_cast<size_t>(i) * lanes);
  }
  auto sum = hn::Zero(d);
  for (int64_t i = 0; i < edges.size; ++i) {
    T* at = e.data() + static_cast<size_t>(i) * lanes;
    const auto power = Exp(d, hn::Sub(hn::LoadU(d, at), max));
    sum = hn::Add(sum, power);
    hn::StoreU(power, d, at);
  }
  const auto none = hn::Eq(sum, hn::Zero(d));
  for (int64_t i = 0; i < edges.size; ++i) {
    const auto power = hn::LoadU(d, e.data() + static_cast<size_t>(i) * lanes);
    heads.Store(hn::IfThenZeroElse(none, hn::Div(power, sum)),
                a + edges.edge(i));
  }
}

/// ScoreEdgesGrad for all heads of `heads`.
template <typename T, class Phi>
void ScoreGradSideBySide(const SideBySide<T>& heads, const Phi& phi,
                         const Edges& edges, const T* x, Rows<const T> others,
                         const T* w, const T* de, T* dx, T* dw) {
  const auto d = heads.d;
  const auto x_h = hn::LoadU(d, x);
  auto sum = hn::Zero(d);
  auto dw_h = hn::Zero(d);
  for (int64_t i = 0; i < edges.size; ++i) {
    const auto pair = hn::Add(x_h, hn::LoadU(d, others[edges.row(i)]));
    const auto de_i = heads.Load(de + edges.edge(i));
    sum = hn::Add(sum, phi.Grad(d, pair, de_i, dw_h));
  }
  if (dx != nullptr) {
    hn::StoreU(hn::MulAdd(hn::LoadU(d, w), sum, hn::LoadU(d, dx)), d, dx);
  }
  if (dw != nullptr) hn::StoreU(hn::Add(hn::LoadU(d, dw), dw_h), d, dw);
}

/// Arguments and sizes shared by all rows.
template <typename T>
struct Problem {
  const AttentionArgs& args;
  const Neighbourhood& graph;
  int64_t features = args.features();
  int64_t cols = args.value_features();
  int64_t group = args.heads / args.key_heads;
  // Factors of scores of pairs; ones if undefined.
  Tensor w = args.w.defined() || args.score == Score::kDot
                 ? args.w
                 : Tensor::Full({args.heads, features}, 1, args.q.dtype());

  Rows<const T> Queries(int64_t h) const {
    return Head<T>(args.q, h, features);
  }
  Rows<const T> Keys(int64_t h) const {
    return Head<T>(args.k, h / group, features);
  }
  Rows<const T> Values(int64_t h) const {
    return Head<T>(args.v, h / group, cols);
  }
  const T* W(int64_t h) const { return w.defined() ? w.row<T>(h) : nullptr; }

  bool side_by_side = SideBySide<T>::Fits(args, w, graph.keys.numel());

  /// If heads are adjacent, calls body(heads, phi, h) for as many heads at a
  /// time as a vector holds, from h on.
  template <class Body>
  void ForHeadsSideBySide(const Body& body) const {
    if (!side_by_side) return;
    const SideBySide<T> heads(graph.keys.numel());
    const auto lanes = static_cast<int64_t>(hn::Lanes(heads.d));
    WithPhi(args.score, static_cast<T>(args.value),
            [&](const auto& phi) HWY_ATTR {
              for (int64_t h = 0; h < args.heads; h += lanes) {
                body(heads, phi, h);
              }
            });
  }
  /// Rows of queries or keys per chunk of a parallel loop.
  int64_t Grain(int64_t rows) const {
    const int64_t degree = graph.keys.numel() / std::max<int64_t>(1, rows);
    return RowGrain((degree + 1) * args.heads * (features + cols));
  }
  /// Calls body(r, h) for each head of the rows [begin, end).
  template <class Body>
  void ForHeads(int64_t begin, int64_t end, const Body& body) const {
    for (int64_t r = begin; r < end; ++r) {
      for (int64_t h = 0; h < args.heads; ++h) body(r, h);
    }
  }
};

/// Weights [H, E] after dropout.
Tensor Dropped(const AttentionArgs& args, const Tensor& weights) {
  return args.dropout > 0 ? Dropout(weights, args.dropout, args.dropout_key)
                          : weights;
}

/// Computes the weights before dropout.
template <typename T>
void SetWeights(const Problem<T>& p, Tensor& weights) {
  const int64_t queries = p.graph.queries;
  const auto side_by_side = [&](int64_t t) {
    return p.side_by_side &&
           OfQuery(p.graph, t).size <= SideBySide<T>::kMaxEdges;
  };
  ParallelFor(queries, p.Grain(queries), [&](int64_t begin, int64_t end) {
    p.ForHeadsSideBySide([&](const auto& heads, const auto& phi,
                             int64_t h) HWY_ATTR {
      for (int64_t t = begin; t < end; ++t) {
        if (!side_by_side(t)) continue;
        SetWeightsSideBySide(heads, phi, OfQuery(p.graph, t), p.Queries(h)[t],
                             p.Keys(h), p.W(h), weights.row<T>(h));
      }
    });
    p.ForHeads(begin, end, [&](int64_t t, int64_t h) HWY_ATTR {
      if (side_by_side(t)) return;
      ScoreEdges(p.args, OfQuery(p.graph, t), p.Queries(h)[t], p.Keys(h),
                 p.W(h), weights.row<T>(h));
    });
    // A separate pass: a vector load stalls until single elements that were
    // just stored have reached the cache.
    p.ForHeads(begin, end, [&](int64_t t, int64_t h) HWY_ATTR {
      if (side_by_side(t)) return;
      const Edges edges = OfQuery(p.graph, t);
      T* e = weights.row<T>(h) + edges.first;
      SoftmaxSpan(edges.size, e, e);
    });
  });
}

/// context += dropped v.
template <typename T>
void AddContext(const Problem<T>& p, const Tensor& dropped, Tensor& context) {
  const int64_t queries = p.graph.queries;
  ParallelFor(queries, p.Grain(queries), [&](int64_t begin, int64_t end) {
    p.ForHeads(begin, end, [&](int64_t t, int64_t h) HWY_ATTR {
      AddRows(OfQuery(p.graph, t), p.cols, T(1), dropped.row<T>(h), p.Values(h),
              Head<T>(context, h, p.cols)[t]);
    });
  });
}

/// Sets the gradients de of scores; adds to dq and dw.
template <typename T>
void QueriesGrad(const Problem<T>& p, const Tensor& weights,
                 const Tensor& dropped, const Tensor& dcontext, Tensor& de,
                 AttentionGrads& grads) {
  const int64_t queries = p.graph.queries;
  const int64_t grain = p.Grain(queries);
  // One partial sum per chunk, so that results do not depend on scheduling.
  const int64_t chunks = grads.dw.defined() ? (queries + grain - 1) / grain : 0;
  const int64_t factors = p.args.heads * p.features;
  Tensor sums = Tensor::Zeros({chunks, factors}, p.args.q.dtype());
  const auto dq = [&](int64_t h, int64_t t) {
    return grads.dq.defined() ? Head<T>(grads.dq, h, p.features)[t] : nullptr;
  };
  const auto dw = [&](int64_t chunk, int64_t h) {
    return chunks > 0 ? sums.row<T>(chunk) + h * p.features : nullptr;
  };
  ParallelFor(queries, grain, [&](int64_t begin, int64_t end) {
    p.ForHeads(begin, end, [&](int64_t t, int64_t h) HWY_ATTR {
      const Edges edges = OfQuery(p.graph, t);
      T* de_h = de.row<T>(h);
      WeightsGrad(edges, p.cols, Head<T>(dcontext, h, p.cols)[t], p.Values(h),
                  weights.row<T>(h), dropped.row<T>(h), de_h);
      if (p.side_by_side) return;
      ScoreEdgesGrad(p.args, edges, p.Queries(h)[t], p.Keys(h), p.W(h), de_h,
                     dq(h, t), dw(begin / grain, h));
    });
    p.ForHeadsSideBySide(
        [&](const auto& heads, const auto& phi, int64_t h) HWY_ATTR {
          for (int64_t t = begin; t < end; ++t) {
            ScoreGradSideBySide(heads, phi, OfQuery(p.graph, t),
                                p.Queries(h)[t], p.Keys(h), p.W(h),
                                de.row<T>(h), dq(h, t), dw(begin / grain, h));
          }
        });
  });
  for (int64_t i = 0; i < chunks; ++i) {
    T* to = grads.dw.data<T>();
    MapSpan(
        factors, [](auto, auto a, auto b) HWY_ATTR { return hn::Add(a, b); },
        to, to, sums.row<T>(i));
  }
}

/// Adds to dk and dv.
template <typename T>
void KeysGrad(const Problem<T>& p, const Tensor& dropped,
              const Tensor& dcontext, const Tensor& de, AttentionGrads& grads) {
  const int64_t keys = p.graph.key_count;
  ParallelFor(keys, p.Grain(keys), [&](int64_t begin, int64_t end) {
    p.ForHeads(begin, end, [&](int64_t s, int64_t h) HWY_ATTR {
      const Edges edges = OfKey(p.graph, s);
      const int64_t key_head = h / p.group;
      if (grads.dk.defined() && !p.side_by_side) {
        ScoreEdgesGrad<T>(p.args, edges, p.Keys(h)[s], p.Queries(h), p.W(h),
                          de.row<T>(h),
                          Head<T>(grads.dk, key_head, p.features)[s], nullptr);
      }
      if (grads.dv.defined()) {
        AddRows(edges, p.cols, T(1), dropped.row<T>(h),
                Head<T>(dcontext, h, p.cols),
                Head<T>(grads.dv, key_head, p.cols)[s]);
      }
    });
    if (!grads.dk.defined()) return;
    p.ForHeadsSideBySide([&](const auto& heads, const auto& phi,
                             int64_t h) HWY_ATTR {
      for (int64_t s = begin; s < end; ++s) {
        ScoreGradSideBySide<T>(heads, phi, OfKey(p.graph, s), p.Keys(h)[s],
                               p.Queries(h), p.W(h), de.row<T>(h),
                               Head<T>(grads.dk, h, p.features)[s], nullptr);
      }
    });
  });
}

}  // namespace

Tensor SparseAttention(const AttentionArgs& args, const Neighbourhood& graph,
                       Tensor& weights) {
  const DType dtype = args.q.dtype();
  weights = Tensor({args.heads, graph.keys.numel()}, dtype);
  Tensor context = Tensor::Zeros(
      {1, graph.queries, args.heads * args.value_features()}, dtype);
  WithFloat(args.q, [&]<typename T>(T) {
    const Problem<T> problem{args, graph};
    SetWeights(problem, weights);
    AddContext(problem, Dropped(args, weights), context);
  });
  return context;
}

void SparseAttentionGrad(const AttentionArgs& args, const Neighbourhood& graph,
                         const Tensor& weights, const Tensor& dcontext,
                         AttentionGrads& grads) {
  const Tensor dropped = Dropped(args, weights);
  Tensor de(weights.shape(), weights.dtype());
  WithFloat(args.q, [&]<typename T>(T) {
    const Problem<T> problem{args, graph};
    QueriesGrad(problem, weights, dropped, dcontext, de, grads);
    KeysGrad(problem, dropped, dcontext, de, grads);
  });
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(SparseAttention);
HWY_EXPORT(SparseAttentionGrad);

Tensor SparseAttention(const AttentionArgs& args, const Neighbourhood& graph,
                       Tensor& weights) {
  return HWY_DYNAMIC_DISPATCH(SparseAttention)(args, graph, weights);
}

void SparseAttentionGrad(const AttentionArgs& args, const Neighbourhood& graph,
                         const Tensor& weights, const Tensor& dcontext,
                         AttentionGrads& grads) {
  HWY_DYNAMIC_DISPATCH(SparseAttentionGrad)
  (args, graph, weights, dcontext, grads);
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
