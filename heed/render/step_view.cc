#include "heed/render/step_view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/at.h"
#include "heed/base/text.h"
#include "heed/render/markup.h"
#include "heed/render/number_matrix.h"
#include "heed/render/text_layout.h"

namespace heed {
namespace {

constexpr size_t kStepFeatures = 4;  // shown per vector
constexpr size_t kStepKeys = 24;     // shown source tokens
constexpr std::string_view kSourceVectors = "hⱼ";

/// Numbers of one step.
struct StepNumbers {
  int64_t step = 0;
  const Target* target = nullptr;
  std::vector<float> query;  // first features; may be empty
  /// The shown keys, in their order.
  std::vector<std::string> keys;
  std::vector<float> scores;
  std::vector<float> weights;
  NumberRows values;
  std::vector<float> context;
  size_t all_keys = 0;
  double sum = 0;  // sum of all weights
  size_t features = 0;
  std::string before;  // output before this step
  std::string note;
};

std::vector<float> FirstOf(const std::vector<float>& row) {
  return {row.begin(), row.begin() + static_cast<std::ptrdiff_t>(
                                         std::min(row.size(), kStepFeatures))};
}

int64_t ChosenStep(const ExplanationSegment& segment,
                   const ViewOptions& options) {
  const int64_t count = std::ssize(segment.targets);
  return options.step < 0 ? (count - 1) / 2 : options.step;
}

std::string StepRefusal(const ExplanationSegment& segment,
                        const ViewOptions& options) {
  const ModelOutline& outline = segment.outline;
  if (outline.Steps().empty() || outline.attention.empty()) {
    return "only a recurrent decoder that attends to its source has steps "
           "with an attention";
  }
  if (segment.targets.empty()) return "nothing was written";
  if (options.step >= std::ssize(segment.targets)) {
    return fmt::format("there are {} steps, the first is 0",
                       segment.targets.size());
  }
  const Target& target = At(segment.targets, ChosenStep(segment, options));
  if (!target.map || segment.panels.empty() ||
      segment.panels.front().map != *target.map) {
    return "it needs the numbers of the attention that speaks for the answer; "
           "choose no other --layer";
  }
  return "";
}

/// Numbers of a step from the first panel. Requires that StepRefusal is empty.
StepNumbers NumbersOfStep(const ExplanationSegment& segment,
                          const ViewOptions& options) {
  StepNumbers n;
  n.step = ChosenStep(segment, options);
  n.target = &At(segment.targets, n.step);
  const AttentionPanels& p = segment.panels.front();
  const AttentionMap& map = segment.maps.at(p.map);
  const auto row = static_cast<size_t>(n.target->row);
  const std::vector<std::string>& names = segment.axis(map.key).shown();
  if (row < p.query.size()) n.query = FirstOf(p.query[row]);
  n.context = FirstOf(p.context.at(row));
  n.features = p.context.at(row).size();
  n.all_keys = p.weights.at(row).size();
  n.sum = std::accumulate(p.weights[row].begin(), p.weights[row].end(), 0.0);
  std::vector<size_t> order(n.all_keys);
  std::iota(order.begin(), order.end(), size_t{0});
  if (n.all_keys > kStepKeys) {
    std::ranges::stable_sort(order, std::ranges::greater(),
                             [&](size_t s) { return p.weights[row][s]; });
    order.resize(kStepKeys);
    std::ranges::sort(order);
    n.note = fmt::format("the {} of {} with the largest weights", kStepKeys,
                         n.all_keys);
  }
  if (map.heads > 1) {
    n.note += fmt::format("{}head {} of {}", n.note.empty() ? "" : ", ", p.head,
                          map.heads);
  }
  for (const size_t s : order) {
    n.keys.push_back(s < names.size() ? names[s] : std::to_string(s));
    n.scores.push_back(p.scores.at(row).at(s));
    n.weights.push_back(p.weights[row][s]);
    n.values.push_back(FirstOf(p.value.at(s)));
  }
  const Axis* target = segment.Find("target");
  n.before = n.step == 0 ? "<s>"
             : target != nullptr
                 ? target->shown().at(static_cast<size_t>(n.step) - 1)
                 : "";
  return n;
}

/// A value that no step computes, with its meaning in words.
struct GivenValue {
  std::string name;
  std::string meaning;
  bool of_source = false;
};

std::vector<GivenValue> GivenValues(const ModelOutline& outline,
                                    const StepNumbers& n) {
  std::vector<GivenValue> given;
  const std::vector<OutlineStep> steps = outline.Steps();
  for (const OutlineStep& step : steps) {
    for (const std::string& read : step.reads) {
      const bool made =
          std::ranges::find(steps, read, &OutlineStep::result) != steps.end();
      const bool known =
          std::ranges::find(given, read, &GivenValue::name) != given.end();
      if (made || known) continue;
      std::string meaning = "what the step before gave";
      if (read == "yᵢ₋₁") {
        meaning = fmt::format("'{}', written before", VisibleToken(n.before));
      } else if (read == kSourceVectors) {
        meaning = fmt::format("the source, {} vectors of {} features",
                              n.all_keys, n.features);
      } else if (n.step == 0) {
        meaning = outline.bridge.empty() || !read.starts_with('s')
                      ? "zero, at the first step"
                      : outline.bridge;
      } else if (read == "sᵢ₋₁") {
        meaning = "the state before";
      }
      given.push_back({read, std::move(meaning), read == kSourceVectors});
    }
  }
  return given;
}

std::string TitleOfStep(const ExplanationSegment& segment,
                        const StepNumbers& n) {
  return fmt::format("{}, step i = {}: '{}'", segment.outline.name, n.step + 1,
                     VisibleToken(segment.LabelOf(*n.target)));
}

/// The answer and its alternatives, most probable first.
std::vector<Alternative> Choices(const ExplanationSegment& segment,
                                 const Target& target) {
  std::vector<Alternative> all = {
      {segment.LabelOf(target), target.probability.value_or(0)}};
  all.insert(all.end(), target.alternatives.begin(), target.alternatives.end());
  std::ranges::stable_sort(all, std::ranges::greater(),
                           &Alternative::probability);
  return all;
}

std::string Decimals(double x) {
  if (!std::isfinite(x)) return "–";
  const std::string text = fmt::format("{:.2f}", x);
  return text == "-0.00" ? "0.00" : text;
}

// --- SVG ---

constexpr double kStepBox = 424;
constexpr double kStepLane = 11;     // distance of the lines on the left
constexpr double kFormulaLine = 22;  // height of a formula line
constexpr double kStepNumber = 44;   // width of a number
constexpr double kStepNumberRow = 18;
constexpr double kKeyWidth = 96;      // width of key names
constexpr double kBetweenSteps = 16;  // gap between boxes
constexpr double kBetweenGiven = 8;   // gap below a given value
constexpr double kStepEntries = 24;   // height of the inputs of a box
constexpr double kPartName = 24;      // height of the name of a part
constexpr int kKeyColumns = 12;
constexpr size_t kShownChoices = 4;

/// Draws what is computed from bottom to top: the source below, the decoder
/// above.
class StepWriter {
 public:
  StepWriter(const ExplanationSegment& segment, const StepNumbers& numbers)
      : segment_(segment), n_(numbers) {}

