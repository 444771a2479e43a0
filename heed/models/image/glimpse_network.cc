#include "heed/models/image/glimpse_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "heed/base/errors.h"
#include "heed/models/image/looks.h"
#include "heed/models/outline_parts.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/loss.h"
#include "heed/ops/matmul.h"
#include "heed/ops/reinforce.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

constexpr int64_t kSteps = 9;  // row by row, 3 × 3; the middle one stays

/// Initial weights for a following relu (He et al. 2015).
Init ReluInit(int64_t in) {
  return {Init::Kind::kUniform, std::sqrt(6 / static_cast<double>(in))};
}

Tensor Clamped(const Tensor& place) {
  Tensor x = place.To(DType::kF64).Clone();
  for (int64_t i = 0; i < x.numel(); ++i) {
    x.data<double>()[i] = std::clamp(x.data<double>()[i], -1.0, 1.0);
  }
  return x.To(place.dtype());
}

/// Σ_d log N(sample_d; mean_d, σ²). Shapes: [B, 2], result [B].
Var GaussianLogProbability(const Var& mean, const Tensor& sample,
                           double deviation) {
  const Var z = Scale(Sub(mean, sample), 1 / deviation);
  const Tensor ones = Tensor::Full({2, 1}, 1, mean.value().dtype());
  const Var sums = MatMul(Mul(z, z), ones);
  const double constant =
      -2 * (std::log(deviation) + 0.5 * std::log(2 * std::numbers::pi));
  return AddScalar(Scale(Reshape(sums, {mean.dim(0)}), -0.5), constant);
}

/// Repeats a batch. Shapes: x [B, ...], result [count · B, ...].
Var RepeatedBatch(const Var& x, int count) {
  if (count == 1) return x;
  const Var flat = Reshape(x, {x.value().numel()});
  Shape shape = x.shape();
  shape.Set(0, count * x.dim(0));
  return Reshape(Stack(std::vector<Var>(static_cast<size_t>(count), flat)),
                 shape);
}

}  // namespace

void GlimpseConfig::Visit(FieldList& v) {
  v.Section("Model");
  v("looks", looks, Range(1, 100), "glimpses of an image").Main();
  v("glimpse", glimpse, Range(1, 512), "side of a glimpse in pixels").Main();
  v("scales", scales, Range(1, 8),
    "windows of a glimpse, each twice as large as the one before and averaged "
    "down to its size")
      .Main();
  v("look", look,
    "choice of the next glimpse: a policy learned by reward, or the controls: "
    "at random, or always the centre");
  v("move", move,
    "jump anywhere, or step by half a glimpse in one of eight directions or "
    "not at all");
  v("deviation", deviation, Range(1e-4, 1),
    "standard deviation of glimpse positions in training; an image is 2 wide");
  v("reinforce", reinforce, Range(0, 1000),
    "weight of the policy's loss beside the cross entropy");
  v("paths", paths, Range(1, 1000),
    "sampled paths of each image in training, whose losses are averaged; time "
    "grows in proportion, and the policy's gradient has less noise");
  v("glimpse_units", glimpse_units, Range(1, 65536),
    "hidden units for the content of a glimpse, and for its position");
  v("units", units, Range(1, 65536),
    "units of a glimpse's vector and of the state");
  v("cell", cell, Range(0, 1024),
    "side in pixels of the squares in explanations; 0: about seven along the "
    "image");
  VisitPrecision(v, precision);
}

void GlimpseConfig::Fill(const ImageUse& use) {
  if (cell == 0) cell = static_cast<int>(UsualCell(use));
  CheckCell("cell", cell, use);
}

GlimpseNetwork::GlimpseNetwork(const Scope& scope, const GlimpseConfig& config,
                               const ImageUse& use)
    : use_(use),
      config_(config),
      shape_{config.glimpse, config.scales},
      see_(scope / "see", shape_.features(use.channels), config.glimpse_units,
           ReluInit(shape_.features(use.channels))),
      place_(scope / "place", 2, config.glimpse_units, ReluInit(2),
             /*bias=*/false),
      place_bias_(
          &(scope / "place")
               .Add("bias", {config.glimpse_units}, {Init::Kind::kUniform, 1})),
      glimpse_see_(scope / "glimpse_see", config.glimpse_units, config.units,
                   Init()),
      glimpse_place_(scope / "glimpse_place", config.glimpse_units,
                     config.units, Init(), /*bias=*/false),
      state_(scope / "state", config.units, config.units, Init()),
      core_(scope / "core", config.units, config.units, Init(),
            /*bias=*/false),
      output_(scope / "output", config.units, use.classes, Init()) {
  if (!learned()) return;
  const int64_t hidden = std::max<int64_t>(1, config.units / 2);
  const int64_t decisions = config.move == Move::kJump ? 2 : kSteps;
  locate_.emplace(scope / "locate", config.units, hidden, Init());
  location_.emplace(scope / "location", hidden, decisions, Init());
  baseline_.emplace(scope / "baseline", config.units, 1, Init());
}

