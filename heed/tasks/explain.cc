#include "heed/tasks/explain.h"

#include <algorithm>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/explain/observed_attention.h"

namespace heed {
namespace {

bool NeedsGradients(const AttributionOptions& options) {
  return std::ranges::any_of(options.methods, [](const std::string& method) {
    return method != "occlusion";
  });
}

void CheckDifferentiable(const ParameterSet& parameters) {
  for (const auto& parameter : parameters.all()) {
    if (!parameter->quantized()) continue;
    throw ConfigError(
        "the model's weights are int8, of which there are no gradients; use "
        "the method 'occlusion', or explain the model that it was made of");
  }
}

void AddPanels(const AttentionWatch& watch, const std::string& layer,
               int64_t row, Explanation& e) {
  if (layer.empty()) return;
  LayerNamed(e, layer);
  e.panels = CollectPanels(watch.seen, layer, row);
}

std::string ModelName(const Task& task) {
  // Describing does not change it.
  FieldList fields;
  const_cast<Task&>(task).Visit(fields);
  for (const Field& field : fields.fields()) {
    if (field.key == "model") return field.Value().get<std::string>();
  }
  return task.name();
}

}  // namespace

ExplainedPrediction ExplainPrediction(const Task& task,
                                      const ExplainRequest& request) {
  if (!IsValidUtf8(request.input.text) || !IsValidUtf8(request.input.answer)) {
    throw FormatError("explain: the text is not valid UTF-8");
  }
  if (NeedsGradients(request.attribution)) {
    CheckDifferentiable(const_cast<Task&>(task).parameters());
  }
  AttentionWatch watch([&](const AttentionInfo& info) {
    return AttentionWish{.weights = true,
                         .parts = info.path == request.panels_of};
  });
  Context ctx;
  ctx.cancellation = request.cancellation;
  ExplainablePrediction examined =
      task.PrepareExplanation(ctx, request.input, watch);
  examined.scores.cancellation = request.cancellation;
  ExplainedPrediction result;
  Explanation& e = result.explanation;
  e.task = task.name();
  e.model = ModelName(task);
  e.text = request.input.text;
  e.answer = std::move(examined.answer);
  e.source = std::move(examined.source);
  e.target = std::move(examined.target);
  e.target_inputs = std::move(examined.target_inputs);
  e.layers = CollectAttentions(watch.seen, examined.row);
  for (size_t i = 0; i < e.layers.size(); ++i) {
    if (e.layers[i].layer == examined.alignment) e.alignment = i;
  }
  if (e.alignment) {
    e.alignment_head = examined.alignment_head;
    e.alignment_rows = std::move(examined.alignment_rows);
  }
  AddPanels(watch, request.panels_of, examined.row, e);
  e.attributions = Attribute(examined.scores, request.attribution);
  CompareWithAttention(e);
  result.scores = std::move(examined.scores);
  return result;
}

Explanation Explain(const Task& task, const ExplainRequest& request) {
  return ExplainPrediction(task, request).explanation;
}

}  // namespace heed
