// Configuration of recurrent encoder-decoders.
#ifndef HEED_MODELS_RECURRENT_RECURRENT_CONFIG_H_
#define HEED_MODELS_RECURRENT_RECURRENT_CONFIG_H_

#include <optional>
#include <string>

#include "heed/models/settings.h"
#include "heed/nn/recurrent.h"

namespace heed {

/// Initialisation of the decoder state from the encoder.
enum class Bridge : uint8_t { kProject, kMean, kCopy };
constexpr auto WordsOf(Bridge) { return std::array{"project", "mean", "copy"}; }

/// Position of attention in a decoder step.
enum class AttentionPlace : uint8_t { kNone, kBefore, kBetween, kAfter, kFed };
constexpr auto WordsOf(AttentionPlace) {
  return std::array{"none", "before", "between", "after", "fed"};
}

enum class Readout : uint8_t { kMaxout, kTanh, kNone };
constexpr auto WordsOf(Readout) { return std::array{"maxout", "tanh", "none"}; }

enum class ReadoutState : uint8_t { kPrevious, kCurrent };
constexpr auto WordsOf(ReadoutState) { return std::array{"prev", "cur"}; }

/// Resolved configuration of an EncoderDecoder.
struct ResolvedRecurrent {
  int embedding = 0;
  int units = 0;           // of the decoder
  EncoderOptions encoder;  // the decoder shares its layers, inits and gate bias
  Cell decoder_cell = Cell::kGru;
  Init embedding_init;
  bool reverse_source = false;
  Bridge bridge = Bridge::kProject;
  /// True if the last encoder state is an input of every gate of the decoder
  /// (Cho et al. 2014).
  bool context_in_gates = false;

  AttentionPlace attention = AttentionPlace::kNone;
  AttentionSpec attention_spec;
  bool input_feeding = false;

  Readout readout = Readout::kNone;
  int readout_units = 0;
  bool reads_previous_state = false;
  bool tie_output = false;

  double dropout = 0;
  bool variational = false;
  kernels::Precision precision = kernels::Precision::kNative;
};

/// User-facing configuration of a recurrent encoder-decoder. "auto" and 0 mean
/// the choice of the model's paper.
struct RecurrentConfig : RecurrentAttentionSettings,
                         RecurrentNumbers,
                         ForgetBias {
  RecurrentConfig() { dropout = 0.2; }

  std::string model = "bahdanau";  // not visited: see ModelChoice
  std::string variant = "auto";

  int embedding = 256;
  int units = 256;
  int encoder_units = 0;
  int layers = 0;
  Auto<Cell> cell;
  Auto<YesNo> bidirectional;
  Auto<YesNo> reverse_source;
  Auto<Bridge> bridge;

  Auto<AttentionPlace> attention;
  Auto<YesNo> input_feeding;

  Auto<Readout> readout;
  int readout_units = 0;
  Auto<ReadoutState> readout_state;
  bool tie_output = false;

  void Visit(FieldList& v);

  /// True if there is an attention; for attention "auto", if the model's
  /// variants have one.
  bool attends() const;

  /// Replaces every "auto" and 0 by the defaults of the registry variant of
  /// `model`. Throws: ConfigError for an unknown variant or score.
  void Fill();
  /// Resolved configuration. Throws: ConfigError if the choices do not fit
  /// together.
  ResolvedRecurrent Resolve() const;
};

}  // namespace heed

#endif  // HEED_MODELS_RECURRENT_RECURRENT_CONFIG_H_
