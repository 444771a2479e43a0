// Language models whose vocabularies have special tokens at any id.
#include <gtest/gtest.h>

#include <algorithm>

#include "heed/base/at.h"
#include "heed/models/transformer/transformer_config.h"
#include "heed/tasks/lm/language.h"

namespace heed::lm {
namespace {

using Strings = std::vector<std::string>;

const Strings kTokens = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "anna",
                         "bert",  "likes", "##d",   "like",  "the",    "sea"};
/// Ids of kTokens in the shuffled vocabulary.
const std::vector<int32_t> kShuffled = {9, 4, 11, 6, 2, 0, 10, 5, 3, 1, 8, 7};

Vocabulary VocabularyOf(const Strings& tokens) {
  std::string lines;
  for (const std::string& token : tokens) lines += token + "\n";
  return Vocabulary::Parse(lines, VocabularyKind::kWordPiece, "test");
}

Strings ShuffledTokens() {
  Strings tokens(kTokens.size());
  for (size_t i = 0; i < kTokens.size(); ++i) {
    At(tokens, kShuffled[i]) = kTokens[i];
  }
  return tokens;
}

/// Returns x with row i at kShuffled[i].
Tensor ShuffledRows(const Tensor& x) {
  Tensor rows(x.shape(), x.dtype());
  for (int64_t i = 0; i < x.dim(0); ++i) {
    rows[At(kShuffled, i)].CopyFrom(x[i]);
  }
  return rows;
}

class TokenIds : public testing::Test {
 protected:
  void SetUp() override {
    settings_.ChooseModel("transformer");
    auto& transformer = settings_.model.As<TransformerConfig>();
    transformer.layers = 1;
    transformer.width = 8;
    transformer.heads = 2;
    transformer.ff = 16;
    settings_.data.vocabulary.vocabulary = "wordpiece";
    settings_.Resolve();
    usual_ = std::make_unique<Model>(settings_, VocabularyOf(kTokens), 3);
    shuffled_ =
        std::make_unique<Model>(settings_, VocabularyOf(ShuffledTokens()), 3);
    std::vector<NamedTensor> tensors = usual_->parameters().Tensors();
    for (NamedTensor& tensor : tensors) {
      const Shape& shape = tensor.value.shape();
      ASSERT_FALSE(shape.rank() == 2 && shape[1] == std::ssize(kTokens));
      if (shape[0] == std::ssize(kTokens)) {
        tensor.value = ShuffledRows(tensor.value);
        ++shuffled_tensors_;
      }
    }
    shuffled_->parameters().SetTensors(tensors, "test");
  }

  Settings settings_;
  std::unique_ptr<Model> usual_, shuffled_;
  int shuffled_tensors_ = 0;
};

TEST_F(TokenIds, DoNotChangeScores) {
  EXPECT_GT(shuffled_tensors_, 0);
  const Strings lines = {"anna likes the sea", "bert", "the liked xyz"};
  const LanguageScore expected = usual_->Score({}, lines);
  const LanguageScore found = shuffled_->Score({}, lines);
  EXPECT_NEAR(found.nll, expected.nll, 1e-4);
  EXPECT_EQ(found.tokens, expected.tokens);
  EXPECT_EQ(found.unknown, expected.unknown);
  EXPECT_EQ(found.unknown, 1);
}

TEST_F(TokenIds, DoNotChangeContinuations) {
  Prediction options;
  options.mode = Mode::kSample;
  options.decode.top_k = 1;
  options.decode.max_length = 12;
  const std::vector<Input> inputs = {{"anna likes"}, {""}};
  const auto expected =
      settings_.MakePredictor(*usual_, options)->Predict(inputs);
  const auto found =
      settings_.MakePredictor(*shuffled_, options)->Predict(inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    EXPECT_EQ(found[i].line, expected[i].line);
  }
}

TEST_F(TokenIds, DoNotChangeExplanations) {
  Prediction options;
  options.mode = Mode::kScore;
  const auto explain = [&](const Model& model) {
    const auto predictor = settings_.MakePredictor(model, options);
    ExplainInput input;
    input.given = {"anna likes the sea"};
    return predictor->PrepareExplanation({}, input, predictor->options())
        .segments.front()
        .segment;
  };
  const ExplanationSegment expected = explain(*usual_);
  const ExplanationSegment found = explain(*shuffled_);
  ASSERT_EQ(found.axes.size(), expected.axes.size());
  for (size_t i = 0; i < found.axes.size(); ++i) {
    EXPECT_EQ(found.axes[i].items, expected.axes[i].items);
  }
  EXPECT_EQ(found.axis("source").items.front(), "[CLS]");
  ASSERT_EQ(found.targets.size(), expected.targets.size());
  for (size_t i = 0; i < found.targets.size(); ++i) {
    EXPECT_NEAR(found.targets[i].probability.value(),
                expected.targets[i].probability.value(), 1e-5);
    EXPECT_EQ(found.targets[i].alternatives.front().label,
              expected.targets[i].alternatives.front().label);
  }
}

}  // namespace
}  // namespace heed::lm
