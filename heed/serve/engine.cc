#include "heed/serve/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "heed/base/errors.h"

namespace heed {
namespace {

// Of one job at a time, while others wait.
constexpr size_t kTextsOfTurn = 16;
constexpr double kMeanWeight = 0.1;

double SecondsFrom(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

}  // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): a moved JSON value only asserts.
struct ModelQueue::Waiting {
  Job job;
  Clock::time_point since = Clock::now();
  size_t taken = 0;     // texts that are worked on or done
  size_t finished = 0;  // texts that are done
  bool failed = false;
  std::vector<Translations> translations;
  std::vector<Prediction> predictions;

  // With whom it can be computed.
  bool Joins(const Waiting& other, const ServedModel& model) const {
    if (job.kind != other.job.kind || job.kind == Job::Kind::kRun) return false;
    if (job.kind == Job::Kind::kTranslate) {
      return job.search == other.job.search;
    }
    return job.options == other.job.options && model.JoinsTexts(job.options);
  }
};

struct ModelQueue::Piece {
  std::shared_ptr<Waiting> of;
  size_t begin;
  size_t end;
};

void EngineOptions::Visit(FieldList& v) {
  v("queue_limit", queue_limit, Range(1, 1000000),
    "requests that may wait for a model; further ones are answered with 503");
  v("batch_texts", batch_texts, Range(1, 100000),
    "most sentences that are computed together");
  v("batch_characters", batch_characters, Range(1, 10000000),
    "most bytes of text that are computed together; one sentence may have "
    "more");
  v("batch_wait", batch_wait, Range(0, 1000),
    "milliseconds to wait for more requests before a batch is begun");
}

ModelQueue::ModelQueue(std::shared_ptr<ServedModel> model,
                       const EngineOptions& options, ServerMetrics& metrics)
    : options_(options),
      name_(model->name()),
      metrics_(metrics),
      model_(std::move(model)) {
  thread_ = std::thread([this] { Work(); });
}

ModelQueue::~ModelQueue() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::shared_ptr<const ServedModel> ModelQueue::model() const {
  const std::lock_guard lock(mutex_);
  return model_;
}

void ModelQueue::Replace(std::shared_ptr<ServedModel> model) {
  const std::lock_guard lock(mutex_);
  model_.swap(model);
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
  auto waiting = std::make_shared<Waiting>();
  waiting->translations.resize(job.texts.size());
  waiting->predictions.resize(job.texts.size());
  waiting->job = std::move(job);
  std::vector<std::shared_ptr<Waiting>> dropped;
  {
    const std::lock_guard lock(mutex_);
    if (std::ssize(waiting_) >= options_.queue_limit) DropAbandoned(dropped);
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
  }
  changed_.notify_one();
}

// They are destroyed without the lock: their exchanges answer then.
void ModelQueue::DropAbandoned(std::vector<std::shared_ptr<Waiting>>& dropped) {
  std::erase_if(waiting_, [&](const std::shared_ptr<Waiting>& waiting) {
    if (!waiting->job.abandoned || !waiting->job.abandoned()) return false;
    metrics_.CountAbandoned(name_);
    dropped.push_back(waiting);
    return true;
  });
}

void ModelQueue::Work() {
  while (true) {
    std::shared_ptr<ServedModel> model;
    Batch batch;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return ends_ || !waiting_.empty(); });
      if (ends_) return;
      if (options_.batch_wait > 0) {
        const std::chrono::duration<double, std::milli> wait(
            options_.batch_wait);
        changed_.wait_for(lock, wait, [this] {
          return ends_ || std::ssize(waiting_) >= options_.batch_texts;
        });
        if (ends_) return;
      }
      batch = TakeBatch(lock);
      model = model_;
    }
    if (batch.empty()) continue;
    Compute(*model, batch);
    const std::lock_guard lock(mutex_);
    working_ = 0;
  }
}

