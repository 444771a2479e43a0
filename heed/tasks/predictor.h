// The predictor of a model, its inputs, options and answers.
#ifndef HEED_TASKS_PREDICTOR_H_
#define HEED_TASKS_PREDICTOR_H_

#include <algorithm>
#include <any>
#include <cstdint>
#include <exception>
#include <functional>
#include <iosfwd>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/autograd/context.h"
#include "heed/autograd/observer.h"
#include "heed/base/config.h"
#include "heed/data/input_lines.h"
#include "heed/tasks/explainable_prediction.h"
#include "heed/tasks/input.h"

namespace heed {

/// The answer of a model to an input.
struct Answer {
  /// Output of the command: one line, or several lines for several answers.
  std::string line;
  /// The answer in parts, for programs.
  nlohmann::ordered_json parts = {};
  /// Error message if this input has no answer; "" otherwise.
  std::string error = {};
  /// The exception behind `error`; null: no error.
  std::exception_ptr cause = {};
  /// The answer in a type of the task, for code that knows the task; empty for
  /// most tasks.
  std::any details = {};
  /// Tokens that were read and written; 0 if they are not counted.
  int64_t tokens_read = 0;
  int64_t tokens_written = 0;
};

/// Words or labels with their probabilities as an answer: "word, tab,
/// probability, tab, ..." and {`list`: [{`name`: word, "probability"}]}.
class CandidateList {
 public:
  CandidateList(std::string list, std::string name);
  void Add(const std::string& candidate, double probability);
  const Answer& answer() const { return answer_; }

 private:
  std::string list_;
  std::string name_;
  Answer answer_;
};

/// Options of a prediction or an evaluation, which a request can set.
class OptionSet {
 public:
  virtual ~OptionSet() = default;
  virtual void Visit(FieldList& v) = 0;
  virtual std::unique_ptr<OptionSet> Clone() const = 0;
};

/// Options of a task that has none.
struct NoOptions {
  void Visit(FieldList& /*v*/) {}
};

/// An option set from a plain struct with a Visit.
template <typename T>
class OptionsOf : public OptionSet {
 public:
  explicit OptionsOf(T options) : value(std::move(options)) {}
  void Visit(FieldList& v) override { value.Visit(v); }
  std::unique_ptr<OptionSet> Clone() const override {
    return std::make_unique<OptionsOf>(value);
  }

  T value;
};

/// How standard input becomes inputs.
struct InputReading {
  int64_t window = 256;  ///< maximum number of lines answered together
  InputOptions defaults = {};
  bool whole = false;  ///< all lines are one input
  /// Returns true if all lines are one input although `whole` is false,
  /// depending on the first line; null: never.
  std::function<bool(std::string_view first)> whole_if = nullptr;
};

/// Receives inputs that are answered together.
using InputsFunction = std::function<void(const std::vector<Input>& inputs)>;

/// Calls `answer` with the inputs of a stream in their order: lines, rows of a
/// table, or all lines as one. Throws: as AnswerLines, InputsOf.
void ForEachInput(const InputKind& kind, const InputReading& reading,
                  std::istream& in, const InputsFunction& answer,
                  const BadLineFunction& refuse = {});

/// Splits an input into the inputs that `heed predict` answers separately. They
/// are the lines of a text, numbered from 0 and truncated to the length limit
/// of `reading`, or the input itself if its lines belong together. An empty
/// last line is left out.
std::vector<Input> LinesOf(const Input& input, const InputKind& kind,
                           const InputReading& reading);

/// The final beginning of an answer while the rest is decoded, or all of it.
struct WrittenAnswer {
  std::vector<std::string> tokens;
  /// Text of the tokens, without a last character whose bytes are not all
  /// written.
  std::string text;
  bool whole = false;  ///< true for the whole answer, at the end
  size_t line = 0;     ///< line of the input that is answered
};

/// Removes a last character whose bytes are not all there, and U+FFFD, which
/// decoders write for such bytes, from the end of a growing text.
std::string WithoutPartialEnd(std::string text);

/// Receives a growing answer. `input`: index of the input in the call. Called
/// from several threads at the same time.
using TokenObserver =
    std::function<void(size_t input, const WrittenAnswer& written)>;

/// Parameters of a prediction besides inputs and options.
struct PredictCall {
  /// True if Answer::parts is filled.
  bool parts = true;
  /// Maximum length of a line; longer lines are split if LongLines::kWhole.
  /// Units: characters
  int max_line = InputOptions{}.max_line;
  /// True if warnings about an input are written to standard error.
  bool warns = false;
  const Cancellation* cancellation = nullptr;
  /// A cancellation for each input, for predictors that can drop single inputs
  /// of a batch. A cancelled input has an empty answer. Empty: only
  /// `cancellation` counts.
  std::vector<const Cancellation*> cancellations = {};
  /// Receives answers while they are decoded, from predictors that write text;
  /// null: no streaming.
  TokenObserver observer = nullptr;

