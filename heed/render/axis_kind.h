// The kinds of axes: what a text, a series, ... looks like. Each is one file
// and one line in axis_kinds.cc.
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
  /// The items of an axis shaded by values, −1 to 1, `width` wide.
  std::function<Drawing(const ExplanationSegment&, const Axis&,
                        std::span<const float> values, double width)>
      shade;
  /// The same in lines of a terminal, behind `indent` spaces.
  std::function<std::string(const ExplanationSegment&, const Axis&,
                            std::span<const float> values, int indent,
                            const TerminalOptions&)>
      shade_text;
  /// Names of its items say little, so that it is shaded for each target,
  /// however many there are, in the place of a table with those names.
  bool shaded_for_each = false;
  /// A picture of an input of this kind with its answer, which is shown first;
  /// none: the usual views are enough.
  std::function<Drawing(const ExplanationSegment&, const ViewOptions&)>
      picture = {};
  /// Whether the page shows that picture.
  bool on_page = false;
  /// What its shades mean.
  PictureLegend::Kind legend = PictureLegend::kSigned;
  std::function<std::string(const ExplanationSegment&, const ViewOptions&,
                            const TerminalOptions&)>
      picture_text = {};
  /// Whether an input of this kind is called by its text, which
  /// titles then have.
  bool named_by_text = false;
};

const std::vector<AxisKind>& AxisKinds();
/// One more, before any is asked for. Throws: ConfigError if there is one of
/// its name.
void AddAxisKind(AxisKind kind);
/// The kind of this name, or else the first, which shows any axis by the names
/// of its items.
const AxisKind& KindOf(const Axis& axis);

/// Words: a text, or names.
AxisKind TextKind();
/// Steps of time, of which a payload has the numbers.
AxisKind SeriesKind();
/// Nodes of a graph, of which a payload has places, classes and edges.
AxisKind GraphKind();
/// Events, such as visits, and what happened at each.
AxisKind TimelineKind();
/// Reviews, each of which covers words of another axis.
AxisKind ReviewsKind();
/// Vectors of bits, step by step, and the slots of a memory.
AxisKind MemoryKind();
/// Images, of which a payload has the file and the side of a cell.
AxisKind ImageKind();
/// The tokens of a document, and its sentences, which cover them by spans.
AxisKind DocumentKind();
/// The words of a passage that is asked about, and its sentences.
AxisKind PassageKind();
/// Frames of a sound, of which a payload has the spectrogram and the file.
AxisKind AudioKind();

}  // namespace heed

#endif  // HEED_RENDER_AXIS_KIND_H_
