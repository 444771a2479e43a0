#include "heed/convert/bert_tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/json.h"
#include "heed/base/text.h"
#include "heed/convert/huggingface_folder.h"
#include "heed/io/file.h"
#include "heed/text/wordpiece.h"
#include "heed/train/model_folder.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kVocabularyFile = "vocab.txt";
constexpr const char* kAddedFile = "added_tokens.json";

/// Keys of tokenizer_config.json that name the special tokens of
/// WordPiece::kSpecials, in their order.
constexpr const char* kSpecialKeys[] = {"pad_token", "unk_token", "cls_token",
                                        "sep_token", "mask_token"};

/// Tokens by id, and tokenizer rules from the files.
struct TokenizerParts {
  std::vector<std::string> tokens;
  std::string inner = std::string(WordPiece::kInner);
  std::string unknown;                  // "": not specified
  std::optional<WordPieceRules> rules;  // rules of tokenizer.json
};

/// Parser of a tokenizer.json file.
class TokenizerFile {
 public:
  explicit TokenizerFile(std::string path)
      : path_(std::move(path)), json_(ParseJson(ReadFile(path_), path_)) {
    if (!json_.is_object()) Fail("not an object");
  }

  bool IsWordPiece() const { return IsWordPieceModel(PartOf("model")); }

  TokenizerParts Read() {
    TokenizerParts parts;
    ReadModel(parts);
    parts.rules = {false, false, false};
    ReadNormalizer(PartOf("normalizer"), *parts.rules);
    CheckSplitter(PartOf("pre_tokenizer"));
    CheckTemplate(PartOf("post_processor"));
    return parts;
  }

 private:
  [[noreturn]] void Fail(const std::string& problem) const {
    throw FormatError("{}: {}", path_, problem);
  }
  Json PartOf(const char* key) const { return json_.value(key, Json()); }
  static std::string TypeOf(const Json& part) {
    return part.is_object() && part.contains("type") && part["type"].is_string()
               ? part["type"].get<std::string>()
               : "";
  }
  [[noreturn]] void Refuse(const char* what, const Json& part,
                           const char* known) const {
    Fail(fmt::format("{}: Heed does not support {} (supported: {})", what,
                     Abridged(part), known));
  }

  /// True for WordPiece. Old files do not name the type of their model, but
  /// only WordPiece limits the characters of a word.
  static bool IsWordPieceModel(const Json& model) {
    const std::string type = TypeOf(model);
    if (!type.empty() || !model.is_object()) return type == "WordPiece";
    return model.contains("max_input_chars_per_word") &&
           !model.contains("merges");
  }

  void ReadModel(TokenizerParts& parts) const {
    const Json model = PartOf("model");
    if (!IsWordPieceModel(model) || !model.contains("vocab") ||
        !model["vocab"].is_object()) {
      const std::string type = TypeOf(model);
      Refuse("model", type.empty() ? "a model without a type" : type,
             "WordPiece with a vocab");
    }
    std::map<int64_t, std::string> tokens;
    const auto add = [&](const std::string& token, const Json& id) {
      constexpr int64_t kMaxTokens = 1 << 24;
      if (!id.is_number_integer() || id.get<int64_t>() < 0 ||
          id.get<int64_t>() >= kMaxTokens) {
        Fail(fmt::format("the id of '{}' is not a number from 0", token));
      }
      const auto [place, fresh] = tokens.emplace(id.get<int64_t>(), token);
      if (!fresh && place->second != token) {
        Fail(fmt::format("'{}' and '{}' have the same id {}", place->second,
                         token, id.get<int64_t>()));
      }
    };
    for (const auto& [token, id] : model["vocab"].items()) add(token, id);
    for (const Json& token : PartOf("added_tokens")) {
      if (!token.is_object() || !token.contains("content") ||
          !token["content"].is_string()) {
        Fail("added_tokens: an element without content");
      }
      add(token["content"].get<std::string>(), token.value("id", Json()));
    }
    if (tokens.empty()) Fail("its vocabulary is empty");
    if (tokens.rbegin()->first >= 2 * std::ssize(tokens)) {
      Fail("most ids below the last one have no token");
    }
    for (const auto& [id, token] : tokens) {
      while (std::ssize(parts.tokens) < id) {
        parts.tokens.push_back(
            fmt::format("[no token {}]", parts.tokens.size()));
      }
      parts.tokens.push_back(token);
    }
    parts.inner = model.value("continuing_subword_prefix", parts.inner);
    parts.unknown = model.value("unk_token", "");
    const Json longest =
        model.value("max_input_chars_per_word", Json(WordPiece::kLongestWord));
    if (longest != WordPiece::kLongestWord) {
      Refuse("max_input_chars_per_word", longest,
             std::to_string(WordPiece::kLongestWord).c_str());
    }
  }

