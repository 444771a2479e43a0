#include "course/exercises.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace heed {
namespace {

double AnswerOf(int chapter, int number) {
  for (const Exercise& exercise : Exercises()) {
    if (exercise.chapter == chapter && exercise.number == number) {
      return exercise.answer();
    }
  }
  ADD_FAILURE() << "no exercise " << chapter << "." << number;
  return 0;
}

TEST(Exercises, HaveTheAnswersThatAreFoundByHand) {
  const std::map<std::pair<int, int>, double> by_hand = {
      {{1, 1}, 4},          {{1, 2}, 24},        {{2, 1}, 597.947},
      {{2, 2}, 0.0051538},  {{3, 1}, 0.665241},  {{3, 2}, 1.694881},
      {{4, 1}, 1},          {{4, 2}, 80},        {{5, 1}, 0.4},
      {{5, 2}, 2.828427},   {{6, 1}, 0.5},       {{6, 2}, 0.75},
      {{7, 1}, 0.752902},   {{7, 2}, 0.969697},  {{8, 1}, 20000},
      {{8, 2}, 21},         {{9, 1}, 3152384},   {{9, 2}, 0.14112},
      {{10, 1}, 24},        {{10, 2}, 23835648}, {{11, 1}, 16},
      {{11, 2}, 0.0686505}, {{12, 1}, 3},        {{12, 2}, 1.0 / 3},
  };
  EXPECT_EQ(by_hand.size(), Exercises().size());
  for (const auto& [place, answer] : by_hand) {
    EXPECT_NEAR(AnswerOf(place.first, place.second), answer,
                1e-5 * std::abs(answer))
        << place.first << "." << place.second;
  }
}

TEST(Exercises, EachChapterHasTwo) {
  EXPECT_EQ(Chapters().size(), 12U);
  for (const Chapter& chapter : Chapters()) {
    std::set<int> numbers;
    for (const Exercise& exercise : Exercises()) {
      if (exercise.chapter == chapter.number) numbers.insert(exercise.number);
    }
    EXPECT_EQ(numbers, (std::set<int>{1, 2})) << chapter.number;
  }
}

TEST(Exercises, ThreeDigitsAreEnoughAndWholeNumbersExact) {
  EXPECT_TRUE(IsRight(0.665241, 0.665));
  EXPECT_FALSE(IsRight(0.665241, 0.67));
  EXPECT_TRUE(IsRight(24, 24));
  EXPECT_FALSE(IsRight(24, 24.01));
  EXPECT_FALSE(IsRight(0.5, -0.5));
  EXPECT_FALSE(IsRight(4, std::nan("")));
}

}  // namespace
}  // namespace heed
