#include "heed/render/model_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/at.h"
#include "heed/base/text.h"
#include "heed/render/markup.h"
#include "heed/render/outline_rows.h"
#include "heed/render/text_layout.h"

namespace heed {
namespace {

using PartKind = OutlinePart::Kind;

constexpr double kLayerBox = 60;
constexpr double kLayerBoxHeight = 28;
constexpr double kColumnStep = 96;
constexpr double kLayerStep = 62;
constexpr double kNarrowestLabel = 140;  // beside the boxes
constexpr double kSequenceGap = 150;     // between two sequences
constexpr double kFloorGap = 34;         // below a sequence made of others
constexpr double kNameHeight = 26;       // inputs and outputs
constexpr double kBelowRows = 78;        // space for inputs and the name below
constexpr double kBridgeBox = 34;
constexpr double kWidestWeight = 5;  // line width of weight 1
constexpr int kColumnName = 11;      // characters

/// Positions of the boxes of a sequence.
struct GridPlace {
  double x = 0;      // middle of the first column
  double base = 0;   // lower end
  double label = 0;  // row names
  bool labels_left = true;
  std::vector<double> tops;  // per row
  std::vector<double> heights;
  std::vector<size_t> lanes;  // source rows of the lines around boxes
};

class ModelWriter {
 public:
  ModelWriter(const ExplanationSegment& segment, const ViewOptions& options)
      : segment_(segment),
        outline_(segment.outline),
        steps_(outline_.Steps()),
        grids_(GridsOf(segment)),
        step_(options.step) {}

  Drawing Draw() {
    Measure();
    for (size_t g = 0; g < grids_.size(); ++g) {
      AddLinks(g);
      AddSources(g);
    }
    if (grids_.size() > 1) {
      AddAttention();
      AddBridge();
    }
    for (size_t g = 0; g < grids_.size(); ++g) AddBoxes(g);
    std::vector<Drawing> parts = {DrawHeading(Title(), 1)};
    parts.push_back({width_, bottom_, links_.Take() + boxes_.Take()});
    for (const std::string& line : FormulasOf(outline_)) {
      parts.push_back(DrawHeading(line, 3));
    }
    if (shown_ >= 0) parts.push_back(DrawHeading(StepNote(), 3));
    return StackDrawings(parts, 8);
  }

 private:
  std::string Title() const {
    const std::string text = TitleOf(segment_);
    const std::string name = NameOf(outline_);
    return text.empty() ? name : fmt::format("{}: {}", name, text);
  }

  static double HeightOf(const OutlineRow& row) {
    return row.part.kind == PartKind::kBoth ? 2 * kLayerBoxHeight + 6
                                            : kLayerBoxHeight;
  }

  /// Arranges sequences side by side, and sequences made of others above them.
  void Measure() {
    places_.resize(grids_.size());
    const double above = HeightOfFloor(/*upper=*/true);
    const double below = HeightOfFloor(/*upper=*/false);
    bottom_ = (above > 0 ? above + kFloorGap : 0.0) + below;
    double left = LabelWidth(0);
    double right = left;
    for (size_t g = 0; g < grids_.size(); ++g) {
      if (IsUpper(g)) continue;
      const bool first = g == 0;
      const double x = first ? left : right + kSequenceGap;
      PlaceGrid(g, x, bottom_, /*labels_left=*/first);
      right = x + WidthOf(g);
      width_ = right + (first ? 0.0 : LabelWidth(g));
    }
    const double middle = (left + right) / 2;
    for (size_t g = 0; g < grids_.size(); ++g) {
      if (!IsUpper(g)) continue;
      const double x = std::max(middle - WidthOf(g) / 2, LabelWidth(g));
      PlaceGrid(g, x, above, /*labels_left=*/true);
      const double name = TextWidth(grids_[g].sequence.name, 13) + 30;
      width_ = std::max(width_, x + WidthOf(g) + name);
    }
  }

