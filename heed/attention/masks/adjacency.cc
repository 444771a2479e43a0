// Mask that lists the keys of each query, such as the neighbours of a node in a
// graph. Paper: Veličković et al. 2018, arXiv:1710.10903, section 2.1.

#include <algorithm>

#include "heed/attention/masks/rules.h"
#include "heed/base/errors.h"

namespace heed {
namespace {

using kernels::Neighbourhood;
class AdjacencyRule : public kernels::MaskRule {
 public:
  explicit AdjacencyRule(std::shared_ptr<const Neighbourhood> graph)
      : graph_(std::move(graph)) {}

  void Row(int64_t /*b*/, int64_t t, kernels::Range keys,
           uint8_t* may) const override {
    std::fill(may, may + keys.size(), uint8_t{0});
    const auto [first, last] = Within(t, keys);
    for (const int32_t* key = first; key < last; ++key) {
      may[*key - keys.begin] = 1;
    }
  }
  Extent Block(int64_t /*b*/, kernels::Range queries,
               kernels::Range keys) const override {
    int64_t edges = 0;
    for (int64_t t = queries.begin; t < queries.end; ++t) {
      const auto [first, last] = Within(t, keys);
      edges += last - first;
    }
    if (edges == 0) return Extent::kNone;
    return edges == queries.size() * keys.size() ? Extent::kAll : Extent::kSome;
  }

 private:
  /// The keys of query t that lie within `keys`.
  std::pair<const int32_t*, const int32_t*> Within(int64_t t,
                                                   kernels::Range keys) const {
    const int32_t* all = graph_->keys.data<int32_t>();
    const int32_t* offsets = graph_->offsets.data<int32_t>();
    const int32_t* end = all + offsets[t + 1];
    const int32_t* first = std::lower_bound(all + offsets[t], end, keys.begin);
    return {first, std::lower_bound(first, end, keys.end)};
  }

  std::shared_ptr<const Neighbourhood> graph_;
};

/// Graph in which query t sees `degree` keys around position t.
Neighbourhood Ring(int64_t queries, int64_t keys, int64_t degree) {
  Tensor offsets({queries + 1}, DType::kI32);
  std::vector<int32_t> list;
  offsets.data<int32_t>()[0] = 0;
  for (int64_t t = 0; t < queries; ++t) {
    std::vector<int32_t> own;
    for (int64_t i = 0; i < std::min(degree, keys); ++i) {
      const int64_t place = t * keys / std::max<int64_t>(queries, 1) + 3 * i;
      own.push_back(static_cast<int32_t>(place % keys));
    }
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
    list.insert(list.end(), own.begin(), own.end());
    offsets.data<int32_t>()[t + 1] = static_cast<int32_t>(list.size());
  }
  return kernels::MakeNeighbourhood(
      offsets, Tensor::Of(list, {static_cast<int64_t>(list.size())}), keys);
}

void CheckLists(const Neighbourhood& graph) {
  const int32_t* offsets = graph.offsets.data<int32_t>();
  const int32_t* keys = graph.keys.data<int32_t>();
  for (int64_t t = 0; t < graph.queries; ++t) {
    for (int32_t i = offsets[t]; i < offsets[t + 1]; ++i) {
      const bool ordered = i == offsets[t] || keys[i] > keys[i - 1];
      if (ordered && keys[i] >= 0 && keys[i] < graph.key_count) continue;
      throw ShapeError(
          "adjacency mask: the keys of query {} are not ascending numbers "
          "from 0 to {} (there is {})",
          t, graph.key_count - 1, keys[i]);
    }
  }
}

}  // namespace

Mask Adjacency(const Neighbourhood& graph) {
  CheckLists(graph);
  auto shared = std::make_shared<const Neighbourhood>(graph);
  Mask mask(std::make_shared<AdjacencyRule>(shared),
            {-1, graph.queries, graph.key_count});
  mask.graph_ = std::move(shared);
  return mask;
}

MaskInfo AdjacencyInfo() {
  return {"adjacency",
          "s ∈ neighbours(t)",
          "Veličković et al. 2018, arXiv:1710.10903",
          {{"degree", 5, 0, 1e6}},
          [](const std::vector<double>& n, const MaskSizes& sizes) {
            return Adjacency(
                Ring(sizes.queries, sizes.keys, static_cast<int64_t>(n[0])));
          },
          true};
}

}  // namespace heed
