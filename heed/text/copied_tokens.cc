#include "heed/text/copied_tokens.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "heed/base/at.h"

namespace heed {

Encoded EncodeCopiedTarget(const Vocabulary& vocabulary, std::string_view line,
                           bool lowercase,
                           std::span<const std::string> source_pieces) {
  Encoded encoded = EncodeSentence(vocabulary, line, lowercase);
  for (size_t i = 0; i < encoded.ids.size(); ++i) {
    if (encoded.ids[i] != vocabulary.special().unk) continue;
    const auto found = std::ranges::find(source_pieces, encoded.pieces[i]);
    if (found == source_pieces.end()) continue;
    encoded.ids[i] =
        vocabulary.size() + static_cast<int32_t>(found - source_pieces.begin());
  }
  return encoded;
}

Encoded EncodeCopiedSource(const Vocabulary& vocabulary, std::string_view line,
                           bool lowercase) {
  Encoded encoded = EncodeSentence(vocabulary, line, lowercase);
  for (size_t i = 0; i < encoded.ids.size(); ++i) {
    if (encoded.ids[i] != vocabulary.special().unk) continue;
    const auto first = std::ranges::find(encoded.pieces, encoded.pieces[i]);
    encoded.ids[i] = vocabulary.size() +
                     static_cast<int32_t>(first - encoded.pieces.begin());
  }
  return encoded;
}

CopyTable CopyTableOf(const Vocabulary& source, const Vocabulary& target) {
  std::unordered_map<std::string_view, int32_t> ids;
  for (int32_t id = 0; id < target.size(); ++id) {
    if (!target.special().IsSpecial(id)) ids.emplace(target.Piece(id), id);
  }
  const SpecialIds& from = source.special();
  const SpecialIds& to = target.special();
  CopyTable table = {{}, from.unk, to.unk, target.size()};
  for (int32_t id = 0; id < source.size(); ++id) {
    const auto found = ids.find(source.Piece(id));
    table.target_ids.push_back(from.IsEnd(id)       ? to.eos
                               : id == from.unk     ? to.unk
                               : from.IsSpecial(id) ? -1
                               : found == ids.end() ? -1
                                                    : found->second);
  }
  return table;
}

const std::string& PieceOrCopy(const Vocabulary& vocabulary, int32_t id,
                               std::span<const std::string> source_pieces) {
  const auto position = static_cast<int64_t>(id) - vocabulary.size();
  return position >= 0 && position < std::ssize(source_pieces)
             ? At(source_pieces, position)
             : vocabulary.Piece(id);
}

}  // namespace heed
