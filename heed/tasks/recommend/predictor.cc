#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/console.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/metrics/ranking.h"
#include "heed/ops/loss.h"
#include "heed/tasks/choice.h"
#include "heed/tasks/recommend/recommend.h"

namespace heed::recommend {
namespace {

/// Known items of a line with tabs, bars between spaces, or (if the line is no
/// item) spaces between items; `unknown` receives the others.
History HistoryOf(const ItemTable& items, const Input& input,
                  std::string& unknown) {
  const std::string line = input.Text();
  const bool tabs = line.find('\t') != line.npos;
  std::vector<std::string_view> names = SplitAt(line, tabs ? "\t" : " | ");
  if (names.size() == 1 && !items.Find(line)) names = SplitWhitespace(line);
  History history;
  for (const std::string_view name : names) {
    if (TrimBlanks(name).empty()) continue;
    if (const auto id = items.Find(name)) {
      history.push_back(*id);
    } else {
      unknown += fmt::format("{}'{}'", unknown.empty() ? "" : ", ", name);
    }
  }
  if (!history.empty()) return history;
  throw FormatError(
      "{}: no item that the model knows; write ' | ' between names or titles",
      input.place);
}

class RecommendPredictor : public PredictorWith<Prediction> {
 public:
  RecommendPredictor(const Model& model, const Prediction& options)
      : PredictorWith(options), model_(model) {}

 protected:
  bool joins_inputs(const Prediction&) const override { return true; }
  std::vector<Answer> Predict(std::span<const Input> inputs,
                              const Prediction& options,
                              const PredictCall& call) const override {
    std::vector<History> histories;
    std::vector<std::string> unknown(inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      histories.push_back(HistoryOf(model_.items, inputs[i], unknown[i]));
      if (!call.warns || unknown[i].empty()) continue;
      Warn(fmt::format("{}: ignores unknown items: {}", inputs[i].place,
                       unknown[i]));
    }
    const Tensor log_p = LogProbabilities(call.context(), histories);
    std::vector<Answer> answers;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const auto row = log_p[static_cast<int64_t>(i)].ToVector<double>();
      CandidateList list("items", "item");
      for (const int64_t id : OrderByScore(row, options.best)) {
        if (std::isinf(At(row, id))) break;
        list.Add(model_.items.shown(static_cast<int32_t>(id)),
                 std::exp(At(row, id)));
      }
      answers.push_back(list.answer());
      if (!unknown[i].empty()) answers.back().parts["unknown"] = unknown[i];
    }
    return answers;
  }

  /// Explains the most probable item after the history, or a requested one.
  ExplainablePrediction PrepareExplanation(
      const Context& given, const ExplainInput& input,
      const Prediction& /*options*/) const override {
    std::string unknown;
    const History history = HistoryOf(model_.items, input.given, unknown);
    const RunOfCopies log_p = [this, history](const Context& ctx,
                                              int64_t copies) {
      return LogSoftmax(model_.Scores(
          ctx, std::vector<History>(static_cast<size_t>(copies), history)));
    };
    const auto shown = [this](int32_t id) { return model_.items.shown(id); };
    std::vector<std::string> read;
    for (const int32_t id : model_.Read(history)) read.push_back(shown(id));
    ExplainableSegment result = ExplainChoice(
        given, input, {NamesAxis("source", "History", read)},
        {"Next item", shown,
         [this](const std::string& item, const char* place) {
           if (const auto id = model_.items.Find(item)) return *id;
           throw FormatError("{}: the model does not know the item '{}'", place,
                             item);
         },
         log_p,
         [&](const Context& ctx) {
           return LogProbabilities(ctx, std::span(&history, 1));
         }});
    // The state after the last item predicts the next one.
    ExplanationSegment& e = result.segment;
    SetMap(e.targets[0], e.LastMap("source", "source"), std::ssize(read) - 1);
    return {e.answer, {std::move(result)}};
  }

 private:
  /// Log-probabilities [N, V]; −∞ for items of the history.
  Tensor LogProbabilities(const Context& ctx,
                          std::span<const History> histories) const {
    Tensor log_p = LogSoftmax(model_.Scores(ctx, histories)).value().Clone();
    for (int64_t b = 0; b < log_p.rows(); ++b) {
      for (const int32_t item : At(histories, b)) {
        log_p.row<float>(b)[item] = -std::numeric_limits<float>::infinity();
      }
    }
    return log_p;
  }

  const Model& model_;
};

}  // namespace

std::unique_ptr<Predictor> Settings::MakePredictor(const Model& made,
                                                   Prediction options) const {
  return std::make_unique<RecommendPredictor>(made, options);
}

}  // namespace heed::recommend
