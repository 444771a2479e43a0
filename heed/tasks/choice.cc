#include "heed/tasks/choice.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/ops/loss.h"
#include "heed/ops/shape.h"

namespace heed {

int32_t LargestOf(std::span<const float> values) {
  return static_cast<int32_t>(std::ranges::max_element(values) -
                              values.begin());
}

void AddTargets(const AnswerSlots& slots, ExplanationSegment& segment) {
  for (size_t i = 0; i < slots.chosen.size(); ++i) {
    segment.targets.push_back(ChoiceTarget(slots.axis, static_cast<int64_t>(i),
                                           slots.RowOf(i), slots.chosen[i],
                                           slots.name));
    SetMap(segment.targets.back(), slots.map, slots.map_rows.at(i));
  }
}

Explainable ScoresOf(const ExplanationSegment& segment,
                     const AnswerSlots& slots) {
  return SourceScores(segment, [log_p = slots.log_p, chosen = slots.chosen](
                                   const Context& ctx, int64_t copies) {
    const Var all = log_p(ctx, copies);
    return all.shape().rank() == 2 ? ChosenColumns(all, chosen)
                                   : Pick(all, RepeatedRows(chosen, copies));
  });
}

void ContrastSlots(const AnswerSlots& slots, const std::vector<int32_t>& others,
                   ExplainableSegment& segment, size_t first) {
  const auto differing = std::ranges::mismatch(slots.chosen, others);
  if (differing.in1 == slots.chosen.end()) {
    throw FormatError("explain: the contrast is the answer itself");
  }
  const auto place = static_cast<size_t>(differing.in1 - slots.chosen.begin());
  const int32_t other = *differing.in2;
  SetChoiceContrast(
      segment, first + place, *differing.in1,
      {slots.name(other), std::exp(At(slots.RowOf(place), other))}, other,
      [log_p = slots.log_p, place](const Context& ctx, int64_t copies) {
        const Var all = log_p(ctx, copies);
        return all.shape().rank() == 2
                   ? all
                   : Select(TransposeLeading(all), static_cast<int64_t>(place));
      });
}

ExplainableSegment ExplainSlots(const ExplainInput& input,
                                std::vector<Axis> axes, std::string answer,
                                const AttentionWatch& watch,
                                AnswerSlots& slots) {
  ExplainableSegment result;
  ExplanationSegment& e = result.segment;
  e.text = input.given.Shown();
  e.answer = std::move(answer);
  e.axes = std::move(axes);
  AddMaps(watch, e);
  slots.map = e.LastMap(slots.queries, "source");
  AddTargets(slots, e);
  result.scores.push_back(ScoresOf(e, slots));
  return result;
}

ExplainableSegment ExplainChoice(const Context& given,
                                 const ExplainInput& input,
                                 std::vector<Axis> axes,
                                 const ChoiceQuestion& question) {
  AttentionWatch watch(input.watch);
  const Context ctx = ObservedBy(watch, given);
  AnswerSlots slots = {
      "answer",
      {},
      question.name,
      question.log_p,
      question.run ? question.run(ctx) : question.log_p(ctx, 1).value()};
  slots.chosen = {input.answer.empty() ? LargestOf(slots.RowOf(0))
                                       : question.find(input.answer, "answer")};
  const std::string answer = question.name(slots.chosen[0]);
  axes.push_back(NamesAxis("answer", question.label, {answer}));
  slots.queries = "answer";
  slots.map_rows = {0};
  ExplainableSegment result =
      ExplainSlots(input, std::move(axes), answer, watch, slots);
  if (!input.contrast.empty()) {
    ContrastSlots(slots, {question.find(input.contrast, "contrast")}, result);
  }
  return result;
}

}  // namespace heed
