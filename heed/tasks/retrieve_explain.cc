#include <fmt/format.h>

#include "heed/base/errors.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/shape.h"
#include "heed/tasks/retrieve.h"

namespace heed {

/// How near a query is to a text. Both are encoded on their own; what is
/// explained is the query.
ExplainablePrediction RetrievalTask::PrepareExplanation(
    const Context& given, const ExplainInput& input,
    AttentionWatch& watch) const {
  const size_t tab = input.text.find('\t');
  if (tab == std::string::npos) {
    throw FormatError(
        "explain: give a query, a tab and a text; what is explained is how "
        "near the model finds them");
  }
  const auto corpus = std::make_shared<LabelledCorpus>(
      Encode({input.text.substr(0, tab), input.text.substr(tab + 1)}));
  const auto encode = [this, corpus](const Context& c, int64_t text,
                                     int64_t copies) {
    const LabelledBatch batch =
        MakeLabelledBatch(*corpus, Repeated(copies, text));
    return model_->Encode(c, batch.ids, batch.lengths);
  };
  const Tensor document = encode(given, 1, 1).value();
  Context ctx = given;
  ctx.observer = &watch;
  const Var cosine = Cosines(encode(ctx, 0, 1), document);
  ExplainablePrediction e;
  for (const int32_t id : corpus->corpus.source.at(0)) {
    e.source.push_back(vocabulary_->Piece(id));
  }
  e.answer = fmt::format("{:.6f}", cosine.value().item());
  e.target = {"cosine"};
  e.target_inputs = e.target;
  e.alignment = PoolingAttention(watch);
  e.alignment_rows = {0};
  e.scores.tokens = std::ssize(e.source);
  e.scores.targets = 1;
  e.scores.log_probability = false;
  e.scores.scores = [encode, document](const Context& c, int64_t copies) {
    return Cosines(encode(c, 0, copies), document);
  };
  return e;
}

}  // namespace heed
