#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/json.h"
#include "heed/convert/convert.h"
#include "heed/convert/huggingface.h"
#include "heed/convert/requirements.h"
#include "heed/convert/translation_parts.h"
#include "heed/decode/options.h"
#include "heed/io/file.h"
#include "heed/io/safetensors.h"
#include "heed/models/registry.h"
#include "heed/nn/positions.h"
#include "heed/tasks/pretrain/pretrain.h"
#include "heed/tasks/run.h"
#include "heed/tasks/translate/translation.h"
#include "heed/text/subwords.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
using Tensors = std::vector<NamedTensor>;

/// Content of an exported folder. `files` are written unchanged.
struct HuggingFaceModel {
  Json config;
  Tensors tensors;
  ModelFiles files;
  Notes notes;
};

std::string TheirActivation(const TransformerConfig& c, Requirements& require) {
  for (const auto& [theirs, ours] : kActivations) {
    if (c.activation == ours) return theirs;
  }
  require.Need(false, "activation", c.activation.word());
  return "";
}

const Tensor& ValueOf(const ParameterSet& parameters, const std::string& name) {
  const Parameter* parameter = parameters.Find(name);
  if (parameter == nullptr) {
    throw ConfigError("the model has no '{}'", name);
  }
  return parameter->value();
}

void CheckNumbers(const ParameterSet& parameters, Requirements& require) {
  for (const auto& parameter : parameters.all()) {
    if (!parameter->quantized()) continue;
    require.Add(
        "quantised weights cannot be exported (export the model that they are "
        "from)");
    return;
  }
}

std::string Pretty(const Json& json) { return DumpJson(json, 2) + "\n"; }

// MarianMT

/// Object of token: id for MarianTokenizer.
std::string TokenIdsOf(const Vocabulary& vocabulary) {
  nlohmann::json ids = nlohmann::json::object();
  for (int32_t id = 0; id < vocabulary.size(); ++id) {
    const std::string& piece = vocabulary.Piece(id);
    const std::string_view rest = std::string_view(piece).substr(
        piece.starts_with(kSpaceMark) ? kSpaceMark.size() : 0);
    ids[IsLanguageMark(rest) ? std::string(rest) : piece] = id;
  }
  return Pretty(ids);
}

bool SamePieces(const Vocabulary& a, const Vocabulary& b) {
  if (a.size() != b.size()) return false;
  for (int32_t id = 0; id < a.size(); ++id) {
    if (a.Piece(id) != b.Piece(id)) return false;
  }
  return true;
}

Json MarianMtConfig(const TransformerConfig& c,
                    const translate::Vocabularies& v,
                    const std::string& activation) {
  return {{"architectures", {"MarianMTModel"}},
          {"model_type", "marian"},
          {"activation_dropout", c.activation_dropout},
          {"activation_function", activation},
          {"attention_dropout", c.attention_dropout},
          {"bad_words_ids", {{kPad}, {kBos}}},
          {"bos_token_id", kBos},
          {"d_model", c.width},
          {"decoder_attention_heads", c.heads},
          {"decoder_ffn_dim", c.ff},
          {"decoder_layers", c.decoder_layers},
          {"decoder_start_token_id", kBos},
          {"decoder_vocab_size", v.target.size()},
          {"dropout", c.dropout},
          {"encoder_attention_heads", c.heads},
          {"encoder_ffn_dim", c.ff},
          {"encoder_layers", c.layers},
          {"eos_token_id", kEos},
          {"forced_eos_token_id", kEos},
          {"is_encoder_decoder", true},
          {"max_position_embeddings", c.max_positions},
          {"num_hidden_layers", c.layers},
          {"pad_token_id", kPad},
          {"scale_embedding", c.embedding_scale == YesNo::kYes},
          {"share_encoder_decoder_embeddings", SharesSides(c.tie.value())},
          {"static_position_embeddings", true},
          {"tie_word_embeddings", TiesOutput(c.tie.value())},
          {"torch_dtype", "float32"},
          {"vocab_size", v.source.size()}};
}

/// Default search of the exported model: Heed's defaults, as far as they have
/// an equivalent.
Json GenerationConfig(const TransformerConfig& c) {
  const DecodeOptions search;
  return {{"bad_words_ids", {{kPad}, {kBos}}},
          {"bos_token_id", kBos},
          {"decoder_start_token_id", kBos},
          {"eos_token_id", kEos},
          {"forced_eos_token_id", kEos},
          {"length_penalty", search.length_penalty},
          {"max_length", c.max_positions},
          {"num_beams", search.beam},
          {"pad_token_id", kPad}};
}