  Drawing Draw() {
    const ModelOutline& outline = segment_.outline;
    std::vector<GivenValue> given = GivenValues(outline, n_);
    std::stable_partition(given.begin(), given.end(),
                          [](const GivenValue& v) { return v.of_source; });
    const std::vector<OutlineStep> steps = outline.Steps();
    left_ = kStepLane * static_cast<double>(given.size() + steps.size()) + 14;
    const std::string& decoder = outline.sequences.back().name;
    for (const GivenValue& value : given) {
      AddText(left_ + 12, 16, "now", 13, value.name);
      AddText(left_ + 64, 16, "quiet", 12, Ellipsize(value.meaning, 56));
      boxes_.push_back(
          {value.name,
           value.of_source ? outline.sequences.front().name : decoder,
           {},
           kFormulaLine + 4,
           front_.Take(),
           /*given=*/true});
    }
    for (const OutlineStep& step : steps) {
      const double height = AddStep(step);
      boxes_.push_back(
          {step.result, decoder, step.reads, height, front_.Take()});
    }
    const double height = PlaceBoxes();
    for (const Box& box : boxes_) AddLines(box);
    const std::vector<Drawing> parts = {
        DrawHeading(TitleOfStep(segment_, n_), 2),
        {left_ + kStepBox, height,
         lines_.Take() + back_.Take() + front_.Take()}};
    return StackDrawings(parts, 10);
  }

 private:
  struct Box {
    std::string name;
    std::string part;  // of the model
    std::vector<std::string> reads;
    double height = 0;
    std::string content;
    bool given = false;
    double top = 0;
    int lane = -1;
  };

  void AddText(double x, double y, std::string_view style, double font,
               std::string_view text, std::string_view anchor = "start") {
    front_.Line(
        "<text class='{}' x='{:.1f}' y='{:.1f}' font-size='{}' "
        "text-anchor='{}'>{}</text>",
        style, x, y, font, anchor, EscapeMarkup(text));
  }

