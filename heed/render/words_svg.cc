#include "heed/render/words_svg.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "heed/base/errors.h"
#include "heed/explain/faithfulness.h"
#include "heed/render/markup.h"
#include "heed/render/text_layout.h"

namespace heed {
namespace {

constexpr double kWordFont = 13;
constexpr double kNumberFont = 9;
constexpr double kNumberWidest = 26;
constexpr double kWordHeight = 20;
constexpr double kWordLineHeight = 36;  // including the numbers
constexpr double kWordSpace = 3;
constexpr int kShadedWordColumns = 20;
constexpr float kDarkGround = 0.6f;  // from here text has the other colour

// Positions of the largest values, in text order.
std::vector<size_t> Shown(std::span<const float> values, size_t max) {
  std::vector<size_t> order = OrderByMagnitude(values);
  order.resize(std::min(max, order.size()));
  std::ranges::sort(order);
  return order;
}

class WordsWriter {
 public:
  WordsWriter(double width, double min_number, float factor,
              const WordItems& items)
      : width_(width),
        min_number_(min_number),
        factor_(factor),
        items_(items) {}

  void Add(const std::string& token, float raw_value, size_t place) {
    const std::string word = Ellipsize(VisibleToken(token), kShadedWordColumns);
    const float value =
        std::isnan(raw_value) ? 0 : std::clamp(raw_value, -1.0f, 1.0f);
    const float size = std::min(std::abs(value * factor_), 1.0f);
    const bool numbered = size >= min_number_;
    const double width = std::max(TextWidth(word, kWordFont) + 6,
                                  numbered ? kNumberWidest : 0.0);
    Break(width);
    const bool is_item = !items_.axis.empty();
    svg_.Line("<g transform='translate({:.1f} {})' {}>", x_, y_,
              is_item
                  ? ItemAttributes(items_.axis,
                                   items_.first + static_cast<int64_t>(place))
                  : "");
    if (size >= 0.005f || is_item) {
      svg_.Line(
          "<rect class='{}' width='{:.1f}' height='{}' rx='3' "
          "fill-opacity='{:.2f}'><title>{}: {:.2f}</title></rect>",
          value < 0 ? "minus" : "cell", width, kWordHeight, size,
          EscapeMarkup(word), value);
    }
    svg_.Line(
        "<text class='{}' x='{:.1f}' y='14.5' font-size='{}' "
        "text-anchor='middle' pointer-events='none'>{}</text>",
        size > kDarkGround ? "on" : "token", width / 2, kWordFont,
        MarkupToken(token, kShadedWordColumns));
    if (numbered) {
      svg_.Line(
          "<text class='quiet' x='{:.1f}' y='30' font-size='{}' "
          "text-anchor='middle'>{:.2f}</text>",
          width / 2, kNumberFont, value);
    }
    svg_.Line("</g>");
    x_ += width + kWordSpace;
  }

  void AddGap() {
    constexpr double kGapWidth = 14;
    Break(kGapWidth);
    svg_.Line("<text class='quiet' x='{:.1f}' y='{}' font-size='{}'>…</text>",
              x_, y_ + 14.5, kWordFont);
    x_ += kGapWidth;
  }

  Drawing Take() { return {width_, y_ + kWordLineHeight, svg_.Take()}; }

 private:
  void Break(double width) {
    if (x_ > 0 && x_ + width > width_) {
      x_ = 0;
      y_ += kWordLineHeight;
    }
  }

  const double width_;
  const double min_number_;
  const float factor_;
  const WordItems& items_;
  double x_ = 0;
  double y_ = 0;
  MarkupWriter svg_;
};

}  // namespace

Drawing DrawShadedWords(std::span<const std::string> tokens,
                        std::span<const float> values, double width,
                        double min_number, size_t max, float factor,
                        const WordItems& items) {
  if (tokens.size() != values.size()) {
    throw ShapeError("shaded words: {} values for {} tokens", values.size(),
                     tokens.size());
  }
  WordsWriter writer(width, min_number, factor, items);
  size_t next = 0;
  for (size_t i : Shown(values, max)) {
    if (i != next) writer.AddGap();
    writer.Add(tokens[i], values[i], i);
    next = i + 1;
  }
  if (next != tokens.size()) writer.AddGap();
  return writer.Take();
}

}  // namespace heed
