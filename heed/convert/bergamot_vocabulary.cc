#include "heed/convert/bergamot_vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "heed/base/at.h"
#include "heed/text/sentencepiece_model.h"

namespace heed {
namespace {

/// The engine multiplies by blocks of this many rows of the table.
constexpr size_t kBlockOfPieces = 8;

}  // namespace

BergamotVocabulary ExportVocabulary(const Vocabulary& vocabulary,
                                    std::span<const int32_t> first,
                                    int unused) {
  std::vector<int32_t> ids = {kEos, kUnk};
  std::vector<char> used(static_cast<size_t>(vocabulary.size()));
  for (int32_t id = 0; id < kSpecialTokens; ++id) At(used, id) = 1;
  const auto add = [&](int32_t id) {
    if (std::exchange(At(used, id), 1) == 0) ids.push_back(id);
  };
  std::ranges::for_each(first, add);
  for (int32_t id = kSpecialTokens; id < vocabulary.size(); ++id) add(id);

  auto model = SentencePieceModel::Parse(vocabulary.Serialize(), "vocabulary");
  std::vector<SentencePieceModel::Piece> pieces;
  for (const int32_t id : ids) pieces.push_back(At(model.pieces, id));
  for (; unused > 0 || pieces.size() % kBlockOfPieces != 0; --unused) {
    pieces.push_back({fmt::format("<unused{}>", pieces.size()), 0,
                      SentencePieceModel::Type::kControl});
    ids.push_back(-1);
  }
  model.pieces = std::move(pieces);
  model.normal_form = false;  // a rule of Heed's
  return {model.Serialize({.pad = -1, .unk = 1, .bos = -1, .eos = 0}),
          std::move(ids)};
}

MarianShortlist ExportShortlist(const Shortlist& list,
                                const BergamotVocabulary& source,
                                const BergamotVocabulary& target, bool joint) {
  std::vector<int32_t> rows;  // of Heed's ids; -1: none
  for (size_t row = 0; row < target.ids.size(); ++row) {
    const int32_t id = target.ids[row];
    if (id < 0) continue;
    rows.resize(std::max(rows.size(), static_cast<size_t>(id) + 1), -1);
    At(rows, id) = static_cast<int32_t>(row);
  }
  MarianShortlist result = {2, {0}, {}};
  for (const int32_t id : list.frequent()) {
    if (id >= kSpecialTokens)
      result.first = std::max(result.first, At(rows, id) + 1);
  }
  for (const int32_t id : source.ids) {
    std::vector<int32_t> run;
    bool leaves_own = joint;
    for (const int32_t token :
         id < 0 ? std::span<const int32_t>() : list.TargetsOf(id)) {
      if (token == id && std::exchange(leaves_own, false)) continue;
      if (At(rows, token) >= 0) run.push_back(At(rows, token));
    }
    std::ranges::sort(run);
    result.targets.insert(result.targets.end(), run.begin(), run.end());
    result.offsets.push_back(static_cast<int32_t>(result.targets.size()));
  }
  return result;
}

}  // namespace heed
