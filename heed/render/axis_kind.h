// Rendering of axes by kind (text, series, ...). Each kind is one file and one
// line in axis_kinds.cc.
#ifndef HEED_RENDER_AXIS_KIND_H_
#define HEED_RENDER_AXIS_KIND_H_

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "heed/explain/explanation.h"
#include "heed/render/drawing.h"
#include "heed/render/view.h"

namespace heed {

struct AxisKind {
  std::string name;  ///< Axis::kind
  /// Draws the items of an axis shaded by values, −1 to 1, in `width`.
  std::function<Drawing(const ExplanationSegment&, const Axis&,
                        std::span<const float> values, double width)>
      shade;
  /// Draws the shaded items as lines of a terminal, indented by `indent`
  /// spaces.
  std::function<std::string(const ExplanationSegment&, const Axis&,
                            std::span<const float> values, int indent,
                            const TerminalOptions&)>
      shade_text;
  /// Draw one overlay per target instead of a table (item names carry no
  /// information).
  bool shaded_for_each = false;
  /// Picture of an input of this kind with its answer, shown first; none: only
  /// the general views.
  std::function<Drawing(const ExplanationSegment&, const ViewOptions&)>
      picture = {};
  /// Include the picture in the page.
  bool on_page = false;
  /// Legend of the picture's shades.
  PictureLegend::Kind legend = PictureLegend::kSigned;
  std::function<std::string(const ExplanationSegment&, const ViewOptions&,
                            const TerminalOptions&)>
      picture_text = {};
  /// The text names the input, so titles include it.
  bool named_by_text = false;
};

const std::vector<AxisKind>& AxisKinds();
/// Registers a kind; call before the kinds are used. Throws: ConfigError if the
/// name exists.
void AddAxisKind(AxisKind kind);
/// The kind of an axis. Unknown names give the first kind, which draws any axis
/// by its item names.
const AxisKind& KindOf(const Axis& axis);

/// Words: a text, or names.
AxisKind TextKind();
/// Time steps; the payload holds the numbers.
AxisKind SeriesKind();
/// Nodes of a graph; the payload holds positions, classes and edges.
AxisKind GraphKind();
/// Events over time, such as visits, with what happened at each.
AxisKind TimelineKind();
/// Reviews; each covers words of another axis.
AxisKind ReviewsKind();
/// Bit vectors, step by step, and the slots of a memory.
AxisKind MemoryKind();
/// Images; the payload holds the file and the cell size.
AxisKind ImageKind();
/// Tokens of a document, and its sentences, which cover them by spans.
AxisKind DocumentKind();
/// Words of a passage for question answering, and its sentences.
AxisKind PassageKind();
/// Frames of a sound; the payload holds the spectrogram and the file.
AxisKind AudioKind();

}  // namespace heed

#endif  // HEED_RENDER_AXIS_KIND_H_
