#include "heed/tasks/pretrain.h"

#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "heed/base/errors.h"
#include "heed/base/rng.h"
#include "heed/base/testing.h"
#include "heed/tasks/pretrained.h"

namespace heed {
namespace {

using Strings = std::vector<std::string>;

/// Documents that say one word again and again.
std::string Documents(int count, uint64_t seed) {
  const Strings all = {"sun",  "moon", "star", "sky",
                       "fish", "sea",  "wave", "salt"};
  Rng rng(seed);
  std::string lines;
  for (int i = 0; i < count; ++i) {
    const std::string& word = all[rng.Below(all.size())];
    for (uint64_t s = 3 + rng.Below(3); s > 0; --s) {
      lines += word;
      for (uint64_t w = 1 + rng.Below(3); w > 0; --w) lines += " " + word;
      lines += "\n";
    }
    lines += "\n";
  }
  return lines;
}

void Set(const FieldList& fields, const std::string& key,
         const Strings& words) {
  for (const Field& field : fields.fields()) {
    if (field.key == key) return field.SetText(words, key);
  }
  FAIL() << key;
}

class Pretrain : public testing::Test {
 protected:
  void SetUp() override {
    task_.ChooseModel("bert-tiny");
    task_.model.As<TransformerConfig>().width = 32;
    task_.model.As<TransformerConfig>().ff = 64;
    task_.model.As<TransformerConfig>().layers = 1;
    task_.model.As<TransformerConfig>().max_positions = 40;
    task_.model.As<TransformerConfig>().dropout =
        task_.model.As<TransformerConfig>().attention_dropout = 0;
    task_.data.instances.max_length = 24;
    task_.data.instances.duplicates = 4;
    task_.data.vocabulary.vocabulary_size = 100;
    task_.data.batch_tokens = 500;
    task_.data.texts = {folder_.Put("a.txt", Documents(60, 1)),
                        folder_.Put("b.txt", Documents(60, 2))};
    task_.data.valid_texts = {folder_.Put("valid.txt", Documents(30, 3))};
    task_.SetDefaults(training_);
    training_.optimizer.learning_rate = 0.002;
    training_.optimizer.warmup = 20;
    training_.run.out = folder_.Path("model");
    training_.run.epochs = 20;
    training_.run.patience = 0;
    training_.run.quiet = true;
  }

  static std::string Predict(Task& task, const std::string& input,
                             const Strings& option = {}) {
    FieldList fields;
    task.VisitPredict(fields);
    if (!option.empty()) Set(fields, option[0], {option[1]});
    std::istringstream in(input);
    std::ostringstream out;
    PredictStream(task, {}, in, out);
    return out.str();
  }

