// HTML as a sequence of tags, texts and what is kept, for translation.
#ifndef HEED_TEXT_MARKUP_HTML_TOKENS_H_
#define HEED_TEXT_MARKUP_HTML_TOKENS_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace heed {

/// A part of a document. All parts together are the document, byte by byte.
struct HtmlToken {
  enum class Kind {
    kText,    ///< between tags
    kOpen,    ///< the tag that opens an inline element
    kClose,   ///< the tag that closes one
    kKept,    ///< inline, and stays as it is: an image, a comment, a whole
              ///< element that is not translated (code, time, translate="no")
    kBorder,  ///< no sentence goes across it: a tag of a block, a script
  };
  Kind kind = Kind::kText;
  size_t begin = 0;
  size_t end = 0;
  std::string name;  ///< of a tag, in lower case
  bool preformatted =
      false;  ///< of a text: line ends are meant (pre, textarea)
};

/// Whether a tag that a text begins with is that of a block.
bool IsBlockTag(std::string_view tag);

/// Whether a tag that a text begins with stands for no word of a sentence: an
/// image, a comment, a place where a word may be cut.
bool IsWordlessTag(std::string_view tag);

/// Reads a document from its beginning to its end, whatever its bytes: what is
/// no tag is text, and what does not end, ends with the document. Time is
/// linear.
///
/// Not translated are, as in LibreTranslate, address, applet, audio, canvas,
/// code, embed, script, style, time, video and elements with translate="no";
/// also class="notranslate", math, svg, and what holds no text (iframe, xmp).
/// A link to a name (a mention, a hashtag, an address) is kept too, also if
/// tags stand in the name, as social networks write it, and so is an inline
/// element whose class says "mention" or "hashtag". Elements that HTML does not
/// know are inline; so are tags that close themselves (`<x id="1"/>`), which
/// are kept.
class HtmlReader {
 public:
  /// Reads from byte `begin` on. `html` must outlive it.
  explicit HtmlReader(std::string_view html, size_t begin = 0)
      : html_(html), at_(begin) {}

  bool more() const { return at_ < html_.size(); }
  /// Must only be called if there is more.
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
  size_t text_until_ = 0;    // of a textarea or title: no tags before
  size_t preformatted_ = 0;  // open pre
  bool in_textarea_ = false;
};

}  // namespace heed

#endif  // HEED_TEXT_MARKUP_HTML_TOKENS_H_
