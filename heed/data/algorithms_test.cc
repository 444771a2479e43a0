#include "heed/data/algorithms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

constexpr std::array kProblems = {Problem::kCopy, Problem::kRepeatCopy,
                                  Problem::kRecall, Problem::kNgrams,
                                  Problem::kSort};

BitSequence Drawn(Problem problem, int64_t number, uint64_t seed = 1) {
  return DrawSequence(DefaultShape(problem), DefaultLengths(problem), seed,
                      number, number);
}

std::string Line(Problem problem, const BitSequence& sequence) {
  return FormatSequence(DefaultShape(problem), sequence);
}

BitSequence Parsed(Problem problem, const std::string& line) {
  return ParseSequence(DefaultShape(problem), line, "line 7");
}

std::string Refusal(Problem problem, const std::string& line) {
  return MessageOf<FormatError>(
      [&] { ReadSequence(DefaultShape(problem), line, "line 7"); });
}

BitSequence OfVectors(std::vector<std::vector<uint8_t>> vectors) {
  BitSequence s;
  s.vectors = std::move(vectors);
  return s;
}

/// Steps [begin, end) as texts of 0 and 1.
std::vector<std::string> Rows(const Tensor& x, int64_t begin, int64_t end) {
  std::vector<std::string> rows;
  for (int64_t t = begin; t < end; ++t) {
    rows.emplace_back();
    for (int64_t c = 0; c < x.dim(1); ++c) {
      rows.back() += x.row<float>(t)[c] > 0.5F ? '1' : '0';
    }
  }
  return rows;
}

TEST(Algorithms, ASequenceDependsOnSeedAndNumberAlone) {
  for (const Problem problem : kProblems) {
    const std::string line = Line(problem, Drawn(problem, 5));
    EXPECT_EQ(Line(problem, Drawn(problem, 5)), line);
    EXPECT_NE(Line(problem, Drawn(problem, 6)), line);
    EXPECT_NE(Line(problem, Drawn(problem, 5, 2)), line);
  }
}

TEST(Algorithms, WhatIsWrittenIsReadBack) {
  for (const Problem problem : kProblems) {
    for (int64_t number = 0; number < 20; ++number) {
      const BitSequence drawn = Drawn(problem, number);
      const BitSequence read = Parsed(problem, Line(problem, drawn));
      EXPECT_EQ(read.vectors, drawn.vectors);
      EXPECT_EQ(read.repeats, drawn.repeats);
      EXPECT_EQ(Line(problem, read), Line(problem, drawn));
      // Two items of a recall may be equal; the parser then finds the first
      // one.
      EXPECT_LE(read.query, drawn.query);
    }
  }
}

TEST(Algorithms, LengthsAndBitsAreUniform) {
  std::map<int64_t, int> lengths;
  double ones = 0;
  double bits = 0;
  for (int64_t number = 0; number < 4000; ++number) {
    const BitSequence s = Drawn(Problem::kCopy, number);
    ++lengths[std::ssize(s.vectors)];
    for (const auto& vector : s.vectors) {
      for (const uint8_t bit : vector) ones += bit;
      bits += 8;
    }
  }
  ASSERT_EQ(lengths.size(), 20u);
  EXPECT_EQ(lengths.begin()->first, 1);
  EXPECT_EQ(lengths.rbegin()->first, 20);
  // 200 ± 4 standard deviations of 13.8.
  for (const auto& [length, count] : lengths) {
    EXPECT_NEAR(count, 200, 56) << length;
  }
  EXPECT_NEAR(ones / bits, 0.5, 4 * 0.5 / std::sqrt(bits));
}

TEST(Algorithms, AGroupIsOfOneLength) {
  const ProblemShape shape = DefaultShape(Problem::kRepeatCopy);
  const ProblemLengths lengths = DefaultLengths(Problem::kRepeatCopy);
  const BitSequence first = DrawSequence(shape, lengths, 1, 30, 3);
  for (int64_t number = 31; number < 40; ++number) {
    const BitSequence s = DrawSequence(shape, lengths, 1, number, 3);
    EXPECT_EQ(s.vectors.size(), first.vectors.size());
    EXPECT_EQ(s.repeats, first.repeats);
    EXPECT_NE(s.vectors, first.vectors);
  }
}