  bool IsUpper(size_t g) const { return !grids_[g].sequence.of.empty(); }

  double HeightOfFloor(bool upper) const {
    double highest = 0;
    for (size_t g = 0; g < grids_.size(); ++g) {
      if (IsUpper(g) != upper) continue;
      double height = kBelowRows;
      for (const OutlineRow& row : grids_[g].rows) {
        height += HeightOf(row) + kLayerStep - kLayerBoxHeight;
      }
      if (grids_[g].sequence.writes) height += kNameHeight;
      highest = std::max(highest, height);
    }
    return highest;
  }

  double WidthOf(size_t g) const {
    return kColumnStep * static_cast<double>(grids_[g].columns.size() - 1) +
           kLayerBox;
  }

  /// `x`: left side; `base`: lower end.
  void PlaceGrid(size_t g, double x, double base, bool labels_left) {
    GridPlace& place = places_[g];
    place.x = x + kLayerBox / 2;
    place.base = base;
    place.labels_left = labels_left;
    place.label = labels_left ? x - 22 : x + WidthOf(g) + 22;
    double y = base - kBelowRows;
    for (const OutlineRow& row : grids_[g].rows) {
      y -= HeightOf(row);
      place.tops.push_back(y);
      place.heights.push_back(HeightOf(row));
      y -= kLayerStep - kLayerBoxHeight;
    }
  }

  /// Width of the row names of a sequence.
  double LabelWidth(size_t g) const {
    double widest = kNarrowestLabel;
    for (const OutlineRow& row : grids_[g].rows) {
      widest = std::max({widest, TextWidth(row.part.name, 13),
                         TextWidth(DetailOf(row.part), 11)});
    }
    return widest + 40;
  }

  double MiddleX(size_t g, size_t column) const {
    return places_[g].x + kColumnStep * static_cast<double>(column);
  }
  /// Centre of the only box of a pooled row.
  double CentreX(size_t g) const {
    return (MiddleX(g, 0) + MiddleX(g, grids_[g].columns.size() - 1)) / 2;
  }
  double Top(size_t g, size_t row) const { return places_[g].tops[row]; }
  double Bottom(size_t g, size_t row) const {
    return places_[g].tops[row] + places_[g].heights[row];
  }
  double MiddleY(size_t g, size_t row) const {
    return (Top(g, row) + Bottom(g, row)) / 2;
  }

