#include "heed/models/recurrent/recurrent_language_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "heed/base/at.h"
#include "heed/base/testing.h"
#include "heed/models/model_testing.h"

namespace heed::recurrent_language_model_test {
namespace {

constexpr int64_t B = 3;
constexpr int64_t T = 6;
constexpr int V = 9;
constexpr int32_t kBos = 2;

struct Variant {
  std::string name;
  std::string cell;
  std::string self_attention;
  int layers = 2;
  bool tie_output = true;
  std::string combine = "concat";
};

ResolvedRecurrentLanguage ConfigOf(const Variant& variant) {
  RecurrentLanguageConfig config;
  config.rnn.cell = variant.cell;
  config.rnn.self_attention = variant.self_attention;
  config.rnn.layers = variant.layers;
  config.rnn.combine = variant.combine;
  config.rnn.units = 6;
  config.rnn.heads = 2;
  config.rnn.dropout = 0;
  config.embedding = 4;
  config.tie_output = variant.tie_output;
  return config.Resolve();
}

/// Tokens [T, B] that start with <s>.
Tensor Text() {
  Rng rng(4);
  Tensor ids({T, B}, DType::kI32);
  for (int64_t i = 0; i < ids.numel(); ++i) {
    ids.data<int32_t>()[i] = i < B ? kBos : static_cast<int32_t>(rng.Below(V));
  }
  return ids;
}

Tensor Prompt(const Tensor& text, int64_t begin, int64_t end) {
  return text.Slice(begin, end);
}

class RecurrentLanguage : public testing::TestWithParam<Variant> {};
INSTANTIATE_TEST_SUITE_P(
    Variants, RecurrentLanguage,
    testing::Values(Variant{"gru", "gru", "none"},
                    Variant{"lstm_untied", "lstm", "none", 2, false},
                    Variant{"lstm_causal", "lstm", "causal"},
                    Variant{"gru_strict", "gru", "strict", 1, true, "tanh"},
                    Variant{"attention_alone", "gru", "causal", 0}),
    [](const auto& info) { return info.param.name; });

/// Text without a prompt.
SequenceBatch TextAlone() {
  SequenceBatch batch;
  batch.target_in = Text();
  return batch.WithoutSource();
}

TEST_P(RecurrentLanguage, SteppingEqualsAllAtOnce) {
  const RecurrentLanguageModel model(ConfigOf(GetParam()), V, 1, DType::kF64);
  ASSERT_EQ(LogitsOf(model, TextAlone()).shape(), (Shape{T, B, V}));
  EXPECT_LT(StepDifference(model, TextAlone()), 1e-12);
}

TEST_P(RecurrentLanguage, ThePromptIsReadByTheFirstStep) {
  const RecurrentLanguageModel model(ConfigOf(GetParam()), V, 1, DType::kF64);
  ExpectPromptIsReadWithTheFirstStep(model, TextAlone());
}

TEST_P(RecurrentLanguage, RowsAreReorderedWithTheirHistory) {
  const RecurrentLanguageModel model(ConfigOf(GetParam()), V, 1, DType::kF64);
  const Tensor text = Text();
  const Tensor all = model.Logits({}, {}, text).value();
  DecoderState state = StartOf(model, {Prompt(text, 1, 3), {}});
  model.Step({}, text[0], state);
  state.Reorder(Ids({0, 0, 2, 2}, {4}), Ids({0, 2}, {2}));
  const int32_t* next = text.row<int32_t>(3);
  const Tensor y =
      model.Step({}, Ids({next[0], next[0], next[2], next[2]}, {4}), state)
          .value();
  EXPECT_LT(MaxDifference(y[0], all[3][0]), 1e-12);
  EXPECT_LT(MaxDifference(y[1], all[3][0]), 1e-12);
  EXPECT_LT(MaxDifference(y[2], all[3][2]), 1e-12);
  EXPECT_LT(MaxDifference(y[3], all[3][2]), 1e-12);
}

TEST_P(RecurrentLanguage, SeesNothingThatComesLater) {
  const RecurrentLanguageModel model(ConfigOf(GetParam()), V, 1, DType::kF64);
  ExpectWhatComesLaterChangesNothing(model, TextAlone());
}

TEST_P(RecurrentLanguage, HasTheGradientOfDifferences) {
  const RecurrentLanguageModel model(ConfigOf(GetParam()), V, 1, DType::kF64);
  const Tensor text = Text();
  const auto loss = [&](Tape* tape) {
    Context ctx;
    ctx.tape = tape;
    return model.Loss(ctx, {}, text.Slice(0, T - 1), text.Slice(1, T), {}).loss;
  };
  ExpectParameterGradients(model.parameters(), loss);
}

TEST(RecurrentLanguageModel, ScoresOnlyTheRequestedWords) {
  const RecurrentLanguageModel model(ConfigOf({"", "gru", "causal"}), V, 1);
  const Tensor text = Text();
  const Tensor all = model.Logits({}, {}, text).value();
  DecoderState state = StartOf(model, {Prompt(text, 1, 2), {}});
  const auto output = model.output().Restricted(Ids({0, 3, 8}, {3}));
  const Tensor some =
      output->Scores({}, model.Next({}, text[0], state)).value();
  ASSERT_EQ(some.shape(), (Shape{B, 3}));
  for (int64_t b = 0; b < B; ++b) {
    EXPECT_NEAR(some.row<float>(b)[1], all[1].row<float>(b)[3], 1e-6);
    EXPECT_NEAR(some.row<float>(b)[2], all[1].row<float>(b)[8], 1e-6);
  }
}

TEST(RecurrentLanguageModel, RefusesPromptsOfDifferentLengths) {
  const RecurrentLanguageModel model(ConfigOf({"", "gru", "none"}), V, 1);
  ExpectShapeError(
      [&] {
        StartOf(model, {Prompt(Text(), 1, 4), Lengths({3, 2, 3})});
      },
      {"language model", "prompt 1 has 2 tokens"});
}

TEST(RecurrentLanguageModel, CannotReadBothWays) {
  RecurrentLanguageConfig config;
  config.rnn.bidirectional = "yes";
  EXPECT_THROW(config.Resolve(), ConfigError);
}

/// Sentences of a grammar that requires counting: a letter n times, another
/// letter, the first one n times again, end. Choices are uniform, so the
/// entropy of a sentence is known.
constexpr int32_t kEnd = 3;
constexpr int32_t kA = 4;
constexpr int32_t kMiddle = 6;
constexpr int64_t kSentences = 32;
constexpr int64_t kLongest = 3 + 1 + 3 + 1;
// One of two letters, and n of 1, 2 or 3: 1 + log2(3) bits.
const double kEntropy = std::log(2) + std::log(3);

struct Sentences {
  explicit Sentences(Rng& rng) {
    for (int64_t b = 0; b < kSentences; ++b) {
      const auto letter = static_cast<int32_t>(kA + rng.Below(2));
      const int64_t n = 1 + static_cast<int64_t>(rng.Below(3));
      std::vector<int32_t> text(static_cast<size_t>(2 * n + 2), letter);
      At(text, n) = kMiddle;
      text.back() = kEnd;
      int32_t previous = kBos;
      for (size_t t = 0; t < text.size(); ++t) {
        in.row<int32_t>(static_cast<int64_t>(t))[b] =
            std::exchange(previous, text[t]);
        out.row<int32_t>(static_cast<int64_t>(t))[b] = text[t];
      }
    }
  }
  Tensor in = Tensor::Zeros({kLongest, kSentences}, DType::kI32);
  Tensor out = Tensor::Zeros({kLongest, kSentences}, DType::kI32);
};

double NllOf(const RecurrentLanguageModel& model, int batches) {
  Rng rng(99);
  double nll = 0;
  for (int i = 0; i < batches; ++i) {
    const Sentences batch(rng);
    nll += model.Loss({}, {}, batch.in, batch.out, {0, 0, 1}).nll;
  }
  return nll / static_cast<double>(batches * kSentences);
}

TEST(RecurrentLanguageModel, LearnsAGrammarDownToItsEntropy) {
  RecurrentLanguageConfig config;
  config.rnn.cell = "gru";
  config.rnn.units = 24;
  config.rnn.dropout = 0;
  RecurrentLanguageModel model(config.Resolve(), V, 1);
  Rng rng(7);
  Adam adam(model.parameters());
  Tape tape;
  Context ctx;
  ctx.tape = &tape;
  for (int step = 0; step < 400; ++step) {
    tape.Clear();
    const Sentences batch(rng);
    tape.Backward(
        model.Loss(ctx, {}, batch.in, batch.out, {0, 0, 1.0 / kSentences})
            .loss);
    adam.Step(step < 280 ? 0.01 : 0.002);
  }
  const double nll = NllOf(model, 20);
  EXPECT_GT(nll, kEntropy * 0.97);  // a lower loss indicates an error
  EXPECT_LT(nll, kEntropy * 1.03);
}

}  // namespace
}  // namespace heed::recurrent_language_model_test
