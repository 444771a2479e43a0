#include "heed/serve/model_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/timing.h"
#include "heed/serve/thread_priority.h"

namespace heed {
namespace {

// Maximum texts of a job per turn while other jobs wait.
constexpr size_t kTextsOfTurn = 16;
constexpr double kMeanWeight = 0.1;

// Maximum batches of a lane that are computed in turns. Each one needs memory.
constexpr int kShortRuns = 4;
constexpr int kLongRuns = 4;
constexpr int kExpensiveRuns = 3;
constexpr int kExpensiveRunsOfClient = 2;
// Estimated at the processor's theoretical peak, which no computation reaches.
constexpr double kExpensiveSeconds = 0.1;
// Estimates assume that translations reach their length limit; estimates of
// explanations do not, so their threshold is lower.
constexpr double kLongRunSeconds = 0.001;

bool IsExpensive(const Job& job) { return job.seconds > kExpensiveSeconds; }

Lane LaneOf(const Job& job) {
  const double max = job.run ? kLongRunSeconds : kExpensiveSeconds;
  return job.seconds > max ? Lane::kLong : Lane::kShort;
}

}  // namespace

struct ModelQueue::Waiting {
  Job job;
  std::vector<size_t> bytes;  // text bytes of each input
  Clock::time_point since = Clock::now();
  size_t taken = 0;                  // inputs that are worked on or done
  std::atomic<size_t> finished = 0;  // inputs that are done
  bool failed = false;
  std::vector<Answer> answers;

  // True if both jobs can be computed in one batch. Expensive jobs would delay
  // cheap ones in their batch.
  bool Joins(const Waiting& other, const ServedModel& model) const {
    if (job.run || other.job.run) return false;
    return IsExpensive(job) == IsExpensive(other.job) &&
           job.parts == other.job.parts &&
           job.options.values == other.job.options.values &&
           model.JoinsInputs(job.options);
  }
};

struct ModelQueue::Piece {
  std::shared_ptr<Waiting> of;
  size_t begin;
  size_t end;

  const Job& job() const { return of->job; }
  size_t bytes() const {
    size_t sum = 0;
    for (size_t i = begin; i < end; ++i) {
      sum += of->bytes[i] + 1;
    }
    return sum;
  }
};

struct ModelQueue::Run {
  Run(Turns& turns, Lane of) : lane(of), turn(turns, of) {}

  const Lane lane;
  Turns::Turn turn;
  std::shared_ptr<ServedModel> model;
  Batch batch;
  std::function<void()> afterwards;  // continuation of a job, without the model
  int64_t working = 0;               // share in working_
  bool expensive = false;
};

// Cancellation of one piece. Also lets other batches take their turns.
class ModelQueue::PieceCancellation : public Cancellation {
 public:
  PieceCancellation(const ModelQueue& queue, Run& run, const Piece& piece)
      : queue_(queue), run_(run), piece_(piece) {}

  bool cancelled() const override {
    if (queue_.IsCancelled(piece_)) return true;
    run_.turn.Pass();
    return queue_.IsCancelled(piece_);
  }

 private:
  const ModelQueue& queue_;
  Run& run_;
  const Piece& piece_;
};

// Cancellation of a batch whose pieces cannot be removed one by one. It is
// given up once more than half of it is cancelled, and the rest is computed
// again. In total nothing is computed more than twice.
class ModelQueue::BatchCancellation : public Cancellation {
 public:
  BatchCancellation(const ModelQueue& queue, Run& run, const Batch& batch)
      : queue_(queue), run_(run), batch_(batch) {
    for (const Piece& piece : batch) bytes_.push_back(piece.bytes());
  }

  bool cancelled() const override {
    if (IsMostlyCancelled()) return true;
    run_.turn.Pass();
    return IsMostlyCancelled();
  }

 private:
  bool IsMostlyCancelled() const {
    size_t all = 0;
    size_t wanted = 0;
    for (size_t i = 0; i < batch_.size(); ++i) {
      all += bytes_[i];
      if (!queue_.IsCancelled(batch_[i])) wanted += bytes_[i];
    }
    return 2 * wanted < all;
  }

