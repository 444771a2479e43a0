// Explanations of heed.h.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "apps/libheed/array.h"
#include "apps/libheed/model.h"
#include "heed/base/config.h"
#include "heed/render/explanation_file.h"
#include "heed/serve/api.h"

using namespace heed;     // NOLINT: functions of C have no namespace
using namespace heed::c;  // NOLINT

struct heed_explanation {
  Explanation value;
  bool with_methods = false;
};

namespace {

using Json = nlohmann::ordered_json;

std::unique_ptr<heed_explanation> NewExplanation(const heed_model& model,
                                                 const Json& request,
                                                 const Cancellation* cancel) {
  const auto served = ServedBy(model);
  RequestLimits limits;
  limits.char_limit = limits.explain_limit = 0;
  if (!request.is_object()) throw FormatError("request: no JSON object");
  const ExplainCall call =
      ParseExplain(request, served->input(), limits, served->translates());
  auto explanation = std::make_unique<heed_explanation>();
  explanation->value = ExplainCalled(*served, call, limits, cancel);
  explanation->with_methods = !call.attribution.methods.empty();
  return explanation;
}

const AttentionMap& MapAt(const Explanation& explanation, size_t index) {
  size_t before = 0;
  for (const ExplanationSegment& segment : explanation.segments) {
    if (index - before < segment.maps.size()) {
      return segment.maps[index - before];
    }
    before += segment.maps.size();
  }
  throw ArgumentError("map is {}; there are {} maps", index, before);
}

/// Weights [H, T, S], or [H, E] of the edges of a graph.
Tensor WeightsOf(const AttentionMap& map) {
  const auto edges = std::ssize(map.edges);
  Tensor weights = edges > 0
                       ? Tensor({map.heads, edges})
                       : Tensor({map.heads, map.query_size, map.key_size});
  auto* to = weights.data<float>();
  if (!map.large()) {
    std::ranges::copy(map.weights, to);
    return weights;
  }
  for (int64_t head = 0; head < map.heads; ++head) {
    to = std::ranges::copy(map.OfHead(head), to).out;
  }
  return weights;
}

/// Options of heed_explanation_draw, as of `heed explain`.
struct PictureOptions {
  std::string format = "svg";
  std::string view;
  std::string layer;
  int head = -1;
  std::string rows;
  int step = -1;
  std::string scale = "auto";
  bool words = false;
  int width = 80;
  bool colour = false;

  void Visit(FieldList& v) {
    constexpr double kMost = 1e9;
    v("format", format, OneOf{"svg", "text", "html", "png", "json"},
      "kind of picture; text: for a terminal");
    v("view", view, OneOf(ExplanationViewNames()), "how to draw");
    v("layer", layer, Any{"PATH"}, "attention to draw");
    v("head", head, Range(-1, kMost), "head of it; -1: the mean");
    v("rows", rows, Any{"A:B"}, "rows of it");
    v("step", step, Range(-1, kMost), "part of the answer to draw");
    v("scale", scale, OneOf(ShadeScaleNames()), "weight in full shade");
    v("words", words, "merge sub-words to words");
    v("width", width, Range(20, kMost), "columns of a terminal");
    v("colour", colour, "colours of a terminal");
  }
};

std::string DrawExplanation(const heed_explanation& explanation,
                            const Json& request) {
  PictureOptions o;
  FromJson(o, request, "request");
  const PictureChoice choice = {.view = o.view,
                                .map = o.layer,
                                .head = o.head,
                                .rows = ParseRows(o.rows),
                                .step = o.step,
                                .scale = ParseShadeScale(o.scale),
                                .words = o.words,
                                .methods = explanation.with_methods};
  if (o.format == "text") {
    return TerminalExplanation(explanation.value, choice,
                               {.colour = o.colour, .width = o.width});
  }
  return ExplanationFile(ExplanationFormatOf("." + o.format),
                         {&explanation.value, 1}, choice);
}

}  // namespace

int32_t heed_model_explain(const heed_model* model, const char* request,
                           size_t size, heed_cancel* cancel,
                           heed_explanation** explanation) {
  return Guard([&] {
    heed_explanation*& result = Result(explanation, "explanation");
    result = NewExplanation(Needed(model, "model"),
                            JsonOf(request, size, "request"), FlagOf(cancel))
                 .release();
  });
}

int32_t heed_explanation_json(const heed_explanation* explanation,
                              heed_answer** answer) {
  return Guard([&] {
    heed_answer*& result = Result(answer, "answer");
    result =
        NewAnswer(ExplanationJson(Needed(explanation, "explanation").value));
  });
}

int32_t heed_explanation_attention(const heed_explanation* explanation,
                                   size_t map, heed_array** weights) {
  return Guard([&] {
    heed_array*& result = Result(weights, "weights");
    result = new heed_array(
        WeightsOf(MapAt(Needed(explanation, "explanation").value, map)));
  });
}

int32_t heed_explanation_draw(const heed_explanation* explanation,
                              const char* request, size_t size,
                              heed_answer** answer) {
  return Guard([&] {
    heed_answer*& result = Result(answer, "answer");
    result = new heed_answer{DrawExplanation(Needed(explanation, "explanation"),
                                             JsonOf(request, size, "request"))};
  });
}

void heed_explanation_free(heed_explanation* explanation) {
  delete explanation;
}
