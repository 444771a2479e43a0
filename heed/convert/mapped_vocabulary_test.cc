#include "heed/convert/mapped_vocabulary.h"

#include <gtest/gtest.h>

#include "heed/base/errors.h"
#include "heed/base/rng.h"
#include "heed/base/testing.h"
#include "heed/convert/testing.h"
#include "heed/io/file.h"

namespace heed {
namespace {

using Ids = std::vector<int32_t>;

SentencePieceModel MariansModel() {
  return SentencePieceModel::Parse(ReadFile(Golden("marian.spm")), "m.spm");
}

TEST(SentencePieceModel, DamageIsAnErrorAndNoCrash) {
  const std::string whole = ReadFile(Golden("marian.spm"));
  Rng rng(1);
  for (int round = 0; round < 500; ++round) {
    std::string bytes = whole;
    if (round % 2 == 0) bytes.resize(rng.Below(bytes.size()));
    for (int i = 0; i < 3 && !bytes.empty(); ++i) {
      bytes[rng.Below(bytes.size())] = static_cast<char>(rng.Below(256));
    }
    try {
      SentencePieceModel::Parse(bytes, "m.spm");
    } catch (const FormatError& error) {
      EXPECT_NE(std::string(error.what()).find("m.spm"), std::string::npos);
    }
  }
  EXPECT_THROW(SentencePieceModel::Parse("", "m.spm"), FormatError);
}

// Tests of a joint id list with one SentencePiece model per side.
class Joint : public testing::Test {
 protected:
  Joint() {
    // Each side has every other piece.
    for (size_t i = 2; i < model_.pieces.size(); ++i) {
      const std::string& text = model_.pieces[i].text;
      if (i != 5) tokens_.ids[text] = static_cast<int32_t>(i);
      (i % 2 == 0 ? source_ : target_).pieces.push_back(model_.pieces[i]);
    }
    const int size = static_cast<int>(model_.pieces.size());
    tokens_.ids["</s>"] = 0;
    tokens_.ids["<unk>"] = 1;
    tokens_.ids[">>fra<<"] = size;
    tokens_.ids["<pad>"] = size + 1;
    special_.pad = special_.bos = size + 1;
    special_.unk = 1;
    special_.eos = 0;
  }

  MappedPair Map() {
    return MapJoint(tokens_, special_, source_, target_, 100, notes_);
  }
  static Vocabulary Of(const MappedVocabulary& mapped) {
    return Vocabulary::Parse(mapped.bytes, mapped.kind, "mapped");
  }

  const SentencePieceModel model_ = MariansModel();
  SentencePieceModel source_ = With(model_, {0, 1});
  SentencePieceModel target_ = With(model_, {0, 1});
  TokenIds tokens_ = {{}, "vocab.json"};
  TokenRows special_;
  Notes notes_;

 private:
  static SentencePieceModel With(SentencePieceModel model,
                                 const std::vector<size_t>& kept) {
    std::vector<SentencePieceModel::Piece> pieces;
    for (const size_t i : kept) pieces.push_back(model.pieces[i]);
    model.pieces = pieces;
    return model;
  }
};

TEST_F(Joint, BothSidesNumberTokensAlike) {
  const MappedPair pair = Map();
  EXPECT_EQ(pair.source.rows, pair.target.rows);
  const Vocabulary source = Of(pair.source);
  const Vocabulary target = Of(pair.target);
  ASSERT_EQ(source.size(), target.size());
  ASSERT_EQ(source.size(), pair.source.size());
  for (int32_t id = 4; id < source.size(); ++id) {
    EXPECT_EQ(source.Piece(id), target.Piece(id));
  }
}

TEST_F(Joint, PiecesOfTheOtherSideAreInNoTextButCanBeWritten) {
  const Vocabulary source = Of(Map().source);
  const std::string foreign = model_.pieces[7].text;
  int32_t id = -1;
  for (int32_t i = 4; i < source.size(); ++i) {
    if (source.Piece(i) == foreign) id = i;
  }
  ASSERT_GE(id, 0);
  for (const int32_t found : source.Encode(foreign)) EXPECT_NE(found, id);
  EXPECT_EQ(source.Decode(Ids{id}), Of(Map().target).Decode(Ids{id}));
}

TEST_F(Joint, PiecesWithoutAnIdReadAsUnknownAndAreNeverWritten) {
  const MappedPair pair = Map();
  EXPECT_EQ(pair.source.copies, 1U);  // piece 5
  EXPECT_EQ(pair.source.rows.back(), special_.unk);
  const Tensor bias = pair.target.Biases(Tensor::Full({100}, 2));
  const float* values = bias.data<float>();
  EXPECT_EQ(values[kUnk], 2);
  EXPECT_EQ(values[kEos], 2);
  EXPECT_EQ(values[4], 2);
  EXPECT_EQ(values[kPad], 2);
  EXPECT_LT(values[kBos], -1000);  // shares the row of <pad>
  EXPECT_LT(values[pair.target.size() - 1], -1000);
}

TEST_F(Joint, AMarkOfALanguageIsOneToken) {
  const Vocabulary source = Of(Map().source);
  const Encoded encoded = source.EncodeWithPieces(">>fra<< the");
  ASSERT_GE(encoded.ids.size(), 2U);
  EXPECT_EQ(encoded.pieces[0], "\xE2\x96\x81>>fra<<");
  const Encoded without = source.EncodeWithPieces("the");
  EXPECT_EQ(Ids(encoded.ids.begin() + 1, encoded.ids.end()), without.ids);
}

TEST_F(Joint, IdsOutsideOfTheTablesAreNamed) {
  tokens_.ids["far"] = 100;
  EXPECT_EQ(MessageOf<FormatError>([&] { Map(); }),
            "vocab.json: 'far' has id 100, but the model has 100 rows");
}

TEST(TokenIds, MustBeAMapToNumbers) {
  const auto error = [](const std::string& json) {
    return MessageOf<FormatError>([&] { ParseTokenIds(json, "vocab.json"); });
  };
  EXPECT_NE(error("{").find("vocab.json: is not valid JSON"),
            std::string::npos);
  EXPECT_NE(error("[1]").find("not a map"), std::string::npos);
  EXPECT_NE(error("{\"a\": -1}").find("the id of 'a'"), std::string::npos);
  EXPECT_NE(error("{\"a\": 1.5}").find("the id of 'a'"), std::string::npos);
  EXPECT_NE(error("{\"a\": 1, \"b\": 1}").find("'a' and 'b'"),
            std::string::npos);
}

}  // namespace
}  // namespace heed
