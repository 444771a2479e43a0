#include "heed/text/copied_tokens.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "heed/base/errors.h"

namespace heed::copied_tokens_test {
namespace {

Vocabulary Words(const std::string& line) {
  VocabularyOptions options;
  options.kind = VocabularyKind::kWords;
  return Vocabulary::Train(std::vector<std::string>{line}, options);
}

int32_t IdOf(const Vocabulary& vocabulary, const std::string& word) {
  return vocabulary.Encode(word).at(0);
}

class CopiedTokens : public testing::Test {
 protected:
  const Vocabulary source_ = Words("the king saw met");
  const Vocabulary target_ = Words("met the saw");
  const Encoded read_ =
      EncodeCopiedSource(source_, "Anna met the king Anna saw Bert", false);
  const int32_t first_ = source_.size();
};

TEST_F(CopiedTokens, OfTheSourceHaveTheFirstPositionOfTheirText) {
  EXPECT_EQ(read_.ids, (std::vector<int32_t>{
                           first_, IdOf(source_, "met"), IdOf(source_, "the"),
                           IdOf(source_, "king"), first_, IdOf(source_, "saw"),
                           first_ + 6, kEos}));
  EXPECT_EQ(read_.pieces[6], "Bert");
}

TEST_F(CopiedTokens, OfTheTargetAreThoseOfTheSource) {
  const Encoded written = EncodeCopiedTarget(target_, "Bert met king Anna Carl",
                                             false, read_.pieces);
  const int32_t size = target_.size();
  EXPECT_EQ(written.ids, (std::vector<int32_t>{size + 6, IdOf(target_, "met"),
                                               size + 3, size, kUnk, kEos}));
}

TEST_F(CopiedTokens, AreWrittenAsInTheSource) {
  EXPECT_EQ(PieceOrCopy(target_, target_.size() + 6, read_.pieces), "Bert");
  EXPECT_EQ(PieceOrCopy(target_, IdOf(target_, "saw"), read_.pieces), "saw");
  EXPECT_THROW(PieceOrCopy(target_, target_.size() + 9, read_.pieces),
               ShapeError);
}

TEST_F(CopiedTokens, TableMapsWordsByTheirText) {
  const CopyTable table = CopyTableOf(source_, target_);
  ASSERT_EQ(std::ssize(table.target_ids), source_.size());
  const auto at = [&](int32_t id) {
    return table.target_ids[static_cast<size_t>(id)];
  };
  EXPECT_EQ(at(IdOf(source_, "saw")), IdOf(target_, "saw"));
  EXPECT_EQ(at(IdOf(source_, "king")), -1);
  EXPECT_EQ(at(kEos), kEos);
  EXPECT_EQ(at(kUnk), kUnk);
  EXPECT_EQ(at(kPad), -1);
  EXPECT_EQ(table.target_size, target_.size());
}

}  // namespace
}  // namespace heed::copied_tokens_test