  const ModelQueue& queue_;
  Run& run_;
  const Batch& batch_;
  std::vector<size_t> bytes_;
};

void EngineOptions::Visit(FieldList& v) {
  v("queue_limit", queue_limit, Range(1, 1000000),
    "maximum requests that wait for a model; more are answered with 503");
  v("batch_texts", batch_texts, Range(1, 100000),
    "maximum sentences of a batch");
  v("batch_characters", batch_characters, Range(1, 10000000),
    "maximum bytes of text of a batch; a single sentence may have more");
  v("batch_wait", batch_wait, Range(0, 1000),
    "milliseconds to wait for more requests before starting a batch");
}

ModelQueue::ModelQueue(std::shared_ptr<ServedModel> model,
                       const EngineOptions& options, ServerMetrics& metrics)
    : options_(options),
      name_(model->name()),
      metrics_(metrics),
      turns_(options.first_slice, options.slice),
      model_(std::move(model)) {
  for (int i = 0; i < kShortRuns + kLongRuns; ++i) {
    const Lane lane = i < kShortRuns ? Lane::kShort : Lane::kLong;
    threads_.emplace_back([this, lane] { Work(lane); });
  }
}

ModelQueue::~ModelQueue() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  for (LaneThreads& lane : lanes_) {
    lane.changed.notify_all();
    lane.more.notify_all();
  }
  for (std::thread& thread : threads_) thread.join();
}

std::shared_ptr<const ServedModel> ModelQueue::model() const {
  const std::lock_guard lock(mutex_);
  return model_;
}

void ModelQueue::Replace(std::shared_ptr<ServedModel> model) {
  const std::lock_guard lock(mutex_);
  model_.swap(model);
}

bool ModelQueue::full() const {
  const std::lock_guard lock(mutex_);
  return std::ssize(waiting_) >= options_.queue_limit;
}

int64_t ModelQueue::depth() const {
  const std::lock_guard lock(mutex_);
  return std::ssize(waiting_) + working_;
}

int ModelQueue::RetryAfter() const {
  const double seconds = seconds_of_job_ * static_cast<double>(waiting_.size());
  return static_cast<int>(std::clamp(std::ceil(seconds), 1.0, 60.0));
}

void ModelQueue::Submit(Job job) {
  if (options_.job_seconds > 0 && job.seconds > options_.job_seconds) {
    throw HttpError(400,
                    "Invalid request: model '{}' may compute for {:.0f} s "
                    "or more, but a request has {} s; send less text, or "
                    "ask for a narrower beam, shorter answers, fewer "
                    "methods, steps or samples",
                    name_, std::ceil(job.seconds), options_.job_seconds);
  }
  auto waiting = std::make_shared<Waiting>();
  waiting->answers.resize(job.inputs.size());
  for (const Input& input : job.inputs) {
    waiting->bytes.push_back(input.Text().size());
  }
  waiting->job = std::move(job);
  LaneThreads& threads = ThreadsOf(LaneOf(waiting->job));
  Dropped dropped;
  {
    const std::lock_guard lock(mutex_);
    if (std::ssize(waiting_) >= options_.queue_limit) DropCancelled(dropped);
    if (std::ssize(waiting_) >= options_.queue_limit) {
      throw HttpError(
          503,
          fmt::format(
              "{} requests wait for model '{}', which is as many as may; "
              "try again later",
              waiting_.size(), name_),
          {{"Retry-After", std::to_string(RetryAfter())}});
    }
    waiting_.push_back(std::move(waiting));
    if (threads.arriving) {
      threads.more.notify_one();
      return;
    }
  }
  threads.changed.notify_one();
}

// Jobs are destroyed without the lock, because their exchanges then respond.
void ModelQueue::DropCancelled(Dropped& dropped) {
  std::erase_if(waiting_, [&](const std::shared_ptr<Waiting>& waiting) {
    if (!waiting->job.cancelled()) return false;
    metrics_.CountAbandoned(name_);
    dropped.push_back(waiting);
    return true;
  });
}

// At most one batch of an expensive job is computed at a time.
bool ModelQueue::MayStart(const Waiting& waiting, Lane lane) const {
  const Job& job = waiting.job;
  if (LaneOf(job) != lane) return false;
  if (!IsExpensive(job)) return true;
  if (waiting.taken > waiting.finished) return false;
  int all = 0;
  for (const auto& [client, runs] : expensive_runs_) all += runs;
  const auto own = expensive_runs_.find(job.client);
  return all < kExpensiveRuns &&
         (own == expensive_runs_.end() || own->second < kExpensiveRunsOfClient);
}

bool ModelQueue::AnyMayStart(Lane lane) const {
  return std::ranges::any_of(
      waiting_, [&](const auto& waiting) { return MayStart(*waiting, lane); });
}

void ModelQueue::Work(Lane lane) {
  if (lane == Lane::kLong) StepBack();
  LaneThreads& threads = ThreadsOf(lane);
  while (true) {
    {
      std::unique_lock lock(mutex_);
      threads.changed.wait(lock, [&] {
        return ends_ || (!threads.arriving && AnyMayStart(lane));
      });
      if (ends_) return;
      threads.arriving = true;
      if (options_.batch_wait > 0) {
        const std::chrono::duration<double, std::milli> wait(
            options_.batch_wait);
        threads.more.wait_for(lock, wait, [this] {
          return ends_ || std::ssize(waiting_) >= options_.batch_texts;
        });
      }
    }
    Batch batch;
    std::function<void()> afterwards;
    {
      Run run(turns_, lane);
      TakeBatch(run);
      if (!run.batch.empty()) Compute(run, run.batch);
      End(run);
      batch = std::move(run.batch);
      afterwards = std::move(run.afterwards);
    }
    if (!afterwards) continue;
    try {
      afterwards();
    } catch (...) {
      Fail(batch.front(), std::current_exception());
    }
  }
}