Tensor GlimpseNetwork::FirstPlace(const Context& ctx, int64_t images,
                                  DType dtype) const {
  if (!ctx.training || config_.look == Look::kCentre) {
    return Tensor::Zeros({images, 2}, dtype);
  }
  return DrawRows({images, 2}, dtype, ctx.NextKey(),
                  [](Rng& rng) { return rng.Uniform(-1, 1); });
}

Var GlimpseNetwork::Seen(const Context& ctx, const Var& images,
                         const Tensor& place) const {
  const Var what = Relu(see_(ctx, Glimpses(images, place, shape_)));
  const Var where = Relu(AddRow(place_(ctx, place), ctx.Use(*place_bias_)));
  return Relu(Add(glimpse_see_(ctx, what), glimpse_place_(ctx, where)));
}

Tensor GlimpseNetwork::NextJump(const Context& ctx, const Var& hidden,
                                const Tensor* given, Pass& pass) const {
  const Var mean = Tanh((*location_)(ctx, hidden));
  Tensor sample = mean.value();
  if (given != nullptr) {
    sample = *given;
  } else if (ctx.training) {
    const Tensor noise =
        DrawRows(mean.shape(), mean.value().dtype(), ctx.NextKey(),
                 [this](Rng& rng) { return config_.deviation * rng.Normal(); });
    sample = Add(mean.value(), noise).value();
  }
  // Density of the unclamped sample; clamping would change it.
  pass.log_probabilities.push_back(
      GaussianLogProbability(mean, sample, config_.deviation));
  return Clamped(sample);
}

Tensor GlimpseNetwork::NextStep(const Context& ctx, const Var& hidden,
                                const Tensor& place, const Tensor* given,
                                Pass& pass) const {
  const Var log_p = LogSoftmax((*location_)(ctx, hidden));
  const int64_t images = place.dim(0);
  const Tensor chosen = given != nullptr ? *given
                        : ctx.training
                            ? DrawColumns(log_p.value(), ctx.NextKey())
                            : LargestColumns(log_p.value());
  pass.log_probabilities.push_back(Pick(log_p, chosen));
  Tensor next = place.To(DType::kF64).Clone();
  const auto half = static_cast<double>(
      config_.glimpse);  // half of a window whose range [-1, 1] has length two
  for (int64_t b = 0; b < images; ++b) {
    const int32_t step = chosen.data<int32_t>()[b];
    double* to = next.row<double>(b);
    to[0] += (step % 3 - 1) * half / static_cast<double>(use_.width);
    const int32_t row = step / 3;
    to[1] += (row - 1) * half / static_cast<double>(use_.height);
  }
  return Clamped(next).To(place.dtype());
}

Tensor GlimpseNetwork::Next(const Context& ctx, const Var& state,
                            const Tensor& place, const Tensor* given,
                            Pass& pass) const {
  if (config_.look == Look::kCentre) return place;
  if (config_.look == Look::kRandom) {
    // Outside training, the key depends only on the number of the look.
    const uint64_t key =
        ctx.training ? ctx.NextKey() : uint64_t{7919} + pass.places.size();
    const auto anywhere = [](Rng& rng) { return rng.Uniform(-1, 1); };
    if (ctx.training) {
      return DrawRows(place.shape(), place.dtype(), key, anywhere);
    }
    const Tensor one = DrawRows({1, 2}, place.dtype(), key, anywhere);
    Tensor all(place.shape(), place.dtype());
    for (int64_t b = 0; b < all.dim(0); ++b) all.Slice(b, b + 1).CopyFrom(one);
    return all;
  }
  const Var h = state.value();  // a constant
  const Var hidden = Relu((*locate_)(ctx, h));
  pass.baselines.push_back(Reshape((*baseline_)(ctx, h), {state.dim(0)}));
  return config_.move == Move::kJump
             ? NextJump(ctx, hidden, given, pass)
             : NextStep(ctx, hidden, place, given, pass);
}

