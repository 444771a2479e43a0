#include "heed/serve/api.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "heed/base/errors.h"
#include "heed/base/json.h"
#include "heed/base/text.h"
#include "heed/page/page_files.h"
#include "heed/render/explanation_file.h"
#include "heed/serve/client_address.h"
#include "heed/serve/content_coding.h"
#include "heed/serve/prediction_stream.h"
#include "heed/serve/translation_work.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

// Largest file of the page, in bytes.
constexpr size_t kMaxPageBytes = size_t{1} << 28;
constexpr std::string_view kHtml = "text/html; charset=utf-8";
constexpr std::string_view kPolicy =
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' "
    "data: "
    "blob:; base-uri 'none'; form-action 'self'; frame-ancestors 'self'";

constexpr std::string_view kNoPage = R"(<!doctype html>
<html lang="en"><meta charset="utf-8"><title>heed serve</title>
<meta name="viewport" content="width=device-width">
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:40em;margin:2em auto;padding:0 1em;color-scheme:light dark}</style>
<h1>heed serve</h1>
<p>The server runs, but it was built without its page, which needs Node. The API is
complete: <a href="docs">what it can be asked</a>, <a href="languages">languages</a>,
<a href="models">models</a>, <a href="health">health</a>, <a href="metrics">metrics</a>.</p>
)";

HttpResponse TextResponse(std::string_view type, std::string_view text) {
  HttpResponse response;
  response.body.assign(text);
  response.Set("Content-Type", std::string(type));
  if (type == kHtml) {
    response.Set("Content-Security-Policy", std::string(kPolicy));
  }
  return response;
}

bool TakesGzip(const HttpRequest& request) {
  const std::string_view accepted =
      request.Header("Accept-Encoding").value_or("");
  const size_t at = accepted.find("gzip");
  return at != accepted.npos && !accepted.substr(at + 4).starts_with(";q=0");
}

HttpResponse FileResponse(const PageFile& file, const HttpRequest& request) {
  HttpResponse response;
  const bool same =
      request.Header("If-None-Match").value_or("").find(file.etag) !=
      std::string_view::npos;
  if (same) {
    response.status = 304;
  } else if (TakesGzip(request)) {
    response.body.assign(file.bytes);
    response.Set("Content-Encoding", "gzip");
  } else {
    response.body = Inflate(file.bytes, Compression::kGzip, kMaxPageBytes);
  }
  response.Set("Content-Type", std::string(file.type));
  response.Set("ETag", std::string(file.etag));
  response.Set("Vary", "Accept-Encoding");
  response.Set("Cache-Control", file.path.starts_with("assets/")
                                    ? "public, max-age=31536000, immutable"
                                    : "no-cache");
  if (file.type.starts_with("text/html")) {
    response.Set("Content-Security-Policy", std::string(kPolicy));
  }
  return response;
}

const PageFile* FindFile(std::string_view path) {
  for (const PageFile& file : PageFiles()) {
    if (path.substr(1) == file.path ||
        (path == "/" && file.path == "index.html")) {
      return &file;
    }
  }
  return nullptr;
}

// Methods of an existing path, such as "GET, HEAD, OPTIONS"; "" for other
// paths.
std::string AllowedMethods(std::string_view path) {
  std::string methods;
  for (const Route& route : Routes()) {
    if (route.path != path) continue;
    if (!methods.empty()) methods += ", ";
    methods += route.method;
    if (route.method == "GET") methods += ", HEAD";
  }
  if (methods.empty() && (path == "/" || FindFile(path) != nullptr)) {
    methods = "GET, HEAD";
  }
  return methods.empty() ? "" : methods + ", OPTIONS";
}

const Route* FindRoute(std::string_view method, std::string_view path) {
  for (const Route& route : Routes()) {
    const bool fits =
        route.method == method || (route.method == "GET" && method == "HEAD");
    if (route.path == path && fits) return &route;
  }
  return nullptr;
}

ApiOptions Resolved(ApiOptions options) {
  options.Resolve();
  return options;
}

}  // namespace

