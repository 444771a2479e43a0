#include "heed/explain/head_importance.h"

#include <algorithm>
#include <cmath>

#include "heed/base/at.h"
#include "heed/base/errors.h"

namespace heed {
namespace {

/// Σ x y over the columns of each of `heads` blocks.
std::vector<double> DotsByHead(const Tensor& x, const Tensor& y,
                               int64_t heads) {
  const auto a = x.ToVector<double>();
  const auto b = y.ToVector<double>();
  const int64_t features = x.cols() / heads;
  std::vector<double> dots(static_cast<size_t>(heads));
  for (size_t i = 0; i < a.size(); ++i) {
    const int64_t column = static_cast<int64_t>(i) % x.cols();
    At(dots, column / features) += a[i] * b[i];
  }
  return dots;
}

/// Makes embeddings differentiable, since every context depends on them, and
/// records the gradients of contexts.
class ImportanceObserver : public Observer {
 public:
  explicit ImportanceObserver(Tape& tape) : tape_(tape) {}

  bool WantsInput(const std::string& /*name*/) override { return true; }
  Var OnInput(const std::string& /*name*/, const Var& x) override {
    return tape_.Leaf(x.value());
  }
  Var OnContext(const AttentionInfo& info, const Var& context) override {
    auto known = std::ranges::find(layers_, info.path, &LayerImportance::layer);
    const int64_t heads = info.heads;
    if (known == layers_.end()) {
      layers_.push_back({info.path,
                         std::vector<double>(static_cast<size_t>(heads), 0.0),
                         info.output});
      known = layers_.end() - 1;
    }
    const auto index = static_cast<size_t>(known - layers_.begin());
    const Tensor& value = context.value();
    return Record("head importance", value, {context},
                  [this, index, heads, value](const Tensor& dy, Grads& g) {
                    const auto dots = DotsByHead(value, dy, heads);
                    std::vector<double>& sums = layers_[index].heads;
                    for (size_t h = 0; h < dots.size(); ++h) sums[h] += dots[h];
                    g.Add(0, dy);
                  });
  }

  std::vector<LayerImportance> Take() {
    for (LayerImportance& layer : layers_) {
      for (double& x : layer.heads) x = std::abs(x);
    }
    return std::move(layers_);
  }

 private:
  Tape& tape_;
  std::vector<LayerImportance> layers_;
};

}  // namespace

std::vector<LayerImportance> HeadImportance(const Explainable& answer) {
  if (answer.targets == 0) return {};
  Tape tape;
  ImportanceObserver observer(tape);
  Context ctx;
  ctx.tape = &tape;
  ctx.observer = &observer;
  ctx.fixed_parameters = true;
  ctx.cancellation = answer.cancellation;
  const Var y = answer.scores(ctx, 1);
  if (y.tape() != nullptr) tape.Backward(y, {}, answer.cancellation);
  return observer.Take();
}

void AddImportance(const std::vector<LayerImportance>& more,
                   std::vector<LayerImportance>& sum) {
  for (const LayerImportance& layer : more) {
    const auto known =
        std::ranges::find(sum, layer.layer, &LayerImportance::layer);
    if (known == sum.end()) {
      sum.push_back(layer);
      continue;
    }
    for (size_t h = 0; h < layer.heads.size(); ++h) {
      known->heads[h] += layer.heads[h];
    }
  }
}

void NormalizeImportance(std::vector<LayerImportance>& layers) {
  for (LayerImportance& layer : layers) {
    double squares = 0;
    for (const double x : layer.heads) squares += x * x;
    if (squares == 0) continue;
    for (double& x : layer.heads) x /= std::sqrt(squares);
  }
}

std::vector<HeadPlace> LeastImportantHeads(
    const std::vector<LayerImportance>& layers,
    const ParameterSet& parameters) {
  std::vector<std::pair<double, HeadPlace>> all;
  for (const LayerImportance& layer : layers) {
    if (parameters.Find(layer.output) == nullptr) continue;
    const int64_t heads = std::ssize(layer.heads);
    for (int64_t h = 0; h < heads; ++h) {
      all.push_back(
          {At(layer.heads, h), {layer.layer, h, heads, layer.output}});
    }
  }
  std::ranges::stable_sort(all, {}, &std::pair<double, HeadPlace>::first);
  std::vector<HeadPlace> places;
  for (auto& [importance, place] : all) places.push_back(std::move(place));
  return places;
}

void PruneHeads(std::span<const HeadPlace> heads, ParameterSet& parameters) {
  for (const HeadPlace& place : heads) {
    Parameter* weight = parameters.Find(place.output);
    if (weight == nullptr || place.heads < 1 ||
        weight->value().dim(0) % place.heads != 0) {
      throw ConfigError("'{}' has no output of heads that could be taken away",
                        place.layer);
    }
    if (weight->quantized()) {
      throw ConfigError(
          "'{}' is stored as int8; prune the model that it was made of",
          place.output);
    }
    weight->Widen();
    const int64_t rows = weight->value().dim(0) / place.heads;
    weight->mutable_value()
        .Slice(place.head * rows, (place.head + 1) * rows)
        .Fill(0);
    weight->Changed();
  }
}

}  // namespace heed
