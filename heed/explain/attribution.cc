#include "heed/explain/attribution.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/rng.h"
#include "heed/explain/attention_flow.h"

namespace heed {
namespace {

// Batch size in tokens: large enough for fast matrix products, small enough
// that one product takes a small part of 0.1 s. Cancellation is checked between
// products.
constexpr int64_t kTokensAtOnce = 512;
constexpr int64_t kInputsAtOnce = 64;
// Memory limits, independent of the length of the texts.
constexpr int64_t kGradientsAtOnce = int64_t{1} << 23;  // 64 MiB of numbers
constexpr int64_t kOccludedAtOnce = 4096;               // inputs

/// Changes the input of each copy and makes it the leaf to differentiate by.
class InputObserver : public Observer {
 public:
  InputObserver(const Explainable& answer, std::span<const ChangedInput> inputs,
                Tape* tape)
      : answer_(answer), inputs_(inputs), tape_(tape) {}

  bool WantsInput(const std::string& name) override {
    return name == answer_.input && !seen_;
  }
  Var OnInput(const std::string& name, const Var& x) override {
    if (seen_) return x;
    seen_ = true;
    if (x.shape().rank() != 3 || x.dim(0) != Rows() ||
        x.dim(1) < answer_.tokens) {
      throw ShapeError("{}: an input {} for {} copies of {} tokens", name,
                       x.shape().ToString(), inputs_.size(), answer_.tokens);
    }
    size_ = x.dim(1);
    features_ = x.dim(2);
    std::vector<double> all = x.value().ToVector<double>();
    std::vector<double> own(static_cast<size_t>(answer_.tokens * features_));
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (!inputs_[i].change) continue;
      ForTokens(i, [&](int64_t from, int64_t to) {
        std::copy_n(all.begin() + from, features_, own.begin() + to);
      });
      inputs_[i].change(own);
      ForTokens(i, [&](int64_t to, int64_t from) {
        std::copy_n(own.begin() + from, features_, all.begin() + to);
      });
    }
    Tensor changed = Tensor::Of(all, x.shape()).To(x.value().dtype());
    if (tape_ == nullptr) return changed;
    leaf_ = tape_->Leaf(std::move(changed));
    return leaf_;
  }

  bool seen() const { return seen_; }
  int64_t features() const { return features_; }

  /// Gradients of the leaf, input by input [inputs, S, M].
  std::vector<double> Gradients() const {
    const auto size = static_cast<size_t>(answer_.tokens * features_);
    std::vector<double> gradients(inputs_.size() * size);
    const Tensor gradient = tape_->Gradient(leaf_);
    if (!gradient.defined()) return gradients;
    const std::vector<double> all = gradient.ToVector<double>();
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const auto begin = gradients.begin() + static_cast<long>(i * size);
      ForTokens(i, [&](int64_t from, int64_t to) {
        std::copy_n(all.begin() + from, features_, begin + to);
      });
    }
    return gradients;
  }

 private:
  int64_t Rows() const { return std::ssize(inputs_) * answer_.rows_of_copy; }
  /// Calls fn(offset in the batch, offset in the tokens) for each vector.
  template <typename Fn>
  void ForTokens(size_t input, const Fn& fn) const {
    const int64_t i =
        static_cast<int64_t>(input) * answer_.rows_of_copy + answer_.row;
    for (int64_t s = 0; s < answer_.tokens; ++s) {
      fn((i * size_ + s) * features_, s * features_);
    }
  }

  const Explainable& answer_;
  std::span<const ChangedInput> inputs_;
  Tape* tape_;
  Var leaf_;
  bool seen_ = false;
  int64_t features_ = 0;
  int64_t size_ = 0;
};

