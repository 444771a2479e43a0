#include "heed/convert/families/sentences.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/json.h"
#include "heed/convert/families/family.h"
#include "heed/convert/huggingface_folder.h"
#include "heed/convert/weight_files.h"
#include "heed/io/file.h"
#include "heed/tasks/retrieve/retrieve.h"
#include "heed/train/model_folder.h"

namespace heed::sentences {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kModules = "modules.json";
constexpr const char* kPrompts = "config_sentence_transformers.json";
/// Settings of the module Transformer, by the kind of encoder.
constexpr const char* kEncoderSettings[] = {
    "sentence_bert_config.json", "sentence_roberta_config.json",
    "sentence_distilbert_config.json", "sentence_camembert_config.json",
    "sentence_xlm-roberta_config.json"};

/// Reads settings, without those that the user chose to ignore.
class SettingsReader {
 public:
  explicit SettingsReader(std::vector<std::string> ignored)
      : ignored_(std::move(ignored)) {}

  ImportOptions Read(const std::string& path) {
    ImportOptions options = ReadJsonOptions(path);
    for (const std::string& key : ignored_) {
      if (!options.Has(key)) continue;
      options.Ignore({key});
      found_.insert(key);
    }
    return options;
  }
  /// No settings if the file is missing.
  ImportOptions ReadIfAny(const std::string& folder, const char* file) {
    return HasFile(folder, file)
               ? Read(PathIn(folder, file))
               : ImportOptions(nlohmann::json::object(), PathIn(folder, file));
  }
  /// Throws: ConfigError with an ignored setting that does not exist.
  void CheckAllFound(const std::string& folder) const {
    for (const std::string& key : ignored_) {
      if (found_.contains(key)) continue;
      throw ConfigError("ignore-option: {} has no option '{}'", folder, key);
    }
  }

