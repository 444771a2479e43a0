#include "heed/text/tokenizer/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/text/tokenizer/added_tokens.h"
#include "heed/text/tokenizer/byte_level.h"
#include "heed/text/tokenizer/compact_form.h"
#include "heed/text/tokenizer/decoders.h"
#include "heed/text/tokenizer/model_bpe.h"
#include "heed/text/tokenizer/model_unigram.h"
#include "heed/text/tokenizer/normalizers.h"
#include "heed/text/tokenizer/pre_tokenizers.h"
#include "heed/text/tokenizer/templates.h"
#include "heed/text/tokenizer/tokenizer_file.h"

namespace heed {

namespace tokens {

// Lends each call a cache of its own.
class CachePool {
 public:
  std::unique_ptr<PieceCache> Take() {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        std::unique_ptr<PieceCache> cache = std::move(free_.back());
        free_.pop_back();
        return cache;
      }
    }
    return std::make_unique<PieceCache>();
  }
  void GiveBack(std::unique_ptr<PieceCache> cache) {
    constexpr size_t kMostCaches = 16;
    const std::lock_guard lock(mutex_);
    if (free_.size() < kMostCaches) free_.push_back(std::move(cache));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<PieceCache>> free_;
};

}  // namespace tokens

namespace {

// Leaves out spaces at both ends of a range; white space, for added tokens.
// A single space at the start of a text stays if the tokeniser adds one.
void Trim(std::string_view text, bool added, bool keeps_first,
          tokens::PlacedToken& token) {
  const auto is_space = [added](std::string_view character) {
    if (!added || !IsValidUtf8(character)) return character == " ";
    size_t i = 0;
    return tokens::IsWhite(tokens::NextCode(character, i));
  };
  const std::vector<std::string_view> characters =
      Utf8Characters(text.substr(static_cast<size_t>(token.begin),
                                 static_cast<size_t>(token.end - token.begin)));
  size_t leading = 0;
  size_t trailing = 0;
  for (; leading < characters.size() && is_space(characters[leading]);) {
    ++leading;
  }
  while (trailing < characters.size() &&
         is_space(characters[characters.size() - 1 - trailing])) {
    ++trailing;
  }
  const size_t kept = keeps_first && leading == 1 ? 0 : leading;
  for (size_t i = 0; i < kept; ++i) {
    token.begin += static_cast<int32_t>(characters[i].size());
  }
  for (size_t i = 0; i < trailing && token.end > token.begin; ++i) {
    token.end -=
        static_cast<int32_t>(characters[characters.size() - 1 - i].size());
  }
}

}  // namespace

struct Tokenizer::Tables {
  std::string parts;  // the file without its vocabulary and merges
  // Tables of a compact form, to be used by ReadModel().
  std::optional<tokens::BpeModel::Tables> mapped;
  std::optional<tokens::UnigramModel::Tables> mapped_unigram;
  bool is_mapped = false;
  std::shared_ptr<const void> owner;  // of the memory of mapped tables
  // The model, if it is one of these.
  const tokens::BpeModel* bpe = nullptr;
  const tokens::UnigramModel* unigram = nullptr;

  tokens::TokenTable vocabulary;  // of the model, as in the file
  tokens::TokenTable bytes;       // bytes of each token; may be empty
  std::map<int32_t, tokens::AddedToken> added;
  std::unordered_map<std::string, int32_t> added_ids;
  // Texts of added tokens that the normaliser changes.
  std::unordered_map<int32_t, std::string> normalized_texts;
  std::vector<int32_t> special;
  int32_t rows = 0;
  bool byte_level = false;  // characters of tokens stand for bytes

  tokens::AddedTokenFinder finder;
  tokens::AddedTokenFinder normalized_finder;
  std::vector<tokens::Step> normalizer;
  std::vector<tokens::Step> pre_tokenizer;
  std::unique_ptr<const tokens::Model> model;
  tokens::Template post_processor;
  std::vector<tokens::DecodeStep> decoder;
  bool has_decoder = false;
  mutable tokens::CachePool caches;

