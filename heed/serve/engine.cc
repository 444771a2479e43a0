#include "heed/serve/engine.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "heed/base/errors.h"

namespace heed {
namespace {

/// For the log: the description without its examples, which may be files.
nlohmann::ordered_json AboutModel(const ServedModel& model) {
  nlohmann::ordered_json about = model.description();
  about.erase("examples");
  return about;
}

}  // namespace

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
    log_.Info("model", AboutModel(*model));
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
