// Answers that are one of several names, and their explanation.
#ifndef HEED_TASKS_CHOICE_H_
#define HEED_TASKS_CHOICE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heed/tasks/explainable_prediction.h"

namespace heed {

/// Index of the largest number; there must be at least one.
int32_t LargestOf(std::span<const float> values);

/// An answer of several places, each one choice among C names.
struct AnswerSlots {
  std::string axis;             ///< its items are the places
  std::vector<int32_t> chosen;  ///< chosen name of each place
  std::function<std::string(int32_t id)> name;
  /// Log-probabilities of all names. Shapes: result [copies, places, C], or
  /// [copies, C] where the places share a row.
  RunOfCopies log_p;
  /// Log-probabilities of the run that gave the answer: f32, one row per place,
  /// or one shared row.
  Tensor rows = {};
  /// Attention map that explains the places, and its row for each place; none:
  /// no map explains them.
  std::optional<size_t> map = {};
  std::vector<int64_t> map_rows = {};
  /// Query axis of the map to the source that ExplainSlots selects.
  std::string queries = {};

  /// Shapes: result [C].
  std::span<const float> RowOf(size_t place) const {
    const int64_t row = rows.rows() == 1 ? 0 : static_cast<int64_t>(place);
    return {rows.row<float>(row), static_cast<size_t>(rows.cols())};
  }
};

/// Adds a target for each place.
void AddTargets(const AnswerSlots& slots, ExplanationSegment& segment);
/// Recomputes the log-probabilities of the chosen names; all targets of the
/// segment must be these places.
Explainable ScoresOf(const ExplanationSegment& segment,
                     const AnswerSlots& slots);
/// Contrasts the chosen name with `others` at the first place where they
/// differ. `first`: the target of the first place. Throws: FormatError if none
/// differs.
void ContrastSlots(const AnswerSlots& slots, const std::vector<int32_t>& others,
                   ExplainableSegment& segment, size_t first = 0);

/// Makes the segment of an answer from a recorded run: `axes`, the maps, a
/// target for each place and their scores. Sets slots.map to the last map from
/// slots.queries to the source.
ExplainableSegment ExplainSlots(const ExplainInput& input,
                                std::vector<Axis> axes, std::string answer,
                                const AttentionWatch& watch,
                                AnswerSlots& slots);

/// A question about one input with one of C names as its answer.
struct ChoiceQuestion {
  std::string label;  ///< label of the axis "answer": "Class"
  std::function<std::string(int32_t id)> name;
  /// The id of a name. Throws: FormatError that begins with `place`.
  std::function<int32_t(const std::string& name, const char* place)> find;
  /// Log-probabilities of all names. Shapes: result [copies, C].
  RunOfCopies log_p;
  /// The run that gave the answer if it differs from `log_p` of one copy.
  /// Shapes: result f32 [1, C].
  std::function<Tensor(const Context& ctx)> run = nullptr;
};

/// Explains the most probable name, or the requested one. Runs the model,
/// records its attentions, and adds the axis "answer", maps, target, scores and
/// contrast to the axes of the input. Throws: FormatError if the requested
/// answer or contrast is not a valid name.
ExplainableSegment ExplainChoice(const Context& given,
                                 const ExplainInput& input,
                                 std::vector<Axis> axes,
                                 const ChoiceQuestion& question);

}  // namespace heed

#endif  // HEED_TASKS_CHOICE_H_
