// Sounds: the spectrogram over time, with the attention of each part of the
// answer below.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/explain/payloads.h"
#include "heed/render/axis_kind.h"
#include "heed/render/cells.h"
#include "heed/render/image_drawing.h"
#include "heed/render/markup.h"
#include "heed/render/shades_terminal.h"
#include "heed/render/text_layout.h"

namespace heed {
namespace {

constexpr double kSoundWidth = 940;
constexpr double kSpectrogramHeight = 150;
constexpr double kLeftOfSound = 140;  // row names
constexpr double kAttentionRow = 18;
constexpr double kRowGap = 4;
constexpr double kTimeFont = 12;
constexpr int64_t kMaxCells = 470;  // per row
constexpr size_t kMaxRows = 120;
constexpr int kAttendedName = 18;  // columns

/// Sound payload of an axis. Throws: ShapeError if it is missing or has no
/// length.
const SoundPayload& SoundOf(const Axis& axis) {
  const auto& own = PayloadOf<SoundPayload>(axis);
  if (!(own.step > 0 && own.drawn > 0 && std::isfinite(own.drawn))) {
    throw ShapeError("axis '{}': a sound without a length", axis.id);
  }
  return own;
}

/// Pools values to at most `max`; each pooled value is the one furthest from
/// 0.
std::vector<float> PooledRow(std::span<const float> values, int64_t max) {
  const int64_t count = std::ssize(values);
  if (count <= max) return {values.begin(), values.end()};
  std::vector<float> pooled(static_cast<size_t>(max));
  for (int64_t i = 0; i < count; ++i) {
    float& kept = At(pooled, i * max / count);
    const float value = At(values, i);
    if (std::abs(value) > std::abs(kept)) kept = value;
  }
  return pooled;
}

/// Stretches or pools values to exactly `columns` columns.
std::vector<float> FittedRow(std::span<const float> values, int64_t columns) {
  if (std::ssize(values) >= columns) return PooledRow(values, columns);
  std::vector<float> fitted;
  for (int64_t c = 0; c < columns; ++c) {
    fitted.push_back(At(values, c * std::ssize(values) / columns));
  }
  return fitted;
}

/// A row of the answer: its name, weights scaled to a maximum of 1, and its
/// item.
struct SoundRow {
  std::string name;
  std::vector<float> weights;
  const Target* target = nullptr;
};

std::vector<SoundRow> RowsOf(const ExplanationSegment& segment,
                             const Axis& sound) {
  std::vector<SoundRow> rows;
  for (const Target& target : segment.targets) {
    if (rows.size() == kMaxRows) break;
    if (!target.map || segment.maps.at(*target.map).key != sound.id) continue;
    SoundRow row = {segment.LabelOf(target), RowOf(segment, target), &target};
    const float factor = ShadeFactor(row.weights, 0);
    for (float& w : row.weights) w *= factor;
    if (target.probability) {
      row.name += fmt::format(" {:.2f}", *target.probability);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

const Axis& SoundAxisOf(const ExplanationSegment& segment) {
  const auto found = std::ranges::find(segment.axes, "audio", &Axis::kind);
  if (found == segment.axes.end()) throw ShapeError("no sound to show");
  return *found;
}

/// Seconds between two ticks of a time axis.
double MarkEvery(double whole) {
  for (const double every : {0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0}) {
    if (whole / every <= 12) return every;
  }
  return 60;
}

void AddTimes(const SoundPayload& payload, double y, MarkupWriter* svg) {
  const double every = MarkEvery(payload.drawn);
  const int marks = static_cast<int>(payload.drawn / every);
  for (int i = 0; i <= marks; ++i) {
    svg->Line(
        "<text class='quiet' x='{:.1f}' y='{:.1f}' font-size='{}' "
        "text-anchor='middle'>{:g}{}</text>",
        kSoundWidth * i * every / payload.drawn, y, kTimeFont, i * every,
        i == marks ? " s" : "");
  }
}

/// Frequency ticks beside the spectrogram, whose rows are spaced on the mel
/// scale from 0 to half the sample rate.
void AddFrequencies(const SoundPayload& payload, double height,
                    MarkupWriter* svg) {
  constexpr double kMinApart = 14;
  constexpr double kBreak = 700;  // Hz
  const auto mel = [](double frequency) {
    return std::log10(1 + frequency / kBreak);
  };
  double last = height + kMinApart;
  for (const double khz : {0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0}) {
    if (2000 * khz > payload.rate) break;
    const double y = height * (1 - mel(1000 * khz) / mel(payload.rate / 2.0));
    if (last - y < kMinApart) continue;
    last = y;
    svg->Line("<line class='rule' x1='-4' x2='0' y1='{0:.1f}' y2='{0:.1f}'/>",
              y);
    svg->Line(
        "<text class='quiet' x='-7' y='{:.1f}' font-size='{}' "
        "text-anchor='end'>{:g}{}</text>",
        std::clamp(y + 4, kTimeFont - 2, height), kTimeFont, khz,
        4000 * khz > payload.rate ? " kHz" : "");
  }
}

void AddSpectrogram(const SoundPayload& payload, double width, double height,
                    MarkupWriter* svg) {
  svg->Line("<rect class='field' width='{:.1f}' height='{:.1f}'/>", width,
            height);
  svg->Line("{}", ImageElement(payload.png, width, height));
}

/// Cells of a row whose length is `share` times the width, clipped to the
/// width. `attributes`: of the cells.
void AddSoundRow(std::span<const float> values, double width, double share,
                 double height, MarkupWriter* svg,
                 std::string_view attributes = "") {
  const std::vector<float> cells = PooledRow(values, kMaxCells);
  const auto count = std::ssize(cells);
  svg->Line("<svg width='{:.1f}' height='{}'>", width, height);
  svg->Line("<rect class='field' width='{:.1f}' height='{}'/>", width, height);
  svg->Line("<g class='cell' {}>", attributes);
  AddCells(cells, count,
           width * share / static_cast<double>(std::max<int64_t>(1, count)),
           height, svg);
  svg->Line("</g></svg>");
}

/// The spectrogram with a row for each part of the answer below.
Drawing DrawSound(const ExplanationSegment& segment, const ViewOptions&) {
  const Axis& sound = SoundAxisOf(segment);
  const SoundPayload& payload = SoundOf(sound);
  MarkupWriter svg;
  svg.Line("<g transform='translate({} 0)'>", kLeftOfSound);
  AddSpectrogram(payload, kSoundWidth, kSpectrogramHeight, &svg);
  AddFrequencies(payload, kSpectrogramHeight, &svg);
  double y = kSpectrogramHeight + kTimeFont + 6;
  AddTimes(payload, y, &svg);
  y += 8;
  const double share = payload.ShareOf(sound.size());
  for (const SoundRow& row : RowsOf(segment, sound)) {
    const Target& target = *row.target;
    svg.Line("<g {}>", ItemAttributes(target.axis, target.item));
    svg.Line(
        "<text class='token' x='-8' y='{:.1f}' font-size='13' "
        "text-anchor='end'>{}</text>",
        y + kAttentionRow - 5,
        EscapeMarkup(Ellipsize(VisibleToken(row.name), kAttendedName)));
    svg.Line("<g transform='translate(0 {:.1f})'>", y);
    AddSoundRow(
        row.weights, kSoundWidth, share, kAttentionRow, &svg,
        fmt::format("data-cells='{:.1f} {}' data-map='{}' data-row='{}'",
                    kSoundWidth * share, kAttentionRow,
                    EscapeMarkup(segment.maps.at(*target.map).name),
                    target.row));
    svg.Line("</g></g>");
    y += kAttentionRow + kRowGap;
  }
  svg.Line("</g>");
  const std::vector<Drawing> parts = {
      DrawHeading(TitleOf(segment), 1),
      {kLeftOfSound + kSoundWidth + 10, y + 4, svg.Take()},
      DrawHeading(
          "above: energy by frequency, 60 dB from black to white; rows: what "
          "was written with its probability, and its attention over time, "
          "the largest weight darkest",
          3)};
  return StackDrawings(parts, 12);
}

// --- terminal ---

/// One cell per column, with a minus sign for values below zero.
std::string RowText(std::span<const float> values, int64_t columns,
                    bool colour) {
  std::string out;
  for (const float value : FittedRow(values, columns)) {
    out +=
        value < -0.05f ? "-" : TerminalCell(std::max(value, 0.0f), 1, colour);
  }
  return out;
}

std::string TimeText(const SoundPayload& payload, int indent, int64_t columns) {
  const std::string end = fmt::format("{:.2f} s", payload.drawn);
  std::string line(static_cast<size_t>(indent), ' ');
  line += '0';
  const auto room = static_cast<size_t>(columns);
  if (room > end.size() + 1) line.append(room - end.size() - 1, ' ');
  return line + end + '\n';
}

std::string SoundText(const ExplanationSegment& segment, const ViewOptions&,
                      const TerminalOptions& terminal) {
  constexpr int kNames = kAttendedName + 1;
  const Axis& sound = SoundAxisOf(segment);
  const SoundPayload& payload = SoundOf(sound);
  const auto columns =
      static_cast<int64_t>(std::max(terminal.width - kNames, 10));
  std::vector<std::vector<float>> rows;
  for (const std::vector<int>& grey : payload.grey) {
    rows.push_back(
        FittedRow(std::vector<float>(grey.begin(), grey.end()), columns));
    for (float& value : rows.back()) value /= 255;
  }
  std::string out =
      terminal::Strong(terminal, VisibleToken(TitleOf(segment))) + '\n' +
      ThumbnailText(rows, kNames, terminal) +
      terminal::Quiet(terminal, TimeText(payload, kNames, columns));
  const auto frames = std::clamp<int64_t>(
      std::lround(static_cast<double>(columns) *
                  std::min(1.0, payload.ShareOf(sound.size()))),
      1, columns);
  for (const SoundRow& row : RowsOf(segment, sound)) {
    out += Pad(VisibleToken(row.name), kAttendedName, Align::kRight) + ' ' +
           RowText(row.weights, frames, terminal.colour) + '\n';
  }
  return out;
}

}  // namespace

AxisKind AudioKind() {
  AxisKind kind;
  kind.name = "audio";
  kind.shade = [](const ExplanationSegment&, const Axis& axis,
                  std::span<const float> values, double width) -> Drawing {
    constexpr double kSmallHeight = 72;
    const SoundPayload& payload = SoundOf(axis);
    width = std::min(width, kSoundWidth);
    MarkupWriter svg;
    AddSpectrogram(payload, width, kSmallHeight, &svg);
    svg.Line("<g transform='translate(0 {})'>", kSmallHeight + 3);
    AddSoundRow(values, width, payload.ShareOf(axis.size()), kAttentionRow,
                &svg);
    svg.Line("</g>");
    return {width, kSmallHeight + kAttentionRow + 7, svg.Take()};
  };
  kind.shade_text = [](const ExplanationSegment&, const Axis&,
                       std::span<const float> values, int indent,
                       const TerminalOptions& terminal) {
    const auto room =
        static_cast<int64_t>(std::max(terminal.width - indent, 10));
    return std::string(static_cast<size_t>(indent), ' ') +
           RowText(values, room, terminal.colour) + '\n';
  };
  kind.picture = DrawSound;
  kind.legend = PictureLegend::kNone;
  kind.on_page = true;
  kind.picture_text = SoundText;
  return kind;
}

}  // namespace heed
