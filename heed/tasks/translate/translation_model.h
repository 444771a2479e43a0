// A translation model: a network with its vocabularies and settings.
#ifndef HEED_TASKS_TRANSLATE_TRANSLATION_MODEL_H_
#define HEED_TASKS_TRANSLATE_TRANSLATION_MODEL_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heed/io/quality_model.h"
#include "heed/io/safetensors.h"
#include "heed/models/decoder.h"
#include "heed/models/registry.h"
#include "heed/tasks/task.h"
#include "heed/tasks/translate/parallel_text.h"
#include "heed/text/target_marks.h"

namespace heed::translate {

/// A translation model, a value whose copies share the network.
class Model : public TaskModel {
 public:
  /// Makes a model with fresh weights. `from`: its folder.
  Model(std::string from, ModelChoice<TranslatorSettings> settings,
        DataConfig text, Vocabularies learned, uint64_t seed);

  using TaskModel::parameters;
  ParameterSet& parameters() override { return model->parameters(); }
  const Vocabulary* read_vocabulary() const override {
    return &vocabularies.source;
  }
  const Vocabulary* written_vocabulary() const override {
    return &vocabularies.target;
  }
  ModelFiles Files() const override;
  ModelOutline Outline() const override { return model->Outline(); }
  std::unique_ptr<PretrainedEncoder> encoder() const override;
  std::vector<std::pair<std::string, int64_t>> Sizes() const override {
    return {{"source_vocabulary", vocabularies.source.size()},
            {"target_vocabulary", vocabularies.target.size()}};
  }

  std::string folder;
  ModelChoice<TranslatorSettings> config;  // resolved
  DataConfig data;
  Vocabularies vocabularies;
  /// Model of the quality of words, of an imported translator.
  std::optional<QualityModel> quality;
  /// Target-language marks of vocabularies.source, shared by copies.
  std::shared_ptr<const TargetMarks> marks;
  std::shared_ptr<Decoder> model;
};

/// Quality model of a folder, if it has one.
inline constexpr const char* kQualityFile = "quality.bin";

/// Files of the vocabularies for a model folder.
ModelFiles VocabularyFiles(const DataConfig& data, const Vocabularies& learned);
/// Reads the vocabularies from a folder's files. Throws: FormatError that names
/// the file in `folder`.
Vocabularies FindVocabularies(const DataConfig& data, const ModelFiles& files,
                              const std::string& folder);

/// Reads a translation model. Throws: as ReadModel; FormatError if the folder
/// holds a model of another task.
Model ReadTranslationModel(const std::string& folder,
                           Auto<RunFormat> dtype = {},
                           Named<Activations> activations = Activations::kRow);

/// Combines the model and those of `folders` to an ensemble (see Ensemble), in
/// the precision of `model`. Throws: as ReadTranslationModel; ConfigError if
/// vocabularies differ.
Model WithEnsemble(Model model, const std::vector<std::string>& folders);

}  // namespace heed::translate

#endif  // HEED_TASKS_TRANSLATE_TRANSLATION_MODEL_H_
