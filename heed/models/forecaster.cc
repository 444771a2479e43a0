#include "heed/models/forecaster.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/threads.h"
#include "heed/models/outline_parts.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/heads.h"
#include "heed/ops/loss.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

// Added to the variance of a window, to avoid division by zero.
constexpr double kVarianceEpsilon = 1e-5;
constexpr int64_t kSequencesPerChunk = 32;

/// Mean and deviation of each column of each window, [B, C].
struct WindowStatistics {
  Tensor mean;
  Tensor deviation;
};

template <typename T>
WindowStatistics LevelsOf(const Tensor& windows) {
  const int64_t b_size = windows.dim(0), rows = windows.dim(1);
  const int64_t columns = windows.dim(2);
  WindowStatistics levels{Tensor({b_size, columns}, windows.dtype()),
                          Tensor({b_size, columns}, windows.dtype())};
  for (int64_t b = 0; b < b_size; ++b) {
    const T* x = windows[b].template data<T>();
    for (int64_t c = 0; c < columns; ++c) {
      double sum = 0, squares = 0;
      for (int64_t t = 0; t < rows; ++t) sum += double{x[t * columns + c]};
      const double mean = sum / static_cast<double>(rows);
      for (int64_t t = 0; t < rows; ++t) {
        const double d = double{x[t * columns + c]} - mean;
        squares += d * d;
      }
      const double variance = squares / static_cast<double>(rows);
      levels.mean.row<T>(b)[c] = static_cast<T>(mean);
      levels.deviation.row<T>(b)[c] =
          static_cast<T>(std::sqrt(variance + kVarianceEpsilon));
    }
  }
  return levels;
}

template <typename T>
Tensor Normalised(const Tensor& windows, const WindowStatistics& levels) {
  Tensor y(windows.shape(), windows.dtype());
  const int64_t columns = windows.dim(2);
  for (int64_t b = 0; b < windows.dim(0); ++b) {
    const T* mean = levels.mean.row<T>(b);
    const T* deviation = levels.deviation.row<T>(b);
    const T* from = windows[b].template data<T>();
    T* to = y[b].template data<T>();
    for (int64_t i = 0; i < windows.dim(1) * columns; ++i) {
      to[i] = (from[i] - mean[i % columns]) / deviation[i % columns];
    }
  }
  return y;
}

/// Repeats x [B, C] to [B, H, C].
Tensor RepeatRows(const Tensor& x, int64_t times) {
  Tensor y({x.dim(0), times, x.dim(1)}, x.dtype());
  for (int64_t b = 0; b < x.dim(0); ++b) {
    for (int64_t t = 0; t < times; ++t) y[b][t].CopyFrom(x[b]);
  }
  return y;
}

/// Layout of patches in windows. Rows after the last one are copies of it.
struct Patches {
  int64_t rows, stride, steps, first;
  bool independent;
};

/// Cuts windows into patches. Shapes: result [B·C, N, P] for independent
/// columns, else [B, N, P·C].
template <typename T>
Tensor CutPatches(const Tensor& windows, const Patches& patches) {
  const int64_t b_size = windows.dim(0), columns = windows.dim(2);
  const int64_t sequences = patches.independent ? columns : 1;
  const int64_t features = columns / sequences;
  const int64_t last = windows.dim(1) - 1;
  Tensor y({b_size * sequences, patches.steps, patches.rows * features},
           windows.dtype());
  ParallelForEach(y.dim(0), kSequencesPerChunk, [&](int64_t n) {
    const T* window = windows[n / sequences].template data<T>() + n % sequences;
    T* to = y[n].template data<T>();
    for (int64_t i = 0; i < patches.steps; ++i) {
      for (int64_t p = 0; p < patches.rows; ++p) {
        const T* row =
            window +
            std::min(patches.first + i * patches.stride + p, last) * columns;
        to = std::copy_n(row, features, to);
      }
    }
  });
  return y;
}

template <typename Fn>
auto OfType(DType dtype, Fn&& fn) {
  return dtype == DType::kF64 ? fn(double{}) : fn(float{});
}

}  // namespace

void ForecasterConfig::Visit(FieldList& v) {
  v.Section("Forecast");
  v("lookback", lookback, AtLeast(1), "input rows of a forecast");
  v("horizon", horizon, AtLeast(1), "rows to forecast");
  v("patch", patch, AtLeast(1), "rows of one encoder step");
  v("patch_stride", patch_stride, AtLeast(1),
    "rows from the start of one patch to that of the next");
  v("pad_end", pad_end,
    "pad the window with patch_stride copies of its last row, for one more "
    "patch, as PatchTST does; no: the last patch ends with the window");
  v("instance_norm", instance_norm,
    "z-score each window, and undo it in the forecast");
  v("independent_columns", independent_columns,
    "forecast each column from its own past alone, with the same weights");
  v("forecast_from", forecast_from, "encoder outputs that the forecast uses");
  v("head_dropout", head_dropout, UpToBelow(0, 1),
    "dropout of the encoder outputs that the forecast uses");
  v("linear_readout", linear_readout,
    "add a linear map of each column's rows, shared by all columns, to the "
    "encoder's forecast");
  v("forecast_loss", forecast_loss,
    "training loss: squared or absolute errors, or huber: squared up to "
    "huber_delta and linear above it, less sensitive to outliers");
  v("huber_delta", huber_delta, Above(0),
    "error above which the huber loss is linear, in standard deviations of a "
    "column")
      .If(forecast_loss == ForecastLoss::kHuber, "--forecast-loss huber");
}

void ForecasterConfig::Resolve() const {
  if (patch > lookback) {
    throw ConfigError(
        "patch {} is longer than the lookback of {} rows; shorten it", patch,
        lookback);
  }
  if (padding() > patch) {
    throw ConfigError(
        "pad_end: a patch_stride of {} rows would leave whole patches behind "
        "the window; choose one of at most patch ({})",
        patch_stride, patch);
  }
}

