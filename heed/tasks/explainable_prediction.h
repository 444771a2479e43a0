// A prediction of a task, prepared for its explanation.
#ifndef HEED_TASKS_EXPLAINABLE_PREDICTION_H_
#define HEED_TASKS_EXPLAINABLE_PREDICTION_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/autograd/observer.h"
#include "heed/explain/attribution.h"
#include "heed/explain/explanation.h"
#include "heed/tasks/input.h"
#include "heed/tensor/tensor.h"
#include "heed/text/vocabulary.h"

namespace heed {

/// An input to explain.
struct ExplainInput {
  Input given;  ///< as a predictor reads it
  /// Answer to explain instead of the model's own: a translation, a label, a
  /// column. Empty: the model's own.
  std::string answer = {};
  /// Contrast: another answer. Attributions are then of log p(answer) − log
  /// p(contrast) at the first place where they differ. Empty: none.
  std::string contrast = {};
  /// Parts of the text that are answered separately if they are not its lines,
  /// such as the sentences that a server translates.
  std::vector<std::string> parts = {};
  /// Maximum number of characters read and written for a short input that
  /// stands for a longer one, such as "random 100" for 100 vectors; 0: no
  /// limit. The caller checks the length of the input itself.
  int64_t max_characters = 0;
  /// Selects the attention data to record; null: attention weights only.
  AttentionWatch::Selector watch = {};
  /// True if the model's input vectors are recorded.
  bool inputs = false;

  std::string Text() const { return given.Text(); }
};

/// One separately answered text, without attributions, and the functions that
/// recompute its targets from each of its inputs. Refers to the task.
struct ExplainableSegment {
  ExplanationSegment segment;
  std::vector<Explainable> scores;
};

struct ExplainablePrediction {
  std::string answer;
  std::vector<ExplainableSegment> segments;
};

/// Runs a model on a batch of copies of one input.
using RunOfCopies = std::function<Var(const Context& ctx, int64_t copies)>;

/// Returns `given` with an observer of the computation.
Context ObservedBy(Observer& observer, const Context& given);

/// An axis of tokens, with word groups, and labels without word-boundary marks.
Axis TokenAxis(const std::string& id, const std::string& label,
               const Vocabulary& vocabulary, std::span<const int32_t> ids,
               std::vector<std::string> pieces);
/// An axis of tokens given by their ids alone.
Axis TokenAxis(const std::string& id, const std::string& label,
               const Vocabulary& vocabulary, std::span<const int32_t> ids);
/// An axis of input tokens. The label of an unknown token includes the original
/// word: "<unk> (zebra)".
Axis InputTokenAxis(const std::string& id, const std::string& label,
                    const Vocabulary& vocabulary, std::span<const int32_t> ids,
                    std::vector<std::string> pieces);

/// Display form of a token: without word-boundary marks. `source_pieces`
/// provides copied tokens (see PieceOrCopy).
std::string ShownToken(const Vocabulary& vocabulary, int32_t id,
                       std::span<const std::string> source_pieces = {});

/// The most probable token whose display form is `shown`. Shapes: log_p [V].
std::optional<int32_t> TokenShownAs(const Vocabulary& vocabulary,
                                    std::string_view shown,
                                    std::span<const float> log_p);

/// An axis with these names, at least one.
Axis NamesAxis(const std::string& id, const std::string& label,
               std::vector<std::string> names);

/// Adds the recorded attention maps and panels of row `row` of a batch. The
/// axis `source` replaces "source" as their query and key axis.
void AddMaps(const AttentionWatch& watch, ExplanationSegment& segment,
             int64_t row = 0, const std::string& source = "source");

/// A target for one choice among n log-probabilities, with the five most
/// probable alternatives.
Target ChoiceTarget(const std::string& axis, int64_t item,
                    std::span<const float> log_p, int32_t chosen,
                    const std::function<std::string(int32_t)>& name);

/// Makes row `row` of attention map `map` the explanation of a target; none: no
/// map explains it.
void SetMap(Target& target, std::optional<size_t> map, int64_t row,
            int64_t head = -1);

/// Recomputes the targets of a segment from its axis "source".
/// Shapes: y(ctx, copies) [copies, targets].
Explainable SourceScores(const ExplanationSegment& segment, RunOfCopies scores);

/// Restricts a segment to one target and its contrast `other`. `difference` is
/// log p of the target minus log p of `other`. Shapes: difference(ctx, copies)
/// [copies, 1].
void SetContrast(ExplainableSegment& segment, size_t target, Alternative other,
                 const RunOfCopies& difference);

/// Sets the contrast of an answer that is one choice: log p of `chosen` minus
/// log p of `other`, from all_log_p(ctx, copies) [copies, n]. Throws:
/// FormatError if they are equal.
void SetChoiceContrast(ExplainableSegment& segment, size_t target,
                       int32_t chosen, const Alternative& other,
                       int32_t other_id, const RunOfCopies& all_log_p);

/// Index `item` repeated `copies` times, to make a batch of copies of one
/// example.
std::vector<int64_t> Repeated(int64_t copies, int64_t item = 0);

/// `ids` repeated in each of `copies` rows: [copies, n].
Tensor RepeatedRows(const std::vector<int32_t>& ids, int64_t copies);

/// Selects these columns of a matrix, in this order. Shapes: [rows, columns].
Var ChosenColumns(const Var& matrix, const std::vector<int32_t>& columns);

}  // namespace heed

#endif  // HEED_TASKS_EXPLAINABLE_PREDICTION_H_
