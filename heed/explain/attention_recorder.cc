#include "heed/explain/attention_recorder.h"

#include <algorithm>

namespace heed {
namespace {

/// Rows of a [T, N] slice, converted.
std::vector<std::vector<float>> RowsOfSlice(const Tensor& x) {
  const auto all = x.ToVector<float>();
  std::vector<std::vector<float>> rows;
  for (int64_t t = 0; t < x.dim(0); ++t) {
    rows.emplace_back(all.begin() + t * x.dim(1),
                      all.begin() + (t + 1) * x.dim(1));
  }
  return rows;
}

/// Head h of part [B, H, ., .]; of steps, the rows one below the other, or
/// those of the last step alone.
std::vector<std::vector<float>> PartOf(const std::vector<AttentionParts>& steps,
                                       Tensor AttentionParts::*part, int64_t b,
                                       int64_t h, bool last_only) {
  std::vector<std::vector<float>> rows;
  for (size_t i = last_only ? steps.size() - 1 : 0; i < steps.size(); ++i) {
    const Tensor& x = steps[i].*part;
    if (!x.defined() || x.rank() != 4) return {};
    auto more = RowsOfSlice(x[b][h]);
    std::move(more.begin(), more.end(), std::back_inserter(rows));
  }
  return rows;
}

}  // namespace

void AttentionRecorder::OnAttention(const std::string& layer, int head,
                                    int64_t /*step*/, const Tensor& weights) {
  auto known = std::ranges::find(layers_, layer, &Layer::name);
  if (known == layers_.end()) {
    layers_.push_back({layer, {}});
    known = layers_.end() - 1;
  }
  const auto h = static_cast<size_t>(head);
  if (known->heads.size() <= h) known->heads.resize(h + 1);
  known->heads[h].push_back(weights);
}

void AttentionRecorder::OnParts(const std::string& /*layer*/, int64_t /*step*/,
                                const AttentionParts& parts) {
  parts_.push_back(parts);
}

std::vector<std::string> AttentionRecorder::layers() const {
  std::vector<std::string> names;
  for (const Layer& layer : layers_) names.push_back(layer.name);
  return names;
}

std::vector<LayerAttention> AttentionRecorder::Collect(int64_t b) const {
  std::vector<LayerAttention> all;
  for (const Layer& layer : layers_) {
    LayerAttention a;
    a.layer = layer.name;
    a.heads = std::ssize(layer.heads);
    for (const Tensor& step : layer.heads[0]) {
      a.query_size += step.dim(1);
      a.key_size = std::max(a.key_size, step.dim(2));
    }
    a.weights.resize(static_cast<size_t>(a.heads * a.query_size * a.key_size));
    auto row = a.weights.begin();
    for (const std::vector<Tensor>& steps : layer.heads) {
      for (const Tensor& step : steps) {
        const auto values = step[b].ToVector<float>();
        for (int64_t t = 0; t < step.dim(1); ++t) {
          std::copy_n(values.begin() + t * step.dim(2), step.dim(2), row);
          row += a.key_size;
        }
      }
    }
    all.push_back(std::move(a));
  }
  return all;
}

std::vector<AttentionPanels> AttentionRecorder::Panels(int64_t b) const {
  std::vector<AttentionPanels> all;
  if (parts_.empty()) return all;
  for (int64_t h = 0; h < parts_[0].scores.dim(1); ++h) {
    const auto part = [&](Tensor AttentionParts::*which, bool last_only) {
      return PartOf(parts_, which, b, h, last_only);
    };
    AttentionPanels p;
    p.layer = parts_of_;
    p.head = h;
    p.query = part(&AttentionParts::query, false);
    p.key = part(&AttentionParts::keys, true);
    p.scores = part(&AttentionParts::scores, false);
    p.weights = part(&AttentionParts::weights, false);
    p.value = part(&AttentionParts::values, true);
    p.context = part(&AttentionParts::context, false);
    all.push_back(std::move(p));
  }
  return all;
}

}  // namespace heed
