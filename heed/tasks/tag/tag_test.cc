#include "heed/tasks/tag/tag.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/rng.h"
#include "heed/tasks/tag/tag_testing.h"

namespace heed::tag {
namespace {

TEST_F(Tagging, TrainsPredictsAndEvaluates) {
  Settings task;
  MakeSmall(task);
  UseColumns(task);
  const TrainResult result = Train(task, training_);
  EXPECT_EQ(result.metric, "f1");
  EXPECT_GT(result.best, 97);

  const LoadedModel loaded = ReadModel(training_.run.out);
  EXPECT_EQ(loaded.settings->task(), "tag");
  EXPECT_EQ(
      PredictLines(loaded, "Paris eats in New Georgia\r\n\nGeorgia sings\n"),
      "B-PER O O B-LOC I-LOC\n\nB-PER O\n");
  const Report report =
      Evaluate(loaded, folder_.Put("test.conll", Columns(People(50, 9))));
  const auto figures = Figures(report);
  EXPECT_GT(figures.at("f1"), 97);
  EXPECT_GT(figures.at("accuracy"), 97);
  EXPECT_GT(figures.at("sentence_accuracy"), 90);
  EXPECT_EQ(report.details["sentences"], 50);
  EXPECT_EQ(report.details["types"].size(), 2U);
  EXPECT_NE(report.text.find("LOC"), std::string::npos);
  EXPECT_THROW(EvaluateWith(loaded, {}), ConfigError);

  // Invisible characters make no difference.
  EXPECT_EQ(
      PredictLines(loaded, "\uFEFFParis\u00A0eats in\u3000New Geo\u00ADrgia\n"),
      "B-PER O O B-LOC I-LOC\n");

  // JSON answers have probabilities and positions of words.
  const std::vector<Input> inputs = {{"Zoë sings  in New Georgia"}};
  const Answer answer = loaded.MakePredictor()->Predict(inputs).at(0);
  const auto& parts = answer.parts;
  EXPECT_EQ(parts["words"][3], "New");
  EXPECT_EQ(parts["tags"][4], "I-LOC");
  ASSERT_EQ(parts["probabilities"].size(), 5U);
  EXPECT_GT(parts["probabilities"][4], 0.5);
  EXPECT_EQ(parts["offsets"][4], nlohmann::ordered_json({18, 25}));
  const auto& place = parts["entities"].back();
  EXPECT_EQ(place["type"], "LOC");
  EXPECT_EQ(place["text"], "New Georgia");
  EXPECT_EQ(place["start"], 14);
  EXPECT_FALSE(parts.contains("intent"));
}

TEST_F(Tagging, WritesColumnsBack) {
  Settings task;
  MakeSmall(task);
  UseColumns(task);
  Train(task, training_);
  const LoadedModel loaded = ReadModel(training_.run.out);
  const std::map<std::string, std::string> columns = {{"input", "columns"}};
  EXPECT_EQ(
      PredictLines(loaded, "# x\nAnna\t?\nsleeps\t?\n\nAnna\t?\n", columns),
      "# x\nAnna\tB-PER\nsleeps\tO\n\nAnna\tB-PER\n");
  EXPECT_EQ(PredictLines(loaded, "Anna\nsleeps\n", columns),
            "Anna B-PER\nsleeps O\n");
  EXPECT_EQ(MessageOf<FormatError>(
                [&] { PredictLines(loaded, "a\tb\nc\n", columns); }),
            "standard input:2: 1 columns between tabs, but line 1 has 2");
  const std::string line = PredictLines(
      loaded, "Anna sleeps\n", {{"input", "lines"}, {"probabilities", "true"}});
  double first = 0;
  double second = 0;
  ASSERT_EQ(std::sscanf(line.c_str(), "B-PER:%lf O:%lf\n", &first, &second), 2)
      << line;
  for (const double p : {first, second}) {
    EXPECT_GT(p, 0.3);
    EXPECT_LE(p, 1);
  }
}

/// Words are in random order and have random letters, so only word vectors tell
/// the type of an animal.
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
  Settings task;
  MakeSmall(task);
  task.input.features.characters = CharacterEncoder::kNone;
  task.input.words.normalize_words = false;
  task.input.words.word_vectors = folder_.Put("vectors.txt", vectors);
  TrainOn(task, {sentences("a", 1), {}}, training_);
  std::filesystem::remove(folder_.Path("vectors.txt"));

