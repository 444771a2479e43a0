#include "course/attention_gallery.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "course/token_attention.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/loss.h"
#include "heed/ops/reinforce.h"
#include "heed/ops/shape.h"
#include "heed/train/optimizer.h"
#include "heed/train/schedule.h"

namespace heed {
namespace {

constexpr std::string_view kExample = "translations";
constexpr int64_t kLength = kExample.size();
constexpr int32_t kAlphabet = 26;
constexpr int32_t kNothing = -1;  // no target at this position
constexpr int64_t kWidth = 64;
constexpr int64_t kBatch = 64;
constexpr int64_t kTestWords = 200;

/// Letters as numbers from 0, kAlphabet at padding [B, S].
struct Words {
  Tensor letters;
  Tensor wanted;  // reversed letters, kNothing without a target
};

Words Reverse(Tensor letters, const GalleryOptions& options) {
  Words words = {std::move(letters), {}};
  words.wanted = Tensor::Full(words.letters.shape(), kNothing, DType::kI32);
  const int64_t part = options.letters / options.documents;
  for (int64_t b = 0; b < words.letters.dim(0); ++b) {
    int32_t* row = words.letters.row<int32_t>(b);
    int32_t* wanted = words.wanted.row<int32_t>(b);
    std::fill(row + options.letters, row + kLength, kAlphabet);
    for (int64_t begin = 0; begin < options.letters; begin += part) {
      std::reverse_copy(row + begin, row + begin + part, wanted + begin);
    }
  }
  return words;
}

Words RandomWords(int64_t count, const GalleryOptions& options, Rng& rng) {
  Tensor letters({count, kLength}, DType::kI32);
  for (int64_t i = 0; i < letters.numel(); ++i) {
    letters.data<int32_t>()[i] = static_cast<int32_t>(rng.Below(kAlphabet));
  }
  return Reverse(letters, options);
}

Words ExampleWord(const GalleryOptions& options) {
  Tensor letters({1, kLength}, DType::kI32);
  std::transform(kExample.begin(), kExample.end(), letters.data<int32_t>(),
                 [](char c) { return c - 'a'; });
  return Reverse(letters, options);
}

std::vector<std::string> TextOf(const Tensor& letters) {
  std::vector<std::string> text;
  for (int64_t i = 0; i < letters.numel(); ++i) {
    const int32_t letter = letters.data<int32_t>()[i];
    const bool real = letter >= 0 && letter < kAlphabet;
    text.push_back(real ? std::string(1, static_cast<char>('a' + letter))
                        : "·");
  }
  return text;
}

/// Returns the first `count` columns of the targets as one list.
Tensor Targets(const Words& words, int64_t count) {
  return words.wanted.Columns(0, count).Contiguous().Reshape(
      {words.wanted.dim(0) * count});
}

/// Returns the letter with the largest logit at each position with a target.
Tensor Largest(const Tensor& logits, const Tensor& wanted) {
  Tensor letters = wanted.Clone();
  for (int64_t i = 0; i < letters.numel(); ++i) {
    int32_t& letter = letters.data<int32_t>()[i];
    const float* row = logits.row<float>(i);
    if (letter == kNothing) continue;
    letter = static_cast<int32_t>(std::max_element(row, row + kAlphabet) - row);
  }
  return letters;
}

TokenAttentionOptions ReverserOf(const GalleryOptions& options) {
  TokenAttentionOptions reverser;
  AttentionSpec& spec = reverser.spec;
  spec.score = ChooseScore(options.score);
  spec.modifiers = ChooseModifiers(options.modifiers);
  spec.normalizer = ChooseNormalizer(options.normalizer);
  spec.heads = options.heads;
  spec.query = spec.key = spec.value = kWidth;
  spec.units = kWidth / options.heads;
  spec.positions = kLength;
  reverser.tokens = kAlphabet + 1;
  reverser.length = kLength;
  reverser.width = kWidth;
  reverser.outputs = kAlphabet;
  return reverser;
}

/// Attention layer that reads words through the mask of the options.
class Reverser {
 public:
  using Output = TokenAttention::Output;

  Reverser(ParameterSet& set, const GalleryOptions& options)
      : mask_(options.mask), attention_(set, ReverserOf(options)) {}

  Output operator()(const Context& ctx, const Tensor& letters,
                    WantWeights want = WantWeights::kNo) const {
    return attention_(ctx, letters,
                      ParseMask(mask_, {letters.dim(0), kLength, kLength}),
                      want);
  }

 private:
  std::string mask_;
  TokenAttention attention_;
};

/// Returns log p of the target letter, 0 without a target, repeated for all
/// heads [B·H, T].
Tensor Rewards(const Tensor& logits, const Tensor& targets, int64_t heads) {
  const Tensor log_p = LogSoftmax(logits).value();
  const int64_t batch = logits.dim(0);
  const int64_t steps = logits.dim(1);
  Tensor rewards = Tensor::Zeros({batch * heads, steps});
  for (int64_t n = 0; n < batch * heads; ++n) {
    for (int64_t t = 0; t < steps; ++t) {
      const int64_t row = n / heads * steps + t;
      const int32_t target = targets.data<int32_t>()[row];
      if (target >= 0) rewards.row<float>(n)[t] = log_p.row<float>(row)[target];
    }
  }
  return rewards;
}

double Mean(const Tensor& x) {
  double sum = 0;
  for (const double value : x.ToVector<double>()) sum += value;
  return sum / static_cast<double>(x.numel());
}

/// Training loop with forward and backward passes and updates.
class Training {
 public:
  Training(ParameterSet& set, const Reverser& model,
           const GalleryOptions& options)
      : model_(model),
        options_(options),
        config_(Adam(options)),
        optimizer_(set, config_),
        rng_(options.seed) {
    ctx_.tape = &tape_;
    ctx_.rng = &rng_;
    ctx_.training = true;
  }