void CheckMarianMt(const translate::Model& model, Requirements& require) {
  const auto* config = model.config.Find<TransformerConfig>();
  if (config == nullptr) {
    throw ConfigError(
        "model '{}' cannot be exported to Hugging Face, which has no such "
        "translator; Transformers can",
        model.config.name());
  }
  const TransformerConfig& c = *config;
  require.HasUsualAttention(c);
  require.Is("embedding_norm", c.embedding_norm.word(), "no");
  require.Need(!model.data.copy, "copy", "yes");
  require.Need(c.segments == 0, "segments", std::to_string(c.segments));
  require.Need(AddedPositions(c.position.value()) != PositionKind::kNone,
               "position", c.position.word());
  for (const Vocabulary* side :
       {&model.vocabularies.source, &model.vocabularies.target}) {
    if (IsSubword(side->kind())) continue;
    require.Need(false, "vocabulary", Name(side->kind()));
    break;
  }
  if (SharesSides(c.tie.value()) &&
      !SamePieces(model.vocabularies.source, model.vocabularies.target)) {
    require.Add(
        "tie: MarianMT needs the same tokens on both sides for shared "
        "embeddings");
  }
  TheirActivation(c, require);
  CheckNumbers(model.model->parameters(), require);
  require.Check(
      fmt::format("heed train --model {} makes models that can be exported",
                  ModelForExport(kMarianMtFormat)));
}

/// Adds position tables, unless they are the sinusoids that MarianMT computes.
void AddPositions(const TransformerConfig& c, const ParameterSet& parameters,
                  Tensors& tensors) {
  if (c.position == Position::kSinusoidalConcat) return;
  for (const char* side : {"encoder", "decoder"}) {
    const Tensor table =
        c.position == Position::kLearned
            ? ValueOf(parameters, fmt::format("{}.positions.weight", side))
            : Sinusoids(AddedPositions(c.position.value()), 0, c.max_positions,
                        c.width, DType::kF32);
    tensors.push_back(
        {fmt::format("model.{}.embed_positions.weight", side), table});
  }
}

void AddMarianMtTables(const TransformerConfig& c,
                       const ParameterSet& parameters, Tensors& tensors) {
  if (SharesSides(c.tie.value())) {
    tensors.push_back(
        {"model.shared.weight", ValueOf(parameters, SourceTable(c))});
  } else {
    tensors.push_back({"model.encoder.embed_tokens.weight",
                       ValueOf(parameters, SourceTable(c))});
    tensors.push_back({"model.decoder.embed_tokens.weight",
                       ValueOf(parameters, TargetTable(c))});
  }
  const int64_t rows = ValueOf(parameters, TargetTable(c)).dim(0);
  if (!TiesOutput(c.tie.value())) {
    tensors.push_back(
        {"lm_head.weight", ValueOf(parameters, "decoder.output.weight")});
  }
  const Tensor bias = c.output_bias ? ValueOf(parameters, "decoder.output.bias")
                                    : Tensor::Zeros({rows});
  tensors.push_back({"final_logits_bias", bias.Reshape({1, rows})});
}

HuggingFaceModel MarianMtOf(const translate::Model& model) {
  Requirements require("MarianMT of Hugging Face");
  CheckMarianMt(model, require);
  const auto& c = model.config.As<TransformerConfig>();
  const translate::Vocabularies& v = model.vocabularies;
  const bool separate = !SamePieces(v.source, v.target);
  HuggingFaceModel result;
  result.config = MarianMtConfig(c, v, TheirActivation(c, require));
  const ParameterSet& parameters = model.model->parameters();
  result.tensors =
      WriteParts(parameters, MarianMtParts(c.layers, c.decoder_layers),
                 kHuggingFaceLayout);
  AddMarianMtTables(c, parameters, result.tensors);
  AddPositions(c, parameters, result.tensors);
  const auto language = [&](std::string translate::DataConfig::*code,
                            const char* side) {
    return (model.data.*code).empty() ? side : model.data.*code;
  };
  result.files = {
      {"source.spm", v.source.Serialize()},
      {"target.spm", v.target.Serialize()},
      {"vocab.json", TokenIdsOf(v.source)},
      {"tokenizer_config.json",
       Pretty({{"tokenizer_class", "MarianTokenizer"},
               {"source_lang",
                language(&translate::DataConfig::source_language, "source")},
               {"target_lang",
                language(&translate::DataConfig::target_language, "target")},
               {"separate_vocabs", separate},
               {"model_max_length", c.max_positions}})}};
  result.files["generation_config.json"] = Pretty(GenerationConfig(c));
  if (separate) result.files["target_vocab.json"] = TokenIdsOf(v.target);
  if (c.epsilon != kMarianMtEpsilon) {
    result.notes.push_back(fmt::format(
        "norm_epsilon: MarianMT always adds {}, this model {}: scores differ a "
        "little",
        kMarianMtEpsilon, c.epsilon));
  }
  if (model.data.lowercase) {
    result.notes.push_back(
        "lowercase: MarianTokenizer does not lower-case text; do it before");
  }
  return result;
}

// BERT

