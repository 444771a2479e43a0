#include "heed/text/target_marks.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

using Words = std::vector<std::string>;

/// A vocabulary of words with these marks and some other words.
Vocabulary WordsWith(const Words& marks) {
  std::vector<std::string> lines = {"a man and a dog"};
  lines.insert(lines.end(), marks.begin(), marks.end());
  VocabularyOptions options;
  options.kind = VocabularyKind::kWords;
  options.size = 0;
  return Vocabulary::Train(lines, options);
}

const Words kMarks = {">>fra<<",   ">>cmn_Hans<<", ">>cmn_Hant<<",
                      ">>pt_BR<<", ">>srp_Latn<<", ">>deu<<"};

TEST(TargetMarks, AreTokensOfTheVocabulary) {
  const TargetMarks marks(WordsWith(kMarks));
  EXPECT_EQ(marks.Languages(),
            (Words{"de", "fr", "pt-BR", "sr-Latn", "zh-Hans", "zh-Hant"}));
  EXPECT_TRUE(TargetMarks(WordsWith({})).empty());
  EXPECT_TRUE(
      TargetMarks(WordsWith({"<<fra>>", ">><<", ">>", ">>French<<"})).empty());
}

TEST(TargetMarks, AreFoundByCodesOfAnyForm) {
  const TargetMarks marks(WordsWith(kMarks));
  for (const char* code : {"fr", "fra", "FR", "fr-CA", "fre"}) {
    EXPECT_EQ(marks.MarkFor(code), ">>fra<<") << code;
  }
  for (const char* code : {"zh", "zh-Hans", "cmn_Hans", "zh-CN", "zho"}) {
    EXPECT_EQ(marks.MarkFor(code), ">>cmn_Hans<<") << code;
  }
  for (const char* code : {"zt", "zh-TW", "zho_Hant"}) {
    EXPECT_EQ(marks.MarkFor(code), ">>cmn_Hant<<") << code;
  }
  for (const char* code : {"pt", "pt-PT", "pb", "por"}) {
    EXPECT_EQ(marks.MarkFor(code), ">>pt_BR<<") << code;
  }
  EXPECT_EQ(marks.MarkFor("it"), "");
}

TEST(TargetMarks, OfTheVeryNameComeFirst) {
  const TargetMarks marks(WordsWith({">>fra<<", ">>fr<<", ">>fr_CA<<"}));
  EXPECT_EQ(marks.MarkFor("fra"), ">>fra<<");
  EXPECT_EQ(marks.MarkFor("fr"), ">>fr<<");
  EXPECT_EQ(marks.MarkFor("fr-CA"), ">>fr_CA<<");
  EXPECT_EQ(marks.Languages(), (Words{"fr", "fr-CA"}));
}

TEST(TargetMarks, ThatAreMissingAreListed) {
  EXPECT_EQ(MessageOf<ConfigError>([] {
              TargetMarks(WordsWith({">>fra<<", ">>deu<<"})).NeedMarkFor("it");
            }),
            "to 'it': the model has no mark for it; it has de, fr");
  EXPECT_NE(MessageOf<ConfigError>([] {
              TargetMarks(WordsWith({})).NeedMarkFor("it");
            }).find("leave the option out"),
            std::string::npos);
}

TEST(WithMark, PutsOneSpaceBehindTheMark) {
  const TargetMarks marks(WordsWith(kMarks));
  EXPECT_EQ(WithMark(marks, ">>fra<<a man"), ">>fra<< a man");
  EXPECT_EQ(WithMark(marks, ">>fra<<  a man"), ">>fra<< a man");
  EXPECT_EQ(WithMark(marks, " >>fra<< a man"), ">>fra<< a man");
  EXPECT_EQ(WithMark(marks, "a man"), "a man");
  EXPECT_EQ(WithMark(marks, "a >>fra<< man"), "a >>fra<< man");
  EXPECT_EQ(WithMark(marks, ">>xyz<<a man"), ">>xyz<<a man");
}

TEST(WithMark, UsesTheUsualOneWhereTheSentenceHasNone) {
  const TargetMarks marks(WordsWith(kMarks));
  EXPECT_EQ(WithMark(marks, "a man", ">>deu<<"), ">>deu<< a man");
  EXPECT_EQ(WithMark(marks, ">>fra<<a man", ">>deu<<"), ">>fra<< a man");
  EXPECT_EQ(WithMark(marks, "", ">>deu<<"), "");
  EXPECT_EQ(WithMark(marks, ">>fra<< ", ">>deu<<"), "");
}

TEST(WithMark, ChangesNothingOfOtherModels) {
  const TargetMarks none(WordsWith({}));
  EXPECT_EQ(WithMark(none, ">>fra<<a man", ">>deu<<"), ">>fra<<a man");
}

TEST(TakeMark, LeavesTheWords) {
  const TargetMarks marks(WordsWith(kMarks));
  const MarkAndText taken = TakeMark(marks, ">>fra<< a man. a dog", ">>deu<<");
  EXPECT_EQ(taken.mark, ">>fra<<");
  EXPECT_EQ(taken.text, "a man. a dog");
  EXPECT_EQ(TakeMark(marks, "a man", ">>deu<<").mark, ">>deu<<");
}

}  // namespace
}  // namespace heed
