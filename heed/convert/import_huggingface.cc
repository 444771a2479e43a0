#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/json.h"
#include "heed/base/text.h"
#include "heed/convert/convert.h"
#include "heed/convert/huggingface.h"
#include "heed/convert/import_options.h"
#include "heed/convert/translation_parts.h"
#include "heed/decode/options.h"
#include "heed/io/file.h"
#include "heed/io/safetensors.h"
#include "heed/nn/positions.h"
#include "heed/tasks/pretrain/pretrain.h"

namespace heed {
namespace {

constexpr const char* kIndexFile = "model.safetensors.index.json";
constexpr const char* kTokenizerConfig = "tokenizer_config.json";

bool Exists(const std::string& folder, const std::string& file) {
  return std::filesystem::exists(PathIn(folder, file));
}

/// The files of weights that an index names.
std::vector<std::string> FilesOfIndex(const std::string& folder) {
  const std::string path = PathIn(folder, kIndexFile);
  const nlohmann::ordered_json index = ParseJson(ReadFile(path), path);
  std::set<std::string> files;
  if (index.is_object() && index.contains("weight_map")) {
    for (const auto& file : index["weight_map"]) {
      const std::string name = file.is_string() ? file.get<std::string>() : "";
      if (name.empty() || std::filesystem::path(name).filename() != name) {
        throw FormatError(path + ": names what is no file of the folder");
      }
      files.insert(name);
    }
  }
  return {files.begin(), files.end()};
}

SourceWeights ReadWeights(const std::string& folder) {
  std::vector<std::string> files = {kWeightsFile};
  if (!Exists(folder, kWeightsFile)) {
    if (Exists(folder, kIndexFile)) {
      files = FilesOfIndex(folder);
    } else if (Exists(folder, "pytorch_model.bin")) {
      throw FormatError(
          "{}: a pickle, which could run any program and is never read; save "
          "the model as safetensors (save_pretrained with "
          "safe_serialization=True)",
          PathIn(folder, "pytorch_model.bin"));
    }
  }
  std::vector<NamedTensor> tensors;
  for (const std::string& file : files) {
    for (NamedTensor& tensor : ReadSafetensors(PathIn(folder, file)).tensors) {
      // As old conversions from TensorFlow call them.
      for (const auto& [old_name, name] :
           {std::pair{".gamma", ".weight"}, {".beta", ".bias"}}) {
        if (tensor.name.ends_with(old_name)) {
          tensor.name.replace(tensor.name.rfind('.'), std::string::npos, name);
        }
      }
      tensors.push_back(std::move(tensor));
    }
  }
  return {std::move(tensors), PathIn(folder, kWeightsFile)};
}

/// Settings that say nothing of how the model computes.
constexpr std::string_view kGeneral =
    "_name_or_path _num_labels architectures bad_words_ids bos_token_id "
    "classif_dropout classifier_dropout dtype early_stopping finetuning_task "
    "forced_bos_token_id forced_eos_token_id gradient_checkpointing id2label "
    "init_std initializer_factor initializer_range is_encoder_decoder "
    "label2id language length_penalty max_length model_type name "
    "no_repeat_ngram_size renormalize_logits num_beams num_labels "
    "num_hidden_layers num_return_sequences output_past problem_type "
    "return_dict task_specific_params torch_dtype transformers_version "
    "use_cache decoder_layerdrop encoder_layerdrop layerdrop";

void SkipGeneral(ImportOptions& options) {
  for (const auto key : SplitWhitespace(kGeneral))
    options.Skip(std::string(key));
}

std::string ActivationOf(ImportOptions& options, const std::string& key) {
  const std::string theirs = options.Text(key, "gelu");
  std::vector<std::string> names;
  for (const auto& [their_name, name] : kActivations) {
    if (theirs == their_name) return name;
    names.emplace_back(their_name);
  }
  options.Fail(key, fmt::format("Heed cannot do '{}' (it can: {})", theirs,
                                fmt::join(names, ", ")));
}

/// Two settings that Heed has as one.
int SameNumber(ImportOptions& options, const std::string& key,
               const std::string& other, int otherwise) {
  const int number = options.Number(key, otherwise);
  const int second = options.Number(other, number);
  if (number != second) {
    options.Fail(other, fmt::format("Heed cannot do {} beside {} {}", second,
                                    key, number));
  }
  return number;
}

/// One tensor that may stand under several names, as often as it is the same.
Tensor TakeShared(SourceWeights& weights, const std::vector<std::string>& names,
                  const Shape& shape) {
  std::string first;
  Tensor shared;
  for (const std::string& name : names) {
    if (!weights.Has(name)) continue;
    const Tensor tensor = weights.Take(name, shape);
    if (first.empty()) {
      first = name;
      shared = tensor;
    } else if (!std::equal(tensor.data<float>(),
                           tensor.data<float>() + tensor.numel(),
                           shared.data<float>())) {
      throw FormatError(
          "{}: the configuration says that '{}' and '{}' are one, but they "
          "differ",
          weights.file(), first, name);
    }
  }
  return first.empty() ? weights.Take(names[0], shape) : shared;
}

// MarianMT

struct MarianMt {
  ModelChoice<TranslatorSettings> model;
  int64_t source_rows = 0;
  int64_t target_rows = 0;
  TokenRows special;  // of the target
};

MarianMt ReadMarianMtConfig(ImportOptions& options) {
  MarianMt marian;
  marian.model.Choose(ModelForImport(kMarianMtFormat).model);
  auto& c = marian.model.As<TransformerConfig>();
  SkipGeneral(options);
  c.width = options.Number("d_model", 1024);
  c.layers = options.Number("encoder_layers", 12);
  c.decoder_layers = options.Number("decoder_layers", 12);
  c.heads = SameNumber(options, "encoder_attention_heads",
                       "decoder_attention_heads", 16);
  c.ff = SameNumber(options, "encoder_ffn_dim", "decoder_ffn_dim", 4096);
  c.activation = ActivationOf(options, "activation_function");
  c.max_positions = options.Number("max_position_embeddings", 1024);
  c.embedding_scale = ToYesNo(options.Flag("scale_embedding"));
  c.position = Position::kSinusoidalConcat;
  c.embedding_norm = YesNo::kNo;
  c.norm = NormPlace::kPost;
  c.final_norm = YesNo::kNo;
  c.epsilon = kMarianMtEpsilon;
  c.dropout = options.Real("dropout", 0.1);
  c.attention_dropout = options.Real("attention_dropout", 0);
  c.activation_dropout = options.Real("activation_dropout", 0);
  for (const char* key : {"normalize_before", "normalize_embedding",
                          "add_final_layer_norm", "add_bias_logits"}) {
    options.OneOf(key, "false", {"false"});
  }
  options.OneOf("static_position_embeddings", "true", {"true"});
  options.OneOf("extra_pos_embeddings", "0", {"0"});
  const bool shared = options.Flag("share_encoder_decoder_embeddings", true);
  const bool tied = options.Flag("tie_word_embeddings", true);
  c.tie = shared && tied ? Tie::kAll
          : shared       ? Tie::kSourceTarget
          : tied         ? Tie::kOutput
                         : Tie::kNone;
  marian.source_rows = options.Number("vocab_size", 58101);
  marian.target_rows = options.Number("decoder_vocab_size",
                                      static_cast<int>(marian.source_rows));
  if (shared && marian.source_rows != marian.target_rows) {
    options.Fail("decoder_vocab_size",
                 "shared embeddings need the size of vocab_size");
  }
  marian.special.pad = options.Number("pad_token_id", 58100);
  marian.special.eos = options.Number("eos_token_id", 0);
  marian.special.bos =
      options.Number("decoder_start_token_id", marian.special.pad);
  for (const int32_t id :
       {marian.special.pad, marian.special.eos, marian.special.bos}) {
    if (id < 0 || id >= marian.target_rows) {
      options.Fail("vocab_size", fmt::format("has no row for the id {} of a "
                                             "special token",
                                             id));
    }
  }
  options.CheckAllUnderstood();
  return marian;
}

/// The special tokens of a vocabulary, whose others ids the config tells.
TokenRows SpecialOf(const TokenIds& tokens, TokenRows special) {
  const auto id_of = [&tokens](const char* token) {
    const auto found = tokens.ids.find(token);
    if (found == tokens.ids.end()) {
      throw FormatError("{}: has no token {}", tokens.file, token);
    }
    return found->second;
  };
  special.unk = id_of("<unk>");
  if (id_of("</s>") != special.eos) {
    throw FormatError(
        "{}: </s> has id {}, but eos_token_id of config.json is {}",
        tokens.file, id_of("</s>"), special.eos);
  }
  return special;
}

MappedPair ReadMarianMtVocabularies(const std::string& folder,
                                    const MarianMt& marian, Notes& notes) {
  const auto read = [&folder](const char* file) {
    return ReadFile(PathIn(folder, file));
  };
  const auto subwords = [&](const char* file) {
    return SentencePieceModel::Parse(read(file), PathIn(folder, file));
  };
  const auto ids = [&](const char* file) {
    return ParseTokenIds(read(file), PathIn(folder, file));
  };
  const SentencePieceModel source = subwords("source.spm");
  const SentencePieceModel target = subwords("target.spm");
  const TokenIds tokens = ids("vocab.json");
  bool separate = false;
  if (Exists(folder, kTokenizerConfig)) {
    separate = ReadJsonOptions(PathIn(folder, kTokenizerConfig))
                   .Flag("separate_vocabs");
  }
  const TokenRows special = SpecialOf(tokens, marian.special);
  if (!separate) {
    return MapJoint(tokens, special, source, target,
                    std::min(marian.source_rows, marian.target_rows), notes);
  }
  const TokenIds target_tokens = ids("target_vocab.json");
  return {MapOwn(tokens, special, source, marian.source_rows, notes),
          MapOwn(target_tokens, SpecialOf(target_tokens, marian.special),
                 target, marian.target_rows, notes)};
}

bool IsNear(const Tensor& a, const Tensor& b) {
  constexpr float kTolerance = 2e-3F;  // as halves
  for (int64_t i = 0; i < a.numel(); ++i) {
    if (!(std::abs(a.data<float>()[i] - b.data<float>()[i]) <= kTolerance)) {
      return false;
    }
  }
  return true;
}

/// Tables of positions, if the file holds them, and which ones they are.
struct PositionTables {
  Tensor encoder;
  Tensor decoder;
};

PositionTables TakePositions(SourceWeights& weights, TransformerConfig& c) {
  const Shape shape = {c.max_positions, c.width};
  const auto take = [&](const char* side) {
    const std::string name =
        fmt::format("model.{}.embed_positions.weight", side);
    return weights.Has(name) ? weights.Take(name, shape) : Tensor();
  };
  PositionTables tables = {take("encoder"), take("decoder")};
  for (const Position position :
       {Position::kSinusoidalConcat, Position::kSinusoidalT2t,
        Position::kSinusoidal}) {
    const Tensor sines = Sinusoids(AddedPositions(position), 0, c.max_positions,
                                   c.width, DType::kF32);
    const auto is = [&](const Tensor& table) {
      return !table.defined() || IsNear(table, sines);
    };
    if (is(tables.encoder) && is(tables.decoder)) {
      c.position = position;
      return {};
    }
  }
  c.position = Position::kLearned;
  if (!tables.encoder.defined()) tables.encoder = tables.decoder;
  if (!tables.decoder.defined()) tables.decoder = tables.encoder;
  return tables;
}

void FillMarianMtTables(const MarianMt& marian, const MappedPair& vocabularies,
                        WeightReader& reader) {
  const auto& c = marian.model.As<TransformerConfig>();
  SourceWeights& from = reader.from();
  const std::string shared = "model.shared.weight";
  const std::string encoder = "model.encoder.embed_tokens.weight";
  const std::string decoder = "model.decoder.embed_tokens.weight";
  const std::string head = "lm_head.weight";
  std::vector<std::string> target_names = {decoder};
  if (SharesSides(c.tie.value())) target_names = {shared, encoder, decoder};
  if (TiesOutput(c.tie.value())) target_names.push_back(head);
  const Tensor target =
      TakeShared(from, target_names, {marian.target_rows, c.width});
  reader.Set(TargetTable(c), TakeRows(target, vocabularies.target.rows));
  if (!SharesSides(c.tie.value())) {
    const Tensor source =
        TakeShared(from, {encoder, shared}, {marian.source_rows, c.width});
    reader.Set(SourceTable(c), TakeRows(source, vocabularies.source.rows));
  }
  if (!TiesOutput(c.tie.value())) {
    reader.Set("decoder.output.weight",
               TakeRows(from.Take(head, {marian.target_rows, c.width}),
                        vocabularies.target.rows));
  }
  reader.Set("decoder.output.bias",
             vocabularies.target.Biases(
                 from.Take("final_logits_bias", {marian.target_rows})));
}

/// How the search went there, from generation_config.json or, in old folders,
/// from config.json.
Notes NotesOfSearch(const std::string& folder, const ImportOptions& config) {
  const std::string path = PathIn(folder, "generation_config.json");
  ImportOptions options =
      std::filesystem::exists(path) ? ReadJsonOptions(path) : config;
  const DecodeOptions ours;
  std::string arguments;
  const int beam = options.Number("num_beams", ours.beam);
  if (beam != ours.beam) arguments += fmt::format(" --beam {}", beam);
  const double penalty = options.Real("length_penalty", 1);
  const int longest =
      options.Number("max_new_tokens", options.Number("max_length", 0));
  if (longest > 0) arguments += fmt::format(" --max-length {}", longest);
  if (options.Flag("do_sample", false)) {
    arguments +=
        fmt::format(" --sample --temperature {} --top-k {} --top-p {}",
                    options.Real("temperature", 1), options.Number("top_k", 50),
                    options.Real("top_p", 1));
  }
  Notes notes;
  if (!arguments.empty()) {
    notes.push_back(fmt::format(
        "{}: num_beams {}, max_length {}, length_penalty {} (of log p / "
        "length^penalty) there; the nearest here: heed translate{}",
        options.file(), beam, longest, penalty, arguments));
  }
  for (const char* key :
       {"forced_bos_token_id", "suppress_tokens", "begin_suppress_tokens",
        "no_repeat_ngram_size", "min_length", "num_beam_groups",
        "repetition_penalty"}) {
    const bool is_one = std::string_view(key).ends_with("groups") ||
                        std::string_view(key).ends_with("penalty");
    if (is_one && options.Real(key, 1) == 1) continue;
    if (options.Has(key) && !IsOff(options.Value(key))) {
      notes.push_back(fmt::format("{}: {} {} has no effect in Heed",
                                  options.file(), key,
                                  ValueText(options.Value(key))));
    }
  }
  return notes;
}

Imported ImportMarianMt(const std::string& folder, ImportOptions& options) {
  Notes notes = NotesOfSearch(folder, options);
  MarianMt marian = ReadMarianMtConfig(options);
  auto& c = marian.model.As<TransformerConfig>();
  SourceWeights weights = ReadWeights(folder);
  weights.CheckCount(CountWeights(c, marian.source_rows, marian.target_rows) +
                     double{1} * c.width * c.max_positions);
  const MappedPair vocabularies =
      ReadMarianMtVocabularies(folder, marian, notes);
  const PositionTables positions = TakePositions(weights, c);
  Imported imported =
      MakeTranslation(marian.model, vocabularies, options.file());
  imported.notes = std::move(notes);
  WeightReader reader(weights, imported.model->parameters());
  reader.Read(MarianMtParts(c.layers, c.decoder_layers), kHuggingFaceLayout);
  FillMarianMtTables(marian, vocabularies, reader);
  if (positions.encoder.defined()) {
    reader.Set("encoder.positions.weight", positions.encoder);
    reader.Set("decoder.positions.weight", positions.decoder);
  }
  reader.CheckComplete();
  return imported;
}

// BERT

TransformerConfig ReadBertConfig(ImportOptions& options) {
  TransformerConfig c;
  const int layers = options.Number("num_hidden_layers", 12);
  SkipGeneral(options);
  c.layers = layers;
  c.width = options.Number("hidden_size", 768);
  c.heads = options.Number("num_attention_heads", 12);
  c.ff = options.Number("intermediate_size", 3072);
  c.activation = ActivationOf(options, "hidden_act");
  c.dropout = options.Real("hidden_dropout_prob", 0.1);
  c.attention_dropout = options.Real("attention_probs_dropout_prob", 0.1);
  c.max_positions = options.Number("max_position_embeddings", 512);
  c.segments = options.Number("type_vocab_size", 2);
  c.epsilon = options.Real("layer_norm_eps", 1e-12);
  options.OneOf("position_embedding_type", "absolute", {"absolute"});
  options.OneOf("tie_word_embeddings", "true", {"true"});
  options.Skip("pad_token_id");
  // Of the pooler of other versions of BERT, which the classic one has not.
  options.SkipAll("pooler_");
  options.SkipAll("directionality");
  return c;
}

/// Whether text is lower-cased, and that nothing else is chosen.
bool IsLowercase(const std::string& folder) {
  if (!Exists(folder, kTokenizerConfig)) return true;
  ImportOptions options = ReadJsonOptions(PathIn(folder, kTokenizerConfig));
  const bool lowercase = options.Flag("do_lower_case", true);
  options.OneOf("do_basic_tokenize", "true", {"true"});
  options.OneOf("tokenize_chinese_chars", "true", {"true"});
  const std::string strip = options.Text("strip_accents", "");
  if (!strip.empty() && strip != (lowercase ? "true" : "false")) {
    options.Fail("strip_accents",
                 "Heed strips accents where it lower-cases, and only there");
  }
  return lowercase;
}

/// `rows`: of its table of words.
Imported MakeBert(const TransformerConfig& config, const std::string& folder,
                  const std::string& file, int64_t rows) {
  auto settings = std::make_unique<PretrainSettings>();
  settings->model.Choose(ModelForImport(kBertFormat).model);
  settings->model.As<TransformerConfig>() = config;
  TextVocabularyConfig& vocabulary = settings->data.vocabulary;
  vocabulary.vocabulary = IsLowercase(folder) ? "wordpiece" : "wordpiece_cased";
  PretrainingOptions& instances = settings->data.instances;
  instances.max_length = std::min(instances.max_length, config.max_positions);
  const std::string text = ReadFile(PathIn(folder, "vocab.txt"));
  const std::string path = PathIn(folder, "vocab.txt");
  Vocabulary parsed =
      Vocabulary::Parse(text, ParseVocabularyKind(vocabulary.vocabulary), path);
  if (parsed.size() > rows) {
    throw FormatError("{}: has {} tokens, but vocab_size is {}", path,
                      parsed.size(), rows);
  }
  vocabulary.vocabulary_size = parsed.size();
  try {
    FieldList fields;
    settings->Visit(fields);
    CheckFields(fields.fields());
    settings->Resolve();
  } catch (const ConfigError& error) {
    throw FormatError("{}: {}", file, error.what());
  }
  Imported imported;
  imported.model =
      std::make_unique<PretrainModel>(*settings, std::move(parsed), 1);
  imported.settings = std::move(settings);
  return imported;
}

/// The tables, of words only as many rows as there are words.
void FillBertTables(const std::string& prefix, int64_t rows,
                    WeightReader& reader, Notes& notes) {
  for (const auto& [ours, theirs] : BertTables(prefix)) {
    Shape shape = reader.ShapeOf(ours);
    const int64_t wanted = shape[0];
    const bool words = ours == "encoder.embedding.weight";
    if (words) shape.Set(0, rows);
    Tensor table =
        words ? TakeShared(reader.from(),
                           {theirs, "cls.predictions.decoder.weight"}, shape)
              : reader.from().Take(theirs, shape);
    if (words && wanted < rows) {
      notes.push_back(
          fmt::format("vocab.txt: {} tokens; {} further rows of the "
                      "model stand for none and are left out",
                      wanted, rows - wanted));
    }
    reader.Set(ours, table.Slice(0, wanted));
  }
}

/// The heads that the file has.
void FillBertHeads(const std::string& prefix, int64_t rows,
                   WeightReader& reader) {
  SourceWeights& from = reader.from();
  const auto read = [&](const std::vector<Part>& parts) {
    reader.Read(parts, kHuggingFaceLayout);
  };
  if (from.Has(prefix + "pooler.dense.weight")) read({BertPooler(prefix)});
  if (from.Has("cls.predictions.transform.dense.weight")) {
    read(BertWordParts());
    const Tensor bias = TakeShared(
        from, {kBertWordBias, "cls.predictions.decoder.bias"}, {rows});
    reader.Set("words.bias", bias.Slice(0, reader.ShapeOf("words.bias")[0]));
  }
  if (from.Has("cls.seq_relationship.weight")) read({BertNext()});
}

Imported ImportBert(const std::string& folder, ImportOptions& options) {
  const TransformerConfig config = ReadBertConfig(options);
  const int64_t rows = options.Number("vocab_size", 30522);
  options.CheckAllUnderstood();
  SourceWeights weights = ReadWeights(folder);
  weights.CheckCount(CountWeights(config, rows, 0));
  Imported imported = MakeBert(config, folder, options.file(), rows);
  const std::string prefix =
      weights.Has("embeddings.word_embeddings.weight") ? "" : "bert.";
  weights.Skip(prefix + "embeddings.position_ids");
  WeightReader reader(weights, imported.model->parameters());
  FillBertTables(prefix, rows, reader, imported.notes);
  reader.Read(BertEncoderParts(prefix, config.layers), kHuggingFaceLayout);
  FillBertHeads(prefix, rows, reader);
  weights.CheckAllTaken();
  if (const auto fresh = reader.Unread(); !fresh.empty()) {
    imported.notes.push_back(fmt::format("the file has no {}: they start fresh",
                                         fmt::join(fresh, ", ")));
  }
  return imported;
}

}  // namespace

Imported ImportHuggingFace(const std::string& folder,
                           const std::vector<std::string>& ignored) {
  const std::string path = PathIn(folder, "config.json");
  if (!std::filesystem::exists(path)) {
    throw IoError(
        "{}: missing; a folder of Hugging Face's has config.json, "
        "model.safetensors and the tokenizer's files",
        path);
  }
  ImportOptions options = ReadJsonOptions(path);
  if (options.Has("heed")) {
    throw FormatError(path + ": a model of Heed's own, which needs no import");
  }
  options.Ignore(ignored);
  const std::string type = options.OneOf("model_type", "", {"marian", "bert"});
  return type == "marian" ? ImportMarianMt(folder, options)
                          : ImportBert(folder, options);
}

}  // namespace heed
