// heed serve: models over HTTP.
#include <fmt/format.h>

#include <cstdio>

#include "apps/heed/commands.h"
#include "apps/heed/tasks.h"
#include "heed/base/threads.h"
#include "heed/serve/api.h"
#include "heed/serve/engine.h"
#include "heed/serve/server.h"

namespace heed {

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
      "description "
      "at /docs, metrics at /metrics. SIGHUP reads the models again; SIGTERM "
      "ends it once what was accepted is answered.");
  options.Positionals(
      "DIR", folders,
      "model folder; of a translator also de-en=DIR, which says "
      "its languages");
  FieldList& fields = options.fields();
  fields.Section("Network");
  server_options.Visit(fields);
  fields.Section("Who may ask for what");
  api_options.Visit(fields);
  fields.Section("Translation");
  engine_options.search.Visit(fields);
  fields.Section("Batches");
  engine_options.Visit(fields);
  fields.Section("Run");
  VisitDtype(fields, engine_options.dtype);
  fields("threads", threads, Range(0, 1024), "threads; 0: one per core");
  fields("log_level", level, OneOf{"debug", "info", "warning", "error", "off"},
         "least level of what is logged on standard error, as JSON lines");
  options.Example("heed serve model --port 5000");
  options.Example("heed serve de-en=models/a en-de=models/b tagger");
  options.Example(
      "curl -d q=Hallo -d source=de -d target=en localhost:5000/translate");
  if (!options.Parse(arguments)) return 0;

  const ThreadLimit limit(threads);
  std::vector<ModelSpec> specs;
  for (const std::string& folder : folders) {
    specs.push_back(ParseModelSpec(folder));
  }
  Log log(ParseLogLevel(level));
  ServerMetrics metrics;
  server_options.headers = api_options.CommonHeaders();
  // Listens first, so that a port that is taken is told before models are read.
  Api* handler = nullptr;
  HttpServer server(
      server_options,
      [&handler](const std::shared_ptr<Exchange>& exchange) {
        handler->Handle(exchange);
      },
      log, metrics);
  Engine engine(std::move(specs), engine_options, log, metrics);
  Api api(engine, api_options, metrics);
  handler = &api;
  api.CountConnections([&] { return server.connections(); });
  server.OnHangUp([&] { engine.Reload(); });
  // For people and scripts that wait for it.
  fmt::print("heed serves on http://{}:{}/\n",
             server_options.host.find(':') == std::string::npos
                 ? server_options.host
                 : "[" + server_options.host + "]",
             server.port());
  std::fflush(stdout);
  server.Run();
  return 0;
}

}  // namespace heed
