#include "heed/render/alignment_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <utility>

#include "heed/base/errors.h"
#include "heed/render/explanation_file.h"
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

/// HTML page of explanations with one map each.
std::string AlignmentPage(std::span<const AlignmentView> views) {
  std::vector<Explanation> all;
  for (const AlignmentView& view : views) {
    ExplanationSegment segment;
    segment.text = fmt::format("{}", fmt::join(view.source_tokens, " "));
    segment.answer = fmt::format("{}", fmt::join(view.target_tokens, " "));
    segment.axes = {
        {.id = "source", .label = "Source", .items = view.source_tokens},
        {.id = "target", .label = "Target", .items = view.target_tokens}};
    segment.maps = {{.name = "alignment",
                     .title = "Alignment",
                     .query = "target",
                     .heads = 1,
                     .query_size = view.target_size(),
                     .key_size = view.source_size(),
                     .weights = view.weights}};
    for (int64_t t = 0; t < view.target_size(); ++t) {
      segment.targets.push_back({.item = t, .map = 0, .row = t});
    }
    all.push_back({.task = "",
                   .model = "",
                   .text = segment.text,
                   .answer = segment.answer,
                   .segments = {segment}});
  }
  return ExplanationFile(ExplanationFormat::kHtml, all, {});
}

}  // namespace

AlignmentFormat ParseAlignmentFormat(std::string_view name) {
  for (const auto& [ending, format] : kEndings) {
    if (name == ending.substr(1)) return format;
  }
  throw ConfigError(
      "unknown format of alignments '{}'; choose svg, html, json or pharaoh",
      name);
}

AlignmentFormat AlignmentFormatOf(std::string_view path) {
  for (const auto& [ending, format] : kEndings) {
    if (path.ends_with(ending)) return format;
  }
  throw ConfigError(
      "{}: unknown kind of alignment file; let its name end in .svg, .html, "
      ".json or .pharaoh",
      path);
}

std::string AlignmentFile(AlignmentFormat format,
                          std::span<const AlignmentView> views) {
  switch (format) {
    case AlignmentFormat::kSvg:
      return AlignmentSvg(views, {.outline_off_diagonal = true});
    case AlignmentFormat::kHtml:
      return AlignmentPage(views);
    case AlignmentFormat::kJson:
      return AlignmentJson(views) + "\n";
    case AlignmentFormat::kPharaoh:
      return PharaohFile(views);
  }
  throw ConfigError("alignment file: unknown format");
}

}  // namespace heed
