// Images: the picture itself, and its cells shaded by values.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "heed/base/at.h"
#include "heed/base/text.h"
#include "heed/explain/payloads.h"
#include "heed/render/axis_kind.h"
#include "heed/render/image_drawing.h"
#include "heed/render/shades_terminal.h"
#include "heed/render/text_layout.h"

namespace heed {
namespace {

constexpr double kImageSide = 224;
constexpr size_t kMaxOverlays = 60;
constexpr size_t kFewOverlays = 4;  // few enough to be large
constexpr double kSmallSide = 148;
constexpr double kSmallGap = 18;
constexpr int kMapColumns = 14;  // per word map in a terminal
constexpr int kMapGap = 2;

/// Rows of cells with two columns each; without colour, negative values have a
/// minus sign.
std::string CellsText(const Axis& axis, std::span<const float> values,
                      int indent, const TerminalOptions& terminal) {
  const ImagePayload& image = ImageOf(axis);
  const auto columns = static_cast<size_t>(image.columns());
  std::string out;
  for (size_t begin = 0; begin < values.size(); begin += columns) {
    out.append(static_cast<size_t>(indent), ' ');
    for (size_t x = 0; x < columns; ++x) {
      const float value = values[begin + x];
      if (value < -0.05f) {
        out += terminal.colour
                   ? terminal::Background(202 - 36 * (value > -0.5f), "- ")
                   : fmt::format("-{}", TerminalCell(-value, 1, false));
      } else {
        out += TerminalCell(value, 2, terminal.colour);
      }
    }
    out += '\n';
  }
  return out;
}

std::string CaptionOf(const ExplanationSegment& segment, const Target& target) {
  const std::string label = segment.LabelOf(target);
  return target.probability
             ? fmt::format("{} {:.2f}", label, *target.probability)
             : label;
}

/// Attention of a target to the image; empty if it has none.
std::vector<float> ImageRow(const ExplanationSegment& segment,
                            const Target& target, const Axis& image) {
  if (!target.map || segment.maps.at(*target.map).key != image.id) return {};
  return RowOf(segment, target);
}

Drawing WithCaption(Drawing drawing, const std::string& caption) {
  const std::vector<Drawing> parts = {std::move(drawing),
                                      DrawHeading(caption, 3)};
  return StackDrawings(parts, 4);
}

/// The image with the attention of each part of the answer beside it, such as a
/// caption word by word.
Drawing DrawWithAttention(const ExplanationSegment& segment,
                          const ViewOptions&) {
  const Axis& image = *ImageAxisOf(segment);
  const double side =
      segment.targets.size() > kFewOverlays ? kSmallSide : kImageSide;
  std::vector<Drawing> drawings = {
      WithCaption(DrawImage(image, {}, side), image.label)};
  for (const Target& target : segment.targets) {
    if (drawings.size() > kMaxOverlays) break;
    const std::vector<float> row = ImageRow(segment, target, image);
    if (row.empty()) continue;
    drawings.push_back(WithCaption(DrawAttended(image, row, side),
                                   CaptionOf(segment, target)));
  }
  std::vector<Drawing> parts;
  const std::string title = TitleOf(segment);
  if (!title.empty()) parts.push_back(DrawHeading(title, 1));
  parts.push_back(FlowDrawings(drawings, kPictureWidth,
                               side == kSmallSide ? kSmallGap : kPictureGap));
  if (drawings.size() > 1) parts.push_back(DrawAttendedLegend());
  return StackDrawings(parts, 14);
}

/// A word and its attention.
struct WordMap {
  std::string word;
  std::vector<float> weights;
};

/// Word maps side by side in half blocks, or in shades without colour, with the
/// words below.
std::string WordMapsText(const Axis& axis, std::span<const WordMap> words,
                         const TerminalOptions& terminal) {
  const ImagePayload& image = ImageOf(axis);
  const int64_t rows = std::max<int64_t>(
      2, std::lround(static_cast<double>(kMapColumns * image.image.height) /
                     static_cast<double>(image.image.width)));
  std::vector<std::vector<float>> maps;
  for (const WordMap& word : words) {
    maps.push_back(
        SmoothedWeights(word.weights, image.columns(), rows, kMapColumns));
  }
  const std::string gap(static_cast<size_t>(kMapGap), ' ');
  std::string out;
  for (int64_t y = 0; y < rows; y += 2) {
    for (const std::vector<float>& map : maps) {
      out += gap;
      for (int64_t x = 0; x < kMapColumns; ++x) {
        const auto at = [&](int64_t row) {
          return At(map, std::min(row, rows - 1) * kMapColumns + x);
        };
        out += terminal.colour
                   ? TerminalHalfCells(at(y), at(y + 1))
                   : TerminalCell((at(y) + at(y + 1)) / 2, 1, false);
      }
    }
    out += '\n';
  }
  for (const WordMap& word : words) {
    const std::string label = Ellipsize(VisibleToken(word.word), kMapColumns);
    out += gap + label;
    out.append(
        static_cast<size_t>(std::max(0, kMapColumns - DisplayWidth(label))),
        ' ');
  }
  while (out.ends_with(' ')) out.pop_back();
  return out + '\n';
}

std::string TextWithAttention(const ExplanationSegment& segment,
                              const ViewOptions&,
                              const TerminalOptions& terminal) {
  const Axis& image = *ImageAxisOf(segment);
  const std::string title = VisibleToken(TitleOf(segment));
  std::string out =
      title.empty() ? "" : terminal::Strong(terminal, title) + '\n';
  out += ThumbnailText(ImageOf(image).image, 2, terminal);
  std::vector<WordMap> words;
  for (const Target& target : segment.targets) {
    const std::vector<float> row = ImageRow(segment, target, image);
    if (!row.empty()) words.push_back({CaptionOf(segment, target), row});
  }
  if (words.empty()) return out;
  out += fmt::format("  {}\n", terminal::Quiet(terminal, "attention"));
  const auto across = static_cast<size_t>(
      std::max(1, (terminal.width - 2) / (kMapColumns + kMapGap)));
  for (size_t begin = 0; begin < words.size(); begin += across) {
    const size_t count = std::min(across, words.size() - begin);
    out +=
        WordMapsText(image, std::span(words).subspan(begin, count), terminal);
  }
  return out;
}

}  // namespace

AxisKind ImageKind() {
  AxisKind kind;
  kind.name = "image";
  kind.shade = [](const ExplanationSegment&, const Axis& axis,
                  std::span<const float> values, double width) {
    return DrawImage(axis, values, std::min(width, kImageSide));
  };
  kind.shade_text = [](const ExplanationSegment&, const Axis& axis,
                       std::span<const float> values, int indent,
                       const TerminalOptions& terminal) {
    return CellsText(axis, values, indent, terminal);
  };
  kind.shaded_for_each = true;
  kind.picture = DrawWithAttention;
  kind.legend = PictureLegend::kNone;
  kind.picture_text = TextWithAttention;
  return kind;
}

}  // namespace heed
