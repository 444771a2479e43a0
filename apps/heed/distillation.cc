#include "apps/heed/distillation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "apps/heed/commands.h"
#include "apps/heed/tasks.h"
#include "heed/base/errors.h"
#include "heed/data/shortlist.h"
#include "heed/io/file.h"
#include "heed/tasks/text_vocabulary.h"
#include "heed/tasks/translate/translation.h"

namespace heed {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Lines = std::vector<std::string>;

/// Name of the folder and a checksum of its weights.
std::string Identity(const std::string& folder) {
  InputFile file(ModelPath(folder, kWeightsFile));
  std::string buffer(size_t{1} << 20, '\0');
  uint32_t sum = 0;
  for (size_t size = 1; size > 0;) {
    size = file.Read(buffer.data(), buffer.size());
    sum = Crc32(std::string_view(buffer).substr(0, size), sum);
  }
  const fs::path path = fs::absolute(folder / fs::path()).lexically_normal();
  return fmt::format("{} ({:08x})", path.parent_path().filename().string(),
                     sum);
}

/// Throws: ConfigError for a model of another task.
void CheckTranslates(const std::string& folder) {
  const std::string task = TaskOf(folder);
  if (task == translate::Task().name) return;
  throw ConfigError("{}: is a model for task '{}', but a translator is needed",
                    folder, task);
}

/// Settings of a translation model that name its languages.
LanguagePair LanguagesIn(const Json& settings) {
  translate::DataConfig data;
  data.source_language = settings.value("source_language", "");
  data.target_language = settings.value("target_language", "");
  data.train.source = settings.value("source", Lines());
  data.train.target = settings.value("target", Lines());
  data.train.tsv = settings.value("tsv", Lines());
  return data.Languages();
}

/// Options of heed train for little text: dropout and few updates, so that the
/// student does not learn it by heart.
Json OptionsForLittleText(double pairs) {
  return {{"dropout", 0.3},
          {"label_smoothing", 0.1},
          {"schedule", "cosine"},
          {"learning_rate", 2e-3},
          {"ema", 0.999},
          {"keep", 10},
          {"average", 10},
          {"batch_tokens", 2048},
          {"epochs", static_cast<int64_t>(std::clamp(9e5 / pairs, 10.0, 1e3))}};
}

}  // namespace

Distillation::Distillation(DistillOptions options)
    : options_(std::move(options)) {
  for (const std::string& folder : options_.teachers) CheckTranslates(folder);
  if (!options_.reverse.empty()) CheckTranslates(options_.reverse);
  teacher_ = ReadModelSettings(options_.teachers.front());
  options_.valid.columns = options_.pairs.columns;
  options_.valid.form = options_.pairs.form;
  valid_ = options_.valid.Read("valid_");
  Lines alone = options_.mono;
  if (options_.has_references()) {
    parallel_ = options_.pairs.Read("");
  } else {
    alone.insert(alone.begin(), options_.pairs.source.begin(),
                 options_.pairs.source.end());
  }
  mono_ = ReadAllLines(alone);
  // Readers refuse empty files, but not tables with only a header.
  if (parallel_.source.empty() && mono_.empty()) {
    throw FormatError("{}: no sentence to translate",
                      fmt::join(options_.pairs.tsv, ", "));
  }
  if (valid_.source.empty()) {
    throw FormatError("{}: no sentence to validate with",
                      fmt::join(options_.valid.tsv, ", "));
  }
  if (teacher_.value("lowercase", false)) {
    translate::LowercaseLines(parallel_.target);
  }
}

std::string Distillation::In(const std::string& name) const {
  return PathIn(options_.out, name);
}

/// Options of heed train. The learning rate follows the recipe of Firefox's
/// students, 0.0003 after a warm-up of 16,000 updates; a shorter warm-up for
/// less text has a higher rate, so that the decay by 1/√step is the same.
Json Distillation::StudentOptions() const {
  const auto pairs =
      static_cast<double>(parallel_.source.size() + mono_.size());
  const double warmup = std::round(std::clamp(pairs / 30, 100.0, 16000.0));
  LanguagePair languages = LanguagesIn(
      {{"source", options_.pairs.source}, {"target", options_.pairs.target}});
  const LanguagePair known = LanguagesIn(teacher_);
  if (languages.source.empty()) languages.source = known.source;
  if (languages.target.empty()) languages.target = known.target;
  const std::string kind = teacher_.value("vocabulary", "unigram");
  Json json = {
      {"model", options_.student},
      {"source", Lines{In(kFilteredFiles[0])}},
      {"target", Lines{In(kFilteredFiles[1])}},
      {"tsv", Lines()},
      {"source_language", languages.source},
      {"target_language", languages.target},
      {"out", In(kStudentFolder)},
      {"guided_alignment", Lines{In(kLinksFile)}},
      {"guided_alignment_weight", 0.1},
      {"lowercase", teacher_.value("lowercase", false)},
      {"max_length", 200},
      {"vocabulary", kind},
      {"label_smoothing", 0},
      {"beta2", 0.98},
      {"epsilon", 1e-9},
      {"schedule", "inverse_sqrt"},
      {"warmup", static_cast<int64_t>(warmup)},
      {"learning_rate", std::min(2e-3, 3e-4 * std::sqrt(16000 / warmup))},
      {"ema", 0.9999},
      {"epochs", static_cast<int64_t>(std::clamp(3e6 / pairs, 10.0, 1000.0))},
      {"validate_every", pairs < 10000 ? 100 : 0},
      {"patience", 10},
      {"threads", options_.threads},
  };
  if (kind == "unigram" || kind == "bpe") {
    const int size = teacher_.value("target_vocabulary_size", 0);
    json["joint_vocabulary"] = true;
    json["source_vocabulary_size"] = std::min(size, 32000);
  }
  constexpr double kLittleText = 2e5;
  if (pairs < kLittleText) json.update(OptionsForLittleText(pairs));
  FieldList valid;
  PairFiles files = options_.valid;
  files.Visit(valid, "valid_", "");
  json.update(FieldsToJson(valid.fields()));
  for (const char* key : {"columns", "delimiter", "header"}) {
    FieldList all;
    files.Visit(all, "", "");
    json[key] = FindField(all.fields(), key)->Value();
  }
  return json;
}

