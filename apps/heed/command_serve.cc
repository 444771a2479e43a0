// heed serve: HTTP server for models.
#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <utility>

#include "apps/heed/commands.h"
#include "apps/heed/program.h"
#include "apps/heed/tasks.h"
#include "heed/base/threads.h"
#include "heed/serve/service.h"
#include "heed/serve/service_manager.h"
#include "heed/tensor/pool_limit.h"

namespace heed {
namespace {

// Maximum bytes of pooled buffers that no computation uses.
constexpr int64_t kMaxIdleBytes = int64_t{256} << 20;

}  // namespace

int RunServe(const Arguments& arguments) {
  std::vector<std::string> folders;
  ServiceOptions service_options;
  std::string level = "info";
  RunOptions run;
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
  service_options.Visit(fields);
  fields.Section("Run");
  run.Visit(fields);
  fields("log_level", level, OneOf{"debug", "info", "warning", "error", "off"},
         "lowest level that is logged on standard error, as JSON lines");
  options.Example("heed serve model --port 5000");
  options.Example("heed serve de-en=models/a en-de=models/b tags=models/c");
  options.Example(
      "curl -d q=Hallo -d source=de -d target=en localhost:5000/translate");
  if (!options.Parse(arguments)) return 0;

  service_options.engine.dtype = run.dtype;
  service_options.engine.activations = run.activations;
  const ThreadLimit limit(run.threads);
  pool::KeepAtMost(kMaxIdleBytes);
  std::vector<ModelSpec> specs;
  for (const std::string& folder : folders) {
    specs.push_back(ParseModelSpec(folder));
  }
  Log log(ParseLogLevel(level));
  const ServiceManager manager;
  // The server must survive the end of the program that reads its logs.
  std::signal(SIGPIPE, SIG_IGN);
  Service service(std::move(specs), service_options, log);
  HttpServer& server = service.server();
  server.OnHangUp([&] {
    manager.Reloading();
    service.engine().Reload([&manager] { manager.Ready(); });
  });
  server.OnDrain([&] { service.api().Drain(); });
  server.OnStop([&] { manager.Stopping(); });
  if (const auto time = manager.alive_every()) {
    server.Every(*time, [&manager] { manager.Alive(); });
  }
  server.OnStart([&] {
    // For people and scripts that wait for this line; errors are ignored.
    std::fputs(fmt::format("{} serves on {}\n", ProgramName(), server.address())
                   .c_str(),
               stdout);
    std::fflush(stdout);
    manager.Ready();
  });
  server.Run();
  return 0;
}

}  // namespace heed
