// Models that a demonstration trains without a folder.
#ifndef HEED_DEMOS_TRAINED_IN_MEMORY_H_
#define HEED_DEMOS_TRAINED_IN_MEMORY_H_

#include <memory>
#include <string>
#include <utility>

#include "heed/models/preset.h"
#include "heed/tasks/run.h"
#include "heed/train/in_memory.h"

namespace heed {

/// The model of this name, of the task of these settings, trained in memory for
/// at most `epochs`, with early stopping after `patience` validations (0:
/// none). `preset`: settings of the model.
template <class Settings, class Data>
LoadedModel TrainedInMemory(const std::string& name, const Data& data,
                            int epochs, int patience, uint64_t seed,
                            const std::string& preset = "") {
  auto settings = std::make_unique<Settings>();
  settings->ChooseModel(name);
  SetPreset(FieldsOf(*settings), preset);
  settings->Resolve();
  LoadedModel loaded;
  settings->SetDefaults(loaded.training);
  loaded.training.run.epochs = epochs;
  loaded.training.run.patience = patience;
  loaded.training.run.seed = seed;
  auto model = settings->MakeModel(data, seed);
  const auto objective = settings->MakeObjective(data, *model, seed);
  TrainInMemory(*objective, loaded.training);
  loaded.settings = std::move(settings);
  loaded.model = std::move(model);
  return loaded;
}

}  // namespace heed

#endif  // HEED_DEMOS_TRAINED_IN_MEMORY_H_