// Turn by turn some texts of each job that goes with the first one. A job with
// texts left goes behind the others.
ModelQueue::Batch ModelQueue::TakeBatch(std::unique_lock<std::mutex>& lock) {
  std::vector<std::shared_ptr<Waiting>> dropped;
  DropAbandoned(dropped);
  Batch batch;
  if (waiting_.empty()) {
    lock.unlock();
    dropped.clear();
    return batch;
  }
  const std::shared_ptr<Waiting> first = waiting_.front();
  auto texts = static_cast<size_t>(options_.batch_texts);
  auto bytes = static_cast<size_t>(options_.batch_characters);
  bool any = false;
  const bool divides = first->job.kind == Job::Kind::kTranslate ||
                       (first->job.kind == Job::Kind::kPredict &&
                        model_->JoinsTexts(first->job.options));
  const auto take = [&](const std::shared_ptr<Waiting>& waiting, size_t most) {
    const size_t begin = waiting->taken;
    const size_t all = waiting->job.texts.size();
    if (!divides) {
      waiting->taken = all;
      batch.push_back({waiting, 0, all});
      return;
    }
    size_t end = begin;
    while (end < all && end - begin < most && texts > 0) {
      const size_t size = waiting->job.texts[end].size();
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
    if (end > begin) batch.push_back({waiting, begin, end});
  };
  if (!divides) {
    take(first, 0);
  } else {
    // A second round gives what the others left to long jobs.
    for (const size_t most : {kTextsOfTurn, texts}) {
      for (const auto& waiting : waiting_) {
        if (texts == 0) break;
        if (waiting == first || waiting->Joins(*first, *model_)) {
          take(waiting, most);
        }
      }
    }
  }
  std::deque<std::shared_ptr<Waiting>> untouched, begun;
  for (auto& waiting : waiting_) {
    if (waiting->taken >= waiting->job.texts.size()) continue;
    (waiting->taken > 0 ? begun : untouched).push_back(std::move(waiting));
  }
  waiting_ = std::move(untouched);
  waiting_.insert(waiting_.end(), begun.begin(), begun.end());
  std::set<Waiting*> jobs;
  for (const Piece& piece : batch) {
    jobs.insert(piece.of.get());
    if (piece.begin == 0)
      metrics_.CountWait(name_, SecondsFrom(piece.of->since));
  }
  working_ = std::ssize(jobs);
  lock.unlock();
  dropped.clear();
  return batch;
}

// What fails is tried job by job, so that only the one that is to blame fails.
void ModelQueue::Compute(ServedModel& model, const Batch& batch) {
  try {
    ComputeTogether(model, batch);
  } catch (...) {
    for (const Piece& piece : batch) {
      if (batch.size() == 1) {
        Fail(piece, std::current_exception());
        continue;
      }
      try {
        ComputeTogether(model, {piece});
      } catch (...) {
        Fail(piece, std::current_exception());
      }
    }
  }
}

void ModelQueue::ComputeTogether(ServedModel& model, const Batch& batch) {
  const auto start = Clock::now();
  const Job& job = batch.front().of->job;
  switch (job.kind) {
    case Job::Kind::kTranslate:
      TranslateBatch(model, batch);
      break;
    case Job::Kind::kPredict:
      PredictBatch(model, batch);
      break;
    case Job::Kind::kRun:
      job.run(model);
      break;
  }
  CountBatch(batch, SecondsFrom(start));
  if (job.kind != Job::Kind::kRun) Finish(model, batch);
}

// Before the answers go out, so that who has one finds it counted.
void ModelQueue::CountBatch(const Batch& batch, double seconds) {
  size_t texts = 0;
  for (const Piece& piece : batch) texts += piece.end - piece.begin;
  metrics_.CountBatch(name_, static_cast<int64_t>(texts), seconds);
  const std::lock_guard lock(mutex_);
  working_ = 0;
  const double of_job = seconds / static_cast<double>(batch.size());
  seconds_of_job_ += kMeanWeight * (of_job - seconds_of_job_);
}

void ModelQueue::TranslateBatch(ServedModel& model, const Batch& batch) {
  std::vector<std::string> sentences;
  std::vector<std::pair<Waiting*, size_t>> places;
  bool observed = false;
  for (const Piece& piece : batch) {
    observed = observed || piece.of->job.told;
    for (size_t i = piece.begin; i < piece.end; ++i) {
      sentences.push_back(piece.of->job.texts[i]);
      places.emplace_back(piece.of.get(), i);
    }
  }
  PiecesObserver tell;
  if (observed) {
    tell = [&](int64_t line, const std::vector<std::string>& pieces,
               bool whole) {
      const auto& [waiting, i] = places[static_cast<size_t>(line)];
      if (waiting->job.told)
        waiting->job.told(static_cast<int64_t>(i), pieces, whole);
    };
  }
  std::vector<Translations> all =
      model.Translate(sentences, batch.front().of->job.search, tell);
  int64_t source = 0;
  int64_t target = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    source += std::ssize(all[i][0].source_pieces);
    target += std::ssize(all[i][0].target_pieces);
    const auto& [waiting, text] = places[i];
    if (waiting->job.text_translated) {
      waiting->job.text_translated(text, all[i]);
    }
    waiting->translations[text] = std::move(all[i]);
  }
  metrics_.CountTokens(name_, source, target);
}

