#include "heed/render/reviews_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "heed/base/at.h"
#include "heed/explain/payloads.h"
#include "heed/render/heatmap_svg.h"
#include "heed/render/heatmap_terminal.h"
#include "heed/render/markup.h"
#include "heed/render/shades_terminal.h"
#include "heed/render/text_layout.h"
#include "heed/render/words_svg.h"

namespace heed {
namespace {

constexpr double kReviewsWidth = 1040;
constexpr double kLeftOfReview = 190;
constexpr double kPointerBar = 60;
constexpr double kReviewNameFont = 12;
constexpr int kReviewNameColumns = 20;
constexpr size_t kMaxReviewsShown = 12;
constexpr size_t kMaxWordsShown = 48;
constexpr double kNumberedFromShare = 0.5;
constexpr int64_t kLargestMapInTerminal = 24;

/// Reviews of one side with their weights.
struct ReviewSide {
  const Axis* reviews = nullptr;
  const Axis* words = nullptr;
  std::vector<float> pointers;  // mean over pointers, per review
  std::vector<float> values;    // per word; gates: minus the smallest one
  bool pointed = false;
  bool gates = false;
  float smallest_gate = 0;

  float largest_word() const {
    float largest = 0;
    for (const float value : values) largest = std::max(largest, value);
    return largest;
  }
};

/// Mean weights of the answer on an axis, over all maps.
std::vector<float> MeanWeightsOn(const ExplanationSegment& segment,
                                 const Axis& axis) {
  std::vector<float> mean;
  float maps = 0;
  for (const AttentionMap& map : segment.maps) {
    if (map.key != axis.id || map.query_size != 1) continue;
    const std::vector<float> own = map.MeanOfHeads();
    mean.resize(own.size());
    for (size_t i = 0; i < own.size(); ++i) mean[i] += own[i];
    ++maps;
  }
  for (float& weight : mean) weight /= maps;
  return mean;
}

std::vector<ReviewSide> SidesOf(const ExplanationSegment& segment) {
  std::vector<ReviewSide> sides;
  for (const Axis& axis : segment.axes) {
    const Axis* words = segment.Find(axis.of);
    if (axis.kind != "reviews" || words == nullptr) continue;
    ReviewSide side = {.reviews = &axis,
                       .words = words,
                       .pointers = MeanWeightsOn(segment, axis),
                       .values = MeanWeightsOn(segment, *words)};
    side.pointed = !side.pointers.empty();
    for (const Attribution& a : segment.attributions) {
      if (a.method != "gates" || a.axis != words->id) continue;
      side.values = a.scores;
      side.gates = true;
      if (a.scores.empty()) continue;
      side.smallest_gate = std::ranges::min(a.scores);
      for (float& value : side.values) value -= side.smallest_gate;
    }
    side.pointers.resize(static_cast<size_t>(axis.size()));
    side.values.resize(static_cast<size_t>(words->size()));
    sides.push_back(std::move(side));
  }
  return sides;
}

/// Indices of the shown reviews: the most important ones, in order.
std::vector<size_t> ShownReviews(const ReviewSide& side) {
  std::vector<size_t> order(side.pointers.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto counts = [&](size_t r) {
    const ItemRange span = side.reviews->spans[r];
    float max = side.pointers[r];
    if (!side.pointed) {
      for (int64_t i = span.begin; i < span.end; ++i) {
        max = std::max(max, At(side.values, i));
      }
    }
    return max;
  };
  std::ranges::stable_sort(order, std::greater<>(), counts);
  order.resize(std::min(order.size(), kMaxReviewsShown));
  std::ranges::sort(order);
  return order;
}

/// A component added to the mean of all ratings.
struct RatingPart {
  double RatingPayload::Parts::*part;
  const char* name_beside_reviews;
  const char* name_alone;

  const char* name(bool reads) const {
    return reads ? name_beside_reviews : name_alone;
  }
};
constexpr RatingPart kRatingParts[] = {
    {&RatingPayload::Parts::user, "user", "user"},
    {&RatingPayload::Parts::item, "item", "item"},
    {&RatingPayload::Parts::reviews, "reviews", "user and item together"}};

/// Rating payload of the answer; null if missing.
const RatingPayload* AboutRating(const ExplanationSegment& segment) {
  const Axis* answer = segment.Find("answer");
  return answer == nullptr ? nullptr : answer->payload.As<RatingPayload>();
}

/// Title "4.21 for B7 by A1", and its components. `reads`: predicted from
/// reviews.
std::pair<std::string, std::string> HeadingsOfRating(
    const ExplanationSegment& segment, bool reads) {
  std::string title = "Rating " + segment.answer;
  std::string sum;
  const RatingPayload* about = AboutRating(segment);
  if (about == nullptr) return {title, sum};
  if (!about->item.empty()) title += " for " + about->item;
  if (!about->user.empty()) title += " by " + about->user;
  if (about->parts) {
    sum = fmt::format("{:.2f} mean", about->parts->mean);
    for (const RatingPart& one : kRatingParts) {
      const double part = (*about->parts).*one.part;
      if (!reads && part == 0) continue;
      sum += fmt::format(" {} {:.2f} {}", part < 0 ? "−" : "+", std::abs(part),
                         one.name(reads));
    }
  } else {
    sum = about->from == "item_mean"   ? "the mean of the item's ratings"
          : about->from == "user_mean" ? "the mean of the user's ratings"
                                       : "the mean of all ratings";
  }
  return {title, sum};
}

std::string HeadingOfSide(const ReviewSide& side, size_t shown) {
  std::string heading = side.reviews->label;
  if (shown < side.pointers.size()) {
    heading += fmt::format(", {} of {}", shown, side.pointers.size());
  }
  const float largest = side.largest_word();
  if (largest > 0) {
    heading += fmt::format(
        " (words by their {}, darkest: {:.2f})",
        side.gates ? fmt::format("gates minus the smallest of {:.2f}",
                                 side.smallest_gate)
                   : "attention",
        largest);
  }
  return heading;
}

/// Waterfall bars of the components of a rating without reviews.
std::vector<Drawing> DrawRatingSum(const ExplanationSegment& segment) {
  constexpr double kSumWidth = 520, kSumRow = 20, kBarHeight = 12;
  std::vector<Drawing> rows;
  const RatingPayload* about = AboutRating(segment);
  if (about == nullptr || !about->parts) return rows;
  double low = 0, high = 0, end = about->parts->mean;
  std::vector<std::tuple<std::string, double, double>> bars = {
      {"mean of all ratings", 0, end}};
  for (const RatingPart& one : kRatingParts) {
    const double part = (*about->parts).*one.part;
    if (part == 0) continue;
    bars.emplace_back(one.name_alone, end, end + part);
    end += part;
  }
  for (const auto& [name, from, to] : bars) {
    low = std::min({low, from, to});
    high = std::max({high, from, to});
  }
  if (!(high > low)) return rows;
  const auto x = [&](double value) {
    return kLeftOfReview + kSumWidth * (value - low) / (high - low);
  };
  for (const auto& [name, from, to] : bars) {
    MarkupWriter svg;
    svg.Line("<text class='token' y='14.5' font-size='{}'>{}</text>",
             kReviewNameFont, EscapeMarkup(name));
    svg.Line(
        "<rect class='{}' x='{:.1f}' y='4' width='{:.1f}' height='{}' "
        "rx='2'/>",
        to < from ? "minus" : "cell", x(std::min(from, to)),
        x(std::max(from, to)) - x(std::min(from, to)), kBarHeight);
    svg.Line("<text class='quiet' x='{:.1f}' y='14.5' font-size='{}'>{}</text>",
             x(std::max(from, to)) + 6, kReviewNameFont,
             from == 0 ? fmt::format("{:.2f}", to)
                       : fmt::format("{} {:.2f}", to < from ? "−" : "+",
                                     std::abs(to - from)));
    rows.push_back({kReviewsWidth, kSumRow, svg.Take()});
  }
  return rows;
}

Drawing DrawReview(const ReviewSide& side, size_t r) {
  const ItemRange span = side.reviews->spans[r];
  const auto begin = static_cast<size_t>(span.begin);
  const auto count = static_cast<size_t>(span.end - span.begin);
  const float largest = side.largest_word();
  const Drawing words = DrawShadedWords(
      std::span(side.words->shown()).subspan(begin, count),
      std::span(side.values).subspan(begin, count),
      kReviewsWidth - kLeftOfReview, kNumberedFromShare, kMaxWordsShown,
      largest > 0 ? 1 / largest : 1, {side.words->id, span.begin});
  const std::string& name = side.reviews->shown().at(r);
  MarkupWriter svg;
  if (side.pointed) {
    const double weight = std::clamp(double{side.pointers[r]}, 0.0, 1.0);
    svg.Line(
        "<g {4}><rect class='field' y='4' width='{0}' height='12' rx='2'/>"
        "<rect class='cell pointer' y='4' width='{1:.1f}' height='12' rx='2'>"
        "<title>{2}: {3:.2f}</title></rect></g>",
        kPointerBar, kPointerBar * weight, EscapeMarkup(name), weight,
        ItemAttributes(side.reviews->id, static_cast<int64_t>(r)));
  }
  svg.Line("<text class='{}' x='{}' y='14.5' font-size='{}'>{}</text>",
           side.pointed && side.pointers[r] > 0 ? "now" : "quiet",
           side.pointed ? kPointerBar + 8 : 0, kReviewNameFont,
           MarkupToken(name, kReviewNameColumns));
  svg.Line("<g transform='translate({} 0)'>{}</g>", kLeftOfReview, words.svg);
  return {kReviewsWidth, words.height, svg.Take()};
}

/// Maps between the two sets of reviews.
std::vector<AlignmentView> AffinitiesOf(const ExplanationSegment& segment) {
  std::vector<AlignmentView> views;
  for (size_t m = 0; m < segment.maps.size(); ++m) {
    const AttentionMap& map = segment.maps[m];
    if (segment.axis(map.query).kind != "reviews" ||
        segment.axis(map.key).kind != "reviews") {
      continue;
    }
    views.push_back(ViewOfHead(segment, m, -1));
    views.back().title = "Affinity of reviews";
  }
  // Each of several pointers has a map.
  for (size_t k = 0; views.size() > 1 && k < views.size(); ++k) {
    views[k].title += fmt::format(", pointer {}", k + 1);
  }
  return views;
}

std::string CaptionOfAffinity(float largest) {
  return fmt::format(
      "which review of the item fits each of the user; darkest: {:.2f}",
      largest);
}

float LargestWeightOf(std::span<const float> weights) {
  return weights.empty() ? 0.0f : *std::ranges::max_element(weights);
}

std::vector<Drawing> DrawReviews(const ExplanationSegment& segment,
                                 const ViewOptions& /*options*/) {
  const std::vector<ReviewSide> sides = SidesOf(segment);
  const auto [title, sum] = HeadingsOfRating(segment, !sides.empty());
  std::vector<Drawing> parts = {DrawHeading(title, 2)};
  if (!sum.empty()) parts.push_back(DrawHeading(sum, 3));
  if (sides.empty()) {
    for (Drawing& row : DrawRatingSum(segment)) parts.push_back(std::move(row));
  }
  for (const ReviewSide& side : sides) {
    const std::vector<size_t> shown = ShownReviews(side);
    parts.push_back(DrawHeading(HeadingOfSide(side, shown.size()), 2));
    for (const size_t r : shown) parts.push_back(DrawReview(side, r));
  }
  std::vector<Drawing> drawings = {StackDrawings(parts, 6)};
  for (const AlignmentView& view : AffinitiesOf(segment)) {
    const float largest = LargestWeightOf(view.weights);
    drawings.push_back(
        DrawHeatmap(view, {.caption = CaptionOfAffinity(largest),
                           .full = largest > 0 ? double{largest} : 1.0}));
  }
  return drawings;
}

std::string ReviewsText(const ExplanationSegment& segment,
                        const ViewOptions& /*options*/,
                        const TerminalOptions& terminal) {
  const std::vector<ReviewSide> sides = SidesOf(segment);
  const auto [title, sum] = HeadingsOfRating(segment, !sides.empty());
  std::string out = terminal::Strong(terminal, VisibleToken(title)) + '\n';
  if (!sum.empty()) out += terminal::Quiet(terminal, sum) + '\n';
  for (const ReviewSide& side : sides) {
    const std::vector<size_t> shown = ShownReviews(side);
    out += terminal::Strong(terminal, HeadingOfSide(side, shown.size())) + '\n';
    const float largest = side.largest_word();
    for (const size_t r : shown) {
      const bool chosen = side.pointed && side.pointers[r] > 0;
      std::string name = VisibleToken(side.reviews->shown().at(r));
      if (chosen) name += fmt::format("  pointed at {:.2f}", side.pointers[r]);
      out += (chosen ? "▶ " : "  ") + name + '\n';
      const ItemRange span = side.reviews->spans[r];
      const auto begin = static_cast<size_t>(span.begin);
      const auto count =
          std::min(static_cast<size_t>(span.end - span.begin), kMaxWordsShown);
      out += TerminalWords(std::span(side.words->shown()).subspan(begin, count),
                           std::span(side.values).subspan(begin, count), 4,
                           terminal, largest > 0 ? 1 / largest : 1);
    }
  }
  for (AlignmentView view : AffinitiesOf(segment)) {
    if (std::max(view.source_size(), view.target_size()) >
        kLargestMapInTerminal) {
      continue;
    }
    const float largest = LargestWeightOf(view.weights);
    for (float& weight : view.weights) weight /= largest > 0 ? largest : 1;
    out += terminal::Quiet(terminal, CaptionOfAffinity(largest)) + '\n' +
           TerminalHeatmap(view, terminal);
  }
  return out;
}

}  // namespace

ExplanationView ReviewsView() {
  ExplanationView view;
  view.name = "reviews";
  view.description =
      "the reviews that a rating was made from, and which of them were chosen";
  view.refusal = [](const ExplanationSegment& segment, const ViewOptions&) {
    return SidesOf(segment).empty() && AboutRating(segment) == nullptr
               ? std::string("no reviews were read; choose another view")
               : std::string();
  };
  view.draw = DrawReviews;
  view.text = ReviewsText;
  view.legend = PictureLegend::kNone;
  view.on_page = true;
  return view;
}

}  // namespace heed
