#include <gtest/gtest.h>

#include <cmath>

#include "heed/models/recurrent/rnn_config.h"
#include "heed/tasks/classify/classify.h"
#include "heed/tasks/explain.h"
#include "heed/tasks/explain_summary.h"
#include "heed/tasks/testing.h"

namespace heed::classify {
namespace {

/// Texts in which one word among fillers determines the label.
LabelledText Planted(int count) {
  const std::vector<std::string> filler = {"the", "film", "plot", "cast"};
  Rng rng(5);
  LabelledText text;
  for (int i = 0; i < count; ++i) {
    const bool good = i % 2 == 0;
    std::string line;
    const auto place = rng.Below(5);
    for (uint64_t w = 0; w < 5; ++w) {
      if (w > 0) line += ' ';
      line += w == place ? (good ? "good" : "bad") : filler[rng.Below(4)];
    }
    text.text.push_back(line);
    text.labels.push_back({good ? "pos" : "neg"});
  }
  return text;
}

// Gradients vanish if the prediction is certain, so saliency and smooth_grad do
// not find the decisive word.
TEST(ExplainPlanted, TheDecisiveWordIsFound) {
  TemporaryFolder folder;
  Settings task;
  task.ChooseModel("rnn");
  task.encoder.As<RnnConfig>().cell = "gru";
  task.encoder.As<RnnConfig>().units = 12;
  task.data.vocabulary.vocabulary = "words";
  task.data.batch_texts = 16;
  TrainingConfig training;
  task.SetDefaults(training);
  training.optimizer.learning_rate = 0.01;
  training.run.out = folder.Path("model");
  training.optimizer.label_smoothing = 0.1;  // else gradients vanish
  training.run.epochs = 8;
  training.run.patience = 0;
  training.run.quiet = true;
  TrainOn(task, {Planted(200), Planted(20)}, training);
  const LoadedModel loaded = ReadModel(training.run.out);
  const auto predictor = loaded.MakePredictor();
  SummaryOptions options;
  options.attribution.methods = {"gradient_x_input", "integrated_gradients",
                                 "occlusion"};
  options.faithfulness = true;
  ExplainSummarizer summarizer(loaded, *predictor, options);
  for (const char* text : {"the plot good film cast", "bad cast the the film",
                           "plot plot film the bad"}) {
    summarizer.Add({text});
    const Explanation e = Explain(
        loaded, *predictor,
        {.input = {.given = {text}}, .attribution = options.attribution});
    const ExplanationSegment& segment = e.segments.at(0);
    const std::vector<std::string>& read = segment.axis("source").items;
    const auto decisive = std::ranges::find_if(
        read, [](const auto& word) { return word == "good" || word == "bad"; });
    for (const Attribution& a : segment.attributions) {
      const auto largest = std::ranges::max_element(
          a.scores, {}, [](float x) { return std::abs(x); });
      EXPECT_EQ(largest - a.scores.begin(), decisive - read.begin())
          << a.method << " of " << text;
    }
  }
  const auto curves = summarizer.Result().faithfulness;
  ASSERT_EQ(curves.size(), 5u);
  EXPECT_EQ(curves.front().method, "attention");
  // Attention to contextual states need not find the word.
  for (size_t i = 1; i + 1 < curves.size(); ++i) {
    EXPECT_LT(curves[i].deletion_area(), curves.back().deletion_area())
        << curves[i].method;
    EXPECT_GT(curves[i].insertion_area(), curves.back().insertion_area())
        << curves[i].method;
  }
}

}  // namespace
}  // namespace heed::classify
