#include "heed/tasks/translate/parallel_text.h"

#include <gtest/gtest.h>

#include "heed/base/errors.h"
#include "heed/tasks/translate/testing.h"

namespace heed::translate {
namespace {

using Strings = std::vector<std::string>;

TEST(TrainingText, ReadsTwoFilesOrATable) {
  const TemporaryFolder folder;
  DataConfig config;
  config.train.source = {folder.Put("s", "a\nb\n")};
  config.train.target = {folder.Put("t", "x\ny\n")};
  config.valid.tsv = {folder.Put("v", "c\tz\n")};
  const TrainingText text = ReadTrainingText(config);
  EXPECT_EQ(text.train.source, (Strings{"a", "b"}));
  EXPECT_EQ(text.train.target, (Strings{"x", "y"}));
  EXPECT_EQ(text.valid.source, Strings{"c"});
  EXPECT_TRUE(text.has_valid());
}

TEST(TrainingText, IsLowerCasedOnRequest) {
  const TemporaryFolder folder;
  DataConfig config;
  config.train.tsv = {folder.Put("pairs", "ÄB c\tX\n")};
  EXPECT_EQ(ReadTrainingText(config).train.source, Strings{"ÄB c"});
  config.lowercase = true;
  const TrainingText text = ReadTrainingText(config);
  EXPECT_EQ(text.train.source, Strings{"äb c"});
  EXPECT_EQ(text.train.target, Strings{"x"});
  EXPECT_FALSE(text.has_valid());
}

TEST(TrainingText, FilesMustBeNamedOnceAndInPairs) {
  const auto error = [](const DataConfig& config) {
    return MessageOf<ConfigError>([&] { ReadTrainingText(config); });
  };
  EXPECT_NE(error({}).find("--source and --target"), std::string::npos);
  const TemporaryFolder folder;
  DataConfig valid;
  valid.train.tsv = {folder.Put("pairs", "a\tx\n")};
  valid.valid.target = {"t"};
  EXPECT_NE(error(valid).find("--valid-source and --valid-target"),
            std::string::npos);
}

TEST(TrainingText, ChecksumDependsOnTheText) {
  const TrainingText text = {{{"a", "b"}, {"x", "y"}}, {{"c"}, {"z"}}};
  EXPECT_EQ(text.Checksum(), TrainingText(text).Checksum());
  const std::vector<TrainingText> others = {
      {{{"a", "c"}, {"x", "y"}}, {{"c"}, {"z"}}},
      {{{"b", "a"}, {"x", "y"}}, {{"c"}, {"z"}}},
      {{{"a", "b"}, {"y", "x"}}, {{"c"}, {"z"}}},
      {{{"a", "b"}, {"x", "y"}}, {{"d"}, {"z"}}},
      {{{"a", "b"}, {"x", "y"}}, {}},
      {{{"ab", ""}, {"x", "y"}}, {{"c"}, {"z"}}},
  };
  for (const TrainingText& other : others) {
    EXPECT_NE(other.Checksum(), text.Checksum());
  }
}

TEST(TrainVocabularies, EachSideHasItsOwnUnlessJoint) {
  const ParallelText text = {{"a b", "b"}, {"x", "y x z"}};
  DataConfig config;
  config.vocabulary = "words";
  const Vocabularies two = TrainVocabularies(text, config);
  EXPECT_EQ(two.source.size(), kSpecialTokens + 2);
  EXPECT_EQ(two.target.size(), kSpecialTokens + 3);
  config.joint_vocabulary = true;
  const Vocabularies joint = TrainVocabularies(text, config);
  EXPECT_EQ(joint.source.size(), kSpecialTokens + 5);
  EXPECT_EQ(joint.source.Serialize(), joint.target.Serialize());
}

TEST(TrainVocabularies, TargetMayBeOfAnotherKind) {
  const ParallelText text = {{"ab", "ba c"}, {"X YY", "X"}};
  DataConfig config;
  config.vocabulary = "characters";
  config.target_vocabulary = "words";
  const Vocabularies v = TrainVocabularies(text, config);
  EXPECT_EQ(v.source.kind(), VocabularyKind::kCharacters);
  EXPECT_EQ(v.source.size(), kSpecialTokens + 4);
  EXPECT_EQ(v.target.kind(), VocabularyKind::kWords);
  EXPECT_EQ(v.target.size(), kSpecialTokens + 2);
}

TEST(ReferencesOf, EqualSourcesAreOneOnlyWithAlternatives) {
  const ParallelText text = {{"b", "a", "b", ""}, {"1", "2", "3", "4"}};
  const ReferencedText each = ReferencesOf(text, false);
  EXPECT_EQ(each.source, text.source);
  EXPECT_EQ(each.First().target, text.target);
  const ReferencedText joined = ReferencesOf(text, true);
  EXPECT_EQ(joined.source, (Strings{"b", "a", ""}));
  EXPECT_EQ(joined.references,
            (std::vector<References>{{"1", "3"}, {"2"}, {"4"}}));
  EXPECT_EQ(joined.First().target, (Strings{"1", "2", "4"}));
}

TEST(TrainVocabularies, SizesAreWhatTheTextAllows) {
  const ParallelText text = ReversedLetters(50, 1);
  for (const char* kind : {"unigram", "bpe"}) {
    DataConfig config;
    config.vocabulary = kind;
    config.source_vocabulary_size = 9;
    config.target_vocabulary_size = 5000;
    const Vocabularies sides = TrainVocabularies(text, config);
    EXPECT_EQ(sides.source.size(), 9) << kind;
    EXPECT_LT(sides.target.size(), 5000) << kind;
    config.source_vocabulary_size = config.target_vocabulary_size;
    config.joint_vocabulary = true;
    EXPECT_LT(TrainVocabularies(text, config).source.size(), 5000) << kind;
  }
}

TEST(TrainVocabularies, TextWithoutAnyNamesTheSide) {
  DataConfig config;
  config.Resolve();
  const std::string error = MessageOf<ConfigError>([&] {
    TrainVocabularies({{"a"}, {" "}}, config);
  });
  EXPECT_NE(error.find("target"), std::string::npos) << error;
}

}  // namespace
}  // namespace heed::translate
