#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "heed/base/console.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/data/input_lines.h"
#include "heed/data/numbers.h"
#include "heed/explain/payloads.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/matmul.h"
#include "heed/ops/score_modifiers.h"
#include "heed/ops/shape.h"
#include "heed/tasks/algorithm/algorithm.h"
#include "heed/train/progress.h"

namespace heed::algorithm {
namespace {

using Json = nlohmann::ordered_json;

/// The shortest decimal that reads back as the same f32.
double SinglePrecision(double x) { return std::stod(ExactNumber(x)); }

double Probability(float logit) {
  return 1 / (1 + std::exp(-static_cast<double>(logit)));
}

/// The rows of a matrix as JSON, each number through f.
template <typename F>
VectorRows RowsOf(const Tensor& matrix, const F& f) {
  VectorRows rows;
  for (int64_t t = 0; t < matrix.dim(0); ++t) {
    std::vector<double> row;
    for (int64_t c = 0; c < matrix.dim(1); ++c) {
      row.push_back(SinglePrecision(f(matrix.row<float>(t)[c])));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string BitsOf(const float* values, int64_t bits, float above) {
  std::string text;
  for (int64_t i = 0; i < bits; ++i) text += values[i] > above ? '1' : '0';
  return text;
}

/// Maximum numbers in an explanation: for each step, the weights of all heads
/// and the contributions to each target.
constexpr int64_t kMaxExplainedNumbers = 5'000'000;

/// A sequence and the outputs of the machine.
struct AnsweredSequence {
  BitSequence sequence;
  EncodedSequence encoded;
  Tensor logits;  // [T, O]
  std::vector<MemoryStep> memory;
};

/// Predicts vectors of bits for a sequence.
class AlgorithmPredictor : public PredictorWith<NoOptions> {
 public:
  explicit AlgorithmPredictor(const Model& model)
      : PredictorWith({}), model_(model), shape_(model.config.Shape()) {}

  double Targets(double bytes) const override {
    return std::max(1.0, bytes / static_cast<double>(shape_.bits + 1));
  }

  // The limits on characters and numbers apply to all lines together.
  bool explains_lines_together() const override { return true; }

 protected:
  std::vector<Answer> Predict(std::span<const Input> inputs, const NoOptions&,
                              const PredictCall& call) const override;
  ExplainablePrediction PrepareExplanation(
      const Context& ctx, const ExplainInput& input,
      const NoOptions& options) const override;

 private:
  bool predicts_next() const { return shape_.problem == Problem::kNgrams; }
  AnsweredSequence Read(std::string_view text, const std::string& place) const;
  void Run(const Context& ctx, bool traced, AnsweredSequence& a) const;
  /// The steps [first, end) of an explanation: those with outputs.
  std::pair<int64_t, int64_t> AnsweredSteps(const EncodedSequence& e) const;
  /// Rounded output bits of step t.
  std::string BitsAt(const AnsweredSequence& answered, int64_t t) const {
    return BitsOf(answered.logits.row<float>(t), shape_.outputs(), 0);
  }
  std::string LineOf(const AnsweredSequence& answered) const;
  /// Note on a sequence that is longer than those of training; "" otherwise.
  std::string NoteOn(const BitSequence& sequence, bool& beyond_memory) const;
  Answer AnswerOf(const AnsweredSequence& answered, const std::string& place,
                  bool warns) const;
  int64_t CharactersOf(const AnsweredSequence& read) const;
  int64_t NumbersOf(const AnsweredSequence& read) const;
  ExplainableSegment SegmentOf(const Context& given, const ExplainInput& input,
                               AnsweredSequence a) const;
  void AddAxes(const AnsweredSequence& answered, ExplanationSegment& e) const;
  Var LogProbabilities(const Context& ctx, const AnsweredSequence& answered,
                       int64_t copies) const;

  const Model& model_;
  ProblemShape shape_;
};

AnsweredSequence AlgorithmPredictor::Read(std::string_view text,
                                          const std::string& place) const {
  AnsweredSequence a;
  a.sequence = ReadSequence(shape_, text, place);
  a.encoded = Encode(shape_, a.sequence);
  return a;
}

void AlgorithmPredictor::Run(const Context& ctx, bool traced,
                             AnsweredSequence& a) const {
  const Tensor& x = a.encoded.inputs;
  const Tensor logits = model_
                            .Logits(ctx, x.Reshape({x.dim(0), 1, x.dim(1)}),
                                    traced ? &a.memory : nullptr)
                            .value()
                            .Contiguous();
  a.logits = logits.Reshape({logits.dim(0), logits.dim(2)});
}

std::pair<int64_t, int64_t> AlgorithmPredictor::AnsweredSteps(
    const EncodedSequence& e) const {
  if (predicts_next()) return {0, e.inputs.dim(0)};
  return {e.begin, e.end};
}

/// Characters of the sequence, or of its answer if that is longer, as a line of
/// text.
int64_t AlgorithmPredictor::CharactersOf(const AnsweredSequence& read) const {
  const auto [first, end] = AnsweredSteps(read.encoded);
  return std::max(std::ssize(FormatSequence(shape_, read.sequence)),
                  (end - first) * (predicts_next() ? 1 : shape_.bits + 1));
}

int64_t AlgorithmPredictor::NumbersOf(const AnsweredSequence& read) const {
  const auto [first, end] = AnsweredSteps(read.encoded);
  const SequenceMachine& machine = *model_.network;
  return read.encoded.inputs.dim(0) *
         (machine.heads() * machine.memory().slots + end - first);
}

std::string AlgorithmPredictor::LineOf(const AnsweredSequence& a) const {
  if (predicts_next()) {
    const double p = Probability(a.logits.row<float>(a.logits.dim(0) - 1)[0]);
    return fmt::format("{}\t{}", p > 0.5 ? 1 : 0,
                       ExactNumber(std::max(p, 1 - p)));
  }
  std::string line;
  for (int64_t t = a.encoded.begin; t < a.encoded.end; ++t) {
    if (!line.empty()) line += ' ';
    line += BitsAt(a, t);
  }
  return line;
}

std::string AlgorithmPredictor::NoteOn(const BitSequence& s,
                                       bool& beyond_memory) const {
  const int64_t length = s.length(shape_.problem);
  const int64_t slots = model_.network->memory().slots;
  beyond_memory = false;
  std::string note;
  if (length > model_.config.max_length) {
    const char* unit = shape_.problem == Problem::kRecall   ? "item"
                       : shape_.problem == Problem::kNgrams ? "bit"
                                                            : "vector";
    note = Counted(length, unit) + "; ";
    // Next-bit prediction only counts bits, so it does not need a slot per bit.
    if (slots > 0 && length > slots && !predicts_next()) {
      beyond_memory = true;
      note += fmt::format("the memory has {}, ", Counted(slots, "slot"));
    }
    note += fmt::format("training had at most {}", model_.config.max_length);
  }
  if (shape_.problem == Problem::kRepeatCopy &&
      s.repeats > model_.config.max_repeats) {
    note += fmt::format("{}{} repeats; training had at most {}",
                        note.empty() ? "" : "; ", s.repeats,
                        model_.config.max_repeats);
  }
  return note;
}

Answer AlgorithmPredictor::AnswerOf(const AnsweredSequence& a,
                                    const std::string& place,
                                    bool warns) const {
  Answer answer = {LineOf(a)};
  bool beyond_memory = false;
  const std::string note = NoteOn(a.sequence, beyond_memory);
  if (beyond_memory && warns) {
    Warn(fmt::format("{}: {}: the answer is hardly right", place, note));
  }
  answer.parts["sequence"] = FormatSequence(shape_, a.sequence);
  Json& parts = answer.parts;
  if (!note.empty()) parts["note"] = note;
  if (predicts_next()) {
    const double p = Probability(a.logits.row<float>(a.logits.dim(0) - 1)[0]);
    parts["next"] = p > 0.5 ? 1 : 0;
    parts["probability"] = std::max(p, 1 - p);
    return answer;
  }
  parts["vectors"] = Json::array();
  parts["expected"] = Json::array();
  int64_t errors = 0;
  for (int64_t t = a.encoded.begin; t < a.encoded.end; ++t) {
    const std::string own = BitsAt(a, t);
    const std::string right =
        BitsOf(a.encoded.targets.row<float>(t), shape_.outputs(), 0.5F);
    for (size_t i = 0; i < own.size(); ++i) errors += own[i] != right[i];
    parts["vectors"].push_back(own);
    parts["expected"].push_back(right);
  }
  parts["bit_errors"] = errors;
  return answer;
}

std::vector<Answer> AlgorithmPredictor::Predict(std::span<const Input> inputs,
                                                const NoOptions&,
                                                const PredictCall& call) const {
  const Context ctx = call.context();
  std::vector<Answer> answers;
  for (const Input& input : inputs) {
    ctx.CheckCancelled();
    AnsweredSequence a = Read(input.Text(), input.place);
    Run(ctx, /*traced=*/false, a);
    answers.push_back(AnswerOf(a, input.place, call.warns));
  }
  return answers;
}

/// A vector per step, from the memory trace.
VectorRows VectorsOf(const std::vector<MemoryStep>& steps,
                     Tensor MemoryStep::*vector) {
  VectorRows rows;
  for (const MemoryStep& step : steps) {
    rows.push_back(RowsOf((step.*vector).Contiguous(),
                          [](float x) { return static_cast<double>(x); })[0]);
  }
  return rows;
}

void AlgorithmPredictor::AddAxes(const AnsweredSequence& a,
                                 ExplanationSegment& e) const {
  const EncodedSequence& encoded = a.encoded;
  const auto same = [](float x) { return static_cast<double>(x); };
  Axis read = {.id = "source", .kind = "memory", .label = "Input"};
  read.items = encoded.steps;
  read.payload = StepsPayload{RowsOf(encoded.inputs, same)};
  Axis written = {.id = "target", .kind = "memory", .label = "Output"};
  const auto [first, end] = AnsweredSteps(encoded);
  for (int64_t t = first; t < end; ++t) {
    written.items.push_back(BitsAt(a, t));
  }
  written.payload =
      AnswerStepsPayload{first,
                         RowsOf(a.logits.Slice(first, end),
                                [](float z) { return Probability(z); }),
                         RowsOf(encoded.targets.Slice(first, end), same)};
  e.axes = {std::move(read), std::move(written)};
  if (a.memory.empty()) return;
  Axis slots = {.id = "memory", .kind = "memory", .label = "Memory"};
  for (int64_t i = 0; i < model_.network->memory().slots; ++i) {
    slots.items.push_back(fmt::format("{}", i));
  }
  slots.payload = MemoryPayload{VectorsOf(a.memory, &MemoryStep::add),
                                VectorsOf(a.memory, &MemoryStep::read)};
  e.axes.push_back(std::move(slots));
}

/// log2 p of the rounded bits of each answered step. Shapes: [copies, steps].
Var AlgorithmPredictor::LogProbabilities(const Context& ctx,
                                         const AnsweredSequence& a,
                                         int64_t copies) const {
  const Tensor& x = a.encoded.inputs;
  Tensor inputs({x.dim(0), copies, x.dim(1)});
  for (int64_t t = 0; t < x.dim(0); ++t) {
    for (int64_t b = 0; b < copies; ++b) {
      Tensor row = inputs[t][b];
      row.CopyFrom(x[t]);
    }
  }
  const auto [first, end] = AnsweredSteps(a.encoded);
  const Var logits =
      TransposeLeading(Slice(model_.Logits(ctx, inputs), first, end));
  // log p of a bit is −log(1 + exp(∓z)).
  Tensor signs(logits.shape());
  for (int64_t b = 0; b < copies; ++b) {
    for (int64_t t = first; t < end; ++t) {
      for (int64_t o = 0; o < logits.dim(2); ++o) {
        signs[b].row<float>(t - first)[o] =
            a.logits.row<float>(t)[o] > 0 ? -1.0F : 1.0F;
      }
    }
  }
  const Var sums = MatMul(Softplus(Mul(logits, signs)),
                          Tensor::Full({logits.dim(2), 1}, -1));
  return Reshape(sums, {copies, end - first});
}

ExplainableSegment AlgorithmPredictor::SegmentOf(const Context& given,
                                                 const ExplainInput& input,
                                                 AnsweredSequence a) const {
  AttentionWatch watch(input.watch);
  const Context ctx = ObservedBy(watch, given);
  Run(ctx, /*traced=*/true, a);

  ExplainableSegment result;
  ExplanationSegment& e = result.segment;
  e.text = FormatSequence(shape_, a.sequence);
  e.answer = LineOf(a);
  AddAxes(a, e);
  AddMaps(watch, e);
  const Tensor log_p = LogProbabilities(given, a, 1).value();
  const int64_t first = AnsweredSteps(a.encoded).first;
  for (int64_t i = 0; i < log_p.dim(1); ++i) {
    e.targets.push_back({.axis = "target",
                         .item = i,
                         .probability = std::exp(log_p.data<float>()[i])});
    SetMap(e.targets.back(), e.LastMap("source", "memory"), first + i);
  }
  a.memory.clear();
  result.scores.push_back(SourceScores(
      e, [this, a = std::move(a)](const Context& c, int64_t copies) {
        return LogProbabilities(c, a, copies);
      }));
  return result;
}

ExplainablePrediction AlgorithmPredictor::PrepareExplanation(
    const Context& ctx, const ExplainInput& input,
    const NoOptions& /*options*/) const {
  if (!input.answer.empty() || !input.contrast.empty()) {
    throw FormatError(
        "explain: what an algorithm answers is explained, no other answer");
  }
  ExplainablePrediction result;
  const std::string text = input.Text();
  int64_t characters = 0;
  int64_t numbers = 0;
  for (const std::string_view line : SplitLines(text)) {
    if (SplitWhitespace(line).empty()) continue;
    AnsweredSequence a = Read(line, input.given.place);
    characters += CharactersOf(a);
    if (input.max_characters > 0 && characters > input.max_characters) {
      throw FormatError(
          "{}: {} characters are read and answered; at most {} are explained: "
          "ask for fewer vectors",
          input.given.place, characters, input.max_characters);
    }
    numbers += NumbersOf(a);
    if (numbers > kMaxExplainedNumbers) {
      throw FormatError(
          "{}: an explanation of {} steps would have {:.0f} million numbers; "
          "at most {:.0f} million are explained: ask for fewer vectors",
          input.given.place, a.encoded.inputs.dim(0),
          static_cast<double>(numbers) / 1e6,
          static_cast<double>(kMaxExplainedNumbers) / 1e6);
    }
    result.segments.push_back(SegmentOf(ctx, input, std::move(a)));
    if (!result.answer.empty()) result.answer += '\n';
    result.answer += result.segments.back().segment.answer;
  }
  if (result.segments.empty()) {
    throw FormatError("{}: there is no vector to read", input.given.place);
  }
  return result;
}

}  // namespace

std::unique_ptr<Predictor> Settings::MakePredictor(const Model& algorithm,
                                                   NoOptions) const {
  return std::make_unique<AlgorithmPredictor>(algorithm);
}

}  // namespace heed::algorithm