void ModelQueue::TakeBatch(Run& run) {
  Dropped dropped;
  const std::lock_guard lock(mutex_);
  LaneThreads& threads = ThreadsOf(run.lane);
  threads.arriving = false;
  if (ends_) return;
  DropCancelled(dropped);
  const auto first = std::ranges::find_if(waiting_, [&](const auto& waiting) {
    return MayStart(*waiting, run.lane);
  });
  if (first != waiting_.end()) TakeTexts(run, *first);
  run.model = model_;
  Begin(run);
  if (AnyMayStart(run.lane)) threads.changed.notify_one();
}

// Takes some texts of each job that can join the first one, in turn. A job with
// texts left moves to the end of the queue.
void ModelQueue::TakeTexts(Run& run, const std::shared_ptr<Waiting>& first) {
  auto texts = static_cast<size_t>(options_.batch_texts);
  auto bytes = static_cast<size_t>(options_.batch_characters);
  const bool divides =
      !first->job.run && model_->JoinsInputs(first->job.options);
  if (divides) {
    texts = std::min(
        texts, model_->MaxTexts(first->job.options, options_.step_seconds));
  }
  bytes = std::min(bytes, model_->MaxBytes(options_.step_seconds));
  bool any = false;
  const auto take = [&](const std::shared_ptr<Waiting>& waiting, size_t max) {
    const size_t begin = waiting->taken;
    const size_t all = waiting->job.size();
    if (!divides) {
      waiting->taken = all;
      run.batch.push_back({waiting, 0, all});
      return;
    }
    size_t end = begin;
    while (end < all && end - begin < max && texts > 0) {
      const size_t size = waiting->bytes[end];
      if (any && size > bytes) {
        texts = 0;
        break;
      }
      any = true;
      bytes -= std::min(bytes, size);
      --texts;
      ++end;
    }
    waiting->taken = end;
    if (end > begin) run.batch.push_back({waiting, begin, end});
  };
  if (!divides) {
    take(first, 0);
  } else {
    // The second round fills the batch with texts of long jobs.
    for (const size_t max : {kTextsOfTurn, texts}) {
      for (const auto& waiting : waiting_) {
        if (texts == 0) break;
        if (waiting == first || waiting->Joins(*first, *model_)) {
          take(waiting, max);
        }
      }
    }
  }
  std::deque<std::shared_ptr<Waiting>> untouched, begun;
  for (auto& waiting : waiting_) {
    if (waiting->taken >= waiting->job.size()) continue;
    (waiting->taken > 0 ? begun : untouched).push_back(std::move(waiting));
  }
  waiting_ = std::move(untouched);
  waiting_.insert(waiting_.end(), begun.begin(), begun.end());
}

void ModelQueue::Begin(Run& run) {
  std::set<Waiting*> jobs;
  for (const Piece& piece : run.batch) {
    jobs.insert(piece.of.get());
    if (piece.begin == 0) {
      metrics_.CountWait(name_, SecondsSince(piece.of->since));
    }
  }
  run.working = std::ssize(jobs);
  working_ += run.working;
  run.expensive = !run.batch.empty() && IsExpensive(run.batch.front().job());
  if (run.lane == Lane::kLong && !run.batch.empty()) {
    run.turn.SetClient(run.batch.front().job().client);
  }
  if (run.expensive) {
    ++expensive_runs_[run.batch.front().job().client];
  } else {
    run.turn.SetSlice(options_.first_slice);
  }
}

void ModelQueue::End(Run& run) {
  const std::lock_guard lock(mutex_);
  working_ -= std::exchange(run.working, 0);
  if (run.expensive) {
    const auto own = expensive_runs_.find(run.batch.front().job().client);
    if (--own->second == 0) expensive_runs_.erase(own);
  }
  LaneThreads& threads = ThreadsOf(run.lane);
  if (!threads.arriving && AnyMayStart(run.lane)) threads.changed.notify_one();
}

bool ModelQueue::IsCancelled(const Piece& piece) const {
  return ends_ || piece.job().cancelled();
}

