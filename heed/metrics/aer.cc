#include "heed/metrics/aer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "heed/base/errors.h"
#include "heed/base/text.h"

namespace heed {
namespace {

std::optional<int64_t> ParsePosition(std::string_view digits) {
  int64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, value);
  if (error != std::errc() || rest != end || value < 0) return std::nullopt;
  return value;
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
      throw FormatError(fmt::format(
          "{}:{}: '{}' is not an alignment link; write source-target positions "
          "from 0, such as 3-2",
          file, line_number, piece));
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
      throw FormatError(fmt::format(
          "{}:{}: '{}' is not a gold alignment link; write source-target "
          "positions from 0, such as 3-2 (sure) or 3?2 (possible)",
          file, line_number, piece));
    }
    if (sure) gold.sure.insert(*link);
    gold.possible.insert(*link);
  }
  return gold;
}

double AlignmentErrorRate(std::span<const AlignmentLinks> hypotheses,
                          std::span<const GoldAlignment> gold) {
  if (hypotheses.size() != gold.size()) {
    throw ShapeError(fmt::format("aer: {} alignments for {} gold alignments",
                                 hypotheses.size(), gold.size()));
  }
  int64_t matches = 0;
  int64_t links = 0;
  for (size_t i = 0; i < gold.size(); ++i) {
    const AlignmentLinks& found = hypotheses[i];
    matches += CountCommon(found, gold[i].sure);
    matches += CountCommon(found, gold[i].possible);
    links += static_cast<int64_t>(found.size() + gold[i].sure.size());
  }
  if (links == 0) return 0.0;
  return 1.0 - static_cast<double>(matches) / static_cast<double>(links);
}

}  // namespace heed
