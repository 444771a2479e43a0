#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "heed/base/at.h"
#include "heed/base/rng.h"
#include "heed/base/timing.h"
#include "heed/data/shuffle.h"
#include "heed/metrics/classification.h"
#include "heed/tasks/class_table.h"
#include "heed/tasks/images/images.h"
#include "heed/train/progress.h"

namespace heed::images {

ImageSet WithShuffledCells(const ImageSet& set, int64_t cell, uint64_t seed) {
  ImageSet result = set;
  const ImageFormat& format = set.format;
  const int64_t across = format.width / cell;
  std::vector<int64_t> order(
      static_cast<size_t>(format.height / cell * across));
  const int64_t row = cell * format.channels;
  for (int64_t i = 0; i < set.size(); ++i) {
    std::iota(order.begin(), order.end(), int64_t{0});
    Rng rng(Rng(seed, static_cast<uint64_t>(i)).Next());
    Shuffle(order, rng);
    const auto from = set.PixelsOf(i);
    const auto to = result.pixels.begin() + i * format.size();
    const auto begin = [&](int64_t place, int64_t y) {
      return ((place / across * cell + y) * format.width +
              place % across * cell) *
             format.channels;
    };
    for (size_t place = 0; place < order.size(); ++place) {
      for (int64_t y = 0; y < cell; ++y) {
        std::copy_n(from.begin() + begin(order[place], y), row,
                    to + begin(static_cast<int64_t>(place), y));
      }
    }
  }
  return result;
}

Report Settings::Evaluate(const Model& made, const Evaluation& options) const {
  CanvasConfig canvas = options.canvas;
  canvas.shift = 0;
  CheckCanvas(canvas, made.own_format);
  ImageSet set =
      OnCanvas(ReadImages(options.files, made.own_format, made.classes), canvas,
               options.seed);
  if (set.format != made.format) {
    throw ConfigError(
        "canvas: the model reads images of {} × {} pixels, not {} × {}",
        made.format.width, made.format.height, set.format.width,
        set.format.height);
  }
  if (options.shuffle_cells) {
    set = WithShuffledCells(set, made.network->cell(), options.seed);
  }
  const auto start = Clock::now();
  const ImageAnswers answers = AnswersOf(made, set);
  Report report;
  report.heading = fmt::format("{} in {:.1f} s", Counted(set.size(), "image"),
                               SecondsSince(start));
  const ClassReport scores =
      ScoreClasses(answers.chosen, set.labels, std::ssize(made.classes));
  report.figures = {
      {"accuracy", "accuracy", 100 * scores.accuracy, 2, "%",
       "images whose class is right"},
      {"error", "error", 100 * (1 - scores.accuracy), 2, "%", ""},
      {"macro_f1", "macro F1", 100 * MacroF1(scores.classes), 2, "%", ""},
      {"nll", "NLL", answers.nll, 4, "nats", "mean of -log p(class)"}};
  report.details["images"] = set.size();
  report.details["confusion"] = scores.confusion;
  AddClasses(
      report, "class", "images",
      [&made](int32_t c) { return At(made.classes, c); }, scores.classes);
  return report;
}

}  // namespace heed::images