/// Appends the scores and gradients of some inputs to `result`.
void Evaluate(const Explainable& answer, std::span<const ChangedInput> inputs,
              bool differentiate, ScoredGradients& result) {
  Tape tape;
  InputObserver observer(answer, inputs, differentiate ? &tape : nullptr);
  Context ctx;
  ctx.observer = &observer;
  ctx.fixed_parameters = true;
  ctx.cancellation = answer.cancellation;
  ctx.CheckCancelled();
  if (differentiate) ctx.tape = &tape;
  const Var y = answer.scores(ctx, std::ssize(inputs));
  if (!observer.seen()) {
    throw ConfigError("attribution: the model has no input '{}'", answer.input);
  }
  const Tensor values = y.value().Contiguous();
  const std::vector<double> scores = values.ToVector<double>();
  std::vector<double> seed(scores.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const size_t cell = i * static_cast<size_t>(answer.targets) +
                        static_cast<size_t>(inputs[i].target);
    if (std::isnan(scores[cell])) {
      throw NumericError(
          "attribution: the model's scores are not finite; its parameters may "
          "be damaged");
    }
    result.scores.push_back(scores[cell]);
    seed[cell] = 1;
  }
  result.features = observer.features();
  if (!differentiate) return;
  if (y.tape() != nullptr) {
    tape.Backward(y, Tensor::Of(seed, y.shape()).To(values.dtype()),
                  answer.cancellation);
  }
  const std::vector<double> gradients = observer.Gradients();
  result.gradients.insert(result.gradients.end(), gradients.begin(),
                          gradients.end());
}

ScoredGradients EvaluateAll(const Explainable& answer,
                            std::span<const ChangedInput> inputs,
                            bool differentiate) {
  ScoredGradients result;
  const int64_t tokens =
      answer.tokens_of_copy > 0 ? answer.tokens_of_copy : answer.tokens;
  const auto at_once = static_cast<size_t>(std::clamp<int64_t>(
      kTokensAtOnce / (tokens * answer.rows_of_copy), 1, kInputsAtOnce));
  for (size_t begin = 0; begin < inputs.size(); begin += at_once) {
    const size_t n = std::min(at_once, inputs.size() - begin);
    Evaluate(answer, inputs.subspan(begin, n), differentiate, result);
  }
  return result;
}

double Norm(std::span<const double> x) {
  double sum = 0;
  for (const double v : x) sum += v * v;
  return std::sqrt(sum);
}

/// Computes attributions of one answer and caches its input.
class Attributor {
 public:
  Attributor(const Explainable& answer, const AttributionOptions& options)
      : answer_(answer), options_(options) {}

  Attribution Run(const std::string& method) {
    Attribution a;
    a.method = method;
    a.axis = answer_.axis;
    a.targets = answer_.of_targets;
    if (method == "saliency") {
      a.scores = AtInput().norms;
    } else if (method == "gradient_x_input") {
      a.scores = AtInput().products;
    } else if (method == "integrated_gradients") {
      a.scores = MeanGradients(options_.steps, Path()).from_absent;
      a.differences = Differences();
    } else if (method == "smooth_grad") {
      a.scores = MeanGradients(options_.samples, Noise()).norms;
    } else if (method == "occlusion") {
      a.scores = Occlusion();
    } else {
      const std::vector<std::string> names = AttributionMethods();
      throw ConfigError("unknown method '{}'{} (valid: {})", method,
                        DidYouMean(method, names), fmt::join(names, ", "));
    }
    return a;
  }

 private:
  using Change = std::function<void(std::span<double>)>;
  /// A family of changes, by number.
  using Changes = std::function<Change(int number)>;
  /// Gradients g_ns reduced over the features [N, S].
  struct PerToken {
    std::vector<float> norms;        // |g_ns|
    std::vector<float> products;     // g_ns · x_s
    std::vector<float> from_absent;  // g_ns · (x_s − x0)
  };

