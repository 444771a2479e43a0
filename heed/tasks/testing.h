// Text and settings for runs of a second.
#ifndef HEED_TASKS_TESTING_H_
#define HEED_TASKS_TESTING_H_

#include <algorithm>
#include <string>

#include "heed/base/rng.h"
#include "heed/base/testing.h"
#include "heed/models/recurrent_config.h"
#include "heed/tasks/translation.h"

namespace heed {

/// Two to four of the letters a to d, and the same from the end.
inline ParallelText ReversedLetters(int pairs, uint64_t seed) {
  Rng rng(seed);
  ParallelText text;
  for (int i = 0; i < pairs; ++i) {
    std::string letters;
    for (uint64_t n = 2 + rng.Below(3); n > 0; --n) {
      letters += static_cast<char>('a' + rng.Below(4));
      if (n > 1) letters += ' ';
    }
    text.source.push_back(letters);
    std::reverse(letters.begin(), letters.end());
    text.target.push_back(letters);
  }
  return text;
}

inline std::string AsLines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

inline TranslationConfig TinyConfig(const std::string& out) {
  TranslationConfig config;
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

}  // namespace heed

#endif  // HEED_TASKS_TESTING_H_