  const LoadedModel loaded = ReadModel(training_.run.out);
  const Report report =
      Evaluate(loaded, folder_.Put("test.conll", Columns(sentences("b", 2))));
  EXPECT_GT(Figures(report).at("f1"), 97);

  folder_.Put("model/word_vectors.safetensors", "damaged");
  EXPECT_NE(MessageOf<FormatError>([&] {
              ReadModel(training_.run.out);
            }).find("word_vectors.safetensors: damaged"),
            std::string::npos);
}

/// In training, the type of a name follows from the name and from the word
/// before it. In the test the name suggests the wrong type.
TEST_F(Tagging, RareWordDropoutLeavesNamesToTheWordsAroundThem) {
  const auto sentences = [](bool swapped) {
    std::vector<TaggedSentence> all;
    for (int i = 0; i < 60; ++i) {
      for (const bool place : {true, false}) {
        const std::string name =
            fmt::format("{}{}", place != swapped ? "town" : "person", i % 3);
        all.push_back({{"so", place ? "in" : "with", name},
                       {"O", "O", place ? "B-LOC" : "B-PER"},
                       ""});
      }
    }
    return all;
  };
  const std::string test = folder_.Put("test.conll", Columns(sentences(true)));
  const auto mean_f1 = [&](double alpha) {
    constexpr uint64_t kSeeds = 6;
    double sum = 0;
    for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
      training_.run.seed = seed;
      Settings task;
      MakeSmall(task);
      training_.run.overwrite = true;
      task.input.features.characters = CharacterEncoder::kNone;
      task.input.words.normalize_words = false;
      task.data.rare_word_dropout = alpha;
      TrainOn(task, {sentences(false), {}}, training_);
      sum += Figures(Evaluate(ReadModel(training_.run.out), test)).at("f1");
    }
    return sum / kSeeds;
  };
  EXPECT_GT(mean_f1(20), mean_f1(0) + 20);
}

TEST_F(Tagging, OfTagsThatSpellNoEntitiesMeasuresAccuracy) {
  std::vector<TaggedSentence> sentences = People(60, 1);
  for (TaggedSentence& s : sentences) {
    for (std::string& tag : s.tags) tag = tag == "O" ? "VERB" : "NOUN";
  }
  Settings task;
  MakeSmall(task);
  const Data data = {sentences, sentences};
  EXPECT_EQ(task.Measures(data).front().name, "accuracy");
  const TrainResult result = TrainOn(task, data, training_);
  EXPECT_EQ(result.metric, "accuracy");
  EXPECT_GT(result.best, 95);
}

TEST_F(Tagging, ReadsSentencesWithATransformerAndTagsEachWordByItself) {
  Settings task;
  task.ChooseModel("transformer");
  MakeSmall(task);
  task.tagger.tag_decoder = "softmax";
  task.encoder.As<TransformerConfig>().layers = 1;
  task.encoder.As<TransformerConfig>().width = 16;
  task.encoder.As<TransformerConfig>().ff = 32;
  task.encoder.As<TransformerConfig>().heads = 2;
  task.encoder.As<TransformerConfig>().dropout = 0;
  task.encoder.As<TransformerConfig>().attention_dropout = 0;
  task.encoder.As<TransformerConfig>().activation_dropout = 0;
  training_.optimizer.learning_rate = 0.01;
  UseColumns(task);
  const TrainResult result = Train(task, training_);
  EXPECT_GT(result.best, 90);
  EXPECT_EQ(ReadModel(training_.run.out).settings->task(), "tag");
}

