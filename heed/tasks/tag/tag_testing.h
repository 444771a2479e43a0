// Shared code of tests of taggers.
#ifndef HEED_TASKS_TAG_TAG_TESTING_H_
#define HEED_TASKS_TAG_TAG_TESTING_H_

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "heed/base/rng.h"
#include "heed/base/testing.h"
#include "heed/tasks/slots/slots.h"
#include "heed/tasks/tag/tag.h"
#include "heed/tasks/testing.h"

namespace heed::tag {

using Strings = std::vector<std::string>;

/// Sentences of names and verbs: a name after "in" is a place, otherwise a
/// person.
inline std::vector<TaggedSentence> People(int count, uint64_t seed) {
  const Strings names = {"Anna", "Paris", "Georgia", "Chelsea", "Florence"};
  const Strings verbs = {"sleeps", "eats", "sings"};
  Rng rng(seed);
  std::vector<TaggedSentence> sentences;
  for (int i = 0; i < count; ++i) {
    const std::string& verb = verbs[rng.Below(3)];
    sentences.push_back({{names[rng.Below(5)], verb}, {"B-PER", "O"}, verb});
    TaggedSentence& s = sentences.back();
    if (rng.Below(2) == 1) {
      s.words.insert(s.words.end(), {"in", "New", names[rng.Below(5)]});
      s.tags.insert(s.tags.end(), {"O", "B-LOC", "I-LOC"});
    }
  }
  return sentences;
}

inline std::string Columns(const std::vector<TaggedSentence>& sentences) {
  std::string text;
  for (const TaggedSentence& s : sentences) {
    for (size_t t = 0; t < s.words.size(); ++t) {
      text += s.words[t] + "\t" + s.tags[t] + "\n";
    }
    text += "\n";
  }
  return text;
}

class Tagging : public testing::Test {
 protected:
  void SetUp() override { training_.run.out = folder_.Path("model"); }

  void MakeSmall(Settings& task) {
    SetPresetIfKnown(FieldsOf(*task.encoder), "units=12 dropout=0.1");
    task.input.features.word_embedding = 12;
    task.input.features.character_units = 8;
    task.data.batch_sentences = 16;
    task.SetDefaults(training_);
    training_.optimizer.learning_rate = 0.02;
    training_.optimizer.warmup = 0;
    training_.run.epochs = 8;
    training_.run.quiet = true;
  }
  void UseColumns(Settings& task) {
    task.data.texts = {folder_.Put("a.conll", Columns(People(60, 1))),
                       folder_.Put("b.conll", Columns(People(40, 2)))};
    task.data.valid_texts = {
        folder_.Put("valid.conll", Columns(People(30, 3)))};
  }
  static std::map<std::string, double> Figures(const Report& report) {
    std::map<std::string, double> figures;
    for (const Figure& figure : report.figures) {
      figures[figure.key] = figure.value;
    }
    return figures;
  }
  static Report Evaluate(const LoadedModel& loaded, const std::string& path) {
    return EvaluateWith(loaded, {{"texts", path}});
  }

  TemporaryFolder folder_;
  TrainingConfig training_;
};

class Slots : public Tagging {
 protected:
  std::string Put(const std::string& name, int count, uint64_t seed) {
    std::string words;
    std::string tags;
    std::string labels;
    for (const TaggedSentence& s : People(count, seed)) {
      for (size_t t = 0; t < s.words.size(); ++t) {
        words += (t > 0 ? " " : "") + s.words[t];
        tags += (t > 0 ? " " : "") + s.tags[t];
      }
      words += "\n";
      tags += "\n";
      labels += s.label + "\n";
    }
    folder_.Put(name + ".seq.in", words);
    folder_.Put(name + ".seq.out", tags);
    folder_.Put(name + ".label", labels);
    return folder_.Path(name);
  }
};

}  // namespace heed::tag

#endif  // HEED_TASKS_TAG_TAG_TESTING_H_
