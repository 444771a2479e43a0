#include "heed/text/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/normal_form.h"
#include "heed/base/text.h"
#include "heed/text/subwords.h"
#include "heed/text/vocabulary_file.h"
#include "heed/text/wordpiece.h"

namespace heed {
namespace {

constexpr std::array kKindNames = {"unigram",
                                   "bpe",
                                   "words",
                                   "characters",
                                   "tokenizer",
                                   "wordpiece",
                                   "wordpiece_cased",
                                   "wordpiece_accents",
                                   "wordpiece_stripped",
                                   "wordpiece_unsplit",
                                   "wordpiece_cased_unsplit",
                                   "wordpiece_accents_unsplit",
                                   "wordpiece_stripped_unsplit"};
constexpr auto kFirstWordPiece = static_cast<int>(VocabularyKind::kWordPiece);
/// Rules in the order of the kinds.
constexpr WordPieceRules kWordPieceRules[] = {
    {true, true, true},   {false, false, true}, {true, false, true},
    {false, true, true},  {true, true, false},  {false, false, false},
    {true, false, false}, {false, true, false}};
constexpr std::array<const char*, 3> kNormalizationNames = {"nmt_nfkc", "nfkc",
                                                            "identity"};
// Last line of a text file of a vocabulary with NormalForm. It cannot be a
// token, because it contains a space and is not a single character.
constexpr std::string_view kNormalFormLine = "normalization nfc\n";
constexpr std::array<const char*, kSpecialTokens> kSpecials = {"<pad>", "<unk>",
                                                               "<s>", "</s>"};

bool IsSpecial(std::string_view token) {
  return std::ranges::find(kSpecials, token) != kSpecials.end();
}

std::vector<std::string_view> Split(std::string_view line,
                                    VocabularyKind kind) {
  return kind == VocabularyKind::kWords ? SplitWhitespace(line)
                                        : Utf8Characters(line);
}

// True if `token` is valid as an ordinary token of a vocabulary.
bool IsToken(std::string_view token, VocabularyKind kind) {
  return IsValidUtf8(token) && !IsSpecial(token) &&
         Split(token, kind) == std::vector<std::string_view>{token};
}

// Removes kNormalFormLine from the end. Returns true if it was there.
bool TakeNormalFormLine(std::string_view& bytes) {
  if (!bytes.ends_with(kNormalFormLine)) return false;
  bytes.remove_suffix(kNormalFormLine.size());
  return true;
}

// Special tokens, then the others by decreasing frequency.
std::vector<std::string> CountTokens(std::span<const std::string> lines,
                                     const VocabularyOptions& options) {
  std::unordered_map<std::string_view, int64_t> counts;
  for (const std::string& line : lines) {
    for (std::string_view token : Split(line, options.kind)) ++counts[token];
  }
  // A line feed cannot be stored in a file of lines.
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
  // If all tokens are rare, none is removed.
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

/// Tokens of a text. A special token of the text counts as one only if it is
/// the mask; any other is plain text, so that no text can end itself.
std::vector<Tokenizer::Token> TokensOf(const SpecialIds& special,
                                       const Tokenizer& tokenizer,
                                       std::string_view text) {
  Tokenizer::EncodeOptions options = {.add_special = false, .literal = false};
  std::vector<Tokenizer::Token> tokens = tokenizer.Encode(text, options);
  options.literal = std::ranges::any_of(tokens, [&](const auto& token) {
    return token.id != special.mask && token.id != special.unk &&
           tokenizer.IsSpecial(token.id);
  });
  if (options.literal) tokens = tokenizer.Encode(text, options);
  return tokens;
}

Encoded EncodeByTokenizer(const Vocabulary& vocabulary,
                          const Tokenizer& tokenizer, std::string_view text) {
  const SpecialIds& special = vocabulary.special();
  Encoded encoded;
  for (const Tokenizer::Token& token : TokensOf(special, tokenizer, text)) {
    encoded.ids.push_back(token.id);
    const auto begin = static_cast<size_t>(token.begin);
    encoded.pieces.push_back(
        token.id == special.unk
            ? std::string(
                  text.substr(begin, static_cast<size_t>(token.end) - begin))
            : vocabulary.Piece(token.id));
  }
  return encoded;
}

/// Tokens of words with spaces between them. A token belongs to the first word
/// that does not end before the token does.
EncodedWords EncodeWordsByTokenizer(const SpecialIds& special,
                                    const Tokenizer& tokenizer,
                                    std::span<const std::string> words) {
  std::string text;
  std::vector<size_t> ends;
  for (const std::string& word : words) {
    if (!ends.empty()) text += ' ';
    text += word;
    ends.push_back(text.size());
  }
  const auto tokens = TokensOf(special, tokenizer, text);
  EncodedWords encoded;
  auto next = tokens.begin();
  for (const size_t end : ends) {
    const size_t first = encoded.ids.size();
    encoded.first.push_back(static_cast<int32_t>(first));
    while (next != tokens.end() && static_cast<size_t>(next->end) <= end) {
      encoded.ids.push_back(next++->id);
    }
    if (encoded.ids.size() > first) continue;
    encoded.ids.push_back(special.unk >= 0 ? special.unk
                                           : std::max(special.eos, 0));
  }
  return encoded;
}

}  // namespace

const char* Name(VocabularyKind kind) { return At(kKindNames, kind); }

VocabularyKind ParseVocabularyKind(std::string_view name) {
  const auto found = std::ranges::find(kKindNames, name);
  if (found == kKindNames.end()) {
    throw ConfigError("unknown vocabulary '{}'; choose one of {}", name,
                      fmt::join(kKindNames, ", "));
  }
  return static_cast<VocabularyKind>(found - kKindNames.begin());
}

std::vector<std::string> NormalizationNames() {
  return {kNormalizationNames.begin(), kNormalizationNames.end()};
}

const char* Name(Normalization normalization) {
  return At(kNormalizationNames, normalization);
}

Normalization ParseNormalization(std::string_view name) {
  const auto found = std::ranges::find(kNormalizationNames, name);
  if (found == kNormalizationNames.end()) {
    throw ConfigError("unknown normalization '{}'; choose one of {}", name,
                      fmt::join(kNormalizationNames, ", "));
  }
  return static_cast<Normalization>(found - kNormalizationNames.begin());
}

bool IsSubword(VocabularyKind kind) {
  return kind == VocabularyKind::kUnigram || kind == VocabularyKind::kBpe;
}

bool MarksSpaces(VocabularyKind kind) {
  return IsSubword(kind) || kind == VocabularyKind::kTokenizer;
}

bool IsWordPiece(VocabularyKind kind) {
  return static_cast<int>(kind) >= kFirstWordPiece;
}

WordPieceRules WordPieceRulesOf(VocabularyKind kind) {
  return kWordPieceRules[static_cast<int>(kind) - kFirstWordPiece];
}

VocabularyKind WordPieceKind(const WordPieceRules& rules) {
  int kind = kFirstWordPiece;
  for (const WordPieceRules& known : kWordPieceRules) {
    if (known.lowercase == rules.lowercase &&
        known.strip_accents == rules.strip_accents &&
        known.split_chinese == rules.split_chinese) {
      break;
    }
    ++kind;
  }
  return static_cast<VocabularyKind>(kind);
}

std::vector<std::string> WithWordPieceNames(std::vector<std::string> others) {
  others.insert(others.end(), kKindNames.begin() + kFirstWordPiece,
                kKindNames.end());
  return others;
}

const char* FileExtension(VocabularyKind kind) {
  if (kind == VocabularyKind::kTokenizer) return ".tokenizer";
  return IsSubword(kind) ? ".model" : ".txt";
}

namespace tokens {

/// Tokens of a tokenizer as readers see them. Each block is made when one of
/// its tokens is first needed, because all of them would delay the start of a
/// command by 100 ms. Thread-safe.
class ShownTokens {
 public:
  explicit ShownTokens(const Tokenizer& tokenizer)
      : tokenizer_(tokenizer),
        texts_(static_cast<size_t>(tokenizer.size())),
        made_(texts_.size() / kBlock + 1) {}

