// A translation model as it is read from a folder.
#ifndef HEED_TASKS_TRANSLATION_MODEL_H_
#define HEED_TASKS_TRANSLATION_MODEL_H_

#include <memory>
#include <string>

#include "heed/io/safetensors.h"
#include "heed/models/decoder.h"
#include "heed/models/registry.h"
#include "heed/tasks/parallel_text.h"

namespace heed {

struct TranslationModel {
  std::string folder;
  ModelChoice<TranslatorSettings> config;
  DataConfig data;
  Vocabularies vocabularies;
  std::shared_ptr<Decoder> model;
  Metadata metadata;  // of the weights: step, score
};

}  // namespace heed

#endif  // HEED_TASKS_TRANSLATION_MODEL_H_
