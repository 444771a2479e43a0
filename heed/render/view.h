// Views of explanations. Each is one file and one line in views.cc.
#ifndef HEED_RENDER_VIEW_H_
#define HEED_RENDER_VIEW_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "heed/explain/explanation.h"
#include "heed/render/drawing.h"
#include "heed/render/terminal.h"

namespace heed {

/// Options of a view.
struct ViewOptions {
  /// Views of one attention: name of the map to show; empty: the attention of
  /// the targets.
  std::string map = {};
  int64_t head = -1;  ///< of `map`; −1: mean of all
  /// Rows of `map` to show; {}: all.
  ItemRange rows = {};
  /// Weight of the full shade; 0: the largest weight of each row.
  double full = 1;
  /// Views of one step: index of the target, from 0; −1: the middle one, or for
  /// views of all steps the first.
  int64_t step = -1;
  /// Views of one attention: omit title and weights; the page adds those of the
  /// displayed head.
  bool bare = false;
};

/// A view: its name, what it accepts, and how it draws.
struct ExplanationView {
  std::string name;
  std::string description;
  /// Reason why a segment cannot be shown, and what to request; empty: it can.
  std::function<std::string(const ExplanationSegment&, const ViewOptions&)>
      refusal;
  std::function<std::vector<Drawing>(const ExplanationSegment&,
                                     const ViewOptions&)>
      draw;
  /// Lines that end with a newline and have at most terminal.width columns,
  /// unless a word or a head needs more.
  std::function<std::string(const ExplanationSegment&, const ViewOptions&,
                            const TerminalOptions&)>
      text;
  /// Shows attributions; preferred if attribution methods were requested.
  bool of_methods = false;
  /// Shows the model itself and needs no text.
  bool of_model = false;
  /// Needs the numbers of the answer's attention (of_numbers), or the input
  /// vectors of the model (of_inputs).
  bool of_numbers = false;
  bool of_inputs = false;
  /// Include the picture of this view in the page (see PageJson).
  bool on_page = false;
  /// Restricts `on_page` to some segments; null: every segment that the view
  /// accepts.
  std::function<bool(const ExplanationSegment&)> on_page_of = {};
  /// The page draws the weights of any map and head into the picture, so one
  /// picture is drawn for each pair of axes (see ViewOptions::bare).
  bool recoloured = false;
  PictureLegend::Kind legend = PictureLegend::kWeights;
  /// Legend by segment; null: `legend`.
  std::function<PictureLegend::Kind(const ExplanationSegment&)> legend_of = {};
  /// Largest weight shown for a segment; null: shades are not scaled.
  std::function<float(const ExplanationSegment&, const ViewOptions&)> largest =
      {};
};

/// All views in order of preference.
const std::vector<ExplanationView>& ExplanationViews();
/// Registers a view; call before the views are used. Throws: ConfigError if the
/// name exists.
void AddExplanationView(ExplanationView view);
std::vector<std::string> ExplanationViewNames();
/// The view called `name`. Throws: ConfigError that lists the names.
const ExplanationView& ExplanationViewOf(std::string_view name);

/// The attention shown by a view of one attention: of the targets, or a map.
/// Throws: ConfigError if there is no such map or head.
AlignmentView ShownAttention(const ExplanationSegment& segment,
                             const ViewOptions& options);
/// Weights of a target token.
std::span<const float> RowAt(const AlignmentView& view, int64_t target);
/// Reason why a segment has no attention to show; empty: it has.
std::string AttentionRefusal(const ExplanationSegment& segment,
                             const ViewOptions& options);
/// Largest weight of ShownAttention.
float LargestShown(const ExplanationSegment& segment,
                   const ViewOptions& options);

/// Factor from weights to shades: 1 / full, or 1 / the largest weight of the
/// row if `full` is 0.
float ShadeFactor(std::span<const float> row, double full);

/// True if the input is a text.
bool ReadsText(const ExplanationSegment& segment);
/// Title "text → answer" on one line; only the answer if the text does not name
/// the input.
std::string TitleOf(const ExplanationSegment& segment);

}  // namespace heed

#endif  // HEED_RENDER_VIEW_H_
