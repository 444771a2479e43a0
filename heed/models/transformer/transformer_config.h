// Configuration of Transformers.
#ifndef HEED_MODELS_TRANSFORMER_TRANSFORMER_CONFIG_H_
#define HEED_MODELS_TRANSFORMER_TRANSFORMER_CONFIG_H_

#include <string>

#include "heed/models/settings.h"
#include "heed/nn/positions.h"
#include "heed/nn/transformer.h"

namespace heed {

/// Layer normalisation before or behind each sublayer.
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
  kRotary,  // these change queries, keys
  kAlibi,   // or scores
  kRelative,
  kNone,
};
constexpr auto WordsOf(Position) {
  return std::array{"sinusoidal",     "sinusoidal_concat",
                    "sinusoidal_t2t", "learned",
                    "rotary",         "alibi",
                    "relative",       "none"};
}
/// What is added to embeddings.
PositionKind AddedPositions(Position position);

/// Tables of tokens that are one.
enum class Tie : uint8_t { kNone, kOutput, kSourceTarget, kAll };
constexpr auto WordsOf(Tie) {
  return std::array{"none", "output", "source_target", "all"};
}
/// Whether the two sides share their table of tokens, and whether the scores of
/// tokens are products with the target's.
constexpr bool SharesSides(Tie tie) {
  return tie == Tie::kSourceTarget || tie == Tie::kAll;
}
constexpr bool TiesOutput(Tie tie) {
  return tie == Tie::kOutput || tie == Tie::kAll;
}

/// What a Transformer is made of.
struct ResolvedTransformer {
  /// Of an encoder, in which everybody sees everybody.
  TransformerOptions stack;
  int decoder_layers = 0;

  PositionKind positions = PositionKind::kNone;
  int max_positions = 0;
  double embedding_scale = 1;
  bool embedding_norm = false;
  int segments = 0;
  Init embedding_init;

  Tie tie = Tie::kNone;
  bool output_bias = true;
  int alignment_layer = 0;
  int alignment_head = -1;  // -1: all, in the mean
};

/// Every choice of a Transformer, as the user writes it. "auto", 0 and a
/// negative rate mean what the named model does.
struct TransformerConfig : AttentionSettings {
  TransformerConfig() {
    score = "scaled_dot";
    attention_dropout = -1;
  }

  int layers = 0;
  int decoder_layers = 0;
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
  bool output_bias = true;

  bool attention_bias = true;
  /// Of the attention that says where a word comes from; -1: the last layer,
  /// and all heads in the mean.
  int alignment_layer = -1;
  int alignment_head = -1;

  double dropout = -1;
  double activation_dropout = -1;
  double epsilon = 0;
  Auto<InitKind> init;
  double init_scale = 0.02;
  Named<NumberFormat> precision = NumberFormat::kF32;

  void Visit(FieldList& v) { VisitFor(v, true); }
  /// The same without the settings that only a decoder has.
  void VisitEncoder(FieldList& v) { VisitFor(v, false); }

  /// Replaces every "auto", 0 and negative rate by what `model` of the registry
  /// does. Throws: ConfigError if there is no such model.
  void Fill(const std::string& model);
  /// What that makes, where the choices fit together. Throws: ConfigError.
  ResolvedTransformer Resolve(const std::string& model) const;

 private:
  void VisitFor(FieldList& v, bool decoder);
};

}  // namespace heed

#endif  // HEED_MODELS_TRANSFORMER_TRANSFORMER_CONFIG_H_
