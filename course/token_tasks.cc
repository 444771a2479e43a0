#include "course/token_tasks.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <utility>

#include "heed/data/shuffle.h"
#include "heed/ops/loss.h"
#include "heed/ops/shape.h"
#include "heed/train/schedule.h"

namespace heed {
namespace {

constexpr int32_t kLetterCount = 26;
constexpr int64_t kWordLength = 12;
constexpr int32_t kNoAnswer = -1;

std::vector<std::string> LetterVocabulary() {
  std::vector<std::string> letters;
  for (char c = 'a'; c <= 'z'; ++c) letters.emplace_back(1, c);
  return letters;
}

/// Draws random words; answer k of position t is the letter at places[k](t).
TokenBatch DrawWords(int64_t count,
                     const std::vector<int64_t (*)(int64_t t)>& places,
                     Rng& rng) {
  const auto answers = std::ssize(places);
  TokenBatch batch = {
      Tensor({count, kWordLength}, DType::kI32),
      Tensor::Full({count}, static_cast<double>(kWordLength), DType::kI32),
      Tensor({count, kWordLength, answers}, DType::kI32)};
  for (int64_t b = 0; b < count; ++b) {
    int32_t* letters = batch.tokens.row<int32_t>(b);
    for (int64_t t = 0; t < kWordLength; ++t) {
      letters[t] = static_cast<int32_t>(rng.Below(kLetterCount));
    }
    int32_t* wanted = batch.wanted[b].data<int32_t>();
    for (int64_t t = 0; t < kWordLength; ++t) {
      for (const auto place : places) *wanted++ = letters[place(t)];
    }
  }
  return batch;
}

int64_t Mirrored(int64_t t) { return kWordLength - 1 - t; }
int64_t Before(int64_t t) { return (t + kWordLength - 1) % kWordLength; }
int64_t Behind(int64_t t) { return (t + 1) % kWordLength; }
int64_t FirstPlace(int64_t /*t*/) { return 0; }

// Vocabulary, grouped by word class; the first entry is padding.
constexpr std::array kSentenceWords = {
    "·",      "the",    "old",   "young", "small", "big",    "wild",
    "dog",    "cat",    "horse", "bird",  "fox",   "mouse",  "goose",
    "rabbit", "chases", "sees",  "hears", "likes", "follows"};
constexpr int32_t kThe = 1;
constexpr int32_t kAdjectives = 2;
constexpr int32_t kNouns = 7;
constexpr int32_t kVerbs = 15;
constexpr int64_t kLongest = 7;

int32_t OneOfWords(int32_t begin, int32_t end, Rng& rng) {
  return begin +
         static_cast<int32_t>(rng.Below(static_cast<uint64_t>(end - begin)));
}

/// Words and the position of each word's head.
struct ParsedSentence {
  std::vector<int32_t> words;
  std::vector<size_t> depends_on;
};

/// Appends "the [adjective] noun", whose words depend on the noun.
void AddNoun(int32_t noun, ParsedSentence& sentence, Rng& rng) {
  sentence.words.push_back(kThe);
  if (rng.Below(2) == 0) {
    sentence.words.push_back(OneOfWords(kAdjectives, kNouns, rng));
  }
  sentence.words.push_back(noun);
  sentence.depends_on.resize(sentence.words.size(), sentence.words.size() - 1);
}

ParsedSentence DrawSentence(Rng& rng) {
  ParsedSentence sentence;
  const int32_t first = OneOfWords(kNouns, kVerbs, rng);
  int32_t second = OneOfWords(kNouns, kVerbs - 1, rng);
  if (second >= first) ++second;  // a different noun
  AddNoun(first, sentence, rng);
  const size_t verb = sentence.words.size();
  sentence.words.push_back(OneOfWords(
      kVerbs, static_cast<int32_t>(std::ssize(kSentenceWords)), rng));
  sentence.depends_on.push_back(verb);
  AddNoun(second, sentence, rng);
  sentence.depends_on[verb - 1] = verb;
  sentence.depends_on.back() = verb;
  return sentence;
}

TokenBatch DrawSentences(int64_t count, bool verbs, Rng& rng) {
  TokenBatch batch = {
      Tensor::Zeros({count, kLongest}, DType::kI32),
      Tensor({count}, DType::kI32),
      Tensor::Full({count, kLongest, 1}, kNoAnswer, DType::kI32)};
  for (int64_t b = 0; b < count; ++b) {
    const ParsedSentence sentence = DrawSentence(rng);
    std::ranges::copy(sentence.words, batch.tokens.row<int32_t>(b));
    batch.lengths.data<int32_t>()[b] =
        static_cast<int32_t>(sentence.words.size());
    int32_t* wanted = batch.wanted[b].data<int32_t>();
    for (const size_t place : sentence.depends_on) {
      *wanted++ = verbs ? *std::ranges::max_element(sentence.words)
                        : sentence.words[place];
    }
  }
  return batch;
}

TokenTask SentenceTask(const std::string& name, bool verbs) {
  return {.name = name,
          .vocabulary = {kSentenceWords.begin(), kSentenceWords.end()},
          .length = kLongest,
          .answers = 1,
          .draw = [verbs](int64_t count, Rng& rng) {
            return DrawSentences(count, verbs, rng);
          }};
}

TokenTask WordTask(const std::string& name,
                   std::vector<int64_t (*)(int64_t t)> places) {
  TokenTask task = {.name = name,
                    .vocabulary = LetterVocabulary(),
                    .length = kWordLength,
                    .answers = std::ssize(places),
                    .draw = {}};
  task.draw = [places = std::move(places)](int64_t count, Rng& rng) {
    return DrawWords(count, places, rng);
  };
  return task;
}

CrossEntropyLoss TokenLoss(const Var& logits, const TokenBatch& batch,
                           double scale) {
  const int64_t rows = batch.wanted.numel();
  return CrossEntropy(Reshape(logits, {rows, logits.value().numel() / rows}),
                      batch.wanted.Reshape({rows}),
                      {.ignore_id = kNoAnswer, .scale = scale});
}

/// Reorders the positions of each sequence by `change`.
TokenBatch InOrder(const TokenBatch& batch,
                   const std::function<void(std::vector<int64_t>&)>& change) {
  TokenBatch result = {batch.tokens.Clone(), batch.lengths,
                       batch.wanted.Clone()};
  const int64_t answers = batch.wanted.dim(2);
  for (int64_t b = 0; b < batch.tokens.dim(0); ++b) {
    std::vector<int64_t> order(
        static_cast<size_t>(batch.lengths.data<int32_t>()[b]));
    std::iota(order.begin(), order.end(), 0);
    change(order);
    const int32_t* tokens = batch.tokens.row<int32_t>(b);
    const int32_t* wanted = batch.wanted[b].data<int32_t>();
    int32_t* answer = result.wanted[b].data<int32_t>();
    for (size_t t = 0; t < order.size(); ++t) {
      result.tokens.row<int32_t>(b)[t] = tokens[order[t]];
      answer = std::copy_n(wanted + order[t] * answers, answers, answer);
    }
  }
  return result;
}

OptimizerConfig AdamFor(const TokenTraining& training) {
  OptimizerConfig config;
  config.learning_rate = training.learning_rate;
  config.schedule = training.schedule;
  config.warmup = training.steps / 20;
  config.clip = 0;
  return config;
}

}  // namespace

TokenTask BackwardsTask() { return WordTask("backwards", {Mirrored}); }
TokenTask FourLettersTask() {
  return WordTask("four letters", {Mirrored, Before, Behind, FirstPlace});
}
TokenTask DependenciesTask() { return SentenceTask("depends on", false); }
TokenTask VerbTask() { return SentenceTask("the verb", true); }

TokenBatch Shuffled(const TokenBatch& batch, Rng& rng) {
  return InOrder(batch,
                 [&](std::vector<int64_t>& order) { Shuffle(order, rng); });
}

TokenBatch Swapped(const TokenBatch& batch, int swaps, Rng& rng) {
  return InOrder(batch, [&](std::vector<int64_t>& order) {
    for (int i = 0; i < swaps; ++i) {
      const uint64_t first = rng.Below(order.size());
      uint64_t second = rng.Below(order.size() - 1);
      if (second >= first) ++second;
      std::swap(order[first], order[second]);
    }
  });
}

Mask RealTokens(const TokenBatch& batch) {
  const auto all = batch.lengths.ToVector<int32_t>();
  const auto length = static_cast<int32_t>(batch.tokens.dim(1));
  const bool full =
      std::ranges::all_of(all, [&](int32_t own) { return own == length; });
  return full ? Mask() : Padding(batch.lengths);
}

std::vector<std::string> TokensOf(const TokenTask& task,
                                  const TokenBatch& batch, int64_t row) {
  const int32_t* ids = batch.tokens.row<int32_t>(row);
  std::vector<std::string> tokens;
  for (int32_t t = 0; t < batch.lengths.data<int32_t>()[row]; ++t) {
    tokens.push_back(task.vocabulary.at(static_cast<size_t>(ids[t])));
  }
  return tokens;
}

int64_t LongestRow(const TokenBatch& batch) {
  const auto lengths = batch.lengths.ToVector<int32_t>();
  return std::ranges::max_element(lengths) - lengths.begin();
}

TokenAttentionOptions LayerFor(const TokenTask& task, int64_t features) {
  TokenAttentionOptions layer;
  layer.spec.query = layer.spec.key = layer.spec.value = features;
  layer.tokens = std::ssize(task.vocabulary);
  layer.length = task.length;
  layer.outputs = task.answers * layer.tokens;
  return layer;
}

TokenScore ScoreTokens(const TokenAttention& model, const TokenBatch& batch,
                       double temperature) {
  const Var logits =
      model({}, batch.tokens, RealTokens(batch), WantWeights::kNo, temperature)
          .logits;
  const CrossEntropyLoss loss = TokenLoss(logits, batch, 1);
  const auto answers = static_cast<double>(loss.tokens);
  return {static_cast<double>(loss.correct) / answers, loss.nll / answers};
}

TokenLearner::TokenLearner(const TokenTask& task,
                           const TokenAttentionOptions& layer,
                           const TokenTraining& training)
    : task_(task),
      training_(training),
      config_(AdamFor(training)),
      parameters_(training.seed, DType::kF32, kernels::Precision::kNative),
      model_(parameters_, layer),
      optimizer_(parameters_, config_),
      rng_(training.seed) {}

double TokenLearner::Step() {
  ++step_;
  const TokenBatch batch = task_.draw(training_.batch, rng_);
  Tape tape;
  Context ctx;
  ctx.tape = &tape;
  ctx.rng = &rng_;
  ctx.training = true;
  const int64_t answers = std::ranges::count_if(
      batch.wanted.ToVector<int32_t>(), [](int32_t a) { return a >= 0; });
  tape.Backward(TokenLoss(model_(ctx, batch.tokens, RealTokens(batch)).logits,
                          batch, 1 / static_cast<double>(answers))
                    .loss);
  tape.Clear();
  return optimizer_.Step(step_, LearningRate(config_, step_, training_.steps));
}

void TokenLearner::Train() {
  while (step_ < training_.steps) Step();
}

TokenBatch TokenLearner::Test(int64_t count) const {
  Rng rng(training_.seed + 1);
  return task_.draw(count, rng);
}

}  // namespace heed
