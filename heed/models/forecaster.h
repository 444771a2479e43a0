// Forecasts of several columns of numbers from their past.
#ifndef HEED_MODELS_FORECASTER_H_
#define HEED_MODELS_FORECASTER_H_

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>

#include "heed/autograd/parameter_set.h"
#include "heed/base/config.h"
#include "heed/base/model_outline.h"
#include "heed/models/sequence_encoder.h"
#include "heed/models/settings.h"
#include "heed/nn/linear.h"

namespace heed {

/// Encoder outputs used for a forecast.
enum class ForecastFrom : uint8_t { kAll, kLast };
constexpr auto WordsOf(ForecastFrom) { return std::array{"all", "last"}; }

/// Loss of a forecast error: its square, its absolute value, or HuberLoss.
enum class ForecastLoss : uint8_t { kSquared, kAbsolute, kHuber };
constexpr auto WordsOf(ForecastLoss) {
  return std::array{"squared", "absolute", "huber"};
}

/// Configuration of the forecaster around an encoder. The defaults make a
/// Transformer encoder a PatchTST. For a recurrent encoder use patch 1,
/// patch_stride 1, no independent columns and forecast_from "last".
struct ForecasterConfig {
  int lookback = 336;
  int horizon = 96;
  int patch = 16;
  int patch_stride = 8;
  Named<YesNo> pad_end = YesNo::kNo;
  Named<YesNo> instance_norm = YesNo::kYes;
  Named<YesNo> independent_columns = YesNo::kYes;
  Named<ForecastFrom> forecast_from = ForecastFrom::kAll;
  double head_dropout = 0;
  Named<YesNo> linear_readout = YesNo::kNo;
  Named<ForecastLoss> forecast_loss = ForecastLoss::kSquared;
  double huber_delta = 1;

  void Visit(FieldList& v);
  /// Throws: ConfigError if patches are incompatible with the lookback.
  void Resolve() const;

  /// Number of patches of a window: the steps of the encoder.
  int64_t steps() const {
    return (lookback + padding() - patch) / patch_stride + 1;
  }
  /// Number of copies of the last row appended to a window.
  int64_t padding() const { return pad_end == YesNo::kYes ? patch_stride : 0; }
  /// Row of a window at which the first patch begins.
  int64_t first_row() const {
    if (padding() > 0) return 0;
    return lookback - patch - (steps() - 1) * patch_stride;
  }
  /// Number of rows in patches, including copies of the last row.
  int64_t rows_read() const {
    const int64_t own = std::min(patch, patch_stride);
    return (steps() - 1) * own + patch;
  }
};

/// Forecast of a window [L, C] to its future [H, C] by an encoder:
///   1. each column is normalised by its mean and deviation in the window
///      (instance_norm), which is undone after the head;
///   2. cut into patches of P rows with stride S. The last patch ends with the
///      window. With S copies of the last row appended (pad_end), the first
///      patch begins with the window: (L − P) / S + 2 patches, as in PatchTST;
///   3. each column separately (independent_columns: B·C sequences with P
///      features) or all together (B sequences with P·C features);
///   4. the encoder;
///   5. an affine map of all its outputs, or of the last one, to the future;
///   6. plus an affine map of each column's own rows (linear_readout), which
///      is shared by all columns and starts at zero.
/// The forecast depends only on the window. Observers receive patches [B, N,
/// P·C], or [B·C, N, P] for independent columns, as "source". Immutable except
/// for its parameters: head, readout, and those of the encoder. Paper: Nie et
/// al. 2023, arXiv:2211.14730, section 3.1 (patches, independent columns); Kim
/// et al. 2022, "Reversible Instance Normalization" (without its affine map);
/// Lai et al. 2018, arXiv:1703.07015, section 3.5 (a linear part beside the
/// network).
class Forecaster {
 public:
  /// Input features per step of the encoder.
  static int64_t EncoderInputs(const ForecasterConfig& config, int64_t columns);

  /// `config` must be resolved.
  Forecaster(const Scope& scope, const ForecasterConfig& config,
             int64_t columns, std::unique_ptr<SequenceEncoder> encoder);

  /// Forecasts. Shapes: windows [B, L, C] of the parameters' dtype, result [B,
  /// H, C]. Throws: ShapeError.
  Var operator()(const Context& ctx, const Tensor& windows) const;

  /// scale · Σ of forecast_loss of forecast − target. Shapes: targets [B, H,
  /// C].
  Var Loss(const Context& ctx, const Tensor& windows, const Tensor& targets,
           double scale) const;

  ModelOutline Outline() const;
  int64_t columns() const { return columns_; }
  const ForecasterConfig& config() const { return config_; }

 private:
  bool independent() const {
    return config_.independent_columns == YesNo::kYes;
  }
  int64_t HeadInputs() const;
  int64_t HeadOutputs() const;
  Var LinearForecast(const Context& ctx, const Var& patches) const;

  ForecasterConfig config_;
  int64_t columns_;
  std::unique_ptr<SequenceEncoder> encoder_;
  Linear head_;
  std::optional<Linear> readout_;
};

}  // namespace heed

#endif  // HEED_MODELS_FORECASTER_H_