GlimpseNetwork::Pass GlimpseNetwork::Run(
    const Context& ctx, const Var& images,
    const std::vector<Tensor>* given) const {
  CheckImages("glimpses", images, use_);
  const Var pixels = ObservedImages(ctx, images, config_.cell);
  Pass pass;
  Var state;
  Tensor place = given != nullptr
                     ? given->at(0)
                     : FirstPlace(ctx, images.dim(0), images.value().dtype());
  for (int t = 0; t < config_.looks; ++t) {
    ctx.CheckCancelled();
    pass.places.push_back(place);
    Var sum = state_(ctx, Seen(ctx, pixels, place));
    if (state.defined()) sum = Add(sum, core_(ctx, state));
    state = Relu(sum);
    if (t + 1 == config_.looks) break;
    const Tensor* next =
        given != nullptr ? &given->at(static_cast<size_t>(t) + 1) : nullptr;
    place = Next(ctx, state, place, next, pass);
  }
  pass.scores = output_(ctx, state);
  return pass;
}

Var GlimpseNetwork::Scores(const Context& ctx, const Var& images) const {
  return Run(ctx, images).scores;
}

ImageLoss GlimpseNetwork::Loss(const Context& ctx, const Var& images,
                               const Tensor& labels,
                               const ImageLossOptions& options) const {
  const int paths = config_.paths;
  ImageLossOptions of_path = options;
  of_path.scale /= paths;
  ImageLoss loss = LossOf(Run(ctx, RepeatedBatch(images, paths)),
                          RepeatedBatch(labels, paths).value(), of_path);
  loss.nll /= paths;
  return loss;
}

ImageLoss GlimpseNetwork::LossOf(const Pass& pass, const Tensor& labels,
                                 const ImageLossOptions& options) const {
  const DType dtype = pass.scores.value().dtype();
  const int64_t images = labels.dim(0);
  const Tensor answers = LargestColumns(pass.scores.value());
  Tensor reward({images}, DType::kF64);
  for (int64_t b = 0; b < images; ++b) {
    const bool right = answers.data<int32_t>()[b] == labels.data<int32_t>()[b];
    reward.data<double>()[b] = right ? 1 : 0;
  }
  ImageLoss loss = ImageCrossEntropy(pass.scores, labels, options);
  const size_t steps = pass.baselines.size();
  if (steps == 0) return loss;
  for (size_t t = 0; t < steps; ++t) {
    const Var error = Sub(pass.baselines[t], reward.To(dtype));
    loss.loss =
        Add(loss.loss, Scale(Sum(Mul(error, error)),
                             options.scale / static_cast<double>(steps)));
    // R − b, a constant.
    const Tensor advantage =
        Scale(error.value(), -1).value().Reshape({images, 1});
    const Var log_p = Reshape(pass.log_probabilities[t], {images, 1});
    const Tensor no_entropy = Tensor::Zeros({images, 1}, dtype);
    loss.loss = Add(
        loss.loss,
        ReinforceLoss(log_p, no_entropy, advantage, 0,
                      {.reward_weight = config_.reinforce * options.scale}));
  }
  return loss;
}

std::vector<ImageLook> GlimpseNetwork::Looks(const Context& ctx,
                                             const Var& images) const {
  Context plain = ctx;
  plain.observer = nullptr;
  plain.tape = nullptr;
  const Pass pass = Run(plain, images);
  std::vector<ImageLook> looks;
  for (const Tensor& place : pass.places) {
    looks.push_back({WindowsAt(images, place, shape_)});
  }
  return looks;
}

ModelOutline GlimpseNetwork::Outline() const {
  using Kind = OutlinePart::Kind;
  std::string place = "the middle";
  if (config_.look == Look::kRandom) place = "a random place";
  if (learned()) {
    place = config_.move == Move::kJump
                ? "tanh(W relu(W {hᵢ₋₁}))"
                : "lᵢ₋₁ and a step by softmax(W relu(W {hᵢ₋₁}))";
  }
  OutlineSequence looks = {.name = "looks", .axis = {}};
  looks.items.assign(static_cast<size_t>(config_.looks), "image");
  looks.blocks = {
      {{{Kind::kEach, "glimpse", shape_.features(use_.channels),
         fmt::format("{0} × {0} pixels{1}", config_.glimpse,
                     config_.scales > 1
                         ? fmt::format(" at {} scales", config_.scales)
                         : ""),
         "ρᵢ", "the {image} at lᵢ = " + place}}},
      {{{Kind::kEach, "what and where", config_.units,
         fmt::format("{} hidden units each", config_.glimpse_units), "gᵢ",
         "relu(W relu(W {ρᵢ}) + W relu(W lᵢ))"}}},
      {{{Kind::kForward, "RNN", config_.units, "relu", "hᵢ",
         "relu(W {hᵢ₋₁} + W {gᵢ})"}}},
      {{{Kind::kPool, "last state", config_.units}}},
      OutputOutline("softmax", use_.classes)};
  return {{}, {std::move(looks)}};
}

}  // namespace heed
