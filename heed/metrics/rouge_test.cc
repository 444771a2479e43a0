#include "heed/metrics/rouge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/rng.h"
#include "heed/base/text.h"
#include "heed/io/file.h"

namespace heed {
namespace {

using Texts = std::vector<std::string>;

std::array<double, 9> NumbersOf(const RougeScores& scores) {
  std::array<double, 9> numbers = {};
  size_t i = 0;
  for (const RougeScore* score :
       {&scores.rouge1, &scores.rouge2, &scores.rouge_l}) {
    numbers[i++] = score->precision;
    numbers[i++] = score->recall;
    numbers[i++] = score->f1;
  }
  return numbers;
}

/// Expected scores come from tests/golden/make_rouge.py.
TEST(Rouge, IsThatOfTheReferenceImplementation) {
  int lines = 0;
  std::array<double, 9> means = {};
  Texts summaries, references;
  const std::string table = ReadFile(HEED_GOLDEN_DIR "/rouge.tsv");
  for (const std::string_view line : SplitLines(table)) {
    const std::vector<std::string_view> fields = SplitAt(line, "\t");
    ASSERT_EQ(fields.size(), 11u) << line;
    summaries.emplace_back(fields[0]);
    references.emplace_back(fields[1]);
    const std::array<double, 9> ours = NumbersOf(
        CorpusRouge(Texts{summaries.back()}, Texts{references.back()}));
    for (size_t i = 0; i < ours.size(); ++i) {
      const double theirs = 100 * ParseNumber(fields[i + 2]).value();
      EXPECT_NEAR(ours[i], theirs, 1e-7) << line << " number " << i;
      means[i] += theirs;
    }
    ++lines;
  }
  EXPECT_GT(lines, 20);
  const std::array<double, 9> ours =
      NumbersOf(CorpusRouge(summaries, references));
  for (size_t i = 0; i < ours.size(); ++i) {
    EXPECT_NEAR(ours[i], means[i] / lines, 1e-7);
  }
}

TEST(Rouge, WordsAreAsciiLettersAndDigits) {
  EXPECT_EQ(RougeWords("  Don't -- stop_me, Zoë: 1,000!"),
            "don t stop me zo 1 000");
  EXPECT_EQ(RougeWords(" \t"), "");
  EXPECT_EQ(RougeWords("東京"), "");
}

/// Length of the longest common subsequence of letters by dynamic programming.
int64_t PlainSubsequence(const std::string& a, const std::string& b) {
  std::vector<std::vector<int64_t>> table(a.size() + 1,
                                          std::vector<int64_t>(b.size() + 1));
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      table[i][j] = a[i - 1] == b[j - 1]
                        ? table[i - 1][j - 1] + 1
                        : std::max(table[i - 1][j], table[i][j - 1]);
    }
  }
  return table[a.size()][b.size()];
}

TEST(Rouge, SubsequencesOfAllLengthsAreThoseOfTheTable) {
  Rng rng(5);
  for (const size_t length : {1, 2, 63, 64, 65, 127, 128, 129, 200}) {
    for (const uint64_t kinds : {2, 5}) {
      std::string a, b, a_text, b_text;
      for (size_t i = 0; i < length; ++i) {
        a += static_cast<char>('a' + rng.Below(kinds));
        a_text += std::string(1, a.back()) + ' ';
      }
      const size_t others = 1 + rng.Below(150);
      for (size_t i = 0; i < others; ++i) {
        b += static_cast<char>('a' + rng.Below(kinds));
        b_text += std::string(1, b.back()) + ' ';
      }
      const RougeScores scores = CorpusRouge(Texts{a_text}, Texts{b_text});
      EXPECT_NEAR(scores.rouge_l.precision,
                  100.0 * static_cast<double>(PlainSubsequence(a, b)) /
                      static_cast<double>(a.size()),
                  1e-9)
          << a << ' ' << b;
    }
  }
}

TEST(Rouge, OfNothing) {
  EXPECT_EQ(CorpusRouge({}, {}).rouge1.f1, 0);
  EXPECT_EQ(CorpusRouge(Texts{""}, Texts{""}).rouge_l.f1, 0);
  EXPECT_THROW(CorpusRouge(Texts{"a"}, {}), ShapeError);
}

}  // namespace
}  // namespace heed