  void ReadModel(const tokens::Part& top, const tokens::ModelTables& file);
  std::unique_ptr<const tokens::Model> MakeBpe(const tokens::Part& part,
                                               const tokens::ModelTables& file,
                                               bool bytes_wanted);
  std::unique_ptr<const tokens::Model> MakeUnigram(
      const tokens::Part& part, const tokens::ModelTables& file);
  void ReadParts(const tokens::Part& top, const tokens::ModelTables& file,
                 uint64_t most_rows);
  void ReadAdded(const tokens::Part& top, uint64_t most_rows);
  void AddFinders();
  bool ReadPreTokenizer(const tokens::Part& top);

  std::string_view Text(int32_t id) const {
    const auto found = added.find(id);
    return found != added.end() ? std::string_view(found->second.content)
                                : vocabulary.Text(id);
  }
  bool IsSpecial(int32_t id) const {
    return std::ranges::binary_search(special, id);
  }
  std::vector<tokens::PlacedToken> Tokens(std::string_view text,
                                          bool literal) const;
};

// Returns true if the model reads bytes.
bool Tokenizer::Tables::ReadPreTokenizer(const tokens::Part& top) {
  const auto* value = top.Find("pre_tokenizer");
  if (value == nullptr) return false;
  tokens::PreTokenizer read = tokens::ReadPreTokenizer(
      tokens::Part(*value, top.where() + ": pre_tokenizer"));
  pre_tokenizer = std::move(read.steps);
  return read.ends_in_bytes;
}

void Tokenizer::Tables::ReadModel(const tokens::Part& top,
                                  const tokens::ModelTables& file) {
  const bool bytes_wanted = ReadPreTokenizer(top);
  byte_level = bytes_wanted;
  const auto* value = top.Find("model");
  if (value == nullptr) top.Fail("'model' is missing");
  const tokens::Part part(*value, top.where() + ": model");
  const std::string type = part.Type();
  const bool scored = type == "Unigram";
  if (type != "BPE" && type != "WordPiece" && type != "WordLevel" && !scored) {
    part.Fail(
        "the type '" + type +
        "' is not supported; expected BPE, WordPiece, WordLevel or Unigram");
  }
  if (!is_mapped && file.scored != scored) {
    part.Fail(scored ? "'vocab' must be a list of [\"token\", score]"
                     : "'vocab' must have an id for each token");
  }
  if (!is_mapped) vocabulary = tokens::TokenTable(file.texts);
  if (type == "BPE") {
    model = MakeBpe(part, file, bytes_wanted);
    return;
  }
  if (bytes_wanted) pre_tokenizer.emplace_back(tokens::WriteByteLevel);
  model = scored                ? MakeUnigram(part, file)
          : type == "WordPiece" ? tokens::ReadWordPiece(part, vocabulary)
                                : tokens::ReadWordLevel(part, vocabulary);
}

std::unique_ptr<const tokens::Model> Tokenizer::Tables::MakeUnigram(
    const tokens::Part& part, const tokens::ModelTables& file) {
  const auto options = tokens::ReadUnigramOptions(part, vocabulary);
  tokens::UnigramModel::Tables tables;
  if (is_mapped) {
    tables = std::move(*mapped_unigram);
  } else {
    tables.tree = tokens::TokenTree(vocabulary);
    tables.scores = tokens::Column<double>(file.scores);
  }
  if (tables.scores.size() != vocabulary.size() ||
      !tables.tree.IsValid(vocabulary.size())) {
    part.Fail("the scores or the tree of tokens are damaged");
  }
  auto made = std::make_unique<const tokens::UnigramModel>(
      vocabulary, std::move(tables), options);
  unigram = made.get();
  return made;
}