 private:
  std::vector<std::string> ignored_;
  std::set<std::string> found_;
};

/// Folders of modules.
struct Modules {
  std::string transformer;
  std::string pooling;
  std::optional<std::string> dense;
  bool normalize = false;
};

/// Name of a class without its package: "models.Pooling" is Pooling.
std::string ClassOf(const std::string& type) {
  const size_t dot = type.rfind('.');
  return dot == type.npos ? type : type.substr(dot + 1);
}

/// Folder of a module.
std::string FolderOf(const std::string& folder, const Json& module,
                     const std::string& file) {
  const Json path = module.value("path", Json());
  const std::string name = path.is_string() ? path.get<std::string>() : "..";
  if (name.empty()) return folder;
  if (!IsEntryName(name)) {
    throw FormatError(
        "{}: the path of a module must be a folder inside, not "
        "{}",
        file, Abridged(path));
  }
  return PathIn(folder, name);
}

/// Reads the list of modules, whose order Heed needs.
Modules ReadModules(const std::string& folder) {
  const std::string file = PathIn(folder, kModules);
  const Json list = ParseJson(ReadFile(file), file);
  if (!list.is_array()) throw FormatError("{}: no list of modules", file);
  Modules modules;
  std::vector<std::string> seen;
  for (const Json& module : list) {
    const Json type =
        module.is_object() ? module.value("type", Json()) : Json();
    if (!type.is_string()) throw FormatError("{}: a module has no type", file);
    const std::string name = ClassOf(type.get<std::string>());
    if (name == "Dropout") continue;  // training only
    seen.push_back(name);
    const auto path = [&] { return FolderOf(folder, module, file); };
    if (name == "Transformer") modules.transformer = path();
    if (name == "Pooling") modules.pooling = path();
    if (name == "Dense") modules.dense = path();
    if (name == "Normalize") modules.normalize = true;
  }
  std::vector<std::string> wanted = {"Transformer", "Pooling"};
  if (modules.dense) wanted.emplace_back("Dense");
  if (modules.normalize) wanted.emplace_back("Normalize");
  if (seen != wanted) {
    throw FormatError(
        "{}: Heed does not support the modules {} (supported: Transformer, "
        "Pooling, and then perhaps Dense and Normalize)",
        file, fmt::join(seen, ", "));
  }
  return modules;
}

/// Names of a pooling there, in old files, and in Heed ("": none).
struct PoolingName {
  const char* name;
  const char* old_key;
  const char* ours;
};
constexpr PoolingName kPoolings[] = {
    {"cls", "pooling_mode_cls_token", "cls"},
    {"mean", "pooling_mode_mean_tokens", "mean"},
    {"max", "pooling_mode_max_tokens", "max"},
    {"lasttoken", "pooling_mode_lasttoken", "last"},
    {"mean_sqrt_len_tokens", "pooling_mode_mean_sqrt_len_tokens", ""},
    {"weightedmean", "pooling_mode_weightedmean_tokens", ""}};

/// Names of the poolings whose results are put side by side.
std::vector<std::string> PoolingsOf(ImportOptions& options) {
  constexpr const char* kKey = "pooling_mode";
  std::vector<std::string> chosen;
  for (const PoolingName& pooling : kPoolings) {
    if (options.Flag(pooling.old_key)) chosen.emplace_back(pooling.name);
  }
  const nlohmann::json value = options.Value(kKey);
  options.Skip(kKey);
  if (IsOff(value)) return chosen;
  chosen.clear();
  for (const auto& one :
       value.is_array() ? value : nlohmann::json::array({value})) {
    chosen.push_back(one.is_string() ? one.get<std::string>() : one.dump());
  }
  return chosen;
}

/// Reads the pooling of states, by default the mean. `prompts`: whether texts
/// have prompts.
PoolingKind ReadPooling(ImportOptions& options, int width, bool prompts) {
  std::vector<std::string> chosen = PoolingsOf(options);
  if (chosen.empty()) chosen.emplace_back("mean");
  const auto* known =
      std::ranges::find_if(kPoolings, [&](const PoolingName& pooling) {
        return chosen[0] == pooling.name && *pooling.ours != '\0';
      });
  if (chosen.size() != 1 || known == std::end(kPoolings)) {
    options.Fail("pooling_mode",
                 fmt::format("Heed does not pool states by {} (supported: one "
                             "of cls, mean, max, lasttoken)",
                             fmt::join(chosen, " and ")));
  }
  for (const char* key : {"word_embedding_dimension", "embedding_dimension"}) {
    if (options.Number(key, width) == width) continue;
    options.Fail(key, fmt::format("states have {} features", width));
  }
  if (!options.Flag("include_prompt", true) && prompts) {
    options.Fail("include_prompt", "Heed pools the states of prompts, too");
  }
  options.CheckAllUnderstood();
  Named<PoolingKind> kind = PoolingKind::kMean;
  kind = std::string(known->ours);
  return kind;
}

/// Sets the dense layer. Returns true if it has a bias.
bool ReadDense(ImportOptions& options, int width, BiEncoderConfig& config) {
  constexpr std::pair<const char*, DenseActivation> kKnown[] = {
      {"Tanh", DenseActivation::kTanh},
      {"Identity", DenseActivation::kNone},
      {"ReLU", DenseActivation::kRelu},
      {"GELU", DenseActivation::kGelu}};
  constexpr const char* kActivation = "activation_function";
  const std::string name = ClassOf(options.Text(kActivation, "Tanh"));
  const auto* known = std::ranges::find_if(
      kKnown, [&](const auto& one) { return name == one.first; });
  if (known == std::end(kKnown)) {
    options.Fail(kActivation,
                 fmt::format("Heed does not support '{}' (supported: Tanh, "
                             "Identity, ReLU, GELU)",
                             name));
  }
  config.dense_activation = known->second;
  config.dense = options.Number("out_features", 0);
  if (options.Number("in_features", width) != width) {
    options.Fail("in_features", fmt::format("states have {} features", width));
  }
  if (config.dense < 1) options.Fail("out_features", "must be 1 or more");
  const bool bias = options.Flag("bias", true);
  for (const char* key : {"module_input_name", "module_output_name"}) {
    options.OneOf(key, "sentence_embedding", {"sentence_embedding"});
  }
  options.CheckAllUnderstood();
  return bias;
}

/// Takes the prompt of the first of these names.
std::string TakePrompt(nlohmann::json& prompts,
                       std::initializer_list<const char*> names,
                       const std::string& otherwise) {
  std::optional<std::string> prompt;
  for (const char* name : names) {
    if (!prompts.is_object() || !prompts.contains(name)) continue;
    if (!prompt && prompts[name].is_string()) {
      prompt = prompts[name].get<std::string>();
    }
    prompts.erase(name);
  }
  return prompt.value_or(otherwise);
}

/// Reads prompts and the similarity.
void ReadPrompts(ImportOptions& options, const Modules& modules,
                 retrieve::Settings& settings, Notes& notes) {
  options.SkipEach("__version__ prompts");
  options.OneOf("model_type", "SentenceTransformer", {"SentenceTransformer"});
  nlohmann::json prompts = options.Value("prompts");
  const std::string usual = options.Text("default_prompt_name", "");
  std::string otherwise;
  if (!usual.empty()) {
    if (!prompts.is_object() || !prompts.contains(usual) ||
        !prompts[usual].is_string()) {
      options.Fail("default_prompt_name",
                   fmt::format("there is no prompt '{}'", usual));
    }
    otherwise = prompts[usual].get<std::string>();
  }
  retrieve::DataConfig& data = settings.data;
  data.shared_words = retrieve::SharedWordMeasures::kNone;
  data.query_prompt = TakePrompt(prompts, {"query"}, otherwise);
  data.text_prompt =
      TakePrompt(prompts, {"document", "passage", "corpus"}, otherwise);
  if (!usual.empty() && prompts.is_object()) prompts.erase(usual);
  for (const auto& [name, prompt] : prompts.items()) {
    if (IsOff(prompt)) continue;
    notes.push_back(fmt::format(
        "{}: prompt {} of '{}' is not for queries or texts to find; set it "
        "with query_prompt or text_prompt in config.json",
        options.file(), ValueText(prompt), name));
  }
  const std::string similarity =
      options.OneOf("similarity_fn_name", "cosine",
                    {"cosine", "cos_sim", "dot", "dot_score"});
  // The product of vectors of length 1 is their cosine.
  if (similarity.starts_with("dot") && !modules.normalize) {
    settings.bi_encoder.similarity = Similarity::kDot;
  }
  options.CheckAllUnderstood();
}

/// Maximum tokens of a text that tokenizer_config.json names; 0: none.
int LengthOfTokenizer(const std::string& folder) {
  if (!HasFile(folder, kTokenizerConfig)) return 0;
  constexpr double kMost = 1e6;  // "no limit" is 1e30
  ImportOptions options = ReadJsonOptions(PathIn(folder, kTokenizerConfig));
  const double length = options.Real("model_max_length", 0);
  return length >= 1 && length <= kMost ? static_cast<int>(length) : 0;
}

/// Reads the settings of module Transformer.
void ReadTexts(const Modules& modules, int positions, SettingsReader& reader,
               retrieve::DataConfig& data) {
  const std::string& folder = modules.transformer;
  const char* file = kEncoderSettings[0];
  for (const char* name : kEncoderSettings) {
    if (HasFile(folder, name)) file = name;
  }
  ImportOptions options = reader.ReadIfAny(folder, file);
  const int length = options.Number("max_seq_length", 0);
  if (length != 0 && length < 3) {
    options.Fail("max_seq_length",
                 fmt::format("{} tokens hold no text", length));
  }
  data.max_length =
      LimitWithin(positions, length > 0 ? length : LengthOfTokenizer(folder));
  data.vocabulary.lowercase = options.Flag("do_lower_case");
  options.OneOf("transformer_task", "feature-extraction",
                {"feature-extraction"});
  options.OneOf("module_output_name", "token_embeddings", {"token_embeddings"});
  options.Skip("modality_config");
  options.CheckAllUnderstood();
}

/// Fills the dense layer from its own folder.
void FillDense(const std::string& folder, bool bias, WeightReader& reader) {
  RefuseForeignWeights(folder);
  SourceWeights weights = OpenSourceWeights(folder, reader.from().storage());
  const Shape& shape = reader.ShapeOf("dense.weight");
  const int64_t in = shape[0];
  const int64_t out = shape[1];
  reader.Set("dense.weight",
             Transposed(weights.TakeStored("linear.weight", {out, in})));
  reader.Set("dense.bias",
             bias ? weights.Take("linear.bias", {out}) : Tensor::Zeros({out}));
  weights.CheckAllTaken();
}

const EncoderFamily& EncoderIn(ImportOptions& options) {
  const ModelFamily& family = FindFamily(options);
  if (family.encoder != nullptr) return *family.encoder;
  options.Fail(
      "model_type",
      fmt::format("Heed makes no vectors of texts with '{}'", family.type));
}

}  // namespace
}  // namespace heed::sentences

