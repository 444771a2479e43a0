// Writing SVG and HTML.
#ifndef HEED_RENDER_MARKUP_H_
#define HEED_RENDER_MARKUP_H_

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace heed {

/// Family of fonts for all pictures: the reader's own interface font.
inline constexpr std::string_view kFontFamily =
    "system-ui,-apple-system,\"Segoe UI\",Roboto,\"Noto Sans\",\"DejaVu Sans\","
    "sans-serif";

/// VisibleToken(text), escaped for the text and attributes of SVG and HTML.
std::string EscapeMarkup(std::string_view text);

/// The token as a label of at most `columns` columns, escaped, with ▁, which
/// SentencePiece puts where a word begins, in the class "space": it should not
/// be louder than the word. One with letters from right to left is isolated, so
/// that its punctuation stands on its left.
std::string MarkupToken(std::string_view token, int columns);

/// Estimate of the width of `text` in kFontFamily, on the safe side.
/// Units: those of `font_size`.
double TextWidth(std::string_view text, double font_size);

/// Attributes that say which item of an axis a mark of a picture stands for:
/// the page lets it be pointed at (web/src/core/painter.ts). The
/// page fills groups with these attributes for the head that it shows:
/// data-links="left right height": lines between columns of words so high;
/// data-cells="width height" data-map data-row: a row of cells.
std::string ItemAttributes(std::string_view axis, int64_t item);

/// A document that grows line by line.
class MarkupWriter {
 public:
  template <typename... Args>
  void Line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format,
                   std::forward<Args>(args)...);
    text_ += '\n';
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace heed

#endif  // HEED_RENDER_MARKUP_H_
