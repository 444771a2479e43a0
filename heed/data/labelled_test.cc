#include "heed/data/labelled.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "heed/base/errors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

using Strings = std::vector<std::string>;
using Ids = std::vector<int32_t>;

LabelledText Labelled(const std::vector<Strings>& labels) {
  LabelledText text;
  text.labels = labels;
  text.text.assign(labels.size(), "a");
  return text;
}

TEST(LabelSet, IsSortedAndComesBackFromItsText) {
  const LabelSet labels(Labelled({{"pos"}, {"neg", "new"}, {"pos"}, {}}));
  EXPECT_EQ(labels.Serialize(), "neg\nnew\npos\n");
  const LabelSet again = LabelSet::Parse(labels.Serialize(), "labels.txt");
  EXPECT_EQ(again.size(), 3);
  EXPECT_EQ(again.Id("pos"), 2);
  EXPECT_EQ(again.Name(1), "new");
}

TEST(LabelSet, CanonicallyEqualLabelsAreOne) {
  LabelledText text;
  text.labels = {{"cafe\u0301"}, {"caf\u00E9"}, {"bar"}};
  const LabelSet labels(text);
  EXPECT_EQ(labels.size(), 2);
  EXPECT_EQ(labels.Id("cafe\u0301"), labels.Id("caf\u00E9"));
}

TEST(LabelSet, OneLabelIsNotEnough) {
  EXPECT_NE(MessageOf<ConfigError>([] {
              const LabelSet labels(Labelled({{"pos"}, {"pos"}}));
            }).find("'pos'"),
            std::string::npos);
}

TEST(LabelSet, UnknownLabelListsTheKnownOnes) {
  const LabelSet labels(Labelled({{"pos"}, {"neg"}}));
  EXPECT_EQ(MessageOf<FormatError>([&] { labels.Id("neu"); }),
            "label 'neu' was not in the training text, which had neg, pos");
}

TEST(LabelSet, DamagedListsAreRefused) {
  for (const char* bytes : {"", "a\n", "a\nb", "b\na\n", "a\na\n"}) {
    EXPECT_THROW(LabelSet::Parse(bytes, "labels.txt"), FormatError) << bytes;
  }
}

class MarkTextTest : public testing::Test {
 protected:
  Ids Marked(const std::string& text, const std::string* second,
             int max_length = 0) {
    const MarkedText marked =
        MarkText(words_, text, second, {.max_length = max_length});
    EXPECT_EQ(marked.ids.size(), marked.pieces.size());
    first_ = marked.first;
    return marked.ids;
  }

  // Ids of a b c d are 4 5 6 7.
  const Vocabulary words_ =
      Vocabulary::Train(Strings{"a a a a b b b c c d"},
                        {.kind = VocabularyKind::kWords, .size = 0});
  int32_t first_ = 0;
};

TEST_F(MarkTextTest, TextsStandBetweenMarks) {
  EXPECT_EQ(Marked("a c", nullptr), (Ids{kBos, 4, 6, kEos}));
  EXPECT_EQ(first_, 4);
  const std::string second = "b";
  EXPECT_EQ(Marked("a c", &second), (Ids{kBos, 4, 6, kEos, 5, kEos}));
  EXPECT_EQ(first_, 4);
  EXPECT_EQ(Marked("", nullptr), (Ids{kBos, kEos}));
}

TEST_F(MarkTextTest, WhatIsTooLongLosesItsEnd) {
  EXPECT_EQ(Marked("a b c d", nullptr, 4), (Ids{kBos, 4, 5, kEos}));
  EXPECT_EQ(Marked("a b", nullptr, 4), (Ids{kBos, 4, 5, kEos}));
  EXPECT_EQ(Marked("a", nullptr, 1), (Ids{kBos, kEos}));
}

TEST_F(MarkTextTest, TheLongerOfAPairIsCutFirst) {
  const std::string one = "d";
  EXPECT_EQ(Marked("a b c d", &one, 6), (Ids{kBos, 4, 5, kEos, 7, kEos}));
  const std::string four = "a b c d";
  EXPECT_EQ(Marked("d", &four, 6), (Ids{kBos, 7, kEos, 4, 5, kEos}));
  EXPECT_EQ(Marked("d c b a", &four, 8),
            (Ids{kBos, 7, 6, 5, kEos, 4, 5, kEos}));
  EXPECT_EQ(first_, 5);
}

TEST_F(MarkTextTest, LowercaseIsAnOption) {
  EXPECT_EQ(MarkText(words_, "A", nullptr, {.lowercase = true}).ids,
            (Ids{kBos, 4, kEos}));
  EXPECT_EQ(MarkText(words_, "A", nullptr, {}).ids, (Ids{kBos, kUnk, kEos}));
}

TEST_F(MarkTextTest, BatchesArePaddedAndKnowTheSecondText) {
  LabelledText text;
  text.text = {"a b c", "d"};
  text.second = {"a", "b c"};
  text.labels = {{"y", "x", "y"}, {}};
  const LabelSet labels(text);
  const LabelledCorpus corpus = EncodeLabelled(text, words_, &labels, {});
  EXPECT_EQ(corpus.corpus.target, (std::vector<Ids>{{0, 1}, {}}));
  const std::vector<int64_t> indices = {1, 0};
  const LabelledBatch batch = MakeLabelledBatch(corpus, indices);
  EXPECT_EQ(batch.ids.shape(), (Shape{2, 7}));
  EXPECT_EQ(batch.ids.ToVector<int32_t>(),
            (Ids{kBos, 7, kEos, 5, 6, kEos, kPad,  //
                 kBos, 4, 5, 6, kEos, 4, kEos}));
  EXPECT_EQ(batch.segments.ToVector<int32_t>(),
            (Ids{0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1}));
  EXPECT_EQ(batch.lengths.ToVector<int32_t>(), (Ids{6, 7}));
  EXPECT_EQ(batch.labels, (std::vector<Ids>{{}, {0, 1}}));
}

TEST_F(MarkTextTest, TextsThatAreCutAreCountedAndNamed) {
  LabelledText text;
  text.text = {"a b", "a b c", "c d a b", "d"};
  LabelledCorpus corpus =
      EncodeLabelled(text, words_, nullptr, {.max_length = 4});
  EXPECT_EQ(corpus.cut, 2);
  testing::internal::CaptureStderr();
  WarnOfCut(corpus, 4);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            std::string(program_invocation_short_name) +
                ": warning: of 2 of 4 texts, only the first 4 tokens are read "
                "(--max-length)\n");
  corpus = EncodeLabelled(text, words_, nullptr, {});
  EXPECT_EQ(corpus.cut, 0);
  testing::internal::CaptureStderr();
  WarnOfCut(corpus, 0);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(MarkTextTest, TextsWithoutLabelsAreEncodedToo) {
  LabelledText text;
  text.text.assign(200, "a");
  text.text[150] = "b";
  const LabelledCorpus corpus = EncodeLabelled(text, words_, nullptr, {});
  EXPECT_EQ(corpus.corpus.source[150], (Ids{kBos, 5, kEos}));
  EXPECT_EQ(corpus.corpus.target[150], Ids{});
  EXPECT_EQ(PlanBatches(corpus.corpus, {.tokens = 300}, 1, 0).size(), 2u);
}

}  // namespace
}  // namespace heed
