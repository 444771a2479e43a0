#include "course/data/facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"

namespace heed {
namespace {

/// Tracks people and things of a story sentence by sentence.
struct Followed {
  std::map<std::string, std::string> room_of;                // of people
  std::map<std::string, std::string> holder_of;              // of things
  std::map<std::string, std::vector<std::string>> rooms_of;  // of things

  explicit Followed(const std::string& passage) {
    for (const std::string_view line : SplitLines(passage)) {
      const std::vector<std::string> words = PassageWords(line);
      const std::string& who = words[0];
      const std::string& last = words[words.size() - 2];
      const bool goes = words[2] == "to";
      if (goes) {
        room_of[who] = last;
        for (const auto& [thing, holder] : holder_of) {
          if (holder == who) rooms_of[thing].push_back(last);
        }
      } else if (words[1] == "took" || words[1] == "picked") {
        const bool there =
            rooms_of[last].empty() || rooms_of[last].back() == room_of.at(who);
        EXPECT_TRUE(there) << line;
        EXPECT_FALSE(holder_of.contains(last)) << line;
        holder_of[last] = who;
        rooms_of[last] = {room_of.at(who)};
      } else {
        EXPECT_EQ(holder_of.at(last), who) << line;
        holder_of.erase(last);
      }
    }
  }

  std::string AnswerTo(const std::string& question) {
    const std::vector<std::string> words = PassageWords(question);
    if (words.size() == 4) return room_of.at(words[2]);
    const std::vector<std::string>& rooms = rooms_of.at(words[3]);
    if (words.size() == 5) return rooms.back();
    EXPECT_EQ(rooms.back(), words[words.size() - 2]);
    return rooms[rooms.size() - 2];
  }
};

TEST(Facts, AnswersAreThoseOfWhoFollowsTheStory) {
  for (int facts = 1; facts <= 3; ++facts) {
    std::map<std::string, int> answers;
    for (int64_t i = 0; i < 500; ++i) {
      const FactStory story = MakeFactStory({.facts = facts}, 7, i);
      const PassageQuestion& sample = story.question;
      EXPECT_EQ(Followed(sample.passage).AnswerTo(sample.question),
                sample.answer)
          << sample.passage << "\n"
          << sample.question;
      ++answers[sample.answer];
      const auto sentences = std::ssize(SplitLines(sample.passage));
      EXPECT_GE(sentences, 5);
      EXPECT_LE(sentences, 15);
      // The answer occurs in one of the supporting sentences.
      EXPECT_TRUE(std::ranges::is_sorted(story.facts));
      EXPECT_TRUE(std::ranges::any_of(story.facts, [&](int64_t fact) {
        const auto lines = SplitLines(sample.passage);
        return At(lines, fact).find(sample.answer) != std::string_view::npos;
      }));
      EXPECT_TRUE(std::ranges::count(sample.candidates, sample.answer) == 1);
      EXPECT_GE(ReadPassageText(sample, true).answer, 0);
    }
    EXPECT_EQ(answers.size(), 6u);
    for (const auto& [answer, count] : answers) EXPECT_GT(count, 40) << answer;
  }
}

TEST(Facts, AreTheSameForASeedAndANumber) {
  const FactOptions two = {.facts = 2};
  EXPECT_EQ(PassageLine(MakeFactStory(two, 1, 5).question),
            PassageLine(MakeFactQuestions(two, 1, 4, 2).at(1)));
  EXPECT_NE(PassageLine(MakeFactStory(two, 1, 5).question),
            PassageLine(MakeFactStory(two, 2, 5).question));
  const PassageQuestion first = MakeFactStory({.facts = 1}, 1, 0).question;
  EXPECT_EQ(first.passage,
            "David went to the library.\nBen ran to the office.\n"
            "Felix ran to the cellar.\nDavid walked to the office.\n"
            "Anna went to the office.");
  EXPECT_EQ(first.question, "Where is Felix?");
  EXPECT_EQ(first.answer, "cellar");
  EXPECT_THAT(first.candidates,
              testing::ElementsAre("library", "office", "cellar"));
  std::set<std::string> lines;
  for (const PassageQuestion& one : MakeFactQuestions(two, 1, 0, 3000)) {
    lines.insert(PassageLine(one));
  }
  EXPECT_EQ(lines.size(), 3000u);
}

TEST(Facts, AFileIsReadAsItWasMade) {
  const FactOptions one = {};
  const auto read = ParsePassages(FactFile(one, 3, 10, 4), "facts.jsonl",
                                  PassageFormat::kAuto);
  const auto made = MakeFactQuestions(one, 3, 10, 4);
  ASSERT_EQ(read.size(), 4u);
  for (size_t i = 0; i < read.size(); ++i) {
    EXPECT_EQ(PassageLine(read[i]), PassageLine(made[i]));
  }
}

TEST(Facts, OtherNumbersAreRefused) {
  EXPECT_THROW(MakeFactStory({.facts = 0}, 1, 0), ConfigError);
  EXPECT_THROW(MakeFactStory({.facts = 4}, 1, 0), ConfigError);
  EXPECT_THROW(MakeFactStory({.min_sentences = 4}, 1, 0), ConfigError);
  EXPECT_THROW(MakeFactStory({.min_sentences = 9, .max_sentences = 8}, 1, 0),
               ConfigError);
}

}  // namespace
}  // namespace heed
