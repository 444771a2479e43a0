// The blocks of a Markdown document whose text is translated.
#ifndef HEED_TEXT_MARKUP_MARKDOWN_BLOCKS_H_
#define HEED_TEXT_MARKUP_MARKDOWN_BLOCKS_H_

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "heed/text/markup/placeholders.h"

namespace heed {

/// A heading, a paragraph or a cell of a table; or a block of HTML. What
/// stands between blocks is kept: marks of lists, quotes and alerts, code,
/// rules, front matter, definitions of links, a byte order mark.
struct MarkdownBlock {
  bool html = false;
  /// Its lines in the document, without the marks of the blocks around it and
  /// without line ends. At least one.
  std::vector<TextRange> lines;
};

/// Reads the block structure of CommonMark with GitHub's tables and task lists,
/// and front matter between lines of --- or +++. Blocks are in order.
/// Containers nest at most 64 deep; what is deeper is text. Time is linear.
std::vector<MarkdownBlock> ReadMarkdownBlocks(std::string_view document);

/// Whether a line begins with the mark of a heading ("## ") or of a quote
/// ("> "), which plain text has no use for.
bool LooksLikeMarkdown(std::string_view document);

/// The labels of a document's link definitions, in lower case: "a" of
/// "[A]: https://x.example".
using LinkLabels = std::unordered_set<std::string>;
LinkLabels ReadLinkLabels(std::string_view document);

/// Normalises a label for comparison: lower case, single spaces.
std::string LinkLabel(std::string_view label);

}  // namespace heed

#endif  // HEED_TEXT_MARKUP_MARKDOWN_BLOCKS_H_
