// Recurrent encoder-decoders, with and without attention.
#ifndef HEED_MODELS_RECURRENT_ENCODER_DECODER_H_
#define HEED_MODELS_RECURRENT_ENCODER_DECODER_H_

#include <optional>
#include <vector>

#include "heed/attention/attention.h"
#include "heed/base/model_outline.h"
#include "heed/models/decoder.h"
#include "heed/models/recurrent/recurrent_config.h"
#include "heed/nn/linear.h"
#include "heed/nn/pooling.h"
#include "heed/nn/recurrent.h"

namespace heed {

/// Single class for all recurrent encoder-decoders. A decoder step is, in this
/// order,
///   attention before:   c = attend(s_{i-1}),  s_i = f(y_{i-1}, s_{i-1}, c)
///   attention between:  s' = f_1(y_{i-1}, s_{i-1}),  c = attend(s'),
///                       s_i = f_2(c, s')
///   attention after:    s_i = f(y_{i-1}, s_{i-1} [, h̃_{i-1}]),
///                       c = attend(s_i),  h̃_i = tanh(W [c; s_i])
///   attention fed:      s_i = f(y_{i-1}, s_{i-1}, c_{i-1}),  c_i = attend(s_i)
///   none:               s_i = f(y_{i-1}, s_{i-1} [, c]) with a fixed c
/// The read-out uses s (or h̃), y_{i-1} and c. Training (all steps) and
/// decoding (one step) share the code. Reads tokens, frames through a linear
/// layer, or sequences of frames and cells whose size is that of the embedding.
/// With the bridge 'mean' it decodes the vectors of other encoders. Parameters
/// of the source: encoder.embedding, or encoder.frames. Papers:
/// arXiv:1406.1078, 1409.3215, 1409.0473, 1506.07503 (fed), 1508.04025,
/// 1703.04357.
class EncoderDecoder : public Decoder {
 public:
  /// Size of the source: tokens of a vocabulary, or frames of `frame_features`
  /// features.
  struct SourceSize {
    int64_t vocabulary = 0;
    int64_t frame_features = 0;
  };
  /// Throws: ConfigError.
  EncoderDecoder(const ResolvedRecurrent& config, const SourceSize& source,
                 int target_vocabulary, uint64_t seed,
                 DType dtype = DType::kF32);
  EncoderDecoder(const ResolvedRecurrent& config, int source_vocabulary,
                 int target_vocabulary, uint64_t seed,
                 DType dtype = DType::kF32)
      : EncoderDecoder(config, SourceSize{.vocabulary = source_vocabulary},
                       target_vocabulary, seed, dtype) {}

  Encoding Encode(const Context& ctx, const Inputs& inputs) const override;
  DecoderState Start(const Context& ctx,
                     const Encoding& encoding) const override;
  Var Features(const Context& ctx, const Tensor& tokens,
               DecoderState& kept) const override;
  const OutputLayer& output() const override { return *output_; }
  const Embedding* target_embedding() const override {
    return &target_embedding_;
  }
  int64_t source_features() const override { return encoder_.output_size(); }
  std::string alignment_attention() const override {
    return attention_ ? attention_->info().path : "";
  }

  ModelOutline Outline() const override;

  bool hard_choices() const override {
    return attention_ && config_.attention_spec.normalizer.info.chooses;
  }

 private:
  /// State between steps that is not stored in `kept`.
  struct State {
    DecoderState& kept;
    LayerStates layers;
    Var context;  // variant cho: C c, computed once
    Var summary;  // variant cho: c
    Var feed;     // of the last step: h̃ (input feeding), c (attention fed)
  };
  /// Inputs of the read-out for some steps [T, B, ·].
  struct Seen {
    Var state;
    Var context;
  };

  /// Source vectors [S, B, E]. Throws: ShapeError.
  Var Source(const Context& ctx, const Inputs& inputs) const;
  LayerStates Bridge(const Context& ctx, const Encoding& encoding,
                     const Var& summary) const;
  Var Summary(const Context& ctx, const EncoderResult& encoded,
              const Tensor& lengths) const;

  /// Runs T steps with inputs `embedded` [T, B, E].
  Seen Run(const Context& ctx, const Var& embedded, State& state) const;
  Seen StepBefore(const Context& ctx, const Var& projected, State& state) const;
  Seen StepBetween(const Context& ctx, const Var& projected,
                   State& state) const;
  Seen StepAfter(const Context& ctx, const Var& projected, State& state) const;
  Seen StepFed(const Context& ctx, const Var& projected, State& state) const;
  Seen RunFixed(const Context& ctx, const Var& projected, State& state) const;
  /// Advances all layers; the input of the first one is projected. Returns the
  /// outputs of the top layer.
  Var Advance(const Context& ctx, const Var& projected, State& state) const;
  Var Attend(const Context& ctx, const Var& query, State& state) const;
  OutlineSequence OutlineEncoder() const;
  /// Outline of the decoder. Without attention all steps run at once, and a
  /// step reads its own state, never the previous one.
  OutlineSequence OutlineDecoder() const;
  /// Dropout of steps [T, B, H]; `site` identifies the place in a decoder step.
  Var DropSteps(const Context& ctx, const Var& x, const State& state,
                uint64_t site) const;
  /// Features from which the scores of words are computed.
  Var ReadOut(const Context& ctx, const Seen& seen, const Var& embedded) const;

  ResolvedRecurrent config_;
  std::optional<Embedding> source_embedding_;  // for tokens
  std::optional<Linear> source_frames_;        // for frames
  Embedding target_embedding_;
  RecurrentEncoder encoder_;
  std::optional<Attention> attention_;
  std::optional<Pooling> mean_;  // bridge mean
  std::vector<Linear> bridge_;
  std::vector<Recurrent> decoder_;
  std::optional<Recurrent> second_;    // attention between: f_2
  std::optional<Linear> summary_;      // cho: tanh(V h)
  std::optional<Linear> inner_;        // cho: C c of all gates
  std::optional<Linear> attentional_;  // attention after: W of h̃
  std::vector<Parameter*> readout_;    // of state, embedding, context
  Parameter* readout_bias_ = nullptr;
  std::optional<OutputProjection> output_;
};

}  // namespace heed

#endif  // HEED_MODELS_RECURRENT_ENCODER_DECODER_H_
