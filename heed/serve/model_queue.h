// Queue of a model and the threads that compute its jobs.
#ifndef HEED_SERVE_MODEL_QUEUE_H_
#define HEED_SERVE_MODEL_QUEUE_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "heed/base/at.h"
#include "heed/base/cancellation.h"
#include "heed/serve/served_model.h"
#include "heed/serve/server_metrics.h"
#include "heed/serve/turns.h"

namespace heed {

struct EngineOptions {
  SearchDefaults search;
  Auto<RunFormat> dtype = {};
  Named<Activations> activations = Activations::kRow;
  int queue_limit = 256;
  int batch_texts = 64;
  int batch_characters = 12288;
  double batch_wait = 0;  // milliseconds
  // Members below are not options.
  /// Maximum estimated time of a job; jobs that need longer are refused (0: no
  /// limit). Units: seconds
  double job_seconds = 0;
  /// Maximum estimated time of each matrix product of a batch at the
  /// processor's peak. Products really take about ten times as long; other
  /// batches get turns between them. Units: seconds
  double step_seconds = 0.0125;
  // Time slices for Turns. Most batches finish in their first slice.
  std::chrono::milliseconds first_slice{300};
  std::chrono::milliseconds slice{100};

  void Visit(FieldList& v);
};

/// Inputs for a model, or a function that uses the model. Callbacks run on a
/// thread of the model. A job that is not cancelled ends with exactly one call:
/// of `predicted`, of the function that `run` returns, or of `failed`.
struct Job {
  std::vector<Input> inputs;
  RequestOptions options;
  /// Compute Answer::parts; see ServedModel::Predict.
  bool parts = true;
  /// Optional: replaces the inputs by this function. It must check its
  /// cancellation often. It returns the remaining work that does not need the
  /// model.
  std::function<std::function<void()>(const ServedModel&, const Cancellation&)>
      run;

  /// Client of the job. The number of expensive jobs of a client that are
  /// computed at a time is limited.
  std::string client;
  /// Estimated least time, as ServedModel::PredictionSeconds. Units: seconds
  double seconds = 0;
  /// Cancelled when no client waits for the job; null: never cancelled.
  std::shared_ptr<const Cancellation> cancellation;
  /// Optional: receives each answer while it is generated.
  TokenObserver observer;
  /// Optional: receives each answer as soon as it is known.
  std::function<void(size_t input, const Answer&)> answered;
  std::function<void(const ServedModel&, std::vector<Answer>)> predicted;
  std::function<void(std::exception_ptr)> failed;

  bool cancelled() const { return cancellation && cancellation->cancelled(); }
  /// Number of inputs; 1 for `run`.
  size_t size() const { return run ? 1 : inputs.size(); }
};

/// Queue of one model and its threads. A thread takes waiting jobs up to the
/// limits of a batch. Inputs of several jobs are batched if their options are
/// equal and all or none are expensive. A long job gives some inputs at a time,
/// so that short jobs need not wait for its end.
///
/// Threads have two lanes, for long jobs and for others. In each lane batches
/// take turns: one is computed at a time, and a long one pauses between its
/// steps for later ones. Short batches do not wait for long ones, which pause
/// for them (see Turns). Expensive jobs can only use some threads of the long
/// lane, and those of one client even fewer, so that other jobs always find a
/// free thread. Thread-safe.
class ModelQueue {
 public:
  ModelQueue(std::shared_ptr<ServedModel> model, const EngineOptions& options,
             ServerMetrics& metrics);
  /// Drops waiting jobs and cancels running ones.
  ~ModelQueue();

  std::shared_ptr<const ServedModel> model() const;
  /// Sets the model for the next batch and later ones.
  void Replace(std::shared_ptr<ServedModel> model);
  /// Adds a job. Throws: HttpError 400 for a job that exceeds
  /// EngineOptions::job_seconds; 503 with Retry-After if queue_limit jobs wait.
  void Submit(Job job);
  /// Number of jobs that wait or are computed.
  int64_t depth() const;
  /// True if the next job would be refused.
  bool full() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Waiting;
  struct Piece;  // some inputs of a job
  struct Run;    // a batch that is computed
  class PieceCancellation;
  class BatchCancellation;
  using Batch = std::vector<Piece>;
  using Dropped = std::vector<std::shared_ptr<Waiting>>;

  /// Threads that take jobs of one kind.
  struct LaneThreads {
    std::condition_variable changed;  // wakes idle threads
    std::condition_variable more;  // wakes the thread that waits for batch_wait
    bool arriving = false;         // a thread is about to take the waiting jobs
  };

  void Work(Lane lane);
  LaneThreads& ThreadsOf(Lane lane) { return At(lanes_, lane); }
  bool MayStart(const Waiting& waiting, Lane lane) const;
  bool AnyMayStart(Lane lane) const;
  void TakeBatch(Run& run);
  void TakeTexts(Run& run, const std::shared_ptr<Waiting>& first);
  void DropCancelled(Dropped& dropped);
  void Begin(Run& run);
  void End(Run& run);

  // Called by the run whose turn it is
  void Compute(Run& run, Batch batch);
  void ComputeTogether(Run& run, const Batch& batch);
  void PredictBatch(Run& run, const Batch& batch);
  void RunJob(Run& run, const Piece& piece);
  void CountBatch(Run& run, const Batch& batch, double seconds);
  void Finish(const ServedModel& model, const Batch& batch);
  void Fail(const Piece& piece, std::exception_ptr error);
  void Drop(const Piece& piece);
  bool IsCancelled(const Piece& piece) const;

  int RetryAfter() const;

  const EngineOptions options_;
  const std::string name_;
  ServerMetrics& metrics_;
  Turns turns_;

  mutable std::mutex mutex_;
  LaneThreads lanes_[2];
  std::shared_ptr<ServedModel> model_;
  std::deque<std::shared_ptr<Waiting>> waiting_;
  int64_t working_ = 0;
  std::map<std::string, int> expensive_runs_;  // by client
  double seconds_of_job_ = 0.01;               // running mean
  std::atomic<bool> ends_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace heed

#endif  // HEED_SERVE_MODEL_QUEUE_H_
