// Taggers that start from a BERT.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "heed/base/errors.h"
#include "heed/io/file.h"
#include "heed/tasks/pretrain/pretrain.h"
#include "heed/tasks/pretrained.h"
#include "heed/tasks/slots/slots.h"
#include "heed/tasks/tag/tag_testing.h"

namespace heed::tag {
namespace {

/// Concatenates sentences.
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

class FineTuning : public Slots {
 protected:
  /// Trains a small BERT on similar sentences.
  void SetUp() override {
    Slots::SetUp();
    pretrain::Settings task;
    MakeSmall(task.model.As<TransformerConfig>());
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
  void Tune(Settings& task) {
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
  Settings task;
  Tune(task);
  UseColumns(task);
  EXPECT_GT(Train(task, training_).best, 99);

  std::filesystem::remove_all(bert_);
  const LoadedModel loaded = ReadModel(training_.run.out);
  EXPECT_EQ(
      PredictLines(loaded, "Paris eats in New Georgia\n\nGeorgia sings\n"),
      "B-PER O O B-LOC I-LOC\n\nB-PER O\n");
  const auto figures = Figures(
      Evaluate(loaded, folder_.Put("test.conll", Columns(People(50, 9)))));
  EXPECT_GT(figures.at("f1"), 99);
  EXPECT_GT(figures.at("accuracy"), 99);
  EXPECT_EQ(loaded.model->Sizes()[0].first, "vocabulary");
  // Words of several tokens, or of none, have one tag each.
  const std::string tags = PredictLines(loaded, "U.S. \x01 xyz\n");
  EXPECT_EQ(std::count(tags.begin(), tags.end(), ' '), 2) << tags;
}

TEST_F(FineTuning, StartsWithTheWeightsOfPreTraining) {
  slots::Settings task;
  Tune(task);
  task.TakePretrained();
  task.Resolve();
  EXPECT_EQ(task.encoder.name(), "bert-tiny");
  EXPECT_EQ(task.encoder.As<TransformerConfig>().width, 32);
  const auto model = task.MakeModel({People(20, 1), {}}, 3);
  const PretrainedEncoder pretrained = ReadPretrained(bert_);
  size_t taken = 0;
  for (const auto& parameter : model->parameters().all()) {
    const std::string& name = parameter->name();
    if (!name.starts_with("encoder.") && !name.starts_with("pooler.")) continue;
    ++taken;
    EXPECT_EQ(parameter->value().ToVector<float>(),
              FindTensor(pretrained.weights, name, parameter->value(), "BERT")
                  .ToVector<float>())
        << name;
  }
  // The output heads of pre-training are not copied: words.* and next.*.
  EXPECT_EQ(taken, pretrained.weights.size() - 7);
  EXPECT_NE(model->parameters().Find("pooler.weight"), nullptr);
  EXPECT_NE(model->parameters().Find("crf.between"), nullptr);
}

TEST_F(FineTuning, LongSentencesAreReadInParts) {
  Settings task;
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
  const LoadedModel loaded = ReadModel(training_.run.out);
  const TaggedSentence joined = Joined(People(40, 8));
  ASSERT_GT(std::ssize(joined.words), 5 * kPositions);
  const auto figures =
      Figures(Evaluate(loaded, folder_.Put("test.conll", Columns({joined}))));
  EXPECT_GT(figures.at("accuracy"), 98);
}

TEST_F(FineTuning, ReadsFewerPiecesAtOnceIfRequested) {
  Settings task;
  Tune(task);
  task.tagger.tag_decoder = "softmax";
  task.input.max_length = 4;
  UseColumns(task);
  training_.run.epochs = 1;
  Train(task, training_);
  const LoadedModel loaded = ReadModel(training_.run.out);
  const auto probabilities = [&](const std::string& lines) {
    std::string all = PredictLines(loaded, lines, {{"probabilities", "true"}});
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
    slots::Settings task;
    Tune(task);
    task.tagger.output_dropout = 0.1;
    task.data.replace_mentions = 0.5;
    training_.optimizer.schedule = Schedule::kConstant;
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
  // Simulates a kill after only the settings were written.
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
  slots::Settings task;
  Tune(task);
  training_.run.epochs = 25;
  training_.run.patience = 0;
  task.data.texts = {Put("train", 100, 1)};
  task.data.valid_texts = {Put("valid", 30, 2)};
  const TrainResult result = Train(task, training_);
  EXPECT_EQ(result.metric, "joint_accuracy");
  EXPECT_GT(result.best, 99);
  const LoadedModel loaded = ReadModel(training_.run.out);
  EXPECT_EQ(PredictLines(loaded, "Paris eats in New Georgia\nAnna sings\n"),
            "eats\tB-PER O O B-LOC I-LOC\nsings\tB-PER O\n");
  EXPECT_NE(loaded.model->parameters().Find("pooler.weight"), nullptr);
}

TEST_F(FineTuning, RefusesAFolderThatIsMissingOrOfAnotherTask) {
  Settings task;
  Tune(task);
  UseColumns(task);
  task.pretrained = folder_.Path("nowhere");
  EXPECT_NE(MessageOf<IoError>([&] { Train(task, training_); }).find("nowhere"),
            std::string::npos);
  Settings other;
  Tagging::MakeSmall(other);
  UseColumns(other);
  training_.run.epochs = 1;
  Train(other, training_);
  slots::Settings slots;
  EXPECT_NE(MessageOf<ConfigError>([&] {
              TakeSettings(slots, training_.run.out);
            }).find("holds a model for task 'tag'"),
            std::string::npos);
}

TEST_F(FineTuning, RefusesToReadMoreThanTheModelHasPositionsFor) {
  Settings task;
  Tune(task);
  UseColumns(task);
  task.input.max_length = kPositions + 1;
  EXPECT_EQ(MessageOf<ConfigError>([&] { Train(task, training_); }),
            "max_length: 17 tokens, but the model knows 16 positions");
  task.input.max_length = 2;
  EXPECT_THROW(Train(task, training_), ConfigError);
}

TEST_F(Tagging, ABertReadsPiecesAlsoWhenNothingWasPreTrained) {
  Settings task;
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
  task.encoder.As<TransformerConfig>().width = 32;
  task.encoder.As<TransformerConfig>().ff = 64;
  task.encoder.As<TransformerConfig>().dropout = 0;
  task.data.batch_sentences = 16;
  task.input.vocabulary.vocabulary_size = 200;
  UseColumns(task);
  EXPECT_GT(Train(task, training_).best, 97);
  const LoadedModel loaded = ReadModel(training_.run.out);
  EXPECT_EQ(PredictLines(loaded, "Anna eats\n"), "B-PER O\n");
}

}  // namespace
}  // namespace heed::tag