  void AddLine(double x1, double y1, double x2, double y2,
               std::string_view more = {}) {
    links_.Line("<path class='link' {} d='M{:.1f} {:.1f}L{:.1f} {:.1f}'/>",
                more, x1, y1, x2, y2);
  }
  /// A line with an arrowhead; the last step is horizontal or vertical.
  void AddArrow(const std::string& path, double x, double y, bool across,
                bool back = false) {
    constexpr double kHead = 5;
    const double sign = back ? 1 : -1;
    const double x1 = across ? x + sign * kHead : x - 3.5;
    const double y1 = across ? y - 3.5 : y + kHead;
    const double x2 = across ? x + sign * kHead : x + 3.5;
    const double y2 = across ? y + 3.5 : y + kHead;
    links_.Line(
        "<path class='link' stroke-width='1.2' d='{}M{:.1f} {:.1f}L{:.1f} "
        "{:.1f}L{:.1f} {:.1f}'/>",
        path, x1, y1, x, y, x2, y2);
  }
  void AddUp(double x, double from, double to) {
    AddArrow(fmt::format("M{:.1f} {:.1f}V{:.1f}", x, from, to), x, to, false);
  }
  void AddAcross(double from, double to, double y) {
    AddArrow(fmt::format("M{:.1f} {:.1f}H{:.1f}", from, y, to), to, y, true,
             to < from);
  }
  /// Lane of the lines around boxes from one row.
  int LaneOf(size_t g, size_t from) {
    std::vector<size_t>& lanes = places_[g].lanes;
    const auto found = std::ranges::find(lanes, from);
    const auto lane = static_cast<int>(found - lanes.begin());
    if (found == lanes.end()) lanes.push_back(from);
    return lane;
  }
  /// Line to the left side of a box from below, around the boxes between; to a
  /// wide box from below.
  void AddAround(size_t g, size_t from, size_t to, size_t column) {
    const int lane = LaneOf(g, from);
    const double side = MiddleX(g, column) - kLayerBox / 2;
    const double x = side - 6 - 5.0 * lane;
    if (IsWide(g, to)) {
      const double y = Bottom(g, to);
      const double inside =
          std::max(x, MiddleX(g, 0) - kLayerBox / 2 + 6 + 5.0 * lane);
      AddArrow(fmt::format("M{:.1f} {:.1f}H{:.1f}V{:.1f}H{:.1f}V{:.1f}", side,
                           MiddleY(g, from), x, y + 12 + 4.0 * lane, inside, y),
               inside, y, false);
      return;
    }
    const double y = MiddleY(g, to) + 5 + 4.0 * lane;
    AddArrow(fmt::format("M{:.1f} {:.1f}H{:.1f}V{:.1f}H{:.1f}", side,
                         MiddleY(g, from), x, y, side),
             side, y, true);
  }
  /// Line from a box to a box of the next column.
  void AddOnward(size_t g, size_t from, size_t to, size_t column) {
    const double x1 = MiddleX(g, column) + kLayerBox / 2;
    const double x2 = MiddleX(g, column + 1) - kLayerBox / 2;
    const double y1 = MiddleY(g, from);
    const double y2 = MiddleY(g, to) - 6;
    const double bend = (x2 - x1) * 0.6;
    AddArrow(fmt::format("M{0:.1f} {1:.1f}C{2:.1f} {1:.1f} {3:.1f} {4:.1f} "
                         "{5:.1f} {4:.1f}",
                         x1, y1, x1 + bend, x2 - bend, y2, x2),
             x2, y2, true);
  }

  /// True if a row is one box over all columns.
  bool IsWide(size_t g, size_t r) const {
    const OutlineRow& row = grids_[g].rows[r];
    return !row.pooled && (row.part.kind == PartKind::kPool ||
                           row.part.kind == PartKind::kWhole);
  }

  const OutlineStep* StepThatGives(const std::string& result) const {
    const auto found = std::ranges::find(steps_, result, &OutlineStep::result);
    return found == steps_.end() ? nullptr : &*found;
  }

  /// Draws the links to a row from other rows of its sequence.
  void AddLinks(size_t g) {
    const OutlineGrid& grid = grids_[g];
    for (size_t r = 0; r < grid.rows.size(); ++r) {
      const OutlineRow& row = grid.rows[r];
      AddRecurrence(g, r);
      const OutlineStep* step = StepThatGives(row.receives);
      if (row.pooled) {
        AddUp(CentreX(g), Top(g, r - 1), Bottom(g, r));
      } else if (step != nullptr) {
        AddReads(g, r, *step);
      } else {
        AddFromBelow(g, r);
      }
    }
    if (grid.sequence.writes && !grid.rows.back().pooled) {
      for (size_t c = 0; c < grid.columns.size(); ++c) {
        if (grid.columns[c].dots) continue;
        const double top = Top(g, grid.rows.size() - 1);
        AddUp(MiddleX(g, c), top, top - 14);
      }
    }
  }

