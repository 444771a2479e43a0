#include "heed/render/timeline_picture.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "heed/base/text.h"
#include "heed/render/drawing.h"
#include "heed/render/markup.h"
#include "heed/render/text_layout.h"

namespace heed {
namespace {

constexpr double kSideWidth = 530;
constexpr double kLineX = kSideWidth + 36;  // position of the line
constexpr double kEntryHeight = 36;
constexpr double kYearGap = 8;
constexpr double kTimelineTop = 44;
constexpr int kNameColumns = 66;
constexpr int kSourceColumns = 76;

/// A paper and its entries.
struct Paper {
  std::string source;
  std::vector<std::string> names;
  bool left = false;
};

/// Papers by year; papers of one year keep the order of the entries.
std::map<int, std::vector<Paper>> PapersByYear(
    std::span<const TimelineEntry> entries) {
  std::map<int, std::vector<Paper>> years;
  for (const TimelineEntry& entry : entries) {
    const std::optional<int> year = YearOf(entry.source);
    if (!year) continue;
    std::vector<Paper>& papers = years[*year];
    const auto found = std::ranges::find_if(papers, [&](const Paper& p) {
      return p.source == entry.source && p.left == entry.left;
    });
    if (found == papers.end()) {
      papers.push_back({entry.source, {entry.name}, entry.left});
    } else if (std::ranges::find(found->names, entry.name) ==
               found->names.end()) {
      found->names.push_back(entry.name);
    }
  }
  return years;
}

std::string NamesOf(const Paper& paper) {
  return fmt::format("{}", fmt::join(paper.names, ", "));
}

void AddPaper(const Paper& paper, double y, MarkupWriter* svg) {
  const double sign = paper.left ? -1 : 1;
  const double x = kLineX + sign * 36;
  const char* anchor = paper.left ? "end" : "start";
  svg->Line(
      "<path class='rule' d='M{:.1f} {:.1f}H{:.1f}'/>"
      "<text class='title' x='{:.1f}' y='{:.1f}' font-size='13' "
      "text-anchor='{}'>{}</text>",
      kLineX + sign * 26, y + 9, x - sign * 4, x, y + 14, anchor,
      EscapeMarkup(Ellipsize(NamesOf(paper), kNameColumns)));
  svg->Line(
      "<text class='quiet' x='{:.1f}' y='{:.1f}' font-size='10.5' "
      "text-anchor='{}'>{}</text>",
      x, y + 28, anchor, EscapeMarkup(Ellipsize(paper.source, kSourceColumns)));
}

}  // namespace

std::optional<int> YearOf(std::string_view source) {
  constexpr size_t kDigits = 4;
  // The identifier of a preprint begins with its year and month: 1706.03762.
  constexpr std::string_view kPreprint = "arXiv:";
  const size_t preprint = source.find(kPreprint);
  if (preprint != std::string_view::npos) {
    const std::string_view id = source.substr(preprint + kPreprint.size());
    const std::optional<int> year = ParseInteger<int>(id.substr(0, 2));
    if (year && id.find('.') == kDigits) return 2000 + *year;
  }
  const auto is_digit = [&](size_t i) {
    return i < source.size() && source[i] >= '0' && source[i] <= '9';
  };
  for (size_t i = 0; i + kDigits <= source.size(); ++i) {
    if (!is_digit(i) || (i > 0 && (is_digit(i - 1) || source[i - 1] == ':'))) {
      continue;
    }
    if (is_digit(i + kDigits)) continue;
    const std::optional<int> year =
        ParseInteger<int>(source.substr(i, kDigits));
    if (year && *year >= 1900 && *year < 2100) return year;
  }
  return std::nullopt;
}

std::string TimelineSvg(std::span<const TimelineEntry> entries,
                        const std::string& left, const std::string& right) {
  MarkupWriter papers;
  MarkupWriter years;
  double y = kTimelineTop;
  for (const auto& year : PapersByYear(entries)) {
    double left_y = y;
    double right_y = y;
    for (const Paper& paper : year.second) {
      double& at = paper.left ? left_y : right_y;
      AddPaper(paper, at, &papers);
      at += kEntryHeight;
    }
    years.Line(
        "<rect class='paper' x='{0:.1f}' y='{1:.1f}' width='50' height='18'/>"
        "<text class='now' x='{2:.1f}' y='{3:.1f}' font-size='14' "
        "text-anchor='middle'>{4}</text>",
        kLineX - 25, y, kLineX, y + 14, year.first);
    y = std::max(left_y, right_y) + kYearGap;
  }
  MarkupWriter svg;
  svg.Line(
      "<text class='quiet' x='{:.1f}' y='14' font-size='12' "
      "text-anchor='end'>{}</text>"
      "<text class='quiet' x='{:.1f}' y='14' font-size='12'>{}</text>",
      kLineX - 36, EscapeMarkup(left), kLineX + 36, EscapeMarkup(right));
  svg.Line("<path class='rule' stroke-width='3' d='M{:.1f} {:.1f}V{:.1f}'/>",
           kLineX, kTimelineTop - 12, y);
  const Drawing drawing = {2 * kLineX, y,
                           svg.Take() + papers.Take() + years.Take()};
  return SvgPicture({&drawing, 1}, {.label = left + " and " + right});
}

std::string TimelineText(std::span<const TimelineEntry> entries,
                         const TerminalOptions& terminal) {
  constexpr int kYearColumns = 6;
  constexpr int kSourceWidth = 32;
  const int names = std::max(20, terminal.width - kYearColumns - kSourceWidth);
  std::vector<TimelineEntry> joined(entries.begin(), entries.end());
  for (TimelineEntry& entry : joined) entry.left = false;
  std::string out;
  for (const auto& year : PapersByYear(joined)) {
    std::string label = std::to_string(year.first);
    for (const Paper& paper : year.second) {
      out += terminal::Strong(terminal, Pad(label, kYearColumns)) +
             Pad(NamesOf(paper), names - 2) + "  " +
             terminal::Quiet(
                 terminal,
                 Ellipsize(SplitOnce(paper.source, ", ").first, kSourceWidth)) +
             '\n';
      label.clear();
    }
  }
  return out;
}

}  // namespace heed
