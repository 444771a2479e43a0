#include "heed/models/image/foveal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/threads.h"
#include "heed/models/image/looks.h"
#include "heed/models/outline_parts.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/loss.h"
#include "heed/ops/matmul.h"
#include "heed/ops/row_sums.h"
#include "heed/ops/score_modifiers.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

constexpr double kNotAgain = -1e4;  // score of an earlier fixation

double SigmoidOf(double x) { return 1 / (1 + std::exp(-x)); }

}  // namespace

void FovealConfig::Visit(FieldList& v) {
  v.Section("Model");
  v("fixations", fixations, Range(1, 100), "number of fixations").Main();
  v("fovea", fovea, Range(2, 512),
    "side in pixels of the sharp part of the retina, an even number; a coarse "
    "one is twice as wide")
      .Main();
  v("grid", grid, Range(1, 64), "places along each side of the image").Main();
  v("factors", factors, Range(1, 65536),
    "factors of the third-order weights between pixels, places and hidden "
    "units");
  v("hidden", hidden, Range(1, 65536), "hidden units");
  v("order", order,
    "choice of the next fixation: a controller learned by regression, or the "
    "controls: at random, or a fixed raster");
  v("generative", generative, Range(0, 1000),
    "weight of contrastive divergence beside −log p(y|x)");
  v("temperature", temperature, Range(1e-4, 1000),
    "temperature of the softmax that places are drawn from in training");
  v("cell", cell, Range(0, 1024),
    "side in pixels of the squares in explanations; 0: about seven along the "
    "image");
  VisitPrecision(v, precision);
}

void FovealConfig::Fill(const ImageUse& use) {
  if (cell == 0) cell = static_cast<int>(UsualCell(use));
  CheckCell("cell", cell, use);
  if (fovea % 2 != 0) throw ConfigError("fovea: {} is odd", fovea);
  if (fixations > grid * grid) {
    throw ConfigError("fixations: {} of {} places, none of them twice",
                      fixations, grid * grid);
  }
}

FovealMachine::FovealMachine(const Scope& scope, const FovealConfig& config,
                             const ImageUse& use)
    : use_(use),
      config_(config),
      sharp_{config.fovea, 1},
      coarse_{config.fovea / 2, 3},
      filters_((scope / "filters")
                   .Add("weight", {retina(), config.factors}, Init(),
                        ParameterUse::kMatrix)),
      places_(scope / "places", places(), config.factors,
              {Init::Kind::kUniform, 1}),
      pooling_((scope / "pooling")
                   .Add("weight", {config.factors, config.hidden}, Init(),
                        ParameterUse::kMatrix)),
      hidden_bias_((scope / "hidden").Add("bias", {config.hidden}, kZeroInit)),
      classes_(scope / "classes", use.classes, config.hidden, Init()),
      class_bias_((scope / "classes").Add("bias", {use.classes}, kZeroInit)) {
  if (config.generative > 0) {
    pixel_bias_ = &(scope / "pixels").Add("bias", {retina()}, kZeroInit);
  }
  if (config.order == FixationOrder::kLearned) {
    controller_.emplace(scope / "controller", config.hidden, places(),
                        kZeroInit);
  }
}

int64_t FovealMachine::retina() const {
  return sharp_.features(use_.channels) +
         coarse_.features(use_.channels) / coarse_.scales;
}

Tensor FovealMachine::CentresOf(const Tensor& places, DType dtype) const {
  const int64_t grid = config_.grid;
  Tensor centres({places.numel(), 2}, DType::kF64);
  const auto along = [grid](int64_t i) {
    return (2 * static_cast<double>(i) + 1) / static_cast<double>(grid) - 1;
  };
  for (int64_t b = 0; b < places.numel(); ++b) {
    const int64_t place = places.data<int32_t>()[b];
    centres.row<double>(b)[0] = along(place % grid);
    centres.row<double>(b)[1] = along(place / grid);
  }
  return centres.To(dtype);
}

