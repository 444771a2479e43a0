#include <fmt/format.h>

#include <cmath>
#include <exception>

#include "heed/base/errors.h"
#include "heed/ops/elementwise.h"
#include "heed/tasks/retrieve/retrieve.h"

namespace heed {
namespace {

/// Searches a corpus, which it encodes when it is made.
class RetrievalPredictor : public PredictorWith<RetrievalPrediction> {
 public:
  RetrievalPredictor(const RetrievalModel& model, RetrievalPrediction options);

 protected:
  /// The nearest texts of each query, a line for each: number of the query,
  /// place, cosine, id and text, with tabs between.
  std::vector<Answer> Answers(std::span<const Input> inputs,
                              const RetrievalPrediction& options,
                              const PredictCall& call) const override;
  ExplainablePrediction ExplanationWith(
      const Context& given, const ExplainInput& input,
      const RetrievalPrediction& options) const override;
  bool JoinsWith(const RetrievalPrediction&) const override { return true; }

 private:
  Answer HitsOf(int64_t query, const std::vector<double>& scores,
                int best) const;

  const RetrievalModel& model_;
  TextCollection corpus_;
  Tensor vectors_;  // of corpus_
  std::exception_ptr no_corpus_;
};

/// Pairs can be explained without a corpus, so that of training may be gone.
RetrievalPredictor::RetrievalPredictor(const RetrievalModel& model,
                                       RetrievalPrediction options)
    : PredictorWith(std::move(options)), model_(model) {
  const std::vector<std::string>& named = own_options().corpus;
  const std::vector<std::string>& paths =
      named.empty() ? model.config.data.corpus : named;
  try {
    if (paths.empty()) throw ConfigError("--corpus is needed");
    corpus_ = ReadTexts(paths);
  } catch (const Error&) {
    if (!named.empty()) throw;
    no_corpus_ = std::current_exception();
    return;
  }
  vectors_ = model.Vectors({}, corpus_.texts());
}

Answer RetrievalPredictor::HitsOf(int64_t query,
                                  const std::vector<double>& scores,
                                  int best) const {
  Answer answer;
  answer.parts["hits"] = nlohmann::ordered_json::array();
  int place = 0;
  for (const int64_t text : OrderByScore(scores, best)) {
    const double score = scores[static_cast<size_t>(text)];
    const std::string& found = corpus_.texts()[static_cast<size_t>(text)];
    answer.line +=
        fmt::format("{}{}\t{}\t{:.4f}\t{}\t{}", place > 0 ? "\n" : "",
                    query + 1, place + 1, score, corpus_.Id(text), found);
    answer.parts["hits"].push_back(
        {{"score", score}, {"id", corpus_.Id(text)}, {"text", found}});
    ++place;
  }
  return answer;
}

std::vector<Answer> RetrievalPredictor::Answers(
    std::span<const Input> inputs, const RetrievalPrediction& options,
    const PredictCall& call) const {
  if (no_corpus_) std::rethrow_exception(no_corpus_);
  std::vector<std::string> queries;
  for (const Input& input : inputs) queries.push_back(input.Text());
  const Tensor cosines =
      Cosines(model_.Vectors(call.context(), queries), vectors_).value();
  std::vector<Answer> answers;
  for (int64_t i = 0; i < std::ssize(inputs); ++i) {
    answers.push_back(HitsOf(inputs[static_cast<size_t>(i)].number,
                             cosines[i].ToVector<double>(), options.best));
  }
  return answers;
}

/// How near a query is to a text: the one given, or that found first. Both are
/// encoded on their own, and both are explained.
ExplainablePrediction RetrievalPredictor::ExplanationWith(
    const Context& given, const ExplainInput& input,
    const RetrievalPrediction& options) const {
  const std::string text = input.Text();
  const size_t tab = text.find('\t');
  const std::string query = text.substr(0, tab);
  std::string found = input.answer;
  if (found.empty() && tab != std::string::npos) {
    found = text.substr(tab + 1);
  } else if (found.empty()) {
    PredictCall call;
    call.cancellation = given.cancellation;
    const std::vector<Input> inputs = {{query}};
    const Answer answer = Answers(inputs, options, call).front();
    found = answer.parts.at("hits").at(0).at("text").get<std::string>();
  }
  std::vector<std::string> texts = {query, found};
  if (!input.contrast.empty()) texts.push_back(input.contrast);
  const auto corpus =
      std::make_shared<LabelledCorpus>(model_.Encode(given, texts));
  const auto encode = [this, corpus](const Context& c, int64_t text,
                                     int64_t copies) {
    const LabelledBatch batch =
        MakeLabelledBatch(*corpus, Repeated(copies, text));
    return model_.network.Encode(c, batch.ids, batch.lengths);
  };
  ExplainableSegment result;
  ExplanationSegment& e = result.segment;
  e.text = text;
  Tensor vectors[2];
  const auto add = [&](int64_t text, const char* axis, const char* label) {
    e.axes.push_back(
        TokenAxis(axis, label, model_.vocabulary,
                  corpus->corpus.source.at(static_cast<size_t>(text))));
    AttentionWatch watch(input.watch);
    Context ctx = given;
    ctx.observer = &watch;
    vectors[text] = encode(ctx, text, 1).value();
    AddMaps(watch, e, 0, axis);
    Target target = {.axis = "answer"};
    SetMap(target, e.LastMap("answer", axis), 0);
    e.targets.push_back(std::move(target));
  };
  add(0, "source", "Query");
  add(1, "document", "Text found");
  const double cosine = Cosines(vectors[0], vectors[1]).value().item();
  e.answer = fmt::format("{:.6f}", cosine);
  e.axes.push_back(NamesAxis("answer", "Cosine", {e.answer}));
  for (const int64_t text : {0, 1}) {
    Explainable scores;
    scores.axis = text == 0 ? "source" : "document";
    scores.tokens = e.axis(scores.axis).size();
    scores.targets = 1;
    scores.of_targets = {static_cast<size_t>(text)};
    scores.log_probability = false;
    scores.scores = [encode, text, other = vectors[1 - text]](const Context& c,
                                                              int64_t copies) {
      return Cosines(encode(c, text, copies), other);
    };
    result.scores.push_back(std::move(scores));
  }
  if (!input.contrast.empty()) {
    // Why this text, not that one: of the query, which both share.
    const Tensor other = encode(given, 2, 1).value();
    e.targets[0].contrast = {input.contrast, NAN};  // it has no probability
    result.scores.resize(1);
    result.scores[0].scores = [encode, text = vectors[1], other](
                                  const Context& c, int64_t copies) {
      const Var q = encode(c, 0, copies);
      return Sub(Cosines(q, text), Cosines(q, other));
    };
  }
  return {e.answer, {std::move(result)}};
}

}  // namespace

std::unique_ptr<Predictor> RetrievalSettings::Predicting(
    const RetrievalModel& retriever, RetrievalPrediction options) const {
  return std::make_unique<RetrievalPredictor>(retriever, std::move(options));
}

}  // namespace heed