void ModelQueue::PredictBatch(ServedModel& model, const Batch& batch) {
  std::vector<std::string> texts;
  for (const Piece& piece : batch) {
    texts.insert(texts.end(),
                 piece.of->job.texts.begin() + static_cast<long>(piece.begin),
                 piece.of->job.texts.begin() + static_cast<long>(piece.end));
  }
  std::vector<Prediction> all =
      model.Predict(texts, batch.front().of->job.options);
  size_t next = 0;
  for (const Piece& piece : batch) {
    for (size_t i = piece.begin; i < piece.end; ++i) {
      piece.of->predictions[i] = std::move(all[next++]);
    }
  }
}

void ModelQueue::Finish(const ServedModel& model, const Batch& batch) {
  for (const Piece& piece : batch) {
    Waiting& waiting = *piece.of;
    waiting.finished += piece.end - piece.begin;
    if (waiting.failed || waiting.finished < waiting.job.texts.size()) continue;
    if (waiting.job.kind == Job::Kind::kTranslate) {
      waiting.job.translated(model, std::move(waiting.translations));
    } else {
      waiting.job.predicted(model, std::move(waiting.predictions));
    }
  }
}

void ModelQueue::Fail(const Piece& piece, std::exception_ptr error) {
  if (piece.of->failed) return;
  piece.of->failed = true;
  piece.of->job.failed(std::move(error));
  const std::lock_guard lock(mutex_);
  std::erase(waiting_, piece.of);
}

// ------------------------------------------------------------------ all models

Engine::Engine(std::vector<ModelSpec> specs, const EngineOptions& options,
               Log& log, ServerMetrics& metrics)
    : specs_([&] {
        std::set<std::string> names;
        for (ModelSpec& spec : specs) {
          const std::string name = spec.name;
          for (int i = 2; !names.insert(spec.name).second; ++i) {
            spec.name = fmt::format("{}-{}", name, i);
          }
        }
        return std::move(specs);
      }()),
      options_(options),
      log_(log),
      metrics_(metrics) {
  std::vector<std::shared_ptr<ServedModel>> models;
  for (const ModelSpec& spec : specs_) {
    models.push_back(
        std::make_shared<ServedModel>(spec, options.search, options.dtype));
  }
  for (auto& model : models) {
    log_.Info("model", model->description());
    queues_.push_back(
        std::make_unique<ModelQueue>(std::move(model), options, metrics));
  }
}

Engine::~Engine() {
  if (reloader_.joinable()) reloader_.join();
}

ModelQueue* Engine::Find(const std::string& name) const {
  for (const auto& queue : queues_) {
    if (queue->model()->name() == name) return queue.get();
  }
  return nullptr;
}

ModelQueue* Engine::Find(const LanguagePair& languages) const {
  for (const auto& queue : queues_) {
    const auto model = queue->model();
    if (model->translates() && model->languages().source == languages.source &&
        model->languages().target == languages.target) {
      return queue.get();
    }
  }
  return nullptr;
}

void Engine::Reload(std::function<void()> done) {
  const std::lock_guard lock(reload_mutex_);
  reload_again_ = true;
  reloaded_ = std::move(done);
  if (reloading_) return;
  if (reloader_.joinable()) reloader_.join();
  reloading_ = true;
  reloader_ = std::thread([this] { ReloadAll(); });
}

void Engine::ReloadAll() {
  while (true) {
    {
      const std::lock_guard lock(reload_mutex_);
      if (!reload_again_) {
        reloading_ = false;
        if (reloaded_) reloaded_();
        return;
      }
      reload_again_ = false;
    }
    for (size_t i = 0; i < specs_.size(); ++i) {
      const std::string& name = specs_[i].name;
      bool succeeded = false;
      try {
        auto model = std::make_shared<ServedModel>(specs_[i], options_.search,
                                                   options_.dtype);
        const std::string task = queues_[i]->model()->task_name();
        if (model->task_name() != task) {
          throw ConfigError(
              fmt::format("{}: holds a model for task '{}' now, "
                          "not '{}'",
                          specs_[i].folder, model->task_name(), task));
        }
        log_.Info("reloaded", model->description());
        queues_[i]->Replace(std::move(model));
        succeeded = true;
      } catch (const std::exception& error) {
        log_.Error("not reloaded", {{"model", name}, {"error", error.what()}});
      }
      metrics_.CountReload(name, succeeded);
    }
  }
}

}  // namespace heed