Var FovealMachine::Retina(const Var& images, const Tensor& places) const {
  const Tensor centres = CentresOf(places, images.value().dtype());
  const Var all = Glimpses(images, centres, coarse_);
  const int64_t features = all.dim(1) / coarse_.scales;
  return ConcatColumns({Glimpses(images, centres, sharp_),
                        Columns(all, all.dim(1) - features, all.dim(1))});
}

Var FovealMachine::Contribution(const Context& ctx, const Var& x,
                                const Tensor& places) const {
  const Var filtered = Mul(MatMul(x, ctx.Use(filters_)), places_(ctx, places));
  return MatMul(filtered, ctx.Use(pooling_));
}

Var FovealMachine::Start(const Context& ctx, int64_t batch) const {
  const Tensor zeros =
      Tensor::Zeros({batch, config_.hidden}, hidden_bias_.value().dtype());
  return AddRow(Var(zeros), ctx.Use(hidden_bias_));
}

Var FovealMachine::ClassScores(const Context& ctx, const Var& sums) const {
  return ScoresOf(ctx, ClassSums(ctx, sums));
}

Var FovealMachine::FreeEnergy(const Context& ctx, const Var& before,
                              const Var& x, const Tensor& places,
                              const Tensor& classes) const {
  const int64_t B = x.dim(0);
  const Var sums =
      Add(Add(before, Contribution(ctx, x, places)), classes_(ctx, classes));
  const Var pixels = MatMul(x, Reshape(ctx.Use(*pixel_bias_), {retina(), 1}));
  const Var bias =
      Embed(Reshape(ctx.Use(class_bias_), {use_.classes, 1}), classes);
  return Scale(Add(Add(RowSums(Softplus(sums)), pixels), Reshape(bias, {B, 1})),
               -1);
}

Var FovealMachine::ClassSums(const Context& ctx, const Var& sums) const {
  const int64_t B = sums.dim(0), J = sums.dim(1), K = use_.classes;
  const Var pairs = AddPairs(Reshape(sums, {1, B, J}),
                             Reshape(ctx.Use(classes_.weight()), {1, K, J}));
  return Reshape(pairs, {B * K, J});
}

Var FovealMachine::ScoresOf(const Context& ctx, const Var& class_sums) const {
  const int64_t K = use_.classes;
  const Var each = RowSums(Softplus(class_sums));
  return AddRow(Reshape(each, {class_sums.dim(0) / K, K}),
                ctx.Use(class_bias_));
}

Tensor FovealMachine::MeanHidden(const Tensor& sums) const {
  const int64_t J = sums.dim(1), K = use_.classes;
  const Var class_sums = ClassSums({}, Var(sums));
  const Tensor p = Exp(LogSoftmax(ScoresOf({}, class_sums))).value();
  const Tensor of_class = Sigmoid(class_sums).value();
  Tensor mean = Tensor::Zeros(sums.shape(), sums.dtype());
  const auto fill = [&](auto zero) {
    using T = decltype(zero);
    ParallelForEach(sums.dim(0), 8, [&](int64_t b) {
      T* to = mean.row<T>(b);
      for (int64_t k = 0; k < K; ++k) {
        const T share = p.row<T>(b)[k];
        const T* from = of_class.row<T>(b * K + k);
        for (int64_t j = 0; j < J; ++j) to[j] += share * from[j];
      }
    });
  };
  if (sums.dtype() == DType::kF32) {
    fill(float{});
  } else {
    fill(double{});
  }
  return mean;
}

