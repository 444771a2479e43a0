// Configuration of recurrent encoder-decoders.
#ifndef HEED_MODELS_RECURRENT_RECURRENT_CONFIG_H_
#define HEED_MODELS_RECURRENT_RECURRENT_CONFIG_H_

#include <optional>
#include <string>

#include "heed/models/settings.h"
#include "heed/nn/recurrent.h"

namespace heed {

/// The decoder state that starts from the encoder.
enum class Bridge : uint8_t { kProject, kMean, kCopy };
constexpr auto WordsOf(Bridge) { return std::array{"project", "mean", "copy"}; }

/// Where in a decoder step attention stands.
enum class AttentionPlace : uint8_t { kNone, kBefore, kBetween, kAfter, kFed };
constexpr auto WordsOf(AttentionPlace) {
  return std::array{"none", "before", "between", "after", "fed"};
}

enum class Readout : uint8_t { kMaxout, kTanh, kNone };
constexpr auto WordsOf(Readout) { return std::array{"maxout", "tanh", "none"}; }

enum class ReadoutState : uint8_t { kPrevious, kCurrent };
constexpr auto WordsOf(ReadoutState) { return std::array{"prev", "cur"}; }

/// What an EncoderDecoder is made of.
struct ResolvedRecurrent {
  int embedding = 0;
  int units = 0;           // of the decoder
  EncoderOptions encoder;  // the decoder has its layers, inits and gate bias
  Cell decoder_cell = Cell::kGru;
  Init embedding_init;
  bool reverse_source = false;
  Bridge bridge = Bridge::kProject;
  /// The last state stands in every gate of the decoder (Cho et al. 2014).
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

/// Every choice of a recurrent encoder-decoder, as the user writes it. "auto"
/// and 0 mean what the model's paper does.
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

  /// Whether there is an attention; of attention "auto", as the model's
  /// variants do.
  bool attends() const;

  /// Replaces every "auto" and 0 by what the variant of `model` in the registry
  /// does. Throws: ConfigError if there is no such variant or score.
  void Fill();
  /// What that makes, where the choices fit together. Throws: ConfigError.
  ResolvedRecurrent Resolve() const;
};

}  // namespace heed

#endif  // HEED_MODELS_RECURRENT_RECURRENT_CONFIG_H_
