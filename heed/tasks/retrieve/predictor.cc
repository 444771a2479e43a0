#include <fmt/format.h>

#include <cmath>
#include <exception>
#include <optional>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/data/numbers.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/shape.h"
#include "heed/tasks/retrieve/retrieve.h"

namespace heed::retrieve {
namespace {

/// A query and its tab-separated candidates.
struct Question {
  std::string query;
  std::optional<TextCollection> candidates;  // none: the whole corpus
};

Question QuestionOf(const Input& input) {
  const std::string text = input.Text();
  const std::vector<std::string_view> parts = SplitAt(text, "\t");
  Question question;
  question.query = parts.front();
  if (parts.size() == 1) return question;
  question.candidates.emplace();
  for (size_t i = 1; i < parts.size(); ++i) {
    if (TrimBlanks(parts[i]).empty()) continue;
    question.candidates->Add(std::to_string(i), std::string(parts[i]));
  }
  if (question.candidates->size() == 0) {
    throw FormatError(
        "{}: no text after the tab, so that there is nothing to choose from",
        input.place);
  }
  return question;
}

/// Searches a corpus, encoded by the constructor, or ranks the candidates of a
/// query.
class RetrievalPredictor : public PredictorWith<Prediction> {
 public:
  RetrievalPredictor(const Model& model, Prediction options);

 protected:
  /// Finds the best texts of each query. A line per text has the number of the
  /// query, rank, score, id (for candidates, their number) and text, separated
  /// by tabs.
  std::vector<Answer> Predict(std::span<const Input> inputs,
                              const Prediction& options,
                              const PredictCall& call) const override;
  ExplainablePrediction PrepareExplanation(
      const Context& given, const ExplainInput& input,
      const Prediction& options) const override;
  bool joins_inputs(const Prediction&) const override { return true; }

 private:
  std::string FirstHit(const Context& given, const std::string& text,
                       const Prediction& options) const;
  Axis TextAxis(TextSide side, const std::string& text) const;
  std::vector<std::string> TextsOf(const Context& given,
                                   const ExplainInput& input,
                                   const Prediction& options) const;
  /// Encodes copies of a text of a corpus.
  using Encode = std::function<EncodedCorpus::Block(
      const Context& ctx, int64_t text, int64_t copies)>;
  Encode EncoderOf(const Context& given,
                   const std::vector<std::string>& texts) const;
  Explainable ScoresOf(const Encode& encode, int64_t text,
                       const EncodedCorpus::Block& other,
                       const Axis& axis) const;
  void Contrast(const Encode& encode, const EncodedCorpus::Block& found,
                const EncodedCorpus::Block& other,
                ExplainableSegment& segment) const;

