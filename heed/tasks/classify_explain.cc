#include <fmt/format.h>
#include <fmt/ranges.h>

#include "heed/base/errors.h"
#include "heed/ops/loss.h"
#include "heed/ops/shape.h"
#include "heed/tasks/classify.h"

namespace heed {

Examined ClassifyTask::Examine(const ExplainInput& input,
                               AttentionRecorder& recorder) const {
  LabelledText text;
  const size_t tab = pairs() ? input.text.find('\t') : input.text.npos;
  if (pairs() && tab == input.text.npos) {
    throw FormatError("explain: no tab between the texts of a pair");
  }
  text.text.push_back(input.text.substr(0, tab));
  if (pairs()) text.second.push_back(input.text.substr(tab + 1));
  const auto corpus =
      std::make_shared<LabelledCorpus>(Encode(text, /*with_labels=*/false));
  const auto repeated = [corpus](int64_t copies) {
    const LabelledBatch batch = MakeLabelledBatch(
        *corpus, std::vector<int64_t>(static_cast<size_t>(copies), 0));
    return TextInput{batch.ids, batch.lengths, batch.segments};
  };
  Context ctx;
  ctx.recorder = &recorder;
  const Var scores = model_->Scores(ctx, repeated(1));
  std::vector<int32_t> labels;
  if (input.answer.empty()) {
    labels =
        model_->Choose(model_->Probabilities(scores.value()), threshold_).at(0);
  } else {
    labels.push_back(labels_->Id(input.answer));
  }
  Examined e;
  for (const int32_t id : corpus->corpus.source.at(0)) {
    e.source.push_back(vocabulary_->Piece(id));
  }
  for (const int32_t label : labels) e.target.push_back(labels_->Name(label));
  e.answer = fmt::format("{}", fmt::join(e.target, ","));
  e.target_inputs = {e.answer};
  // What becomes the vector of the text: weights of its tokens, or what its
  // first token looks at.
  e.alignment = classifier.pooling == "attention"
                    ? "pooling"
                    : (classifier.pooling == "cls"
                           ? LastLayer(recorder.layers(), "attention")
                           : "");
  e.alignment_rows.assign(labels.size(), 0);
  e.set_sides = [](LayerAttention& layer) {
    if (layer.layer == "pooling") layer.queries = TokenSide::kTarget;
  };
  e.scores.tokens = std::ssize(e.source);
  e.scores.targets = std::ssize(labels);
  e.scores.embedding = "encoder.embedding";
  e.scores.log_probability = !model_->multi_label();
  e.scores.scores = [this, repeated, labels](const Context& c, int64_t copies) {
    const Var all = model_->Scores(c, repeated(copies));
    const Var y = model_->multi_label() ? all : LogSoftmax(all);
    std::vector<Var> columns;
    for (const int32_t label : labels) {
      columns.push_back(Columns(y, label, label + 1));
    }
    return ConcatColumns(columns);
  };
  return e;
}

}  // namespace heed