  Context context() const {
    Context ctx;
    ctx.cancellation = cancellation;
    return ctx;
  }
};

/// Answers inputs with one model, which must outlive it. Const and thread-safe.
class Predictor {
 public:
  virtual ~Predictor() = default;

  /// Default options of a request.
  virtual const OptionSet& options() const = 0;
  /// Returns one answer per input, in the same order. `options` are a changed
  /// copy of options(); files that options name were read by the constructor.
  /// Throws: FormatError that names the place of an input that cannot be read;
  /// Cancelled.
  virtual std::vector<Answer> Predict(std::span<const Input> inputs,
                                      const OptionSet& options,
                                      const PredictCall& call) const = 0;
  /// Predicts with the default options.
  std::vector<Answer> Predict(std::span<const Input> inputs,
                              const PredictCall& call = {}) const {
    return Predict(inputs, options(), call);
  }
  /// Predicts like Predict, but an input that cannot be read does not affect
  /// the others: its Answer::error holds the reason. Throws: Cancelled.
  std::vector<Answer> PredictEach(std::span<const Input> inputs,
                                  const OptionSet& options,
                                  const PredictCall& call) const;

  /// Answers one input and records attentions for an explanation; see Explain.
  /// Throws: as Predict.
  virtual ExplainablePrediction PrepareExplanation(
      const Context& ctx, const ExplainInput& input,
      const OptionSet& options) const = 0;
  /// True if PrepareExplanation takes a text of several lines as a whole.
  /// False: it is called once for each line.
  virtual bool explains_lines_together() const { return false; }

  /// True if batching the inputs of several requests is faster.
  virtual bool joins_inputs(const OptionSet& /*options*/) const {
    return false;
  }
  /// Number of hypotheses computed together for an input.
  virtual int64_t search_width(const OptionSet& /*options*/) const { return 1; }
  /// Estimates the number of tokens read and written for the inputs if a search
  /// runs to its length limit.
  virtual double Tokens(std::span<const Input> inputs,
                        const OptionSet& options) const;
  /// Estimates for an explanation of an input of this size: the number of
  /// targets, and the number of tokens read and written.
  virtual double Targets(double /*bytes*/) const { return 1; }
  virtual double TokensOfCopy(double bytes) const;
};

/// A predictor with options of type T. A task overrides the functions that take
/// a T, which those of Predictor call. Other options throw std::bad_cast.
template <typename T>
class PredictorWith : public Predictor {
 public:
  explicit PredictorWith(T options) : options_(std::move(options)) {}

  using Predictor::Predict;
  const OptionSet& options() const final { return options_; }
  std::vector<Answer> Predict(std::span<const Input> inputs,
                              const OptionSet& options,
                              const PredictCall& call) const final {
    return Predict(inputs, Cast(options), call);
  }
  ExplainablePrediction PrepareExplanation(
      const Context& ctx, const ExplainInput& input,
      const OptionSet& options) const final {
    return PrepareExplanation(ctx, input, Cast(options));
  }
  bool joins_inputs(const OptionSet& options) const final {
    return joins_inputs(Cast(options));
  }
  int64_t search_width(const OptionSet& options) const final {
    const T& own = Cast(options);
    if constexpr (requires { own.beam; }) return std::max(own.beam, own.nbest);
    return 1;
  }
  double Tokens(std::span<const Input> inputs,
                const OptionSet& options) const final {
    return Tokens(inputs, Cast(options));
  }

 protected:
  virtual std::vector<Answer> Predict(std::span<const Input> inputs,
                                      const T& options,
                                      const PredictCall& call) const = 0;
  virtual ExplainablePrediction PrepareExplanation(const Context& ctx,
                                                   const ExplainInput& input,
                                                   const T& options) const = 0;
  virtual bool joins_inputs(const T& /*options*/) const { return false; }
  virtual double Tokens(std::span<const Input> inputs,
                        const T& /*options*/) const {
    return Predictor::Tokens(inputs, options_);
  }
  const T& own_options() const { return options_.value; }

 private:
  static const T& Cast(const OptionSet& options) {
    return dynamic_cast<const OptionsOf<T>&>(options).value;
  }

  OptionsOf<T> options_;
};

/// Reads inputs of this kind and writes the model's answers in order, each as
/// soon as it is known. The output is lines of text, or with `json` one JSON
/// object per line. Throws: as AnswerLines, Predictor; IoError if it cannot be
/// written; Cancelled.
void PredictStream(const Predictor& predictor, const InputKind& kind,
                   const InputReading& reading, std::istream& in,
                   std::ostream& out, bool json = false);

}  // namespace heed

#endif  // HEED_TASKS_PREDICTOR_H_