  /// Draws all boxes, the first one at the bottom, and the names of the parts
  /// above their boxes. Returns the height.
  double PlaceBoxes() {
    double y = 0;
    std::string_view part;
    for (size_t i = boxes_.size(); i-- > 0;) {
      Box& box = boxes_[i];
      if (box.part != part) {
        part = box.part;
        AddText(left_, y + 14, "title", 13, part);
        y += kPartName;
      }
      box.top = y;
      back_.Line(
          "<rect class='paper' x='{0:.1f}' y='{1:.1f}' width='{2}' "
          "height='{3:.1f}' rx='5'/><rect class='{4}' x='{0:.1f}' y='{1:.1f}' "
          "width='{2}' height='{3:.1f}' rx='5' stroke-width='1'/>",
          left_, y, kStepBox, box.height, box.given ? "rule" : "link");
      front_.Line("<g transform='translate(0 {:.1f})'>\n{}</g>", y,
                  box.content);
      y += box.height;
      if (i > 0) y += box.given ? kBetweenGiven : kBetweenSteps;
    }
    return y;
  }

  /// Draws the lines from the inputs of a box.
  void AddLines(const Box& box) {
    const double step =
        kStepEntries / static_cast<double>(box.reads.size() + 1);
    double y = box.top + box.height;
    for (const std::string& read : box.reads) {
      const auto found = std::ranges::find(boxes_, read, &Box::name);
      if (found == boxes_.end()) continue;
      if (found->lane < 0) found->lane = lanes_++;
      y -= step;
      lines_.Line(
          "<path class='link' stroke-width='1.2' stroke-opacity='0.75' "
          "d='M{0:.1f} {1:.1f}H{2:.1f}V{3:.1f}H{0:.1f}m-5 -3.5l5 3.5l-5 3.5'>"
          "<title>{4}</title></path>",
          left_, found->top + 5, left_ - 10 - kStepLane * found->lane, y,
          EscapeMarkup(read));
    }
  }

  /// Draws the content of a step's box; returns its height.
  double AddStep(const OutlineStep& step) {
    AddText(left_ + 12, 17, "now", 14, step.result);
    AddText(left_ + 40, 17, "title", 13, "= " + step.formula);
    AddText(left_ + kStepBox - 10, 17, "quiet", 11,
            std::to_string(step.features), "end");
    const double height = kFormulaLine + 6;
    switch (step.role) {
      case OutlineStep::Role::kAttention:
        return height + AddNumbers(height);
      case OutlineStep::Role::kOutput:
        return height + AddChoices(height);
      case OutlineStep::Role::kState:
        break;
    }
    return height;
  }

  /// Draws a row of numbers as cells from x on.
  void AddCells(const std::vector<float>& row, double scale, double x,
                double y) {
    front_.Line("<g transform='translate({:.1f} {:.1f})'>", x, y);
    NumberMatrix{.scale = scale,
                 .cell_width = kStepNumber,
                 .cell_height = kStepNumberRow}
        .Add({row}, &front_);
    front_.Line("</g>");
  }

  /// Draws query, scores, weights, values and context; returns their height.
  double AddNumbers(double top) {
    const double names = left_ + kKeyWidth;
    const double scores = names + 10;
    const double weights = scores + kStepNumber + 6;
    const double values = weights + kStepNumber + 30;
    const double score_scale = LargestOf({n_.scores});
    NumberRows all = n_.values;
    all.push_back(n_.context);
    const double scale = LargestOf(all);
    double y = top;
    if (!n_.query.empty()) {
      AddText(names, y + 13, "quiet", 11, "query", "end");
      AddCells(n_.query, LargestOf({n_.query}), values, y);
      y += kStepNumberRow + 6;
    }
    AddText(scores + kStepNumber / 2, y + 12, "quiet", 11, "eᵢⱼ", "middle");
    AddText(weights + kStepNumber / 2, y + 12, "quiet", 11, "αᵢⱼ", "middle");
    AddText(
        values, y + 12, "quiet", 11,
        fmt::format("hⱼ, {} of {} features", n_.context.size(), n_.features));
    y += kStepNumberRow;
    for (size_t s = 0; s < n_.keys.size(); ++s) {
      AddText(names, y + 13, "token", 12,
              Ellipsize(VisibleToken(n_.keys[s]), kKeyColumns), "end");
      AddCells({n_.scores[s]}, score_scale, scores, y);
      AddCells({n_.weights[s]}, 1, weights, y);
      AddText(weights + kStepNumber + 14, y + 13, "quiet", 12, "×", "middle");
      AddCells(n_.values[s], scale, values, y);
      y += kStepNumberRow;
    }
    y += 5;
    AddText(names, y + 13, "now", 12, "Σ", "end");
    AddText(weights + kStepNumber / 2, y + 13, "token", 10.5, Decimals(n_.sum),
            "middle");
    AddText(weights + kStepNumber + 14, y + 13, "now", 12, "cᵢ", "middle");
    AddCells(n_.context, scale, values, y);
    y += kStepNumberRow + 8;
    if (!n_.note.empty()) {
      AddText(left_ + 12, y + 8, "quiet", 11, n_.note);
      y += 16;
    }
    return y - top;
  }

