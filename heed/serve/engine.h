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
  /// Reads all folders. Throws: ConfigError, IoError, FormatError.
  Engine(std::vector<ModelSpec> specs, const EngineOptions& options, Log& log,
         ServerMetrics& metrics);
  ~Engine();

  /// In the order of the folders.
  const std::vector<std::unique_ptr<ModelQueue>>& queues() const {
    return queues_;
  }
  /// By its name; nullptr if there is none.
  ModelQueue* Find(const std::string& name) const;
  /// The translator that is nearest to these languages (see LanguageDistance),
  /// the first one of equals; nullptr if there is none, or if there are several
  /// whose languages nothing tells and no better one.
  ModelQueue* Find(const LanguagePair& languages) const;

  /// Reads all folders again on a thread of its own, then calls `done` there. A
  /// model whose folder cannot be read stays as it is, and the log says why.
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
  std::function<void()> reloaded_;  // called at the end
  bool reloading_ = false;
  std::thread reloader_;
};

}  // namespace heed

#endif  // HEED_SERVE_ENGINE_H_
