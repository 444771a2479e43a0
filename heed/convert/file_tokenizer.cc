#include "heed/convert/file_tokenizer.h"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/json.h"
#include "heed/convert/huggingface_folder.h"
#include "heed/io/file.h"
#include "heed/text/tokenizer/tokenizer.h"
#include "heed/train/model_folder.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kGenerationConfig = "generation_config.json";

Json ReadObject(const std::string& folder, const char* file) {
  if (!HasFile(folder, file)) return Json::object();
  const std::string path = PathIn(folder, file);
  Json value = ParseJson(ReadFile(path), path);
  if (!value.is_object()) throw FormatError("{}: no object", path);
  return value;
}

/// Special tokens of a folder.
class SpecialTokens {
 public:
  SpecialTokens(const std::string& folder, const Tokenizer& tokenizer)
      : folder_(folder),
        tokenizer_(tokenizer),
        config_(ReadObject(folder, kTokenizerConfig)),
        model_(ReadObject(folder, kConfigFile)),
        generation_(ReadObject(folder, kGenerationConfig)) {}

  SpecialIds Ids(TokenizerUse use) const {
    SpecialIds ids = {.pad = Named("pad_token"),
                      .unk = Named("unk_token"),
                      .bos = Template(true),
                      .eos = Template(false),
                      .mask = Named("mask_token")};
    if (use == TokenizerUse::kGenerate) {
      SetEnds(ids);
    } else {
      SetNames(ids);
      ids.between = Between();
    }
    // GPT-2 names its end token for all other purposes, too.
    for (int32_t* id : {&ids.pad, &ids.unk}) {
      if (*id == ids.bos || ids.IsEnd(*id)) *id = -1;
    }
    return ids;
  }

 private:
  /// Id of a token that tokenizer_config.json names; −1: none.
  int32_t Named(const char* key) const {
    const Json value = config_.value(key, Json());
    const Json content =
        value.is_object() ? value.value("content", Json()) : value;
    return content.is_string() ? tokenizer_.Id(content.get<std::string>()) : -1;
  }

  /// Special token that the template puts before (`first`) or behind a text.
  int32_t Template(bool first) const {
    const auto tokens = tokenizer_.Encode("a", {.add_special = true});
    if (tokens.empty()) return -1;
    const Tokenizer::Token& token = first ? tokens.front() : tokens.back();
    if (token.source == -1) return token.id;
    const char* add = first ? "add_bos_token" : "add_eos_token";
    return config_.value(add, Json()) == true
               ? Named(first ? "bos_token" : "eos_token")
               : -1;
  }

  /// Special tokens that the template puts between two texts.
  std::vector<int32_t> Between() const {
    std::vector<int32_t> between;
    bool behind_first = false;
    for (const Tokenizer::Token& token :
         tokenizer_.EncodePair("a", "a", {.add_special = true})) {
      if (token.source == 1) break;
      if (token.source == 0) {
        behind_first = true;
        between.clear();
      } else if (behind_first) {
        between.push_back(token.id);
      }
    }
    return between;
  }

  /// Gives tokens that tokenizer_config.json does not name their usual names,
  /// as the tokenizer classes of encoders do.
  void SetNames(SpecialIds& ids) const {
    const auto set = [this](int32_t& id, std::string_view name,
                            std::string_view of_bert) {
      for (const std::string_view text : {name, of_bert}) {
        const int32_t found = tokenizer_.Id(text);
        if (id < 0 && found >= 0 && tokenizer_.IsSpecial(found)) id = found;
      }
    };
    set(ids.pad, "<pad>", "[PAD]");
    set(ids.unk, "<unk>", "[UNK]");
    set(ids.mask, "<mask>", "[MASK]");
  }

  void SetEnds(SpecialIds& ids) const {
    constexpr const char* kKey = "eos_token_id";
    const char* file =
        generation_.contains(kKey) ? kGenerationConfig : kConfigFile;
    const Json ends =
        (generation_.contains(kKey) ? generation_ : model_).value(kKey, Json());
    std::vector<int32_t> found;
    for (const Json& end : ends.is_array() ? ends : Json::array({ends})) {
      if (end.is_null()) continue;
      if (!end.is_number_integer() || end.get<int64_t>() < 0 ||
          end.get<int64_t>() >= tokenizer_.size()) {
        throw FormatError("{}: {}: {} is no id of the {} of the tokenizer",
                          PathIn(folder_, file), kKey, end.dump(),
                          tokenizer_.size());
      }
      found.push_back(end.get<int32_t>());
    }
    ids.eos = found.empty() ? Named("eos_token") : found.front();
    if (found.size() > 1) ids.other_ends.assign(found.begin() + 1, found.end());
  }

  std::string folder_;
  const Tokenizer& tokenizer_;
  Json config_;
  Json model_;
  Json generation_;
};

std::string NameOf(const Tokenizer& tokenizer, int32_t id) {
  return id < 0 ? "nothing" : fmt::format("'{}'", tokenizer.Text(id));
}

}  // namespace

Vocabulary ReadFileTokenizer(const std::string& folder, TokenizerUse use,
                             int64_t rows, Notes& notes) {
  const std::string path = PathIn(folder, kTokenizerFile);
  if (!HasFile(folder, kTokenizerFile)) {
    throw IoError(
        "{}: missing; make it with Transformers: "
        "AutoTokenizer.from_pretrained(FOLDER).save_pretrained(FOLDER)",
        path);
  }
  Tokenizer tokenizer = Tokenizer::Parse(ReadFile(path), path);
  if (tokenizer.size() > rows) {
    throw FormatError("{}: has {} ids, but vocab_size is {}", path,
                      tokenizer.size(), rows);
  }
  SpecialIds ids = SpecialTokens(folder, tokenizer).Ids(use);
  notes.push_back(
      fmt::format("{}: {} tokens; texts begin with {} and end with {}", path,
                  tokenizer.size(), NameOf(tokenizer, ids.bos),
                  NameOf(tokenizer, ids.eos)));
  return Vocabulary::FromTokenizer(std::move(tokenizer), std::move(ids));
}

}  // namespace heed