int64_t Forecaster::EncoderInputs(const ForecasterConfig& config,
                                  int64_t columns) {
  return config.patch *
         (config.independent_columns == YesNo::kYes ? 1 : columns);
}

int64_t Forecaster::HeadInputs() const {
  return encoder_->output_size() *
         (config_.forecast_from == ForecastFrom::kAll ? config_.steps() : 1);
}

int64_t Forecaster::HeadOutputs() const {
  return config_.horizon * (independent() ? 1 : columns_);
}

Forecaster::Forecaster(const Scope& scope, const ForecasterConfig& config,
                       int64_t columns,
                       std::unique_ptr<SequenceEncoder> encoder)
    : config_(config),
      columns_(columns),
      encoder_(std::move(encoder)),
      // With a linear readout, the head starts at zero as well.
      head_(scope / "head", HeadInputs(), HeadOutputs(),
            config.linear_readout == YesNo::kYes ? kZeroInit : Init{}) {
  if (config.linear_readout == YesNo::kYes) {
    readout_.emplace(scope / "readout", config.rows_read(), config.horizon,
                     kZeroInit);
  }
}

/// Forecast by an affine map of each column's rows, reassembled from patches
/// [B·C, N, P] or [B, N, P·C]; each but the last gives only rows that the next
/// does not repeat. Shapes: result [B·C, H].
Var Forecaster::LinearForecast(const Context& ctx, const Var& patches) const {
  const int64_t sequences = patches.dim(0), steps = config_.steps();
  const int64_t row = independent() ? 1 : columns_, last = config_.patch * row;
  const int64_t own = std::min(config_.patch, config_.patch_stride) * row;
  const Var all = Reshape(patches, {sequences, steps * last});
  Var rows = all;
  if (own < last) {
    const Var begins =
        Columns(Reshape(patches, {sequences * steps, last}), 0, own);
    rows =
        ConcatColumns({Reshape(begins, {sequences, steps * own}),
                       Columns(all, (steps - 1) * last + own, steps * last)});
  }
  const int64_t read = config_.rows_read();
  if (!independent()) {
    rows = SplitHeads(Reshape(rows, {sequences, read, columns_}), columns_);
  }
  return (*readout_)(ctx, Reshape(rows, {rows.value().numel() / read, read}));
}

Var Forecaster::operator()(const Context& ctx, const Tensor& windows) const {
  const bool fits = windows.rank() == 3 && windows.dim(1) == config_.lookback &&
                    windows.dim(2) == columns_;
  if (!fits) {
    throw ShapeError("forecaster: windows {} are not [B, {}, {}]",
                     windows.shape().ToString(), config_.lookback, columns_);
  }
  const bool normalized = config_.instance_norm == YesNo::kYes;
  WindowStatistics levels;
  const int64_t steps = config_.steps();
  const Tensor patches = OfType(windows.dtype(), [&](auto type) {
    using T = decltype(type);
    Tensor x = windows.Contiguous();
    if (normalized) {
      levels = LevelsOf<T>(x);
      x = Normalised<T>(x, levels);
    }
    return CutPatches<T>(x, {config_.patch, config_.patch_stride, steps,
                             config_.first_row(), independent()});
  });

  const int64_t sequences = patches.dim(0), width = encoder_->output_size();
  Tensor lengths({sequences}, DType::kI32);
  lengths.Fill(static_cast<double>(steps));
  const Var read = ctx.Input("source", patches);
  Var h = Reshape((*encoder_)(ctx, read, lengths), {sequences, steps * width});
  if (config_.forecast_from == ForecastFrom::kLast) {
    h = Columns(h, (steps - 1) * width, steps * width);
  }
  const Var y = head_(ctx, Dropout(ctx, h, config_.head_dropout));
  const int64_t horizon = config_.horizon;
  Var future = independent()
                   ? MergeHeads(Reshape(y, {sequences, horizon, 1}), columns_)
                   : Reshape(y, {sequences, horizon, columns_});
  if (readout_) {
    const Var linear = LinearForecast(ctx, read);
    future =
        Add(future,
            MergeHeads(Reshape(linear, {linear.dim(0), horizon, 1}), columns_));
  }
  if (!normalized) return future;
  return Add(Mul(future, RepeatRows(levels.deviation, horizon)),
             RepeatRows(levels.mean, horizon));
}

Var Forecaster::Loss(const Context& ctx, const Tensor& windows,
                     const Tensor& targets, double scale) const {
  const Var y = (*this)(ctx, windows);
  switch (config_.forecast_loss) {
    case ForecastLoss::kAbsolute:
      return AbsoluteLoss(y, targets, scale);
    case ForecastLoss::kHuber:
      return HuberLoss(y, targets, config_.huber_delta, scale);
    case ForecastLoss::kSquared:
      break;
  }
  const Var error = Sub(y, targets);
  return Scale(Sum(Mul(error, error)), scale);
}

ModelOutline Forecaster::Outline() const {
  const int64_t inputs = EncoderInputs(config_, columns_);
  std::vector<OutlineBlock> blocks =
      OnBlock({{{.name = config_.patch > 1 ? "patches in turn" : "rows in turn",
                 .features = inputs}},
               1},
              encoder_->Outline());
  const bool last = config_.forecast_from == ForecastFrom::kLast;
  blocks.push_back({{{OutlinePart::Kind::kPool,
                      last ? "linear, of the last" : "linear, of all",
                      config_.horizon, "steps ahead"}},
                    1});
  return {{}, {{"forecaster", "source", false, false, std::move(blocks)}}};
}

}  // namespace heed
