#include "heed/tasks/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "heed/base/config.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/explain/attention_flow.h"

namespace heed {
namespace {

bool NeedsGradients(const AttributionOptions& options) {
  return std::ranges::any_of(options.methods, [](const std::string& method) {
    return method != "occlusion" && method != kRollout;
  });
}

bool IsDifferentiable(const ParameterSet& parameters) {
  return std::ranges::none_of(parameters.all(), [](const auto& parameter) {
    return parameter->quantized();
  });
}

void CheckDifferentiable(const ParameterSet& parameters) {
  if (IsDifferentiable(parameters)) return;
  throw ConfigError(
      "the model's weights are int8 and have no gradients; use the method "
      "'occlusion', or explain the model before quantisation");
}

/// Requested attribution methods, or the fallback for a model without
/// attention.
AttributionOptions MethodsFor(const ExplainRequest& request,
                              const ExplainablePrediction& prepared,
                              const ParameterSet& parameters) {
  AttributionOptions options = request.attribution;
  const bool attends = std::ranges::any_of(prepared.segments,
                                           [](const ExplainableSegment& part) {
                                             return !part.segment.maps.empty();
                                           });
  if (request.saliency_without_attention && options.methods.empty() &&
      !attends) {
    options.methods = {IsDifferentiable(parameters) ? "saliency" : "occlusion"};
  }
  return options;
}

/// Value of a text setting; "" if there is no such setting.
std::string SettingOf(const LoadedModel& loaded, const char* key) {
  FieldList fields;
  loaded.settings->Visit(fields);
  const Field* field = FindField(fields.fields(), key);
  return field ? field->Value().get<std::string>() : "";
}

std::string ModelName(const LoadedModel& loaded) {
  const std::string name = SettingOf(loaded, "model");
  return name.empty() ? loaded.settings->task() : name;
}

bool IsBlank(const Input& line) { return SplitWhitespace(line.Text()).empty(); }

/// Throws: FormatError for more rows of attention weights than allowed.
void CheckRows(const ExplainablePrediction& prepared, int64_t max_rows) {
  int64_t rows = 0;
  for (const ExplainableSegment& part : prepared.segments) {
    for (const AttentionMap& map : part.segment.maps) {
      rows += map.heads * map.query_size;
    }
  }
  if (max_rows == 0 || rows <= max_rows) return;
  throw FormatError(
      "explain: the text needs {} rows of attention weights (tokens x layers x "
      "heads); at most {} are allowed, so use a shorter text",
      rows, max_rows);
}

/// Prepares an explanation of each input that `heed predict` answers
/// separately, such as each line of a text.
ExplainablePrediction PrepareEach(const LoadedModel& loaded,
                                  const Predictor& predictor,
                                  const Context& ctx, const ExplainInput& input,
                                  const ExplainRequest& request) {
  const OptionSet& options =
      request.options ? *request.options : predictor.options();
  std::vector<Input> lines = {input.given};
  if (!predictor.explains_lines_together()) {
    lines =
        LinesOf(input.given, loaded.input(), loaded.settings->Reading(options));
    if (lines.size() == 1) lines.front().number = input.given.number;
  }
  // Blank lines are skipped. A text without any other line is rejected by the
  // task.
  if (lines.size() > 1 && !std::ranges::all_of(lines, IsBlank)) {
    std::erase_if(lines, IsBlank);
  }
  ExplainablePrediction all;
  for (Input& line : lines) {
    ctx.CheckCancelled();
    ExplainInput one = input;
    one.given = std::move(line);
    ExplainablePrediction own = predictor.PrepareExplanation(ctx, one, options);
    if (!all.segments.empty()) all.answer += '\n';
    all.answer += own.answer;
    std::ranges::move(own.segments, std::back_inserter(all.segments));
    CheckRows(all, request.max_rows);
  }
  return all;
}

/// Adds the attributions of all methods: those of each input, then rollout.
void AddAttributions(AttributionOptions options,
                     const Cancellation* cancellation,
                     ExplainableSegment& part) {
  const bool rollout = std::erase(options.methods, kRollout) > 0;
  for (Explainable& scores : part.scores) {
    scores.cancellation = cancellation;
    std::ranges::move(Attribute(scores, options),
                      std::back_inserter(part.segment.attributions));
  }
  if (rollout) part.segment.attributions.push_back(Rollout(part.segment));
}

/// Fills the norms of weighted values where the output matrix has numbers.
void FillNorms(const ParameterSet& parameters, ExplanationSegment& segment) {
  for (AttentionPanels& panels : segment.panels) {
    const Parameter* output = parameters.Find(segment.maps[panels.map].output);
    if (output != nullptr && !output->quantized()) {
      FillNorms(output->numbers(), panels);
    }
  }
}

}  // namespace

ModelOutline OutlineOf(const LoadedModel& loaded) {
  const ParameterSet& parameters = std::as_const(*loaded.model).parameters();
  ModelOutline outline = loaded.model->Outline();
  if (!outline.defined()) outline = OutlineOf(parameters);
  outline.weights = 0;
  for (const auto& parameter : parameters.all()) {
    outline.weights += parameter->value().numel();
  }
  outline.name = ModelName(loaded);
  const std::string variant = SettingOf(loaded, "variant");
  if (!variant.empty()) outline.name += fmt::format(" ({})", variant);
  return outline;
}

Explanation ExplainModel(const LoadedModel& loaded) {
  Explanation e;
  e.task = loaded.settings->task();
  e.model = ModelName(loaded);
  e.segments.emplace_back();
  e.segments.back().outline = OutlineOf(loaded);
  return e;
}

ExplainedPrediction ExplainPrediction(const LoadedModel& loaded,
                                      const Predictor& predictor,
                                      const ExplainRequest& request) {
  const std::string shown = request.input.given.Shown();
  for (const std::string* text :
       {&shown, &request.input.answer, &request.input.contrast}) {
    if (!IsValidUtf8(*text)) {
      throw FormatError("explain: the text is not valid UTF-8");
    }
  }
  if (NeedsGradients(request.attribution)) {
    CheckDifferentiable(std::as_const(*loaded.model).parameters());
  }
  const ModelOutline outline = OutlineOf(loaded);
  const std::string& numbers = request.panels_of.empty() && request.pictures
                                   ? outline.attention
                                   : request.panels_of;
  ExplainInput input = request.input;
  input.watch = [&](const AttentionInfo& info) {
    return AttentionRequest{
        .weights = true, .parts = info.path == numbers, .factors = true};
  };
  input.inputs = request.inputs || request.pictures;
  Context ctx;
  ctx.cancellation = request.cancellation;
  ExplainablePrediction prepared =
      PrepareEach(loaded, predictor, ctx, input, request);
  ExplainedPrediction result;
  Explanation& e = result.explanation;
  e.task = loaded.settings->task();
  e.model = ModelName(loaded);
  e.text = shown;
  e.answer = std::move(prepared.answer);
  const AttributionOptions methods =
      MethodsFor(request, prepared, std::as_const(*loaded.model).parameters());
  for (ExplainableSegment& part : prepared.segments) {
    if (!request.panels_of.empty()) {
      const AttentionMap& map =
          part.segment.maps[MapNamed(part.segment, request.panels_of)];
      if (part.segment.panels.empty()) {
        throw ConfigError(
            "'{}' is not shown in numbers: {}; choose another view",
            request.panels_of,
            map.numbers
                ? "what it attends to changes at each step"
                : "its weights are not those of queries and keys alone");
      }
    }
    FillNorms(std::as_const(*loaded.model).parameters(), part.segment);
    AddAttributions(methods, request.cancellation, part);
    CompareWithAttention(part.segment);
    SummarizeLargeMaps(part.segment);
    part.segment.outline = outline;
    e.segments.push_back(std::move(part.segment));
    result.scores.push_back(std::move(part.scores));
  }
  return result;
}

Explanation Explain(const LoadedModel& loaded, const Predictor& predictor,
                    const ExplainRequest& request) {
  return ExplainPrediction(loaded, predictor, request).explanation;
}

}  // namespace heed
