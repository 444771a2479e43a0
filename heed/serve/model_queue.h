// A model, what waits for it, and the threads that compute.
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
  std::string dtype = "auto";
  int queue_limit = 256;
  int batch_texts = 64;
  int batch_characters = 12288;
  double batch_wait = 0;  // milliseconds
  // What follows is no option.
  /// Jobs whose least time is longer are refused; 0: none. Units: seconds
  double job_seconds = 0;
  /// Of a batch, for each product at the processor's full speed: it takes about
  /// ten times as long, and between products others have their turn.
  double step_seconds = 0.0125;
  // Of Turns. Most batches are done in their first slice.
  std::chrono::milliseconds first_slice{300};
  std::chrono::milliseconds slice{100};

  void Visit(FieldList& v);
};

/// Inputs that a model answers, or a function that uses the model. The
/// functions are called on a thread of the model. A job that is not cancelled
/// ends with exactly one call: of `predicted`, of the function that `run`
/// returns, or of `failed`.
struct Job {
  std::vector<Input> inputs;
  RequestOptions options;
  /// Compute Answer::parts; see ServedModel::Predict.
  bool parts = true;
  /// If set, the job calls this function and has no inputs. It checks its
  /// cancellation often, and returns what is left to do without the model.
  std::function<std::function<void()>(const ServedModel&, const Cancellation&)>
      run;

  /// Who sent it. Of one client's expensive jobs few are computed at a time.
  std::string client;
  /// The least time that it takes, as ServedModel::LeastSecondsOf.
  double seconds = 0;
  /// Whether nobody waits for it any more; null: somebody does.
  std::shared_ptr<const Cancellation> cancellation;
  /// Optional: receives the tokens of an answer while it is written.
  TokenObserver observer;
  /// Optional: receives each answer once it is known, before all are.
  std::function<void(size_t input, const Answer&)> answered;
  std::function<void(const ServedModel&, std::vector<Answer>)> predicted;
  std::function<void(std::exception_ptr)> failed;

  bool cancelled() const { return cancellation && cancellation->cancelled(); }
  /// Number of inputs; 1 for `run`.
  size_t size() const { return run ? 1 : inputs.size(); }
};

/// One model: what waits for it, and the threads that take all that waits at
/// once, up to the limits of a batch. Inputs of several jobs are computed
/// together if their options are equal and all or none are expensive; of a long
/// job some inputs at a time, so that short ones need not wait for its end.
///
/// There are two lanes of threads, for jobs that take long and for others. In
/// each, batches take turns: one is computed at a time, and one that takes long
/// pauses between its steps for what came after it. A short batch does not wait
/// for a long one, which pauses for it (see Turns). Of the threads for long
/// jobs, expensive ones can only have some, and those of one client fewer, so
/// that the others always find one. Thread-safe.
class ModelQueue {
 public:
  ModelQueue(std::shared_ptr<ServedModel> model, const EngineOptions& options,
             ServerMetrics& metrics);
  /// What still waits is dropped, what is computed is cancelled.
  ~ModelQueue();

  std::shared_ptr<const ServedModel> model() const;
  /// From the next batch on.
  void Replace(std::shared_ptr<ServedModel> model);
  /// Throws: HttpError 400 for a job that could not be done in time; 503 with
  /// Retry-After if queue_limit jobs wait.
  void Submit(Job job);
  /// Jobs that wait or are worked on.
  int64_t depth() const;
  /// Whether the next job would be refused.
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
    std::condition_variable changed;  // for idle ones
    std::condition_variable more;     // for the one that waits for batch_wait
    bool arriving = false;            // one is about to take what waits
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

  // By the run whose turn it is
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
  double seconds_of_job_ = 0.01;               // a running mean
  std::atomic<bool> ends_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace heed

#endif  // HEED_SERVE_MODEL_QUEUE_H_
