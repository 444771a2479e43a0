#include "course/exercises.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "heed/attention/attention.h"
#include "heed/autograd/parameter_set.h"
#include "heed/metrics/aer.h"
#include "heed/metrics/perplexity.h"
#include "heed/metrics/rank_correlation.h"
#include "heed/nn/positions.h"
#include "heed/nn/recurrent.h"
#include "heed/nn/transformer.h"
#include "heed/ops/attention.h"
#include "heed/ops/normalizers.h"

namespace heed {
namespace {

using Numbers = std::vector<double>;

Tensor RowOf(const Numbers& numbers) {
  return Tensor::Of(numbers, {1, 1, static_cast<int64_t>(numbers.size())});
}

Numbers Normalised(Var (*normaliser)(const Var&), const Numbers& scores) {
  return normaliser(RowOf(scores)).value().ToVector<double>();
}

double InnerProduct(const Numbers& a, const Numbers& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

double EntropyOfWeights(const Numbers& weights) {
  double entropy = 0;
  for (const double a : weights) entropy -= a > 0 ? a * std::log(a) : 0;
  return entropy;
}

/// Returns the number of parameters that `make` adds to a set.
template <typename Make>
double CountParameters(Make&& make) {
  ParameterSet set(1, DType::kF32, kernels::Precision::kNative);
  make(Scope(set, "counted"));
  return static_cast<double>(set.elements());
}

double PerplexityOfSentence() {
  LanguageScore score;
  score.nll = -std::log(0.5) - std::log(0.25) - std::log(0.125);
  score.tokens = 3;
  return score.perplexity();
}

double ParametersOfRnn() {
  return CountParameters([](const Scope& scope) {
    RecurrentOptions options;
    options.cell = Cell::kRnn;
    options.inputs = {4};
    options.units = 3;
    const Recurrent layer(scope, options);
  });
}

double BitsOfSentence() { return 60 * std::log2(1000.0); }

double GradientLeft() { return std::pow(0.9, 50); }

Numbers ThreeScores() { return {2, 1, 0}; }

double FirstWeight() { return Normalised(Softmax, ThreeScores()).front(); }

double ContextOfThree() {
  const Var weights = Softmax(RowOf(ThreeScores()));
  const Tensor values = Tensor::Of(Numbers{1, 2, 6}, {1, 3, 1});
  return WeightedSum(weights, values).value().ToVector<double>().front();
}

double ScaledDotProduct() {
  const Tensor query = Tensor::Of(Numbers{1, 2, 0, 1}, {1, 1, 4});
  const Tensor key = Tensor::Of(Numbers{3, -1, 5, 1}, {1, 1, 4});
  const double scale = 1 / std::sqrt(4.0);
  return DotScores(query, key, scale).value().ToVector<double>().front();
}

double ParametersOfAdditiveScore() {
  return CountParameters([](const Scope& scope) {
    AttentionSpec spec;
    spec.score = ChooseScore("additive");
    spec.query = 8;
    spec.key = 6;
    spec.units = 5;
    const Attention attention(scope, spec);
  });
}

double ErrorRateOfThreeLinks() {
  const AlignmentLinks found = {{0, 0}, {1, 1}, {2, 0}};
  GoldAlignment gold;
  gold.sure = {{0, 0}, {2, 2}};
  gold.possible = {{0, 0}, {2, 2}, {1, 1}};
  return ScoreAlignments(std::span(&found, 1), std::span(&gold, 1)).error_rate;
}

double WordsPerWord() { return std::exp(EntropyOfWeights({0.5, 0.25, 0.25})); }

double SampledReward() { return InnerProduct({0.7, 0.2, 0.1}, {1, 0, -2}); }

double SparsemaxWeight() { return Normalised(Sparsemax, {1, 0.5, -1}).front(); }

double ContentWeight() {
  // Cosines of the key (1, 0) with the slots (2, 0), (0, 1) and (1, 1), times
  // β.
  const double strength = 4;
  return Normalised(Softmax, {strength, 0, strength / std::sqrt(2.0)}).front();
}

double SharpenedWeight() {
  const Numbers shifted = {0.1, 0.8, 0.1};
  Numbers powers;
  for (const double w : shifted) powers.push_back(w * w);
  return powers[1] / std::accumulate(powers.begin(), powers.end(), 0.0);
}

double ValuesOfMatrix() { return 8.0 * 50 * 50; }

double PairsUnderCausalMask() {
  const Mask mask = Causal();
  double pairs = 0;
  for (int64_t t = 0; t < 6; ++t) {
    for (int64_t s = 0; s < 6; ++s) pairs += mask.May(0, t, s) ? 1 : 0;
  }
  return pairs;
}

double ParametersOfEncoderLayer() {
  return CountParameters([](const Scope& scope) {
    TransformerOptions options;
    options.layers = 1;
    options.width = 512;
    options.heads = 8;
    options.feed_forward = 2048;
    const TransformerStack stack(scope, options);
  });
}

double SinusoidOfThird() {
  return Sinusoids(PositionKind::kSinusoidal, 3, 4, 512, DType::kF64)
      .ToVector<double>()
      .front();
}

double TokensBecomeMask() { return 200 * 0.15 * 0.8; }

double ParametersOfBertEmbedding() { return (30522.0 + 512 + 2) * 768; }

double PatchesOfDigit() { return (28.0 / 7) * (28.0 / 7); }

double WeightOfNeighbour() {
  Numbers scores = {1, -1, 0, 2};
  for (double& e : scores) e = e < 0 ? 0.2 * e : e;
  return Normalised(Softmax, scores)[1];
}

double AttributionOfProduct() {
  // ∫ of x2 along the line from (0, 0) to (2, 3), times x1, by the midpoint
  // rule.
  constexpr int kSteps = 100;
  double sum = 0;
  for (int i = 0; i < kSteps; ++i) sum += 3 * (i + 0.5) / kSteps;
  return 2 * sum / kSteps;
}

double AgreementOfRanks() {
  const Numbers attention = {0.4, 0.3, 0.2, 0.1};
  const Numbers gradient = {0.3, 0.5, 0.1, 0.2};
  return KendallCorrelation(attention, gradient).value();
}

constexpr std::array kChapters = {
    Chapter{1, "Sequence to sequence", "01-sequence-to-sequence.md"},
    Chapter{2, "The bottleneck", "02-bottleneck.md"},
    Chapter{3, "Attention", "03-attention.md"},
    Chapter{4, "Scores", "04-scores.md"},
    Chapter{5, "Alignment", "05-alignment.md"},
    Chapter{6, "Hard and soft", "06-hard-and-soft.md"},
    Chapter{7, "Memory", "07-memory.md"},
    Chapter{8, "Self-attention", "08-self-attention.md"},
    Chapter{9, "The Transformer", "09-transformer.md"},
    Chapter{10, "BERT", "10-bert.md"},
    Chapter{11, "Beyond text", "11-beyond-text.md"},
    Chapter{12, "Looking inside", "12-looking-inside.md"},
};

constexpr std::array kExercises = {
    Exercise{1, 1,
             "A decoder gives the right words of a sentence of three words the "
             "probabilities 1/2, 1/4 and 1/8. What is its perplexity?",
             "e to the mean of ln 2, ln 4 and ln 8", PerplexityOfSentence},
    Exercise{
        1, 2,
        "A plain recurrent layer (tanh, one bias) reads 4 features and has "
        "3 units. How many parameters does it have?",
        "3 x 4 of the input, 3 x 3 of the state, 3 of the bias",
        ParametersOfRnn},
    Exercise{
        2, 1,
        "A sentence has 60 words, each one of 1000 equally frequent words. "
        "How many bits does a vector need to give it back exactly?",
        "60 times log2 of 1000", BitsOfSentence},
    Exercise{
        2, 2,
        "Each step back multiplies a gradient by 0.9. Which share of it is "
        "left after 50 steps?",
        "0.9 to the power of 50", GradientLeft},
    Exercise{3, 1,
             "Three annotations have the scores 2, 1 and 0. What is the "
             "softmax weight of the first?",
             "e^2 / (e^2 + e^1 + e^0)", FirstWeight},
    Exercise{3, 2,
             "Their values are the numbers 1, 2 and 6. What is the context?",
             "the sum of the values by their weights .665, .245 and .090",
             ContextOfThree},
    Exercise{4, 1,
             "The query is (1, 2, 0, 1) and a key (3, -1, 5, 1). What is their "
             "scaled dot product?",
             "(3 - 2 + 0 + 1) / sqrt(4)", ScaledDotProduct},
    Exercise{4, 2,
             "Queries have 8 features, keys 6. How many parameters has the "
             "additive score v tanh(W q + U k + b) with 5 hidden units?",
             "5 x 8 of W, 5 x 6 of U, 5 of b, 5 of v",
             ParametersOfAdditiveScore},
    Exercise{5, 1,
             "Found are the links 0-0, 1-1 and 2-0; 0-0 and 2-2 are sure, and "
             "1-1 is possible besides. What is the alignment error rate?",
             "1 - (1 sure + 2 possible that are found) / (3 found + 2 sure)",
             ErrorRateOfThreeLinks},
    Exercise{
        5, 2,
        "A target word has the weights 0.5, 0.25 and 0.25. How many source "
        "words is that, as the perplexity of the weights?",
        "e to the entropy 0.5 ln 2 + 2 x 0.25 ln 4", WordsPerWord},
    Exercise{
        6, 1,
        "Hard attention draws one of three places with the probabilities "
        "0.7, 0.2 and 0.1; they bring the rewards 1, 0 and -2. What is the "
        "expected reward?",
        "0.7 x 1 + 0.2 x 0 - 0.1 x 2", SampledReward},
    Exercise{6, 2,
             "Sparsemax is the point of the simplex nearest to the scores. "
             "Which weight has the first of the scores 1, 0.5 and -1?",
             "max(e - t, 0) with t = 0.25, so that the weights sum to 1",
             SparsemaxWeight},
    Exercise{7, 1,
             "A memory has the slots (2, 0), (0, 1) and (1, 1). The key is "
             "(1, 0), its strength 4. What is the weight of the first slot by "
             "content?",
             "softmax of 4 times the cosines 1, 0 and 1/sqrt(2)",
             ContentWeight},
    Exercise{7, 2,
             "A shift has blurred a weight of 1 to 0.1, 0.8 and 0.1. What is "
             "the largest weight after sharpening by the power of 2?",
             "0.64 / (0.01 + 0.64 + 0.01)", SharpenedWeight},
    Exercise{
        8, 1,
        "Eight heads of self-attention read 50 words. How many weights are "
        "there?",
        "8 x 50 x 50", ValuesOfMatrix},
    Exercise{8, 2,
             "How many pairs of 6 words may look at each other under a causal "
             "mask, each word at itself included?",
             "1 + 2 + 3 + 4 + 5 + 6", PairsUnderCausalMask},
    Exercise{
        9, 1,
        "How many parameters has an encoder layer of the Transformer with "
        "512 features, a feed-forward layer of 2048, biases everywhere and "
        "two layer normalisations?",
        "4 x (512 x 512 + 512) + 2 x 512 x 2048 + 2048 + 512 + 4 x 512",
        ParametersOfEncoderLayer},
    Exercise{9, 2,
             "Positions count from 0. What is the first feature of the "
             "sinusoidal vector of position 3?",
             "sin(3 / 10000^0)", SinusoidOfThird},
    Exercise{10, 1,
             "BERT chooses 15 % of the tokens to predict; 80 % of those become "
             "[MASK]. How many of 200 tokens is that?",
             "200 x 0.15 x 0.8", TokensBecomeMask},
    Exercise{10, 2,
             "BERT-base has 30522 tokens, 512 positions and 2 segments, each "
             "with a vector of 768 features. How many numbers is that?",
             "(30522 + 512 + 2) x 768", ParametersOfBertEmbedding},
    Exercise{
        11, 1,
        "An image of 28 x 28 pixels is cut into patches of 7 x 7. How many "
        "tokens does the Transformer read, without one for the class?",
        "4 x 4", PatchesOfDigit},
    Exercise{11, 2,
             "Before LeakyReLU (slope 0.2) the edges from a node to its four "
             "neighbours have the scores 1, -1, 0 and 2. What is the weight of "
             "the second neighbour?",
             "softmax of 1, -0.2, 0 and 2", WeightOfNeighbour},
    Exercise{12, 1,
             "f(x, y) = x y. What do integrated gradients give to x at (2, 3), "
             "from (0, 0)?",
             "half of 6, as the other half is of y", AttributionOfProduct},
    Exercise{
        12, 2,
        "Attention orders four words by 0.4, 0.3, 0.2 and 0.1, gradients by "
        "0.3, 0.5, 0.1 and 0.2. What is Kendall's rank correlation?",
        "(4 pairs in the same order - 2 others) / 6", AgreementOfRanks},
};

}  // namespace

std::span<const Chapter> Chapters() { return kChapters; }

std::span<const Exercise> Exercises() { return kExercises; }

bool IsWhole(double answer) {
  return std::abs(answer - std::round(answer)) <= 1e-9 * std::abs(answer);
}

bool IsRight(double answer, double given) {
  const double tolerance = IsWhole(answer) ? 1e-9 : 0.005;
  return std::abs(given - answer) <= tolerance * std::abs(answer);
}

}  // namespace heed
