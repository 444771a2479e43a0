#include "heed/models/sentence_encoder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "heed/models/transformer/transformer_encoder.h"
#include "heed/models/transformer/transformer_testing.h"

namespace heed::sentence_encoder_test {
namespace {

constexpr int64_t M = 6;  // of SmallBert
constexpr int64_t kPieces = 9;

/// A sentence of three words, in two parts, and one of one word.
SentenceBatch Some() {
  SentenceBatch batch;
  batch.pieces = {Ids({1, 4, 5, 6, 2, 1, 8, 2, 0, 0, 1, 3, 7, 2, 0}, {3, 5}),
                  Lengths({5, 3, 4}), Ids({1, 3, 6, 11, 0, 0}, {2, 3}),
                  Ids({0, 10}, {2})};
  batch.lengths = Lengths({3, 1});
  return batch;
}

class Pieces : public testing::Test {
 protected:
  Pieces() : set_(3, DType::kF64, kernels::Precision::kNative) {
    auto text = std::make_unique<TransformerTextEncoder>(Scope(set_, "encoder"),
                                                         SmallBert(), kPieces);
    text_ = text.get();
    encoder_ = std::make_unique<PieceEncoder>(Scope(set_, ""), std::move(text),
                                              /*pools=*/true);
  }

  /// States of a separate text.
  Tensor StatesOf(const std::vector<int32_t>& ids) const {
    const int64_t S = std::ssize(ids);
    const Tensor lengths = Lengths({static_cast<int32_t>(S)});
    return (*text_)({}, {Ids(ids, {1, S}), lengths}).value()[0];
  }

  ParameterSet set_;
  TransformerTextEncoder* text_ = nullptr;
  std::unique_ptr<PieceEncoder> encoder_;
};

TEST_F(Pieces, AWordIsTheStateOfItsFirstPieceInItsOwnPart) {
  const Tensor words = (*encoder_)({}, Some()).words.value();
  ASSERT_EQ(words.shape(), (Shape{2, 3, M}));
  const Tensor first = StatesOf({1, 4, 5, 6, 2});
  const Tensor second = StatesOf({1, 8, 2});
  const Tensor other = StatesOf({1, 3, 7, 2});
  EXPECT_LT(MaxDifference(words[0][0], first[1]), 1e-14);
  EXPECT_LT(MaxDifference(words[0][1], first[3]), 1e-14);
  EXPECT_LT(MaxDifference(words[0][2], second[1]), 1e-14);
  EXPECT_LT(MaxDifference(words[1][0], other[1]), 1e-14);
  EXPECT_GT(MaxDifference(words[0][0], first[2]), 1e-3);
}

TEST_F(Pieces, ASentenceIsThePooledMarkOfItsFirstPart) {
  EXPECT_TRUE(encoder_->pools());
  const Tensor& weight = set_.Find("pooler.weight")->value();
  Tensor& bias = set_.Find("pooler.bias")->mutable_value();
  bias.CopyFrom(RandomTensor({M}, 5));
  const Tensor pooled = (*encoder_)({}, Some()).sentence.value();
  ASSERT_EQ(pooled.shape(), (Shape{2, M}));
  const Tensor mark = StatesOf({1, 3, 7, 2})[0];
  for (int64_t j = 0; j < M; ++j) {
    double sum = bias.data<double>()[j];
    for (int64_t i = 0; i < M; ++i) {
      sum += mark.data<double>()[i] * weight.row<double>(i)[j];
    }
    EXPECT_NEAR(pooled.row<double>(1)[j], std::tanh(sum), 1e-13);
  }
}

TEST_F(Pieces, RefusePlacesThatAreMissingOrNotThere) {
  SentenceBatch batch = Some();
  batch.pieces.first.data<int32_t>()[0] = 15;
  EXPECT_THROW((*encoder_)({}, batch), ShapeError);
  batch = Some();
  batch.pieces.start = Ids({0, 1, 2}, {3});
  EXPECT_THROW((*encoder_)({}, batch), ShapeError);
  batch.pieces = {};
  EXPECT_THROW((*encoder_)({}, batch), ShapeError);
}

}  // namespace
}  // namespace heed::sentence_encoder_test