  const std::string& Text(int32_t id) const {
    const auto row = static_cast<size_t>(id);
    std::call_once(made_[row / kBlock], [&] {
      const size_t begin = row / kBlock * kBlock;
      const size_t end = std::min(begin + kBlock, texts_.size());
      for (size_t i = begin; i < end; ++i) {
        texts_[i] = tokenizer_.Shown(static_cast<int32_t>(i));
      }
    });
    return texts_[row];
  }

 private:
  static constexpr size_t kBlock = 256;

  Tokenizer tokenizer_;
  mutable std::vector<std::string> texts_;
  mutable std::vector<std::once_flag> made_;  // of each block
};

}  // namespace tokens

struct Vocabulary::Tables {
  Tables(VocabularyKind table_kind, std::vector<std::string> table_pieces,
         bool reads_normal_form)
      : kind(table_kind),
        normal_form(reads_normal_form),
        pieces(std::move(table_pieces)) {
    // Special tokens are excluded: "</s>" in a text must not end the sentence.
    for (size_t id = kSpecialTokens; id < pieces.size(); ++id) {
      ids.emplace(pieces[id], static_cast<int32_t>(id));
    }
  }
  Tables(VocabularyKind table_kind, std::string_view model,
         const std::string& name)
      : kind(table_kind) {
    if (IsSubword(kind)) {
      subwords.emplace(model, name);
      normal_form = subwords->reads_normal_form();
      pieces = subwords->Pieces();
    } else {
      normal_form = TakeNormalFormLine(model);
      wordpiece.emplace(model, WordPieceRulesOf(kind), name);
      pieces = wordpiece->pieces();
      special = wordpiece->special();
    }
  }
  Tables(Tokenizer table_tokenizer, SpecialIds ids_of_tokenizer)
      : kind(VocabularyKind::kTokenizer),
        special(std::move(ids_of_tokenizer)),
        tokenizer(std::move(table_tokenizer)),
        shown(std::in_place, *tokenizer) {}
  Tables(const Tables&) = delete;
  Tables& operator=(const Tables&) = delete;

