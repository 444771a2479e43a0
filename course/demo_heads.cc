// heed demo heads: do several heads learn different functions?
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "course/demos.h"
#include "course/token_measures.h"
#include "heed/render/heatmap_svg.h"
#include "heed/render/text_layout.h"

namespace heed {
namespace {

constexpr int64_t kHeadsWidth = 64;
constexpr int64_t kHeadsWords = 300;
constexpr int64_t kDrawnHeads = 4;

struct HeadsDemo : DemoOptions {
  int steps = 800;
  int seeds = 2;

  void VisitOwn(FieldList& v) override {
    v("steps", steps, Range(1, 100000), "updates, of 64 words each");
    v("seeds", seeds, Range(1, 100), "runs of each kind");
  }
};

/// Means over the runs of one task and number of heads.
struct HeadRuns {
  std::string task;
  int64_t heads = 1;
  double accuracy = 0;
  HeadSimilarities before = {};
  HeadSimilarities after = {};
};

/// Returns heatmaps of all heads for one word.
std::vector<AlignmentView> ViewsOfHeads(const TokenTask& task,
                                        const TokenAttention& model,
                                        const TokenBatch& word) {
  const Tensor weights =
      model({}, word.tokens, {}, WantWeights::kValues).attended.weights.value();
  const std::vector<std::string> letters = TokensOf(task, word, 0);
  std::vector<AlignmentView> views;
  for (int64_t h = 0; h < weights.dim(1); ++h) {
    views.push_back({letters, letters, weights[0][h].ToVector<float>(),
                     fmt::format("{}, head {}", task.name, h)});
  }
  return views;
}

HeadRuns MeasureHeads(const HeadsDemo& demo, const TokenTask& task,
                      int64_t heads, std::vector<AlignmentView>& views) {
  TokenAttentionOptions layer = LayerFor(task, kHeadsWidth);
  layer.spec.heads = heads;
  HeadRuns runs = {.task = task.name, .heads = heads};
  for (int i = 0; i < demo.seeds; ++i) {
    TokenLearner learner(
        task, layer,
        {.steps = demo.steps, .seed = demo.seed + static_cast<uint64_t>(i)});
    const TokenBatch test = learner.Test(kHeadsWords);
    const auto similarity = [&] {
      return heads > 1 ? MeasureHeadSimilarity(learner.model(), test)
                       : HeadSimilarities{1, 1};
    };
    const HeadSimilarities before = similarity();
    learner.Train();
    const HeadSimilarities after = similarity();
    const double share = 1.0 / demo.seeds;
    runs.accuracy += share * ScoreTokens(learner.model(), test).accuracy;
    runs.before.weights += share * before.weights;
    runs.before.outputs += share * before.outputs;
    runs.after.weights += share * after.weights;
    runs.after.outputs += share * after.outputs;
    if (i == 0 && heads == kDrawnHeads) {
      const auto more = ViewsOfHeads(task, learner.model(), learner.Test(1));
      views.insert(views.end(), more.begin(), more.end());
    }
  }
  return runs;
}

void PrintHeads(const HeadRuns& runs) {
  fmt::print("{}{:5}{:14.1f} %", Pad(runs.task, 14), runs.heads,
             100 * runs.accuracy);
  if (runs.heads > 1) {
    fmt::print("{:11.2f}{:10.2f}{:13.2f}{:10.2f}", runs.before.weights,
               runs.before.outputs, runs.after.weights, runs.after.outputs);
  }
  fmt::print("\n");
  std::fflush(stdout);
}

/// Summarises the runs of one task in words.
std::string HeadsFinding(const std::vector<HeadRuns>& runs) {
  const HeadRuns& one = runs.front();
  const HeadRuns* best = &one;
  for (const HeadRuns& more : runs) {
    if (more.accuracy > best->accuracy) best = &more;
  }
  if (best->accuracy - one.accuracy < 0.02) {
    return fmt::format(
        "{}: one head is enough ({:.1f} %); four have weights with a cosine of "
        "{:.2f}.",
        one.task, 100 * one.accuracy, runs[2].after.weights);
  }
  return fmt::format(
      "{}: one head has {:.1f} % right, {} have {:.1f} %, and their weights a "
      "cosine of {:.2f}.",
      one.task, 100 * one.accuracy, best->heads, 100 * best->accuracy,
      best->after.weights);
}

}  // namespace

int RunDemoHeads(const Arguments& arguments) {
  HeadsDemo demo;
  const auto limit = ParseDemo(
      demo, arguments, "heads",
      "Trains layers of 1, 2, 4 and 8 heads, all of 64 features together, to "
      "write words backwards, for which each position needs one other, and to "
      "name four letters of the word at each position: the one that mirrors "
      "it, the one before, the one behind and the first. Shows how many "
      "letters are right and how alike the heads are, before and after (about "
      "a minute).",
      {"", " --steps 200 --seeds 1 --out pictures"});
  if (!limit) return 0;

  fmt::print(
      "                                     cosines before        after "
      "training\n"
      "task          heads  letters right    weights   outputs      weights  "
      " outputs\n");
  std::vector<AlignmentView> views;
  std::string findings;
  for (const TokenTask& task : {BackwardsTask(), FourLettersTask()}) {
    std::vector<HeadRuns> of_task;
    for (const int64_t heads : {1, 2, 4, 8}) {
      of_task.push_back(MeasureHeads(demo, task, heads, views));
      PrintHeads(of_task.back());
    }
    findings += HeadsFinding(of_task) + "\n";
  }
  fmt::print(
      "\nCosines are means over all pairs of heads: 1 where they are the same, "
      "0 where they\nhave nothing in common.\nThe picture: {}\n\n{}",
      WritePicture(demo.out, "heads", AlignmentSvg(views)), findings);
  return 0;
}

}  // namespace heed
