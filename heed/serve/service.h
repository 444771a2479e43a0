// A server with its models and its API.
#ifndef HEED_SERVE_SERVICE_H_
#define HEED_SERVE_SERVICE_H_

#include <memory>
#include <string>
#include <vector>

#include "heed/serve/api.h"
#include "heed/serve/engine.h"
#include "heed/serve/idle_memory.h"
#include "heed/serve/server.h"

namespace heed {

/// Options of `heed serve` about clients, models and answers.
struct ServiceOptions {
  ServerOptions server;
  ApiOptions api;
  EngineOptions engine;

  void Visit(FieldList& v);
};

/// An HTTP server that answers for models.
class Service {
 public:
  /// Listens, then reads the models. `log` must outlive the service. Throws: as
  /// HttpServer, Engine and Api.
  Service(std::vector<ModelSpec> specs, const ServiceOptions& options,
          Log& log);

  HttpServer& server() { return *server_; }
  Engine& engine() { return *engine_; }
  Api& api() { return *api_; }

 private:
  ServiceOptions options_;
  ServerMetrics metrics_;
  std::unique_ptr<HttpServer> server_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Api> api_;
  std::unique_ptr<IdleMemory> idle_memory_;
};

}  // namespace heed

#endif  // HEED_SERVE_SERVICE_H_
