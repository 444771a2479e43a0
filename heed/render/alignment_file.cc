#include "heed/render/alignment_file.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "heed/base/errors.h"
#include "heed/render/explanation_html.h"
#include "heed/render/heatmap_svg.h"

namespace heed {
namespace {

constexpr std::array<std::pair<std::string_view, AlignmentFormat>, 4> kEndings =
    {{{".svg", AlignmentFormat::kSvg},
      {".html", AlignmentFormat::kHtml},
      {".json", AlignmentFormat::kJson},
      {".pharaoh", AlignmentFormat::kPharaoh}}};

std::string PharaohFile(std::span<const AlignmentView> views) {
  std::string out;
  for (const AlignmentView& view : views) out += PharaohLine(view) + "\n";
  return out;
}

}  // namespace

AlignmentFormat ParseAlignmentFormat(std::string_view name) {
  for (const auto& [ending, format] : kEndings) {
    if (name == ending.substr(1)) return format;
  }
  throw ConfigError(fmt::format(
      "unknown format of alignments '{}'; choose svg, html, json or pharaoh",
      name));
}

AlignmentFormat AlignmentFormatOf(std::string_view path) {
  for (const auto& [ending, format] : kEndings) {
    if (path.ends_with(ending)) return format;
  }
  throw ConfigError(fmt::format(
      "{}: unknown kind of alignment file; let its name end in .svg, .html, "
      ".json or .pharaoh",
      path));
}

std::string AlignmentFile(AlignmentFormat format,
                          std::span<const AlignmentView> views) {
  switch (format) {
    case AlignmentFormat::kSvg:
      return AlignmentSvg(views, {.outline_off_diagonal = true});
    case AlignmentFormat::kHtml:
      return AlignmentHtml(views);
    case AlignmentFormat::kJson:
      return AlignmentJson(views) + "\n";
    case AlignmentFormat::kPharaoh:
      return PharaohFile(views);
  }
  throw ConfigError("alignment file: unknown format");
}

}  // namespace heed
