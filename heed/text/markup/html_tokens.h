// HTML tokeniser for translation: tags, texts and kept parts.
#ifndef HEED_TEXT_MARKUP_HTML_TOKENS_H_
#define HEED_TEXT_MARKUP_HTML_TOKENS_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace heed {

/// A part of a document. All parts together are the document, byte by byte.
struct HtmlToken {
  enum class Kind {
    kText,   ///< between tags
    kOpen,   ///< opening tag of an inline element
    kClose,  ///< closing tag of an inline element
    kKept,  ///< inline and unchanged: an image, a comment, a whole element that
            ///< is not translated (code, time, translate="no")
    kBorder,  ///< ends a sentence: a block tag, a script
  };
  Kind kind = Kind::kText;
  size_t begin = 0;
  size_t end = 0;
  std::string name;           ///< tag name in lower case
  bool preformatted = false;  ///< line breaks are significant (pre, textarea)
};

/// True if the tag at the start of a text belongs to a block element.
bool IsBlockTag(std::string_view tag);

/// True if the tag at the start of a text represents no word: an image, a
/// comment, a line break opportunity.
bool IsWordlessTag(std::string_view tag);

/// Reads any document sequentially in linear time. Invalid tags are text, and
/// unclosed constructs end with the document.
///
/// These elements are not translated, which is LibreTranslate's rule: address,
/// applet, audio, canvas, code, embed, script, style, time, video and elements
/// with translate="no". Elements with class="notranslate", math, svg, and
/// elements without text (iframe, xmp) are not translated either. Links to a
/// name (a mention, a hashtag, an address) are kept, even with tags inside the
/// name as social networks write them. Inline elements with a class such as
/// "mention" or "hashtag" are kept too. Unknown elements are inline;
/// self-closing tags
/// (`<x id="1"/>`) are inline and kept.
class HtmlReader {
 public:
  /// Reads from byte `begin` on. `html` must outlive the reader.
  explicit HtmlReader(std::string_view html, size_t begin = 0)
      : html_(html), at_(begin) {}

  bool more() const { return at_ < html_.size(); }
  /// The next token. Call only if more() is true.
  HtmlToken Next();

 private:
  HtmlToken Tag();
  bool BeginsTag(size_t i) const;
  size_t TagEnd(size_t begin) const;
  size_t NameEnd(size_t begin) const;
  size_t ElementEnd(size_t begin, const std::string& name) const;
  size_t RawEnd(size_t begin, const std::string& name) const;

  std::string_view html_;
  size_t at_ = 0;
  size_t text_until_ = 0;    // end of a textarea or title, which has no tags
  size_t preformatted_ = 0;  // nesting depth of pre elements
  bool in_textarea_ = false;
};

}  // namespace heed

#endif  // HEED_TEXT_MARKUP_HTML_TOKENS_H_
