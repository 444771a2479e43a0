#include "heed/text/tokenizer/model_bpe.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <functional>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/text/tokenizer/byte_level.h"
#include "heed/text/tokenizer/utf8.h"

namespace heed::tokens {
namespace {

constexpr size_t kFewSymbols = 48;
constexpr size_t kBlock = 256;  // symbols of a block of a long piece

// Calls body(code) for each unit: bytes or characters.
template <typename Body>
void ForEachUnit(std::string_view text, bool bytes, Body&& body) {
  for (size_t i = 0; i < text.size();) {
    if (bytes) {
      body(static_cast<int32_t>(static_cast<unsigned char>(text[i++])));
    } else {
      body(NextCode(text, i));
    }
  }
}

// Appends the pairs of adjacent units of a token.
void AppendPairs(std::string_view token, bool bytes,
                 std::vector<uint64_t>& pairs) {
  int32_t last = -1;
  ForEachUnit(token, bytes, [&](int32_t code) {
    if (last >= 0) pairs.push_back(InnerPairs::Key(last, code));
    last = code;
  });
}

void Deduplicate(std::vector<uint64_t>& pairs) {
  std::ranges::sort(pairs);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
}

// Symbols in a list: a removed symbol has the id −1.
struct Node {
  int32_t id;
  uint32_t begin;
  uint32_t end;
  int32_t previous;
  int32_t next;
};

}  // namespace

InnerPairs::InnerPairs(const std::vector<uint64_t>& pairs) {
  std::vector<uint64_t> slots(std::bit_ceil(2 * pairs.size() + 2));
  for (const uint64_t pair : pairs) {
    size_t slot = (pair * 0x9E3779B97F4A7C15 >> 20) & (slots.size() - 1);
    while (slots[slot] != 0 && slots[slot] != pair) {
      slot = (slot + 1) & (slots.size() - 1);
    }
    slots[slot] = pair;
  }
  slots_ = Column<uint64_t>(std::move(slots));
}

bool InnerPairs::Has(uint64_t key) const {
  const size_t mask = slots_.size() - 1;
  size_t slot = (key * 0x9E3779B97F4A7C15 >> 20) & mask;
  // A damaged file may have no empty entry.
  for (size_t probes = 0; probes <= mask; ++probes) {
    if (slots_[slot] == key) return true;
    if (slots_[slot] == 0) return false;
    slot = (slot + 1) & mask;
  }
  return true;
}

BpeOptions ReadBpeOptions(const Part& part, const TokenTable& vocabulary,
                          bool bytes) {
  BpeOptions options;
  const auto* dropout = part.Find("dropout");
  if (dropout != nullptr && !(dropout->is_number() && *dropout == 0)) {
    part.Fail("'dropout' is not supported; set it to null");
  }
  options.ignore_merges = part.Flag("ignore_merges", false);
  options.fuse_unknown = part.Flag("fuse_unk", false);
  options.byte_fallback = part.Flag("byte_fallback", false);
  options.prefix = part.Text("continuing_subword_prefix", "");
  options.suffix = part.Text("end_of_word_suffix", "");
  if (const auto unknown = part.OptionalText("unk_token")) {
    options.unknown = vocabulary.Find(*unknown);
    if (options.unknown < 0) {
      part.Fail(fmt::format("the unk_token {} is not in the vocabulary",
                            Abridged(*unknown)));
    }
  }
  options.bytes = bytes && !options.byte_fallback && options.prefix.empty() &&
                  options.suffix.empty();
  return options;
}

BpeModel::Tables BpeModel::Resolve(const Part& part, const ModelTables& file,
                                   const TokenTable& file_vocabulary,
                                   const TokenTable& vocabulary,
                                   const BpeOptions& options) {
  std::vector<Merge> merges;
  std::vector<uint64_t> pairs;
  merges.reserve(file.merges.size() / 2);
  const auto id_of = [&](const std::string& token, size_t index) {
    const int32_t id = file_vocabulary.Find(token);
    if (id >= 0) return id;
    part.Fail(
        fmt::format("merge {} needs the token {}, which is not in the "
                    "vocabulary",
                    index, Abridged(token)));
  };
  std::string product;
  for (size_t i = 0; i + 1 < file.merges.size(); i += 2) {
    const std::string& left = file.merges[i];
    const std::string& right = file.merges[i + 1];
    if (right.size() < options.prefix.size()) {
      part.Fail(fmt::format("merge {} lacks the prefix {}", i / 2,
                            Abridged(options.prefix)));
    }
    product.assign(left).append(right, options.prefix.size());
    const Merge merge{id_of(left, i / 2), id_of(right, i / 2),
                      id_of(product, i / 2), Narrow(i / 2)};
    merges.push_back(merge);
    AppendPairs(vocabulary.Text(merge.product), options.bytes, pairs);
    constexpr size_t kManyPairs = size_t{1} << 22;
    if (pairs.size() > kManyPairs) {
      Deduplicate(pairs);
    }
  }
  Deduplicate(pairs);
  return {MergeTable(merges), InnerPairs(pairs)};
}

BpeModel::BpeModel(const TokenTable& vocabulary, Tables tables,
                   BpeOptions options)
    : vocabulary_(vocabulary),
      tables_(std::move(tables)),
      options_(std::move(options)),
      fallback_ids_(ByteTokenIds(vocabulary)) {
  for (int32_t byte = 0; byte < 256; ++byte) {
    const auto c = static_cast<char>(byte);
    byte_ids_[static_cast<size_t>(byte)] = vocabulary_.Find({&c, 1});
  }
}

void BpeModel::Encode(std::string_view piece, PieceCache& cache,
                      std::vector<PieceToken>& tokens) const {
  constexpr size_t kLongPiece = 64;
  const bool cut = piece.size() > kLongPiece && !options_.ignore_merges &&
                   options_.prefix.empty() && options_.suffix.empty();
  if (cut) {
    EncodeCut(piece, cache, tokens);
  } else {
    EncodeCached(piece, 0, cache, tokens);
  }
}

// Cuts a long piece where no merge can cross. Unknown characters are not cut
// off, because they may be fused.
void BpeModel::EncodeCut(std::string_view piece, PieceCache& cache,
                         std::vector<PieceToken>& tokens) const {
  size_t begin = 0;
  int32_t last = -1;
  for (size_t i = 0; i < piece.size();) {
    const size_t at = i;
    int32_t code = static_cast<unsigned char>(piece[i]);
    if (options_.bytes || code < 0x80) {
      ++i;
    } else {
      code = NextCode(piece, i);
    }
    const bool known = CharacterId(piece.substr(at, i - at), false, false) >= 0;
    if (known && last >= 0 && !tables_.inner.Has(InnerPairs::Key(last, code))) {
      EncodeCached(piece.substr(begin, at - begin), Narrow(begin), cache,
                   tokens);
      begin = at;
    }
    last = known ? code : -1;
  }
  EncodeCached(piece.substr(begin), Narrow(begin), cache, tokens);
}

void BpeModel::EncodeCached(std::string_view piece, uint32_t offset,
                            PieceCache& cache,
                            std::vector<PieceToken>& tokens) const {
  cache.EncodeThrough(
      piece, offset, tokens,
      [&](std::string_view part, uint32_t at, std::vector<PieceToken>& result) {
        EncodeWhole(part, at, cache.scratch(), result);
      });
}

void BpeModel::EncodeWhole(std::string_view piece, uint32_t offset,
                           Symbols& symbols,
                           std::vector<PieceToken>& tokens) const {
  if (options_.ignore_merges) {
    if (const int32_t id = vocabulary_.Find(piece); id >= 0) {
      tokens.push_back({id, offset, offset + Narrow(piece.size())});
      return;
    }
  }
  symbols.clear();
  AppendSymbols(piece, symbols);
  if (symbols.size() >= 4 * kBlock) {
    MergeBlocks(symbols);
  } else {
    MergeAll(symbols);
  }
  for (const PieceToken& symbol : symbols) {
    if (static_cast<size_t>(symbol.id) >= vocabulary_.size()) {
      throw FormatError("tokenizer: the table of merges is damaged");
    }
    tokens.push_back({symbol.id, offset + symbol.begin, offset + symbol.end});
  }
}

int32_t BpeModel::CharacterId(std::string_view character, bool first,
                              bool last) const {
  const bool prefixed = !first && !options_.prefix.empty();
  const bool suffixed = last && !options_.suffix.empty();
  if (!prefixed && !suffixed) {
    return character.size() == 1
               ? byte_ids_[static_cast<unsigned char>(character[0])]
               : vocabulary_.Find(character);
  }
  std::string token = prefixed ? options_.prefix : "";
  token.append(character);
  if (suffixed) token.append(options_.suffix);
  return vocabulary_.Find(token);
}

void BpeModel::AppendSymbols(std::string_view piece, Symbols& symbols) const {
  for (size_t i = 0; i < piece.size();) {
    const size_t begin = i++;
    while (!options_.bytes && i < piece.size() && !BeginsCharacter(piece[i])) {
      ++i;
    }
    const std::string_view character = piece.substr(begin, i - begin);
    const bool last = i == piece.size();
    const int32_t id = CharacterId(character, begin == 0, last);
    if (id >= 0) {
      symbols.push_back({id, Narrow(begin), Narrow(i)});
    } else {
      AppendUnknown(character, begin == 0, last, Narrow(begin), symbols);
    }
  }
}

void BpeModel::AppendUnknown(std::string_view character, bool first, bool last,
                             uint32_t begin, Symbols& symbols) const {
  const uint32_t end = begin + Narrow(character.size());
  if (options_.byte_fallback) {
    std::string bytes = first ? "" : options_.prefix;
    bytes.append(character);
    if (last) bytes.append(options_.suffix);
    const auto id_of = [this](char byte) {
      return fallback_ids_[static_cast<unsigned char>(byte)];
    };
    if (std::ranges::all_of(bytes, [&](char c) { return id_of(c) >= 0; })) {
      for (size_t i = 0; i < bytes.size(); ++i) {
        // Bytes of the prefix and the suffix have the ranges beside them.
        const uint32_t from = std::min(begin + Narrow(i), end - 1);
        symbols.push_back({id_of(bytes[i]), from, from + 1});
      }
      return;
    }
  }
  if (options_.unknown < 0) return;
  const bool fuse = options_.fuse_unknown && !symbols.empty() &&
                    symbols.back().id == options_.unknown &&
                    symbols.back().end == begin;
  if (fuse) {
    symbols.back().end = end;
  } else {
    symbols.push_back({options_.unknown, begin, end});
  }
}

void BpeModel::MergeAll(Symbols& symbols) const {
  if (symbols.size() <= kFewSymbols) {
    MergeFew(symbols);
  } else {
    MergeMany(symbols);
  }
}

// Merges a long piece block by block, so that the symbols at work stay in the
// cache of the processor. Tokens are those of the whole piece if and only if
// each two neighbours, merged alone, stay as they are: the first merge across
// the border of two tokens would also happen without the rest of the piece,
// because merges of other symbols do not change the order of merges here.
void BpeModel::MergeBlocks(Symbols& symbols) const {
  const Symbols characters = symbols;
  const uint32_t size = Narrow(characters.size());
  symbols.clear();
  for (uint32_t begin = 0; begin < size; begin += kBlock) {
    const uint32_t end = std::min(size, begin + Narrow(kBlock));
    if (Join(characters, symbols, Merged(characters, begin, end))) continue;
    symbols = Merged(characters, 0, size);
    break;
  }
  for (PieceToken& token : symbols) {
    token.begin = characters[token.begin].begin;
    token.end = characters[token.end - 1].end;
  }
}

// Tokens of characters begin to end − 1 alone. Their ranges count characters.
BpeModel::Symbols BpeModel::Merged(const Symbols& characters, uint32_t begin,
                                   uint32_t end) const {
  Symbols symbols;
  symbols.reserve(end - begin);
  for (uint32_t i = begin; i < end; ++i) {
    symbols.push_back({characters[i].id, i, i + 1});
  }
  MergeAll(symbols);
  return symbols;
}

bool BpeModel::AreApart(const Symbols& characters, const PieceToken& left,
                        const PieceToken& right) const {
  const Symbols both = Merged(characters, left.begin, right.end);
  return both.size() == 2 && both[0].end == left.end;
}

// Appends the tokens of the next block. Merges a window around the border anew
// and widens it until its neighbours on both sides are apart from it. Returns
// false if the window becomes too large.
bool BpeModel::Join(const Symbols& characters, Symbols& left,
                    const Symbols& right) const {
  Symbols window;
  size_t kept = left.size();  // tokens of `left` before the window
  size_t taken = 0;           // tokens of `right` in the window
  for (size_t step = 1; kept > 0 || taken > 0; step *= 2) {
    const bool left_apart =
        kept == 0 || AreApart(characters, left[kept - 1],
                              window.empty() ? right[0] : window.front());
    const bool right_apart =
        taken == right.size() ||
        (window.empty() ? left_apart
                        : AreApart(characters, window.back(), right[taken]));
    if (left_apart && right_apart) break;
    if (!left_apart) kept -= std::min(kept, step);
    if (!right_apart) taken = std::min(right.size(), taken + step);
    const uint32_t border = right[0].begin;
    const uint32_t begin = kept < left.size() ? left[kept].begin : border;
    const uint32_t end = taken > 0 ? right[taken - 1].end : border;
    if (end - begin > 2 * kBlock) return false;
    window = Merged(characters, begin, end);
  }
  left.resize(kept);
  left.insert(left.end(), window.begin(), window.end());
  left.insert(left.end(), right.begin() + static_cast<std::ptrdiff_t>(taken),
              right.end());
  return true;
}

// Finds the merge of the lowest rank anew after each merge.
void BpeModel::MergeFew(Symbols& symbols) const {
  std::array<const Merge*, kFewSymbols> merges{};
  const auto find = [&](size_t i) {
    merges[i] = i + 1 < symbols.size()
                    ? tables_.merges.Find(symbols[i].id, symbols[i + 1].id)
                    : nullptr;
  };
  for (size_t i = 0; i < symbols.size(); ++i) find(i);
  while (true) {
    size_t best = symbols.size();
    uint32_t rank = UINT32_MAX;
    for (size_t i = 0; i < symbols.size(); ++i) {
      if (merges[i] == nullptr || merges[i]->rank >= rank) continue;
      best = i;
      rank = merges[i]->rank;
    }
    if (best == symbols.size()) return;
    symbols[best].id = merges[best]->product;
    symbols[best].end = symbols[best + 1].end;
    for (size_t i = best + 1; i + 1 < symbols.size(); ++i) {
      symbols[i] = symbols[i + 1];
      merges[i] = merges[i + 1];
    }
    symbols.pop_back();
    find(best);
    if (best > 0) find(best - 1);
  }
}

// Keeps candidates in a heap and symbols in a linked list: O(n log n).
void BpeModel::MergeMany(Symbols& symbols) const {
  const auto size = static_cast<int32_t>(symbols.size());
  std::vector<Node> nodes;
  nodes.reserve(symbols.size());
  for (int32_t i = 0; i < size; ++i) {
    const PieceToken& symbol = symbols[static_cast<size_t>(i)];
    nodes.push_back({symbol.id, symbol.begin, symbol.end, i - 1,
                     i + 1 < size ? i + 1 : -1});
  }
  const auto node = [&nodes](int32_t i) -> Node& {
    return nodes[static_cast<size_t>(i)];
  };
  const auto merge_at = [&](int32_t i) -> const Merge* {
    if (i < 0 || node(i).id < 0 || node(i).next < 0) return nullptr;
    return tables_.merges.Find(node(i).id, node(node(i).next).id);
  };
  // Rank above position: the smallest is the next merge.
  std::vector<uint64_t> heap;
  const auto key_of = [](const Merge& merge, int32_t i) {
    return uint64_t{merge.rank} << 32 | static_cast<uint32_t>(i);
  };
  for (int32_t i = 0; i < size; ++i) {
    if (const Merge* merge = merge_at(i)) heap.push_back(key_of(*merge, i));
  }
  std::ranges::make_heap(heap, std::greater<>());
  const auto add = [&](int32_t i) {
    if (const Merge* merge = merge_at(i)) {
      heap.push_back(key_of(*merge, i));
      std::ranges::push_heap(heap, std::greater<>());
    }
  };
  while (!heap.empty()) {
    std::ranges::pop_heap(heap, std::greater<>());
    const uint64_t key = heap.back();
    heap.pop_back();
    const auto i = static_cast<int32_t>(key & UINT32_MAX);
    const Merge* merge = merge_at(i);
    if (merge == nullptr || merge->rank != key >> 32) continue;  // outdated
    Node& left = node(i);
    Node& right = node(left.next);
    left.id = merge->product;
    left.end = right.end;
    left.next = right.next;
    right.id = -1;
    if (left.next >= 0) node(left.next).previous = i;
    add(left.previous);
    add(i);
  }
  symbols.clear();
  for (const Node& left : nodes) {
    if (left.id >= 0) symbols.push_back({left.id, left.begin, left.end});
  }
}

}  // namespace heed::tokens
