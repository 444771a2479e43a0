#include <algorithm>
#include <memory>

#include "heed/base/json.h"
#include "heed/render/explanation_file.h"
#include "heed/serve/api.h"

namespace heed {
namespace {

/// Keeps the large maps of an explanation for a client. Returns how its JSON
/// describes them: with tiles, or with the largest weights if they could not be
/// kept.
ExplanationJsonOptions Keep(KeptMaps& maps, const std::string& client,
                            const Explanation& explanation) {
  constexpr int64_t kThumbnail = 64;
  const std::string id = maps.Keep(client, explanation);
  if (id.empty()) return {};
  return {.pooled = kThumbnail, .top = false, .tiles = "explain/tile?id=" + id};
}

}  // namespace

Explanation ExplainCalled(const ServedModel& served, const ExplainCall& call,
                          const RequestLimits& limits,
                          const Cancellation* cancellation) {
  ExplainRequest request;
  request.input = {.given = call.input,
                   .answer = call.answer,
                   .contrast = call.contrast,
                   .max_characters = limits.MaxExplained(served.translates())};
  request.attribution = call.attribution;
  request.panels_of = call.layer;
  request.max_rows = limits.max_rows;
  request.pictures = std::ranges::any_of(call.views, NeedsVectors);
  request.cancellation = cancellation;
  Explanation explanation = served.Explain(request, call.target);
  if (!call.head) return explanation;
  for (ExplanationSegment& segment : explanation.segments) {
    std::erase_if(segment.panels, [&](const AttentionPanels& panels) {
      return panels.head != *call.head;
    });
    if (segment.panels.empty()) {
      throw HttpError(400, "'{}' has no head {}", call.layer, *call.head);
    }
  }
  return explanation;
}

void Api::Explain(const ExchangePtr& exchange) {
  const AdmittedRequest admitted = Admit(exchange->request());
  ModelQueue& queue = QueueOf(ModelOf(admitted.parameters));
  const auto model = queue.model();
  const RequestLimits limits = model->LimitsOf(options_.limits);
  const ExplainCall call = ParseExplain(admitted.parameters, model->input(),
                                        limits, model->translates());
  Job job;
  job.client = admitted.client.name;
  job.seconds = model->ExplanationSeconds(call.input, call.attribution);
  job.cancellation = CancellationOf(exchange);
  job.run = [exchange, call, limits, maps = maps_,
             client = admitted.client.name](const ServedModel& served,
                                            const Cancellation& cancellation) {
    const auto explanation = std::make_shared<Explanation>(
        ExplainCalled(served, call, limits, &cancellation));
    return [exchange, explanation, call, maps, client] {
      exchange->Send(
          JsonResponse(DumpJson(PageJson(*explanation, call.views, call.scale,
                                         Keep(*maps, client, *explanation)))));
    };
  };
  job.failed = [exchange](const std::exception_ptr& error) {
    exchange->Send(ErrorResponse(error));
  };
  queue.Submit(std::move(job));
}

void Api::ExplainTile(const ExchangePtr& exchange) {
  const AdmittedRequest admitted = Admit(exchange->request());
  const TileCall call = ParseTile(admitted.parameters);
  const AttentionMap map = maps_->Find(admitted.client.name, call);
  exchange->Send(JsonResponse(DumpJson(TileJson(map, call))));
}

}  // namespace heed