  double AddChoices(double top) {
    constexpr double kBar = 220;
    const double names = left_ + kKeyWidth;
    double y = top;
    std::vector<Alternative> choices = Choices(segment_, *n_.target);
    choices.resize(std::min(choices.size(), kShownChoices));
    for (const Alternative& choice : choices) {
      AddText(names, y + 13, "token", 12,
              Ellipsize(VisibleToken(choice.label), kKeyColumns), "end");
      front_.Line(
          "<rect class='field' x='{0:.1f}' y='{1:.1f}' width='{2}' "
          "height='12' rx='2'/><rect class='cell' x='{0:.1f}' y='{1:.1f}' "
          "width='{3:.1f}' height='12' rx='2'/>",
          names + 10, y + 3, kBar, kBar * choice.probability);
      AddText(names + 20 + kBar, y + 13, "token", 11,
              fmt::format("{:.3f}", choice.probability));
      y += kStepNumberRow;
    }
    return y - top + 6;
  }

  const ExplanationSegment& segment_;
  const StepNumbers& n_;
  std::vector<Box> boxes_;
  int lanes_ = 0;
  double left_ = 0;
  MarkupWriter lines_;
  MarkupWriter back_;
  MarkupWriter front_;
};

// --- terminal ---

std::string RowOfNumbers(const std::vector<float>& row) {
  std::string text;
  for (const float x : row) text += fmt::format("{:>7}", Decimals(x));
  return text;
}

std::string AttentionText(const StepNumbers& n,
                          const TerminalOptions& terminal) {
  constexpr int kName = 16;
  std::string out;
  if (!n.query.empty()) {
    out += fmt::format("  {}{:>16}{}\n", Pad("query", kName, Align::kRight), "",
                       RowOfNumbers(n.query));
  }
  out += terminal::Quiet(terminal,
                         fmt::format("  {}{:>8}{:>8}   hⱼ, {} of {} features",
                                     Pad("", kName), "eᵢⱼ", "αᵢⱼ",
                                     n.context.size(), n.features)) +
         '\n';
  for (size_t s = 0; s < n.keys.size(); ++s) {
    std::string weight = fmt::format("{:>8}", Decimals(n.weights[s]));
    if (n.weights[s] >= 0.5) weight = terminal::Strong(terminal, weight);
    out += fmt::format(
        "  {}{:>8}{}{}\n", Pad(VisibleToken(n.keys[s]), kName, Align::kRight),
        Decimals(n.scores[s]), weight, RowOfNumbers(n.values[s]));
  }
  out += fmt::format("  {}{:>8}{:>8}{}\n", Pad("Σ, cᵢ", kName, Align::kRight),
                     "", Decimals(n.sum), RowOfNumbers(n.context));
  if (!n.note.empty()) {
    out += "  " + terminal::Quiet(terminal, n.note) + '\n';
  }
  return out;
}

std::string StepText(const ExplanationSegment& segment,
                     const ViewOptions& options,
                     const TerminalOptions& terminal) {
  const StepNumbers n = NumbersOfStep(segment, options);
  std::string out = terminal::Strong(terminal, TitleOfStep(segment, n)) + '\n';
  for (const GivenValue& value : GivenValues(segment.outline, n)) {
    out += fmt::format("{}  {}\n", Pad(value.name, 5),
                       terminal::Quiet(terminal, value.meaning));
  }
  for (const OutlineStep& step : segment.outline.Steps()) {
    out += fmt::format("{}= {}\n", Pad(step.result, 5), step.formula);
    if (step.role == OutlineStep::Role::kAttention) {
      out += AttentionText(n, terminal);
    } else if (step.role == OutlineStep::Role::kOutput) {
      std::vector<std::string> words;
      for (const Alternative& choice : Choices(segment, *n.target)) {
        if (words.size() == kShownChoices) break;
        words.push_back(fmt::format("{} {:.3f}", VisibleToken(choice.label),
                                    choice.probability));
      }
      out += fmt::format("       {}\n", fmt::join(words, ", "));
    }
  }
  return out;
}

}  // namespace

Drawing DrawStep(const ExplanationSegment& segment,
                 const ViewOptions& options) {
  const StepNumbers numbers = NumbersOfStep(segment, options);
  return StepWriter(segment, numbers).Draw();
}

ExplanationView StepView() {
  ExplanationView view;
  view.name = "step";
  view.description =
      "one step of a decoder: what is computed from what, with its numbers";
  view.refusal = StepRefusal;
  view.draw = [](const ExplanationSegment& segment,
                 const ViewOptions& options) -> std::vector<Drawing> {
    return {DrawStep(segment, options)};
  };
  view.text = StepText;
  view.of_numbers = true;
  view.on_page = true;
  view.legend = PictureLegend::kNone;
  return view;
}

}  // namespace heed
