// Texts as sentences to translate and what stands between them.
#ifndef HEED_TEXT_MARKUP_TEXT_SPLIT_H_
#define HEED_TEXT_MARKUP_TEXT_SPLIT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/text/vocabulary.h"

namespace heed {

/// A tag or a placeholder in a sentence.
struct Mark {
  enum class Kind {
    kOpen,  ///< a tag that opens; without a partner: closed in a later sentence
    kClose,  ///< a tag that closes; without a partner: opened in an earlier one
    kStray,  ///< a tag of elements that cross each other
    kKept,   ///< a placeholder, an image, an element that is not translated
    kBreak,  ///< a line end in a paragraph, which stands for a space
  };
  static constexpr size_t kNoPartner = static_cast<size_t>(-1);

  Kind kind = Kind::kKept;
  size_t at = 0;  ///< in Segment::text, in bytes
  std::string raw;
  size_t partner = kNoPartner;  ///< the mark that closes or opens the same
  /// Whether the mark touches the text on its left or right without a space.
  bool joins_left = false;
  bool joins_right = false;
};

/// How a text to be translated is marked up.
enum class TextFormat : uint8_t { kText, kHtml, kMarkdown };
constexpr auto WordsOf(TextFormat) {
  return std::array{"text", "html", "markdown"};
}

struct Segment {
  /// A sentence as plain text, without its marks; or what is kept as it stands.
  std::string text;
  bool translate = false;
  TextFormat format = TextFormat::kText;  ///< of what is around a sentence
  std::vector<Mark> marks = {};           ///< of a sentence, in order
  /// Whether the sentence begins with a mark of the target language.
  bool has_target_mark = false;
};

struct SplitOptions {
  /// Code of the text's language, which decides on abbreviations ("Dr.");
  /// "": unknown.
  std::string language = {};
  /// Returns whether the model knows an emoji; unset: all emoji are marks.
  std::function<bool(std::string_view)> knows = {};
};

/// Options to split a text in this language for a model with this source
/// vocabulary, which must outlive the result.
SplitOptions SplitOptionsOf(const Vocabulary& source, std::string language);

/// Splits a text of any format.
std::vector<Segment> SplitMarkup(std::string_view text, TextFormat format,
                                 const SplitOptions& options = {});

/// Splits lines into sentences (see SplitSentences). White space around
/// sentences is kept, and so are sentences without a letter or digit, and the
/// number or bullet of a list item. Placeholders (see FindPlaceholders) are
/// marks.
std::vector<Segment> SplitText(std::string_view text,
                               const SplitOptions& options = {});

/// Splits HTML (see HtmlReader). A block's text is split as a whole, with
/// entities decoded and a line end as a space. Inline tags are marks; an inline
/// element without a word is a mark as a whole. Time is linear.
std::vector<Segment> SplitHtml(std::string_view html,
                               const SplitOptions& options = {});

/// Splits Markdown (see ReadMarkdownBlocks and FindMarkdownMarks). A block's
/// text is split as a whole, with escapes and entities decoded. Marks of
/// emphasis and links, and inline tags of HTML, are marks. Blocks of HTML are
/// split as HTML.
std::vector<Segment> SplitMarkdown(std::string_view markdown,
                                   const SplitOptions& options = {});

/// The segments with the sentences replaced by what `written` has, one for each
/// in order.
std::string JoinSegments(std::span<const Segment> segments,
                         std::span<const std::string> written);

}  // namespace heed

#endif  // HEED_TEXT_MARKUP_TEXT_SPLIT_H_
