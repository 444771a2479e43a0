#include "heed/text/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/text/subwords.h"
#include "heed/text/wordpiece.h"

namespace heed {
namespace {

constexpr std::array<const char*, 6> kKindNames = {
    "unigram", "bpe", "words", "characters", "wordpiece", "wordpiece_cased"};
constexpr std::array<const char*, kSpecialTokens> kSpecials = {"<pad>", "<unk>",
                                                               "<s>", "</s>"};

bool IsWordPiece(VocabularyKind kind) {
  return kind == VocabularyKind::kWordPiece ||
         kind == VocabularyKind::kWordPieceCased;
}

bool IsSpecial(std::string_view token) {
  return std::ranges::find(kSpecials, token) != kSpecials.end();
}

std::vector<std::string_view> Split(std::string_view line,
                                    VocabularyKind kind) {
  return kind == VocabularyKind::kWords ? SplitWhitespace(line)
                                        : Utf8Characters(line);
}

// Whether a vocabulary may hold `token` beside the special ones.
bool IsToken(std::string_view token, VocabularyKind kind) {
  return IsValidUtf8(token) && !IsSpecial(token) &&
         Split(token, kind) == std::vector<std::string_view>{token};
}

// The special tokens, then the others by falling frequency.
std::vector<std::string> CountTokens(std::span<const std::string> lines,
                                     const VocabularyOptions& options) {
  std::unordered_map<std::string_view, int64_t> counts;
  for (const std::string& line : lines) {
    for (std::string_view token : Split(line, options.kind)) ++counts[token];
  }
  // A line feed has no place in a file of lines.
  std::erase_if(counts, [](const auto& item) {
    return IsSpecial(item.first) || item.first == "\n";
  });
  if (counts.empty()) {
    throw ConfigError("vocabulary: the training text holds no {}",
                      Name(options.kind));
  }
  std::vector<std::pair<int64_t, std::string_view>> ranked;
  for (const auto& [token, count] : counts) ranked.emplace_back(-count, token);
  std::ranges::sort(ranked);
  // In a text in which all are rare, none is.
  if (-ranked.front().first >= options.min_count) {
    std::erase_if(ranked, [&](const auto& item) {
      return -item.first < options.min_count;
    });
  }
  if (options.size > 0) {
    const size_t room = static_cast<size_t>(options.size - kSpecialTokens);
    ranked.resize(std::min(ranked.size(), room));
  }
  std::vector<std::string> tokens(kSpecials.begin(), kSpecials.end());
  for (const auto& [count, token] : ranked) tokens.emplace_back(token);
  return tokens;
}

}  // namespace

const char* Name(VocabularyKind kind) {
  return kKindNames[static_cast<size_t>(kind)];
}

VocabularyKind ParseVocabularyKind(std::string_view name) {
  const auto found = std::ranges::find(kKindNames, name);
  if (found == kKindNames.end()) {
    throw ConfigError("unknown vocabulary '{}'; choose one of {}", name,
                      fmt::join(kKindNames, ", "));
  }
  return static_cast<VocabularyKind>(found - kKindNames.begin());
}

bool IsSubword(VocabularyKind kind) {
  return kind == VocabularyKind::kUnigram || kind == VocabularyKind::kBpe;
}

const char* FileExtension(VocabularyKind kind) {
  return IsSubword(kind) ? ".model" : ".txt";
}

struct Vocabulary::Tables {
  Tables(VocabularyKind table_kind, std::vector<std::string> table_pieces)
      : kind(table_kind), pieces(std::move(table_pieces)) {
    // Without the special tokens: "</s>" in a text must not end the sentence.
    for (size_t id = kSpecialTokens; id < pieces.size(); ++id) {
      ids.emplace(pieces[id], static_cast<int32_t>(id));
    }
  }
  Tables(VocabularyKind table_kind, std::string_view model,
         const std::string& name)
      : kind(table_kind) {
    if (IsSubword(kind)) {
      subwords.emplace(model, name);
      pieces = subwords->Pieces();
    } else {
      wordpiece.emplace(model, kind == VocabularyKind::kWordPiece, name);
      pieces = wordpiece->pieces();
      special = wordpiece->special();
    }
  }
  Tables(const Tables&) = delete;
  Tables& operator=(const Tables&) = delete;

  int32_t IdOf(std::string_view token) const {
    const auto found = ids.find(token);
    return found == ids.end() ? kUnk : found->second;
  }

