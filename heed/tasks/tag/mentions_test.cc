#include "heed/tasks/tag/mentions.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace heed::tag {
namespace {

using Words = std::vector<std::string>;

const std::vector<TaggedSentence>& Text() {
  static const std::vector<TaggedSentence> text = {
      {{"Ann", "sees", "New", "York"}, {"B-PER", "O", "B-LOC", "I-LOC"}, "see"},
      {{"Bob", "Ross"}, {"B-PER", "I-PER"}, "name"},
      {{"to", "Bonn"}, {"O", "B-LOC"}, "go"},
      {{"in", "Bonn"}, {"O", "B-LOC"}, "be"}};
  return text;
}

TEST(Mentions, StayWhereNoneIsToBeReplaced) {
  Rng rng(1);
  const TaggedSentence same = Mentions(Text(), {}).Replace(Text()[0], 0, rng);
  EXPECT_EQ(same.words, Text()[0].words);
  EXPECT_EQ(same.tags, Text()[0].tags);
  EXPECT_EQ(same.label, "see");
}

TEST(Mentions, AreReplacedByOthersOfTheirTypeAsOftenAsTheseOccur) {
  const Mentions mentions(Text(), {});
  Rng rng(1);
  std::map<Words, int> people;
  std::map<Words, int> places;
  constexpr int kTimes = 3000;
  for (int i = 0; i < kTimes; ++i) {
    const TaggedSentence s = mentions.Replace(Text()[0], 1, rng);
    ASSERT_EQ(s.words.size(), s.tags.size());
    size_t verb = 0;
    while (s.words[verb] != "sees") ++verb;
    const Words who(s.words.begin(), s.words.begin() + static_cast<long>(verb));
    const Words where(s.words.begin() + static_cast<long>(verb) + 1,
                      s.words.end());
    ++people[who];
    ++places[where];
    EXPECT_EQ(s.tags[0], "B-PER");
    EXPECT_EQ(s.tags[verb], "O");
    EXPECT_EQ(s.tags[verb + 1], "B-LOC");
    EXPECT_EQ(s.tags.back(), where.size() == 2 ? "I-LOC" : "B-LOC");
  }
  ASSERT_EQ(people.size(), 2U);
  EXPECT_NEAR(people.at({"Bob", "Ross"}), kTimes / 2., 100);
  ASSERT_EQ(places.size(), 2U);
  EXPECT_NEAR(places.at({"Bonn"}), kTimes * 2 / 3., 100);
}

TEST(Mentions, KeepTypesThatTheTextDoesNotHave) {
  Rng rng(1);
  const TaggedSentence other = {{"at", "ACME"}, {"O", "B-ORG"}, ""};
  EXPECT_EQ(Mentions(Text(), {}).Replace(other, 1, rng).words, other.words);
  EXPECT_TRUE(Mentions(Text(), {}).Replace({}, 1, rng).words.empty());
}

}  // namespace
}  // namespace heed::tag
