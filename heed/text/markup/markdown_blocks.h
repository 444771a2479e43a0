// Translatable blocks of a Markdown document.
#ifndef HEED_TEXT_MARKUP_MARKDOWN_BLOCKS_H_
#define HEED_TEXT_MARKUP_MARKDOWN_BLOCKS_H_

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "heed/text/markup/placeholders.h"

namespace heed {

/// A heading, a paragraph, a table cell or a block of HTML. Everything between
/// blocks is kept: marks of lists, quotes and alerts, code, rules, front
/// matter, link definitions, a byte order mark.
struct MarkdownBlock {
  bool html = false;
  /// Lines of the block in the document, without the marks of enclosing blocks
  /// and without line ends. At least one.
  std::vector<TextRange> lines;
};

/// Parses the block structure of CommonMark with GitHub's tables and task
/// lists, and front matter between lines of --- or +++. Blocks are in order.
/// Containers nest at most 64 deep; deeper ones are text. Linear time.
std::vector<MarkdownBlock> ReadMarkdownBlocks(std::string_view document);

/// True if a line begins with the mark of a heading ("## ") or of a quote (">
/// "), which plain text rarely contains.
bool LooksLikeMarkdown(std::string_view document);

/// Labels of a document's link definitions, in lower case: "a" for "[A]:
/// https://x.example".
using LinkLabels = std::unordered_set<std::string>;
LinkLabels ReadLinkLabels(std::string_view document);

/// Normalises a label for comparison: lower case, single spaces.
std::string LinkLabel(std::string_view label);

}  // namespace heed

#endif  // HEED_TEXT_MARKUP_MARKDOWN_BLOCKS_H_
