#include "course/smallest_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "heed/render/markup.h"
#include "heed/render/text_layout.h"

namespace heed {
namespace {

constexpr double kNumberWidth = 46;
constexpr double kNumberHeight = 22;
constexpr double kLineHeight = 30;
constexpr double kLabelHeight = 12;  // space for labels above the numbers
constexpr double kStepWidth = 3 * kNumberWidth + 26;
constexpr double kNamesWidth = 320;
constexpr double kFormulaPlace = 66;
constexpr double kHeadHeight = 62;
constexpr double kThickest = 12;
constexpr float kFullShade = 2.5;  // number with the darkest shade
constexpr size_t kStepColumns = 18;

/// Adds a number on a background whose shade grows with its magnitude; the hue
/// shows the sign.
void AddNumber(MarkupWriter& svg, double x, double y, double number) {
  const double shade = std::min(std::abs(number) / kFullShade, 1.0);
  svg.Line(
      "<rect class='field' x='{:.0f}' y='{:.0f}' width='{:.0f}' "
      "height='{:.0f}' rx='3'/>",
      x, y, kNumberWidth - 2, kNumberHeight);
  svg.Line(
      "<rect class='{}' x='{:.0f}' y='{:.0f}' width='{:.0f}' "
      "height='{:.0f}' rx='3' fill-opacity='{:.2f}'/>",
      number < 0 ? "minus" : "cell", x, y, kNumberWidth - 2, kNumberHeight,
      0.75 * shade);
  svg.Line(
      "<text class='{}' x='{:.0f}' y='{:.0f}' font-size='12' "
      "text-anchor='middle'>{}</text>",
      shade > 0.75 ? "on" : "token", x + kNumberWidth / 2 - 1, y + 15.5,
      ShownNumber(number));
}

/// Returns the vertical position of each row, and the total height.
std::vector<double> PlacesOfLines(const TracedTranslation& traced,
                                  double* height) {
  std::vector<double> places;
  double y = kHeadHeight;
  for (const TracedNumbers& line : traced.lines) {
    if (!line.labels.empty()) y += kLabelHeight;
    places.push_back(y);
    y += kLineHeight;
  }
  *height = y;
  return places;
}

size_t PlaceOf(const TracedTranslation& traced, const std::string& name) {
  return static_cast<size_t>(
      std::ranges::find(traced.lines, name, &TracedNumbers::name) -
      traced.lines.begin());
}

/// Adds lines from each encoder state to the contexts of the decoder.
void AddWeights(MarkupWriter& svg, const TracedTranslation& traced,
                const std::vector<double>& places) {
  const TracedNumbers& weights = traced.Line("weight");
  const double from = places[PlaceOf(traced, "h")] + kNumberHeight;
  const double to = places[PlaceOf(traced, "context")] + kNumberHeight / 2;
  for (size_t t = 0; t < weights.of_steps.size(); ++t) {
    const std::vector<double>& own = weights.of_steps[t];
    for (size_t s = 0; s < own.size(); ++s) {
      const double x =
          kNamesWidth + static_cast<double>(s) * kStepWidth + kNumberWidth;
      const double end = kNamesWidth + static_cast<double>(t) * kStepWidth;
      svg.Line(
          "<path class='link' d='M{:.0f} {:.0f}C{:.0f} {:.0f} {:.0f} "
          "{:.0f} {:.0f} {:.0f}' stroke-width='{:.1f}' "
          "stroke-opacity='0.3'><title>{}: {:.2f}</title></path>",
          x, from, x, to, (x + end) / 2, to, end, to, kThickest * own[s],
          EscapeMarkup(traced.read[s]), own[s]);
    }
  }
}

/// Returns the heading of a step: its network, input and output.
std::array<std::string, 3> HeadOf(const TracedTranslation& traced, size_t t) {
  const auto encoded = static_cast<size_t>(traced.encoded());
  return {t < encoded ? "encoder" : "decoder", "reads " + traced.read[t],
          t < encoded ? "" : "writes " + traced.written[t - encoded]};
}

/// A parameter as rows of numbers.
struct ParameterRows {
  std::string title;
  std::vector<std::vector<double>> rows;
};

std::vector<ParameterRows> RowsOf(const ParameterSet& parameters) {
  std::vector<ParameterRows> all;
  for (const auto& parameter : parameters.all()) {
    const Tensor& value = parameter->value();
    const std::vector<double> numbers =
        value.To(DType::kF64).ToVector<double>();
    const auto columns = static_cast<size_t>(value.cols());
    ParameterRows own = {parameter->name(), {}};
    for (size_t begin = 0; begin < numbers.size(); begin += columns) {
      own.rows.emplace_back(
          numbers.begin() + static_cast<std::ptrdiff_t>(begin),
          numbers.begin() + static_cast<std::ptrdiff_t>(begin + columns));
    }
    all.push_back(std::move(own));
  }
  return all;
}

std::string NumbersText(const std::vector<double>& numbers) {
  std::string text;
  for (const double number : numbers) {
    text +=
        fmt::format("{}{:>5}", text.empty() ? "" : " ", ShownNumber(number));
  }
  return text;
}

}  // namespace

std::string ShownNumber(double number) {
  return fmt::format("{:.2f}", std::abs(number) < 0.005 ? 0.0 : number);
}

Drawing DrawTranslation(const TracedTranslation& traced) {
  MarkupWriter svg;
  double height = 0;
  const std::vector<double> places = PlacesOfLines(traced, &height);
  AddWeights(svg, traced, places);
  for (size_t t = 0; t < traced.read.size(); ++t) {
    const double x = kNamesWidth + static_cast<double>(t) * kStepWidth;
    const std::array<std::string, 3> head = HeadOf(traced, t);
    constexpr std::array<const char*, 3> kStyles = {"quiet", "title", "hit"};
    for (size_t i = 0; i < head.size(); ++i) {
      svg.Line(
          "<text class='{}' x='{:.0f}' y='{:.0f}' font-size='13'>{}</text>",
          kStyles[i], x, 13 + 18 * static_cast<double>(i),
          EscapeMarkup(head[i]));
    }
  }
  for (size_t i = 0; i < traced.lines.size(); ++i) {
    const TracedNumbers& line = traced.lines[i];
    svg.Line("<text class='title' y='{:.0f}' font-size='13'>{}</text>",
             places[i] + 12, EscapeMarkup(line.name));
    svg.Line(
        "<text class='quiet' x='{:.0f}' y='{:.0f}' font-size='11'>{}</text>",
        kFormulaPlace, places[i] + 12, EscapeMarkup(line.formula));
    for (size_t t = 0; t < line.of_steps.size(); ++t) {
      for (size_t k = 0; k < line.of_steps[t].size(); ++k) {
        const double x = kNamesWidth + static_cast<double>(t) * kStepWidth +
                         static_cast<double>(k) * kNumberWidth;
        AddNumber(svg, x, places[i], line.of_steps[t][k]);
        if (line.labels.empty()) continue;
        svg.Line(
            "<text class='quiet' x='{:.0f}' y='{:.0f}' font-size='10' "
            "text-anchor='middle'>{}</text>",
            x + kNumberWidth / 2 - 1, places[i] - 3,
            EscapeMarkup(line.labels[k]));
      }
    }
  }
  return {kNamesWidth + static_cast<double>(traced.read.size()) * kStepWidth,
          height, svg.Take()};
}

Drawing DrawParameters(const ParameterSet& parameters) {
  std::vector<Drawing> drawings;
  for (const ParameterRows& own : RowsOf(parameters)) {
    MarkupWriter svg;
    svg.Line("<text class='quiet' y='11' font-size='11'>{}</text>",
             EscapeMarkup(own.title));
    double y = 18, width = TextWidth(own.title, 11);
    for (const std::vector<double>& row : own.rows) {
      for (size_t k = 0; k < row.size(); ++k) {
        AddNumber(svg, static_cast<double>(k) * kNumberWidth, y, row[k]);
      }
      width = std::max(width, static_cast<double>(row.size()) * kNumberWidth);
      y += kNumberHeight + 2;
    }
    drawings.push_back({width, y, svg.Take()});
  }
  return FlowDrawings(drawings, kPictureWidth, 20);
}

std::string TranslationText(const TracedTranslation& traced,
                            const TerminalOptions& terminal) {
  const auto head = [&](auto&& cell) {
    std::string line = Pad("", 8);
    for (size_t t = 0; t < traced.read.size(); ++t) {
      line += Pad(cell(t), kStepColumns);
    }
    return line;
  };
  std::string out;
  for (size_t i = 0; i < 3; ++i) {
    out += terminal::Strong(
               terminal, head([&](size_t t) { return HeadOf(traced, t)[i]; })) +
           '\n';
  }
  for (const TracedNumbers& line : traced.lines) {
    if (!line.labels.empty()) {
      out += terminal::Quiet(
                 terminal, head([&](size_t t) {
                   std::string names;
                   for (size_t k = 0; k < line.of_steps[t].size(); ++k) {
                     names += fmt::format("{}{:>5}", names.empty() ? "" : " ",
                                          line.labels[k]);
                   }
                   return names;
                 })) +
             '\n';
    }
    out += terminal::Strong(terminal, Pad(line.name, 8));
    for (const std::vector<double>& numbers : line.of_steps) {
      out += Pad(NumbersText(numbers), kStepColumns);
    }
    out += '\n';
  }
  out += '\n';
  for (const TracedNumbers& line : traced.lines) {
    out += Pad(line.name, 8) + terminal::Quiet(terminal, line.formula) + '\n';
  }
  return out;
}

std::string ParametersText(const ParameterSet& parameters,
                           const TerminalOptions& terminal) {
  std::string out;
  for (const ParameterRows& own : RowsOf(parameters)) {
    for (size_t r = 0; r < own.rows.size(); ++r) {
      out += terminal::Quiet(terminal, Pad(r == 0 ? own.title : "", 26)) +
             NumbersText(own.rows[r]) + '\n';
    }
  }
  return out;
}

}  // namespace heed