  void AddReads(size_t g, size_t r, const OutlineStep& step) {
    const OutlineGrid& grid = grids_[g];
    bool given = false;
    for (const std::string& read : step.reads) {
      const int64_t same = grid.RowThatGives(read);
      // Result of the previous step.
      const size_t mark = read.rfind("ᵢ₋₁");
      const int64_t before =
          same >= 0 || mark == std::string::npos
              ? -1
              : grid.RowThatGives(read.substr(0, mark) + "ᵢ");
      if (same >= 0 && static_cast<size_t>(same) + 1 == r) {
        AddFromBelow(g, r);
      } else if (same >= 0) {
        ForColumns(g, [&](size_t c) {
          AddAround(g, static_cast<size_t>(same), r, c);
        });
      } else if (before >= 0 && !IsSame(g, static_cast<size_t>(before), r)) {
        for (size_t c = 0; c + 1 < grid.columns.size(); ++c) {
          if (grid.columns[c].dots || grid.columns[c + 1].dots) continue;
          AddOnward(g, static_cast<size_t>(before), r, c);
        }
      } else if (r == 0 && before < 0 && !given) {
        AddFromBelow(g, r);
        given = true;
      }
    }
  }

  /// True if both are layers of one block with separately linked states.
  bool IsSame(size_t g, size_t a, size_t b) const {
    const OutlineRow& lower = grids_[g].rows[b];
    const OutlineRow& upper = grids_[g].rows[a];
    return lower.part.result == upper.part.result &&
           lower.part.kind == upper.part.kind;
  }

  template <typename Fn>
  void ForColumns(size_t g, const Fn& fn) {
    for (size_t c = 0; c < grids_[g].columns.size(); ++c) {
      if (!grids_[g].columns[c].dots) fn(c);
    }
  }

  void AddFromBelow(size_t g, size_t r) {
    const OutlineRow& row = grids_[g].rows[r];
    const double from =
        r == 0 ? places_[g].base - kBelowRows + 22 : Top(g, r - 1);
    const double to = Bottom(g, r);
    ForColumns(g, [&](size_t c) {
      if (!IsFan(row.part.kind)) {
        AddUp(MiddleX(g, c), from, to);
        return;
      }
      ForColumns(g, [&](size_t s) {
        if (!Meets(row.part.kind, c, s)) return;
        AddLine(MiddleX(g, s), from, MiddleX(g, c), to,
                s == c ? "stroke-width='1.2'"
                       : "stroke-width='1' stroke-opacity='0.45'");
      });
    });
  }

  static bool IsFan(PartKind kind) {
    return kind == PartKind::kAll || kind == PartKind::kCausal ||
           kind == PartKind::kNear || kind == PartKind::kEdges;
  }
  /// True if column c reads column s; always true for graphs.
  static bool Meets(PartKind kind, size_t c, size_t s) {
    if (kind == PartKind::kCausal) return s <= c;
    if (kind == PartKind::kNear) return s <= c + 1 && c <= s + 1;
    return true;
  }

  void AddRecurrence(size_t g, size_t r) {
    const PartKind kind = grids_[g].rows[r].part.kind;
    if (!IsRecurrent(kind)) return;
    const bool both = kind == PartKind::kBoth;
    const double above = Top(g, r) + kLayerBoxHeight / 2;
    const double below = both ? Bottom(g, r) - kLayerBoxHeight / 2 : above;
    for (size_t c = 0; c + 1 < grids_[g].columns.size(); ++c) {
      const double left = EdgeX(g, c, 1);
      const double right = EdgeX(g, c + 1, -1);
      if (kind != PartKind::kBackward) AddAcross(left, right, below);
      if (kind != PartKind::kForward) AddAcross(right, left, above);
    }
  }
  /// Side of a box; for dots, close to their middle.
  double EdgeX(size_t g, size_t column, double sign) const {
    const bool dots = grids_[g].columns[column].dots;
    return MiddleX(g, column) + sign * (dots ? 12 : kLayerBox / 2);
  }

