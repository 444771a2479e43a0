// Answers of a model, and where they come from.
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
  /// What the command prints: a line, or several for several answers.
  std::string line;
  /// The answer in parts, for programs.
  nlohmann::ordered_json parts = {};
  /// The answer in a type of the task, for code that knows the task; empty for
  /// most tasks.
  std::any details = {};
  /// Tokens that were read and written; 0 if they are not counted.
  int64_t tokens_read = 0;
  int64_t tokens_written = 0;
  /// Why there is none; the others are answered.
  std::string error = {};
  /// The same as it was thrown; null: it was not.
  std::exception_ptr cause = {};
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

/// Options of a prediction or an evaluation: values that a request gives.
class OptionSet {
 public:
  virtual ~OptionSet() = default;
  virtual void Visit(FieldList& v) = 0;
  virtual std::unique_ptr<OptionSet> Clone() const = 0;
};

/// Where there are none.
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
  int64_t window = 256;  ///< lines that are answered together at most
  InputOptions defaults = {};
  bool whole = false;  ///< all lines are one input
  /// Whether all lines are one input although `whole` is false, by the first
  /// one; null: they are not.
  std::function<bool(std::string_view first)> whole_if = nullptr;
};

/// Inputs that stand together.
using InputsFunction = std::function<void(const std::vector<Input>& inputs)>;

/// Calls `answer` with the inputs of a stream in their order: lines, rows of a
/// table, or all lines as one. Throws: as AnswerLines, InputsOf.
void ForEachInput(const InputKind& kind, const InputReading& reading,
                  std::istream& in, const InputsFunction& answer,
                  const BadLineFunction& refuse = {});

/// Splits an input into those that `heed predict` answers one by one: the lines
/// of a text, numbered from 0 and cut to the length limit of `reading`, or the
/// input itself where its lines belong together. An empty line at the end is
/// left out.
std::vector<Input> LinesOf(const Input& input, const InputKind& kind,
                           const InputReading& reading);

/// Receives the tokens of an answer that will not change any more, while it is
/// written, and at last all of them (`whole`). `input`: its index in the call.
/// Called from several threads at the same time.
using TokenObserver = std::function<void(
    size_t input, const std::vector<std::string>& tokens, bool whole)>;

/// A prediction besides its inputs and its options.
struct PredictCall {
  /// Answer::parts are wanted.
  bool parts = true;
  /// Lines above this are divided where LongLines::kWhole. Units: characters
  int max_line = InputOptions{}.max_line;
  /// What else is to be said of an input stands on standard error too.
  bool warns = false;
  const Cancellation* cancellation = nullptr;
  /// A cancellation for each input, for predictors that can leave single inputs
  /// of a batch out: a cancelled input has an empty answer. Empty: only
  /// `cancellation` counts.
  std::vector<const Cancellation*> cancellations = {};
  /// Receives tokens of an answer while it is written, from predictors that
  /// write text; null: nobody waits for them.
  TokenObserver observer = nullptr;

  Context context() const {
    Context ctx;
    ctx.cancellation = cancellation;
    return ctx;
  }
};

/// Answers inputs by one model, which must outlive it. Made once; const and
/// thread-safe.
class Predictor {
 public:
  virtual ~Predictor() = default;

  /// What the options are where a request says nothing.
  virtual const OptionSet& options() const = 0;
  /// One answer for each input, in their order. `options` are a changed copy of
  /// options(); what names files was read when the predictor was made. Throws:
  /// FormatError that names the place of an input that cannot be read;
  /// Cancelled.
  virtual std::vector<Answer> Predict(std::span<const Input> inputs,
                                      const OptionSet& options,
                                      const PredictCall& call) const = 0;
  /// With the options that it has.
  std::vector<Answer> Predict(std::span<const Input> inputs,
                              const PredictCall& call = {}) const {
    return Predict(inputs, options(), call);
  }
  /// The same where an input that cannot be read does not keep the others from
  /// their answers: its Answer::error says why. Throws: Cancelled.
  std::vector<Answer> PredictEach(std::span<const Input> inputs,
                                  const OptionSet& options,
                                  const PredictCall& call) const;

  /// Reads and answers one input, and watches attentions; see Explain.
  /// Throws: as Predict.
  virtual ExplainablePrediction PrepareExplanation(
      const Context& ctx, const ExplainInput& input,
      const OptionSet& options) const = 0;
  /// Whether PrepareExplanation takes a text of several lines as a whole.
  /// False: it is called once for each line.
  virtual bool explains_lines_together() const { return false; }

  /// Whether inputs of several requests are faster together.
  virtual bool joins_inputs(const OptionSet& /*options*/) const {
    return false;
  }
  /// Number of hypotheses that are computed together for an input.
  virtual int64_t search_width(const OptionSet& /*options*/) const { return 1; }
  /// About how many tokens are read and written for inputs of so many bytes if
  /// a search goes on to its length limit.
  virtual double Tokens(std::span<const Input> inputs,
                        const OptionSet& options) const;
  /// About how many targets an explanation of so many bytes has, and how many
  /// tokens the model reads and writes for it.
  virtual double Targets(double /*bytes*/) const { return 1; }
  virtual double TokensOfCopy(double bytes) const;
};

/// A predictor with options of type T. A task overrides the functions that take
/// a T; those of Predictor call them. Other options throw std::bad_cast.
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

/// Reads inputs of this kind, writes what the model says of them, in order,
/// each as soon as it is known: as lines, or with `json` in parts, an object on
/// each line. Throws: as AnswerLines, Predictor; IoError if it cannot be
/// written; Cancelled.
void PredictStream(const Predictor& predictor, const InputKind& kind,
                   const InputReading& reading, std::istream& in,
                   std::ostream& out, bool json = false);

}  // namespace heed

#endif  // HEED_TASKS_PREDICTOR_H_
