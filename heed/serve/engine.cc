#include "heed/serve/engine.h"

#include <optional>
#include <utility>

#include "heed/base/errors.h"

namespace heed {
namespace {

/// Description for the log, without examples, which may be files.
nlohmann::ordered_json AboutModel(const ServedModel& model) {
  nlohmann::ordered_json about = model.description();
  about.erase("examples");
  return about;
}

/// Logs a warning if the languages of a translator are unknown.
void WarnOfLanguages(const ServedModel& model, Log& log) {
  log.Warning("languages unknown",
              {{"model", model.name()},
               {"source", model.languages().source},
               {"target", model.languages().target},
               {"advice",
                "its training file names do not give its languages: start it "
                "as en-de=DIR, or train it with --source-language and "
                "--target-language; until then it accepts any language on the "
                "unknown side, if it is the only such model"}});
}

}  // namespace

Engine::Engine(std::vector<ModelSpec> specs, const EngineOptions& options,
               Log& log, ServerMetrics& metrics)
    : specs_([&] {
        NameModels(specs);
        return std::move(specs);
      }()),
      options_(options),
      log_(log),
      metrics_(metrics) {
  std::vector<std::shared_ptr<ServedModel>> models;
  for (const ModelSpec& spec : specs_) {
    models.push_back(std::make_shared<ServedModel>(
        spec, options.search, options.dtype, options.activations));
  }
  for (auto& model : models) {
    log_.Info("model", AboutModel(*model));
    if (model->has_unknown_languages()) WarnOfLanguages(*model, log_);
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
  ModelQueue* nearest = nullptr;
  std::optional<int> min;
  int unknown = 0;
  for (const auto& queue : queues_) {
    const auto model = queue->model();
    const std::optional<int> distance =
        model->translates() ? model->DistanceTo(languages) : std::nullopt;
    if (!distance) continue;
    if (*distance >= ServedModel::kUnknownDistance) ++unknown;
    if (!min || *distance < *min) {
      min = distance;
      nearest = queue.get();
    }
  }
  const bool guessed = min && *min >= ServedModel::kUnknownDistance;
  return guessed && unknown > 1 ? nullptr : nearest;
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
        auto model = std::make_shared<ServedModel>(
            specs_[i], options_.search, options_.dtype, options_.activations);
        const std::string task = queues_[i]->model()->task().name;
        if (model->task().name != task) {
          throw ConfigError(
              "{}: holds a model for task '{}' now, "
              "not '{}'",
              specs_[i].folder, model->task().name, task);
        }
        log_.Info("reloaded", AboutModel(*model));
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
