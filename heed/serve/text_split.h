// Texts as sentences to translate and what stands between them.
#ifndef HEED_SERVE_TEXT_SPLIT_H_
#define HEED_SERVE_TEXT_SPLIT_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

struct Segment {
  /// A sentence as plain text, or what is kept as it stands.
  std::string text;
  bool translate = false;
};

/// How long a sentence may be before it is cut at a comma or a space.
/// Units: code points
inline constexpr int kLongestSentence = 600;

/// Lines, and in them sentences by Unicode's rules (UAX 29). White space around
/// sentences is kept, and so are sentences without a letter or digit.
std::vector<Segment> SplitText(std::string_view text);

/// The same of HTML: tags, comments, scripts, styles and code are kept; a text
/// between tags is split on its own, with its entities decoded.
std::vector<Segment> SplitHtml(std::string_view html);

/// The segments with the sentences replaced, one translation for each, in
/// order; with `html`, escaped.
std::string JoinSegments(std::span<const Segment> segments,
                         std::span<const std::string> translations, bool html);

}  // namespace heed

#endif  // HEED_SERVE_TEXT_SPLIT_H_
