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
  ModelChoice<PretrainingSettings> model;
  TextVocabularyConfig vocabulary_config;
  Vocabulary vocabulary;
  std::vector<NamedTensor> weights;
};

/// Throws: as ReadModel; FormatError if the folder's model has no encoder to
/// start from.
PretrainedEncoder ReadPretrained(const std::string& folder);

/// Replaces settings of an encoder and of its vocabulary by those that the
/// folder's weights were made for. Throws: as ReadPretrained.
template <typename Role>
void TakeEncoder(const std::string& folder, ModelChoice<Role>& encoder,
                 TextVocabularyConfig& vocabulary) {
  const PretrainedEncoder start = ReadPretrained(folder);
  encoder = ModelChoice<Role>(start.model);
  vocabulary = start.vocabulary_config;
}

/// Copies the weights of the encoder, and of the pooler if there is one, into
/// the parameters of the same names (encoder.*, pooler.*). Others stay fresh.
/// Throws: FormatError, naming the folder, if one of these parameters is not
/// among the weights or has another shape, or if there is no encoder.
void CopyPretrained(const PretrainedEncoder& pretrained,
                    ParameterSet& parameters);

}  // namespace heed

#endif  // HEED_TASKS_PRETRAINED_H_
