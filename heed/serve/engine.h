// Models, their queues, and the threads that compute.
#ifndef HEED_SERVE_ENGINE_H_
#define HEED_SERVE_ENGINE_H_

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "heed/serve/log.h"
#include "heed/serve/served_model.h"
#include "heed/serve/server_metrics.h"

namespace heed {

struct EngineOptions {
  SearchDefaults search;
  std::string dtype = "auto";
  int queue_limit = 256;
  int batch_texts = 64;
  int batch_characters = 12288;
  double batch_wait = 0;  // milliseconds

  void Visit(FieldList& v);
};

/// Texts that a model is to work on, and what becomes of them. The functions
/// are called on the thread of the model; exactly one of `done` and `failed`
/// is, but for a job that is dropped because `abandoned` says so.
// NOLINTNEXTLINE(bugprone-exception-escape): a moved JSON value only asserts.
struct Job {
  enum class Kind { kTranslate, kPredict, kRun };

  Kind kind = Kind::kTranslate;
  std::vector<std::string> texts;

  SearchChoice search;                    // of kTranslate
  nlohmann::ordered_json options;         // of kPredict
  std::function<void(ServedModel&)> run;  // of kRun: all that is to be done

  std::function<bool()> abandoned;
  /// Of kTranslate; optional: beginnings of translations (see PiecesObserver).
  PiecesObserver told;
  /// Of kTranslate; optional: each text once it is translated, before all are.
  std::function<void(size_t text, const Translations&)> text_translated;
  std::function<void(const ServedModel&, std::vector<Translations>)> translated;
  std::function<void(const ServedModel&, std::vector<Prediction>)> predicted;
  std::function<void(std::exception_ptr)> failed;
};

/// One model: what waits for it, and the thread that takes all that waits at
/// once, up to the limits of a batch. Texts of several jobs are computed
/// together if their options are equal; of a long job some texts at a time, so
/// that short ones need not wait for its end. Thread-safe.
class ModelQueue {
 public:
  ModelQueue(std::shared_ptr<ServedModel> model, const EngineOptions& options,
             ServerMetrics& metrics);
  /// What still waits is dropped.
  ~ModelQueue();

  std::shared_ptr<const ServedModel> model() const;
  /// From the next batch on.
  void Replace(std::shared_ptr<ServedModel> model);
  /// Throws: HttpError 503 with Retry-After if queue_limit jobs wait.
  void Submit(Job job);
  /// Jobs that wait or are worked on.
  int64_t depth() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Waiting;
  struct Piece;  // some texts of a job
  using Batch = std::vector<Piece>;

  void Work();
  Batch TakeBatch(std::unique_lock<std::mutex>& lock);
  void DropAbandoned(std::vector<std::shared_ptr<Waiting>>& dropped);
  void Compute(ServedModel& model, const Batch& batch);
  void ComputeTogether(ServedModel& model, const Batch& batch);
  void TranslateBatch(ServedModel& model, const Batch& batch);
  void PredictBatch(ServedModel& model, const Batch& batch);
  void CountBatch(const Batch& batch, double seconds);
  void Finish(const ServedModel& model, const Batch& batch);
  void Fail(const Piece& piece, std::exception_ptr error);
  int RetryAfter() const;

  const EngineOptions options_;
  const std::string name_;
  ServerMetrics& metrics_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<ServedModel> model_;
  std::deque<std::shared_ptr<Waiting>> waiting_;
  int64_t working_ = 0;
  double seconds_of_job_ = 0.01;  // a running mean
  bool ends_ = false;
  std::thread thread_;
};

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
  /// The first translator with these languages; nullptr if there is none.
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
