// Generation of SVG and HTML.
#ifndef HEED_RENDER_MARKUP_H_
#define HEED_RENDER_MARKUP_H_

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace heed {

/// Font family of all pictures: the reader's own interface font.
inline constexpr std::string_view kFontFamily =
    "system-ui,-apple-system,\"Segoe UI\",Roboto,\"Noto Sans\",\"DejaVu Sans\","
    "sans-serif";

/// VisibleToken(text), escaped for text and attributes of SVG and HTML.
std::string EscapeMarkup(std::string_view text);

/// Token as an escaped label of at most `columns` columns. SentencePiece's word
/// mark ▁ has the class "space", so that it is less prominent. Tokens with
/// right-to-left letters are isolated, so that their punctuation is on the
/// left.
std::string MarkupToken(std::string_view token, int columns);

/// Upper estimate of the width of `text` in kFontFamily.
/// Units: those of `font_size`.
double TextWidth(std::string_view text, double font_size);

/// Attributes that link a mark of a picture to an item of an axis; the page
/// makes it interactive (web/src/core/painter.ts). The page also fills groups
/// with these attributes for the displayed head:
/// data-links="left right height": lines between columns of words of this
/// height; data-cells="width height" data-map data-row: a row of cells.
std::string ItemAttributes(std::string_view axis, int64_t item);

/// A document built line by line.
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
