// The views of explanations. Each is one file and one line in views.cc.
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

/// What a view is asked to show.
struct ViewOptions {
  /// Of views of one attention: this map instead of those that speak for the
  /// targets; its name.
  std::string map = {};
  int64_t head = -1;  ///< of `map`; −1: mean of all
  /// The weight that has the full shade; 0: in each row the largest has it.
  double full = 1;
  /// Of views of one step: the target, from 0; −1: the one of the middle, or
  /// where all are shown, the first.
  int64_t step = -1;
  /// Views of one attention: draw neither title nor weights; the page adds
  /// those of the head that it shows.
  bool bare = false;
};

/// A view: what it shows, and how.
struct ExplanationView {
  std::string name;
  std::string description;
  /// Why a segment cannot be shown, and what to ask for; empty: it can.
  std::function<std::string(const ExplanationSegment&, const ViewOptions&)>
      refusal;
  std::function<std::vector<Drawing>(const ExplanationSegment&,
                                     const ViewOptions&)>
      draw;
  /// Lines that end with a newline and have at most terminal.width columns, as
  /// far as a word or a head needs no more.
  std::function<std::string(const ExplanationSegment&, const ViewOptions&,
                            const TerminalOptions&)>
      text;
  /// Shows what methods of attribution found: comes first where one was asked
  /// for.
  bool of_methods = false;
  /// Shows the model itself: needs no text.
  bool of_model = false;
  /// Needs the numbers of the attention that speaks for the answer, or the
  /// vectors that the model begins with.
  bool of_numbers = false;
  bool of_inputs = false;
  /// Whether the page shows the picture of this view (see PageJson).
  bool on_page = false;
  /// Restricts `on_page` to some segments; null: every segment that the view
  /// accepts.
  std::function<bool(const ExplanationSegment&)> on_page_of = {};
  /// Whether the page draws the weights of any map and head into its picture,
  /// which is then drawn for each pair of axes (see ViewOptions::bare).
  bool recoloured = false;
  PictureLegend::Kind legend = PictureLegend::kWeights;
  /// Legend of a segment where segments differ in it; null: `legend`.
  std::function<PictureLegend::Kind(const ExplanationSegment&)> legend_of = {};
  /// The largest weight that is shown of a segment; none: shades are not
  /// scaled.
  std::function<float(const ExplanationSegment&, const ViewOptions&)> largest =
      {};
};

/// All views, in the order in which the first that a text has is shown.
const std::vector<ExplanationView>& ExplanationViews();
/// One more, before any is asked for. Throws: ConfigError if there is one of
/// its name.
void AddExplanationView(ExplanationView view);
std::vector<std::string> ExplanationViewNames();
/// Throws: ConfigError, which lists these, for any other name.
const ExplanationView& ExplanationViewOf(std::string_view name);

/// The attention that a view of one shows: that of the targets, or a map.
/// Throws: ConfigError if there is no such map or head.
AlignmentView ShownAttention(const ExplanationSegment& segment,
                             const ViewOptions& options);
/// The weights of its target token, as they are.
std::span<const float> RowAt(const AlignmentView& view, int64_t target);
/// Why there is none; empty: there is.
std::string AttentionRefusal(const ExplanationSegment& segment,
                             const ViewOptions& options);
/// The largest of its weights.
float LargestShown(const ExplanationSegment& segment,
                   const ViewOptions& options);

/// What a weight is multiplied by to be a shade: by the largest of its row if
/// `full` is 0.
float ShadeFactor(std::span<const float> row, double full);

/// Whether its input is a text.
bool ReadsText(const ExplanationSegment& segment);
/// "text → answer" on one line; of an input that its text does not name, the
/// answer.
std::string TitleOf(const ExplanationSegment& segment);

}  // namespace heed

#endif  // HEED_RENDER_VIEW_H_