std::unique_ptr<const tokens::Model> Tokenizer::Tables::MakeBpe(
    const tokens::Part& part, const tokens::ModelTables& file,
    bool bytes_wanted) {
  const tokens::BpeOptions options =
      tokens::ReadBpeOptions(part, vocabulary, bytes_wanted);
  if (bytes_wanted && !options.bytes) {
    pre_tokenizer.emplace_back(tokens::WriteByteLevel);
  }
  if (options.bytes && !is_mapped) {
    std::vector<std::string> raw;
    raw.reserve(file.texts.size());
    for (const std::string& text : file.texts) {
      raw.push_back(tokens::BytesOfToken(text).value_or(""));
    }
    bytes = tokens::TokenTable(raw);
  }
  const tokens::TokenTable& table = options.bytes ? bytes : vocabulary;
  auto made = std::make_unique<const tokens::BpeModel>(
      table,
      is_mapped
          ? std::move(*mapped)
          : tokens::BpeModel::Resolve(part, file, vocabulary, table, options),
      options);
  bpe = made.get();
  return made;
}

void Tokenizer::Tables::ReadAdded(const tokens::Part& top, uint64_t most_rows) {
  rows = static_cast<int32_t>(vocabulary.size());
  const std::string where = top.where() + ": added_tokens: ";
  for (tokens::AddedToken& token : tokens::ReadAddedTokens(top)) {
    const int32_t id = token.id;
    const std::string& content = token.content;
    if (static_cast<uint64_t>(id) >= most_rows + vocabulary.size()) {
      throw FormatError("{}the id {} is too large", where, id);
    }
    const int32_t other = vocabulary.Find(content);
    const auto [place, is_new] = added_ids.emplace(content, id);
    if ((other >= 0 && other != id) || place->second != id) {
      throw FormatError("{}{} has the ids {} and {}", where, Abridged(content),
                        id, place->second != id ? place->second : other);
    }
    const std::string_view text = Text(id);
    if (!text.empty() && text != content) {
      throw FormatError("{}{} and {} have the id {}", where, Abridged(content),
                        Abridged(std::string(text)), id);
    }
    rows = std::max(rows, id + 1);
    if (token.special && !IsSpecial(id)) {
      special.insert(std::ranges::upper_bound(special, id), id);
    }
    added[id] = std::move(token);
  }
}

// Added tokens that count as normalised text are searched by their own
// normalised form.
void Tokenizer::Tables::AddFinders() {
  std::vector<tokens::AddedTokenFinder::Pattern> plain;
  std::vector<tokens::AddedTokenFinder::Pattern> normalized;
  for (const auto& [id, token] : added) {
    if (!token.normalized) {
      plain.push_back({token.content, token});
      continue;
    }
    tokens::Pieces state{tokens::AlignedText(token.content),
                         {{0, static_cast<uint32_t>(token.content.size())}}};
    for (const tokens::Step& step : normalizer) step(state);
    std::string text(state.text.text());
    if (text != token.content) normalized_texts[id] = text;
    normalized.push_back({std::move(text), token});
  }
  finder = tokens::AddedTokenFinder(std::move(plain));
  normalized_finder = tokens::AddedTokenFinder(std::move(normalized));
}

std::vector<tokens::PlacedToken> Tokenizer::Tables::Tokens(
    std::string_view text, bool literal) const {
  tokens::Pieces state{tokens::WellFormed(text), {}};
  const auto size = static_cast<uint32_t>(state.text.text().size());
  if (size > 0) state.pieces.push_back({0, size});
  finder.Cut(state, literal);
  for (const tokens::Step& step : normalizer) step(state);
  normalized_finder.Cut(state, literal);
  for (const tokens::Step& step : pre_tokenizer) step(state);

  std::unique_ptr<tokens::PieceCache> cache = caches.Take();
  std::vector<tokens::PlacedToken> result;
  constexpr size_t kBytesPerToken = 3;  // about
  result.reserve(size / kBytesPerToken + 1);
  std::vector<tokens::PieceToken> found;
  for (const tokens::Piece& piece : state.pieces) {
    found.clear();
    if (piece.is_text()) {
      model->Encode(state.TextOf(piece), *cache, found);
    } else {
      found.push_back({piece.id, 0, piece.end - piece.begin});
    }
    for (const tokens::PieceToken& token : found) {
      const tokens::ByteRange range =
          state.text.Origin(piece.begin + token.begin, piece.begin + token.end);
      result.push_back({token.id, static_cast<int32_t>(range.begin),
                        static_cast<int32_t>(range.end), 0, 0});
      if (!post_processor.trims()) continue;
      const bool first = result.size() == 1 || range.begin == 0;
      Trim(text, !piece.is_text(), first && post_processor.adds_space(),
           result.back());
      // A space that the tokeniser added has no place in the text.
      if (piece.is_text() && token.end == token.begin + 1 &&
          state.TextOf(piece)[token.begin] == ' ' && text[range.begin] != ' ') {
        result.back().end = result.back().begin;
      }
    }
  }
  caches.GiveBack(std::move(cache));
  return result;
}

