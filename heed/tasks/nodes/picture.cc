#include "heed/tasks/nodes/picture.h"

#include <algorithm>
#include <cmath>

#include "heed/autograd/observer.h"
#include "heed/explain/tsne.h"

namespace heed::nodes {
namespace {

double ThreeDigits(double x) { return std::round(1000 * x) / 1000; }

/// Attention along each edge, summed over heads and both directions, from the
/// first recorded attention.
std::vector<double> WidthsOf(const AttentionWatch& watch,
                             const NodeGraph& graph) {
  std::vector<double> widths(graph.edges.size(), 0);
  if (watch.seen.empty() || !watch.seen.front().graph) return widths;
  const AttentionWatch::Seen& first = watch.seen.front();
  const kernels::Neighbourhood& lists = *first.graph;
  const Tensor& weights = first.weights.value();
  const int32_t* offsets = lists.offsets.data<int32_t>();
  const int32_t* keys = lists.keys.data<int32_t>();
  const auto along = [&](int32_t from, int32_t to) {
    const int32_t* found =
        std::lower_bound(keys + offsets[from], keys + offsets[from + 1], to);
    double sum = 0;
    for (int64_t h = 0; h < weights.dim(0); ++h) {
      sum += static_cast<double>(weights.row<float>(h)[found - keys]);
    }
    return sum;
  };
  for (size_t i = 0; i < widths.size(); ++i) {
    const auto& [u, v] = graph.edges[i];
    if (u != v) widths[i] = along(u, v) + along(v, u);
  }
  return widths;
}

/// Scales each coordinate to 0 to 1.
void FillSquare(std::vector<std::array<double, 2>>& places) {
  for (size_t axis = 0; axis < 2; ++axis) {
    double low = places.front()[axis];
    double high = low;
    for (const auto& place : places) {
      low = std::min(low, place[axis]);
      high = std::max(high, place[axis]);
    }
    for (auto& place : places) {
      place[axis] =
          high > low ? ThreeDigits((place[axis] - low) / (high - low)) : 0.5;
    }
  }
}

}  // namespace

NodesPicture PictureOf(const NodeClassifier& network, const GraphInput& input,
                       const NodeGraph& graph,
                       const Cancellation* cancellation) {
  AttentionWatch watch;
  Context ctx;
  ctx.cancellation = cancellation;
  ctx.observer = &watch;
  const Tensor first = network.FirstLayer(ctx, input).value();
  NodesPicture picture;
  TsneOptions options;
  options.cancellation = cancellation;
  picture.places = Tsne(first, options);
  FillSquare(picture.places);
  const std::vector<double> widths = WidthsOf(watch, graph);
  const double widest = widths.empty() ? 0 : *std::ranges::max_element(widths);
  for (size_t i = 0; i < widths.size(); ++i) {
    const auto& [u, v] = graph.edges[i];
    picture.edges.push_back(
        {u, v, widest > 0 ? ThreeDigits(widths[i] / widest) : 0.0});
  }
  return picture;
}

}  // namespace heed::nodes
