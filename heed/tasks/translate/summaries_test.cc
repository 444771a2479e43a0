// Summarisation is trained like translation.
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

}  // namespace
}  // namespace heed::translate
