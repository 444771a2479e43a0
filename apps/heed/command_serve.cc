// heed serve: HTTP server for models.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "apps/heed/commands.h"
#include "apps/heed/program.h"
#include "apps/heed/tasks.h"
#include "heed/base/threads.h"
#include "heed/serve/api.h"
#include "heed/serve/engine.h"
#include "heed/serve/idle_memory.h"
#include "heed/serve/server.h"
#include "heed/serve/service_manager.h"
#include "heed/tensor/pool_limit.h"

namespace heed {
namespace {

// Maximum bytes of pooled buffers that no computation uses.
constexpr int64_t kMaxIdleBytes = int64_t{256} << 20;

}  // namespace

int RunServe(const Arguments& arguments) {
  std::vector<std::string> folders;
  ServerOptions server_options;
  EngineOptions engine_options;
  ApiOptions api_options;
  std::string level = "info";
  int threads = 0;
  Options options(
      "serve",
      "Serves models over HTTP: translators under LibreTranslate's API, models "
      "of all tasks by /predict and /explain, a page at /, the API's "
      "description at /docs, metrics at /metrics. SIGHUP reloads the models; "
      "SIGTERM stops the server after it has answered all accepted requests.");
  options.Positionals("DIR", folders,
                      "model folder; NAME=DIR names the model, de-en=DIR sets "
                      "the languages of a translator");
  FieldList& fields = options.fields();
  fields.Section("Network");
  server_options.Visit(fields);
  fields.Section("Limits and access");
  api_options.Visit(fields);
  fields.Section("Translation");
  engine_options.search.Visit(fields);
  fields.Section("Batches");
  engine_options.Visit(fields);
  fields.Section("Run");
  VisitDtype(fields, engine_options.dtype);
  fields("threads", threads, Range(0, 1024), "threads; 0: one per core");
  fields("log_level", level, OneOf{"debug", "info", "warning", "error", "off"},
         "lowest level that is logged on standard error, as JSON lines");
  options.Example("heed serve model --port 5000");
  options.Example("heed serve de-en=models/a en-de=models/b tags=models/c");
  options.Example(
      "curl -d q=Hallo -d source=de -d target=en localhost:5000/translate");
  if (!options.Parse(arguments)) return 0;

  const ThreadLimit limit(threads);
  pool::KeepAtMost(kMaxIdleBytes);
  std::vector<ModelSpec> specs;
  for (const std::string& folder : folders) {
    specs.push_back(ParseModelSpec(folder));
  }
  Log log(ParseLogLevel(level));
  ServerMetrics metrics;
  api_options.Resolve();
  server_options.headers = [&api_options](std::string_view path) {
    return api_options.HeadersFor(path);
  };
  const ServiceManager service;
  // The server must survive the end of the program that reads its logs.
  std::signal(SIGPIPE, SIG_IGN);
  // Listens before models are read, to report a port in use early.
  Api* handler = nullptr;
  HttpServer server(
      server_options,
      [&handler](const std::shared_ptr<Exchange>& exchange) {
        handler->Handle(exchange);
      },
      log, metrics);
  engine_options.job_seconds = server_options.request_timeout;
  Engine engine(std::move(specs), engine_options, log, metrics);
  Api api(engine, api_options, metrics);
  handler = &api;
  api.AddGauges([&] {
    return std::vector<Gauge>{{"heed_connections", "Open connections.", "",
                               static_cast<double>(server.connections())},
                              {"heed_longest_event_seconds",
                               "Most processor time that one event took of the "
                               "thread of all sockets.",
                               "", server.longest_event()}};
  });
  const IdleMemory idle_memory([&engine] {
    return std::ranges::all_of(
        engine.queues(), [](const auto& queue) { return queue->depth() == 0; });
  });
  server.OnHangUp([&] {
    service.Reloading();
    engine.Reload([&service] { service.Ready(); });
  });
  server.OnDrain([&] { api.Drain(); });
  server.OnStop([&] { service.Stopping(); });
  if (const auto time = service.alive_every()) {
    server.Every(*time, [&service] { service.Alive(); });
  }
  server.OnStart([&] {
    // For people and scripts that wait for this line; errors are ignored.
    std::fputs(fmt::format("{} serves on {}\n", ProgramName(), server.address())
                   .c_str(),
               stdout);
    std::fflush(stdout);
    service.Ready();
  });
  server.Run();
  return 0;
}

}  // namespace heed
