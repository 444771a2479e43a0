#include "heed/serve/service.h"

#include <algorithm>
#include <utility>

namespace heed {

void ServiceOptions::Visit(FieldList& v) {
  v.Section("Network");
  server.Visit(v);
  v.Section("Limits and access");
  api.Visit(v);
  v.Section("Translation");
  engine.search.Visit(v);
  v.Section("Batches");
  engine.Visit(v);
}

Service::Service(std::vector<ModelSpec> specs, const ServiceOptions& options,
                 Log& log)
    : options_(options) {
  options_.api.Resolve();
  options_.server.headers = [this](std::string_view path) {
    return options_.api.HeadersFor(path);
  };
  options_.engine.job_seconds = options_.server.request_timeout;
  // Listens before models are read, to report a port in use early.
  server_ = std::make_unique<HttpServer>(
      options_.server,
      [this](const std::shared_ptr<Exchange>& exchange) {
        api_->Handle(exchange);
      },
      log, metrics_);
  engine_ = std::make_unique<Engine>(std::move(specs), options_.engine, log,
                                     metrics_);
  api_ = std::make_unique<Api>(*engine_, options_.api, metrics_);
  api_->AddGauges([this] {
    return std::vector<Gauge>{{"heed_connections", "Open connections.", "",
                               static_cast<double>(server_->connections())},
                              {"heed_longest_event_seconds",
                               "Most processor time that one event took of the "
                               "thread of all sockets.",
                               "", server_->longest_event()}};
  });
  idle_memory_ = std::make_unique<IdleMemory>([this] {
    return std::ranges::all_of(engine_->queues(), [](const auto& queue) {
      return queue->depth() == 0;
    });
  });
}

}  // namespace heed
