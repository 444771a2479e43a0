// Training configurations of demonstrations that keep their models.
#ifndef HEED_COURSE_TRAINING_IN_H_
#define HEED_COURSE_TRAINING_IN_H_

#include <cstdint>
#include <string>
#include <utility>

#include "course/demos.h"
#include "heed/models/preset.h"
#include "heed/tasks/translate/translation.h"

namespace heed {

/// Returns the task's default training into `folder`, overwriting an older
/// model.
inline TrainingConfig TrainingIn(std::string folder, const TaskSettings& task,
                                 int epochs, uint64_t seed) {
  TrainingConfig training;
  task.SetDefaults(training);
  training.run.out = std::move(folder);
  training.run.overwrite = true;
  training.run.epochs = epochs;
  training.run.seed = seed;
  return training;
}

/// Returns a word-level translator with these settings ("units=32 epochs=3"),
/// in a subfolder named like the model.
inline translate::Config TranslatorIn(const DemoOptions& demo,
                                      const std::string& model,
                                      const std::string& settings) {
  translate::Config config;
  config.model.Choose(model);
  SetPreset(FieldsOf(config),
            "vocabulary=words schedule=cosine label_smoothing=0 metric=loss "
            "patience=0 " +
                settings);
  config.run.out = demo.out + "/" + model;
  config.run.overwrite = true;
  config.run.seed = demo.seed;
  config.run.threads = demo.threads;
  return config;
}

}  // namespace heed

#endif  // HEED_COURSE_TRAINING_IN_H_
