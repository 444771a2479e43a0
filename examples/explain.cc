// Trains a classifier in which one word decides, and asks what its answer hangs
// on: attention, integrated gradients, and what happens when words go.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "heed/base/rng.h"
#include "heed/io/file.h"
#include "heed/models/recurrent/rnn_config.h"
#include "heed/render/explanation_file.h"
#include "heed/tasks/classify/classify.h"
#include "heed/tasks/explain_summary.h"
#include "heed/tasks/run.h"

namespace {

// Six words, "good" or "bad" among them.
heed::LabelledText MakeReviews(int count, uint64_t seed) {
  const std::vector<std::string> filler = {"the", "film", "plot", "was", "and"};
  heed::Rng rng(seed);
  heed::LabelledText text;
  for (int i = 0; i < count; ++i) {
    const bool good = rng.Below(2) == 1;
    const uint64_t place = rng.Below(6);
    std::string line;
    for (uint64_t w = 0; w < 6; ++w) {
      if (w > 0) line += ' ';
      line += w == place ? (good ? "good" : "bad") : filler[rng.Below(5)];
    }
    text.text.push_back(line);
    text.labels.push_back({good ? "positive" : "negative"});
  }
  return text;
}

int Run() {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "heed-explain";
  heed::classify::Settings task;
  task.ChooseModel("rnn");
  task.encoder.As<heed::RnnConfig>().units = 16;
  task.data.vocabulary.vocabulary = "words";
  heed::TrainingConfig training;
  task.SetDefaults(training);
  training.optimizer.learning_rate = 0.01;
  training.run.epochs = 6;
  training.run.out = folder.string();
  training.run.overwrite = true;
  heed::TrainOn(task, {MakeReviews(400, 1), MakeReviews(50, 2)}, training);
  const heed::LoadedModel model = heed::ReadModel(training.run.out);
  const auto predictor = model.MakePredictor();

  heed::ExplainRequest request;
  request.input.given = {"the plot was good and the"};
  request.attribution.methods = {"integrated_gradients", "occlusion"};
  const heed::ExplainedPrediction answer =
      heed::ExplainPrediction(model, *predictor, request);
  const heed::Explanation& e = answer.explanation;
  std::printf("\n%s: %s\n", e.text.c_str(), e.answer.c_str());
  const heed::ExplanationSegment& segment = e.segments.front();
  const std::vector<std::string>& words = segment.axis("source").items;
  // The row of attention that speaks for the label.
  const std::vector<float> attention =
      heed::RowOf(segment, segment.targets.front());
  for (size_t s = 0; s < words.size(); ++s) {
    std::printf("%-8s attention %5.2f", words[s].c_str(), attention[s]);
    for (const heed::Attribution& a : segment.attributions) {
      std::printf("  %s %6.2f", a.method.c_str(), a.scores[s]);
    }
    std::printf("\n");
  }
  for (const auto& curve : heed::FaithfulnessOf(answer, /*seed=*/1)) {
    std::printf("without its words, by %s: area %.2f\n", curve.method.c_str(),
                curve.deletion_area());
  }
  const std::string picture = (folder / "explanation.svg").string();
  heed::WriteFileAtomically(picture, heed::ExplanationSvg({&e, 1}, {}));
  std::printf("written to %s\n", picture.c_str());
  return 0;
}

}  // namespace

int main() {
  try {
    return Run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
