#include "heed/render/contributions_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include "heed/base/at.h"
#include "heed/base/text.h"
#include "heed/explain/payloads.h"
#include "heed/render/markup.h"
#include "heed/render/plot_axes.h"
#include "heed/render/text_layout.h"

namespace heed {
namespace {

constexpr double kPartsLeft = 64;  // panel names and scale numbers
constexpr double kPartsWidest = kPictureWidth - kPartsLeft - 20;
constexpr double kPartsPitch = 26;
constexpr double kVisitGap = 14;
constexpr double kAlphaHeight = 70;
constexpr double kBarsHeight = 220;
constexpr double kBetaBand = 6;
constexpr double kCodeFont = 11;
constexpr double kMinForNames = 11;  // spacing of bars that all have names
constexpr size_t kMaxNames = 24;     // if not all bars have names
constexpr double kMinBetweenNames = 14;
constexpr double kBetweenLabels = 2;
constexpr int kCodeColumns = 14;
constexpr int64_t kMaxGroupsOfText = 30;

/// Parts of a segment that the view shows; pointers into the segment.
struct Contributions {
  const Attribution* attribution = nullptr;
  const Axis* items = nullptr;
  const Axis* groups = nullptr;
  std::vector<float> attention;  // per group; empty: unknown

  std::span<const float> scores() const {
    return std::span(attribution->scores)
        .first(static_cast<size_t>(items->size()));
  }
};

/// "sum +1.100, with b -0.200 log-odds of +0.900"; only the sum without a bias.
std::string SumOf(const Contributions& c) {
  double sum = 0;
  for (const float score : c.scores()) sum += double{score};
  std::string added = fmt::format("sum {:+.3f}", sum);
  const auto* known = c.groups->payload.As<TimelinePayload>();
  if (known == nullptr || !known->bias) return added;
  return fmt::format("{}, with b {:+.3f} log-odds of {:+.3f}", added,
                     *known->bias, sum + *known->bias);
}

/// Contributions of a segment; nothing if it has none.
std::optional<Contributions> ContributionsOf(const ExplanationSegment& e) {
  for (const Attribution& attribution : e.attributions) {
    if (attribution.method != "contributions") continue;
    for (const Axis& axis : e.axes) {
      if (axis.of != attribution.axis || attribution.targets.empty()) continue;
      Contributions found = {
          &attribution, &e.axis(attribution.axis), &axis, {}};
      const std::vector<float> row =
          RowOf(e, e.targets.at(attribution.targets.front()));
      if (std::ssize(row) == axis.size()) found.attention = row;
      return found;
    }
  }
  return std::nullopt;
}

/// "visit 3", or "visit 3 (41)" with its time.
std::string GroupName(const Axis& groups, size_t j) {
  const std::string& name = groups.shown().at(j);
  const auto* known = groups.payload.As<TimelinePayload>();
  if (known == nullptr || known->times.empty()) return name;
  return fmt::format("{} ({:.6g})", name, known->times.at(j));
}

/// Positions of groups and bars. Units: pixels from the left of the panels.
struct BarPlaces {
  double pitch = kPartsPitch;
  double gap = kVisitGap;
  std::vector<double> groups;  // left edge of each group, and the end

