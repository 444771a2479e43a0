// Explanations of heed.h.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "apps/libheed/array.h"
#include "apps/libheed/model.h"
#include "apps/libheed/picture.h"
#include "heed/base/config.h"
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
    const heed_explanation& of = Needed(explanation, "explanation");
    DrawRequest options;
    FromJson(options, JsonOf(request, size, "request"), "request");
    result = new heed_answer{Draw(of.value, options, of.with_methods)};
  });
}

void heed_explanation_free(heed_explanation* explanation) {
  delete explanation;
}
