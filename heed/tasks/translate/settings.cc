
#include <algorithm>
#include <utility>

#include "heed/base/errors.h"
#include "heed/tasks/run.h"
#include "heed/tasks/translate/translation.h"
#include "heed/tasks/translate/word_alignment.h"
#include "heed/train/progress.h"

namespace heed::translate {
namespace {

/// Throws: ConfigError for weights that are no probabilities of source tokens.
void CheckNormalizer(TranslatorSettings& model) {
  const std::vector<Field> fields = FieldsOf(model);
  const Field* found = FindField(fields, "normalizer");
  if (found == nullptr) return;
  const auto name = found->Value().get<std::string>();
  if (!name.starts_with("sigmoid")) return;
  throw ConfigError(
      "copy needs attention weights that sum to 1, and those of normalizer "
      "'{}' do not; choose another, such as softmax",
      name);
}

/// Resolves and checks the attention that guided alignment, coverage or copying
/// reads.
void ResolveAttention(const DataConfig& data,
                      ModelChoice<TranslatorSettings>& model) {
  if ((data.copy || data.coverage_loss > 0) && !model->attends()) {
    throw ConfigError(
        "{} reads the attention to the source, and model '{}' has none; choose "
        "another, such as bahdanau or transformer",
        data.copy ? "copy" : "coverage_loss", model.name());
  }
  if (data.copy) CheckNormalizer(*model);
  if (!data.valid_alignment.empty() && data.valid.empty()) {
    throw ConfigError(
        "valid_alignment holds links of validation pairs; name these with "
        "--valid-source and --valid-target, or --valid-tsv");
  }
  const bool guided = !data.guided_alignment.empty();
  if ((guided || !data.valid_alignment.empty()) && !model->attends()) {
    throw ConfigError("{}: model '{}' has no attention to align words with",
                      guided ? "guided_alignment" : "valid_alignment",
                      model.name());
  }
  if (guided) model->GuideAlignment();
}

/// Learns the vocabularies; those of a stored text are cached.
Vocabularies LearnVocabularies(const TrainingText& text,
                               const DataConfig& data) {
  if (!text.store) return TrainVocabularies(text.train, data);
  const nlohmann::ordered_json options = {
      data.vocabulary,       data.target_vocabulary,
      data.joint_vocabulary, data.source_vocabulary_size,
      data.min_count,        data.target_vocabulary_size,
      data.normalization};
  const ModelFiles files = text.store->Kept("vocabularies", options, [&] {
    return VocabularyFiles(data, TrainVocabularies(text.train, data));
  });
  return FindVocabularies(data, files, data.large.token_files);
}

}  // namespace

TaskRow Task() {
  TaskRow row;
  row.name = "translate";
  row.description = "from one text to another, line by line";
  row.gives_reader = true;
  row.settings = [] { return std::make_unique<Settings>(); };
  row.input_label = "Source";
  row.answer_label = "Translation";
  row.command = "translate";
  row.training = {
      "--source train.en --target train.de --valid-source val.en "
      "--valid-target val.de",
      "--score dot --tsv pairs.tsv --vocabulary words --epochs 5"};
  row.examples = {{"Ein Mann schläft auf einer Bank.", "de"},
                  {"Zwei kleine Kinder spielen im Park.", "de"},
                  {"A man is sleeping on a green bench.", "en"},
                  {"Two small children are playing in the park.", "en"},
                  {"Un homme dort sur un banc vert.", "fr"},
                  {"Deux enfants jouent dans le parc.", "fr"},
                  {"Un hombre duerme en un banco verde.", "es"},
                  {"Dos niños juegan en el parque.", "es"},
                  {"男の人がベンチで寝ている。", "ja"}};
  return row;
}

void Config::Visit(FieldList& v) {
  data.Visit(v);
  model.Visit(v);
  optimizer.Visit(v);
  run.Visit(v);
}

void Config::Resolve() {
  data.Resolve();
  model->Fill();
  ResolveAttention(data, model);
  TrainingConfig training = {optimizer, run};
  training.Resolve();
  optimizer = training.optimizer;
  run = training.run;
}

void Settings::Visit(FieldList& v) {
  data.Visit(v);
  model.Visit(v);
  HardChoiceConfig::ActWithHardChoices(v);
}

void Settings::Resolve() {
  data.Resolve();
  model->Fill();
  ResolveAttention(data, model);
}

Data WithLinks(TrainingText text, const DataConfig& config) {
  Data read;
  if (!config.guided_alignment.empty()) {
    for (GoldAlignment& gold :
         ReadAlignments(config.guided_alignment, text.train)) {
      read.links.push_back(std::move(gold.sure));
    }
  }
  if (!config.valid_alignment.empty()) {
    read.valid_gold = ReadAlignments(config.valid_alignment, text.valid);
  }
  read.text = std::move(text);
  return read;
}

std::unique_ptr<Model> Settings::MakeModel(const Data& read,
                                           uint64_t seed) const {
  return std::make_unique<Model>("", model, data,
                                 LearnVocabularies(read.text, data), seed);
}

std::unique_ptr<Model> Settings::Open(const ModelFiles& files,
                                      const std::string& folder,
                                      uint64_t seed) const {
  auto opened = std::make_unique<Model>(
      folder, model, data, FindVocabularies(data, files, folder), seed);
  if (const auto quality = files.find(kQualityFile); quality != files.end()) {
    opened->quality =
        ParseQualityModel(quality->second.view(), PathIn(folder, kQualityFile));
  }
  return opened;
}

TrainResult TrainTranslation(const Config& config) {
  Settings settings(config.model, config.data);
  return Train(settings, {config.optimizer, config.run});
}

TrainResult TrainTranslation(const Config& config, TrainingText text) {
  Settings settings(config.model, config.data);
  return TrainOn(settings, WithLinks(std::move(text), config.data),
                 {config.optimizer, config.run});
}

}  // namespace heed::translate
