// A pre-trained encoder that another model starts from.
#ifndef HEED_TASKS_PRETRAINED_H_
#define HEED_TASKS_PRETRAINED_H_

#include <string>
#include <vector>

#include "heed/autograd/parameter_set.h"
#include "heed/io/safetensors.h"
#include "heed/models/registry.h"
#include "heed/tasks/text_vocabulary.h"
#include "heed/text/vocabulary.h"

namespace heed {

/// What a model that goes on from a pre-trained one must agree with.
struct PretrainedEncoder {
  std::string folder;
  ModelChoice<EncoderSettings> model;
  TextVocabularyConfig vocabulary_config;
  Vocabulary vocabulary;
  std::vector<NamedTensor> weights;
  /// Whether its first token stands for the whole text, through a pooler.
  bool pooler = false;
};

/// What of a model with these parameters reads a text. Throws: ConfigError if
/// its settings have no such part.
template <typename Role>
std::unique_ptr<PretrainedEncoder> EncoderOf(const Role& settings,
                                             TextVocabularyConfig config,
                                             const Vocabulary& vocabulary,
                                             const ParameterSet& parameters) {
  EncoderPart part = settings.Encoder();
  std::vector<NamedTensor> weights;
  for (NamedTensor& tensor : parameters.Tensors()) {
    for (const auto& [prefix, ours] : part.parameters) {
      if (!tensor.name.starts_with(prefix)) continue;
      tensor.name = ours + tensor.name.substr(prefix.size());
      weights.push_back(std::move(tensor));
      break;
    }
  }
  return std::make_unique<PretrainedEncoder>(PretrainedEncoder{
      "", ModelChoice<EncoderSettings>(part.model, std::move(part.settings)),
      std::move(config), vocabulary, std::move(weights)});
}

/// Throws: as ReadModel; FormatError if the folder's model has no encoder to
/// start from.
PretrainedEncoder ReadPretrained(const std::string& folder);

/// Replaces settings of an encoder and of its vocabulary by those that the
/// folder's weights were made for; whether they have a pooler. Throws: as
/// ReadPretrained.
template <typename Role>
bool TakeEncoder(const std::string& folder, ModelChoice<Role>& encoder,
                 TextVocabularyConfig& vocabulary) {
  const PretrainedEncoder start = ReadPretrained(folder);
  encoder = ModelChoice<Role>(start.model);
  vocabulary = start.vocabulary_config;
  return start.pooler;
}

/// Copies the weights of the encoder, and of the pooler if there is one, into
/// the parameters of the same names (encoder.*, pooler.*). Others stay fresh.
/// Throws: FormatError, naming the folder, if one of these parameters is not
/// among the weights or has another shape, or if there is no encoder.
void CopyPretrained(const PretrainedEncoder& pretrained,
                    ParameterSet& parameters);

}  // namespace heed

#endif  // HEED_TASKS_PRETRAINED_H_