Tokenizer::Tokenizer(std::shared_ptr<const Tables> tables)
    : tables_(std::move(tables)) {}

void Tokenizer::Tables::ReadParts(const tokens::Part& top,
                                  const tokens::ModelTables& file,
                                  uint64_t most_rows) {
  const auto part = [&top](std::string_view key) {
    return tokens::Part(*top.Find(key),
                        fmt::format("{}: {}", top.where(), key));
  };
  ReadModel(top, file);
  ReadAdded(top, most_rows);
  if (top.Find("normalizer") != nullptr) {
    normalizer = tokens::NormalizerSteps(part("normalizer"));
  }
  if (top.Find("post_processor") != nullptr) {
    post_processor = tokens::Template(part("post_processor"), rows);
  }
  if (top.Find("decoder") != nullptr) {
    has_decoder = true;
    decoder = tokens::DecoderSteps(part("decoder"));
    for (const tokens::Part& inner :
         tokens::Flattened(part("decoder"), "decoders")) {
      if (inner.Type() == "ByteLevel") byte_level = true;
    }
  }
  AddFinders();
  if (!is_mapped) parts = DumpJson(top.value());
}

Tokenizer Tokenizer::Parse(std::string_view json, const std::string& name) {
  const tokens::TokenizerFile file = tokens::ReadTokenizerFile(json, name);
  const auto tables = std::make_shared<Tables>();
  tables->ReadParts(tokens::Part(file.parts, name), file.tables,
                    tokens::MostRows(json.size()));
  return Tokenizer(tables);
}

std::string Tokenizer::Serialize() const {
  tokens::CompactWriter writer;
  writer.Add(std::span<const char>(tables_->parts));
  for (const tokens::TokenTable* table :
       {&tables_->vocabulary, &tables_->bytes}) {
    writer.Add(table->bytes().view());
    writer.Add(table->ends().view());
    writer.Add(table->slots().view());
  }
  const tokens::BpeModel::Tables none;
  const auto& model = tables_->bpe != nullptr ? tables_->bpe->tables() : none;
  writer.Add(model.merges.slots().view());
  writer.Add(model.inner.slots().view());
  const tokens::UnigramModel::Tables no_scores;
  const auto& scored =
      tables_->unigram != nullptr ? tables_->unigram->tables() : no_scores;
  writer.Add(scored.tree.nodes().view());
  writer.Add(scored.tree.bytes().view());
  writer.Add(scored.scores.view());
  return std::move(writer).Finish();
}

Tokenizer Tokenizer::Map(std::string_view bytes,
                         std::shared_ptr<const void> owner,
                         const std::string& name) {
  tokens::CompactReader reader(bytes, name);
  const std::span<const char> text = reader.Take<char>();
  const auto json = ParseJson({text.data(), text.size()}, name);
  const auto tables = std::make_shared<Tables>();
  tables->owner = std::move(owner);
  tables->is_mapped = true;
  tables->parts.assign(text.data(), text.size());
  for (tokens::TokenTable* table : {&tables->vocabulary, &tables->bytes}) {
    tokens::TokenTable::Columns columns;
    columns.bytes = tokens::Column<char>(reader.Take<char>());
    columns.ends = tokens::Column<uint32_t>(reader.Take<uint32_t>());
    columns.slots = tokens::Column<int32_t>(reader.Take<int32_t>());
    if (!tokens::TokenTable::IsValid(columns)) reader.Fail();
    *table = tokens::TokenTable(std::move(columns));
  }
  const std::span<const tokens::Merge> merges = reader.Take<tokens::Merge>();
  const std::span<const uint64_t> inner = reader.Take<uint64_t>();
  if (!std::has_single_bit(merges.size()) ||
      !std::has_single_bit(inner.size())) {
    reader.Fail();
  }
  tables->mapped.emplace(tokens::BpeModel::Tables{
      tokens::MergeTable(tokens::Column<tokens::Merge>(merges)),
      tokens::InnerPairs(tokens::Column<uint64_t>(inner))});
  tokens::Column<tokens::TokenTree::Node> nodes(
      reader.Take<tokens::TokenTree::Node>());
  tokens::Column<uint8_t> tree_bytes(reader.Take<uint8_t>());
  tables->mapped_unigram.emplace(tokens::UnigramModel::Tables{
      tokens::TokenTree(std::move(nodes), std::move(tree_bytes)),
      tokens::Column<double>(reader.Take<double>())});
  tables->ReadParts(tokens::Part(json, name), {},
                    tokens::MostRows(bytes.size()));
  return Tokenizer(tables);
}

