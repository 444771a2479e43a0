#include "heed/convert/mapped_shortlist.h"

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/data/lexicon.h"

namespace heed {
namespace {

/// Heed's id of each row; -1: none.
std::vector<int32_t> IdsOfRows(const MappedVocabulary& vocabulary,
                               int64_t rows) {
  std::vector<int32_t> ids(static_cast<size_t>(rows), -1);
  const auto own = vocabulary.size() - static_cast<int32_t>(vocabulary.copies);
  for (int32_t id = 0; id < own; ++id) {
    const int32_t row = At(vocabulary.rows, id);
    if (row >= 0 && row < rows) At(ids, row) = id;
  }
  return ids;
}

/// Row of each token.
std::unordered_map<std::string, int32_t> RowsOfTokens(
    const MappedVocabulary& vocabulary, const std::string& file) {
  const Vocabulary parsed =
      Vocabulary::Parse(vocabulary.bytes, vocabulary.kind, file);
  std::unordered_map<std::string, int32_t> rows;
  const auto own = vocabulary.size() - static_cast<int32_t>(vocabulary.copies);
  for (int32_t id = 0; id < own; ++id) {
    const int32_t row = At(vocabulary.rows, id);
    if (row >= 0) rows.emplace(parsed.Piece(id), row);
  }
  return rows;
}

/// A target row with its probability.
struct RatedRow {
  int32_t row = 0;
  double probability = 0;
};

}  // namespace

MarianShortlist ReadTextShortlist(const std::string& path,
                                  const MappedPair& vocabularies,
                                  int64_t source_rows, int64_t target_rows,
                                  const TextShortlistOptions& options) {
  const auto sources = RowsOfTokens(vocabularies.source, path);
  const auto targets = RowsOfTokens(vocabularies.target, path);
  std::vector<std::vector<RatedRow>> rated(static_cast<size_t>(source_rows));
  bool any = false;
  ForEachTranslationOfTokens(
      path, [&](std::string_view target, std::string_view source,
                double probability) {
        const auto s = sources.find(std::string(source));
        const auto t = targets.find(std::string(target));
        if (s == sources.end() || t == targets.end()) return;
        At(rated, s->second).push_back({t->second, probability});
        any = true;
      });
  if (!any) {
    throw FormatError(
        "{}: no line has tokens of the model's vocabularies; import without "
        "this file, or with the one of this model",
        path);
  }
  MarianShortlist list;
  list.first = static_cast<int32_t>(
      std::min<int64_t>(std::max(options.first, 0), target_rows));
  list.offsets = {0};
  for (std::vector<RatedRow>& rows : rated) {
    std::ranges::stable_sort(rows, std::greater(), &RatedRow::probability);
    rows.resize(
        std::min(rows.size(), static_cast<size_t>(std::max(options.best, 0))));
    std::ranges::sort(rows, {}, &RatedRow::row);
    for (const RatedRow& one : rows) list.targets.push_back(one.row);
    list.offsets.push_back(static_cast<int32_t>(list.targets.size()));
  }
  return list;
}

Shortlist MapShortlist(const MarianShortlist& list, const std::string& file,
                       const MappedPair& vocabularies, int64_t source_rows,
                       int64_t target_rows) {
  const int64_t sources = std::ssize(list.offsets) - 1;
  if (sources != source_rows) {
    throw FormatError(
        "{}: a shortlist of {} source tokens, but the model has {}", file,
        sources, source_rows);
  }
  const auto beyond = [&](int32_t row) { return row >= target_rows; };
  if (list.first > target_rows || std::ranges::any_of(list.targets, beyond)) {
    throw FormatError(
        "{}: a shortlist with target tokens beyond the {} of the model", file,
        target_rows);
  }
  const std::vector<int32_t> target_ids =
      IdsOfRows(vocabularies.target, target_rows);
  std::vector<int32_t> frequent;
  for (int32_t row = 0; row < list.first; ++row) {
    if (At(target_ids, row) >= 0) frequent.push_back(At(target_ids, row));
  }
  int32_t fill = -1;
  for (int64_t row = list.first; row < target_rows && fill < 0; ++row) {
    fill = At(target_ids, row);
  }
  std::vector<int32_t> first = {0};
  std::vector<int32_t> targets;
  for (int32_t id = 0; id < vocabularies.source.size(); ++id) {
    const int32_t row = At(vocabularies.source.rows, id);
    if (row >= 0) {
      if (vocabularies.same_tokens) targets.push_back(id);
      for (int32_t i = At(list.offsets, row); i < At(list.offsets, row + 1);
           ++i) {
        const int32_t target = At(target_ids, At(list.targets, i));
        if (target >= 0) targets.push_back(target);
      }
    }
    first.push_back(static_cast<int32_t>(targets.size()));
  }
  return Shortlist::Of(std::move(frequent), std::move(first),
                       std::move(targets), vocabularies.target.size(), fill);
}

}  // namespace heed
