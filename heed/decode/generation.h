// The loop that beam search and sampling share: step the model, choose how each
// sentence goes on, move the rows of the batch accordingly.
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
  int64_t row = 0;  // of the model's batch, where it is or came from
  int32_t prefix = Prefixes::kRoot;
  double log_probability = 0;
  int draw = 0;  // its number among the samples of the sentence
  bool at_last_position = false;  // which ended it
  std::vector<float> coverage;    // attention so far, if there is a penalty
};

/// One token more for a partial, with the log-probability of the whole.
struct Continuation {
  size_t parent = 0;  // in Sentence::live
  int32_t token = 0;
  double log_probability = 0;
};

/// A sentence while it is translated.
struct Sentence {
  struct Ended {
    double score;
    Partial partial;
  };

  int64_t column = 0;  // of the source
  int64_t source_length = 0;
  int64_t max_length = 0;
  bool limited_by_positions = false;  // max_length is
  Prefixes prefixes;
  std::vector<Partial> live;  // none: finished
  std::vector<Ended> ended;   // best first, at most nbest
  size_t settled = 0;         // tokens that the observer got
};

/// A batch of sentences from the first token to the last. Used once.
class Generation {
 public:
  /// `outputs`, `hooks`: see BeamSearch; `partials`: how many each sentence
  /// starts with; `top_k`: how many scores of each row are wanted, 0: all.
  /// Throws: ConfigError, ShapeError, Cancelled.
  Generation(const Decoder& model, const Inputs& inputs,
             const DecodeOptions& options, const Tensor& outputs,
             const SearchHooks& hooks, int partials, int top_k);
  virtual ~Generation() = default;

  /// The hypotheses of each sentence, best first.
  /// Throws: NumericError if the model gives NaN (without NeedsScores: nothing
  /// else); ConfigError if attention is needed and the model has none;
  /// Cancelled.
  std::vector<std::vector<Hypothesis>> Run();

 protected:
  /// Called each step, once there are scores of what comes next.
  virtual void Prepare() {}
  /// How the sentence goes on.
  virtual std::vector<Continuation> Choose(const Sentence& sentence) = 0;

  const DecodeOptions& options() const { return options_; }
  /// [rows, O], if all are wanted.
  const Tensor& scores() const { return scores_; }
  const kernels::TopKScores& top_k() const { return top_k_; }
  int64_t step() const { return step_; }
  /// The log-probability of a token with this score after row `row`; if
  /// log-probabilities are not needed, what the tokens of a row compare by.
  double LogProbability(int64_t row, float score) const;
  /// The token that a column of the scores stands for.
  int32_t TokenOf(int64_t column) const;
  /// Padding, <s> and suppressed tokens are no part of a sentence.
  bool MayFollow(int32_t token) const;

 private:
  void SetLimit(Sentence& sentence, const Inputs& inputs) const;
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
  std::unique_ptr<OutputLayer> restricted_;  // to `outputs`, if there are any
  std::vector<Sentence> sentences_;  // by their sources in the model's batch
  Tensor outputs_;                   // the tokens of columns; undefined: all
  Tensor tokens_;                    // the last ones, i32 [rows]
  const int wanted_;                 // scores of a row; 0: all
  Tensor scores_;                    // of the next ones [rows, O], or undefined
  kernels::TopKScores top_k_;        // of them, with those of special tokens
  Tensor attention_;                 // of this step [rows, S], or undefined
  int64_t step_ = 0;                 // tokens that every live partial has
};

}  // namespace heed

#endif  // HEED_DECODE_GENERATION_H_