void ApiOptions::Visit(FieldList& v) {
  limits.Visit(v);
  v("api_keys", api_keys, Any{"FILE"},
    "file of keys that may translate, detect, predict and explain, one a line; "
    "reloaded when it changes");
  v("explain_memory", explain_memory, Range(0, 1e6),
    "MB of large attention maps to keep for 10 minutes, so that the page can "
    "read parts of them; 0: none");
  v("require_api_key", require_api_key,
    "with --api-keys: refuse clients without a key; no: serve them within "
    "--requests-per-minute, as LibreTranslate does by default (wrong keys are "
    "always refused)");
  v("requests_per_minute", requests_per_minute, Range(0, 1e9),
    "maximum requests per minute of a client (key or address); a batch of n "
    "texts counts as n; more are answered with 429; 0: no limit; limit=N on a "
    "line of --api-keys sets it for that key");
  v("failed_keys_per_minute", failed_keys_per_minute, Range(0, 1e9),
    "maximum wrong keys per minute from an address; more are answered with "
    "429; 0: no limit");
  v("trust_proxy", trust_proxy,
    "take the client's address from the last entry of the last "
    "X-Forwarded-For");
  v("metrics_access", metrics_access,
    "clients that may read /metrics: everyone, those with a key, or only this "
    "machine (without proxies on it)");
  v("models_access", models_access, "clients that may read /models");
  v("cors", cors, Any{"ORIGIN"},
    "origin of web pages that may use the API: *, one origin, or 'none'; * "
    "excludes /metrics and /models");
  v("base_path", base_path, Any{"PATH"},
    "serve also below this path, such as /mt, for a proxy that keeps it in "
    "requests");
}

void ApiOptions::Resolve() {
  std::string path = base_path;
  while (path.ends_with('/')) path.pop_back();
  if (!path.empty() && !path.starts_with('/')) path.insert(0, "/");
  const bool plain = std::ranges::all_of(path, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') ||
           std::string_view("/-._~").find(c) != std::string_view::npos;
  });
  // Rejects empty parts and parts that browsers resolve: "//", "/./", "/../".
  const std::string parts = path + "/";
  const bool resolved = parts.find("//") == parts.npos &&
                        parts.find("/./") == parts.npos &&
                        parts.find("/../") == parts.npos;
  if (!path.empty() && (!plain || !resolved)) {
    throw ConfigError(
        "base_path '{}' is not a plain path; write it as /mt, without escapes "
        "and parameters",
        base_path);
  }
  base_path = path;
}

std::string_view ApiOptions::RouteOf(std::string_view path) const {
  if (base_path.empty() || !path.starts_with(base_path)) return path;
  const std::string_view rest = path.substr(base_path.size());
  return rest.empty() || rest.starts_with('/') ? rest : path;
}

NamedValues ApiOptions::HeadersFor(std::string_view path) const {
  NamedValues headers = {{"X-Content-Type-Options", "nosniff"},
                         {"Referrer-Policy", "no-referrer"}};
  if (cors == "none") return headers;
  const std::string_view route = RouteOf(path);
  const bool about_server = route == "/metrics" || route == "/models";
  if (about_server && cors == "*") return headers;
  headers.emplace_back("Access-Control-Allow-Origin", cors);
  headers.emplace_back("Access-Control-Allow-Headers",
                       "Authorization, Content-Type");
  headers.emplace_back("Access-Control-Allow-Methods", "GET, POST");
  headers.emplace_back("Access-Control-Max-Age", "1728000");
  if (cors != "*") headers.emplace_back("Vary", "Origin");
  return headers;
}

Api::Api(Engine& engine, const ApiOptions& options, ServerMetrics& metrics)
    : engine_(engine),
      options_(Resolved(options)),
      metrics_(metrics),
      keys_(options.api_keys),
      maps_(std::make_shared<KeptMaps>(int64_t{options.explain_memory} << 20)) {
  for (const Access access :
       {options.metrics_access.value(), options.models_access.value()}) {
    if (access == Access::kKeys && !keys_.used()) {
      throw ConfigError("access 'keys' needs --api-keys");
    }
  }
}