TEST_F(Tagging, UnknownTagsOfOtherTextsCountAsWrong) {
  Settings task;
  MakeSmall(task);
  UseColumns(task);
  Train(task, training_);
  const LoadedModel loaded = ReadModel(training_.run.out);
  const auto figures = Figures(
      Evaluate(loaded, folder_.Put("test.conll", "Anna\tB-NEW\nsleeps\tO\n")));
  EXPECT_EQ(figures.at("recall"), 0);
  EXPECT_EQ(figures.at("accuracy"), 50);
}

TEST_F(Tagging, ALossOverNoKnownTagIsNoFigure) {
  Settings task;
  MakeSmall(task);
  UseColumns(task);
  Train(task, training_);
  const LoadedModel loaded = ReadModel(training_.run.out);
  const Report none =
      Evaluate(loaded, folder_.Put("none.conll", "Anna\tB-X\nsleeps\tI-X\n"));
  EXPECT_TRUE(std::isnan(Figures(none).at("loss")));
  EXPECT_EQ(none.details["unknown_tags"], 2);
  // Only the sentence with known tags has a loss.
  const std::string known = "Anna\tB-PER\nsleeps\tO\n";
  const double loss =
      Figures(Evaluate(loaded, folder_.Put("a.conll", known))).at("loss");
  EXPECT_DOUBLE_EQ(
      Figures(Evaluate(loaded, folder_.Put("b.conll", known + "\nAnna\tB-X\n")))
          .at("loss"),
      loss);
}

TEST_F(Tagging, ComparesEntitiesOfOtherSchemes) {
  Settings task;
  MakeSmall(task);
  UseColumns(task);
  Train(task, training_);
  const LoadedModel loaded = ReadModel(training_.run.out);
  std::vector<TaggedSentence> gold = People(40, 9);
  const double f1 =
      Figures(Evaluate(loaded, folder_.Put("bio.conll", Columns(gold))))
          .at("f1");
  for (TaggedSentence& s : gold) {
    for (size_t t = 0; t < s.tags.size(); ++t) {
      const bool more = t + 1 < s.tags.size() && s.tags[t + 1][0] == 'I';
      std::string& tag = s.tags[t];
      if (tag[0] == 'B' && !more) tag[0] = 'U';
      if (tag[0] == 'I' && !more) tag[0] = 'L';
    }
  }
  const Report report =
      Evaluate(loaded, folder_.Put("bilou.conll", Columns(gold)));
  EXPECT_EQ(report.details["scheme"], "BILOU");
  EXPECT_DOUBLE_EQ(Figures(report).at("f1"), f1);
}

