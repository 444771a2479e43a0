#include "heed/metrics/aer.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/text.h"

namespace heed {
namespace {

std::optional<int64_t> ParsePosition(std::string_view digits) {
  const auto position = ParseInteger<int64_t>(digits);
  return position && *position >= 0 ? position : std::nullopt;
}

std::optional<AlignmentLink> ParseLink(std::string_view text, char separator) {
  const size_t at = text.find(separator);
  if (at == std::string_view::npos) return std::nullopt;
  const auto source = ParsePosition(text.substr(0, at));
  const auto target = ParsePosition(text.substr(at + 1));
  if (!source || !target) return std::nullopt;
  return AlignmentLink{*source, *target};
}

int64_t CountCommon(const AlignmentLinks& a, const AlignmentLinks& b) {
  return std::ranges::count_if(
      a, [&](const AlignmentLink& link) { return b.contains(link); });
}

}  // namespace

AlignmentLinks ParseAlignment(std::string_view line, std::string_view file,
                              int64_t line_number) {
  AlignmentLinks links;
  for (std::string_view piece : SplitWhitespace(line)) {
    const auto link = ParseLink(piece, '-');
    if (!link) {
      throw FormatError(
          "{}:{}: '{}' is not an alignment link; write source-target positions "
          "from 0, such as 3-2",
          file, line_number, piece);
    }
    links.insert(*link);
  }
  return links;
}

GoldAlignment ParseGoldAlignment(std::string_view line, std::string_view file,
                                 int64_t line_number) {
  GoldAlignment gold;
  for (std::string_view piece : SplitWhitespace(line)) {
    const auto sure = ParseLink(piece, '-');
    const auto link = sure ? sure : ParseLink(piece, '?');
    if (!link) {
      throw FormatError(
          "{}:{}: '{}' is not a gold alignment link; write source-target "
          "positions from 0, such as 3-2 (sure) or 3?2 (possible)",
          file, line_number, piece);
    }
    if (sure) gold.sure.insert(*link);
    gold.possible.insert(*link);
  }
  return gold;
}

std::string FormatAlignment(const AlignmentLinks& links) {
  std::vector<AlignmentLink> ordered(links.begin(), links.end());
  std::ranges::sort(ordered, {}, [](const AlignmentLink& link) {
    return std::pair(link.target, link.source);
  });
  std::string line;
  for (const AlignmentLink& link : ordered) {
    line += fmt::format("{}{}-{}", line.empty() ? "" : " ", link.source,
                        link.target);
  }
  return line;
}

AlignmentScore ScoreAlignments(std::span<const AlignmentLinks> found,
                               std::span<const GoldAlignment> gold) {
  if (found.size() != gold.size()) {
    throw ShapeError("aer: {} alignments for {} gold alignments", found.size(),
                     gold.size());
  }
  double links = 0;
  double sure = 0;
  double right_sure = 0;
  double right_possible = 0;
  for (size_t i = 0; i < gold.size(); ++i) {
    links += static_cast<double>(found[i].size());
    sure += static_cast<double>(gold[i].sure.size());
    right_sure += static_cast<double>(CountCommon(found[i], gold[i].sure));
    right_possible +=
        static_cast<double>(CountCommon(found[i], gold[i].possible));
  }
  AlignmentScore score;
  if (links + sure > 0) {
    score.error_rate = 1 - (right_sure + right_possible) / (links + sure);
  }
  if (links > 0) score.precision = right_possible / links;
  if (sure > 0) score.recall = right_sure / sure;
  return score;
}

}  // namespace heed