  void ReadNormalizer(const Json& part, WordPieceRules& rules) const {
    const std::string type = TypeOf(part);
    if (part.is_null()) return;
    if (type == "Sequence") {
      for (const Json& one : part.value("normalizers", Json::array())) {
        ReadNormalizer(one, rules);
      }
    } else if (type == "Lowercase") {
      rules.lowercase = true;
    } else if (type == "StripAccents") {
      rules.strip_accents = true;
    } else if (type == "BertNormalizer") {
      if (part.value("clean_text", Json(true)) != true) {
        Refuse("normalizer", part, "clean_text true");
      }
      rules.lowercase = part.value("lowercase", Json(true)) == true;
      const Json strip = part.value("strip_accents", Json());
      rules.strip_accents = strip.is_null() ? rules.lowercase : strip == true;
      rules.split_chinese =
          part.value("handle_chinese_chars", Json(true)) == true;
    } else if (type != "NFD") {  // NFD precedes StripAccents
      Refuse("normalizer", part, "BertNormalizer, Lowercase, StripAccents");
    }
  }

  void CheckSplitter(const Json& part) const {
    const Json all = TypeOf(part) == "Sequence"
                         ? part.value("pretokenizers", Json::array())
                         : Json::array({part});
    if (all.size() != 1 || TypeOf(all[0]) != "BertPreTokenizer") {
      Refuse("pre_tokenizer", part, "BertPreTokenizer");
    }
  }

  /// Checks that each text is enclosed by two special tokens of any names.
  void CheckTemplate(const Json& part) const {
    const std::string type = TypeOf(part);
    if (part.is_null() || type == "BertProcessing") return;
    const Json single = part.value("single", Json::array());
    const bool marks = type == "TemplateProcessing" && single.size() == 3 &&
                       single[0].contains("SpecialToken") &&
                       single[1].contains("Sequence") &&
                       single[2].contains("SpecialToken");
    if (!marks) {
      Refuse("post_processor", type, "a mark, the text and another mark");
    }
  }

  std::string path_;
  Json json_;
};

/// Reads vocab.txt, followed by added tokens.
TokenizerParts ReadVocabularyFiles(const std::string& folder) {
  TokenizerParts parts;
  const std::string path = PathIn(folder, kVocabularyFile);
  const std::string text = ReadFile(path);
  for (const std::string_view token : SplitLines(text)) {
    parts.tokens.emplace_back(token);
  }
  if (!HasFile(folder, kAddedFile)) return parts;
  const std::string added = PathIn(folder, kAddedFile);
  const TokenIds more = ParseTokenIds(ReadFile(added), added);
  std::map<int32_t, std::string> sorted;
  for (const auto& [token, id] : more.ids) sorted.emplace(id, token);
  for (const auto& [id, token] : sorted) {
    const auto place = static_cast<size_t>(id);
    if (place < parts.tokens.size() && parts.tokens[place] == token) continue;
    if (place != parts.tokens.size()) {
      throw FormatError("{}: '{}' has id {}, but the next one is {}", added,
                        token, id, parts.tokens.size());
    }
    parts.tokens.push_back(token);
  }
  return parts;
}

/// Rules of tokenizer_config.json, which take precedence over tokenizer.json.
WordPieceRules RulesOf(const std::optional<WordPieceRules>& file,
                       ImportOptions& config) {
  const WordPieceRules otherwise = file.value_or(WordPieceRules());
  WordPieceRules rules = otherwise;
  rules.lowercase = config.Flag("do_lower_case", otherwise.lowercase);
  rules.split_chinese =
      config.Flag("tokenize_chinese_chars", otherwise.split_chinese);
  if (!config.Text("strip_accents", "").empty()) {
    rules.strip_accents = config.Flag("strip_accents");
  } else if (!file || config.Has("do_lower_case")) {
    rules.strip_accents = rules.lowercase;
  }
  config.OneOf("do_basic_tokenize", "true", {"true"});
  return rules;
}

