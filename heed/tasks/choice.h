// Answers that are one of several names, and their explanation.
#ifndef HEED_TASKS_CHOICE_H_
#define HEED_TASKS_CHOICE_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "heed/tasks/explainable_prediction.h"

namespace heed {

/// The id of the largest of these numbers, of which there is one at least.
int32_t LargestOf(std::span<const float> values);

/// A question about one input with one of C names as its answer.
struct ChoiceQuestion {
  std::string label;  ///< of the axis "answer": "Class"
  std::function<std::string(int32_t id)> name;
  /// The id of a name. Throws: FormatError that begins with `place`.
  std::function<int32_t(const std::string& name, const char* place)> find;
  /// Log-probabilities of all names for copies of the input.
  /// Shapes: result [copies, C].
  std::function<Var(const Context& ctx, int64_t copies)> log_p;
  /// The run that gave the answer, where it is not `log_p` of one copy.
  /// Shapes: result [C].
  std::function<std::vector<float>(const Context& ctx)> run = nullptr;
};

/// Explains the likeliest name, or the wanted one: runs the model while its
/// attentions are watched, and adds the axis "answer", maps, the target, its
/// scores and the contrast to the axes of the input. Throws: FormatError for a
/// wanted answer or contrast that is no name.
ExplainableSegment ExplainChoice(const Context& given,
                                 const ExplainInput& input,
                                 std::vector<Axis> axes,
                                 const ChoiceQuestion& question);

}  // namespace heed

#endif  // HEED_TASKS_CHOICE_H_