FovealMachine::Gibbs FovealMachine::GibbsStep(const Tensor& before,
                                              const Tensor& x,
                                              const Tensor& places,
                                              const Tensor& classes,
                                              uint64_t key) const {
  const DType dtype = x.dtype();
  const Context plain;
  const Var sums = Add(Add(Var(before), Contribution(plain, Var(x), places)),
                       classes_(plain, classes));
  const Tensor p = sums.value().To(DType::kF64);
  // One random number for each hidden unit.
  Tensor h = DrawRows(p.shape(), DType::kF64, key,
                      [](Rng& rng) { return rng.Uniform(); });
  for (int64_t i = 0; i < h.numel(); ++i) {
    double& unit = h.data<double>()[i];
    unit = unit < SigmoidOf(p.data<double>()[i]) ? 1 : 0;
  }
  const Var units(h.To(dtype));
  const auto zeros = [dtype](int64_t n) {
    return Var(Tensor::Zeros({n}, dtype));
  };
  const Var pooled =
      AffineTransposed(units, plain.Use(pooling_), zeros(config_.factors));
  const Var pixels =
      AffineTransposed(Mul(pooled, places_(plain, places)), plain.Use(filters_),
                       plain.Use(*pixel_bias_));
  const Var scores = AffineTransposed(units, plain.Use(classes_.weight()),
                                      plain.Use(class_bias_));
  return {Sigmoid(pixels).value(),
          DrawColumns(LogSoftmax(scores).value(), Rng(key, 1).Next())};
}

Tensor FovealMachine::NextPlace(const Context& ctx, const Var& wanted, int k,
                                Tensor& barred) const {
  const int64_t B = barred.dim(0);
  Tensor chosen({B}, DType::kI32);
  if (config_.order == FixationOrder::kRaster) {
    // Evenly over the grid, in reading order.
    const int64_t place = (2 * k + 1) * places() / (2 * config_.fixations);
    chosen.Fill(static_cast<double>(place));
  } else if (config_.order == FixationOrder::kRandom) {
    // Outside training, the key depends only on the number of the fixation.
    const uint64_t key = ctx.training
                             ? ctx.NextKey()
                             : uint64_t{4801} + static_cast<uint64_t>(k);
    const Tensor log_p = LogSoftmax(Var(barred)).value();
    if (ctx.training) {
      chosen = DrawColumns(log_p, key);
    } else {
      chosen.Fill(DrawColumns(log_p.Slice(0, 1), key).data<int32_t>()[0]);
    }
  } else {
    const Var scores =
        Add(Scale(Var(wanted.value()), 1 / config_.temperature), Var(barred));
    chosen = ctx.training
                 ? DrawColumns(LogSoftmax(scores).value(), ctx.NextKey())
                 : LargestColumns(scores.value());
  }
  Tensor next = barred.To(DType::kF64).Clone();
  for (int64_t b = 0; b < B; ++b) {
    next.row<double>(b)[chosen.data<int32_t>()[b]] = kNotAgain;
  }
  barred = next.To(barred.dtype());
  return chosen;
}

template <class Each>
void FovealMachine::Fixate(const Context& ctx, const Var& images,
                           const std::vector<Drawn>* given,
                           const Each& each) const {
  CheckImages("foveal", images, use_);
  const int64_t B = images.dim(0);
  const DType dtype = images.value().dtype();
  const Var pixels = ObservedImages(ctx, images, config_.cell);
  Tensor barred = Tensor::Zeros({B, places()}, dtype);
  Var sums = Start(ctx, B);
  for (int k = 0; k < config_.fixations; ++k) {
    ctx.CheckCancelled();
    Var wanted;
    if (controller_) {
      const Tensor state = k == 0 ? Tensor::Zeros(sums.shape(), dtype)
                                  : MeanHidden(sums.value());
      wanted = (*controller_)(ctx, Var(state));
    }
    const Tensor place = given ? given->at(static_cast<size_t>(k)).place
                               : NextPlace(ctx, wanted, k, barred);
    const Var x = Retina(pixels, place);
    const Var before = sums;
    sums = Add(sums, Contribution(ctx, x, place));
    each(k, before, x, place, wanted, sums);
  }
}

