#include "heed/tasks/tag.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/rng.h"
#include "heed/base/testing.h"
#include "heed/tasks/slots.h"

namespace heed {
namespace {

using Strings = std::vector<std::string>;

/// Sentences of names and verbs: a name behind "in" is a place, else a person.
std::vector<TaggedSentence> People(int count, uint64_t seed) {
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

std::string Columns(const std::vector<TaggedSentence>& sentences) {
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
    task.encoder.rnn.units = 12;
    task.encoder.rnn.dropout = 0.1;
    task.tagger.features.word_embedding = 12;
    task.tagger.features.character_units = 8;
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
    task.Predict(in, out);
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

TEST_F(Tagging, TrainsPredictsAndEvaluates) {
  TagTask task;
  MakeSmall(task);
  UseColumns(task);
  const TrainResult result = Train(task, training_);
  EXPECT_EQ(result.metric, "f1");
  EXPECT_GT(result.best, 97);

  const LoadedTask loaded = ReadTask(training_.run.out);
  EXPECT_EQ(loaded.task->name(), "tag");
  EXPECT_EQ(
      Predict(*loaded.task, "Paris eats in New Georgia\r\n\nGeorgia sings\n"),
      "B-PER O O B-LOC I-LOC\n\nB-PER O\n");
  const Report report =
      Evaluate(*loaded.task, folder_.Put("test.conll", Columns(People(50, 9))));
  const auto figures = Figures(report);
  EXPECT_GT(figures.at("f1"), 97);
  EXPECT_GT(figures.at("accuracy"), 97);
  EXPECT_GT(figures.at("sentence_accuracy"), 90);
  EXPECT_EQ(report.details["sentences"], 50);
  EXPECT_EQ(report.details["types"].size(), 2U);
  EXPECT_NE(report.text.find("LOC"), std::string::npos);
}

TEST_F(Tagging, WritesColumnsBack) {
  TagTask task;
  MakeSmall(task);
  UseColumns(task);
  Train(task, training_);
  const LoadedTask loaded = ReadTask(training_.run.out);
  const std::map<std::string, std::string> columns = {{"input", "columns"}};
  EXPECT_EQ(
      Predict(*loaded.task, "# x\nAnna\t?\nsleeps\t?\n\nAnna\t?\n", columns),
      "# x\nAnna\tB-PER\nsleeps\tO\n\nAnna\tB-PER\n");
  EXPECT_EQ(Predict(*loaded.task, "Anna\nsleeps\n", columns),
            "Anna B-PER\nsleeps O\n");
  EXPECT_EQ(MessageOf<FormatError>(
                [&] { Predict(*loaded.task, "a\tb\nc\n", columns); }),
            "standard input:2: 1 columns between tabs, but line 1 has 2");
  const std::string line =
      Predict(*loaded.task, "Anna sleeps\n",
              {{"input", "lines"}, {"probabilities", "true"}});
  double first = 0;
  double second = 0;
  ASSERT_EQ(std::sscanf(line.c_str(), "B-PER:%lf O:%lf\n", &first, &second), 2)
      << line;
  for (const double p : {first, second}) {
    EXPECT_GT(p, 0.3);
    EXPECT_LE(p, 1);
  }
}

TEST_F(Tagging, OfTagsThatSpellNoEntitiesMeasuresAccuracy) {
  std::vector<TaggedSentence> sentences = People(60, 1);
  for (TaggedSentence& s : sentences) {
    for (std::string& tag : s.tags) tag = tag == "O" ? "VERB" : "NOUN";
  }
  TagTask task;
  MakeSmall(task);
  task.SetText(sentences, sentences);
  EXPECT_EQ(task.Measures().front().name, "accuracy");
  const TrainResult result = TrainOnExamples(task, training_);
  EXPECT_EQ(result.metric, "accuracy");
  EXPECT_GT(result.best, 95);
}

TEST_F(Tagging, ReadsSentencesWithATransformerAndTagsEachWordByItself) {
  TagTask task;
  task.ChooseModel("transformer");
  MakeSmall(task);
  task.tagger.tag_decoder = "softmax";
  task.encoder.transformer.layers = 1;
  task.encoder.transformer.width = 16;
  task.encoder.transformer.ff = 32;
  task.encoder.transformer.heads = 2;
  task.encoder.transformer.dropout = 0;
  task.encoder.transformer.attention_dropout = 0;
  task.encoder.transformer.activation_dropout = 0;
  training_.optimizer.learning_rate = 0.01;
  UseColumns(task);
  const TrainResult result = Train(task, training_);
  EXPECT_GT(result.best, 90);
  EXPECT_EQ(ReadTask(training_.run.out).task->name(), "tag");
}

TEST_F(Tagging, UnknownTagsOfOtherTextsCountAsWrong) {
  TagTask task;
  MakeSmall(task);
  UseColumns(task);
  Train(task, training_);
  const LoadedTask loaded = ReadTask(training_.run.out);
  const auto figures = Figures(Evaluate(
      *loaded.task, folder_.Put("test.conll", "Anna\tB-NEW\nsleeps\tO\n")));
  EXPECT_EQ(figures.at("recall"), 0);
  EXPECT_EQ(figures.at("accuracy"), 50);
}

TEST_F(Tagging, RefusesWhatItCannotUse) {
  TagTask task;
  EXPECT_THROW(task.ChooseModel("bahdanau"), ConfigError);
  EXPECT_THROW(task.ReadExamples(), ConfigError);
  EXPECT_THROW(task.Evaluate(), ConfigError);
}

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

TEST_F(Slots, TrainPredictAndEvaluateWithIntents) {
  SlotsTask task;
  MakeSmall(task);
  task.data.texts = {Put("train", 100, 1)};
  task.data.valid_texts = {Put("valid", 30, 2)};
  const TrainResult result = Train(task, training_);
  EXPECT_EQ(result.metric, "joint_accuracy");
  EXPECT_GT(result.best, 95);

  const LoadedTask loaded = ReadTask(training_.run.out);
  EXPECT_EQ(loaded.task->name(), "slots");
  EXPECT_EQ(Predict(*loaded.task, "Paris eats in New Georgia\nAnna sings\n"),
            "eats\tB-PER O O B-LOC I-LOC\nsings\tB-PER O\n");
  const auto figures = Figures(Evaluate(*loaded.task, Put("test", 40, 9)));
  EXPECT_GT(figures.at("f1"), 97);
  EXPECT_GT(figures.at("intent_accuracy"), 97);
  EXPECT_GT(figures.at("joint_accuracy"), 90);
}

}  // namespace
}  // namespace heed