void Api::Handle(const ExchangePtr& exchange) {
  const HttpRequest& request = exchange->request();
  const std::string_view path = options_.RouteOf(request.path);
  if (path.empty()) {  // its links are relative
    HttpResponse response;
    response.status = 308;
    response.Set("Location", options_.base_path + "/");
    return exchange->Send(std::move(response));
  }
  const std::string allowed = AllowedMethods(path);
  if (request.method == "OPTIONS" && (path == "*" || !allowed.empty())) {
    HttpResponse response;
    response.status = 204;
    response.Set("Allow", path == "*" ? "GET, HEAD, POST, OPTIONS" : allowed);
    return exchange->Send(std::move(response));
  }
  const Route* route = FindRoute(request.method, path);
  const bool reads = request.method == "GET" || request.method == "HEAD";
  if (route == nullptr && reads) {
    if (const PageFile* file = FindFile(path)) {
      exchange->SetRoute("page");
      return exchange->Later([exchange, file] {
        exchange->Send(FileResponse(*file, exchange->request()));
      });
    }
    if (path == "/") {
      exchange->SetRoute("page");
      return exchange->Send(TextResponse(kHtml, kNoPage));
    }
  }
  if (reads && path.starts_with("/download_file/")) {
    throw HttpError(400, "Files translation are disabled on this server.");
  }
  if (route == nullptr && allowed.empty()) {
    throw HttpError(404, "no such path; /docs describes the API");
  }
  if (route == nullptr) {
    throw HttpError(405, fmt::format("{} is asked for with {}", path, allowed),
                    {{"Allow", allowed}});
  }
  exchange->SetRoute(route->path);
  // Health checks of orchestrators never wait in the queue of the workers.
  if (path == "/health" || path == "/ready") return AnswerRoute(exchange, path);
  exchange->Later(
      [this, exchange, route] { AnswerRoute(exchange, route->path); });
}

void Api::AnswerRoute(const ExchangePtr& exchange, std::string_view path) {
  const auto send_json = [&](const Json& json) {
    exchange->Send(JsonResponse(DumpJson(json)));
  };
  if (path == "/translate") return Translate(exchange);
  if (path == "/detect") return Detect(exchange);
  if (path == "/predict") return Predict(exchange);
  if (path == "/explain") return Explain(exchange);
  if (path == "/explain/tile") return ExplainTile(exchange);
  if (path == "/suggest") {
    throw HttpError(403, "Suggestions are disabled on this server.");
  }
  if (path == "/translate_file") {
    throw HttpError(403, "Files translation are disabled on this server.");
  }
  if (path == "/health") return send_json({{"status", "ok"}});
  if (path == "/ready") return exchange->Send(Readiness());
  if (path == "/languages") return send_json(Languages());
  if (path == "/models") {
    CheckAccess(exchange->request(), options_.models_access);
    return send_json(Models());
  }
  if (path == "/frontend/settings") return send_json(FrontendSettings());
  if (path == "/docs")
    return exchange->Send(TextResponse(kHtml, DocsPage(options_.base_path)));
  if (path == "/metrics") {
    CheckAccess(exchange->request(), options_.metrics_access);
    return exchange->Send(TextResponse(
        "text/plain; version=0.0.4; charset=utf-8", MetricsText()));
  }
  exchange->Send(
      JsonResponse(OpenApi(options_.base_path)));  // /openapi.json and /spec
}

std::string Api::ClientAddress(const HttpRequest& request) const {
  return ClientNetwork(options_.trust_proxy ? ForwardedClient(request)
                                            : request.client);
}

void Api::Charge(const Client& client, int64_t requests) {
  const int seconds = limiter_.Count(client.name, requests, client.per_minute);
  if (seconds == 0) return;
  throw HttpError(429,
                  fmt::format("Slowdown: {} per 1 minute", client.per_minute),
                  {{"Retry-After", std::to_string(seconds)}});
}

// Status codes follow LibreTranslate: 400 for a missing key, 403 for a wrong
// one. After too many wrong keys every key is refused, so that a client cannot
// guess one.
Api::Client Api::Authenticate(const std::string& address,
                              const std::string& key) {
  Client anybody = {address, options_.requests_per_minute};
  if (!keys_.used()) return anybody;
  if (key.empty()) {
    if (!options_.require_api_key) return anybody;
    throw HttpError(400,
                    "Please contact the server operator to get an API key");
  }
  const int max = options_.failed_keys_per_minute;
  if (const int seconds = failed_keys_.SecondsToWait(address, max)) {
    throw HttpError(429,
                    fmt::format("more than {} wrong API keys in a minute", max),
                    {{"Retry-After", std::to_string(seconds)}});
  }
  const std::optional<ApiKey> known = keys_.Find(key);
  if (!known) {
    failed_keys_.Count(address, 1, max);
    throw HttpError(403, "Invalid API key");
  }
  return {key, known->per_minute.value_or(options_.requests_per_minute)};
}