TEST_F(Tagging, NotesThatATextIsTaggedInAnotherSchemeThanTheModelAnswersIn) {
  Settings task;
  MakeSmall(task);
  UseColumns(task);
  Train(task, training_);
  const LoadedModel loaded = ReadModel(training_.run.out);
  std::vector<TaggedSentence> gold = People(40, 9);
  const auto printed = [&] {
    testing::internal::CaptureStderr();
    Evaluate(loaded, folder_.Put("test.conll", Columns(gold)));
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(printed(), "");
  for (TaggedSentence& s : gold) {
    for (std::string& tag : s.tags) {
      if (tag[0] == 'B') tag[0] = 'I';
    }
  }
  EXPECT_NE(
      printed().find("the model's answers are in IOB2, the text in IO: F1 "
                     "compares entities, accuracy tags as they are"),
      std::string::npos);
}

TEST_F(Tagging, OfATextWithoutEntitiesOnlyAccuracyIsMeasured) {
  Settings task;
  MakeSmall(task);
  UseColumns(task);
  Train(task, training_);
  const Report report =
      Evaluate(ReadModel(training_.run.out),
               folder_.Put("test.conll", "Anna\tO\nsleeps\tO\n"));
  const auto figures = Figures(report);
  for (const char* key : {"f1", "precision", "recall"}) {
    EXPECT_FALSE(figures.contains(key)) << key;
  }
  EXPECT_EQ(report.figures.front().key, "accuracy");
  EXPECT_EQ(report.figures.front().note,
            "of words; the text has no entities, so there is no F1");
}

TEST_F(Tagging, WithoutEntitiesToValidateF1IsNotMeasured) {
  Settings task;
  MakeSmall(task);
  Data data = {People(60, 1), {{{"it", "rains"}, {"O", "O"}, ""}}};
  EXPECT_EQ(task.Measures(data).front().name, "accuracy");
  data.valid = People(10, 2);
  EXPECT_EQ(task.Measures(data).front().name, "f1");
}

TEST_F(Tagging, OptionsWithoutEffectSayWhatTheyNeed) {
  Settings tags;
  slots::Settings slots;
  const auto needs = [](TaskSettings& task, const char* key) {
    FieldList list;
    task.Visit(list);
    return FindField(list.fields(), key)->needs;
  };
  for (const char* key : {"intent_weight", "joint_intents"}) {
    EXPECT_EQ(needs(tags, key), "a task with intents (see heed list tasks)")
        << key;
    EXPECT_EQ(needs(slots, key), "") << key;
  }
  EXPECT_EQ(needs(tags, "max_vectors"), "--word-vectors");
  EXPECT_EQ(needs(tags, "conllu_column"), "");
  tags.data.columns.format = "conll";
  EXPECT_EQ(needs(tags, "conllu_column"), "--format conllu");
}

TEST_F(Tagging, RefusesWhatItCannotUse) {
  Settings task;
  EXPECT_THROW(task.ChooseModel("bahdanau"), ConfigError);
  EXPECT_THROW(Train(task, {}), ConfigError);
}

TEST_F(Slots, TrainPredictAndEvaluateWithIntents) {
  slots::Settings task;
  MakeSmall(task);
  task.data.texts = {Put("train", 100, 1)};
  task.data.valid_texts = {Put("valid", 30, 2)};
  const TrainResult result = Train(task, training_);
  EXPECT_EQ(result.metric, "joint_accuracy");
  EXPECT_GT(result.best, 95);

  const LoadedModel loaded = ReadModel(training_.run.out);
  EXPECT_EQ(loaded.settings->task(), "slots");
  EXPECT_EQ(PredictLines(loaded, "Paris eats in New Georgia\nAnna sings\n"),
            "eats\tB-PER O O B-LOC I-LOC\nsings\tB-PER O\n");
  const auto figures = Figures(Evaluate(loaded, Put("test", 40, 9)));
  EXPECT_GT(figures.at("f1"), 97);
  EXPECT_GT(figures.at("intent_accuracy"), 97);
  EXPECT_GT(figures.at("joint_accuracy"), 90);

  const std::vector<Input> inputs = {{"Anna sings"}};
  const Answer answer = loaded.MakePredictor()->Predict(inputs).at(0);
  EXPECT_EQ(answer.parts["intent"], "sings");
  EXPECT_GT(answer.parts["intent_probability"], 0.5);
  EXPECT_LE(answer.parts["intent_probability"], 1);
  EXPECT_EQ(answer.parts["tags"], nlohmann::ordered_json({"B-PER", "O"}));
  EXPECT_EQ(answer.parts["entities"][0]["text"], "Anna");
}

TEST_F(Tagging, RefusesToReplaceMentionsWhereThereAreNone) {
  Settings task;
  MakeSmall(task);
  task.data.replace_mentions = 0.5;
  task.data.texts = {
      folder_.Put("pos.conll", "he\tPRON\nran\tVERB\n\nhe\tPRON\nran\tVERB\n")};
  EXPECT_NE(MessageOf<ConfigError>([&] {
              Train(task, training_);
            }).find("replace_mentions"),
            std::string::npos);
}

}  // namespace
}  // namespace heed::tag
