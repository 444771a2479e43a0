#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/json.h"
#include "heed/convert/bergamot_vocabulary.h"
#include "heed/convert/bergamot_weights.h"
#include "heed/convert/convert.h"
#include "heed/convert/marian_package.h"
#include "heed/convert/requirements.h"
#include "heed/convert/translation_parts.h"
#include "heed/io/file.h"
#include "heed/models/registry.h"
#include "heed/tasks/run.h"
#include "heed/text/languages.h"

namespace heed {
namespace {

namespace fs = std::filesystem;
using OrderedJson = nlohmann::ordered_json;

/// Widths of left factors that the engine multiplies.
constexpr int kFactorBlock = 64;
/// Name of the format in the model registry.
constexpr const char* kBergamotFormat = "bergamot";
constexpr double kStudentEpsilon = 1e-6;
constexpr const char* kLocalConfig = "config.intgemm8bitalpha.yml";

/// Beginnings of the names of exported files.
constexpr const char* kExported[] = {
    "model.",        "vocab.",          "srcvocab.",  "trgvocab.", "lex.",
    "metadata.json", "model_info.json", kLocalConfig, kLicenceFile};

/// Throws: ConfigError unless the engine can run the model.
void CheckStudent(const translate::Model& model) {
  const std::string advice =
      fmt::format("heed train --model {} and heed distill make students",
                  ModelForExport(kBergamotFormat));
  const auto* config = model.config.Find<TransformerConfig>();
  if (config == nullptr ||
      !(config->decoder_recurrence == DecoderRecurrence::kSsru)) {
    throw ConfigError(
        "{}: Firefox's engine runs Transformers with decoder_recurrence 'ssru' "
        "(students), not this model '{}'; {}",
        model.folder, model.config.name(), advice);
  }
  const TransformerConfig& c = *config;
  Requirements require("Firefox's engine");
  require.HasUsualAttention(c);
  require.Is("embedding_norm", c.embedding_norm.word(), "no");
  require.Is("embedding_scale", c.embedding_scale.word(), "yes");
  require.Is("position", c.position.word(), "sinusoidal_t2t");
  require.Is("activation", c.activation.word(), "relu");
  require.Need(!model.data.copy, "copy", "yes");
  require.Need(c.segments == 0, "segments", std::to_string(c.segments));
  require.Is("norm_epsilon", fmt::format("{}", c.epsilon),
             fmt::format("{}", kStudentEpsilon));
  if (!TiesOutput(c.tie.value())) {
    require.Is("tie", c.tie.word(), "output' or 'all");
  }
  for (const auto& [name, width] :
       {std::pair("width", c.width), std::pair("ff", c.ff)}) {
    if (width % kFactorBlock == 0) continue;
    require.AddMissing(fmt::format("{} '{}' (only multiples of {})", name,
                                   width, kFactorBlock));
  }
  for (const auto* side :
       {&model.vocabularies.source, &model.vocabularies.target}) {
    if (IsSubword(side->kind())) continue;
    require.Is("vocabulary", Name(side->kind()), "unigram' or 'bpe");
    break;
  }
  require.Check(advice);
}

/// Languages of the request, else those of the model. Throws: ConfigError.
LanguagePair LanguagesOf(const translate::Model& model,
                         const BergamotRequest& request) {
  LanguagePair pair = model.data.Languages();
  if (!request.source_language.empty()) pair.source = request.source_language;
  if (!request.target_language.empty()) pair.target = request.target_language;
  for (const auto& [code, option] :
       {std::pair(&pair.source, "--source-language"),
        std::pair(&pair.target, "--target-language")}) {
    if (code->empty()) {
      throw ConfigError(
          "{}: the model's languages are unknown, and the files are named by "
          "them; give {} CODE, such as en",
          model.folder, option);
    }
    if (!IsLanguageCode(*code)) {
      throw ConfigError("{} '{}' is not a language code, such as en", option,
                        *code);
    }
    *code = LanguageCode(*code);
  }
  return pair;
}

/// Name of the sizes of Firefox's students; "student" for others.
std::string ArchitectureOf(const TransformerConfig& c) {
  struct Sizes {
    const char* name;
    int width, ff, decoder_layers;
  };
  for (const Sizes& known : {Sizes{"tiny", 256, 1536, 2},
                             {"base", 512, 2048, 2},
                             {"base-memory", 384, 1536, 4}}) {
    if (c.layers == 6 && c.width == known.width && c.ff == known.ff &&
        c.decoder_layers == known.decoder_layers) {
      return known.name;
    }
  }
  return "student";
}

/// A map as YAML with a key in each line.
std::string YamlOf(const OrderedJson& options) {
  std::string text;
  for (const auto& [key, value] : options.items()) {
    text += fmt::format("{}: {}\n", key, DumpJson(value, -1));
  }
  return text;
}

MarianTensor OptionsTensor(const OrderedJson& options) {
  const std::string text = YamlOf(options);
  MarianTensor tensor;
  tensor.name = kMarianOptions;
  tensor.value = Tensor::Zeros({std::ssize(text) + 1}, DType::kI8);
  std::ranges::copy(text, static_cast<char*>(tensor.value.raw()));
  return tensor;
}

/// Names of the files of a pair of languages.
struct FileNames {
  std::string model;
  std::vector<std::string> vocabularies;  // one if both sides share it
  std::string shortlist;
};

FileNames NamesOf(const LanguagePair& languages, bool joint) {
  const std::string pair = languages.source + languages.target;
  FileNames names;
  names.model = fmt::format("model.{}.intgemm.alphas.bin", pair);
  names.shortlist = fmt::format("lex.50.50.{}.s2t.bin", pair);
  if (joint) {
    names.vocabularies = {fmt::format("vocab.{}.spm", pair)};
  } else {
    names.vocabularies = {fmt::format("srcvocab.{}.spm", pair),
                          fmt::format("trgvocab.{}.spm", pair)};
  }
  return names;
}

std::string LinesOf(const OrderedJson& json) {
  return DumpJson(json, 2) + "\n";
}

/// Configuration that translateLocally reads.
std::string LocalConfig(const FileNames& names, bool shortlist,
                        double max_length_factor) {
  OrderedJson options = {
      {"relative-paths", true},
      {"models", {names.model}},
      {"vocabs", {names.vocabularies.front(), names.vocabularies.back()}},
      {"beam-size", 1},
      {"normalize", 1.0},
      {"word-penalty", 0},
      {"mini-batch", 64},
      {"maxi-batch", 1000},
      {"maxi-batch-sort", "src"},
      {"workspace", 2000},
      {"max-length-factor", max_length_factor},
      {"skip-cost", true},
      {"gemm-precision", "int8shiftAlphaAll"}};
  if (shortlist) options["shortlist"] = {names.shortlist, false};
  return YamlOf(options);
}

std::string LocalInfo(const LanguagePair& pair, const std::string& type) {
  const std::string source = LanguageName(pair.source);
  const std::string target = LanguageName(pair.target);
  return LinesOf(
      {{"modelName", fmt::format("{}-{} {}", source, target, type)},
       {"shortName", fmt::format("{}-{}-{}", pair.source, pair.target, type)},
       {"type", type},
       {"src", source},
       {"trg", target},
       {"srcTags", {{pair.source, source}}},
       {"trgTag", pair.target},
       {"repository", "heed"},
       {"version", 1},
       {"API", 1}});
}

/// Throws: ConfigError if the folder holds a model that may not be replaced.
void CheckFolder(const std::string& out, bool overwrite) {
  if (fs::exists(PathIn(out, kConfigFile))) {
    throw ConfigError(
        "--out {}: holds a model of another kind; name another folder", out);
  }
  if (fs::is_directory(out) && IsMarianFolder(out) && !overwrite) {
    throw ConfigError(
        "--out {}: holds a model; name another folder, or replace the model "
        "with --overwrite",
        out);
  }
}

/// Makes the folder and removes files of an older export. Throws: IoError.
void OpenFolder(const std::string& out) {
  std::error_code error;
  fs::create_directories(out, error);
  if (error) throw IoError("{}: cannot be created: {}", out, error.message());
  for (const auto& entry : fs::directory_iterator(out)) {
    const std::string name = entry.path().filename().string();
    for (const char* begin : kExported) {
      if (name.starts_with(begin)) fs::remove(entry.path(), error);
    }
  }
}

/// Files of an exported student.
struct BergamotModel {
  const translate::Model& model;
  LanguagePair languages;
  bool joint = false;
  std::optional<Shortlist> list = {};
  BergamotVocabulary source = {};
  BergamotVocabulary target = {};
  OrderedJson options = {};
  std::string weights = {};
};

/// Converts everything, before anything is written.
BergamotModel Convert(const std::string& folder, const translate::Model& model,
                      const BergamotRequest& request) {
  CheckStudent(model);
  const auto& config = model.config.As<TransformerConfig>();
  const ParameterSet& parameters = model.model->parameters();
  const translate::Vocabularies& vocabularies = model.vocabularies;
  BergamotModel result = {model, LanguagesOf(model, request),
                          SharesSides(config.tie.value())};
  const std::string list = PathIn(folder, kShortlistFile);
  std::vector<int32_t> first;
  if (fs::exists(list)) {
    result.list = Shortlist::Read(list, vocabularies.source.size(),
                                  vocabularies.target.size());
    first = result.list->frequent();
  }
  const Parameter* table = parameters.Find(TargetTable(config));
  result.target =
      ExportVocabulary(vocabularies.target, first, KeepsBytes(*table) ? 0 : 1);
  result.source = result.joint ? result.target
                               : ExportVocabulary(vocabularies.source, {}, 0);
  const std::vector<int32_t>& source = result.source.ids;
  const std::vector<int32_t>& target = result.target.ids;
  std::vector<MarianTensor> tensors =
      ExportWeights(config, parameters, {source, target},
                    request.calibration.empty()
                        ? StoredMultipliers(parameters)
                        : Calibrate(model, ReadLines(request.calibration),
                                    TargetTable(config)));
  result.options = StudentOptions(config, source.size(), target.size());
  tensors.push_back(OptionsTensor(result.options));
  result.weights = MarianBinaryBytes(std::move(tensors));
  return result;
}

void Write(const BergamotModel& from, const std::string& out) {
  const FileNames names = NamesOf(from.languages, from.joint);
  const auto write = [&](const std::string& name, std::string_view content) {
    WriteFileAtomically(PathIn(out, name), content);
  };
  write(names.vocabularies.front(), from.source.bytes);
  if (!from.joint) write(names.vocabularies.back(), from.target.bytes);
  if (from.list) {
    write(names.shortlist,
          MarianShortlistBytes(ExportShortlist(*from.list, from.source,
                                               from.target, from.joint)));
  }
  const std::string type =
      ArchitectureOf(from.model.config.As<TransformerConfig>());
  write("metadata.json", LinesOf({{"architecture", type},
                                  {"byteSize", from.weights.size()},
                                  {"modelConfig", from.options},
                                  {"sourceLanguage", from.languages.source},
                                  {"targetLanguage", from.languages.target}}));
  write("model_info.json", LocalInfo(from.languages, type));
  const DecodeRules& rules = from.model.data.rules;
  write(kLocalConfig,
        LocalConfig(names, from.list.has_value(),
                    rules.max_length_extra == 0 ? rules.max_length_factor
                                                : kStudentLengthFactor));
  write(names.model, from.weights);
}

}  // namespace

Notes ExportBergamot(const std::string& folder, const std::string& out,
                     const BergamotRequest& request) {
  const LoadedModel loaded = ReadModel(folder);
  loaded.model->parameters().Widen();
  const auto* model = dynamic_cast<const translate::Model*>(loaded.model.get());
  if (model == nullptr) {
    throw ConfigError("{}: a model of task '{}' is no student translator",
                      folder, loaded.task().name);
  }
  CheckFolder(out, request.overwrite);
  const BergamotModel converted = Convert(folder, *model, request);
  OpenFolder(out);
  Write(converted, out);
  const std::string licence = PathIn(folder, kLicenceFile);
  if (fs::exists(licence)) {
    WriteFileAtomically(PathIn(out, kLicenceFile), ReadFile(licence));
  }
  if (!model->data.lowercase) return {};
  return {"lowercase: the engine does not lower-case text; do it before"};
}

}  // namespace heed
