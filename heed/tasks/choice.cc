#include "heed/tasks/choice.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace heed {
namespace {

std::vector<float> RowOfRun(const ChoiceQuestion& question,
                            const Context& ctx) {
  if (question.run) return question.run(ctx);
  const Tensor row = question.log_p(ctx, 1).value();
  return {row.row<float>(0), row.row<float>(0) + row.dim(1)};
}

}  // namespace

int32_t LargestOf(std::span<const float> values) {
  return static_cast<int32_t>(std::ranges::max_element(values) -
                              values.begin());
}

ExplainableSegment ExplainChoice(const Context& given,
                                 const ExplainInput& input,
                                 std::vector<Axis> axes,
                                 const ChoiceQuestion& question) {
  AttentionWatch watch(input.watch);
  Context ctx = given;
  ctx.observer = &watch;
  const std::vector<float> row = RowOfRun(question, ctx);
  const int32_t chosen = input.answer.empty()
                             ? LargestOf(row)
                             : question.find(input.answer, "answer");
  ExplainableSegment result;
  ExplanationSegment& e = result.segment;
  e.text = input.given.Shown();
  e.answer = question.name(chosen);
  e.axes = std::move(axes);
  e.axes.push_back(NamesAxis("answer", question.label, {e.answer}));
  AddMaps(watch, e);
  e.targets.push_back(ChoiceTarget("answer", 0, row, chosen, question.name));
  SetMap(e.targets.back(), e.LastMap("answer", "source"), 0);
  result.scores.push_back(SourceScores(
      e, [log_p = question.log_p, chosen](const Context& c, int64_t copies) {
        return ChosenColumns(log_p(c, copies), {chosen});
      }));
  if (input.contrast.empty()) return result;
  const int32_t other = question.find(input.contrast, "contrast");
  SetChoiceContrast(
      result, 0, chosen,
      {question.name(other), std::exp(row[static_cast<size_t>(other)])}, other,
      question.log_p);
  return result;
}

}  // namespace heed
