// Summarisation is trained like translation.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "course/data/compressions.h"
#include "heed/tasks/translate/testing.h"
#include "heed/tasks/translate/translation_evaluation.h"

namespace heed::translate {
namespace {

TEST(SummaryLearning, SaysWhoDidWhat) {
  const TemporaryFolder folder;
  const CompressionTask task = MakeCompressionTask(3000, 100, 200, 1);
  Config config = TinyConfig(folder.Path("model"));
  config.model.As<RecurrentConfig>().embedding = 32;
  config.model.As<RecurrentConfig>().units = 48;
  config.data.batch_sentences = 32;
  config.run.epochs = 5;
  config.run.metric = "rouge_l";
  const TrainResult trained =
      TrainTranslation(config, {task.train, task.valid});
  EXPECT_EQ(trained.metric, "rouge_l");
  EvaluationOptions options;
  options.lead_words = 8;
  const EvaluationResult e =
      Evaluate(ReadTranslationModel(config.run.out), task.test, options);
  EXPECT_GE(e.exact_match, 90);
  EXPECT_GE(e.rouge->rouge2.f1, 95);
  EXPECT_LE(e.lead->rouge_l.f1, 40);
}

/// Shares of summaries without an error, and with the right name.
struct NamesRight {
  double all = 0;
  double names = 0;
};

NamesRight LearnNames(const std::string& folder, bool copy) {
  const CompressionTask task = MakeCompressionTask(3000, 100, 200, 1, true);
  Config config = TinyConfig(folder);
  config.model.As<RecurrentConfig>().embedding = 32;
  config.model.As<RecurrentConfig>().units = 48;
  config.data.batch_sentences = 32;
  config.data.min_count = 5;
  config.data.copy = copy;
  config.optimizer.label_smoothing = 0;
  config.run.epochs = 5;
  (void)TrainTranslation(config, {task.train, task.valid});
  const Model model = ReadTranslationModel(folder);
  const EvaluationResult e = Evaluate(model, task.test, EvaluationOptions{});
  NamesRight right = {e.exact_match, 0};
  for (size_t i = 0; i < e.translations.size(); ++i) {
    const std::string& wanted = task.test.target[i];
    const std::string name = wanted.substr(0, wanted.find(' '));
    if (e.translations[i].starts_with(name)) ++right.names;
  }
  right.names *= 100 / static_cast<double>(e.translations.size());
  return right;
}

TEST(SummaryLearning, CopiesNamesThatTrainingNeverShowed) {
  const TemporaryFolder folder;
  const NamesRight copied = LearnNames(folder.Path("copied"), true);
  EXPECT_GE(copied.names, 95);
  EXPECT_GE(copied.all, 85);
  EXPECT_EQ(LearnNames(folder.Path("plain"), false).names, 0);
}

TEST(SummaryLearning, AModelThatCopiesNeverWritesUnknown) {
  // Second words occur once and in no source, so <unk> is right.
  ParallelText train;
  for (int i = 0; i < 64; ++i) {
    train.source.push_back("the cat sat");
    train.target.push_back(fmt::format("so word{}", i));
  }
  const TemporaryFolder folder;
  Config config = TinyConfig(folder.Path("model"));
  config.data.min_count = 5;
  config.data.copy = true;
  config.run.epochs = 40;
  config.data.batch_sentences = 8;
  (void)TrainTranslation(config, {train, train});
  const Model model = ReadTranslationModel(folder.Path("model"));
  const EvaluationResult e = Evaluate(model, train, EvaluationOptions{});
  EXPECT_EQ(e.translations[0].find("<unk>"), std::string::npos)
      << e.translations[0];
}

}  // namespace
}  // namespace heed::translate