  void Step(int64_t step) {
    const Words words = RandomWords(kBatch, options_, rng_);
    Reverser::Output output = model_(ctx_, words.letters);
    const Tensor targets = Targets(words, output.logits.dim(1));
    const double scale = 1.0 / static_cast<double>(targets.numel());
    Var loss;
    if (output.attended.log_probability.defined()) {
      loss = Scale(HardLoss(output, targets), scale);
    }
    const Var nll = CrossEntropy(std::exchange(output.logits, {}), targets,
                                 {.ignore_id = kNothing, .scale = scale})
                        .loss;
    tape_.Backward(loss.defined() ? Add(loss, nll) : nll);
    tape_.Clear();
    optimizer_.Step(step, LearningRate(config_, step, options_.steps));
  }

 private:
  static OptimizerConfig Adam(const GalleryOptions& options) {
    OptimizerConfig config;
    config.learning_rate = 3e-3;
    config.schedule = Schedule::kCosine;
    config.warmup = options.steps / 20;
    return config;
  }

  /// REINFORCE loss of a hard choice, which has no gradient of its own.
  Var HardLoss(const Reverser::Output& output, const Tensor& targets) {
    const Attended& a = output.attended;
    const int64_t heads = a.log_probability.dim(1);
    const Tensor rewards = Rewards(output.logits.value(), targets, heads);
    Var loss = ReinforceLoss(Reshape(a.log_probability, rewards.shape()),
                             Reshape(a.entropy, rewards.shape()), rewards,
                             baseline_.value(), {.entropy_weight = 0.05});
    baseline_.Update(Mean(rewards));
    return loss;
  }

  const Reverser& model_;
  const GalleryOptions& options_;
  OptimizerConfig config_;
  Optimizer optimizer_;
  Rng rng_;
  Tape tape_;
  Context ctx_;
  MovingBaseline baseline_{0.9};
};

/// Returns the attention weights at initialisation.
Tensor InitialWeights(const Reverser& model, const Words& word, uint64_t seed) {
  Rng rng(seed);
  Context ctx;
  ctx.rng = &rng;
  ctx.training = true;
  return model(ctx, word.letters, WantWeights::kValues)
      .attended.weights.value()[0]
      .Clone();
}

void Test(const Reverser& model, const GalleryOptions& options,
          GalleryExample& example) {
  Rng rng(options.seed + 1);
  const Words words = RandomWords(kTestWords, options, rng);
  Var logits = model({}, words.letters).logits;
  const Tensor targets = Targets(words, logits.dim(1));
  const CrossEntropyLoss loss =
      CrossEntropy(std::move(logits), targets, {.ignore_id = kNothing});
  const auto letters = static_cast<double>(loss.tokens);
  example.loss = loss.nll / letters;
  example.accuracy = static_cast<double>(loss.correct) / letters;
}

}  // namespace

GalleryOptions GalleryOptionsFor(const CataloguePart& part) {
  // Options of parts that need more than the part itself.
  static const std::map<std::string, GalleryOptions> special = {
      {"location_aware", {.score = "location_aware(4, 6)"}},
      {"strength", {.score = "cosine", .modifiers = "strength"}},
      {"shift", {.modifiers = "interpolate; shift(1)"}},
      {"sharpen_weights",
       {.score = "cosine",
        .modifiers = "strength; interpolate; shift(1); sharpen_weights"}},
      {"local_p", {.modifiers = "local_p(6)"}},
      {"local_p_scores", {.modifiers = "local_p_scores(6)"}},
      {"sharpen", {.modifiers = "sharpen(4)"}},
      {"median_window", {.modifiers = "median_window(4)"}},
      {"temperature", {.modifiers = "temperature(4)"}},
      {"soft_cap", {.modifiers = "soft_cap(3)"}},
      {"relative_bias", {.modifiers = "relative_bias(8, 16)"}},
      {"learned_bias", {.modifiers = "learned_bias(12)"}},
      {"alibi", {.modifiers = "alibi", .heads = 4}},
      {"padding", {.mask = "padding(0.75)", .letters = 9}},
      {"local_m", {.mask = "local_m(3)"}},
      {"prefix", {.mask = "prefix(8)"}},
      {"window", {.mask = "window(8)"}},
      {"documents", {.mask = "documents(2)", .documents = 2}},
      {"top_k", {.normalizer = "top_k(2)"}},
  };
  const auto found = special.find(part.name);
  if (found != special.end()) return found->second;
  GalleryOptions options;
  if (part.kind == "score") options.score = part.name;
  if (part.kind == "modifier") options.modifiers = part.name;
  if (part.kind == "mask") options.mask = part.name;
  if (part.kind == "normalizer") options.normalizer = part.name;
  return options;
}

GalleryExample TrainGalleryExample(const GalleryOptions& options) {
  ParameterSet set(options.seed, DType::kF32, kernels::Precision::kNative);
  const Reverser model(set, options);
  const Words word = ExampleWord(options);
  GalleryExample example;
  example.untrained = InitialWeights(model, word, options.seed);
  Training training(set, model, options);
  for (int64_t step = 1; step <= options.steps; ++step) training.Step(step);
  Test(model, options, example);

  const Reverser::Output output = model({}, word.letters, WantWeights::kValues);
  const Tensor wanted = Targets(word, output.logits.dim(1));
  example.input = TextOf(word.letters);
  example.wanted = TextOf(wanted);
  example.written = TextOf(Largest(output.logits.value(), wanted));
  example.weights = output.attended.weights.value()[0].Clone();
  return example;
}

}  // namespace heed
