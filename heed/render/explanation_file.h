// The formats and views that explanations can be written in.
#ifndef HEED_RENDER_EXPLANATION_FILE_H_
#define HEED_RENDER_EXPLANATION_FILE_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "heed/explain/explanation.h"
#include "heed/render/terminal.h"
#include "heed/render/view.h"

namespace heed {

enum class ExplanationFormat : uint8_t { kHtml, kSvg, kPng, kJson };

/// The format that the ending of `path` names: .html, .svg, .png or .json.
/// Throws: ConfigError, which lists these, for any other ending.
ExplanationFormat ExplanationFormatOf(std::string_view path);

/// Which weight has the full shade.
enum class ShadeScale : uint8_t {
  kAuto,      ///< 1, or where all are small, the largest of the picture
  kAbsolute,  ///< 1
  kRow,       ///< of each row the largest
  kPicture,   ///< the largest of the picture
};

/// "auto", "absolute", "row" or "picture". Throws: ConfigError.
ShadeScale ParseShadeScale(std::string_view name);
std::vector<std::string> ShadeScaleNames();

/// What a picture shows; HTML and JSON hold everything.
struct PictureChoice {
  std::string view = {};  ///< of ExplanationViews(); empty: the first that fits
  std::string map = {};   ///< as ViewOptions
  int64_t head = -1;      ///< as ViewOptions
  int64_t step = -1;      ///< as ViewOptions
  ShadeScale scale = ShadeScale::kAuto;
  bool words = false;  ///< sub-words merged to words
  /// Methods of attribution were asked for: without `view`, one that shows them
  /// comes first.
  bool methods = false;
};

/// The whole file, ending with a newline unless it is PNG.
/// Throws: ConfigError if the explanations do not have what the view shows, and
/// says what to ask for, or, of HTML, if the build has no page; ShapeError if
/// their parts do not fit each other.
std::string ExplanationFile(ExplanationFormat format,
                            std::span<const Explanation> explanations,
                            const PictureChoice& choice);

/// ExplanationJson for the page: each segment lists in "views" the names of the
/// views whose pictures it can have. "pictures" [{view, segment, svg}] holds
/// those of `views`, shaded by `scale`; a view that the page recolours has one
/// for each pair of axes of a map, with the "map" and whether it is of "words".
/// Without "inputs", which pictures alone need, where there are pictures.
nlohmann::ordered_json PageJson(const Explanation& explanation,
                                std::span<const std::string> views,
                                ShadeScale scale = ShadeScale::kAuto);

/// Names of the views whose pictures the page shows.
std::vector<std::string> PageViewNames();

/// Whether the picture of a view needs vectors or numbers of the model: see
/// ExplainRequest::pictures.
bool NeedsVectors(const std::string& view);

/// All segments of all explanations, as an SVG document.
std::string ExplanationSvg(std::span<const Explanation> explanations,
                           const PictureChoice& choice);

/// The same drawn with characters, segment by segment.
std::string TerminalExplanation(const Explanation& explanation,
                                const PictureChoice& choice,
                                const TerminalOptions& terminal);

}  // namespace heed

#endif  // HEED_RENDER_EXPLANATION_FILE_H_