Var FovealMachine::Scores(const Context& ctx, const Var& images) const {
  Var last;
  Fixate(ctx, images, nullptr,
         [&](int, const Var&, const Var&, const Tensor&, const Var&,
             const Var& sums) { last = sums; });
  return ClassScores(ctx, last);
}

ImageLoss FovealMachine::Loss(const Context& ctx, const Var& images,
                              const Tensor& labels,
                              const ImageLossOptions& options) const {
  return LossOf(ctx, images, labels, options);
}

ImageLoss FovealMachine::LossOf(const Context& ctx, const Var& images,
                                const Tensor& labels,
                                const ImageLossOptions& options,
                                const std::vector<Drawn>* given) const {
  const double share = options.scale / config_.fixations;
  ImageLoss total;
  const auto add = [&](const Var& loss) {
    total.loss = total.loss.defined() ? Add(total.loss, loss) : loss;
  };
  Fixate(
      ctx, images, given,
      [&](int k, const Var& before, const Var& x, const Tensor& place,
          const Var& wanted, const Var& sums) {
        const Var scores = ClassScores(ctx, sums);
        const Var log_p = Var(LogSoftmax(Var(scores.value())).value());
        const Tensor target = Pick(log_p, labels).value();
        const ImageLoss one = ImageCrossEntropy(
            scores, labels, {.scale = share, .smoothing = options.smoothing});
        total.nll = one.nll;  // of the last fixation
        add(one.loss);
        if (wanted.defined()) {
          const Var error = Sub(Pick(wanted, place), Var(target));
          add(Scale(Sum(Mul(error, error)), share));
        }
        if (config_.generative == 0) return;
        const auto draw = [&] {
          const uint64_t key = ctx.training ? ctx.NextKey() : 1;
          return GibbsStep(before.value(), x.value(), place, labels, key);
        };
        const Gibbs negative =
            given ? given->at(static_cast<size_t>(k)).negative : draw();
        const Var difference = Sub(
            FreeEnergy(ctx, before, x, place, labels),
            FreeEnergy(ctx, before, Var(negative.x), place, negative.classes));
        add(Scale(Sum(difference), share * config_.generative));
      });
  return total;
}

std::vector<ImageLook> FovealMachine::Looks(const Context& ctx,
                                            const Var& images) const {
  Context plain = ctx;
  plain.observer = nullptr;
  plain.tape = nullptr;
  std::vector<ImageLook> looks;
  Fixate(plain, images, nullptr,
         [&](int, const Var&, const Var&, const Tensor& place, const Var&,
             const Var&) {
           const Tensor centre = CentresOf(place, images.value().dtype());
           looks.push_back({{WindowsAt(images, centre, sharp_)[0],
                             WindowsAt(images, centre, coarse_)[2]}});
         });
  return looks;
}

ModelOutline FovealMachine::Outline() const {
  using Kind = OutlinePart::Kind;
  const char* place = controller_ ? "argmax(W E[h | {Aᵢ₋₁}] + b)"
                      : config_.order == FixationOrder::kRandom
                          ? "a random place"
                          : "the next of a raster";
  OutlineSequence looks = {.name = "fixations", .axis = {}};
  looks.items.assign(static_cast<size_t>(config_.fixations), "image");
  looks.blocks = {{{{Kind::kEach, "retina", retina(),
                     fmt::format("at one of {} places", places()), "xᵢ",
                     std::string("the {image} at lᵢ = ") + place}}},
                  {{{Kind::kEach, "factors", config_.factors,
                     "of pixels and the place", "pᵢ", "z(lᵢ) ⊙ F {xᵢ}"}}},
                  {{{Kind::kForward, "sums of hidden units", config_.hidden, "",
                     "Aᵢ", "{Aᵢ₋₁} + P {pᵢ}"}}},
                  {{{Kind::kPool, "last sums", config_.hidden}}},
                  OutputOutline("softmax", use_.classes)};
  return {{}, {std::move(looks)}};
}

}  // namespace heed
