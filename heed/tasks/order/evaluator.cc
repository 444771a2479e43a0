#include <fmt/format.h>

#include "heed/base/errors.h"
#include "heed/data/moving_sprites.h"
#include "heed/tasks/order/order.h"

namespace heed::order {
namespace {

/// Separates clips for evaluation from those of training.
constexpr uint64_t kTestClips = 0x74657374;

}  // namespace

Report Settings::Evaluate(const Model& made, const Evaluation& options) const {
  const bool drawn = options.frames.empty();
  if (drawn && (made.frame.channels != 1 ||
                made.frame.height != made.frame.width || options.spacing > 1)) {
    throw ConfigError(
        "frames: the model reads frames of {} × {} × {}, {} apart; the clips "
        "that are drawn are grey squares of {} frames",
        made.frame.width, made.frame.height, made.frame.channels,
        options.spacing, kWindowFrames);
  }
  const Clips clips =
      drawn
          ? DrawMovingSprites(
                {options.clips, made.frame.height, options.seed ^ kTestClips})
                .clips
          : ReadClips(options.frames, made.frame, LeastFrames(options.spacing));
  const std::vector<FrameTuple> tuples =
      BalancedTuples(clips, options.spacing, options.seed);
  const images::ImageAnswers answers = AnswersOf(made, clips, tuples);
  Report report;
  report.heading = fmt::format("{} tuples of {} clips, half of them in order",
                               tuples.size(), clips.size());
  report.figures = {
      {"accuracy", "accuracy", answers.accuracy(), 2, "%",
       "tuples whose order is judged rightly; chance: 50"},
      {"nll", "NLL", answers.nll, 4, "nats", "mean of -log p(order)"}};
  report.details["tuples"] = tuples.size();
  return report;
}

}  // namespace heed::order
