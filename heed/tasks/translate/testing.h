// Settings of translation models for test runs of about a second.
#ifndef HEED_TASKS_TRANSLATE_TESTING_H_
#define HEED_TASKS_TRANSLATE_TESTING_H_

#include <string>

#include "heed/models/recurrent/recurrent_config.h"
#include "heed/tasks/testing.h"
#include "heed/tasks/translate/translation.h"

namespace heed::translate {

inline Config TinyConfig(const std::string& out) {
  Config config;
  config.model.As<RecurrentConfig>().embedding = 12;
  config.model.As<RecurrentConfig>().units = 16;
  config.model.As<RecurrentConfig>().dropout = 0.1;
  config.data.vocabulary = "words";
  config.data.batch_sentences = 16;
  config.optimizer.learning_rate = 0.01;
  config.run.out = out;
  config.run.epochs = 2;
  config.run.metric = "loss";
  config.run.patience = 0;
  config.run.quiet = true;
  return config;
}

}  // namespace heed::translate

#endif  // HEED_TASKS_TRANSLATE_TESTING_H_
