// A prediction of a task: what its explanation is made from.
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
  /// What is explained instead of the model's own answer: a translation, a
  /// label, a column. Empty: its own.
  std::string answer = {};
  /// Another answer: attributions are then of log p(answer) − log p(this one)
  /// at the first place where they differ. Empty: none.
  std::string contrast = {};
  /// The parts of the text that are answered one by one, where they are not
  /// its lines: the sentences that a server translates.
  std::vector<std::string> parts = {};
  /// Characters at most of what is read and answered where a few of them stand
  /// for more, as "random 100" for 100 vectors; 0: any number. What was typed
  /// is counted by who asks.
  int64_t most_characters = 0;
  /// What is kept of attentions; none: weights.
  AttentionWatch::Wish watch = {};
  /// Whether the vectors that the model begins with are kept.
  bool inputs = false;

  std::string Text() const { return given.Text(); }
};

/// A text that was answered by itself, without attributions, and how to compute
/// its targets again, from each of its inputs. Refers to the task.
struct ExplainableSegment {
  ExplanationSegment segment;
  std::vector<Explainable> scores;
};

struct ExplainablePrediction {
  std::string answer;
  std::vector<ExplainableSegment> segments;
};

/// Runs a model on copies of one input.
using RunOfCopies = std::function<Var(const Context& ctx, int64_t copies)>;

/// `given` with an observer of what is computed.
Context ObservedBy(Observer& observer, const Context& given);

/// An axis of tokens, with their words and labels without marks of word
/// borders.
Axis TokenAxis(const std::string& id, const std::string& label,
               const Vocabulary& vocabulary, std::span<const int32_t> ids,
               std::vector<std::string> pieces);
/// An axis of tokens of which only the ids are known.
Axis TokenAxis(const std::string& id, const std::string& label,
               const Vocabulary& vocabulary, std::span<const int32_t> ids);
/// An axis of tokens that a model reads. An unknown token is shown with the
/// word that it stands for: "<unk> (zebra)".
Axis InputTokenAxis(const std::string& id, const std::string& label,
                    const Vocabulary& vocabulary, std::span<const int32_t> ids,
                    std::vector<std::string> pieces);

/// A token as it is shown: without marks of word borders.
std::string ShownToken(const Vocabulary& vocabulary, int32_t id);

/// The likeliest of the tokens that are shown so. Shapes: log_p [V].
std::optional<int32_t> TokenShownAs(const Vocabulary& vocabulary,
                                    std::string_view shown,
                                    std::span<const float> log_p);

/// An axis of names, of one at least.
Axis NamesAxis(const std::string& id, const std::string& label,
               std::vector<std::string> names);

/// Adds what was watched of row `row` of a batch: maps, and panels of which
/// parts were kept. Their queries and keys "source" are those of `source`.
void AddMaps(const AttentionWatch& watch, ExplanationSegment& segment,
             int64_t row = 0, const std::string& source = "source");

/// A target of one choice among n, by their log-probabilities, with the five
/// likeliest others.
Target ChoiceTarget(const std::string& axis, int64_t item,
                    std::span<const float> log_p, int32_t chosen,
                    const std::function<std::string(int32_t)>& name);

/// Lets `map` speak for a target, by row `row`; none: nothing does.
void SetMap(Target& target, std::optional<size_t> map, int64_t row,
            int64_t head = -1);

/// How the targets of a segment are computed from its axis "source".
/// Shapes: y(ctx, copies) [copies, targets].
Explainable SourceScores(const ExplanationSegment& segment, RunOfCopies scores);

/// Asks of one target alone why it is not `other`: `difference` is log p of the
/// target less that of the other. Shapes: difference(ctx, copies) [copies, 1].
void SetContrast(ExplainableSegment& segment, size_t target, Alternative other,
                 const RunOfCopies& difference);

/// The contrast where the answer is one choice: log p of `chosen` less that of
/// `other`, by all_log_p(ctx, copies) [copies, n]. Throws: FormatError if they
/// are one.
void SetChoiceContrast(ExplainableSegment& segment, size_t target,
                       int32_t chosen, const Alternative& other,
                       int32_t other_id, const RunOfCopies& all_log_p);

/// Item `item` of a corpus so many times, as batches are made from.
std::vector<int64_t> Repeated(int64_t copies, int64_t item = 0);

/// The same ids in each of so many rows: [copies, n].
Tensor RepeatedRows(const std::vector<int32_t>& ids, int64_t copies);

/// These columns of a matrix, in this order. Shapes: [rows, columns].
Var ChosenColumns(const Var& matrix, const std::vector<int32_t>& columns);

}  // namespace heed

#endif  // HEED_TASKS_EXPLAINABLE_PREDICTION_H_