  /// Draws lines from vectors of other sequences to their items.
  void AddSources(size_t g) {
    const std::vector<size_t>& of = grids_[g].sequence.of;
    if (of.empty()) return;
    const double to = places_[g].base - kNameHeight - 8;
    ForColumns(g, [&](size_t c) {
      const size_t source = of.size() == 1 ? of[0] : of.at(c);
      const double x = CentreX(source);
      const double from = Top(source, grids_[source].rows.size() - 1);
      const double bend = (from - to) / 2;
      AddArrow(fmt::format("M{0:.1f} {1:.1f}C{0:.1f} {2:.1f} {3:.1f} {4:.1f} "
                           "{3:.1f} {5:.1f}",
                           x, from, from - bend, MiddleX(g, c), to + bend, to),
               MiddleX(g, c), to, false);
    });
  }

  /// Draws lines from the source to the boxes that attend to it.
  void AddAttention() {
    for (size_t r = 0; r < grids_[1].rows.size(); ++r) {
      if (grids_[1].rows[r].part.kind != PartKind::kSource) continue;
      const size_t top = grids_[0].rows.size() - 1;
      const std::vector<float> weights = WeightsOfStep();
      const size_t column = ChosenColumn();
      // From below, or from the left for a box above a wide one.
      const bool pooled = grids_[1].rows[r].pooled;
      const double x = pooled ? CentreX(1) - kLayerBox / 2 : MiddleX(1, column);
      const double y = pooled ? MiddleY(1, r) : Bottom(1, r);
      ForColumns(0, [&](size_t c) {
        const int64_t item = grids_[0].columns[c].item;
        const bool live = item >= 0 && item < std::ssize(weights);
        const double weight = live ? At(weights, item) : 0.3;
        const double from = Top(0, top);
        const double lift = 46 + 0.06 * (x - MiddleX(0, c));
        links_.Line(
            "<path class='linked' style='stroke-width:{:.2f};"
            "stroke-opacity:{:.2f}' d='M{:.1f} {:.1f}C{:.1f} {:.1f} {:.1f} "
            "{:.1f} {:.1f} {:.1f}'><title>{:.2f}</title></path>",
            0.5 + kWidestWeight * weight, 0.15 + 0.8 * weight, MiddleX(0, c),
            from, MiddleX(0, c), from - lift, x - (pooled ? 120 : 50),
            y + (pooled ? 0.0 : lift), x, y, live ? weight : 0.0);
      });
    }
  }

  /// Weights of the shown step; also selects the step.
  std::vector<float> WeightsOfStep() {
    const int64_t count = std::ssize(segment_.targets);
    if (count == 0) return {};
    shown_ = std::clamp(step_, int64_t{0}, count - 1);
    return RowOf(segment_, At(segment_.targets, shown_));
  }
  size_t ChosenColumn() const {
    for (size_t c = 0; c < grids_[1].columns.size(); ++c) {
      if (shown_ >= 0 && grids_[1].columns[c].item == shown_) return c;
    }
    for (size_t c = 0; shown_ >= 0 && c < grids_[1].columns.size(); ++c) {
      if (grids_[1].columns[c].dots) return c;  // an omitted step
    }
    return 0;
  }
  std::string StepNote() const {
    const Target& target = At(segment_.targets, shown_);
    return fmt::format("Wide lines: the weights of step {}, '{}'", shown_ + 1,
                       segment_.LabelOf(target));
  }