// Throws: HttpError if the request does not have this access.
void Api::CheckAccess(const HttpRequest& request, Access access) {
  if (access == Access::kKeys) {
    const std::string key = ApiKeyOf(request);
    if (key.empty()) throw HttpError(400, request.path + " needs an API key");
    Authenticate(ClientAddress(request), key);
  }
  if (access == Access::kLocal && !IsLocal(request)) {
    throw HttpError(403, request.path + " is for the server's own machine");
  }
}

// Without a key in the head, the body is read because it may hold the key. With
// a wrong key in the head, the request is refused before its body is read.
Api::AdmittedRequest Api::Admit(const HttpRequest& request) {
  const std::string address = ClientAddress(request);
  const std::string key = ApiKeyOf(request);
  if (keys_.used() && key.empty()) {
    Json parameters = ParametersOf(request);
    const Client client = Authenticate(address, ApiKeyIn(parameters));
    Charge(client, 1);
    return {std::move(parameters), client};
  }
  const Client client = Authenticate(address, key);
  Charge(client, 1);
  return {ParametersOf(request), client};
}

void Api::Translate(const ExchangePtr& exchange) {
  const AdmittedRequest admitted = Admit(exchange->request());
  TranslateCall call = ParseTranslate(admitted.parameters, options_.limits);
  Charge(admitted.client, std::ssize(call.texts) - 1);
  call.stream =
      call.stream || Accepts(exchange->request(), "text/event-stream");
  std::make_shared<TranslationWork>(exchange, std::move(call),
                                    admitted.client.name)
      ->Start(engine_);
}

void Api::Detect(const ExchangePtr& exchange) {
  const AdmittedRequest admitted = Admit(exchange->request());
  const DetectCall call = ParseDetect(admitted.parameters, options_.limits);
  Charge(admitted.client, std::ssize(call.texts) - 1);
  DetectLanguages(
      engine_, call.texts, CancellationOf(exchange),
      [exchange](const std::vector<Detection>& found) {
        Json list = Json::array();
        for (const Detection& detection : found) {
          list.push_back({{"confidence", detection.confidence},
                          {"language", detection.language}});
        }
        exchange->Send(JsonResponse(DumpJson(list)));
      },
      [exchange](const std::exception_ptr& error) {
        exchange->Send(ErrorResponse(error));
      });
}

ModelQueue& Api::QueueOf(const std::string& name) const {
  if (name.empty() && engine_.queues().size() == 1) {
    return *engine_.queues().front();
  }
  std::vector<std::string> names;
  for (const auto& queue : engine_.queues()) {
    names.push_back(queue->model()->name());
  }
  if (name.empty()) {
    throw HttpError(400,
                    "Invalid request: missing model parameter "
                    "(there are: {})",
                    fmt::join(names, ", "));
  }
  ModelQueue* queue = engine_.Find(name);
  if (queue == nullptr) {
    throw HttpError(400, "no model is called '{}'{} (there are: {})", name,
                    DidYouMean(name, names), fmt::join(names, ", "));
  }
  return *queue;
}

