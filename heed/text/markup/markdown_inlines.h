// Emphasis, links, code and tags in the text of Markdown.
#ifndef HEED_TEXT_MARKUP_MARKDOWN_INLINES_H_
#define HEED_TEXT_MARKUP_MARKDOWN_INLINES_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "heed/text/markup/markdown_blocks.h"

namespace heed {

/// A mark in the text of a block. What stands between marks is text.
struct MarkdownMark {
  enum class Kind {
    kOpen,    ///< begins emphasis, a link, an inline element of HTML
    kClose,   ///< ends one
    kKept,    ///< code, a formula, an address in angle brackets, a comment
    kBreak,   ///< a line end inside a sentence
    kBorder,  ///< no sentence goes across it: a hard line break, an image that
              ///< stands alone
  };
  Kind kind;
  size_t begin;
  size_t end;
  std::string name = {};  ///< of what opens and closes
  /// Text that replaces the mark when its content is translated; "": the mark
  /// stays unchanged.
  std::string written = {};
};

/// The marks of a block's text by CommonMark's rules, and ~~ for text that is
/// struck out, in order. Lines of `text` are joined by \n. Time is linear but
/// for a constant factor.
std::vector<MarkdownMark> FindMarkdownMarks(std::string_view text,
                                            const LinkLabels& labels);

}  // namespace heed

#endif  // HEED_TEXT_MARKUP_MARKDOWN_INLINES_H_
