#include "heed/models/han/han.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "heed/base/at.h"
#include "heed/base/testing.h"
#include "heed/models/classifier.h"
#include "heed/models/roles_testing.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/loss.h"

namespace heed::han_test {
namespace {

constexpr int64_t kTokens = 9;

using Document = std::vector<std::vector<int32_t>>;

const std::vector<Document> kDocuments = {{{4, 7, 2}, {5}, {8, 3, 3, 6}},
                                          {{7, 1}}};

ResolvedHan SmallHan() {
  HanConfig config;
  config.embedding = 5;
  config.units = 3;
  config.sentence_units = 4;
  config.attention_units = 6;
  config.dropout = 0;
  return config.Resolve();
}

/// Batch of documents with additional padding.
TextInput InputOf(const std::vector<Document>& documents, int64_t more_tokens,
                  int64_t more_sentences, int32_t padding = 0) {
  int64_t S = 0;
  int64_t R = 0;
  for (const Document& document : documents) {
    int64_t tokens = 0;
    for (const auto& sentence : document) tokens += std::ssize(sentence);
    S = std::max(S, tokens);
    R = std::max(R, std::ssize(document));
  }
  const int64_t B = std::ssize(documents);
  TextInput input = {
      Tensor::Full({B, S + more_tokens}, padding, DType::kI32),
      Tensor::Zeros({B}, DType::kI32),
      {},
      Tensor::Zeros({B, R + more_sentences}, DType::kI32),
  };
  for (int64_t b = 0; b < B; ++b) {
    int32_t* id = input.ids.row<int32_t>(b);
    int32_t* length = input.sentences.row<int32_t>(b);
    for (const auto& sentence : At(documents, b)) {
      id = std::ranges::copy(sentence, id).out;
      *length++ = static_cast<int32_t>(sentence.size());
      input.lengths.data<int32_t>()[b] += static_cast<int32_t>(sentence.size());
    }
  }
  return input;
}

struct Han {
  explicit Han(const std::string& pooling, int64_t heads = 1)
      : parameters(3, DType::kF64, kernels::Precision::kNative),
        classifier(
            Scope(parameters, ""), Plain(), /*classes=*/3,
            /*multi_label=*/false,
            std::make_unique<HierarchicalReader>(
                Scope(parameters, ""), SmallHan(),
                TextSizes{.vocabulary = kTokens},
                PoolingOptions{.kind = pooling, .heads = heads, .init = {}})) {
    Shake(parameters);
  }
  static ClassifierConfig Plain() {
    ClassifierConfig config;
    config.head_dropout = 0;
    return config;
  }
  Tensor Scores(const TextInput& input, Observer* observer = nullptr) const {
    Context ctx;
    ctx.observer = observer;
    return classifier.Scores(ctx, input).value();
  }

