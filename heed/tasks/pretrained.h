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

/// A pretrained encoder: its model, vocabulary and weights.
struct PretrainedEncoder {
  std::string folder;
  ModelChoice<EncoderSettings> model;
  TextVocabularyConfig vocabulary_config;
  Vocabulary vocabulary;
  std::vector<NamedTensor> weights;
  /// True if a pooler maps the first token to a vector of the whole text.
  bool pooler = false;
};

/// Extracts the text encoder of a model with these parameters. Throws:
/// ConfigError if the model has no such part.
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

/// Reads the encoder of a model folder. Throws: as ReadModel; FormatError if
/// its task has no encoder to start from; ConfigError if the model has none.
PretrainedEncoder ReadPretrained(const std::string& folder);

/// Replaces the settings of an encoder and of its vocabulary by those of the
/// folder's encoder. Returns true if that has a pooler. Throws: as
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
/// the parameters of the same names (encoder.*, pooler.*). Other parameters
/// stay fresh. Throws: FormatError, naming the folder, if one of these
/// parameters is missing or has another shape, or if there is no encoder.
void CopyPretrained(const PretrainedEncoder& pretrained,
                    ParameterSet& parameters);

}  // namespace heed

#endif  // HEED_TASKS_PRETRAINED_H_