  VocabularyKind kind;
  std::vector<std::string> pieces;
  std::unordered_map<std::string_view, int32_t> ids;  // views of pieces
  SpecialIds special;
  std::optional<Subwords> subwords;
  std::optional<WordPiece> wordpiece;
};

Vocabulary::Vocabulary(std::shared_ptr<const Tables> tables)
    : tables_(std::move(tables)) {}

Vocabulary Vocabulary::Train(std::span<const std::string> lines,
                             const VocabularyOptions& options) {
  if (options.byte_fallback && !IsSubword(options.kind)) {
    throw ConfigError(
        "vocabulary: byte_fallback is for unigram and bpe, not for {}",
        Name(options.kind));
  }
  if (IsSubword(options.kind)) {
    return Parse(Subwords::Train(lines, options), options.kind,
                 "the trained vocabulary");
  }
  if (IsWordPiece(options.kind)) {
    return Parse(WordPiece::Train(lines, options), options.kind,
                 "the trained vocabulary");
  }
  if (options.size != 0 && options.size <= kSpecialTokens) {
    throw ConfigError(
        "vocabulary: size is {}; it must be larger than {}, or 0 for all {}",
        options.size, kSpecialTokens, Name(options.kind));
  }
  return Vocabulary(std::make_shared<const Tables>(
      options.kind, CountTokens(lines, options)));
}

Vocabulary Vocabulary::Parse(std::string_view bytes, VocabularyKind kind,
                             const std::string& name) {
  if (IsSubword(kind) || IsWordPiece(kind)) {
    return Vocabulary(std::make_shared<const Tables>(kind, bytes, name));
  }
  std::vector<std::string> tokens;
  for (size_t begin = 0; begin < bytes.size();) {
    const size_t end = std::min(bytes.find('\n', begin), bytes.size());
    const std::string_view token = bytes.substr(begin, end - begin);
    const size_t id = tokens.size();
    if (id < kSpecials.size() ? token != kSpecials[id]
                              : !IsToken(token, kind)) {
      throw FormatError("{}:{}: not a vocabulary of {}: '{}'", name, id + 1,
                        Name(kind), token);
    }
    tokens.emplace_back(token);
    begin = end + 1;
  }
  auto tables = std::make_shared<const Tables>(kind, std::move(tokens));
  if (!bytes.ends_with('\n') ||
      tables->pieces.size() != tables->ids.size() + kSpecials.size()) {
    throw FormatError("{} is cut short or holds a token twice", name);
  }
  return Vocabulary(std::move(tables));
}

std::string Vocabulary::Serialize() const {
  if (tables_->subwords) return tables_->subwords->Serialize();
  std::string bytes;
  for (const std::string& token : tables_->pieces) bytes += token + "\n";
  return bytes;
}

std::vector<int32_t> Vocabulary::Encode(std::string_view line) const {
  return EncodeWithPieces(line).ids;
}

Encoded Vocabulary::EncodeWithPieces(std::string_view line) const {
  if (tables_->subwords) return tables_->subwords->Encode(line);
  if (tables_->wordpiece) return tables_->wordpiece->Encode(line);
  Encoded encoded;
  for (std::string_view token : Split(line, tables_->kind)) {
    encoded.ids.push_back(tables_->IdOf(token));
    encoded.pieces.emplace_back(token);
  }
  return encoded;
}

std::vector<std::vector<int32_t>> Vocabulary::EncodeAll(
    std::span<const std::string> lines) const {
  if (tables_->subwords) return tables_->subwords->EncodeIds(lines);
  std::vector<std::vector<int32_t>> all;
  all.reserve(lines.size());
  for (const std::string& line : lines) all.push_back(Encode(line));
  return all;
}

EncodedWords Vocabulary::EncodeWords(std::span<const std::string> words) const {
  EncodedWords encoded;
  for (const std::string& word : words) {
    encoded.first.push_back(static_cast<int32_t>(encoded.ids.size()));
    const std::vector<int32_t> ids = Encode(word);
    encoded.ids.insert(encoded.ids.end(), ids.begin(), ids.end());
    if (ids.empty()) encoded.ids.push_back(special().unk);
  }
  return encoded;
}

std::string Vocabulary::Decode(std::span<const int32_t> ids) const {
  const SpecialIds& s = special();
  std::vector<std::string> pieces;
  for (const int32_t id : ids) {
    if (id != s.pad && id != s.bos && id != s.eos) pieces.push_back(Piece(id));
  }
  return DecodePieces(pieces);
}

std::string Vocabulary::DecodePieces(
    std::span<const std::string> pieces) const {
  if (tables_->subwords) return tables_->subwords->Join(pieces);
  if (tables_->wordpiece) return WordPiece::Join(pieces);
  const char* separator = tables_->kind == VocabularyKind::kWords ? " " : "";
  return fmt::format("{}", fmt::join(pieces, separator));
}

const std::string& Vocabulary::Piece(int32_t id) const {
  if (id < 0 || id >= size()) {
    throw ShapeError("id {} is outside of the vocabulary of {} tokens", id,
                     size());
  }
  return tables_->pieces[static_cast<size_t>(id)];
}

int Vocabulary::size() const {
  return static_cast<int>(tables_->pieces.size());
}

VocabularyKind Vocabulary::kind() const { return tables_->kind; }

const SpecialIds& Vocabulary::special() const { return tables_->special; }

Encoded EncodeSentence(const Vocabulary& vocabulary, std::string_view line,
                       bool lowercase) {
  Encoded encoded = vocabulary.EncodeWithPieces(
      lowercase ? std::string_view(Lowercase(line)) : line);
  encoded.ids.push_back(kEos);
  encoded.pieces.push_back(vocabulary.Piece(kEos));
  return encoded;
}

}  // namespace heed