  const Model& model_;
  TextCollection corpus_;
  EncodedCorpus encoded_;  // of corpus_
  std::exception_ptr no_corpus_;
};

/// Candidates can be ranked without a corpus, so the training corpus may be
/// missing.
RetrievalPredictor::RetrievalPredictor(const Model& model, Prediction options)
    : PredictorWith(std::move(options)), model_(model) {
  const DataConfig& data = model.config.data;
  const std::vector<std::string>& named = own_options().corpus;
  try {
    if (named.empty() && !data.answers.empty()) {
      TextCollection questions;
      ReadAnswers(data.answers, questions, corpus_);
    } else {
      const std::vector<std::string>& paths =
          named.empty() ? data.corpus : named;
      if (paths.empty()) throw ConfigError("--corpus is needed");
      corpus_ = ReadTexts(paths);
    }
    encoded_ = model.Read({}, corpus_.texts(), TextSide::kText);
  } catch (const Error&) {
    if (!named.empty()) throw;
    no_corpus_ = std::current_exception();
  }
}

/// Formats the best texts. `scores`: scores of all texts.
Answer HitsOf(int64_t query, const TextCollection& texts,
              const std::vector<double>& scores, int best) {
  Answer answer;
  answer.parts["hits"] = nlohmann::ordered_json::array();
  int place = 0;
  for (const int64_t text : OrderByScore(scores, best)) {
    const double score = At(scores, text);
    const std::string& found = At(texts.texts(), text);
    answer.line +=
        fmt::format("{}{}\t{}\t{}\t{}\t{}", place > 0 ? "\n" : "", query + 1,
                    place + 1, ExactNumber(score), texts.Id(text), found);
    answer.parts["hits"].push_back(
        {{"score", score}, {"id", texts.Id(text)}, {"text", found}});
    ++place;
  }
  return answer;
}

std::vector<Answer> RetrievalPredictor::Predict(std::span<const Input> inputs,
                                                const Prediction& options,
                                                const PredictCall& call) const {
  const Context ctx = call.context();
  std::vector<Answer> answers(inputs.size());
  std::vector<std::string> queries;  // queries of the corpus
  std::vector<size_t> askers;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Question question = QuestionOf(inputs[i]);
    if (!question.candidates) {
      if (no_corpus_) std::rethrow_exception(no_corpus_);
      queries.push_back(question.query);
      askers.push_back(i);
      continue;
    }
    const TextCollection& texts = *question.candidates;
    const Tensor scores =
        model_.Scores(ctx, model_.Read(ctx, {question.query}, TextSide::kQuery),
                      model_.Read(ctx, texts.texts(), TextSide::kText));
    answers[i] = HitsOf(inputs[i].number, texts, scores.ToVector<double>(),
                        options.Best(/*of_corpus=*/false));
  }
  if (queries.empty()) return answers;
  const Tensor scores =
      model_.Scores(ctx, model_.Read(ctx, queries, TextSide::kQuery), encoded_);
  for (size_t q = 0; q < askers.size(); ++q) {
    const size_t i = askers[q];
    answers[i] = HitsOf(inputs[i].number, corpus_,
                        scores[static_cast<int64_t>(q)].ToVector<double>(),
                        options.Best(/*of_corpus=*/true));
  }
  return answers;
}

Axis RetrievalPredictor::TextAxis(TextSide side,
                                  const std::string& text) const {
  const DataConfig& data = model_.config.data;
  const bool query = side == TextSide::kQuery;
  MarkedText marked =
      MarkText(model_.vocabulary, model_.Prompted(text, side), nullptr,
               {data.max_length, data.vocabulary.lowercase});
  return InputTokenAxis(query ? "source" : "document",
                        query ? "Query" : "Text found", model_.vocabulary,
                        marked.ids, std::move(marked.pieces));
}

/// The top-ranked text of a query.
std::string RetrievalPredictor::FirstHit(const Context& given,
                                         const std::string& text,
                                         const Prediction& options) const {
  PredictCall call;
  call.cancellation = given.cancellation;
  const std::vector<Input> inputs = {{text}};
  const Answer answer = Predict(inputs, options, call).front();
  const auto& hits = answer.parts.at("hits");
  if (hits.empty()) throw FormatError("the corpus has no text to find");
  return hits.at(0).at("text").get<std::string>();
}

/// Recomputes the score of copies of text `text` (the query or the result) with
/// the other text.
Explainable RetrievalPredictor::ScoresOf(const Encode& encode, int64_t text,
                                         const EncodedCorpus::Block& other,
                                         const Axis& axis) const {
  Explainable scores;
  scores.axis = axis.id;
  scores.tokens = axis.size();
  scores.targets = 1;
  scores.of_targets = {static_cast<size_t>(text)};
  scores.log_probability = false;
  scores.scores = [encode, text, this, other](const Context& c,
                                              int64_t copies) {
    const EncodedCorpus::Block mine = encode(c, text, copies);
    return Reshape(text == 0 ? model_.Scores(c, mine, other)
                             : model_.Scores(c, other, mine),
                   {copies, 1});
  };
  return scores;
}

/// Sets the contrast of `found` with `other`: attributions to the query alone,
/// which both share.
void RetrievalPredictor::Contrast(const Encode& encode,
                                  const EncodedCorpus::Block& found,
                                  const EncodedCorpus::Block& other,
                                  ExplainableSegment& segment) const {
  segment.scores.resize(1);
  segment.scores[0].scores = [encode, this, found, other](const Context& c,
                                                          int64_t copies) {
    const EncodedCorpus::Block query = encode(c, 0, copies);
    return Sub(model_.Scores(c, query, found), model_.Scores(c, query, other));
  };
}

/// The query, the top-ranked or requested text, and the contrast text.
std::vector<std::string> RetrievalPredictor::TextsOf(
    const Context& given, const ExplainInput& input,
    const Prediction& options) const {
  const std::string text = input.Text();
  std::vector<std::string> texts = {
      text.substr(0, text.find('\t')),
      input.answer.empty() ? FirstHit(given, text, options) : input.answer};
  if (!input.contrast.empty()) texts.push_back(input.contrast);
  return texts;
}

RetrievalPredictor::Encode RetrievalPredictor::EncoderOf(
    const Context& given, const std::vector<std::string>& texts) const {
  const auto query = std::make_shared<ReadableCorpus>(
      model_.Encode(given, {texts[0]}, TextSide::kQuery));
  const auto others = std::make_shared<ReadableCorpus>(
      model_.Encode(given, {texts.begin() + 1, texts.end()}, TextSide::kText));
  return [=, this](const Context& c, int64_t text, int64_t copies) {
    return text == 0 ? model_.ReadBlock(c, *query, Repeated(copies, 0))
                     : model_.ReadBlock(c, *others, Repeated(copies, text - 1));
  };
}

/// Explains the similarity of a query and a text, given or top-ranked. Query
/// and text each have a target with this cosine, since an attribution is to one
/// text.
ExplainablePrediction RetrievalPredictor::PrepareExplanation(
    const Context& given, const ExplainInput& input,
    const Prediction& options) const {
  const std::vector<std::string> texts = TextsOf(given, input, options);
  const Encode encode = EncoderOf(given, texts);
  ExplainableSegment result;
  ExplanationSegment& e = result.segment;
  e.text = texts[0];
  EncodedCorpus::Block encoded[2];
  const auto add = [&](int64_t text, TextSide side) {
    e.axes.push_back(TextAxis(side, texts.at(static_cast<size_t>(text))));
    const std::string axis = e.axes.back().id;
    AttentionWatch watch(input.watch);
    const Context ctx = ObservedBy(watch, given);
    encoded[text] = encode(ctx, text, 1);
    AddMaps(watch, e, 0, axis);
  };
  add(0, TextSide::kQuery);
  add(1, TextSide::kText);
  AttentionWatch watch(input.watch);
  const Context ctx = ObservedBy(watch, given);
  const double score =
      model_.Scores(ctx, encoded[0], encoded[1]).value().item();
  AddMaps(watch, e);
  const std::string shown = fmt::format("{:.3f}", score);
  e.answer = fmt::format("{} ({})", texts[1], shown);
  const bool cosine =
      !model_.learned.statistics &&
      model_.config.bi_encoder.similarity == Similarity::kCosine;
  e.axes.push_back(NamesAxis("answer", cosine ? "Cosine" : "Score", {shown}));
  for (const int64_t text : {0, 1}) {
    const std::string axis = text == 0 ? "source" : "document";
    e.targets.push_back({.axis = "answer"});
    SetMap(e.targets.back(), e.LastMap("answer", axis), 0);
    result.scores.push_back(
        ScoresOf(encode, text, encoded[1 - text], e.axis(axis)));
  }
  if (!input.contrast.empty()) {
    Contrast(encode, encoded[1], encode(given, 2, 1), result);
    e.targets[0].contrast = {input.contrast, NAN};  // no probability
  }
  return {e.answer, {std::move(result)}};
}

}  // namespace

std::unique_ptr<Predictor> Settings::MakePredictor(const Model& retriever,
                                                   Prediction options) const {
  return std::make_unique<RetrievalPredictor>(retriever, std::move(options));
}

}  // namespace heed::retrieve
