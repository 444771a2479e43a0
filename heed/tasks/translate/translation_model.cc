#include "heed/tasks/translate/translation_model.h"

#include <utility>

#include "heed/base/errors.h"
#include "heed/models/copying.h"
#include "heed/models/ensemble.h"
#include "heed/tasks/pretrained.h"
#include "heed/tasks/run.h"
#include "heed/tasks/text_vocabulary.h"

namespace heed::translate {
namespace {

std::string VocabularyFile(const char* side, VocabularyKind kind) {
  return std::string(side) + ".vocabulary" + FileExtension(kind);
}

std::shared_ptr<Decoder> MakeDecoder(const TranslatorSettings& config,
                                     const DataConfig& data,
                                     const Vocabularies& v, uint64_t seed) {
  std::unique_ptr<Decoder> decoder =
      config.Make(v.source.size(), v.target.size(), seed);
  if (!data.copy) return decoder;
  return std::make_shared<CopyingDecoder>(std::move(decoder),
                                          CopyTableOf(v.source, v.target));
}

/// Throws: ConfigError unless the models have equal vocabularies.
void CheckSameTokens(const Model& a, const Model& b) {
  const auto check = [&](const char* what, bool same) {
    if (same) return;
    throw ConfigError(
        "{}: its {} is another than that of {}; the models of an ensemble are "
        "trained on the same text with the same options of text and vocabulary",
        b.folder, what, a.folder);
  };
  const Vocabularies& x = a.vocabularies;
  const Vocabularies& y = b.vocabularies;
  check("source vocabulary", x.source.Serialize() == y.source.Serialize());
  check("target vocabulary", x.target.Serialize() == y.target.Serialize());
  check("lowercase", a.data.lowercase == b.data.lowercase);
}

}  // namespace

Model::Model(std::string from, ModelChoice<TranslatorSettings> settings,
             DataConfig text, Vocabularies learned, uint64_t seed)
    : folder(std::move(from)),
      config(std::move(settings)),
      data(std::move(text)),
      vocabularies(std::move(learned)),
      marks(std::make_shared<const TargetMarks>(vocabularies.source)),
      model(MakeDecoder(*config, data, vocabularies, seed)) {}

ModelFiles Model::Files() const {
  ModelFiles files = VocabularyFiles(data, vocabularies);
  if (quality) files.emplace(kQualityFile, quality->Serialize());
  return files;
}

std::unique_ptr<PretrainedEncoder> Model::encoder() const {
  TextVocabularyConfig source;
  source.vocabulary = data.vocabulary;
  source.vocabulary_size = data.source_vocabulary_size;
  source.min_count = data.min_count;
  source.lowercase = data.lowercase;
  source.normalization = data.normalization;
  return EncoderOf(*config, source, vocabularies.source, parameters());
}

ModelFiles VocabularyFiles(const DataConfig& data,
                           const Vocabularies& learned) {
  return {{VocabularyFile("source", data.source_kind()),
           learned.source.Serialize()},
          {VocabularyFile("target", data.target_kind()),
           learned.target.Serialize()}};
}

Vocabularies FindVocabularies(const DataConfig& data, const ModelFiles& files,
                              const std::string& folder) {
  const auto find = [&](const char* side, VocabularyKind kind) {
    return FindVocabulary(files, folder, VocabularyFile(side, kind), kind);
  };
  return {find("source", data.source_kind()),
          find("target", data.target_kind())};
}

Model ReadTranslationModel(const std::string& folder, Auto<RunFormat> dtype,
                           Named<Activations> activations) {
  LoadedModel loaded = ReadModelToRun(folder, dtype, activations);
  auto* model = dynamic_cast<Model*>(loaded.model.get());
  if (model == nullptr) {
    throw FormatError(
        "{}: holds a model for task '{}', not a translator; use heed predict",
        folder, loaded.settings->task());
  }
  return std::move(*model);
}

Model WithEnsemble(Model model, const std::vector<std::string>& folders) {
  if (folders.empty()) return model;
  std::vector<std::shared_ptr<const Decoder>> members = {model.model};
  for (const std::string& folder : folders) {
    const Model other = ReadTranslationModel(folder);
    CheckSameTokens(model, other);
    other.model->parameters().SetPrecision(
        model.model->parameters().precision());
    members.push_back(other.model);
  }
  model.model = std::make_shared<Ensemble>(std::move(members));
  return model;
}

}  // namespace heed::translate