bool Distillation::PrepareTraining() {
  const Json fixed = StudentOptions();
  const std::string path = In(kTrainingFile);
  WriteFileAtomically(path, fixed.dump(1) + '\n');
  Arguments words = {"--config", path};
  words.insert(words.end(), options_.training.begin(), options_.training.end());
  training_ = CheckTraining(words);
  if (training_.is_null()) return false;
  for (const char* key :
       {"model", "source", "target", "tsv", "valid_source", "valid_target",
        "valid_tsv", "out", "guided_alignment", "threads"}) {
    if (fixed.value(key, training_[key]) == training_[key]) continue;
    throw ConfigError("--{} after --: heed distill sets it{}", key,
                      key == std::string("model") ? " by --student" : "");
  }
  training_.erase("threads");
  training_.erase("quiet");
  return true;
}

std::vector<Step> Distillation::Steps() const {
  Lines identities;
  for (const std::string& folder : options_.teachers) {
    identities.push_back(Identity(folder));
  }
  const auto run = [this](std::string (Distillation::*step)() const) {
    return [this, step] { return (this->*step)(); };
  };
  std::vector<Step> steps;
  steps.push_back({"translate",
                   {kTranslationsFolder},
                   {{"teacher", identities},
                    {"to", options_.to},
                    {"beam", options_.beam},
                    {"nbest", options_.nbest},
                    {"chunk", options_.chunk},
                    {"text", ComputeChecksum(parallel_.source)},
                    {"mono", ComputeChecksum(mono_)}},
                   run(&Distillation::Translate)});
  steps.push_back({"select",
                   {kSelectedFiles[0], kSelectedFiles[1]},
                   {{"references", ComputeChecksum(parallel_.target)}},
                   run(&Distillation::Select)});
  Json filter = ToJson(options_.filter);
  if (!options_.reverse.empty()) {
    filter["reverse"] = Identity(options_.reverse);
    filter["drop"] = options_.drop;
  }
  steps.push_back({"filter",
                   {kFilteredFiles[0], kFilteredFiles[1]},
                   std::move(filter),
                   run(&Distillation::Filter)});
  steps.push_back(
      {"align", {kLinksFile}, Json::object(), run(&Distillation::Align)});
  steps.push_back(
      {"train", {kStudentFolder}, training_, run(&Distillation::TrainStudent)});
  if (options_.fine_tune_steps > 0) {
    steps.push_back({"fine-tune",
                     {tuned()},
                     {{"steps", options_.fine_tune_steps},
                      {"learning rate", options_.fine_tune_learning_rate}},
                     run(&Distillation::FineTune)});
  }
  steps.push_back({"shortlist",
                   {PathIn(tuned(), kShortlistFile)},
                   Json::object(),
                   run(&Distillation::LearnShortlist)});
  steps.push_back({"quantise and measure",
                   {kReportFile, kInt8Folder},
                   {{"source", ComputeChecksum(valid_.source)},
                    {"target", ComputeChecksum(valid_.target)},
                    {"model", tuned()}},
                   run(&Distillation::Measure)});
  return steps;
}

/// Throws: IoError if the disc has too little space for the text.
void Distillation::CheckSpace() const {
  double bytes = 0;
  const auto add = [&bytes](const Lines& lines, double copies) {
    for (const std::string& line : lines) {
      bytes += copies * static_cast<double>(line.size());
    }
  };
  constexpr double kCopies = 4;  // selected and filtered pairs
  add(parallel_.source, options_.nbest + kCopies);
  add(mono_, 1 + kCopies);
  std::error_code error;
  const fs::space_info space = fs::space(options_.out, error);
  if (error || static_cast<double>(space.available) > bytes) return;
  throw IoError(
      "{}: the translations need about {:.0f} MB, but {:.0f} MB are free",
      options_.out, bytes / 1e6, static_cast<double>(space.available) / 1e6);
}

}  // namespace heed