Json BertConfig(const TransformerConfig& c, const Vocabulary& vocabulary,
                const std::string& activation, bool next_sentence) {
  const char* name = next_sentence ? "BertForPreTraining" : "BertForMaskedLM";
  return {{"architectures", {name}},
          {"model_type", "bert"},
          {"attention_probs_dropout_prob", c.attention_dropout},
          {"hidden_act", activation},
          {"hidden_dropout_prob", c.dropout},
          {"hidden_size", c.width},
          {"initializer_range", c.init_scale},
          {"intermediate_size", c.ff},
          {"layer_norm_eps", c.epsilon},
          {"max_position_embeddings", c.max_positions},
          {"num_attention_heads", c.heads},
          {"num_hidden_layers", c.layers},
          {"pad_token_id", vocabulary.special().pad},
          {"position_embedding_type", "absolute"},
          {"torch_dtype", "float32"},
          {"type_vocab_size", c.segments},
          {"vocab_size", vocabulary.size()}};
}

/// Content of vocab.txt for BertTokenizer: one token per line, by id.
std::string LinesOfTokens(const Vocabulary& vocabulary) {
  std::string lines;
  for (int32_t id = 0; id < vocabulary.size(); ++id) {
    lines += vocabulary.Piece(id) + "\n";
  }
  return lines;
}

/// Null if it follows from lowercasing, as in most folders.
Json StripAccents(const WordPieceRules& rules) {
  if (rules.strip_accents == rules.lowercase) return nullptr;
  return rules.strip_accents;
}

HuggingFaceModel BertOf(const pretrain::Model& model) {
  Requirements require("BERT of Hugging Face");
  const auto& c = model.config.model.As<TransformerConfig>();
  require.HasUsualAttention(c);
  require.Is("position", c.position.word(), "learned");
  require.Is("embedding_norm", c.embedding_norm.word(), "yes");
  require.Is("embedding_scale", c.embedding_scale.word(), "no");
  require.Need(c.activation_dropout == 0, "activation_dropout",
               fmt::format("{}", c.activation_dropout));
  require.Need(c.segment_embeddings, "segment_embeddings", "no");
  require.Need(IsWordPiece(model.vocabulary.kind()), "vocabulary",
               Name(model.vocabulary.kind()));
  const std::string activation = TheirActivation(c, require);
  CheckNumbers(model.parameters(), require);
  require.Check(
      fmt::format("heed train --task {} makes models that can be exported",
                  pretrain::Task().name));
  const ParameterSet& parameters = model.parameters();
  const Vocabulary& vocabulary = model.vocabulary;
  const std::string prefix = "bert.";

  HuggingFaceModel result;
  const bool next_sentence = model.network().has_next_sentence();
  result.config = BertConfig(c, vocabulary, activation, next_sentence);
  std::vector<Part> parts = BertEncoderParts(prefix, c.layers);
  for (Part& part : BertWordParts()) parts.push_back(std::move(part));
  if (next_sentence) {
    parts.push_back(BertPooler(prefix));
    parts.push_back(BertNext());
  }
  result.tensors = WriteParts(parameters, parts, kHuggingFaceLayout);
  for (const auto& [ours, theirs] : BertTables(prefix)) {
    result.tensors.push_back({theirs, ValueOf(parameters, ours)});
  }
  result.tensors.push_back({kBertWordBias, ValueOf(parameters, "words.bias")});
  const WordPieceRules rules = WordPieceRulesOf(vocabulary.kind());
  result.files = {{"vocab.txt", LinesOfTokens(vocabulary)},
                  {"tokenizer_config.json",
                   Pretty({{"tokenizer_class", "BertTokenizer"},
                           {"do_lower_case", rules.lowercase},
                           {"tokenize_chinese_chars", rules.split_chinese},
                           {"strip_accents", StripAccents(rules)},
                           {"model_max_length", c.max_positions}})}};
  if (model.config.data.vocabulary.lowercase && !rules.lowercase) {
    result.notes.push_back(
        "lowercase: BertTokenizer would strip accents with it; lower-case text "
        "before");
  }
  return result;
}

void Write(const HuggingFaceModel& model, const std::string& out,
           bool overwrite) {
  RunConfig run;
  run.out = out;
  run.overwrite = overwrite;
  OutFolder folder(run);
  for (const auto& [name, bytes] : model.files) {
    WriteFileAtomically(folder.PathOf(name), bytes);
  }
  // Loaders of Transformers require this metadata.
  WriteSafetensors(folder.PathOf(kWeightsFile), model.tensors,
                   {{"format", "pt"}});
  WriteFileAtomically(folder.PathOf(kConfigFile), Pretty(model.config));
  folder.Publish();
}

}  // namespace

Notes ExportHuggingFace(const std::string& folder, const std::string& out,
                        bool overwrite) {
  const LoadedModel loaded = ReadModel(folder);
  loaded.model->parameters().Widen();
  const TaskModel* from = loaded.model.get();
  HuggingFaceModel model;
  if (auto* translator = dynamic_cast<const translate::Model*>(from)) {
    model = MarianMtOf(*translator);
  } else if (auto* bert = dynamic_cast<const pretrain::Model*>(from)) {
    model = BertOf(*bert);
  } else {
    throw ConfigError(
        "{}: models of task '{}' cannot be exported (those of {} and {} can)",
        folder, loaded.task().name, translate::Task().name,
        pretrain::Task().name);
  }
  Write(model, out, overwrite);
  return model.notes;
}

}  // namespace heed
