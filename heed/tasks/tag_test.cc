#include "heed/tasks/tag.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/rng.h"
#include "heed/base/testing.h"
#include "heed/io/file.h"
#include "heed/tasks/pretrain.h"
#include "heed/tasks/pretrained.h"
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

/// Words in a random order with a random spelling; what an animal is, only
/// their vectors tell.
TEST_F(Tagging, LearnsFromVectorsWhatItHasNotSeen) {
  const auto sentences = [](const std::string& prefix, uint64_t seed) {
    Rng rng(seed);
    std::vector<TaggedSentence> all;
    for (int i = 0; i < 60; ++i) {
      TaggedSentence& s = all.emplace_back();
      for (int t = 0; t < 4; ++t) {
        const uint64_t word = rng.Below(20);
        s.words.push_back(fmt::format("{}{}", prefix, word));
        s.tags.emplace_back(word % 2 == 0 ? "B-ANIMAL" : "O");
      }
    }
    return all;
  };
  std::string vectors;
  for (const char* prefix : {"a", "b"}) {
    for (int word = 0; word < 20; ++word) {
      vectors += fmt::format("{}{} {} 0.5\n", prefix, word,
                             word % 2 == 0 ? 1 + 0.01 * word : -1);
    }
  }
  TagTask task;
  MakeSmall(task);
  task.input.features.characters = "none";
  task.input.words.normalize_words = false;
  task.input.words.word_vectors = folder_.Put("vectors.txt", vectors);
  task.SetText(sentences("a", 1), {});
  TrainOnExamples(task, training_);
  std::filesystem::remove(folder_.Path("vectors.txt"));

  const LoadedTask loaded = ReadTask(training_.run.out);
  const Report report = Evaluate(
      *loaded.task, folder_.Put("test.conll", Columns(sentences("b", 2))));
  EXPECT_GT(Figures(report).at("f1"), 97);

  folder_.Put("model/word_vectors.safetensors", "damaged");
  EXPECT_NE(MessageOf<FormatError>([&] {
              ReadTask(training_.run.out);
            }).find("word_vectors.safetensors: damaged"),
            std::string::npos);
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

/// The sentences in one.
TaggedSentence Joined(const std::vector<TaggedSentence>& sentences) {
  TaggedSentence all;
  for (const TaggedSentence& s : sentences) {
    all.words.insert(all.words.end(), s.words.begin(), s.words.end());
    all.tags.insert(all.tags.end(), s.tags.begin(), s.tags.end());
    all.label = s.label;
  }
  return all;
}

std::string Line(const Strings& words, size_t begin, size_t end) {
  std::string line;
  for (size_t i = begin; i < end; ++i) {
    line += (i > begin ? " " : "") + words[i];
  }
  return line;
}

constexpr int kPositions = 16;

/// In training, names tell the intent as well as the words around them do; in
/// the test they tell the other one.
TEST_F(Slots, ScrambledNamesLeaveTheIntentToTheWordsAroundThem) {
  const auto sentences = [](bool swapped) {
    std::vector<TaggedSentence> all;
    for (int i = 0; i < 40; ++i) {
      for (const bool watch : {true, false}) {
        const std::string name =
            fmt::format("{}{}", watch != swapped ? "film" : "song", i);
        all.push_back({{"please", watch ? "show" : "play", name, name},
                       {"O", "O", "B-NAME", "I-NAME"},
                       watch ? "watch" : "hear"});
      }
    }
    return all;
  };
  const auto accuracy = [&](double scramble) {
    SlotsTask task;
    MakeSmall(task);
    training_.run.overwrite = true;
    task.data.scramble_mentions = scramble;
    task.SetText(sentences(false), sentences(true));
    TrainOnExamples(task, training_);
    for (const auto& [name, value] : task.Validate("")) {
      if (name == "intent_accuracy") return value;
    }
    return -1.0;
  };
  EXPECT_LT(accuracy(0), 70);
  EXPECT_GT(accuracy(0.7), 95);
}

class FineTuning : public Slots {
 protected:
  /// A BERT that has read a little of such sentences.
  void SetUp() override {
    Slots::SetUp();
    PretrainTask task;
    MakeSmall(task.transformer);
    task.data.instances.max_length = kPositions;
    task.data.instances.duplicates = 2;
    task.data.vocabulary.vocabulary_size = 200;
    task.data.batch_texts = 16;
    std::string text;
    for (const TaggedSentence& s : People(200, 5)) {
      text += Line(s.words, 0, s.words.size()) + ".\n\n";
    }
    task.data.texts = {folder_.Put("text.txt", text)};
    TrainingConfig training;
    task.SetDefaults(training);
    training.run.out = bert_;
    training.run.steps = 20;
    training.run.quiet = true;
    Train(task, training);
  }
  static void MakeSmall(TransformerConfig& config) {
    config.width = 32;
    config.ff = 64;
    config.layers = 2;
    config.max_positions = kPositions;
    config.dropout = config.attention_dropout = 0;
  }
  void Tune(TagTask& task) {
    task.pretrained = bert_;
    task.data.batch_sentences = 16;
    task.SetDefaults(training_);
    training_.optimizer.learning_rate = 0.005;
    training_.optimizer.warmup = 20;
    training_.run.epochs = 8;
    training_.run.quiet = true;
  }

  const std::string bert_ = folder_.Path("bert");
};

TEST_F(FineTuning, TagsWordsByTheirFirstPieces) {
  TagTask task;
  Tune(task);
  UseColumns(task);
  EXPECT_GT(Train(task, training_).best, 99);

  std::filesystem::remove_all(bert_);
  const LoadedTask loaded = ReadTask(training_.run.out);
  EXPECT_EQ(
      Predict(*loaded.task, "Paris eats in New Georgia\n\nGeorgia sings\n"),
      "B-PER O O B-LOC I-LOC\n\nB-PER O\n");
  const auto figures = Figures(Evaluate(
      *loaded.task, folder_.Put("test.conll", Columns(People(50, 9)))));
  EXPECT_GT(figures.at("f1"), 99);
  EXPECT_GT(figures.at("accuracy"), 99);
  EXPECT_EQ(loaded.task->Sizes()[0].first, "vocabulary");
  // Words of several tokens, or of none, have one tag, too.
  const std::string tags = Predict(*loaded.task, "U.S. \x01 xyz\n");
  EXPECT_EQ(std::count(tags.begin(), tags.end(), ' '), 2) << tags;
}

TEST_F(FineTuning, StartsWithTheWeightsOfPreTraining) {
  SlotsTask task;
  Tune(task);
  task.SetText(People(20, 1), {});
  task.Resolve();
  task.LearnVocabularies();
  EXPECT_EQ(task.encoder.model, "bert-tiny");
  EXPECT_EQ(task.encoder.transformer.width, 32);
  task.MakeModel(3);
  task.StartWeights();
  const Pretrained pretrained = ReadPretrained(bert_);
  size_t taken = 0;
  for (const auto& parameter : task.parameters().all()) {
    const std::string& name = parameter->name();
    if (!name.starts_with("encoder.") && !name.starts_with("pooler.")) continue;
    ++taken;
    EXPECT_EQ(parameter->value().ToVector<float>(),
              FindTensor(pretrained.weights, name, parameter->value(), "BERT")
                  .ToVector<float>())
        << name;
  }
  // The heads of pre-training stay behind: words.* and next.*.
  EXPECT_EQ(taken, pretrained.weights.size() - 7);
  EXPECT_NE(task.parameters().Find("pooler.weight"), nullptr);
  EXPECT_NE(task.parameters().Find("crf.between"), nullptr);
}

TEST_F(FineTuning, LongSentencesAreReadInParts) {
  TagTask task;
  Tune(task);
  task.tagger.tag_decoder = "softmax";
  task.data.batch_sentences = 4;
  training_.run.epochs = 15;
  std::vector<TaggedSentence> sentences = People(30, 1);
  for (uint64_t seed = 0; seed < 60; ++seed) {
    sentences.push_back(Joined(People(9, 100 + seed)));
  }
  task.data.texts = {folder_.Put("train.conll", Columns(sentences))};
  task.data.valid_texts = task.data.texts;
  EXPECT_GT(Train(task, training_).best, 98);
  const LoadedTask loaded = ReadTask(training_.run.out);
  const TaggedSentence joined = Joined(People(40, 8));
  ASSERT_GT(std::ssize(joined.words), 5 * kPositions);
  const auto figures = Figures(
      Evaluate(*loaded.task, folder_.Put("test.conll", Columns({joined}))));
  EXPECT_GT(figures.at("accuracy"), 98);
}

TEST_F(FineTuning, ReadsFewerPiecesAtOnceIfAsked) {
  TagTask task;
  Tune(task);
  task.tagger.tag_decoder = "softmax";
  task.input.max_length = 4;
  UseColumns(task);
  training_.run.epochs = 1;
  Train(task, training_);
  const LoadedTask loaded = ReadTask(training_.run.out);
  const auto probabilities = [&](const std::string& lines) {
    std::string all = Predict(*loaded.task, lines, {{"probabilities", "true"}});
    std::replace(all.begin(), all.end(), ':', ' ');
    std::istringstream stream(all);
    std::vector<double> numbers;
    std::string tag;
    for (double p = 0; stream >> tag >> p;) numbers.push_back(p);
    return numbers;
  };
  const auto whole = probabilities("Anna eats in New Paris\n");
  const auto parts = probabilities("Anna eats\nin New\nParis\n");
  ASSERT_EQ(whole.size(), 5U);
  ASSERT_EQ(parts.size(), 5U);
  for (size_t t = 0; t < 5; ++t) EXPECT_NEAR(whole[t], parts[t], 2e-4);
}

TEST_F(FineTuning, ResumesToTheSameWeightsWithoutThePreTrainedFolder) {
  const auto run = [this](const std::string& out, int64_t steps) {
    SlotsTask task;
    Tune(task);
    task.tagger.output_dropout = 0.1;
    task.data.replace_mentions = 0.5;
    training_.optimizer.schedule = "constant";
    task.data.texts = {Put("train", 60, 1)};
    task.data.valid_texts = {Put("valid", 20, 2)};
    training_.run.out = folder_.Path(out);
    training_.run.epochs = 2;
    training_.run.validate_every = 1;
    training_.run.steps = steps;
    Train(task, training_);
  };
  const auto resume = [this](const std::string& out) {
    ModelDescription description = ReadModelConfig(folder_.Path(out));
    description.settings["steps"] = 0;
    WriteModelConfig(folder_.Path(out), description);
    Resume(folder_.Path(out), true);
    for (const char* file : {"model.safetensors", "training.safetensors"}) {
      EXPECT_TRUE(ReadFile(folder_.Path("whole/" + std::string(file))) ==
                  ReadFile(folder_.Path(out + "/" + file)))
          << out << " " << file;
    }
  };
  run("whole", 0);
  // As after a kill before anything was written but the settings.
  run("begun", 1);
  for (const char* file : {"model.safetensors", "training.safetensors"}) {
    std::filesystem::remove(folder_.Path("begun/" + std::string(file)));
  }
  resume("begun");
  run("stopped", 3);
  std::filesystem::remove_all(bert_);
  resume("stopped");
}

TEST_F(FineTuning, TheIntentIsReadFromTheMarkAtTheStart) {
  SlotsTask task;
  Tune(task);
  training_.run.epochs = 25;
  training_.run.patience = 0;
  task.data.texts = {Put("train", 100, 1)};
  task.data.valid_texts = {Put("valid", 30, 2)};
  const TrainResult result = Train(task, training_);
  EXPECT_EQ(result.metric, "joint_accuracy");
  EXPECT_GT(result.best, 99);
  const LoadedTask loaded = ReadTask(training_.run.out);
  EXPECT_EQ(Predict(*loaded.task, "Paris eats in New Georgia\nAnna sings\n"),
            "eats\tB-PER O O B-LOC I-LOC\nsings\tB-PER O\n");
  EXPECT_NE(loaded.task->parameters().Find("pooler.weight"), nullptr);
}

TEST_F(Tagging, RefusesToReplaceMentionsWhereThereAreNone) {
  TagTask task;
  MakeSmall(task);
  task.data.replace_mentions = 0.5;
  task.data.texts = {
      folder_.Put("pos.conll", "he\tPRON\nran\tVERB\n\nhe\tPRON\nran\tVERB\n")};
  EXPECT_NE(MessageOf<ConfigError>([&] {
              Train(task, training_);
            }).find("replace_mentions"),
            std::string::npos);
}

TEST_F(FineTuning, RefusesAFolderThatIsMissingOrOfAnotherTask) {
  TagTask task;
  Tune(task);
  UseColumns(task);
  task.pretrained = folder_.Path("nowhere");
  EXPECT_NE(MessageOf<IoError>([&] { Train(task, training_); }).find("nowhere"),
            std::string::npos);
  TagTask other;
  Tagging::MakeSmall(other);
  UseColumns(other);
  training_.run.epochs = 1;
  Train(other, training_);
  task.pretrained = training_.run.out;
  training_.run.out = folder_.Path("none");
  EXPECT_NE(MessageOf<FormatError>([&] {
              Train(task, training_);
            }).find("holds a model for task 'tag'"),
            std::string::npos);
}

TEST_F(FineTuning, RefusesToReadMoreThanTheModelHasPositionsFor) {
  TagTask task;
  Tune(task);
  UseColumns(task);
  task.input.max_length = kPositions + 1;
  EXPECT_EQ(MessageOf<ConfigError>([&] { Train(task, training_); }),
            "max_length: 17 tokens, but the model knows 16 positions");
  task.input.max_length = 2;
  EXPECT_THROW(Train(task, training_), ConfigError);
}

TEST_F(Tagging, ABertReadsPiecesAlsoWhenNothingWasPreTrained) {
  TagTask task;
  task.ChooseModel("bert-tiny");
  std::set<std::string> options;
  FieldList fields;
  task.Visit(fields);
  for (const Field& field : fields.fields()) options.insert(field.key);
  EXPECT_TRUE(options.contains("vocabulary_size"));
  EXPECT_FALSE(options.contains("word_embedding"));
  task.SetDefaults(training_);
  EXPECT_LT(training_.optimizer.learning_rate, 1e-3);
  training_.optimizer.learning_rate = 0.005;
  training_.run.epochs = 8;
  training_.run.quiet = true;
  task.encoder.transformer.width = 32;
  task.encoder.transformer.ff = 64;
  task.encoder.transformer.dropout = 0;
  task.data.batch_sentences = 16;
  task.input.vocabulary.vocabulary_size = 200;
  UseColumns(task);
  EXPECT_GT(Train(task, training_).best, 97);
  const LoadedTask loaded = ReadTask(training_.run.out);
  EXPECT_EQ(Predict(*loaded.task, "Anna eats\n"), "B-PER O\n");
}

}  // namespace
}  // namespace heed
