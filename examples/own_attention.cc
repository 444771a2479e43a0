// An attention of one's own: a score, a modifier and a mask in one file, put
// together, trained on a toy and shown.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "heed/attention/attention.h"
#include "heed/nn/linear.h"
#include "heed/ops/attention.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/loss.h"
#include "heed/render/heatmap_terminal.h"
#include "heed/train/optimizer.h"

using namespace heed;

// e = −|q − k|² / 2 up to |q|² / 2, which softmax cancels.
struct DistanceScore : Score {
  Var Scores(const Context&, const Var& q, const Var& k) const override {
    const Tensor ones = Tensor::Full(q.shape(), 1, q.value().dtype());
    return Sub(DotScores(q, k, 1), DotScores(ones, Mul(k, k), 0.5));
  }
};

// e' = e − ln(1 + |s − t|): what is near comes first.
struct NearFirst : Modifier {
  std::vector<ScoreStep> Steps(const AttentionSite& site) const override {
    Tensor bias({site.heads, site.queries + site.keys - 1});
    for (int64_t i = 0; i < bias.numel(); ++i) {
      const int64_t apart = i % bias.dim(1) - (site.queries - 1) - site.offset;
      bias.data<float>()[i] = -std::log1p(static_cast<float>(std::abs(apart)));
    }
    return {{kernels::ScoreModifier::Kind::kDistanceBias, 1, bias}};
  }
  bool fused() const override { return true; }  // Steps are all it does
};

int main() {
  constexpr int64_t kBatch = 64, kLength = 8, kWidth = 32;
  AttentionSpec spec;
  spec.score = UserPart<DistanceScore, Score>("distance");
  spec.modifiers = {UserPart<NearFirst, Modifier>("near_first")};
  spec.mask =
      MaskOf([](int64_t, int64_t t, int64_t s) { return (s - t) % 2 == 0; });
  spec.query = spec.key = spec.value = kWidth;

  ParameterSet set(1, DType::kF32, kernels::Precision::kNative);
  const Scope scope(set, "toy");
  const Embedding letters(scope / "letters", 26, kWidth, {});
  const Embedding places(scope / "places", kLength, kWidth, {});
  const Linear query(scope / "query", kWidth, kWidth, {});
  const Linear output(scope / "output", kWidth, 26, {});
  const Attention attention(scope / "attention", spec);
  Optimizer optimizer(set, {});

  // Wanted: the letter two places further on, at the end one of the first two.
  Tensor x({kBatch, kLength}, DType::kI32), y = x.Clone(), place = x.Clone();
  Rng rng(1);
  Tape tape;
  const Context ctx = {.tape = &tape, .rng = &rng, .training = true};
  Tensor weights;
  double right = 0;
  for (int64_t step = 1; step <= 600; ++step) {
    for (int64_t i = 0; i < x.numel(); ++i) {
      const int64_t t = i % kLength,
                    before = i - t + (t + kLength - 2) % kLength;
      place.data<int32_t>()[i] = static_cast<int32_t>(t);
      x.data<int32_t>()[i] = static_cast<int32_t>(rng.Below(26));
      y.data<int32_t>()[before] = x.data<int32_t>()[i];
    }
    const Var in = Add(letters(ctx, x), places(ctx, place));
    const Memory memory = attention.Prepare(ctx, in, in);
    const Attended attended = attention.Attend(ctx, query(ctx, in), memory,
                                               {.want = WantWeights::kValues});
    const auto loss = CrossEntropy(output(ctx, attended.context), y,
                                   {.scale = 1.0 / x.numel()});
    weights = attended.weights.value()[0];
    right = static_cast<double>(loss.correct) / x.numel();
    tape.Backward(loss.loss);
    tape.Clear();
    optimizer.Step(step, 5e-3);
  }
  const std::vector<std::string> numbers = {"0", "1", "2", "3",
                                            "4", "5", "6", "7"};
  std::printf("%s%.1f %% of the letters are right\n",
              TerminalHeatmap({numbers, numbers, weights.ToVector<float>(), ""},
                              DetectTerminal())
                  .c_str(),
              100 * right);
  return right > 0.9 ? 0 : 1;
}
