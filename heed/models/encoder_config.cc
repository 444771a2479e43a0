#include "heed/models/encoder_config.h"

#include "heed/models/rnn_encoder.h"
#include "heed/models/transformer_encoder.h"

namespace heed {

std::vector<std::string> EncoderConfig::Names() {
  std::vector<std::string> names = {kRnn};
  for (const auto* models : {&TransformerModels(), &BertModels()}) {
    for (const ModelInfo& info : *models) names.push_back(info.model);
  }
  return names;
}

void EncoderConfig::Visit(FieldList& v) {
  if (model == kRnn) {
    rnn.Visit(v);
  } else {
    transformer.VisitEncoder(v);
  }
}

void EncoderConfig::Resolve(bool causal) {
  if (model == kRnn) {
    rnn.Resolve(causal);
  } else {
    transformer.Resolve(model);
  }
}

const std::string& EncoderConfig::precision() const {
  return model == kRnn ? rnn.precision : transformer.precision;
}

int64_t EncoderConfig::features() const {
  return model == kRnn ? rnn.units : transformer.width;
}

std::unique_ptr<SequenceEncoder> EncoderConfig::Make(const Scope& scope,
                                                     int64_t inputs,
                                                     bool causal) const {
  if (model == kRnn) {
    return std::make_unique<RnnEncoder>(scope, rnn, inputs, causal);
  }
  return std::make_unique<TransformerEncoder>(scope, transformer, inputs,
                                              causal);
}

}  // namespace heed
