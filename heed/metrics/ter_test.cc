#include "heed/metrics/ter.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "heed/base/errors.h"

namespace heed {
namespace {

using Lines = std::vector<std::string>;

int64_t Edits(const std::string& hypothesis, const std::string& reference) {
  return SentenceTer(hypothesis, reference).edits;
}

/// "a0 a1 ...": words that occur nowhere else.
std::string Words(const std::string& letter, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += letter + std::to_string(i) + " ";
  return text;
}

TEST(Ter, ExampleOfThePaper) {
  // "this week" is shifted, "the saudis" replaced, "american" inserted.
  const TerCounts counts = SentenceTer(
      "this week the saudis denied information published in the new york times",
      "saudi arabia denied this week information published in the american new "
      "york times");
  EXPECT_EQ(counts.edits, 4);
  EXPECT_EQ(counts.words, 13);
}

TEST(Ter, EditsOfWordsCount) {
  EXPECT_EQ(Edits("a b c", "a b c"), 0);
  EXPECT_EQ(Edits("a b c", "a x c"), 1);
  EXPECT_EQ(Edits("a b c", "a c"), 1);
  EXPECT_EQ(Edits("a c", "a b c d"), 2);
}

TEST(Ter, ShiftOfAPhraseIsOneEdit) {
  EXPECT_EQ(Edits("c d e a b", "a b c d e"), 1);
  EXPECT_EQ(Edits("b a c d", "a b c d"), 1);
  EXPECT_EQ(Edits("a d b c x", "a b c d e"), 2);
}

TEST(Ter, ShiftsFollowEachOther) {
  EXPECT_EQ(Edits("b a x d c y f e", "a b x c d y e f"), 3);
}

TEST(Ter, PhrasesOfMoreThanTenWordsTakeTwoShifts) {
  EXPECT_EQ(
      Edits(Words("b", 10) + Words("a", 10), Words("a", 10) + Words("b", 10)),
      1);
  EXPECT_EQ(
      Edits(Words("b", 12) + Words("a", 12), Words("a", 12) + Words("b", 12)),
      2);
}

TEST(Ter, FarWordsAreDeletedAndInserted) {
  EXPECT_EQ(Edits(Words("b", 50) + "a", "a " + Words("b", 50)), 1);
  EXPECT_EQ(Edits(Words("b", 51) + "a", "a " + Words("b", 51)), 2);
}

TEST(Ter, CaseAndSpacesDoNotCount) {
  EXPECT_EQ(Edits("Das  HAUS", " das haus"), 0);
  EXPECT_EQ(Edits("Haus.", "Haus ."), 2);
}

TEST(Ter, LongTextsAreComparedWithoutShifts) {
  const std::string text = Words("b", 2100);
  EXPECT_EQ(Edits("x a " + text, "a x " + text), 2);
}

TEST(Ter, CorpusIsPooled) {
  EXPECT_DOUBLE_EQ(CorpusTer(Lines{"b a", "c"}, Lines{"a b", "c d e"}),
                   100 * 3.0 / 5);
  EXPECT_DOUBLE_EQ(CorpusTer(Lines{"a b c"}, Lines{"x"}), 300);
}

TEST(Ter, EmptyTextsGiveAFiniteRate) {
  EXPECT_EQ(CorpusTer(Lines{}, Lines{}), 0);
  EXPECT_EQ(CorpusTer(Lines{""}, Lines{""}), 0);
  EXPECT_EQ(CorpusTer(Lines{"a b"}, Lines{""}), 100);
  EXPECT_EQ(CorpusTer(Lines{""}, Lines{"a b"}), 100);
}

TEST(Ter, DifferentCountsAreAnError) {
  EXPECT_THROW(CorpusTer(Lines{"a"}, Lines{}), ShapeError);
}

}  // namespace
}  // namespace heed
