// Routes of the server.
#ifndef HEED_SERVE_API_H_
#define HEED_SERVE_API_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "heed/serve/api_keys.h"
#include "heed/serve/detect.h"
#include "heed/serve/engine.h"
#include "heed/serve/kept_maps.h"
#include "heed/serve/request.h"
#include "heed/serve/server.h"

namespace heed {

/// Clients that may read a path: all, those with an API key, or those on the
/// server's own machine.
enum class Access : uint8_t { kEveryone, kKeys, kLocal };
constexpr auto WordsOf(Access) {
  return std::array{"everyone", "keys", "local"};
}

struct ApiOptions {
  RequestLimits limits;
  int explain_memory = 512;  // MB
  std::string api_keys;
  bool require_api_key = true;
  int requests_per_minute = 0;
  int failed_keys_per_minute = 20;
  bool trust_proxy = false;
  Named<Access> metrics_access = Access::kLocal;
  Named<Access> models_access = Access::kEveryone;
  std::string cors = "*";
  std::string base_path;  ///< "/mt", or empty

  void Visit(FieldList& v);
  /// Writes base_path in its usual form. Throws: ConfigError.
  void Resolve();
  /// Headers of all responses to requests of a path.
  NamedValues HeadersFor(std::string_view path) const;
  /// A path without base_path; empty for base_path itself. Other paths are
  /// unchanged.
  std::string_view RouteOf(std::string_view path) const;
};

/// Explains an input as POST /explain does. `limits`: those of the model.
/// Throws: HttpError for a head that does not exist; as heed::Explain.
Explanation ExplainCalled(const ServedModel& served, const ExplainCall& call,
                          const RequestLimits& limits,
                          const Cancellation* cancellation);

/// A parameter of a route, for the description of the API.
struct RouteParameter {
  std::string_view name;
  std::string_view type;  ///< "string", "texts", "integer", "boolean"
  bool required;
  std::string_view description;
};

struct Route {
  std::string_view method;  ///< GET (and HEAD) or POST
  std::string_view path;
  std::string_view summary;
  std::string_view answer;  ///< what the response contains, in words
  std::vector<RouteParameter> parameters;
  std::string_view example;  ///< of a request body
};

/// All routes, for documentation. Files of the web page are not routes.
const std::vector<Route>& Routes();

/// OpenAPI 3 description of Routes() as JSON, with paths below `base_path`.
std::string OpenApi(const std::string& base_path);
/// API description as an HTML page without external resources.
std::string DocsPage(const std::string& base_path);

/// Answers requests. Thread-safe. The engine and the metrics must outlive it.
class Api {
 public:
  /// Throws: IoError, ConfigError if the key file cannot be used, or is missing
  /// although an access option requires keys.
  Api(Engine& engine, const ApiOptions& options, ServerMetrics& metrics);

  /// Answers one request; see Handler.
  void Handle(const std::shared_ptr<Exchange>& exchange);
  /// Makes /ready report "draining" from now on. Thread-safe.
  void Drain() { draining_ = true; }
  /// Adds a source of gauges to /metrics.
  void AddGauges(std::function<std::vector<Gauge>()> gauges) {
    more_gauges_ = std::move(gauges);
  }

 private:
  using Json = nlohmann::ordered_json;
  using ExchangePtr = std::shared_ptr<Exchange>;
  /// Account that requests are counted for.
  struct Client {
    std::string name;  ///< an API key, or the network of a client
    int per_minute;
  };
  /// A request that passed the key check and the rate limit.
  struct AdmittedRequest {
    Json parameters;
    Client client;
  };

  void Answer(const ExchangePtr& exchange);
  void AnswerRoute(const ExchangePtr& exchange, std::string_view path);
  std::string ClientAddress(const HttpRequest& request) const;
  Client Authenticate(const std::string& address, const std::string& key);
  void CheckAccess(const HttpRequest& request, Access access);
  void Charge(const Client& client, int64_t requests);
  AdmittedRequest Admit(const HttpRequest& request);

  void Translate(const ExchangePtr& exchange);
  void Detect(const ExchangePtr& exchange);
  void Predict(const ExchangePtr& exchange);
  void Explain(const ExchangePtr& exchange);
  void ExplainTile(const ExchangePtr& exchange);
  ModelQueue& QueueOf(const std::string& name) const;
  Json Languages() const;
  Json Models() const;
  Json FrontendSettings() const;
  HttpResponse Readiness() const;
  std::string MetricsText() const;

  Engine& engine_;
  const ApiOptions options_;
  ServerMetrics& metrics_;
  ApiKeys keys_;
  RequestLimiter limiter_;
  RequestLimiter failed_keys_;
  /// Shared with explanations that are computed.
  const std::shared_ptr<KeptMaps> maps_;
  std::function<std::vector<Gauge>()> more_gauges_;
  std::atomic<bool> draining_ = false;
};

}  // namespace heed

#endif  // HEED_SERVE_API_H_
