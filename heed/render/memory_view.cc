#include "heed/render/memory_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/explain/payloads.h"
#include "heed/render/cells.h"
#include "heed/render/markup.h"
#include "heed/render/shades_terminal.h"

namespace heed {
namespace {

constexpr double kPanelWidth = 525;
constexpr double kLeftOfPanel = 34;
constexpr double kPanelFont = 11;
constexpr int64_t kPictureColumns = 400;
constexpr float kVisibleWeight = 0.05F;

/// Panel of rows of numbers, with time to the right.
TimePanel PanelOfRows(const std::string& title, const VectorRows& rows) {
  TimePanel panel = {.title = title, .steps = std::ssize(rows)};
  if (rows.empty()) return panel;
  panel.rows = std::ssize(rows[0]);
  panel.values.resize(static_cast<size_t>(panel.rows * panel.steps));
  for (int64_t t = 0; t < panel.steps; ++t) {
    const auto& row = At(rows, t);
    if (std::ssize(row) != panel.rows) {
      throw ShapeError("{}: step {} has another number of values", title, t);
    }
    for (int64_t r = 0; r < panel.rows; ++r) {
      At(panel.values, r * panel.steps + t) = static_cast<float>(At(row, r));
    }
  }
  return panel;
}

/// Outputs at the steps at which they were given.
TimePanel OutputPanel(const Axis& target, int64_t steps) {
  const auto& answered = PayloadOf<AnswerStepsPayload>(target);
  const TimePanel own = PanelOfRows("Outputs", answered.values);
  TimePanel panel = {.title = own.title, .rows = own.rows, .steps = steps};
  panel.values.resize(static_cast<size_t>(panel.rows * steps));
  const int64_t begin = answered.begin;
  if (begin < 0 || begin + own.steps > steps) {
    throw ShapeError("outputs of steps that there are not");
  }
  for (int64_t t = 0; t < own.steps; ++t) {
    const int64_t at = begin + t;
    for (int64_t r = 0; r < panel.rows; ++r) {
      At(panel.values, r * steps + at) = At(own.values, r * own.steps + t);
    }
  }
  return panel;
}

/// Largest weight over the heads of a map; slots are rows.
TimePanel WeightPanel(const std::string& title, const AttentionMap& map) {
  TimePanel panel = {
      .title = map.heads > 1
                   ? fmt::format("{}, largest of {} heads", title, map.heads)
                   : title,
      .rows = map.key_size,
      .steps = map.query_size,
      .weights = true};
  panel.values.resize(static_cast<size_t>(panel.rows * panel.steps));
  const float* w = map.weights.data();
  for (int64_t h = 0; h < map.heads; ++h) {
    for (int64_t t = 0; t < panel.steps; ++t) {
      for (int64_t s = 0; s < panel.rows; ++s) {
        float& value = At(panel.values, s * panel.steps + t);
        value = std::max(value, *w++);
      }
    }
  }
  return panel;
}

/// Keeps the slots, which form a circle, except the longest stretch without a
/// visible weight in both panels.
void KeepVisibleSlots(TimePanel& a, TimePanel& b) {
  const int64_t slots = a.rows;
  std::vector<bool> used(static_cast<size_t>(slots));
  for (const TimePanel* panel : {&a, &b}) {
    for (size_t i = 0; i < panel->values.size(); ++i) {
      if (panel->values[i] < kVisibleWeight) continue;
      used[i / static_cast<size_t>(panel->steps)] = true;
    }
  }
  int64_t longest = 0;
  int64_t first = 0;  // after the longest stretch
  int64_t unused = 0;
  for (int64_t i = 0; i < 2 * slots; ++i) {
    unused = At(used, i % slots) ? 0 : unused + 1;
    if (unused <= longest || unused > slots) continue;
    longest = unused;
    first = (i + 1) % slots;
  }
  if (longest == 0 || longest == slots) return;
  for (TimePanel* panel : {&a, &b}) {
    std::vector<float> kept;
    for (int64_t r = 0; r < slots - longest; ++r) {
      const float* row =
          panel->values.data() + (first + r) % slots * panel->steps;
      kept.insert(kept.end(), row, row + panel->steps);
    }
    panel->values = std::move(kept);
    panel->first_row = first;
    panel->circle = slots;
    panel->rows = slots - longest;
  }
}

/// Pools a panel to at most `max_rows` rows and `max_steps` steps.
TimePanel Pooled(const TimePanel& panel, int64_t max_rows, int64_t max_steps) {
  if (panel.rows <= max_rows && panel.steps <= max_steps) return panel;
  TimePanel small = panel;
  small.rows = std::min(panel.rows, max_rows);
  small.steps = std::min(panel.steps, max_steps);
  small.values.clear();
  small.values.resize(static_cast<size_t>(small.rows * small.steps));
  for (int64_t r = 0; r < panel.rows; ++r) {
    for (int64_t t = 0; t < panel.steps; ++t) {
      const float value = At(panel.values, r * panel.steps + t);
      float& kept = At(small.values, r * small.rows / panel.rows * small.steps +
                                         t * small.steps / panel.steps);
      if (std::abs(value) > std::abs(kept)) kept = value;
    }
  }
  return small;
}

/// Maps from the steps of a segment to its memory: writing, reading.
std::vector<const AttentionMap*> MemoryMaps(const ExplanationSegment& segment) {
  std::vector<const AttentionMap*> maps(2);
  for (const AttentionMap& map : segment.maps) {
    if (map.key != "memory") continue;
    const bool writes = map.name.find("write") != map.name.npos;
    maps[writes ? 0 : 1] = &map;
  }
  return maps;
}

std::string MemoryRefusal(const ExplanationSegment& segment,
                          const ViewOptions& /*options*/) {
  const std::vector<const AttentionMap*> maps = MemoryMaps(segment);
  const Axis* memory = segment.Find("memory");
  if (memory != nullptr && memory->payload.As<MemoryPayload>() != nullptr &&
      maps[0] != nullptr && maps[1] != nullptr) {
    return "";
  }
  return "this model has no memory; choose another view, or explain a machine "
         "that writes one";
}

/// Scales weights to shares of the full shade; 0: of the largest weight of each
/// step.
void ScaleWeights(double full, TimePanel& panel) {
  if (!panel.weights) return;
  for (int64_t t = 0; t < panel.steps; ++t) {
    double max = full;
    for (int64_t r = 0; full == 0 && r < panel.rows; ++r) {
      max = std::max(max, double{At(panel.values, r * panel.steps + t)});
    }
    for (int64_t r = 0; max > 0 && r < panel.rows; ++r) {
      float& value = At(panel.values, r * panel.steps + t);
      value = static_cast<float>(std::min(1.0, double{value} / max));
    }
  }
}

/// Legend of the shades of weights.
std::string ScaleText(double full) {
  if (full == 0) return "weights up to the largest of each step";
  return fmt::format("weights up to {:.2g}", full);
}

float LargestWeight(const ExplanationSegment& segment,
                    const ViewOptions& /*options*/) {
  float largest = 0;
  for (const AttentionMap* map : MemoryMaps(segment)) {
    for (const float weight : map->weights) largest = std::max(largest, weight);
  }
  return largest;
}

/// A mark for each step of an axis, or for each column of pooled steps.
void AddStepMarks(const TimePanel& panel, const Axis& axis, double cell,
                  double tall, MarkupWriter* svg) {
  for (int64_t c = 0; c < panel.steps; ++c) {
    const int64_t first = (c * axis.size() + panel.steps - 1) / panel.steps;
    svg->Line(
        "<rect fill='none' pointer-events='all' x='{:.1f}' width='{:.1f}' "
        "height='{:.1f}' {}/>",
        cell * static_cast<double>(c), cell, tall,
        ItemAttributes(axis.id, first));
  }
}

Drawing DrawTimePanel(const TimePanel& panel, const Axis& axis) {
  const double cell =
      kPanelWidth / static_cast<double>(std::max<int64_t>(panel.steps, 1));
  const double height = std::clamp(
      160 / static_cast<double>(std::max<int64_t>(panel.rows, 1)), 3.0, 12.0);
  const double tall = height * static_cast<double>(panel.rows);
  MarkupWriter svg;
  svg.Line("<text class='title' x='{}' y='14' font-size='13'>{}</text>",
           kLeftOfPanel, EscapeMarkup(panel.title));
  for (const int64_t row : {int64_t{0}, panel.rows - 1}) {
    if (panel.rows <= 0 || (row > 0 && tall < 24)) continue;
    svg.Line(
        "<text class='quiet' x='{}' y='{:.1f}' font-size='{}' "
        "text-anchor='end'>{}</text>",
        kLeftOfPanel - 5, 24 + (row == 0 ? 9.0 : tall - 1), kPanelFont,
        panel.RowName(row));
  }
  svg.Line("<g transform='translate({} 24)'>", kLeftOfPanel);
  svg.Line("<rect class='field' width='{}' height='{:.1f}'/>", kPanelWidth,
           tall);
  AddCells(panel.values, panel.steps, cell, height, &svg);
  AddStepMarks(panel, axis, cell, tall, &svg);
  svg.Line("</g>");
  return {kLeftOfPanel + kPanelWidth, 24 + tall + 6, svg.Take()};
}

std::vector<Drawing> DrawMemory(const ExplanationSegment& segment,
                                const ViewOptions& options) {
  std::vector<Drawing> drawings;
  for (TimePanel& panel : MemoryPanels(segment, kPictureColumns)) {
    ScaleWeights(options.full, panel);
    drawings.push_back(DrawTimePanel(panel, segment.axis("source")));
  }
  const Drawing panels = FlowDrawings(drawings, kPictureWidth, 24);
  const std::vector<Drawing> parts = {
      DrawHeading(fmt::format("{} steps", segment.axis("source").size()), 2),
      panels,
      DrawHeading("time to the right; rows: channels, features of vectors, "
                  "slots; blue up to 1, orange down to −1, " +
                      ScaleText(options.full),
                  3)};
  return {StackDrawings(parts, 10)};
}

std::string MemoryText(const ExplanationSegment& segment,
                       const ViewOptions& options,
                       const TerminalOptions& terminal) {
  constexpr int64_t kMaxRows = 24;
  constexpr int kNames = 6;
  const int64_t columns = std::max(terminal.width - kNames, 10);
  std::string text;
  std::vector<TimePanel> panels = MemoryPanels(segment, columns);
  panels.erase(panels.begin() + 2, panels.begin() + 4);
  for (const TimePanel& full : panels) {
    TimePanel panel = Pooled(full, kMaxRows, columns);
    ScaleWeights(options.full, panel);
    text += terminal::Strong(terminal, panel.title) + '\n';
    for (int64_t r = 0; r < panel.rows; ++r) {
      text += fmt::format("{:>{}} ", full.RowName(r * full.rows / panel.rows),
                          kNames - 1);
      for (int64_t t = 0; t < panel.steps; ++t) {
        const float value = At(panel.values, r * panel.steps + t);
        text +=
            TerminalCell(std::min(std::abs(value), 1.0F), 1, terminal.colour);
      }
      text += '\n';
    }
    text += '\n';
  }
  return text + terminal::Quiet(terminal, ScaleText(options.full)) + '\n';
}

}  // namespace

std::vector<TimePanel> MemoryPanels(const ExplanationSegment& segment,
                                    int64_t columns) {
  const std::vector<const AttentionMap*> maps = MemoryMaps(segment);
  const Axis& read = segment.axis("source");
  const auto& vectors = PayloadOf<MemoryPayload>(segment.axis("memory"));
  std::vector<TimePanel> panels = {
      PanelOfRows("Inputs", PayloadOf<StepsPayload>(read).values),
      OutputPanel(segment.axis("target"), read.size()),
      PanelOfRows("Added vectors", vectors.add),
      PanelOfRows("Read vectors", vectors.read),
      WeightPanel("Write weights", *maps.at(0)),
      WeightPanel("Read weights", *maps.at(1))};
  KeepVisibleSlots(panels[4], panels[5]);
  for (TimePanel& panel : panels) {
    panel = Pooled(panel, kPictureColumns, columns);
  }
  return panels;
}

ExplanationView MemoryView() {
  ExplanationView view;
  view.name = "memory";
  view.description =
      "what a machine wrote to its memory and read from it, step by step";
  view.refusal = MemoryRefusal;
  view.draw = DrawMemory;
  view.text = MemoryText;
  view.largest = LargestWeight;
  view.legend = PictureLegend::kNone;
  view.on_page = true;
  return view;
}

}  // namespace heed
