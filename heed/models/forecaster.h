// Forecasts of several columns of numbers, from what came before.
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

/// Outputs of the encoder that a forecast is made of.
enum class ForecastFrom : uint8_t { kAll, kLast };
constexpr auto WordsOf(ForecastFrom) { return std::array{"all", "last"}; }

/// What a forecaster learns to make small: of each error its square, its
/// absolute value, or what HuberLoss makes of it.
enum class ForecastLoss : uint8_t { kSquared, kAbsolute, kHuber };
constexpr auto WordsOf(ForecastLoss) {
  return std::array{"squared", "absolute", "huber"};
}

/// What stands around the encoder of a forecaster. As it is, it makes a
/// Transformer encoder a PatchTST; patch 1, patch_stride 1, no independent
/// columns and forecast_from "last" suit a recurrent one.
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
  /// Throws: ConfigError if the patches do not fit the lookback.
  void Resolve() const;

  /// Patches of a window: what the encoder sees as steps.
  int64_t steps() const {
    return (lookback + padding() - patch) / patch_stride + 1;
  }
  /// Copies of the last row behind a window.
  int64_t padding() const { return pad_end == YesNo::kYes ? patch_stride : 0; }
  /// Row of a window that the first patch begins with.
  int64_t first_row() const {
    if (padding() > 0) return 0;
    return lookback - patch - (steps() - 1) * patch_stride;
  }
  /// Rows that lie in patches, copies of the last one among them.
  int64_t rows_read() const {
    const int64_t own = std::min(patch, patch_stride);
    return (steps() - 1) * own + patch;
  }
};

/// Encoder around which a window [L, C] becomes its future [H, C]:
///   1. each column less its mean in the window and divided by its deviation
///      (instance_norm), which is undone behind the head;
///   2. cut into patches of P rows, stride S apart, the last of which ends with
///      the window; or, behind S copies of its last row (pad_end), the first of
///      which begins with it: (L − P) / S + 2 patches, as in PatchTST;
///   3. each column by itself (independent_columns: B·C sequences with P
///      features) or all together (B sequences with P·C features);
///   4. the encoder;
///   5. an affine map of all its outputs, or of the last one, to the future;
///   6. to which an affine map of each column's own rows is added
///      (linear_readout), the same for all columns, which starts at zero.
/// It sees nothing but the window. An observer knows its patches [B, N, P·C],
/// or, of independent columns, [B·C, N, P], as "source". Immutable but for its
/// parameters: head, readout, and those of the encoder. Paper: Nie et al. 2023,
/// arXiv:2211.14730, section 3.1 (patches, independent columns); Kim et al.
/// 2022, "Reversible Instance Normalization" (without its affine map); Lai et
/// al. 2018, arXiv:1703.07015, section 3.5 (a linear part beside the network).
class Forecaster {
 public:
  /// Features of a step, which the encoder is made for.
  static int64_t EncoderInputs(const ForecasterConfig& config, int64_t columns);

  /// `config` is resolved.
  Forecaster(const Scope& scope, const ForecasterConfig& config,
             int64_t columns, std::unique_ptr<SequenceEncoder> encoder);

  /// Shapes: windows [B, L, C] of the parameters' dtype, result [B, H, C].
  /// Throws: ShapeError.
  Var operator()(const Context& ctx, const Tensor& windows) const;

  /// scale · Σ of what forecast_loss makes of forecast − target. Shapes:
  /// targets [B, H, C].
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