/// Tokenizer classes that equal BERT's, and classes that only read
/// tokenizer.json. Each may have the suffix "Fast".
constexpr std::string_view kClasses[] = {"BertTokenizer",
                                         "DistilBertTokenizer",
                                         "ElectraTokenizer",
                                         "MobileBertTokenizer",
                                         "ConvBertTokenizer",
                                         "SqueezeBertTokenizer",
                                         "FunnelTokenizer",
                                         "LayoutLMTokenizer",
                                         "LxmertTokenizer",
                                         "RetriBertTokenizer",
                                         "DPRQuestionEncoderTokenizer",
                                         "DPRContextEncoderTokenizer",
                                         "BasicTokenizer",
                                         "PreTrainedTokenizer",
                                         "TokenizersBackend"};

/// Name of a special token in a configuration, where it is a text or an object.
std::string NameOfSpecial(const ImportOptions& config, const char* key) {
  nlohmann::json value = config.Value(key);
  if (value.is_object() && value.contains("content")) value = value["content"];
  return value.is_string() ? value.get<std::string>() : "";
}

/// Renames special tokens to BERT's names, and word-internal pieces to prefix
/// "##".
void Rename(const ImportOptions& config, const std::string& file,
            TokenizerParts& parts) {
  for (std::string& token : parts.tokens) {
    if (parts.inner == WordPiece::kInner || parts.inner.empty()) break;
    if (token.starts_with(WordPiece::kInner)) {
      throw FormatError(
          "{}: '{}' begins with '##', which is how Heed marks pieces inside of "
          "words, but here it is '{}'",
          file, token, parts.inner);
    }
    if (token.starts_with(parts.inner) && token.size() > parts.inner.size()) {
      token.replace(0, parts.inner.size(), WordPiece::kInner);
    }
  }
  for (size_t i = 0; i < WordPiece::kSpecials.size(); ++i) {
    const std::string ours(WordPiece::kSpecials[i]);
    std::string theirs = NameOfSpecial(config, kSpecialKeys[i]);
    if (theirs.empty() && ours == "[UNK]") theirs = parts.unknown;
    if (theirs.empty() || theirs == ours ||
        std::ranges::count(parts.tokens, ours) > 0) {
      continue;
    }
    const auto found = std::ranges::find(parts.tokens, theirs);
    if (found != parts.tokens.end()) *found = ours;
  }
}

}  // namespace

void CheckTokenizerClass(const ImportOptions& options) {
  constexpr const char* kKey = "tokenizer_class";
  const nlohmann::json value = options.Value(kKey);
  if (IsOff(value)) return;
  std::string name = value.is_string() ? value.get<std::string>() : "";
  if (name.ends_with("Fast")) name.resize(name.size() - 4);
  if (std::ranges::find(kClasses, name) != std::end(kClasses)) return;
  options.Fail(kKey,
               fmt::format("Heed does not support {} (supported: BertTokenizer "
                           "and others that divide words by WordPiece alone)",
                           ValueText(value)));
}

bool HasWordPiece(const std::string& folder) {
  return HasFile(folder, kVocabularyFile) ||
         (HasFile(folder, kTokenizerFile) &&
          TokenizerFile(PathIn(folder, kTokenizerFile)).IsWordPiece());
}

BertTokenizer ReadBertTokenizer(const std::string& folder) {
  const bool listed = HasFile(folder, kVocabularyFile);
  if (!listed && !HasFile(folder, kTokenizerFile)) {
    throw IoError(
        "{}: missing, and so is {}; one of the two holds the vocabulary",
        PathIn(folder, kVocabularyFile), kTokenizerFile);
  }
  BertTokenizer tokenizer;
  tokenizer.file = PathIn(folder, listed ? kVocabularyFile : kTokenizerFile);
  TokenizerParts parts = listed ? ReadVocabularyFiles(folder)
                                : TokenizerFile(tokenizer.file).Read();
  const std::string path = PathIn(folder, kTokenizerConfig);
  ImportOptions config = HasFile(folder, kTokenizerConfig)
                             ? ReadJsonOptions(path)
                             : ImportOptions(nlohmann::json::object(), path);
  CheckTokenizerClass(config);
  if (const auto never = config.Value("never_split"); !IsOff(never)) {
    tokenizer.notes.push_back(fmt::format(
        "{}: never_split {} has no effect in Heed", path, ValueText(never)));
  }
  tokenizer.kind = WordPieceKind(RulesOf(parts.rules, config));
  Rename(config, tokenizer.file, parts);
  for (const std::string& token : parts.tokens) {
    if (token.find('\n') != std::string::npos) {
      throw FormatError("{}: a token holds a line feed", tokenizer.file);
    }
    tokenizer.vocabulary += token + "\n";
  }
  return tokenizer;
}

}  // namespace heed