namespace heed {

bool HasModules(const std::string& folder) {
  return HasFile(folder, sentences::kModules);
}

namespace sentences {

Imported Import(const std::string& folder, const ImportRequest& request) {
  if (request.pairs) {
    throw ConfigError("pairs: {} makes vectors of single texts", folder);
  }
  const Modules modules = ReadModules(folder);
  RefuseForeignWeights(modules.transformer);
  SettingsReader files(request.ignored);
  ImportOptions options = files.Read(PathIn(modules.transformer, kConfigFile));
  OpenedEncoder from = OpenEncoder(modules.transformer, options,
                                   EncoderIn(options), request.storage);
  for (const std::string& prefix : from.names.heads) {
    from.weights.SkipAll(prefix);
  }
  from.weights.SkipAll(from.prefix + "pooler.");
  const TransformerConfig& encoder = from.options.config;
  auto settings = std::make_unique<retrieve::Settings>();
  SetEncoder(from, settings->encoder);
  Imported imported;
  ImportOptions prompts = files.ReadIfAny(folder, kPrompts);
  ReadPrompts(prompts, modules, *settings, imported.notes);
  ImportOptions pooling = files.Read(PathIn(modules.pooling, kConfigFile));
  settings->bi_encoder.pooling =
      ReadPooling(pooling, encoder.width,
                  !settings->data.query_prompt.empty() ||
                      !settings->data.text_prompt.empty());
  bool bias = false;
  if (modules.dense) {
    ImportOptions dense = files.Read(PathIn(*modules.dense, kConfigFile));
    bias = ReadDense(dense, encoder.width, settings->bi_encoder);
  }
  EncoderTokenizer tokenizer =
      ReadEncoderTokenizer(modules.transformer, options, from.options.rows);
  settings->data.vocabulary = VocabularyConfigOf(tokenizer.vocabulary);
  ReadTexts(modules, encoder.max_positions, files, settings->data);
  files.CheckAllFound(folder);
  ResolveImported(*settings, from.file);
  imported.model = std::make_unique<retrieve::Model>(
      *settings, std::move(tokenizer.vocabulary), retrieve::Model::Learned{},
      kNoSeed);
  imported.settings = std::move(settings);
  std::ranges::move(tokenizer.notes, std::back_inserter(imported.notes));
  imported.dtypes = from.weights.matrix_dtypes();
  WeightReader reader(from.weights, imported.model->parameters());
  FillEncoder(from, tokenizer.file, reader, imported.notes);
  if (modules.dense) FillDense(*modules.dense, bias, reader);
  reader.CheckComplete();
  imported.program = "Hugging Face";
  imported.family = "sentence-transformers";
  return imported;
}

}  // namespace sentences

Imported ImportSentences(const std::string& folder,
                         const ImportRequest& request) {
  return sentences::Import(folder, request);
}

}  // namespace heed