  TemporaryFolder folder_;
  PretrainTask task_;
  TrainingConfig training_;
};

TEST_F(Pretrain, TrainsPredictsAndEvaluates) {
  const TrainResult result = Train(task_, training_);
  EXPECT_EQ(result.metric, "loss");

  const LoadedTask loaded = ReadTask(training_.run.out);
  EXPECT_EQ(loaded.task->name(), "pretrain");
  FieldList fields;
  loaded.task->VisitEvaluate(fields);
  Set(fields, "texts", {folder_.Put("test.txt", Documents(40, 9))});
  const Report report = loaded.task->Evaluate();
  std::map<std::string, double> figures;
  for (const Figure& figure : report.figures) {
    figures[figure.key] = figure.value;
  }
  EXPECT_GT(figures.at("word_accuracy"), 95);
  EXPECT_GT(figures.at("next_accuracy"), 80);
  EXPECT_GT(report.details["words"], 100);

  const std::string words = Predict(
      *loaded.task, "moon [MASK] moon [MASK]\nnothing\n", {"candidates", "2"});
  EXPECT_TRUE(words.starts_with("moon\t")) << words;
  EXPECT_NE(words.find(" ||| moon\t"), std::string::npos) << words;
  EXPECT_TRUE(words.ends_with("\n\n")) << words;

  std::istringstream numbers(
      Predict(*loaded.task, "sea sea sea\tsea sea\r\nsea sea sea\tmoon moon\n",
              {"mode", "next"}));
  double same = 0;
  double other = 0;
  numbers >> same >> other;
  EXPECT_GT(same, 0.5);
  EXPECT_LT(other, 0.1);
  EXPECT_THROW(Predict(*loaded.task, "no tab\n", {"mode", "next"}),
               FormatError);
}

TEST_F(Pretrain, RunIsResumedWithTheSameTextAlone) {
  training_.run.epochs = 1;
  Train(task_, training_);
  Resume(training_.run.out, true);
  folder_.Put("a.txt", Documents(60, 7));
  EXPECT_THROW(Resume(training_.run.out, true), FormatError);
}

TEST_F(Pretrain, EncoderGoesOnInAnotherModel) {
  training_.run.epochs = 1;
  Train(task_, training_);
  const Pretrained pretrained = ReadPretrained(training_.run.out);
  EXPECT_EQ(pretrained.model.name(), "bert-tiny");
  EXPECT_EQ(pretrained.model.As<TransformerConfig>().width, 32);

  ParameterSet parameters(5, DType::kF32, kernels::Precision::kNative);
  const Scope scope(parameters, "");
  const auto encoder = pretrained.model->MakeText(
      scope / "encoder", pretrained.vocabulary.size(), /*segments=*/1);
  const Linear head(scope / "output", 32, 3, Init());
  const auto fresh = head.weight().value().ToVector<float>();
  CopyPretrained(pretrained, parameters);
  EXPECT_EQ(head.weight().value().ToVector<float>(), fresh);
  const Tensor ids = Tensor::Of(std::vector<int32_t>{2, 7, 8, 3}, {1, 4});
  const Tensor lengths = Tensor::Of(std::vector<int32_t>{4}, {1});
  const auto trained =
      pretrained.model->MakePretraining(pretrained.vocabulary.size(), 9);
  CopyPretrained(pretrained, trained->parameters());
  EXPECT_EQ(
      (*encoder)(Context(), ids, lengths, {}).value().ToVector<float>(),
      trained->States(Context(), {ids, lengths, {}}).value().ToVector<float>());
}

TEST_F(Pretrain, EncoderOfAnotherShapeIsAFormatErrorThatNamesIt) {
  training_.run.epochs = 1;
  Train(task_, training_);
  const Pretrained pretrained = ReadPretrained(training_.run.out);
  ModelChoice<PretrainingSettings> wider = pretrained.model;
  wider.As<TransformerConfig>().ff = 48;
  const auto other = wider->MakePretraining(pretrained.vocabulary.size(), 1);
  try {
    CopyPretrained(pretrained, other->parameters());
    ADD_FAILURE();
  } catch (const FormatError& error) {
    EXPECT_NE(std::string(error.what()).find("feed_forward"), std::string::npos)
        << error.what();
  }
  ParameterSet headless(1, DType::kF32, kernels::Precision::kNative);
  EXPECT_THROW(CopyPretrained(pretrained, headless), FormatError);
}

TEST_F(Pretrain, SettingsThatDoNotFitAreConfigErrors) {
  EXPECT_THROW(task_.ChooseModel("transformer-tiny"), ConfigError);
  task_.data.instances.max_length = 41;
  EXPECT_THROW(task_.Resolve(), ConfigError);
  task_.data.instances.max_length = 40;
  task_.model.As<TransformerConfig>().segments = 3;
  EXPECT_THROW(task_.Resolve(), ConfigError);
}

TEST_F(Pretrain, TextWithoutBlankLinesIsAConfigError) {
  task_.data.texts = {folder_.Put("one.txt", "a b\nc d\n")};
  EXPECT_THROW(Train(task_, training_), ConfigError);
}

}  // namespace
}  // namespace heed