  /// Draws the bridge z between both sequences.
  void AddBridge() {
    if (outline_.bridge.empty()) return;
    const size_t from_row = LastRecurrent(0, /*first=*/false);
    const size_t to_row = LastRecurrent(1, /*first=*/true);
    const size_t last = grids_[0].columns.size() - 1;
    const double x = MiddleX(0, last) + kLayerBox / 2 + kSequenceGap / 2;
    const double y = MiddleY(1, to_row);
    const bool first =
        outline_.bridge_from_first != grids_[0].sequence.backwards;
    const double from_x = MiddleX(0, first ? 0 : last);
    const double above = Top(0, from_row) - 14;
    const double side = x - kBridgeBox / 2;
    if (first) {
      AddArrow(fmt::format("M{:.1f} {:.1f}V{:.1f}H{:.1f}V{:.1f}H{:.1f}", from_x,
                           Top(0, from_row), above, x - kSequenceGap / 2 + 22,
                           y, side),
               side, y, true);
    } else {
      const double y1 = MiddleY(0, from_row);
      const double bend = x - kSequenceGap / 2 + 22;
      AddArrow(fmt::format("M{:.1f} {:.1f}H{:.1f}V{:.1f}H{:.1f}",
                           from_x + kLayerBox / 2, y1, bend, y, side),
               side, y, true);
    }
    for (size_t r = 0; r < grids_[1].rows.size(); ++r) {
      if (!StartsFromZ(r)) continue;
      const bool cell = IsRecurrent(grids_[1].rows[r].part.kind);
      const double at = MiddleY(1, r) - (cell ? 0 : 6);
      const double box = MiddleX(1, 0) - kLayerBox / 2;
      AddArrow(
          fmt::format("M{:.1f} {:.1f}H{:.1f}V{:.1f}H{:.1f}", x + kBridgeBox / 2,
                      y, x + kBridgeBox / 2 + 12, at, box),
          box, at, true);
    }
    AddBox(x, y - kBridgeBox / 2, kBridgeBox, kBridgeBox, "z");
    AddText(x, y + kBridgeBox / 2 + 14, "quiet", 11, "middle",
            std::to_string(outline_.bridge_features));
  }
  /// True if a row of the second sequence reads the state before step 1.
  bool StartsFromZ(size_t r) const {
    const std::vector<OutlineRow>& rows = grids_[1].rows;
    const OutlineStep* step = StepThatGives(rows[r].part.result);
    const std::string& states = rows[LastRecurrent(1, false)].part.result;
    return step && std::ranges::count(step->reads, states + "₋₁") > 0;
  }
  size_t LastRecurrent(size_t g, bool first) const {
    size_t found = first ? 0 : grids_[g].rows.size() - 1;
    for (size_t r = 0; r < grids_[g].rows.size(); ++r) {
      if (!IsRecurrent(grids_[g].rows[r].part.kind)) continue;
      found = r;
      if (first) break;
    }
    return found;
  }

  void AddText(double x, double y, std::string_view style, double font,
               std::string_view anchor, std::string_view text) {
    boxes_.Line(
        "<text class='{}' x='{:.1f}' y='{:.1f}' font-size='{}' "
        "text-anchor='{}'>{}</text>",
        style, x, y, font, anchor, EscapeMarkup(text));
  }
  void AddBox(double middle, double y, double width, double height,
              const std::string& text) {
    boxes_.Line(
        "<rect class='paper' x='{0:.1f}' y='{1:.1f}' width='{2:.1f}' "
        "height='{3:.1f}' rx='5'/><rect class='field' x='{0:.1f}' "
        "y='{1:.1f}' width='{2:.1f}' height='{3:.1f}' rx='5'/>"
        "<rect class='link' x='{0:.1f}' y='{1:.1f}' width='{2:.1f}' "
        "height='{3:.1f}' rx='5' stroke-width='0.8' stroke-opacity='0.6'/>",
        middle - width / 2, y, width, height);
    if (text.empty()) return;
    AddText(middle, y + height / 2 + 4.5, "token", 13, "middle", text);
  }

  void AddBoxes(size_t g) {
    const OutlineGrid& grid = grids_[g];
    const double names = places_[g].base - kNameHeight - 14;
    for (size_t c = 0; c < grid.columns.size(); ++c) {
      const OutlineColumn& column = grid.columns[c];
      AddText(MiddleX(g, c), names, "token", 13, "middle",
              Ellipsize(VisibleToken(column.input), kColumnName));
      if (grid.sequence.writes && !column.dots) {
        AddText(MiddleX(g, c), Top(g, grid.rows.size() - 1) - 20, "now", 13,
                "middle", Ellipsize(VisibleToken(column.output), kColumnName));
      }
    }
    const std::string how =
        grid.sequence.backwards ? ", read from the end" : "";
    if (IsUpper(g)) {
      AddText(MiddleX(g, grid.columns.size() - 1) + kLayerBox / 2 + 14, names,
              "title", 13, "start", grid.sequence.name + how);
    } else {
      AddText(CentreX(g), places_[g].base - 6, "title", 13, "middle",
              grid.sequence.name + how);
    }
    for (size_t r = 0; r < grid.rows.size(); ++r) AddRow(g, r);
  }

