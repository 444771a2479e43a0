#include "tests/open_house/strip.h"

#include <fmt/format.h>

#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/tasks/one_answer/one_answer.h"

namespace heed::strips {
namespace {

const std::vector<std::string> kColours = {"red", "green", "blue", "yellow"};
constexpr std::string_view kLetters = "rgby";
constexpr std::string_view kBlanks = " \t\r\n";

/// Reads a file of the letters r, g, b and y, one per cell. White space is
/// ignored.
std::vector<int32_t> ReadStrip(std::string_view bytes,
                               const std::string& place) {
  std::vector<int32_t> cells;
  for (const char letter : bytes) {
    if (kBlanks.find(letter) != kBlanks.npos) continue;
    const size_t colour = kLetters.find(letter);
    if (colour == kLetters.npos) {
      throw FormatError("{}: cell {} is none of the colours r, g, b, y", place,
                        cells.size() + 1);
    }
    cells.push_back(static_cast<int32_t>(colour));
  }
  if (cells.empty()) throw FormatError("{}: a strip without cells", place);
  return cells;
}

/// Returns the cells as an axis: items are letters, the payload has the
/// colours.
Axis StripAxis(const std::vector<int32_t>& cells) {
  Axis axis = {.id = "source", .kind = kKind, .label = "Strip"};
  StripPayload payload;
  for (const int32_t cell : cells) {
    payload.colours.push_back(At(kColours, cell));
    axis.items.push_back(payload.colours.back().substr(0, 1));
  }
  axis.payload = std::move(payload);
  return axis;
}

}  // namespace

nlohmann::ordered_json PayloadJson(const StripPayload& payload) {
  return {{"colours", payload.colours}};
}

TaskRow StripTask() {
  OneAnswerTask task;
  task.row.name = "colours";
  task.row.description = "the colour that a strip of cells has most of";
  task.row.input = {kKind, InputKind::Line::kPath, {"application/x-strip"}};
  task.row.input_label = "Strip";
  task.row.answer_label = "Colour";
  task.row.prompt = "Type cells, as rrgby";
  task.row.examples = {{"rrgrb"}};
  task.symbols = task.labels = kColours;
  task.read = ReadStrip;
  task.axis = StripAxis;
  task.format.text_column = 1;  // path of a strip, tab, its colour
  task.format.label_column = 2;
  return MakeTask(std::move(task));
}

}  // namespace heed::strips
