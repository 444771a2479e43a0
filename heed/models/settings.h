// Settings shared by model configurations: attention, initial weights, numbers.
// Each is described, checked and resolved here once; configs inherit them.
#ifndef HEED_MODELS_SETTINGS_H_
#define HEED_MODELS_SETTINGS_H_

#include <array>
#include <cstdint>
#include <string>

#include "heed/attention/attention.h"
#include "heed/autograd/parameter_set.h"
#include "heed/base/config.h"
#include "heed/base/errors.h"
#include "heed/nn/recurrent.h"

namespace heed {

/// Calls choose(); prefixes errors with the name of the setting.
template <typename Choose>
auto OfSetting(const char* key, const Choose& choose) {
  try {
    return choose();
  } catch (const ConfigError& error) {
    throw ConfigError("{}: {}", key, error.what());
  }
}

/// Throws: ConfigError with the message unless `holds`.
inline void Require(bool holds, const std::string& message) {
  if (!holds) throw ConfigError(message);
}

enum class YesNo : uint8_t { kYes, kNo };
constexpr auto WordsOf(YesNo) { return std::array{"yes", "no"}; }
inline YesNo ToYesNo(bool yes) { return yes ? YesNo::kYes : YesNo::kNo; }

enum class InitKind : uint8_t { kGlorot, kUniform, kNormal };
constexpr auto WordsOf(InitKind) {
  return std::array{"glorot", "uniform", "normal"};
}

enum class NumberFormat : uint8_t { kF32, kBF16 };
constexpr auto WordsOf(NumberFormat) { return std::array{"f32", "bf16"}; }

/// Precision of a number format; bf16 needs processor support.
kernels::Precision PrecisionOf(NumberFormat format);

/// Number formats of matrix products in which a trained model runs.
enum class RunFormat : uint8_t { kF32, kBF16, kInt8 };
constexpr auto WordsOf(RunFormat) { return std::array{"f32", "bf16", "int8"}; }

/// How int8 products quantise their left factors: each row by itself, or by the
/// fixed multipliers of an imported model.
enum class Activations : uint8_t { kRow, kFixed };
constexpr auto WordsOf(Activations) { return std::array{"row", "fixed"}; }

/// Precision of products in this format. kNative also for bf16 if the
/// processor has no bf16 products.
kernels::Precision PrecisionOf(RunFormat format);

/// Names of the attention parts of an AttentionSpec.
struct AttentionSettings {
  std::string score = "auto";
  std::string modifiers = "none";
  std::string attention_mask = "none";
  std::string normalizer = "softmax";
  double attention_dropout = 0;

  /// Help texts of the parts for a model.
  struct Help {
    const char* score;      // an example
    const char* modifiers;  // an example
    const char* mask;       // complete; nullptr: the model has its own mask
  };
  /// Visits the names of parts, without attention_dropout.
  void VisitParts(FieldList& v, const Help& help);
  /// Visits attention_dropout for a model that has no other rate.
  void VisitDropout(FieldList& v);

  /// Spec without sizes. `self`: all positions of a sequence attend to one
  /// another at once. Throws: ConfigError that names the setting.
  AttentionSpec Spec(bool self) const;
};

/// Additional attention settings of recurrent networks.
struct RecurrentAttentionSettings : AttentionSettings {
  int heads = 1;
  int attention_units = 0;
  int mlp_layers = 2;
  int positions = 100;

  void VisitHeads(FieldList& v);
  void VisitUnits(FieldList& v);
  /// `of`: kind of positions, "source positions".
  void VisitPositions(FieldList& v, const char* of);
  /// Declares that all attention options need `needs` to have an effect, for a
  /// network without attention.
  static void VisitIdle(FieldList& v, const std::string& needs);

  /// Spec with the given features of queries and keys. Throws: ConfigError.
  AttentionSpec Spec(bool self, int64_t query, int64_t key, Init init) const;
};

/// Initial values of matrices and embeddings.
struct InitSettings {
  InitKind kind = InitKind::kGlorot;
  double scale = 0;

  Init Matrix() const;
  /// Initial values of recurrent matrices: orthogonal if the others are normal.
  Init Recurrent() const;
};

/// Initial bias of the forget gates of LSTMs. At 0, half of a cell's state is
/// lost at each step. Papers: Gers et al. 2000; Jozefowicz et al. 2015.
struct ForgetBias {
  double forget_bias = 1;

  void VisitForgetBias(FieldList& v);
  /// 0 for cells other than LSTMs.
  double ForgetBiasOf(Cell cell) const;
};

/// Regularisation, initial weights and number format of recurrent networks.
struct RecurrentNumbers {
  double dropout = 0;
  bool variational = false;
  Named<InitKind> init = InitKind::kGlorot;
  double init_scale = 0.08;
  Named<NumberFormat> precision = NumberFormat::kF32;

  /// `dropped`: description of the dropped vectors.
  void VisitDropout(FieldList& v, const char* dropped);
  void VisitInit(FieldList& v);
  InitSettings Inits() const { return {init, init_scale}; }
};

void VisitPrecision(FieldList& v, Named<NumberFormat>& precision);

}  // namespace heed

#endif  // HEED_MODELS_SETTINGS_H_