  void AddRow(size_t g, size_t r) {
    const OutlineGrid& grid = grids_[g];
    const OutlineRow& row = grid.rows[r];
    const double y = Top(g, r);
    AddRowLabel(g, r);
    const double whole =
        MiddleX(g, grid.columns.size() - 1) - MiddleX(g, 0) + kLayerBox;
    if (row.part.kind == PartKind::kPool || row.part.kind == PartKind::kWhole) {
      AddBox(CentreX(g), y, row.pooled ? kLayerBox : whole, kLayerBoxHeight,
             "");
      return;
    }
    if (row.pooled) {
      AddBox(CentreX(g), y, kLayerBox, kLayerBoxHeight, "");
      return;
    }
    for (size_t c = 0; c < grid.columns.size(); ++c) {
      const OutlineColumn& column = grid.columns[c];
      if (column.dots) {
        AddText(MiddleX(g, c), y + HeightOf(row) / 2 + 4, "quiet", 14, "middle",
                "…");
        continue;
      }
      std::string shown = WithNumber(row.gives, column.number);
      if (shown.find("₋₁") != std::string::npos) shown.clear();
      if (row.part.kind == PartKind::kBoth) {
        AddBox(MiddleX(g, c), y, kLayerBox, kLayerBoxHeight,
               shown.empty() ? "←" : "← " + shown);
        AddBox(MiddleX(g, c), y + kLayerBoxHeight + 6, kLayerBox,
               kLayerBoxHeight, shown.empty() ? "→" : "→ " + shown);
      } else {
        AddBox(MiddleX(g, c), y, kLayerBox, kLayerBoxHeight, shown);
      }
    }
  }

  void AddRowLabel(size_t g, size_t r) {
    const OutlineRow& row = grids_[g].rows[r];
    const GridPlace& place = places_[g];
    const char* anchor = place.labels_left ? "end" : "start";
    const double middle = MiddleY(g, r);
    AddText(place.label, middle - 1, "title", 13, anchor, row.part.name);
    AddText(place.label, middle + 14, "quiet", 11, anchor, DetailOf(row.part));
    if (row.repeats < 2) return;
    const double x = place.labels_left ? place.label + 8 : place.label - 8;
    const double tip = place.labels_left ? 5 : -5;
    const double top = Top(g, r + static_cast<size_t>(row.rows) - 1) - 4;
    const double bottom = Bottom(g, r) + 4;
    boxes_.Line(
        "<path class='rule' stroke-width='1.5' d='M{0:.1f} "
        "{1:.1f}H{2:.1f}V{3:.1f}H{0:.1f}'/>",
        x + tip, top, x, bottom);
    // Between the names of two rows.
    const double y =
        row.rows > 1 ? (middle + MiddleY(g, r + 1)) / 2 + 8 : bottom + 14;
    AddText(place.label, y, "now", 13, anchor,
            fmt::format("× {}", row.repeats));
  }

  const ExplanationSegment& segment_;
  const ModelOutline& outline_;
  const std::vector<OutlineStep> steps_;
  std::vector<OutlineGrid> grids_;
  std::vector<GridPlace> places_;
  int64_t step_;
  int64_t shown_ = -1;
  double width_ = 0;
  double bottom_ = 0;
  MarkupWriter links_;
  MarkupWriter boxes_;
};

}  // namespace

Drawing DrawModel(const ExplanationSegment& segment,
                  const ViewOptions& options) {
  return ModelWriter(segment, options).Draw();
}

}  // namespace heed
