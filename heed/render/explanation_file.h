// The formats and views that explanations can be written in.
#ifndef HEED_RENDER_EXPLANATION_FILE_H_
#define HEED_RENDER_EXPLANATION_FILE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/explain/explanation.h"

namespace heed {

enum class ExplanationFormat : uint8_t { kHtml, kSvg, kPng, kJson };

/// The format that the ending of `path` names: .html, .svg, .png or .json.
/// Throws: ConfigError, which lists these, for any other ending.
ExplanationFormat ExplanationFormatOf(std::string_view path);

/// What a picture shows; HTML and JSON hold everything.
enum class ExplanationView : uint8_t {
  kHeads,      ///< all heads of all layers
  kAlignment,  ///< a heatmap with the phrases that moved outlined
  kFrames,     ///< one frame per target token
  kPanels,     ///< scores, weights, context of one head in numbers
  kLines,      ///< lines from target to source
  kSaliency,   ///< attributions beside attention
};

/// heads, alignment, frames, panels, lines or saliency.
/// Throws: ConfigError, which lists these, for any other name.
ExplanationView ExplanationViewOf(std::string_view name);

/// All of them.
std::vector<std::string> ExplanationViewNames();

struct ExplanationFileOptions {
  ExplanationView view = ExplanationView::kAlignment;
  /// alignment, frames and lines: of this layer instead of the one that aligns.
  std::optional<size_t> layer;
  int64_t head = -1;  ///< of `layer`; −1: mean of all
};

/// Throws: ConfigError if the explanation does not have what the view shows,
/// and says what to ask for; ShapeError if its parts do not fit each other.
void CheckViewExists(const Explanation& explanation,
                     const ExplanationFileOptions& options);

/// What alignment, frames and lines show.
/// Throws: ConfigError if there is no such layer or head.
AlignmentView ShownAttention(const Explanation& explanation,
                             const ExplanationFileOptions& options);

/// The whole file, ending with a newline unless it is PNG.
/// Throws: ConfigError if the explanations do not have what the view shows;
/// ShapeError if their parts do not fit each other.
std::string ExplanationFile(ExplanationFormat format,
                            std::span<const Explanation> explanations,
                            const ExplanationFileOptions& options);

/// The view as an SVG document, or a part of a page that has PictureStyle().
std::string ExplanationSvg(std::span<const Explanation> explanations,
                           const ExplanationFileOptions& options,
                           bool embedded = false);

}  // namespace heed

#endif  // HEED_RENDER_EXPLANATION_FILE_H_
