// The formats that alignments can be written in.
#ifndef HEED_RENDER_ALIGNMENT_FILE_H_
#define HEED_RENDER_ALIGNMENT_FILE_H_

#include <span>
#include <string>
#include <string_view>

#include "heed/explain/alignment.h"

namespace heed {

enum class AlignmentFormat { kSvg, kHtml, kJson, kPharaoh };

/// "svg", "html", "json" or "pharaoh". Throws: ConfigError that lists these.
AlignmentFormat ParseAlignmentFormat(std::string_view name);

/// The format that the ending of `path` names: .svg, .html, .json or .pharaoh.
/// Throws: ConfigError, which lists these, for any other ending.
AlignmentFormat AlignmentFormatOf(std::string_view path);

/// The whole file of `views` in `format`, ending with a newline. In SVG their
/// links are outlined; if they have none, the words that changed their place.
/// Throws: ShapeError unless there is one weight per pair of tokens.
std::string AlignmentFile(AlignmentFormat format,
                          std::span<const AlignmentView> views);

}  // namespace heed

#endif  // HEED_RENDER_ALIGNMENT_FILE_H_
