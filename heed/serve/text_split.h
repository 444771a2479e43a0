// Texts as sentences to translate and what stands between them.
#ifndef HEED_SERVE_TEXT_SPLIT_H_
#define HEED_SERVE_TEXT_SPLIT_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

/// What a sentence holds beside its words: a tag, or what is kept as it is.
struct Mark {
  enum class Kind {
    kOpen,  ///< a tag that opens; without a partner: closed in a later sentence
    kClose,  ///< a tag that closes; without a partner: opened in an earlier one
    kStray,  ///< a tag of elements that cross each other
    kKept,   ///< a placeholder, an image, an element that is not translated
  };
  static constexpr size_t kNoPartner = static_cast<size_t>(-1);

  Kind kind = Kind::kKept;
  size_t at = 0;  ///< in Segment::text, in bytes
  std::string raw;
  size_t partner = kNoPartner;  ///< the mark that closes or opens the same
  /// Whether no space is between it and what it stands behind or before.
  bool joins_left = false;
  bool joins_right = false;
};

struct Segment {
  /// A sentence as plain text, without its marks; or what is kept as it stands.
  std::string text;
  bool translate = false;
  std::vector<Mark> marks = {};  ///< of a sentence, in order
};

/// Lines, and in them sentences by Unicode's rules (UAX 29). White space around
/// sentences is kept, and so are sentences without a letter or digit.
/// Placeholders (see FindPlaceholders) are marks.
std::vector<Segment> SplitText(std::string_view text);

/// The same of HTML (see HtmlReader). A block's text is split as a whole, with
/// entities decoded and a line end as a space; inline tags are marks, and so is
/// what they hold if that is no word. Time is linear.
std::vector<Segment> SplitHtml(std::string_view html);

/// The segments with the sentences replaced by what `written` has, one for each
/// in order.
std::string JoinSegments(std::span<const Segment> segments,
                         std::span<const std::string> written);

}  // namespace heed

#endif  // HEED_SERVE_TEXT_SPLIT_H_