// A failed batch is computed again job by job, so that only the faulty job
// fails.
void ModelQueue::Compute(Run& run, Batch batch) {
  while (!batch.empty()) {
    try {
      return ComputeTogether(run, batch);
    } catch (const Cancelled&) {
      const auto gone = std::stable_partition(  // Clang 14 lacks ranges'
          batch.begin(), batch.end(),
          [this](const Piece& piece) { return !IsCancelled(piece); });
      if (gone == batch.end()) {
        for (const Piece& piece : batch) Fail(piece, std::current_exception());
        return;
      }
      std::for_each(gone, batch.end(),
                    [this](const Piece& piece) { Drop(piece); });
      batch.erase(gone, batch.end());
    } catch (...) {
      if (batch.size() == 1) {
        return Fail(batch.front(), std::current_exception());
      }
      for (const Piece& piece : batch) Compute(run, {piece});
      return;
    }
  }
}

void ModelQueue::ComputeTogether(Run& run, const Batch& batch) {
  const auto start = Clock::now();
  const auto paused = run.turn.paused();
  const bool runs = batch.front().job().run != nullptr;
  if (runs) {
    RunJob(run, batch.front());
  } else {
    PredictBatch(run, batch);
  }
  const std::chrono::duration<double> pauses = run.turn.paused() - paused;
  CountBatch(run, batch, SecondsSince(start) - pauses.count());
  if (!runs) Finish(*run.model, batch);
}

// Counts before the answers are sent, so that a client with an answer finds it
// in the metrics.
void ModelQueue::CountBatch(Run& run, const Batch& batch, double seconds) {
  size_t texts = 0;
  for (const Piece& piece : batch) texts += piece.end - piece.begin;
  metrics_.CountBatch(name_, static_cast<int64_t>(texts), seconds);
  const std::lock_guard lock(mutex_);
  working_ -= std::exchange(run.working, 0);
  const double of_job = seconds / static_cast<double>(batch.size());
  seconds_of_job_ += kMeanWeight * (of_job - seconds_of_job_);
}

void ModelQueue::PredictBatch(Run& run, const Batch& batch) {
  const Job& job = batch.front().job();
  std::vector<Input> inputs;
  std::vector<std::pair<Waiting*, size_t>> places;
  std::deque<PieceCancellation> cancellations;
  const BatchCancellation cancellation(*this, run, batch);
  PredictCall call;
  call.parts = job.parts;
  call.cancellation = &cancellation;
  bool observed = false;
  for (const Piece& piece : batch) {
    observed = observed || piece.job().observer;
    cancellations.emplace_back(*this, run, piece);
    for (size_t i = piece.begin; i < piece.end; ++i) {
      inputs.push_back(piece.job().inputs[i]);
      places.emplace_back(piece.of.get(), i);
      call.cancellations.push_back(&cancellations.back());
    }
  }
  if (observed) {
    call.observer = [&](size_t input, const WrittenAnswer& written) {
      const auto& [waiting, i] = places[input];
      if (waiting->job.observer) waiting->job.observer(i, written);
    };
  }
  std::vector<Answer> all = run.model->Predict(inputs, job.options, call);
  int64_t read = 0;
  int64_t written = 0;
  for (size_t n = 0; n < all.size(); ++n) {
    read += all[n].tokens_read;
    written += all[n].tokens_written;
    const auto& [waiting, i] = places[n];
    if (waiting->job.answered && !waiting->job.cancelled()) {
      waiting->job.answered(i, all[n]);
    }
    waiting->answers[i] = std::move(all[n]);
  }
  metrics_.CountTokens(name_, read, written);
}

void ModelQueue::RunJob(Run& run, const Piece& piece) {
  const PieceCancellation cancellation(*this, run, piece);
  run.afterwards = piece.job().run(*run.model, cancellation);
}

void ModelQueue::Finish(const ServedModel& model, const Batch& batch) {
  for (const Piece& piece : batch) {
    if (IsCancelled(piece)) {
      Drop(piece);
      continue;
    }
    Waiting& waiting = *piece.of;
    waiting.finished += piece.end - piece.begin;
    if (waiting.failed || waiting.finished < waiting.job.size()) continue;
    waiting.job.predicted(model, std::move(waiting.answers));
  }
}

void ModelQueue::Fail(const Piece& piece, std::exception_ptr error) {
  if (piece.of->failed) return;
  piece.of->failed = true;
  piece.of->job.failed(std::move(error));
  const std::lock_guard lock(mutex_);
  std::erase(waiting_, piece.of);
}

void ModelQueue::Drop(const Piece& piece) {
  if (piece.of->failed) return;
  piece.of->failed = true;
  const std::lock_guard lock(mutex_);
  // Other jobs were counted where they waited.
  if (std::erase(waiting_, piece.of) > 0 ||
      piece.of->taken == piece.job().size()) {
    metrics_.CountAbandoned(name_);
  }
}

}  // namespace heed
