#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/convert/huggingface.h"
#include "heed/convert/huggingface_folder.h"
#include "heed/convert/translation_parts.h"
#include "heed/convert/weight_files.h"
#include "heed/decode/options.h"
#include "heed/io/file.h"
#include "heed/nn/positions.h"
#include "heed/text/languages.h"
#include "heed/train/model_folder.h"

namespace heed {
namespace {

/// Keys of published folders without effect: no class of MarianMT reads them,
/// or other keys determine them. Examples are rows of learned positions
/// (MarianMT has sinusoids) and output biases (always present).
constexpr std::string_view kNoEffect =
    "add_bias_logits extra_pos_embeddings num_attention_heads "
    "num_hidden_layers";

struct MarianMt {
  ModelChoice<TranslatorSettings> model;
  int64_t source_rows = 0;
  int64_t target_rows = 0;
  TokenRows special;  // of the target vocabulary
};

MarianMt ReadMarianMtConfig(ImportOptions& options) {
  MarianMt marian;
  marian.model.Choose(ModelForImport(kMarianMtFormat).model);
  auto& c = marian.model.As<TransformerConfig>();
  SkipGeneral(options);
  options.SkipEach(kNoEffect);
  c.width = SameNumber(options, "d_model", "hidden_size", 1024);
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
  for (const char* key :
       {"normalize_before", "normalize_embedding", "add_final_layer_norm"}) {
    options.OneOf(key, "false", {"false"});
  }
  for (const char* key : {"static_position_embeddings", "is_encoder_decoder"}) {
    options.OneOf(key, "true", {"true"});
  }
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

/// Adds the special tokens of a vocabulary to those of the configuration.
/// Throws: FormatError if they do not match.
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
  if (HasFile(folder, kTokenizerConfig)) {
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
  constexpr float kTolerance = 2e-3F;  // tolerance of 16-bit weights
  for (int64_t i = 0; i < a.numel(); ++i) {
    if (!(std::abs(a.data<float>()[i] - b.data<float>()[i]) <= kTolerance)) {
      return false;
    }
  }
  return true;
}

/// Learned position tables; undefined if positions are sinusoids.
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
               TakeRows(from.TakeStored(head, {marian.target_rows, c.width}),
                        vocabularies.target.rows));
  }
  reader.Set("decoder.output.bias",
             vocabularies.target.Biases(
                 from.Take("final_logits_bias", {marian.target_rows})));
}

/// Search settings in generation_config.json or, in old folders, in
/// config.json.
ImportOptions SearchOptions(const std::string& folder,
                            const ImportOptions& config) {
  const std::string path = PathIn(folder, "generation_config.json");
  return std::filesystem::exists(path) ? ReadJsonOptions(path) : config;
}

/// Ids of tokens that the search never generates. Longer bad words get a note.
std::vector<int32_t> NeverWritten(ImportOptions search, Notes& notes) {
  std::vector<int32_t> ids;
  for (const int id : search.Numbers("suppress_tokens")) ids.push_back(id);
  for (const auto& words : search.Value("bad_words_ids")) {
    if (IsOff(words)) continue;
    if (words.is_array() && words.size() == 1 && words[0].is_string()) {
      ids.push_back(
          ParseInteger<int32_t>(words[0].get<std::string>()).value_or(-1));
    } else {
      notes.push_back(fmt::format("{}: bad_words_ids {} has no effect in Heed",
                                  search.file(), ValueText(words)));
    }
  }
  return ids;
}

/// Search rules without an equivalent in Heed, and whether value 1 disables
/// them.
constexpr std::pair<const char*, bool> kNoRules[] = {
    {"forced_bos_token_id", false},
    {"begin_suppress_tokens", false},
    {"no_repeat_ngram_size", false},
    {"encoder_no_repeat_ngram_size", false},
    {"exponential_decay_length_penalty", false},
    {"min_length", false},
    {"min_new_tokens", false},
    {"num_beam_groups", true},
    {"diversity_penalty", false},
    {"repetition_penalty", true},
    {"encoder_repetition_penalty", true},
};

void NoteNoEffect(const ImportOptions& options, const char* key, Notes& notes) {
  const nlohmann::json value = options.Value(key);
  if (IsOff(value)) return;
  notes.push_back(fmt::format("{}: {} {} has no effect in Heed", options.file(),
                              key, ValueText(value)));
}

/// Notes about differences between the model's search and Heed's.
Notes NotesOfSearch(ImportOptions options) {
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
  for (const auto& [key, is_off_at_one] : kNoRules) {
    if (is_off_at_one && options.Real(key, 1) == 1) continue;
    NoteNoEffect(options, key, notes);
  }
  return notes;
}

/// Language in the tokenizer's configuration; "" if there is none, or for a
/// group of languages.
std::string LanguageOf(const std::string& folder, const char* key) {
  if (!HasFile(folder, kTokenizerConfig)) return "";
  const std::string code =
      ReadJsonOptions(PathIn(folder, kTokenizerConfig)).Text(key, "");
  const bool is_group = code == "mul" || code == "und";
  const bool is_known =
      IsLanguageCode(code) && IsKnownLanguage(LanguageCode(code));
  return is_known && !is_group ? code : "";
}

}  // namespace

Imported ImportMarianMt(const std::string& folder, ImportOptions& options,
                        const ImportRequest& request) {
  RefuseBertRequest(request, options.file());
  const ImportOptions search = SearchOptions(folder, options);
  Notes notes = NotesOfSearch(search);
  NoteNoEffect(options, "prefix", notes);
  MarianMt marian = ReadMarianMtConfig(options);
  auto& c = marian.model.As<TransformerConfig>();
  SourceWeights weights = OpenSourceWeights(folder, request.storage);
  weights.CheckCount(CountWeights(c, marian.source_rows, marian.target_rows) +
                     double{1} * c.width * c.max_positions);
  const MappedPair vocabularies =
      ReadMarianMtVocabularies(folder, marian, notes);
  const PositionTables positions = TakePositions(weights, c);
  Imported imported =
      MakeTranslation(marian.model, vocabularies, options.file(),
                      {.rules = {},
                       .never = NeverWritten(search, notes),
                       .source_language = LanguageOf(folder, "source_lang"),
                       .target_language = LanguageOf(folder, "target_lang")});
  imported.notes = std::move(notes);
  imported.dtypes = weights.matrix_dtypes();
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

}  // namespace heed