std::vector<Tokenizer::Token> Tokenizer::Encode(
    std::string_view text, const EncodeOptions& options) const {
  return tables_->post_processor.Apply(tables_->Tokens(text, options.literal),
                                       options.add_special);
}

std::vector<Tokenizer::Token> Tokenizer::EncodePair(
    std::string_view first, std::string_view second,
    const EncodeOptions& options) const {
  return tables_->post_processor.Apply(tables_->Tokens(first, options.literal),
                                       tables_->Tokens(second, options.literal),
                                       options.add_special);
}

std::string Tokenizer::Decode(std::span<const int32_t> ids,
                              bool skip_special) const {
  std::vector<std::string> texts;
  for (const int32_t id : ids) {
    const auto normalized = tables_->normalized_texts.find(id);
    std::string text(normalized != tables_->normalized_texts.end()
                         ? std::string_view(normalized->second)
                         : Text(id));
    if (text.empty() || (skip_special && IsSpecial(id))) continue;
    texts.push_back(std::move(text));
  }
  if (texts.empty()) return "";
  for (const tokens::DecodeStep& step : tables_->decoder) step(texts);
  return fmt::format("{}", fmt::join(texts, tables_->has_decoder ? "" : " "));
}

int32_t Tokenizer::size() const { return tables_->rows; }

std::string_view Tokenizer::Text(int32_t id) const { return tables_->Text(id); }

int32_t Tokenizer::Id(std::string_view token) const {
  const auto found = tables_->added_ids.find(std::string(token));
  return found != tables_->added_ids.end() ? found->second
                                           : tables_->vocabulary.Find(token);
}

bool Tokenizer::IsSpecial(int32_t id) const { return tables_->IsSpecial(id); }

const std::vector<int32_t>& Tokenizer::special() const {
  return tables_->special;
}

std::string Tokenizer::Bytes(int32_t id) const {
  std::string text(Text(id));
  if (tables_->added.contains(id)) return text;
  if (tables_->byte_level) return tokens::BytesOfToken(text).value_or(text);
  if (const auto byte = tokens::ByteOfFallback(text)) return {*byte};
  return text;
}

std::string Tokenizer::Shown(int32_t id) const {
  std::string shown;
  std::string hidden;  // bytes to be shown as numbers
  const auto end_hidden = [&] {
    if (!hidden.empty()) shown += "⟨" + hidden + "⟩";
    hidden.clear();
  };
  const std::string bytes = Bytes(id);
  for (const std::string_view character : Utf8Characters(bytes)) {
    const auto first = static_cast<unsigned char>(character[0]);
    const std::string_view mark = first == ' '    ? "▁"
                                  : first == '\n' ? "↵"
                                  : first == '\t' ? "⇥"
                                                  : std::string_view();
    const bool control = first < 0x20 || first == 0x7F;
    if (mark.empty() && (control || !IsValidUtf8(character))) {
      for (const char byte : character) {
        hidden += fmt::format("{}{:02X}", hidden.empty() ? "" : " ",
                              static_cast<unsigned char>(byte));
      }
      continue;
    }
    end_hidden();
    shown += mark.empty() ? character : mark;
  }
  end_hidden();
  return shown;
}

}  // namespace heed
