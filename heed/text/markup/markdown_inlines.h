// Emphasis, links, code and tags in Markdown text.
#ifndef HEED_TEXT_MARKUP_MARKDOWN_INLINES_H_
#define HEED_TEXT_MARKUP_MARKDOWN_INLINES_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "heed/text/markup/markdown_blocks.h"

namespace heed {

/// A mark in the text of a block. The bytes between marks are text.
struct MarkdownMark {
  enum class Kind {
    kOpen,    ///< begins emphasis, a link or an inline HTML element
    kClose,   ///< ends emphasis, a link or an inline HTML element
    kKept,    ///< code, a formula, an address in angle brackets, a comment
    kBreak,   ///< a line end inside a sentence
    kBorder,  ///< ends a sentence: a hard line break, or an image at an edge of
              ///< the block
  };
  Kind kind;
  size_t begin;
  size_t end;
  std::string name = {};  ///< for opening and closing marks
  /// Text that replaces the mark when its content is translated; "": the mark
  /// stays unchanged.
  std::string written = {};
};

/// Marks of a block's text in order, by the rules of CommonMark and ~~ for
/// strikethrough. Lines of `text` are joined by \n. Linear time.
std::vector<MarkdownMark> FindMarkdownMarks(std::string_view text,
                                            const LinkLabels& labels);

}  // namespace heed

#endif  // HEED_TEXT_MARKUP_MARKDOWN_INLINES_H_
