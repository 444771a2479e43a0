// What tests of taggers share.
#ifndef HEED_TASKS_TAG_TESTING_H_
#define HEED_TASKS_TAG_TESTING_H_

#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "heed/base/rng.h"
#include "heed/base/testing.h"
#include "heed/models/rnn_config.h"
#include "heed/tasks/slots.h"
#include "heed/tasks/tag.h"

namespace heed {

using Strings = std::vector<std::string>;

/// Sentences of names and verbs: a name behind "in" is a place, else a person.
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

  void MakeSmall(TagTask& task) {
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
  void UseColumns(TagTask& task) {
    task.data.texts = {folder_.Put("a.conll", Columns(People(60, 1))),
                       folder_.Put("b.conll", Columns(People(40, 2)))};
    task.data.valid_texts = {
        folder_.Put("valid.conll", Columns(People(30, 3)))};
  }
  static void Set(FieldList& fields, const std::string& key,
                  const std::string& value) {
    for (const Field& field : fields.fields()) {
      if (field.key == key) return field.SetText({value}, key);
    }
    FAIL() << "no option " << key;
  }
  static std::string Predict(
      Task& task, const std::string& input,
      const std::map<std::string, std::string>& options = {}) {
    FieldList fields;
    task.VisitPredict(fields);
    for (const auto& [key, value] : options) Set(fields, key, value);
    std::istringstream in(input);
    std::ostringstream out;
    PredictStream(task, {}, in, out);
    return out.str();
  }
  static std::map<std::string, double> Figures(const Report& report) {
    std::map<std::string, double> figures;
    for (const Figure& figure : report.figures) {
      figures[figure.key] = figure.value;
    }
    return figures;
  }
  static Report Evaluate(Task& task, const std::string& path) {
    FieldList fields;
    task.VisitEvaluate(fields);
    Set(fields, "texts", path);
    return task.Evaluate();
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

}  // namespace heed

#endif  // HEED_TASKS_TAG_TESTING_H_
