// heed demo recall: a fact, thousands of distractors, and a question.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "course/demos.h"
#include "course/recall.h"
#include "heed/base/at.h"
#include "heed/render/line_plot.h"
#include "heed/render/terminal.h"
#include "heed/render/text_layout.h"
#include "heed/train/progress.h"

namespace heed {
namespace {

constexpr size_t kRecallKinds = 3;
constexpr double kMega = 1e6;
constexpr double kAnswersAll = 99;   // percent
constexpr double kClearlyLess = 10;  // percent points

struct RecallCommand : DemoOptions {
  int farthest = 20000;
  int questions = 200;
  RecallTraining training;

  void VisitOwn(FieldList& v) override {
    v("farthest", farthest, Range(100, 100000), "longest distance to measure");
    v("questions", questions, Range(1, 100000), "questions at each distance");
    v("longest", training.longest, Range(10, 10000),
      "longest distance in training");
    v("steps", training.steps, Range(1, 1000000),
      "updates of each model, of 32 sequences each");
  }
};

/// Results of one model at each distance.
struct RecallRun {
  std::string name;
  std::vector<double> accuracy;   // percent
  std::vector<double> megabytes;  // of causal attention for all steps
};

/// Returns two distances per factor of 10, and the farthest.
std::vector<int64_t> RecallDistances(int64_t farthest) {
  std::vector<int64_t> distances;
  for (int64_t ten = 10; ten < farthest; ten *= 10) {
    for (const int64_t distance : {ten, 3 * ten}) {
      if (distance < farthest) distances.push_back(distance);
    }
  }
  distances.push_back(farthest);
  return distances;
}

RecallRun RunRecall(const RecallCommand& command, RecallKind kind,
                    const std::vector<int64_t>& distances) {
  RecallRun run = {Named<RecallKind>(kind).word(), {}, {}};
  RecallModel model(kind, command.training.seed);
  {
    Progress progress("sequences");
    TrainRecall(model, command.training, [&](int64_t step, double loss) {
      progress.Update({run.name, step, command.training.steps,
                       step * command.training.sequences, loss});
    });
  }
  for (const int64_t distance : distances) {
    run.accuracy.push_back(RecallAccuracy(model, distance, command.questions,
                                          command.training.seed + 1));
    run.megabytes.push_back(
        static_cast<double>(RecallPeakBytes(model, distance)) / kMega);
  }
  return run;
}

/// Returns the size of an f32 matrix with one number per query and key.
double MatrixMegabytes(int64_t distance) {
  return 4 * static_cast<double>(distance) * static_cast<double>(distance) /
         kMega;
}

std::string Megabytes(double size) {
  return size < 10 ? fmt::format("{:.1f}", size) : fmt::format("{:.0f}", size);
}

void PrintRecall(const std::vector<int64_t>& distances,
                 const std::vector<RecallRun>& runs) {
  const auto heading = [&](const char* title) {
    fmt::print("\n{}", Pad(title, 28));
    for (const int64_t distance : distances) fmt::print("{:>8}", distance);
  };
  heading("answered, %, by distance");
  for (const RecallRun& run : runs) {
    fmt::print("\n  {}", Pad(run.name, 26));
    for (const double percent : run.accuracy) fmt::print("{:>8.1f}", percent);
  }
  fmt::print("\n");
  heading("memory of all steps, MB");
  for (const RecallRun& run : runs) {
    fmt::print("\n  {}", Pad(run.name, 26));
    for (const double size : run.megabytes) {
      fmt::print("{:>8}", Megabytes(size));
    }
  }
  fmt::print("\n  {}", Pad("weights as a matrix", 26));
  for (const int64_t distance : distances) {
    fmt::print("{:>8}", Megabytes(MatrixMegabytes(distance)));
  }
  fmt::print("\n");
}

std::vector<LinePlotPanel> RecallPanels(const std::vector<int64_t>& distances,
                                        const std::vector<RecallRun>& runs) {
  LinePlotPanel accuracy = {{},
                            {.title = "Questions answered",
                             .x_label = "words between fact and question",
                             .y_label = "%",
                             .logarithmic_x = true}};
  LinePlotPanel memory = {{},
                          {.title = "Memory where all steps attend",
                           .x_label = "words between fact and question",
                           .y_label = "MB",
                           .logarithmic_x = true,
                           .logarithmic_y = true}};
  const std::vector<double> x(distances.begin(), distances.end());
  for (const RecallRun& run : runs) {
    accuracy.series.push_back({run.name, x, run.accuracy});
    memory.series.push_back({run.name, x, run.megabytes});
  }
  Series matrix = {"weights as a matrix", x, {}};
  for (const int64_t distance : distances) {
    matrix.y.push_back(MatrixMegabytes(distance));
  }
  memory.series.push_back(std::move(matrix));
  return {std::move(accuracy), std::move(memory)};
}

/// Summarises the results in words.
std::string RecallVerdict(const std::vector<int64_t>& distances,
                          const std::vector<RecallRun>& runs) {
  const auto of = [&](RecallKind kind) -> const RecallRun& {
    return At(runs, kind);
  };
  const RecallRun& alone = of(RecallKind::kAttention);
  const RecallRun& both = of(RecallKind::kBoth);
  const RecallRun& recurrent = of(RecallKind::kRecurrent);
  const double best = std::ranges::max(recurrent.accuracy);
  const bool reaches =
      std::min(alone.accuracy.back(), both.accuracy.back()) >= kAnswersAll;
  const bool falls = recurrent.accuracy.back() < best - kClearlyLess;
  std::string text = fmt::format(
      "{} words back, attention alone answers {:.1f} % of the questions, the "
      "recurrent\nnet with attention {:.1f} %, the recurrent net {:.1f} % (at "
      "its best distance {:.1f} %).\n",
      distances.back(), alone.accuracy.back(), both.accuracy.back(),
      recurrent.accuracy.back(), best);
  text += reaches ? "Attention reaches that far here, "
                  : "Attention does not answer all of them, ";
  text += falls ? "and the recurrent net forgets on the way.\n"
                : "and the recurrent net does not fall with the distance.\n";
  // The comparison begins at a length where the constant part is small.
  const size_t from = distances.size() / 2;
  const double longer = static_cast<double>(distances.back()) /
                        static_cast<double>(distances[from]);
  const double more = alone.megabytes.back() / alone.megabytes[from];
  text += fmt::format(
      "From {} to {} words, {:.0f} times as many, its memory grows {:.1f} "
      "times:\n{}.\n",
      distances[from], distances.back(), longer, more,
      more < 1.5 * longer ? "the matrix of weights is never stored"
                          : "more than in proportion");
  return text;
}

}  // namespace

int RunDemoRecall(const Arguments& arguments) {
  RecallCommand command;
  const auto limit = ParseDemo(
      command, arguments, "recall",
      "Two facts (a key and its value), other words, and a question that "
      "gives a key. A recurrent net, one with attention to its states, and "
      "attention alone learn to answer at distances of up to 1,000 words and "
      "are asked at up to 20,000. Measures also the memory that causal "
      "attention of all steps takes (about a minute).",
      {"", " --steps 500 --farthest 3000"});
  if (!limit) return 0;
  command.training.seed = command.seed;

  const std::vector<int64_t> distances = RecallDistances(command.farthest);
  std::vector<RecallRun> runs;
  for (size_t kind = 0; kind < kRecallKinds; ++kind) {
    runs.push_back(
        RunRecall(command, static_cast<RecallKind>(kind), distances));
  }
  PrintRecall(distances, runs);
  const std::vector<LinePlotPanel> panels = RecallPanels(distances, runs);
  fmt::print("\n{}", TerminalLinePlot(panels[0].series, panels[0].options,
                                      DetectTerminal()));
  std::vector<std::string> names;
  for (const Series& series : panels[1].series) names.push_back(series.name);
  const std::string picture = WritePicture(
      command.out, "recall",
      LinePlotsSvg(panels, names,
                   fmt::format("Trained at distances of up to {} words",
                               command.training.longest)));
  fmt::print("\n{}\nThe picture: {}\n", RecallVerdict(distances, runs),
             picture);
  return 0;
}

}  // namespace heed
