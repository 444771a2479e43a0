// Configuration of Transformers.
#ifndef HEED_MODELS_TRANSFORMER_TRANSFORMER_CONFIG_H_
#define HEED_MODELS_TRANSFORMER_TRANSFORMER_CONFIG_H_

#include <string>

#include "heed/models/settings.h"
#include "heed/nn/positions.h"
#include "heed/nn/transformer.h"

namespace heed {

/// Layer normalisation before or after each sublayer.
enum class NormPlace : uint8_t { kPre, kPost };
constexpr auto WordsOf(NormPlace) { return std::array{"pre", "post"}; }

enum class FeedForward : uint8_t { kRelu, kGelu, kGeluTanh, kSwish, kSwiGlu };
constexpr auto WordsOf(FeedForward) {
  return std::array{"relu", "gelu", "gelu_tanh", "swish", "swiglu"};
}

enum class Position : uint8_t {
  kSinusoidal,
  kSinusoidalConcat,
  kSinusoidalT2t,
  kLearned,
  kRotary,  // changes queries and keys
  kAlibi,   // changes scores
  kRelative,
  kNone,
};
constexpr auto WordsOf(Position) {
  return std::array{"sinusoidal",     "sinusoidal_concat",
                    "sinusoidal_t2t", "learned",
                    "rotary",         "alibi",
                    "relative",       "none"};
}
/// Kind of positions added to embeddings.
PositionKind AddedPositions(Position position);

/// Part of a decoder layer that replaces self attention.
enum class DecoderRecurrence : uint8_t { kNone, kSsru };
constexpr auto WordsOf(DecoderRecurrence) { return std::array{"none", "ssru"}; }

/// Weight tying of token tables.
enum class Tie : uint8_t { kNone, kOutput, kSourceTarget, kAll };
constexpr auto WordsOf(Tie) {
  return std::array{"none", "output", "source_target", "all"};
}
/// True if source and target share their embeddings (SharesSides), or if the
/// target embeddings are the output projection (TiesOutput).
constexpr bool SharesSides(Tie tie) {
  return tie == Tie::kSourceTarget || tie == Tie::kAll;
}
constexpr bool TiesOutput(Tie tie) {
  return tie == Tie::kOutput || tie == Tie::kAll;
}

/// Resolved configuration of a Transformer.
struct ResolvedTransformer {
  /// Options of a bidirectional encoder.
  TransformerOptions stack;
  int decoder_layers = 0;
  bool recurrent_decoder = false;

  PositionKind positions = PositionKind::kNone;
  int max_positions = 0;
  double embedding_scale = 1;
  bool embedding_norm = false;
  int segments = 0;
  Init embedding_init;

  Tie tie = Tie::kNone;
  bool output_bias = true;
  int alignment_layer = 0;
  int alignment_head = -1;  // -1: the mean of all
};

/// User-facing configuration of a Transformer. "auto", 0 and a negative rate
/// mean the choice of the named model.
struct TransformerConfig : AttentionSettings {
  TransformerConfig() {
    score = "scaled_dot";
    attention_dropout = -1;
  }

  int layers = 0;
  int decoder_layers = 0;
  Auto<DecoderRecurrence> decoder_recurrence;
  int width = 0;
  int ff = 0;
  int heads = 0;
  int key_heads = 0;
  Auto<NormPlace> norm;
  Auto<YesNo> final_norm;
  Auto<FeedForward> activation;

  Auto<Position> position;
  int max_positions = 0;
  Auto<Tie> tie;
  Auto<YesNo> embedding_scale;
  Auto<YesNo> embedding_norm;
  int segments = 0;
  bool segment_embeddings = true;
  bool output_bias = true;

  bool attention_bias = true;
  /// Layer and head of the alignment attention; -1: the last layer, the mean of
  /// all heads.
  int alignment_layer = -1;
  int alignment_head = -1;

  double dropout = -1;
  double activation_dropout = -1;
  double epsilon = 0;
  Auto<InitKind> init;
  double init_scale = 0.02;
  Named<NumberFormat> precision = NumberFormat::kF32;

  void Visit(FieldList& v) { VisitFor(v, true); }
  /// Visits all settings except those only for decoders.
  void VisitEncoder(FieldList& v) { VisitFor(v, false); }

  /// Replaces every "auto", 0 and negative rate by the choice of the registry
  /// model `model`. Throws: ConfigError if there is no such model.
  void Fill(const std::string& model);
  /// Resolved configuration. Throws: ConfigError if the choices do not fit
  /// together.
  ResolvedTransformer Resolve(const std::string& model) const;

 private:
  void VisitFor(FieldList& v, bool decoder);
};

}  // namespace heed

#endif  // HEED_MODELS_TRANSFORMER_TRANSFORMER_CONFIG_H_
