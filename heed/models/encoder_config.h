// Which encoder reads a sequence: a recurrent network or a Transformer.
#ifndef HEED_MODELS_ENCODER_CONFIG_H_
#define HEED_MODELS_ENCODER_CONFIG_H_

#include <memory>
#include <string>
#include <vector>

#include "heed/autograd/parameter_set.h"
#include "heed/base/config.h"
#include "heed/models/rnn_config.h"
#include "heed/models/sequence_encoder.h"
#include "heed/models/transformer_config.h"

namespace heed {

/// An encoder by its name, with the settings of its kind alone.
struct EncoderConfig {
  std::string model = kRnn;
  RnnConfig rnn;
  TransformerConfig transformer;

  /// "rnn", then the Transformers, then those of BERT.
  static std::vector<std::string> Names();

  /// The settings of the model, without its name and what decoders have.
  void Visit(FieldList& v);
  /// Replaces every "auto" and 0, and checks that the choices fit together. A
  /// causal encoder may not see what comes later. Throws: ConfigError.
  void Resolve(bool causal);

  /// "f32" or "bf16".
  const std::string& precision() const;
  /// Features of what it gives, as resolved: a good size for what it reads.
  int64_t features() const;
  /// As resolved, for the same `causal`.
  std::unique_ptr<SequenceEncoder> Make(const Scope& scope, int64_t inputs,
                                        bool causal) const;
};

}  // namespace heed

#endif  // HEED_MODELS_ENCODER_CONFIG_H_