  ParameterSet parameters;
  Classifier classifier;
};

class HanOf : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Poolings, HanOf,
                         testing::Values("attention", "mean", "max"),
                         [](const auto& info) { return info.param; });

TEST_P(HanOf, EqualsTheGolden) {
  const GoldenTensors golden("han_" + GetParam());
  const Han model(GetParam());
  golden.ExpectSameParameters(model.parameters);
  golden.SetParameters(model.parameters);
  const TextInput input = InputOf(kDocuments, 2, 1);
  AttentionWatch watch;
  EXPECT_LT(MaxDifference(model.Scores(input, &watch), golden.at("scores")),
            1e-12);
  Tape tape;
  Context ctx;
  ctx.tape = &tape;
  const ClassifierLoss loss =
      model.classifier.Loss(ctx, input, {{2}, {0}}, {1, 0});
  EXPECT_NEAR(loss.loss.value().item(), golden.at("loss").item(), 1e-12);
  tape.Backward(loss.loss);
  golden.ExpectGradients(model.parameters, 1e-12);

  if (GetParam() != "attention") {
    EXPECT_TRUE(watch.seen.empty());
    return;
  }
  ASSERT_EQ(watch.seen.size(), 2u);
  EXPECT_LT(MaxDifference(watch.seen[0].weights.value(),
                          golden.at("word_weights").Reshape({1, 10})),
            1e-12);
  const Tensor sentences = watch.seen[1].weights.value();
  const Tensor expected = golden.at("sentence_weights");
  ASSERT_EQ(sentences.shape(), (Shape{2, 1, 1, 4}));
  EXPECT_LT(MaxDifference(sentences[0].Reshape({4}).Slice(0, 3),
                          expected.Slice(0, 3)),
            1e-12);
  EXPECT_LT(MaxDifference(sentences[1].Reshape({4}).Slice(0, 1),
                          expected.Slice(3, 4)),
            1e-12);
}

TEST_P(HanOf, PaddingChangesNothing) {
  const Han model(GetParam());
  const Tensor scores = model.Scores(InputOf(kDocuments, 0, 0));
  EXPECT_EQ(MaxDifference(model.Scores(InputOf(kDocuments, 5, 4, 8)), scores),
            0);
  for (size_t b = 0; b < kDocuments.size(); ++b) {
    EXPECT_LT(MaxDifference(model.Scores(InputOf({kDocuments[b]}, 0, 0))[0],
                            scores[static_cast<int64_t>(b)]),
              1e-13);
  }
}

TEST_P(HanOf, ASentenceWithoutWordsIsNotThere) {
  const Han model(GetParam());
  Document with = kDocuments[0];
  with.insert(with.begin() + 1, std::vector<int32_t>());
  AttentionWatch watch;
  EXPECT_EQ(MaxDifference(model.Scores(InputOf({with}, 0, 2), &watch),
                          model.Scores(InputOf({kDocuments[0]}, 0, 0))),
            0);
  if (GetParam() != "attention") return;
  const Tensor weights = watch.seen[1].weights.value();
  ASSERT_EQ(weights.numel(), 6) << "the places of an input with padding";
  EXPECT_GT(kernels::At(weights.Reshape({1, 6}), 0, 0), 0);
  // Three sentences have words; the weights of other positions are zero.
  double sum = 0;
  for (int64_t r = 0; r < 3; ++r) {
    sum += kernels::At(weights.Reshape({1, 6}), 0, r);
  }
  EXPECT_NEAR(sum, 1, 1e-15);
}

TEST_P(HanOf, TheOrderOfSentencesMatters) {
  const Han model(GetParam());
  Document other = kDocuments[0];
  std::swap(other[0], other[2]);
  EXPECT_GT(MaxDifference(model.Scores(InputOf({other}, 0, 0)),
                          model.Scores(InputOf({kDocuments[0]}, 0, 0))),
            1e-4);
}

TEST_P(HanOf, WhereASentenceEndsMatters) {
  const Han model(GetParam());
  const Document one = {{4, 7, 2, 5, 8, 3, 3, 6}};
  EXPECT_GT(MaxDifference(model.Scores(InputOf({one}, 0, 0)),
                          model.Scores(InputOf({kDocuments[0]}, 0, 0))),
            1e-4);
}

TEST_P(HanOf, HasTheGradientOfDifferences) {
  const Han model(GetParam(), 2);
  const TextInput input = InputOf(kDocuments, 1, 1);
  ExpectParameterGradients(model.parameters, [&](Tape* tape) {
    Context ctx;
    ctx.tape = tape;
    return model.classifier.Loss(ctx, input, {{1}, {2}}, {0.5, 0.1}).loss;
  });
}

/// Sentences of very different lengths form several groups.
TEST(Han, WeightsAreThoseOfTheirTokensWhateverTheGroups) {
  const Han model("attention", 2);
  Document document;
  for (const int length : {1, 17, 2, 9, 5, 30, 3, 1, 12}) {
    std::vector<int32_t>& sentence = document.emplace_back();
    for (int w = 0; w < length; ++w) {
      sentence.push_back(static_cast<int32_t>((w * 7 + length) % kTokens));
    }
  }
  AttentionWatch together;
  model.Scores(InputOf({document}, 3, 0), &together);
  ASSERT_EQ(together.seen.size(), 2u);
  const Tensor weights = together.seen[0].weights.value();
  ASSERT_EQ(weights.shape(), (Shape{2, 80}));
  int64_t begin = 0;
  for (const auto& sentence : document) {
    AttentionWatch alone;
    model.Scores(InputOf({{sentence}}, 0, 0), &alone);
    const Tensor own = alone.seen[0].weights.value();
    for (int64_t h = 0; h < 2; ++h) {
      double sum = 0;
      for (int64_t w = 0; w < std::ssize(sentence); ++w) {
        const double weight = kernels::At(weights, h, begin + w);
        EXPECT_NEAR(weight, kernels::At(own, h, w), 1e-13);
        sum += weight;
      }
      EXPECT_NEAR(sum, 1, 1e-13);
    }
    begin += std::ssize(sentence);
  }
}

TEST(Han, SentencesThatDoNotFitAreShapeErrors) {
  const Han model("mean");
  TextInput input = InputOf(kDocuments, 0, 0);
  input.sentences.data<int32_t>()[0] = 2;
  EXPECT_THROW(model.Scores(input), ShapeError);
  input.sentences.data<int32_t>()[0] = 20;
  EXPECT_THROW(model.Scores(input), ShapeError);
  input.sentences = Tensor();
  EXPECT_THROW(model.Scores(input), ShapeError);
}

class EveryTextReader : public EveryRole {};
INSTANTIATE_TEST_SUITE_P(Registry, EveryTextReader,
                         testing::ValuesIn(VariantsIn<TextReaderSettings>()),
                         NameOf);

TEST_P(EveryTextReader, ReadsTexts) {
  const auto settings = Small<TextReaderSettings>();
  settings->Fill({});
  ExpectFilled(*settings, [&] { settings->Fill({}); });
  ParameterSet parameters(1, DType::kF64, kernels::Precision::kNative);
  const auto reader =
      settings->MakeReader(Scope(parameters, ""), {.vocabulary = kTokens},
                           {.kind = PoolingKind::kAttention, .init = {}});
  std::vector<OutlineSequence> outline = reader->Outline();
  if (outline.back().name.empty()) outline.back().name = "model";
  ExpectOutlined({.sequences = std::move(outline)});
  TextInput input = InputOf(kDocuments, 0, 0);
  if (!settings->reads_sentences()) input.sentences = Tensor();
  const Tensor w = RandomTensor({2, reader->output_size()}, 2);
  ExpectLearns(parameters, [&](Tape* tape) {
    Context ctx;
    ctx.tape = tape;
    return Sum(Mul((*reader)(ctx, input), w));
  });
}

}  // namespace
}  // namespace heed::han_test