TEST(Algorithms, PrioritiesAndProbabilitiesHaveTheirMoments) {
  double sum = 0;
  double squares = 0;
  int64_t count = 0;
  for (int64_t number = 0; number < 500; ++number) {
    for (const double p : Drawn(Problem::kSort, number).priorities) {
      sum += p;
      squares += p * p;
      ++count;
    }
  }
  const auto n = static_cast<double>(count);
  EXPECT_NEAR(sum / n, 0, 4 * std::sqrt(1 / 3.0 / n));
  EXPECT_NEAR(squares / n, 1 / 3.0, 0.02);

  // A predictor with the true prior is, on average, as surprised as it expects.
  double surprise = 0;
  double expected = 0;
  double bits = 0;
  for (int64_t number = 0; number < 1000; ++number) {
    std::map<std::string, std::pair<double, double>> counts;
    std::string context;
    for (const auto& vector : Drawn(Problem::kNgrams, number).vectors) {
      if (context.size() == 5) {
        auto& [zeros, ones] = counts[context];
        const double p = (ones + 0.5) / (zeros + ones + 1);
        surprise -= std::log2(vector[0] != 0 ? p : 1 - p);
        expected -= p * std::log2(p) + (1 - p) * std::log2(1 - p);
        (vector[0] != 0 ? ones : zeros) += 1;
        ++bits;
        context.erase(0, 1);
      }
      context += static_cast<char>('0' + vector[0]);
    }
  }
  EXPECT_NEAR(surprise / bits, expected / bits, 0.007);
}

TEST(Algorithms, CopyIsRequestedByADelimiter) {
  const EncodedSequence small =
      Encode({Problem::kCopy, 2}, OfVectors({{1, 0}, {1, 1}}));
  EXPECT_EQ(Rows(small.inputs, 0, 5),
            (std::vector<std::string>{"100", "110", "001", "000", "000"}));
  EXPECT_EQ(small.begin, 3);
  EXPECT_EQ(small.end, 5);
  EXPECT_EQ(Rows(small.targets, 3, 5), (std::vector<std::string>{"10", "11"}));
}

TEST(Algorithms, RepeatCopyEndsWithItsMark) {
  BitSequence s = OfVectors({{1, 0}});
  s.repeats = 3;
  const EncodedSequence e = Encode({Problem::kRepeatCopy, 2}, s);
  EXPECT_EQ(e.end - e.begin, 4);
  EXPECT_EQ(Rows(e.targets, e.begin, e.end),
            (std::vector<std::string>{"100", "100", "100", "001"}));
  // (3 − 5.5) / √8.25
  EXPECT_NEAR(e.inputs.row<float>(1)[3], -0.8704, 1e-4);
  EXPECT_EQ(e.inputs.row<float>(1)[2], 1);
}

TEST(Algorithms, RecallAnswersTheItemThatFollows) {
  const BitSequence s = Parsed(
      Problem::kRecall,
      "100000 010000 001000 | 000100 000010 000001 | 111111 000000 101010 ? "
      "000100 000010 000001");
  EXPECT_EQ(s.query, 1);
  const EncodedSequence e = Encode(DefaultShape(Problem::kRecall), s);
  EXPECT_EQ(Rows(e.targets, e.begin, e.end),
            (std::vector<std::string>{"111111", "000000", "101010"}));
  EXPECT_EQ(e.inputs.dim(0), 3 * 4 + 2 * 3 + 2);
  EXPECT_EQ(Rows(e.inputs, 0, 2),
            (std::vector<std::string>{"00000010", "10000000"}));
  EXPECT_EQ(Rows(e.inputs, 12, 13), (std::vector<std::string>{"00000001"}));
}

TEST(Algorithms, NgramsAskForTheNextBit) {
  const EncodedSequence e = Encode(DefaultShape(Problem::kNgrams),
                                   Parsed(Problem::kNgrams, "0110 100"));
  EXPECT_EQ(Rows(e.inputs, 0, 7),
            (std::vector<std::string>{"0", "1", "1", "0", "1", "0", "0"}));
  EXPECT_EQ(e.begin, 4) << "the sixth bit is the first with a context";
  EXPECT_EQ(e.end, 6);
  EXPECT_EQ(Rows(e.targets, 4, 6), (std::vector<std::string>{"0", "0"}));
}

TEST(Algorithms, SortKeepsTheHighestPriorities) {
  const EncodedSequence e =
      Encode({Problem::kSort, 2},
             ParseSequence({Problem::kSort, 2}, "00@-0.5 01@0.25 10@1 11@0.5",
                           "line"));
  EXPECT_EQ(Rows(e.targets, e.begin, e.end),
            (std::vector<std::string>{"10", "11", "01", "00"}));
  EXPECT_FLOAT_EQ(e.inputs.row<float>(0)[2], -0.5F);
  const EncodedSequence all =
      Encode(DefaultShape(Problem::kSort), Drawn(Problem::kSort, 1));
  EXPECT_EQ(all.end - all.begin, 16) << "of 20";
}

TEST(Algorithms, TheOptimalPredictorCounts) {
  // Contexts 00000 (three times), then 00001: p = ½, ¾, 1/6, ½.
  const double bits = OptimalNgramBits(Parsed(Problem::kNgrams, "000000010"));
  EXPECT_NEAR(bits, -std::log2(0.5 * 0.75 * (0.5 / 3) * 0.5), 1e-12);
}

