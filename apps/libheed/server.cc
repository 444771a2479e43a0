// Servers of heed.h.
#include <unistd.h>

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "apps/libheed/guard.h"
#include "heed/base/config.h"
#include "heed/serve/service.h"

using namespace heed;     // NOLINT: functions of C have no namespace
using namespace heed::c;  // NOLINT

struct heed_server {
  pid_t process = getpid();
  heed::Log log;
  Service service;
  std::string address;
  std::jthread thread;

  heed_server(std::vector<ModelSpec> specs, const ServiceOptions& options)
      : log(LogLevel::kOff),
        service(std::move(specs), options, this->log),
        address(service.server().address()),
        thread([this] { service.server().Run(); }) {}
  ~heed_server() { service.server().Stop(); }
};

namespace {

/// Options of heed_server_start.
struct StartOptions : ServiceOptions {
  std::vector<std::string> models;

  void Visit(FieldList& v) {
    v("models", models, Any{"FOLDERS"}, "model folders");
    ServiceOptions::Visit(v);
    v("dtype", engine.dtype, "number format of matrix products");
    v("activations", engine.activations, "scale of int8 activations");
  }
};

}  // namespace

int32_t heed_server_start(const char* options, size_t size,
                          heed_server** server) {
  return Guard([&] {
    heed_server*& result = Result(server, "server");
    StartOptions chosen;
    chosen.server.port = 0;
    chosen.server.handle_signals = false;
    FromJson(chosen, JsonOf(options, size, "options"), "options");
    if (chosen.models.empty()) throw ConfigError("options: models is needed");
    std::vector<ModelSpec> specs;
    for (const std::string& model : chosen.models) {
      specs.push_back(ParseModelSpec(model));
    }
    result = new heed_server(std::move(specs), chosen);
  });
}

const char* heed_server_address(const heed_server* server) {
  return server == nullptr ? "" : server->address.c_str();
}

void heed_server_free(heed_server* server) {
  // A child of fork() has no threads of its parent that it could join.
  if (server != nullptr && server->process == getpid()) delete server;
}