  int32_t IdOf(std::string_view token) const {
    const auto found = ids.find(token);
    return found == ids.end() ? kUnk : found->second;
  }

  VocabularyKind kind;
  bool normal_form = false;         // text is converted to NormalForm
  std::vector<std::string> pieces;  // empty for tokenizers
  std::unordered_map<std::string_view, int32_t> ids;  // views of pieces
  SpecialIds special;
  std::optional<Subwords> subwords;
  std::optional<WordPiece> wordpiece;
  std::optional<Tokenizer> tokenizer;
  std::optional<tokens::ShownTokens> shown;  // of the tokenizer
};

Vocabulary::Vocabulary(std::shared_ptr<const Tables> tables)
    : tables_(std::move(tables)) {}

Vocabulary Vocabulary::Train(std::span<const std::string> lines,
                             const VocabularyOptions& options) {
  if (options.kind == VocabularyKind::kTokenizer) {
    throw ConfigError(
        "vocabulary: a tokenizer comes with an imported model; choose another "
        "kind to train from scratch, such as unigram");
  }
  if (options.byte_fallback && !IsSubword(options.kind)) {
    throw ConfigError(
        "vocabulary: byte_fallback is for unigram and bpe, not for {}",
        Name(options.kind));
  }
  if (IsSubword(options.kind)) {
    return Parse(Subwords::Train(lines, options), options.kind,
                 "the trained vocabulary");
  }
  const bool normal_form = options.normalization != Normalization::kIdentity;
  std::vector<std::string> normal;
  if (normal_form) {
    for (const std::string& line : lines) normal.push_back(NormalForm(line));
    lines = normal;
  }
  if (IsWordPiece(options.kind)) {
    std::string tokens = WordPiece::Train(lines, options);
    if (normal_form) tokens += kNormalFormLine;
    return Parse(tokens, options.kind, "the trained vocabulary");
  }
  if (options.size != 0 && options.size <= kSpecialTokens) {
    throw ConfigError(
        "vocabulary: size is {}; it must be larger than {}, or 0 for all {}",
        options.size, kSpecialTokens, Name(options.kind));
  }
  return Vocabulary(std::make_shared<const Tables>(
      options.kind, CountTokens(lines, options), normal_form));
}

Vocabulary Vocabulary::FromTokenizer(Tokenizer tokenizer, SpecialIds special) {
  return Vocabulary(
      std::make_shared<const Tables>(std::move(tokenizer), std::move(special)));
}

Vocabulary Vocabulary::Open(const SharedBytes& bytes, VocabularyKind kind,
                            const std::string& name) {
  if (kind != VocabularyKind::kTokenizer) return Parse(bytes, kind, name);
  StoredTokenizer file = ReadTokenizerFile(bytes, name);
  return FromTokenizer(std::move(file.tokenizer), std::move(file.special));
}

Vocabulary Vocabulary::Parse(std::string_view bytes, VocabularyKind kind,
                             const std::string& name) {
  if (kind == VocabularyKind::kTokenizer) {
    return Open(std::string(bytes), kind, name);
  }
  if (IsSubword(kind) || IsWordPiece(kind)) {
    return Vocabulary(std::make_shared<const Tables>(kind, bytes, name));
  }
  const bool normal_form = TakeNormalFormLine(bytes);
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
  auto tables =
      std::make_shared<const Tables>(kind, std::move(tokens), normal_form);
  if (!bytes.ends_with('\n') ||
      tables->pieces.size() != tables->ids.size() + kSpecials.size()) {
    throw FormatError("{} is cut short or holds a token twice", name);
  }
  return Vocabulary(std::move(tables));
}

std::string Vocabulary::Serialize() const {
  if (tables_->subwords) return tables_->subwords->Serialize();
  if (tables_->tokenizer) {
    return WriteTokenizerFile(*tables_->tokenizer, special());
  }
  std::string bytes;
  for (const std::string& token : tables_->pieces) bytes += token + "\n";
  if (tables_->normal_form) bytes += kNormalFormLine;
  return bytes;
}

std::vector<int32_t> Vocabulary::Encode(std::string_view line) const {
  return EncodeWithPieces(line).ids;
}

Encoded Vocabulary::EncodeWithPieces(std::string_view line) const {
  if (tables_->subwords) return tables_->subwords->Encode(line);
  if (tables_->tokenizer)
    return EncodeByTokenizer(*this, *tables_->tokenizer, line);
  const std::string text = Normalized(line);
  if (tables_->wordpiece) return tables_->wordpiece->Encode(text);
  Encoded encoded;
  for (std::string_view token : Split(text, tables_->kind)) {
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

std::string Vocabulary::Normalized(std::string_view text) const {
  return tables_->normal_form ? NormalForm(text) : std::string(text);
}

EncodedWords Vocabulary::EncodeWords(std::span<const std::string> words) const {
  if (tables_->tokenizer) {
    return EncodeWordsByTokenizer(special(), *tables_->tokenizer, words);
  }
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
  if (tables_->tokenizer) return tables_->tokenizer->Decode(ids, true);
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

std::string Vocabulary::DecodeAfter(const Encoded& prompt,
                                    std::span<const int32_t> ids) const {
  if (tables_->tokenizer) {
    std::vector<int32_t> all = prompt.ids;
    all.insert(all.end(), ids.begin(), ids.end());
    return Decode(all);
  }
  std::vector<std::string> pieces = prompt.pieces;
  for (const int32_t id : ids) pieces.push_back(Piece(id));
  return DecodePieces(pieces);
}

const std::string& Vocabulary::Piece(int32_t id) const {
  if (id < 0 || id >= size()) {
    throw ShapeError("id {} is outside of the vocabulary of {} tokens", id,
                     size());
  }
  return tables_->shown ? tables_->shown->Text(id) : At(tables_->pieces, id);
}

int Vocabulary::size() const {
  if (tables_->tokenizer) return tables_->tokenizer->size();
  return static_cast<int>(tables_->pieces.size());
}

VocabularyKind Vocabulary::kind() const { return tables_->kind; }

const SpecialIds& Vocabulary::special() const { return tables_->special; }

Encoded EncodeSentence(const Vocabulary& vocabulary, std::string_view line,
                       bool lowercase) {
  Encoded encoded = vocabulary.EncodeWithPieces(
      lowercase ? std::string_view(Lowercase(line)) : line);
  if (const int32_t eos = vocabulary.special().eos; eos >= 0) {
    encoded.ids.push_back(eos);
    encoded.pieces.push_back(vocabulary.Piece(eos));
  }
  return encoded;
}

}  // namespace heed
