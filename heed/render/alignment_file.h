// File formats of alignments.
#ifndef HEED_RENDER_ALIGNMENT_FILE_H_
#define HEED_RENDER_ALIGNMENT_FILE_H_

#include <span>
#include <string>
#include <string_view>

#include "heed/explain/alignment.h"

namespace heed {

enum class AlignmentFormat { kSvg, kHtml, kJson, kPharaoh };

/// Parses "svg", "html", "json" or "pharaoh". Throws: ConfigError that lists
/// these names.
AlignmentFormat ParseAlignmentFormat(std::string_view name);

/// Format for the extension of `path`: .svg, .html, .json or .pharaoh. Throws:
/// ConfigError that lists these for any other extension.
AlignmentFormat AlignmentFormatOf(std::string_view path);

/// Content of a file of `views` in `format`, ending with a newline. SVG
/// outlines the links of a view; if it has none, the reordered phrases.
/// Throws: ShapeError unless there is one weight per pair of tokens.
std::string AlignmentFile(AlignmentFormat format,
                          std::span<const AlignmentView> views);

}  // namespace heed

#endif  // HEED_RENDER_ALIGNMENT_FILE_H_
