// Splitting of texts into sentences to translate and kept parts.
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
    kOpen,   ///< opening tag; without a partner: closed in a later sentence
    kClose,  ///< closing tag; without a partner: opened in an earlier sentence
    kStray,  ///< tag of overlapping elements
    kKept,   ///< a placeholder, an image, an element that is not translated
    kBreak,  ///< line end in a paragraph, equivalent to a space
  };
  static constexpr size_t kNoPartner = static_cast<size_t>(-1);

  Kind kind = Kind::kKept;
  size_t at = 0;  ///< byte offset in Segment::text
  std::string raw;
  size_t partner = kNoPartner;  ///< index of the matching tag
  /// The mark touches the text on its left or right without a space.
  bool joins_left = false;
  bool joins_right = false;
};

/// Markup format of a text.
enum class TextFormat : uint8_t { kText, kHtml, kMarkdown };
constexpr auto WordsOf(TextFormat) {
  return std::array{"text", "html", "markdown"};
}

struct Segment {
  /// A sentence as plain text without its marks, or kept text.
  std::string text;
  bool translate = false;
  TextFormat format = TextFormat::kText;  ///< format of the document
  std::vector<Mark> marks = {};           ///< marks of the sentence, in order
  /// The sentence begins with a target language mark.
  bool has_target_mark = false;
};

struct SplitOptions {
  /// Language code of the text, which selects the abbreviations ("Dr."); "":
  /// unknown.
  std::string language = {};
  /// Returns true if the model knows an emoji; unset: all emoji are marks.
  std::function<bool(std::string_view)> knows = {};
};

/// Options for splitting a text in this language for a model with this source
/// vocabulary, which must outlive the result.
SplitOptions SplitOptionsOf(const Vocabulary& source, std::string language);

/// Splits a text of any format into segments.
std::vector<Segment> SplitMarkup(std::string_view text, TextFormat format,
                                 const SplitOptions& options = {});

/// Splits lines into sentences (see SplitSentences). Kept parts: white space
/// around sentences, sentences without letters or digits, and the number or
/// bullet of a list item. Placeholders (see FindPlaceholders) become marks.
std::vector<Segment> SplitText(std::string_view text,
                               const SplitOptions& options = {});

/// Splits HTML (see HtmlReader). The text of a block is split as a whole, with
/// entities decoded and line ends as spaces. Inline tags become marks; an
/// inline element without a word becomes a single mark. Linear time.
std::vector<Segment> SplitHtml(std::string_view html,
                               const SplitOptions& options = {});

/// Splits Markdown (see ReadMarkdownBlocks and FindMarkdownMarks). The text of
/// a block is split as a whole, with escapes and entities decoded. Emphasis,
/// links and inline HTML tags become marks. Blocks of HTML are split as HTML.
std::vector<Segment> SplitMarkdown(std::string_view markdown,
                                   const SplitOptions& options = {});

/// Joins segments, replacing the sentences in order by the texts of `written`.
std::string JoinSegments(std::span<const Segment> segments,
                         std::span<const std::string> written);

}  // namespace heed

#endif  // HEED_TEXT_MARKUP_TEXT_SPLIT_H_