  /// Calls fn(n0, n1) for consecutive ranges of targets. A range holds at most
  /// `limit` numbers, with `of_target` numbers per target.
  template <typename Fn>
  void ForTargets(int64_t of_target, int64_t limit, const Fn& fn) const {
    const int64_t at_once = std::max<int64_t>(1, limit / of_target);
    for (int64_t n = 0; n < answer_.targets; n += at_once) {
      fn(n, std::min(n + at_once, answer_.targets));
    }
  }

  static std::vector<ChangedInput> Targets(int64_t begin, int64_t end,
                                           const Change& change) {
    std::vector<ChangedInput> inputs;
    for (int64_t n = begin; n < end; ++n) inputs.push_back({n, change});
    return inputs;
  }

  /// Input x [S, M].
  const std::vector<double>& Input() {
    if (input_.empty()) {
      const ChangedInput look = {0, [this](std::span<double> x) {
                                   input_.assign(x.begin(), x.end());
                                 }};
      ScoresOf(answer_, {&look, 1});
    }
    return input_;
  }
  int64_t Features() { return std::ssize(Input()) / answer_.tokens; }

  /// Input with every token removed [S, M].
  const std::vector<double>& Absent() {
    if (absent_.empty()) {
      absent_ = Input();
      TakeAway(answer_, absent_);
    }
    return absent_;
  }

  /// Midpoints of equal steps from Absent() to x.
  Changes Path() {
    return [steps = options_.steps, &absent = Absent()](int k) {
      const double alpha = (k + 0.5) / steps;
      return [alpha, &absent](std::span<double> x) {
        for (size_t i = 0; i < x.size(); ++i) {
          x[i] = absent[i] + alpha * (x[i] - absent[i]);
        }
      };
    };
  }
  Changes Noise() {
    const auto [min, max] = std::ranges::minmax(Input());
    const double sigma = options_.noise * (max - min);
    return [sigma, seed = options_.seed](int k) {
      return [sigma, seed, k](std::span<double> x) {
        Rng rng(seed + static_cast<uint64_t>(k));
        for (double& v : x) v += sigma * rng.Normal();
      };
    };
  }

  /// Reduces the mean gradient over `count` changed inputs.
  PerToken MeanGradients(int count, const Changes& changes) {
    PerToken result;
    ForTargets(std::ssize(Input()), kGradientsAtOnce,
               [&](int64_t begin, int64_t end) {
                 std::vector<double> sum;
                 for (int k = 0; k < count; ++k) {
                   const ScoredGradients g =
                       GradientsOf(answer_, Targets(begin, end, changes(k)));
                   sum.resize(g.gradients.size());
                   for (size_t i = 0; i < sum.size(); ++i) {
                     sum[i] += g.gradients[i] / count;
                   }
                 }
                 Reduce(sum, result);
               });
    return result;
  }
  void Reduce(std::span<const double> gradients, PerToken& result) {
    const auto m = static_cast<size_t>(Features());
    for (size_t i = 0; i < gradients.size(); i += m) {
      const auto gradient = gradients.subspan(i, m);
      const auto x = std::span(Input()).subspan(i % Input().size(), m);
      const auto x0 = std::span(Absent()).subspan(i % Input().size(), m);
      double product = 0;
      double difference = 0;
      for (size_t j = 0; j < m; ++j) {
        product += gradient[j] * x[j];
        difference += gradient[j] * (x[j] - x0[j]);
      }
      result.norms.push_back(static_cast<float>(Norm(gradient)));
      result.products.push_back(static_cast<float>(product));
      result.from_absent.push_back(static_cast<float>(difference));
    }
  }

  const PerToken& AtInput() {
    if (!at_input_) {
      at_input_ = MeanGradients(1, [](int) { return Change(); });
    }
    return *at_input_;
  }

