#include "heed/text/bpe_dropout.h"

#include <string>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/text/subwords.h"

namespace heed {
namespace {

bool IsByte(std::string_view piece) {
  return piece.size() == 6 && piece.starts_with("<0x") && piece.ends_with('>');
}

struct Symbol {
  std::string_view text;
  int32_t id;
};

}  // namespace

BpeDropout::BpeDropout(Vocabulary vocabulary, double probability)
    : vocabulary_(std::move(vocabulary)), probability_(probability) {
  if (vocabulary_.kind() != VocabularyKind::kBpe) {
    throw ConfigError(
        "bpe_dropout leaves out merges of a vocabulary of kind bpe; this one "
        "is of kind {}",
        Name(vocabulary_.kind()));
  }
  if (!(probability >= 0 && probability < 1)) {
    throw ConfigError("bpe_dropout is {}; it must be at least 0 and below 1",
                      probability);
  }
  for (int32_t id = kSpecialTokens; id < vocabulary_.size(); ++id) {
    const std::string& piece = vocabulary_.Piece(id);
    if (!IsByte(piece)) ids_.emplace(piece, id);
  }
}

// Pieces are in the vocabulary in merge order.
void BpeDropout::AppendWord(std::string_view word, Rng& rng,
                            std::vector<int32_t>& ids) const {
  const auto id_of = [this](std::string_view text) {
    const auto found = ids_.find(text);
    return found == ids_.end() ? kUnk : found->second;
  };
  std::vector<Symbol> symbols;
  for (std::string_view c : Utf8Characters(word)) {
    symbols.push_back({c, id_of(c)});
  }
  while (true) {
    Symbol first{};
    size_t place = symbols.size();
    for (size_t i = 0; i + 1 < symbols.size(); ++i) {
      const Symbol& left = symbols[i];
      const std::string_view both(
          left.text.data(), left.text.size() + symbols[i + 1].text.size());
      const int32_t id = id_of(both);
      if (id == kUnk || rng.Uniform() < probability_) continue;
      if (place == symbols.size() || id < first.id) {
        first = {both, id};
        place = i;
      }
    }
    if (place == symbols.size()) break;
    symbols[place] = first;
    symbols.erase(symbols.begin() + static_cast<ptrdiff_t>(place) + 1);
  }
  for (const Symbol& symbol : symbols) ids.push_back(symbol.id);
}

std::vector<int32_t> BpeDropout::Segment(std::span<const int32_t> ids,
                                         Rng& rng) const {
  std::vector<int32_t> segmented;
  std::string word;
  const auto end_word = [&] {
    AppendWord(word, rng, segmented);
    word.clear();
  };
  for (const int32_t id : ids) {
    const std::string& piece = vocabulary_.Piece(id);
    if (id < kSpecialTokens || IsByte(piece)) {
      end_word();
      segmented.push_back(id);
      continue;
    }
    if (piece.starts_with(kSpaceMark)) end_word();
    word += piece;
  }
  end_word();
  return segmented;
}

}  // namespace heed