  explicit BarPlaces(const Axis& axis) {
    double bars = 0;
    for (const ItemRange& span : axis.spans) {
      bars += static_cast<double>(std::max<int64_t>(span.end - span.begin, 1));
    }
    const double wanted =
        bars * pitch + static_cast<double>(axis.spans.size()) * gap;
    const double shrink = std::min(1.0, kPartsWidest / wanted);
    pitch *= shrink;
    gap *= shrink;
    double x = 0;
    for (const ItemRange& span : axis.spans) {
      groups.push_back(x);
      x += gap + pitch * static_cast<double>(
                             std::max<int64_t>(span.end - span.begin, 1));
    }
    groups.push_back(x);
  }
  double Middle(size_t group) const {
    return (groups[group] + groups[group + 1]) / 2;
  }
  double BarAt(size_t group, int64_t bar) const {
    return groups[group] + gap / 2 + pitch * static_cast<double>(bar);
  }
  double width() const { return groups.back(); }
};

void AddPartsLabel(double x, double y, std::string_view anchor,
                   std::string_view text, MarkupWriter* svg) {
  svg->Line(
      "<text class='quiet' x='{:.1f}' y='{:.1f}' font-size='{}' "
      "text-anchor='{}'>{}</text>",
      x, y, kCodeFont, anchor, EscapeMarkup(text));
}

void AddPartsRules(const PlotAxis& scale, double height, double width,
                   MarkupWriter* svg) {
  for (const double tick : scale.ticks) {
    const double y = height * (1 - scale.Fraction(tick));
    svg->Line("<path class='rule' d='M0 {:.1f}h{:.1f}'/>", y, width);
    AddPartsLabel(-8, y + 4, "end", scale.Label(tick), svg);
  }
}

/// Columns behind a panel that can be pointed at, one per group.
void AddGroupMarks(const Contributions& c, const BarPlaces& places,
                   double height, MarkupWriter* svg) {
  for (size_t j = 0; j < c.groups->spans.size(); ++j) {
    svg->Line(
        "<rect {} x='{:.1f}' width='{:.1f}' height='{:.1f}' fill-opacity='0' "
        "pointer-events='all'/>",
        ItemAttributes(c.groups->id, static_cast<int64_t>(j)), places.groups[j],
        places.groups[j + 1] - places.groups[j], height);
  }
}

Drawing DrawAlpha(const Contributions& c, const BarPlaces& places) {
  MarkupWriter svg;
  svg.Line("<g transform='translate({} 8)'>", kPartsLeft);
  AddGroupMarks(c, places, kAlphaHeight, &svg);
  const PlotAxis scale = MakeAxis(0, std::ranges::max(c.attention), 2);
  AddPartsRules(scale, kAlphaHeight, places.width(), &svg);
  std::string path;
  std::string dots;
  for (size_t j = 0; j < c.attention.size(); ++j) {
    const double x = places.Middle(j);
    const double y =
        kAlphaHeight * (1 - scale.Fraction(double{c.attention[j]}));
    path += fmt::format("{}{:.1f} {:.1f}", j == 0 ? 'M' : 'L', x, y);
    dots += fmt::format(
        "<circle class='cell' cx='{:.1f}' cy='{:.1f}' r='3'><title>{}: "
        "{:.3f}</title></circle>",
        x, y, EscapeMarkup(GroupName(*c.groups, j)), c.attention[j]);
  }
  svg.Line("<path class='link' stroke-width='1.6' d='{}'/>{}", path, dots);
  svg.Line("</g>");
  return {kPartsLeft + places.width(), kAlphaHeight + 16, svg.Take()};
}

/// Decides for each item if its bar has a name: all if there is room, else the
/// largest bars that are far enough apart.
std::vector<bool> NamedBars(const Contributions& c, const BarPlaces& places) {
  std::vector<bool> named(c.scores().size(), places.pitch >= kMinForNames);
  if (places.pitch >= kMinForNames) return named;
  struct Bar {
    double magnitude;
    double x;
    size_t item;
  };
  std::vector<Bar> bars;
  for (size_t j = 0; j < c.groups->spans.size(); ++j) {
    const ItemRange span = c.groups->spans[j];
    for (int64_t item = span.begin; item < span.end; ++item) {
      const auto at = static_cast<size_t>(item);
      bars.push_back({std::abs(double{c.scores()[at]}),
                      places.BarAt(j, item - span.begin), at});
    }
  }
  std::ranges::stable_sort(bars, std::greater(), &Bar::magnitude);
  std::vector<double> taken;
  for (const Bar& bar : bars) {
    if (taken.size() == kMaxNames || bar.magnitude == 0) break;
    if (std::ranges::any_of(taken, [&](double x) {
          return std::abs(x - bar.x) < kMinBetweenNames;
        })) {
      continue;
    }
    taken.push_back(bar.x);
    named[bar.item] = true;
  }
  return named;
}

/// Draws a bar from zero, with its name below the panel.
void AddContribution(const Contributions& c, const BarPlaces& places,
                     size_t group, int64_t item, bool named,
                     const PlotAxis& scale, MarkupWriter* svg) {
  const int64_t bar = item - c.groups->spans[group].begin;
  const double value = double{At(c.scores(), item)};
  const double x = places.BarAt(group, bar);
  const double zero = kBarsHeight * (1 - scale.Fraction(0));
  const double end = kBarsHeight * (1 - scale.Fraction(value));
  const std::string& name = c.items->shown().at(static_cast<size_t>(item));
  svg->Line(
      "<rect class='{}' x='{:.2f}' y='{:.2f}' width='{:.2f}' "
      "height='{:.2f}'><title>{}, {}: {:+.3f}</title></rect>",
      value < 0 ? "minus" : "cell", x, std::min(zero, end), 0.8 * places.pitch,
      std::abs(end - zero), EscapeMarkup(GroupName(*c.groups, group)),
      EscapeMarkup(name), value);
  if (!named) return;
  svg->Line(
      "<text class='token' font-size='{}' text-anchor='end' "
      "transform='translate({:.1f} {:.1f}) rotate(-60)'>{}</text>",
      kCodeFont, x + 0.5 * places.pitch, kBarsHeight + 12,
      MarkupToken(name, kCodeColumns));
}

double NamesHeight(const Contributions& c, const std::vector<bool>& named) {
  double widest = 0;
  for (size_t i = 0; i < named.size(); ++i) {
    if (!named[i]) continue;
    widest = std::max(
        widest,
        TextWidth(Ellipsize(c.items->shown().at(i), kCodeColumns), kCodeFont));
  }
  return widest == 0 ? 8 : 16 + 0.87 * widest;
}

/// Group names below the bars: every n-th, as many as fit.
void AddGroupNames(const Contributions& c, const BarPlaces& places, double y,
                   MarkupWriter* svg) {
  const size_t groups = c.groups->spans.size();
  std::vector<double> widths;
  for (size_t j = 0; j < groups; ++j) {
    widths.push_back(TextWidth(GroupName(*c.groups, j), kCodeFont));
  }
  const auto fit = [&](size_t every) {
    for (size_t j = every; j < groups; j += every) {
      const double room = places.Middle(j) - places.Middle(j - every);
      if (room < (widths[j] + widths[j - every]) / 2 + kBetweenLabels) {
        return false;
      }
    }
    return true;
  };
  size_t every = 1;
  while (every < groups && !fit(every)) ++every;
  for (size_t j = 0; j < groups; j += every) {
    const double x =
        std::min(places.Middle(j), std::max(places.width() + 12 - widths[j] / 2,
                                            widths[j] / 2 - kPartsLeft));
    AddPartsLabel(x, y, "middle", GroupName(*c.groups, j), svg);
  }
}

Drawing DrawContributionBars(const Contributions& c, const BarPlaces& places) {
  const auto scores = c.scores();
  double min = 0, max = 0;
  for (const float score : scores) {
    min = std::min(min, double{score});
    max = std::max(max, double{score});
  }
  const PlotAxis scale = MakeAxis(min, max == min ? 1 : max, 5);
  MarkupWriter svg;
  svg.Line("<g transform='translate({} 8)'>", kPartsLeft);
  AddGroupMarks(c, places, kBarsHeight, &svg);
  AddPartsRules(scale, kBarsHeight, places.width(), &svg);
  const double zero = kBarsHeight * (1 - scale.Fraction(0));
  svg.Line("<path class='link' stroke-width='1' d='M0 {:.1f}h{:.1f}'/>", zero,
           places.width());
  const std::vector<bool> named = NamedBars(c, places);
  const double names = NamesHeight(c, named);
  for (size_t j = 0; j < c.groups->spans.size(); ++j) {
    const ItemRange span = c.groups->spans[j];
    for (int64_t item = span.begin; item < span.end; ++item) {
      AddContribution(c, places, j, item, At(named, item), scale, &svg);
    }
    svg.Line("<path class='rule' d='M{:.1f} 0v{:.1f}'/>", places.groups[j + 1],
             kBarsHeight);
  }
  AddGroupNames(c, places, kBarsHeight + names + 12, &svg);
  svg.Line("</g>");
  return {kPartsLeft + places.width() + 12, kBarsHeight + names + 26,
          svg.Take()};
}

/// Largest magnitude of all bands.
double LargestBand(const VectorRows& beta) {
  double largest = 1e-9;
  for (const std::vector<double>& bands : beta) {
    for (const double value : bands) {
      largest = std::max(largest, std::abs(value));
    }
  }
  return largest;
}

/// Bands of each group; empty: unknown.
const VectorRows& BetaOf(const Contributions& c) {
  static const VectorRows none;
  const auto* known = c.groups->payload.As<TimelinePayload>();
  return known == nullptr ? none : known->beta;
}

/// A column of bands per group; the largest magnitude has the full shade.
std::optional<Drawing> DrawBeta(const Contributions& c,
                                const BarPlaces& places) {
  const VectorRows& beta = BetaOf(c);
  if (beta.empty()) return std::nullopt;
  MarkupWriter svg;
  svg.Line("<g transform='translate({} 0)'>", kPartsLeft);
  size_t bands = 0;
  const double largest = LargestBand(beta);
  for (size_t j = 0; j < beta.size() && j < c.groups->spans.size(); ++j) {
    bands = std::max(bands, beta[j].size());
    const double x = places.groups[j] + 1;
    const double width = places.groups[j + 1] - places.groups[j] - 2;
    svg.Line("<rect class='field' x='{:.1f}' width='{:.1f}' height='{}'/>", x,
             width, kBetaBand * static_cast<double>(beta[j].size()));
    for (size_t i = 0; i < beta[j].size(); ++i) {
      const double value = beta[j][i] / largest;
      svg.Line(
          "<rect class='{}' x='{:.1f}' y='{}' width='{:.1f}' height='{}' "
          "fill-opacity='{:.2f}'/>",
          value < 0 ? "minus" : "cell", x, kBetaBand * static_cast<double>(i),
          width, kBetaBand, std::abs(value));
    }
  }
  svg.Line("</g>");
  return Drawing{kPartsLeft + places.width(),
                 kBetaBand * static_cast<double>(bands), svg.Take()};
}

/// "Probability of label 1: 0.7312".
std::string HeadingOfAnswer(const ExplanationSegment& segment,
                            const Contributions& c) {
  const Target& target = segment.targets.at(c.attribution->targets.front());
  return fmt::format("{} {}: {}", segment.axis(target.axis).label,
                     segment.LabelOf(target), segment.answer);
}

std::vector<Drawing> DrawContributions(const ExplanationSegment& segment,
                                       const ViewOptions& /*options*/) {
  const Contributions c = ContributionsOf(segment).value();
  const BarPlaces places(*c.groups);
  std::vector<Drawing> parts = {DrawHeading(HeadingOfAnswer(segment, c), 2)};
  if (!c.attention.empty()) {
    parts.push_back(DrawHeading("attention to visits (α)", 3));
    parts.push_back(DrawAlpha(c, places));
  }
  parts.push_back(DrawHeading(
      "contributions to the log-odds, by visit and code: " + SumOf(c), 3));
  parts.push_back(DrawContributionBars(c, places));
  parts.push_back(DrawHeading(
      "blue: raises the log-odds; orange: lowers them; a visit with much "
      "attention may do either",
      3));
  if (const auto beta = DrawBeta(c, places)) {
    parts.push_back(DrawHeading(
        fmt::format("weights of features (β, up to ±{:.2f}), those that count "
                    "most for the outcome above",
                    LargestBand(BetaOf(c))),
        3));
    parts.push_back(*beta);
  }
  return {StackDrawings(parts, 8)};
}

// --- terminal ---

/// Range of the bands of a group, "  β -0.50 to +0.50"; "" if there are none.
std::string BetaText(const Contributions& c, size_t group) {
  const VectorRows& beta = BetaOf(c);
  if (beta.empty() || beta.at(group).empty()) return "";
  const std::vector<double>& bands = beta[group];
  return fmt::format("  β {:+.2f} to {:+.2f}", std::ranges::min(bands),
                     std::ranges::max(bands));
}

std::string ContributionBar(float value, double factor, int columns,
                            const TerminalOptions& terminal) {
  const int length =
      static_cast<int>(std::lround(std::abs(double{value}) * factor * columns));
  std::string bar;
  for (int i = 0; i < length; ++i) bar += value < 0 ? "▒" : "█";
  constexpr int kBlue = 75, kOrange = 215;
  return terminal.colour && length > 0
             ? terminal::Foreground(value < 0 ? kOrange : kBlue, bar)
             : bar;
}

std::string ContributionsText(const ExplanationSegment& segment,
                              const ViewOptions& /*options*/,
                              const TerminalOptions& terminal) {
  const Contributions c = ContributionsOf(segment).value();
  const auto scores = c.scores();
  int widest = 4;
  float largest = 0;
  for (int64_t i = 0; i < c.items->size(); ++i) {
    const auto at = static_cast<size_t>(i);
    widest = std::max(widest, DisplayWidth(VisibleToken(c.items->shown()[at])));
    largest = std::max(largest, std::abs(scores[at]));
  }
  widest = std::min(widest, kCodeColumns);
  const double factor = largest > 0 ? 1 / double{largest} : 0;
  const int columns = std::max(4, std::min(40, terminal.width - widest - 14));
  std::string out = terminal::Strong(terminal, HeadingOfAnswer(segment, c));
  out += '\n';
  out += terminal::Quiet(terminal, "contributions: " + SumOf(c)) + '\n';
  const int64_t first =
      std::max<int64_t>(0, c.groups->size() - kMaxGroupsOfText);
  if (first > 0) {
    out += terminal::Quiet(terminal,
                           fmt::format("the last {} of {} visits",
                                       kMaxGroupsOfText, c.groups->size())) +
           '\n';
  }
  for (int64_t j = first; j < c.groups->size(); ++j) {
    const auto group = static_cast<size_t>(j);
    std::string heading = GroupName(*c.groups, group);
    if (!c.attention.empty()) {
      heading += fmt::format("  α {:.2f}", c.attention[group]);
    }
    heading += BetaText(c, group);
    out += terminal::Quiet(terminal, heading) + '\n';
    const ItemRange span = c.groups->spans[group];
    for (int64_t i = span.begin; i < span.end; ++i) {
      const auto at = static_cast<size_t>(i);
      const std::string bar =
          ContributionBar(scores[at], factor, columns, terminal);
      out += fmt::format("  {} {:>+7.3f}{}{}\n",
                         Pad(VisibleToken(c.items->shown()[at]), widest),
                         scores[at], bar.empty() ? "" : " ", bar);
    }
  }
  return out;
}

}  // namespace

ExplanationView ContributionsView() {
  ExplanationView view;
  view.name = "contributions";
  view.description = "what each code of each visit adds to the answer";
  view.refusal = [](const ExplanationSegment& segment, const ViewOptions&) {
    return ContributionsOf(segment)
               ? std::string()
               : std::string(
                     "the answer is no sum of contributions; choose a "
                     "method of attribution (--methods)");
  };
  view.draw = DrawContributions;
  view.text = ContributionsText;
  view.legend = PictureLegend::kNone;
  view.on_page = true;
  return view;
}

}  // namespace heed
