// Recurrent language models, with or without attention over their own states.
#ifndef HEED_MODELS_RECURRENT_RECURRENT_LANGUAGE_MODEL_H_
#define HEED_MODELS_RECURRENT_RECURRENT_LANGUAGE_MODEL_H_

#include <optional>

#include "heed/base/model_outline.h"
#include "heed/models/decoder.h"
#include "heed/models/recurrent/rnn_encoder.h"
#include "heed/nn/linear.h"

namespace heed {

/// Resolved configuration of a RecurrentLanguageModel.
struct ResolvedRecurrentLanguage {
  ResolvedRnn rnn;
  int embedding = 0;
  bool tie_output = true;
};

/// User-facing configuration of a recurrent language model.
struct RecurrentLanguageConfig {
  RnnConfig rnn;
  int embedding = 0;
  bool tie_output = true;

  void Visit(FieldList& v);
  void Fill();
  /// Throws: ConfigError.
  ResolvedRecurrentLanguage Resolve() const;
};

/// Embedded tokens, a causal RnnEncoder, and an output layer. The output layer
/// has its own matrix or the embeddings (tie_output); in the latter case
/// outputs of another size are projected first. Parameters: embedding, those of
/// the encoder, projection, output. Papers: Mikolov et al. 2010, "Recurrent
/// neural network based language model"; Press and Wolf 2017, arXiv:1608.05859
/// (tied embeddings); Cheng et al. 2016, arXiv:1601.06733 (attention over own
/// states).
class RecurrentLanguageModel : public LanguageModel {
 public:
  /// Throws: ConfigError.
  RecurrentLanguageModel(const ResolvedRecurrentLanguage& config,
                         int vocabulary, uint64_t seed,
                         DType dtype = DType::kF32);

  Var Features(const Context& ctx, const Tensor& tokens,
               DecoderState& state) const override;
  const OutputLayer& output() const override { return *output_; }
  ModelOutline Outline() const override;

 private:
  Embedding embedding_;
  RnnEncoder encoder_;
  std::optional<Linear> projection_;
  std::optional<OutputProjection> output_;
};

}  // namespace heed

#endif  // HEED_MODELS_RECURRENT_RECURRENT_LANGUAGE_MODEL_H_