TEST(Algorithms, NoCountingBeatsTheOptimalPredictorOnAverage) {
  double optimal = 0;
  double laplace = 0;
  for (int64_t number = 0; number < 200; ++number) {
    const BitSequence s = Drawn(Problem::kNgrams, number);
    optimal += OptimalNgramBits(s);
    std::map<std::string, std::pair<double, double>> counts;
    std::string context;
    for (const auto& vector : s.vectors) {
      if (context.size() == 5) {
        auto& [zeros, ones] = counts[context];
        const double p = (ones + 1) / (zeros + ones + 2);
        laplace -= std::log2(vector[0] != 0 ? p : 1 - p);
        (vector[0] != 0 ? ones : zeros) += 1;
        context.erase(0, 1);
      }
      context += static_cast<char>('0' + vector[0]);
    }
  }
  EXPECT_LT(optimal, laplace);
}

TEST(Algorithms, RandomSequencesHaveTheRequestedLength) {
  const auto read = [](Problem problem, const std::string& line) {
    return ReadSequence(DefaultShape(problem), line, "line 7");
  };
  EXPECT_EQ(read(Problem::kCopy, "random 12").vectors.size(), 12u);
  EXPECT_EQ(read(Problem::kRecall, "random 4").vectors.size(), 12u);
  EXPECT_EQ(read(Problem::kRepeatCopy, "random 3 x7").repeats, 7);
  EXPECT_NE(read(Problem::kCopy, "random 12 2").vectors,
            read(Problem::kCopy, "random 12 3").vectors);
  EXPECT_EQ(Refusal(Problem::kRecall, "random 1"),
            "line 7: random needs a length from 2 to 10000, as in 'random 20'");
  EXPECT_EQ(Refusal(Problem::kCopy, "random 5 x3"),
            "line 7: 'x3' is invalid; expected random, a length and optionally "
            "a seed");
  EXPECT_NE(Refusal(Problem::kCopy, "random 20000"), "");
  EXPECT_NE(Refusal(Problem::kCopy, "random -3"), "");
  EXPECT_NE(Refusal(Problem::kCopy, "random 1 2 3"), "");
  EXPECT_EQ(Refusal(Problem::kRepeatCopy, "random 1000 x1000"),
            "line 7: 1000 vectors 1000 times are 1000000; at most 10000 are "
            "answered");
}

TEST(Algorithms, WhatCannotBeReadIsNamed) {
  EXPECT_EQ(Refusal(Problem::kCopy, ""), "line 7: there is no vector to read");
  EXPECT_EQ(Refusal(Problem::kCopy, "10110010 0110010a"),
            "line 7: vector 2: '0110010a' is not a row of 0 and 1");
  EXPECT_EQ(Refusal(Problem::kCopy, "1011"),
            "line 7: vector 1: '1011' has 4 bits, but this model reads 8");
  EXPECT_EQ(Refusal(Problem::kRepeatCopy, "10110010"),
            "line 7: how often? End with x and a number, as in x3");
  EXPECT_EQ(Refusal(Problem::kRepeatCopy, "10110010 x0"),
            "line 7: 'x0' is not a number of repeats, as x3 (1 to 10000)");
  EXPECT_EQ(Refusal(Problem::kRepeatCopy, "10110010 x2 10110010"),
            "line 7: unexpected text after the number of repeats");
  EXPECT_EQ(
      Refusal(Problem::kRepeatCopy, "10110010 10110010 x9000"),
      "line 7: 2 vectors 9000 times are 18000; at most 10000 are answered");
  EXPECT_EQ(Refusal(Problem::kRecall, "100000 010000 | 000000"),
            "line 7: an item has 3 vectors: unexpected '|' after 2");
  EXPECT_EQ(Refusal(Problem::kRecall, "100000 010000 111111"),
            "line 7: there is no query: end with '?' and an item");
  const std::string items = "100000 010000 001000 | 000100 000010 000001 ? ";
  EXPECT_EQ(Refusal(Problem::kRecall, items + "111111 111111 111111"),
            "line 7: the item after '?' does not occur before it");
  EXPECT_EQ(Refusal(Problem::kRecall, items + "000100 000010 000001"),
            "line 7: no item follows the queried one");
  EXPECT_EQ(Refusal(Problem::kRecall, items + "100000"),
            "line 7: an item is 3 vectors, with | between two items");
  EXPECT_EQ(Refusal(Problem::kNgrams, "01012"),
            "line 7: vector 5: '2' is not a row of 0 and 1");
  EXPECT_EQ(Refusal(Problem::kSort, "10110010"),
            "line 7: '10110010' has no priority, as in 10110010@0.5");
  for (const char* priority : {"2", "nan", "x", ""}) {
    EXPECT_EQ(Refusal(Problem::kSort, std::string("10110010@") + priority),
              "line 7: '" + std::string(priority) +
                  "' is not a priority from -1 to 1");
  }
  std::string long_line;
  for (int i = 0; i < 10001; ++i) long_line += "0";
  EXPECT_EQ(Refusal(Problem::kNgrams, long_line),
            "line 7: more than 10000 vectors");
}

}  // namespace
}  // namespace heed
