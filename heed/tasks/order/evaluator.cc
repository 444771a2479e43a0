#include <fmt/format.h>

#include "heed/tasks/order/order.h"

namespace heed::order {

Report Settings::Evaluate(const Model& made, const Evaluation& options) const {
  const Clips clips =
      ReadClips(options.frames, made.frame, MinFrames(options.spacing));
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