  const std::vector<double>& Scores() {
    if (scores_.empty()) {
      scores_ = ScoresOf(answer_, Targets(0, answer_.targets, {}));
    }
    return scores_;
  }
  std::vector<double> Differences() {
    std::vector<double> y = Scores();
    const std::vector<double> y0 = ScoresOf(
        answer_, Targets(0, answer_.targets, [this](std::span<double> x) {
          TakeAway(answer_, x);
        }));
    for (size_t n = 0; n < y.size(); ++n) y[n] -= y0[n];
    return y;
  }
  std::vector<float> Occlusion() {
    const auto m = static_cast<size_t>(Features());
    std::vector<float> scores;
    ForTargets(
        answer_.tokens, kOccludedAtOnce, [&](int64_t begin, int64_t end) {
          std::vector<ChangedInput> inputs;
          for (int64_t n = begin; n < end; ++n) {
            for (size_t s = 0; s < static_cast<size_t>(answer_.tokens); ++s) {
              inputs.push_back({n, [this, s, m](std::span<double> x) {
                                  TakeAway(answer_, x.subspan(s * m, m));
                                }});
            }
          }
          const std::vector<double> without = ScoresOf(answer_, inputs);
          for (size_t i = 0; i < inputs.size(); ++i) {
            scores.push_back(static_cast<float>(At(Scores(), inputs[i].target) -
                                                without[i]));
          }
        });
    return scores;
  }

  const Explainable& answer_;
  const AttributionOptions& options_;
  std::vector<double> input_;
  std::vector<double> absent_;
  std::vector<double> scores_;
  std::optional<PerToken> at_input_;
};

}  // namespace

std::vector<std::string> AttributionMethods() {
  return {"saliency", "gradient_x_input", "integrated_gradients", "smooth_grad",
          "occlusion"};
}

std::vector<std::string> ExplanationMethods() {
  std::vector<std::string> methods = AttributionMethods();
  methods.emplace_back(kRollout);
  return methods;
}

void AttributionOptions::Visit(FieldList& v) {
  v("methods", methods, OneOf(ExplanationMethods()),
    "implicit attention: what each input token contributes to each part of the "
    "answer");
  v("integration_steps", steps, Range(1, 100000),
    "integrated_gradients: steps from an empty input to the input");
  v("noise_samples", samples, Range(1, 100000), "noisy copies of smooth_grad");
  v("noise", noise, Range(0, 10),
    "smooth_grad: standard deviation of the noise, as a fraction of the "
    "inputs' range");
}

std::vector<Attribution> Attribute(const Explainable& answer,
                                   const AttributionOptions& options) {
  std::vector<Attribution> all;
  if (answer.targets == 0 || answer.tokens == 0) {
    for (const std::string& method : options.methods) {
      all.push_back({method, {}, {}, answer.axis, answer.of_targets});
    }
    return all;
  }
  Attributor attributor(answer, options);
  for (const std::string& method : options.methods) {
    all.push_back(attributor.Run(method));
  }
  return all;
}

Tensor Jacobian(const Explainable& answer) {
  std::vector<ChangedInput> inputs;
  for (int64_t n = 0; n < answer.targets; ++n) inputs.push_back({n, {}});
  const ScoredGradients all = GradientsOf(answer, inputs);
  return Tensor::Of(all.gradients,
                    {answer.targets, answer.tokens, all.features});
}

void TakeAway(const Explainable& answer, std::span<double> tokens) {
  const std::vector<double>& absent = answer.absent;
  if (absent.empty()) {
    std::ranges::fill(tokens, 0.0);
    return;
  }
  if (tokens.size() % absent.size() != 0) {
    throw ShapeError("attribution: {} numbers of a token that is away for {}",
                     absent.size(), tokens.size());
  }
  for (size_t i = 0; i < tokens.size(); ++i) {
    tokens[i] = absent[i % absent.size()];
  }
}

std::vector<double> ScoresOf(const Explainable& answer,
                             std::span<const ChangedInput> inputs) {
  return EvaluateAll(answer, inputs, false).scores;
}

ScoredGradients GradientsOf(const Explainable& answer,
                            std::span<const ChangedInput> inputs) {
  return EvaluateAll(answer, inputs, true);
}

}  // namespace heed
