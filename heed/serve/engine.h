// All models of a server.
#ifndef HEED_SERVE_ENGINE_H_
#define HEED_SERVE_ENGINE_H_

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "heed/serve/log.h"
#include "heed/serve/model_queue.h"

namespace heed {

/// All models of a server. Thread-safe.
class Engine {
 public:
  /// Loads all folders. Throws: ConfigError, IoError, FormatError.
  Engine(std::vector<ModelSpec> specs, const EngineOptions& options, Log& log,
         ServerMetrics& metrics);
  ~Engine();

  /// All queues, in the order of the folders.
  const std::vector<std::unique_ptr<ModelQueue>>& queues() const {
    return queues_;
  }
  /// Queue of the model with this name; nullptr if there is none.
  ModelQueue* Find(const std::string& name) const;
  /// Nearest translator for these languages (see LanguageDistance); the first
  /// one of a tie. Nullptr if there is none, or if the nearest ones are several
  /// translators of unknown languages.
  ModelQueue* Find(const LanguagePair& languages) const;

  /// Loads all folders again on a separate thread, then calls `done` there. A
  /// model whose folder cannot be read stays loaded, and the log gives the
  /// cause.
  void Reload(std::function<void()> done = {});

 private:
  void ReloadAll();

  const std::vector<ModelSpec> specs_;
  const EngineOptions options_;
  Log& log_;
  ServerMetrics& metrics_;
  std::vector<std::unique_ptr<ModelQueue>> queues_;
  std::mutex reload_mutex_;
  bool reload_again_ = false;
  std::function<void()> reloaded_;  // called when reloading ends
  bool reloading_ = false;
  std::thread reloader_;
};

}  // namespace heed

#endif  // HEED_SERVE_ENGINE_H_
