// File formats and views of explanations.
#ifndef HEED_RENDER_EXPLANATION_FILE_H_
#define HEED_RENDER_EXPLANATION_FILE_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "heed/base/config.h"
#include "heed/explain/explanation.h"
#include "heed/render/terminal.h"
#include "heed/render/view.h"

namespace heed {

enum class ExplanationFormat : uint8_t { kHtml, kSvg, kPng, kJson };

/// Format for the extension of `path`: .html, .svg, .png or .json.
/// Throws: ConfigError that lists these for any other extension.
ExplanationFormat ExplanationFormatOf(std::string_view path);

/// Weight that has the full shade.
enum class ShadeScale : uint8_t {
  kAuto,      ///< 1, or the largest of the picture if all are small
  kAbsolute,  ///< 1
  kRow,       ///< largest of each row
  kPicture,   ///< largest of the picture
};

/// Parses "auto", "absolute", "row" or "picture". Throws: ConfigError.
ShadeScale ParseShadeScale(std::string_view name);
std::vector<std::string> ShadeScaleNames();

/// Parses rows "A:B", from A to before B; "" is {}. Throws: ConfigError.
ItemRange ParseRows(std::string_view text);

/// Content of a picture; HTML and JSON contain everything, but JSON of chosen
/// rows is AlignmentJson of their weights.
struct PictureChoice {
  std::string view = {};  ///< in ExplanationViews(); empty: first that fits
  std::string map = {};   ///< as ViewOptions
  int64_t head = -1;      ///< as ViewOptions
  ItemRange rows = {};    ///< as ViewOptions
  int64_t step = -1;      ///< as ViewOptions
  ShadeScale scale = ShadeScale::kAuto;
  bool words = false;  ///< merge subwords to words
  /// Attribution methods were requested: without `view`, prefer a view of
  /// attributions.
  bool methods = false;
};

/// A PictureChoice as options of a command or a request.
struct PictureRequest {
  std::string view;
  std::string layer;
  int head = -1;
  std::string rows;
  int step = -1;
  std::string scale = "auto";
  bool words = false;

  void Visit(FieldList& v);
  /// Throws: ConfigError for invalid rows.
  PictureChoice Choice() const;
};

/// Content of a file, ending with a newline unless it is PNG.
/// Throws: ConfigError if the explanations lack the data of the view (says what
/// to request), or, for HTML, if the build has no page; ShapeError if their
/// parts are inconsistent.
std::string ExplanationFile(ExplanationFormat format,
                            std::span<const Explanation> explanations,
                            const PictureChoice& choice);

/// ExplanationJson for the page. Each segment lists in "views" its possible
/// pictures. "pictures" [{view, segment, svg}] holds the pictures of `views`,
/// shaded by `scale`. A view that the page recolours has one for each pair of
/// axes of a map, with the keys "map" and "words" (true if merged to words). If
/// there are pictures, "inputs" is omitted, because only pictures use it.
/// `large`: how large maps are described.
nlohmann::ordered_json PageJson(const Explanation& explanation,
                                std::span<const std::string> views,
                                ShadeScale scale = ShadeScale::kAuto,
                                const ExplanationJsonOptions& large = {});

/// Names of the views with pictures on the page.
std::vector<std::string> PageViewNames();

/// True if the picture of a view needs vectors or numbers of the model: see
/// ExplainRequest::pictures.
bool NeedsVectors(const std::string& view);

/// SVG document of all segments of all explanations.
std::string ExplanationSvg(std::span<const Explanation> explanations,
                           const PictureChoice& choice);

/// Terminal picture of an explanation, segment by segment.
std::string TerminalExplanation(const Explanation& explanation,
                                const PictureChoice& choice,
                                const TerminalOptions& terminal);

}  // namespace heed

#endif  // HEED_RENDER_EXPLANATION_FILE_H_
