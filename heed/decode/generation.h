// Decoding loop shared by beam search and sampling: step the model, choose the
// continuations of each sentence, reorder the rows of the batch.
#ifndef HEED_DECODE_GENERATION_H_
#define HEED_DECODE_GENERATION_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "heed/decode/hypothesis.h"
#include "heed/decode/prefixes.h"
#include "heed/models/decoder.h"

namespace heed {

/// A partial hypothesis.
struct Partial {
  int64_t row = 0;  // current or previous row in the model's batch
  int32_t prefix = Prefixes::kRoot;
  double log_probability = 0;
  int draw = 0;                   // sample number within the sentence
  bool at_last_position = false;  // ended by the position limit
  std::vector<float> coverage;    // accumulated attention, if penalised
};

/// A partial hypothesis extended by one token; log-probability of the whole.
struct Continuation {
  size_t parent = 0;  // index in Sentence::live
  int32_t token = 0;
  double log_probability = 0;
};

/// State of a sentence during decoding.
struct Sentence {
  struct Ended {
    double score;
    Partial partial;
  };

  int64_t column = 0;  // in the source
  int64_t source_length = 0;
  int64_t max_length = 0;
  bool limited_by_positions = false;  // max_length is the position limit
  Prefixes prefixes;
  std::vector<Partial> live;  // empty: finished
  std::vector<Ended> ended;   // best first, at most nbest
  size_t settled = 0;         // number of tokens reported to the observer
};

/// Decodes a batch of sentences. For a single use.
class Generation {
 public:
  /// `outputs`, `hooks`: see BeamSearch; `partials`: initial hypotheses per
  /// sentence; `top_k`: scores needed per row, 0: all.
  /// Throws: ConfigError, ShapeError, Cancelled.
  Generation(const Decoder& model, const Inputs& inputs,
             const DecodeOptions& options, const OutputLists& outputs,
             const SearchHooks& hooks, int partials, int top_k);
  virtual ~Generation() = default;

  /// Hypotheses of each sentence, best first.
  /// Throws: NumericError if the model returns NaN (without NeedsScores: only
  /// NaN); ConfigError if attention is needed and the model has none;
  /// Cancelled.
  std::vector<std::vector<Hypothesis>> Run();

 protected:
  /// Called each step when the scores of the next tokens are available.
  virtual void Prepare() {}
  /// Continuations of a sentence.
  virtual std::vector<Continuation> Choose(const Sentence& sentence) = 0;

  const DecodeOptions& options() const { return options_; }
  /// Scores [rows, O], if all are requested.
  const Tensor& scores() const { return scores_; }
  const kernels::TopKScores& top_k() const { return top_k_; }
  int64_t step() const { return step_; }
  /// Log-probability of the hypothesis' next token with this score in row
  /// `row`. If log-probabilities are not needed, a value that orders the tokens
  /// of a row.
  double LogProbability(int64_t row, float score) const;
  /// Token of a column of the scores.
  int32_t TokenOf(int64_t column) const;
  /// False for padding, <s> and suppressed tokens, and for tokens that end a
  /// text if its length is fixed.
  bool MayFollow(int32_t token) const;
  /// True for the score of a token that is not in the list of its sentence, or
  /// that stands for no word of its source.
  bool IsUnlisted(float score) const;

 private:
  void SetLimit(Sentence& sentence, const Inputs& inputs) const;
  void SetOutputs(const OutputLists& lists);
  /// Applies the rules for next tokens to the scores.
  void PenalizeRows();
  /// Excludes the tokens that are not in the list of their sentence.
  void ExcludeUnlisted();
  /// Score of the end token in a row.
  float EndScore(int64_t row) const;
  void Step();
  void Advance(Sentence& sentence);
  std::vector<Continuation> ForcedEnds(const Sentence& sentence) const;
  Partial Extend(Sentence& sentence, const Continuation& continuation) const;
  void End(Sentence& sentence, Partial partial) const;
  double Bound(const Sentence& sentence, const Partial& partial) const;
  bool Decided(const Sentence& sentence) const;
  void Report(Sentence& sentence) const;
  bool IsCancelled(const Sentence& sentence) const;
  bool Rearrange();
  std::vector<int32_t> CloseUp();
  Hypothesis Finish(const Sentence& sentence,
                    const Sentence::Ended& ended) const;

  const Decoder& model_;
  const DecodeOptions options_;
  const SearchHooks hooks_;
  const AllCancelled cancelled_;
  Context ctx_;
  DecoderState state_;
  std::unique_ptr<OutputLayer> restricted_;  // to outputs_, if defined
  std::vector<Sentence> sentences_;  // in the order of the model's batch
  Tensor outputs_;                   // tokens of the columns; undefined: all
  /// Columns of other sentences' tokens, by sentence of the source; empty:
  /// none.
  std::vector<std::vector<int32_t>> unlisted_;
  Tensor tokens_;                           // last tokens, i32 [rows]
  const int wanted_;                        // scores needed per row; 0: all
  int64_t end_column_ = -1;                 // of the end token; −1: none
  std::vector<std::vector<int32_t>> read_;  // tokens before the generated ones
  Tensor scores_;              // next tokens [rows, O], or undefined
  kernels::TopKScores top_k_;  // top scores, including special tokens
  Tensor attention_;           // current step [rows, S], or undefined
  int64_t step_ = 0;           // length of every live partial
};

}  // namespace heed

#endif  // HEED_DECODE_GENERATION_H_
