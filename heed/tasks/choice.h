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

/// The id of the largest of these numbers, of which there is one at least.
int32_t LargestOf(std::span<const float> values);

/// Places of an answer, each of which is one choice among C names.
struct AnswerSlots {
  std::string axis;             ///< its items are the places
  std::vector<int32_t> chosen;  ///< of each place
  std::function<std::string(int32_t id)> name;
  /// Log-probabilities of all names. Shapes: result [copies, places, C], or
  /// [copies, C] where the places share a row.
  RunOfCopies log_p;
  /// Log-probabilities of the run that gave the answer: f32, a row for each
  /// place, or one that they share.
  Tensor rows = {};
  /// The attention map that explains the places, and the row of each; none: no
  /// map does.
  std::optional<size_t> map = {};
  std::vector<int64_t> map_rows = {};
  /// The axis of the queries from which `map` goes to the source, for
  /// ExplainSlots.
  std::string queries = {};

  /// Shapes: result [C].
  std::span<const float> RowOf(size_t place) const {
    const int64_t row = rows.rows() == 1 ? 0 : static_cast<int64_t>(place);
    return {rows.row<float>(row), static_cast<size_t>(rows.cols())};
  }
};

/// Adds a target for each place.
void AddTargets(const AnswerSlots& slots, ExplanationSegment& segment);
/// Log-probabilities of what was chosen, where all targets of the segment are
/// these places.
Explainable ScoresOf(const ExplanationSegment& segment,
                     const AnswerSlots& slots);
/// Contrasts the first place where `others` differ with what was chosen there.
/// `first`: the target of the first place. Throws: FormatError if none differs.
void ContrastSlots(const AnswerSlots& slots, const std::vector<int32_t>& others,
                   ExplainableSegment& segment, size_t first = 0);

/// The segment of an answer whose run was watched: `axes`, the maps, a target
/// for each place and their scores. Sets slots.map to the last map from
/// slots.queries to the source.
ExplainableSegment ExplainSlots(const ExplainInput& input,
                                std::vector<Axis> axes, std::string answer,
                                const AttentionWatch& watch,
                                AnswerSlots& slots);

/// A question about one input with one of C names as its answer.
struct ChoiceQuestion {
  std::string label;  ///< of the axis "answer": "Class"
  std::function<std::string(int32_t id)> name;
  /// The id of a name. Throws: FormatError that begins with `place`.
  std::function<int32_t(const std::string& name, const char* place)> find;
  /// Log-probabilities of all names. Shapes: result [copies, C].
  RunOfCopies log_p;
  /// The run that gave the answer, where it is not `log_p` of one copy.
  /// Shapes: result f32 [1, C].
  std::function<Tensor(const Context& ctx)> run = nullptr;
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
