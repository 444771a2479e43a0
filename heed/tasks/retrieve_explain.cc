#include <fmt/format.h>

#include <cmath>

#include "heed/base/errors.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/shape.h"
#include "heed/tasks/retrieve.h"

namespace heed {

/// How near a query is to a text: the one given, or that found first. Both are
/// encoded on their own, and both are explained.
ExplainablePrediction RetrievalTask::PrepareExplanation(
    const Context& given, const ExplainInput& input) const {
  const size_t tab = input.text.find('\t');
  const std::string query = input.text.substr(0, tab);
  std::string found = input.answer;
  if (found.empty() && tab != std::string::npos) {
    found = input.text.substr(tab + 1);
  } else if (found.empty()) {
    const ModelAnswer answer =
        MakePredictor(given, /*with_parts=*/true, {})({&query, 1}, 0).at(0);
    found = answer.parts.at("hits").at(0).at("text").get<std::string>();
  }
  std::vector<std::string> texts = {query, found};
  if (!input.contrast.empty()) texts.push_back(input.contrast);
  const auto corpus = std::make_shared<LabelledCorpus>(Encode(texts));
  const auto encode = [this, corpus](const Context& c, int64_t text,
                                     int64_t copies) {
    const LabelledBatch batch =
        MakeLabelledBatch(*corpus, Repeated(copies, text));
    return model_->Encode(c, batch.ids, batch.lengths);
  };
  ExplainableSegment result;
  ExplanationSegment& e = result.segment;
  e.text = input.text;
  Tensor vectors[2];
  const auto add = [&](int64_t text, const char* axis, const char* label) {
    e.axes.push_back(
        TokenAxis(axis, label, *vocabulary_,
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

}  // namespace heed