void Api::Predict(const ExchangePtr& exchange) {
  const AdmittedRequest admitted = Admit(exchange->request());
  ModelQueue& queue = QueueOf(ModelOf(admitted.parameters));
  const auto model = queue.model();
  ModelCall call = ParsePredict(admitted.parameters, model->input(),
                                model->LimitsOf(options_.limits));
  Charge(admitted.client, std::ssize(call.inputs) - 1);
  Job job;
  job.options = model->CheckedOptions(call.options, options_.limits);
  job.inputs = std::move(call.inputs);
  job.client = admitted.client.name;
  job.seconds = model->PredictionSeconds(job.inputs, job.options);
  job.cancellation = CancellationOf(exchange);
  std::shared_ptr<PredictionStream> stream;
  if (call.stream || Accepts(exchange->request(), "text/event-stream")) {
    stream = std::make_shared<PredictionStream>(exchange);
    job.observer = [stream](size_t input, const WrittenAnswer& written) {
      stream->Show(input, written);
    };
  }
  job.failed = [exchange, stream](const std::exception_ptr& error) {
    if (stream != nullptr) return stream->Fail(error);
    exchange->Send(ErrorResponse(error));
  };
  job.predicted = [exchange, stream, failed = job.failed, batch = call.batch,
                   unread = call.unread](const ServedModel& served,
                                         std::vector<heed::Answer> all) {
    for (const auto& [place, why] : unread) {
      all.insert(all.begin() + static_cast<int64_t>(place), {"", {}, why});
    }
    if (!batch && HasFailed(all.front())) {
      return failed(CauseOf(all.front()));
    }
    const Json answers = PredictionJson(served, all, batch);
    if (stream != nullptr) return stream->Finish("done", answers);
    exchange->Send(JsonResponse(DumpJson(answers)));
  };
  if (job.inputs.empty()) return job.predicted(*model, {});
  queue.Submit(std::move(job));
}

Json Api::Languages() const {
  std::map<std::string, std::set<std::string>> targets;
  for (const auto& queue : engine_.queues()) {
    const auto model = queue->model();
    if (!model->translates()) continue;
    const std::string& source = model->languages().source;
    targets.try_emplace(source);
    for (const std::string& target : model->targets()) {
      targets.try_emplace(target);
      if (target != source) targets[source].insert(target);
    }
  }
  Json list = Json::array();
  for (const auto& [code, of_code] : targets) {
    list.push_back(
        {{"code", code}, {"name", LanguageName(code)}, {"targets", of_code}});
  }
  return list;
}

Json Api::Models() const {
  Json models = Json::array();
  for (const auto& queue : engine_.queues()) {
    const auto served = queue->model();
    Json model = served->description();
    const int max =
        served->LimitsOf(options_.limits).MaxExplained(served->translates());
    if (max > 0) model["limits"] = {{"explain", max}};
    model["queue"] = queue->depth();
    models.push_back(std::move(model));
  }
  return {{"models", models}};
}

Json Api::FrontendSettings() const {
  LanguagePair pair = {"auto", ""};
  for (const auto& queue : engine_.queues()) {
    const auto model = queue->model();
    if (!model->translates()) continue;
    pair = model->languages();
    break;
  }
  const auto language = [](const std::string& code) {
    return Json{{"code", code}, {"name", LanguageName(code)}};
  };
  const int limit = options_.limits.char_limit;
  return {
      {"charLimit", limit == 0 ? -1 : limit},
      {"frontendTimeout", 500},
      {"apiKeys", keys_.used()},
      {"keyRequired", keys_.used() && options_.require_api_key},
      {"suggestions", false},
      {"filesTranslation", false},
      {"supportedFilesFormat", Json::array()},
      {"language",
       {{"source", language(pair.source)}, {"target", language(pair.target)}}}};
}

HttpResponse Api::Readiness() const {
  std::string status = "ready";
  for (const auto& queue : engine_.queues()) {
    if (queue->full())
      status = "the queue of " + queue->model()->name() + " is full";
  }
  if (draining_) status = "draining";
  HttpResponse response = JsonResponse(DumpJson({{"status", status}}));
  if (status != "ready") response.status = 503;
  return response;
}

std::string Api::MetricsText() const {
  std::vector<Gauge> gauges;
  if (more_gauges_) gauges = more_gauges_();
  std::vector<Gauge> parameters;
  for (const auto& queue : engine_.queues()) {
    const auto model = queue->model();
    const std::string label =
        fmt::format("model=\"{}\"", LabelValue(model->name()));
    gauges.push_back({"heed_queue_depth",
                      "Requests that wait for a model or are worked on.", label,
                      static_cast<double>(queue->depth())});
    parameters.push_back(
        {"heed_model_parameters", "Size of a model.",
         fmt::format("{},task=\"{}\"", label, model->task().name),
         model->description().at("parameters").get<double>()});
  }
  gauges.insert(gauges.end(), parameters.begin(), parameters.end());
  return metrics_.Text(gauges);
}

}  // namespace heed
