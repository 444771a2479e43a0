// heed demo products: X Xᵀ, cosines and Q Kᵀ of one sentence side by side.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "course/demos.h"
#include "course/score_matrices.h"
#include "heed/render/heatmap_svg.h"
#include "heed/render/text_layout.h"

namespace heed {
namespace {

constexpr int64_t kProductFeatures = 64;
constexpr int64_t kProductSentences = 500;

struct ProductsDemo : DemoOptions {
  int steps = 1000;

  void VisitOwn(FieldList& v) override {
    v("steps", steps, Range(1, 100000), "updates, of 64 sentences each");
  }
};

/// A matrix with its title and statistics.
struct NamedMatrix {
  std::string name;
  Tensor values;
  MatrixFacts mean;
};

void PrintMatrix(const NamedMatrix& matrix,
                 const std::vector<std::string>& words) {
  fmt::print("\n{}", Pad(matrix.name, 10));
  for (const std::string& word : words) {
    fmt::print("{}", Pad(word, 8, Align::kRight));
  }
  for (size_t t = 0; t < words.size(); ++t) {
    fmt::print("\n{}", Pad(words[t], 10));
    for (size_t s = 0; s < words.size(); ++s) {
      fmt::print("{:8.2f}",
                 matrix.values.row<double>(static_cast<int64_t>(t))[s]);
    }
  }
  fmt::print("\n");
}

void PrintFacts(const std::vector<NamedMatrix>& all) {
  fmt::print(
      "\nmeans of {} other sentences\n"
      "{}  symmetry  diagonal share  weight of itself  finds the word\n",
      kProductSentences, Pad("", 22));
  for (const NamedMatrix& one : all) {
    fmt::print("{}{:10.2f}{:14.1f} %{:16.1f} %{:14.1f} %\n", Pad(one.name, 22),
               one.mean.symmetry, 100 * one.mean.diagonal,
               100 * one.mean.own_weight, 100 * one.mean.right);
  }
}

std::string ProductsSvg(const std::vector<NamedMatrix>& all,
                        const std::vector<std::string>& words) {
  std::vector<Drawing> drawings;
  for (const NamedMatrix& one : all) {
    double largest = 0;
    for (const double value : one.values.ToVector<double>()) {
      largest = std::max(largest, std::abs(value));
    }
    AlignmentView view = {words, words, {}, one.name};
    for (const double value : one.values.ToVector<double>()) {
      view.weights.push_back(static_cast<float>(value / largest));
    }
    HeatmapOptions options;
    options.with_sign = true;
    options.caption =
        fmt::format("full shades: ±{:.2g}; blue: above 0", largest);
    drawings.push_back(DrawHeatmap(view, options));
  }
  return SvgPicture(drawings,
                    {.label = "Products of embeddings, their cosines and the "
                              "scores of queries and keys"});
}

}  // namespace

int RunDemoProducts(const Arguments& arguments) {
  ProductsDemo demo;
  const auto limit = ParseDemo(
      demo, arguments, "products",
      "Teaches a layer of self-attention which word of a sentence each word "
      "depends on, and sets three matrices of all pairs of words beside each "
      "other: products of embeddings X Xᵀ, their cosines, and the scores of "
      "queries and keys Q Kᵀ. A layer without projections, whose scores are X "
      "Xᵀ, learns the same task for comparison (some seconds).",
      {"", " --steps 300 --seed 2 --out pictures"});
  if (!limit) return 0;

  const TokenTask task = DependenciesTask();
  TokenAttentionOptions layer = LayerFor(task, kProductFeatures);
  // The scale gives X Xᵀ/√d an initial diagonal of about 2. A larger one puts
  // nearly all the weight of a word on itself.
  layer.embedding.scale = 0.35;
  const TokenTraining training = {.steps = demo.steps, .seed = demo.seed};
  TokenLearner learner(task, layer, training);
  const TokenBatch test = learner.Test(kProductSentences);
  const int64_t row = LongestRow(test);
  const Tensor untrained =
      MatricesOf(learner.model(), test, row).scores.Clone();
  const MatrixFacts before = MeanFactsOf(learner.model(), test).scores;
  learner.Train();
  TokenAttentionOptions bare = layer;
  bare.projections = false;
  TokenLearner without(task, bare, training);
  without.Train();

  const std::vector<std::string> words = TokensOf(task, test, row);
  const ScoreMatrices own = MatricesOf(learner.model(), test, row);
  const MeanFacts mean = MeanFactsOf(learner.model(), test);
  const MatrixFacts tied = MeanFactsOf(without.model(), test).scores;
  const std::vector<NamedMatrix> all = {
      {"X Xᵀ/√d", own.products, mean.products},
      {"cosines", own.cosines, mean.cosines},
      {"Q Kᵀ/√d", own.scores, mean.scores},
      {"Q Kᵀ/√d, untrained", untrained, before},
      {"X Xᵀ/√d as the score", MatricesOf(without.model(), test, row).scores,
       tied}};
  for (size_t i = 0; i < 3; ++i) PrintMatrix(all[i], words);
  PrintFacts(all);
  const double with_accuracy = ScoreTokens(learner.model(), test).accuracy;
  const double without_accuracy = ScoreTokens(without.model(), test).accuracy;
  fmt::print(
      "\nRight answers of the layer with projections: {:.1f} %, of the one "
      "whose scores\nare X Xᵀ: {:.1f} %.\n",
      100 * with_accuracy, 100 * without_accuracy);
  fmt::print("The picture: {}\n\n",
             WritePicture(demo.out, "products", ProductsSvg(all, words)));
  const auto like = [](double symmetry) {
    if (symmetry > 0.9) return "is symmetric";
    return symmetry > 0.5 ? "is nearly symmetric" : "is not symmetric";
  };
  fmt::print(
      "X Xᵀ {} ({:.2f}), and Q Kᵀ {} ({:.2f}). The largest\nscore of a word is "
      "at the one that it depends on for {:.1f} % of the words in\nQ Kᵀ and "
      "for {:.1f} % in X Xᵀ: {}.\n",
      like(mean.products.symmetry), mean.products.symmetry,
      like(mean.scores.symmetry), mean.scores.symmetry, 100 * mean.scores.right,
      100 * mean.products.right,
      with_accuracy > without_accuracy + 0.01
          ? "the task needs projections"
          : "yet a layer whose scores are X Xᵀ\nanswers as well, from scores "
            "that are symmetric");
  return 0;
}

}  // namespace heed
