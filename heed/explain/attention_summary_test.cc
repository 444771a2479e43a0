#include "heed/explain/attention_summary.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "heed/base/at.h"
#include "heed/base/threads.h"
#include "heed/kernels/attention_testing.h"

namespace heed {
namespace {

using heed::At;
using kernels::AttentionArgs;
using kernels::AttentionFactors;
using kernels::MaskRule;
using kernels::WeightRow;
using Kind = kernels::ScoreModifier::Kind;

/// Keys in (t - width, t] of the first `length` ones.
class WindowRule : public MaskRule {
 public:
  WindowRule(int64_t width, int64_t length) : width_(width), length_(length) {}
  void Row(int64_t, int64_t t, kernels::Range keys,
           uint8_t* may) const override {
    for (int64_t s = keys.begin; s < keys.end; ++s) {
      *may++ = s <= t && s > t - width_ && s < length_ ? 1 : 0;
    }
  }
  Extent Block(int64_t, kernels::Range queries,
               kernels::Range keys) const override {
    const bool none = keys.begin >= std::min(queries.end, length_) ||
                      keys.end - 1 <= queries.begin - width_;
    return none ? Extent::kNone : Extent::kSome;
  }

 private:
  int64_t width_, length_;
};

/// Arguments of a call, and what a plain computation in f64 says about it.
struct Call {
  Call(int64_t B, int64_t T, int64_t S, int64_t H, int64_t K, int64_t A) {
    args.q = kernels::RandomSlice({B, T, H * A}, DType::kF32, rng);
    args.k = kernels::RandomSlice({B, S, K * A}, DType::kF32, rng);
    args.v = kernels::RandomSlice({B, S, K * A}, DType::kF32, rng);
    args.value = 1 / std::sqrt(static_cast<double>(A));
    args.heads = H;
    args.key_heads = K;
  }

  void Modify(Kind kind, double value, const Shape& shape, double low,
              double high) {
    Tensor x;
    if (shape.rank() > 0) x = Tensor(shape);
    for (int64_t i = 0; shape.rank() > 0 && i < x.numel(); ++i) {
      x.data<float>()[i] = static_cast<float>(rng.Uniform(low, high));
    }
    args.modifiers.push_back({kind, value, x});
  }

  AttentionFactors Factors(const std::shared_ptr<const MaskRule>& mask = {}) {
    args.mask = mask.get();
    reference = kernels::ReferenceAttention(args).weights;
    return {args, kernels::FusedAttention(args).log_sum, mask};
  }
  double Weight(int64_t b, int64_t h, int64_t t, int64_t s) const {
    return reference.row<double>((b * args.heads + h) * args.queries() + t)[s];
  }

  Rng rng{3};
  AttentionArgs args;
  Tensor reference;
};

/// Checks tiles at several places against the reference.
void ExpectTiles(const Call& call, const AttentionFactors& factors) {
  const int64_t T = factors.queries(), S = factors.keys();
  const std::vector<kernels::Range> rows = {
      {0, T}, {T / 3, T / 3 + 1}, {T / 2, T}};
  const std::vector<kernels::Range> columns = {
      {0, S}, {S / 3, S / 2 + 1}, {S - 1, S}};
  for (int64_t i = 0; i < factors.batch() * factors.heads(); ++i) {
    const int64_t b = i / factors.heads(), h = i % factors.heads();
    for (const kernels::Range& r : rows) {
      for (const kernels::Range& c : columns) {
        const Tensor tile = factors.Tile(b, h, r, c);
        ASSERT_EQ(tile.shape(), Shape({r.size(), c.size()}));
        for (int64_t t = r.begin; t < r.end; ++t) {
          for (int64_t s = c.begin; s < c.end; ++s) {
            ASSERT_NEAR(tile.row<float>(t - r.begin)[s - c.begin],
                        call.Weight(b, h, t, s), 1e-5)
                << b << " " << h << " " << t << " " << s;
          }
        }
      }
    }
  }
}

/// Statistics of a head by the definitions, in f64.
HeadStatistics PlainStatistics(const Call& call, int64_t b, int64_t h,
                               const std::vector<int32_t>& tokens) {
  const int64_t T = call.args.queries(), S = call.args.keys();
  HeadStatistics sum;
  sum.largest = sum.first = sum.own = sum.previous = 0;
  sum.repeated = sum.induction = 0;
  double rows = 0, later = 0, repeats = 0;
  for (int64_t t = 0; t < T; ++t) {
    double mass = 0, entropy = 0, largest = 0, equal = 0, next = 0;
    bool repeated = false;
    for (int64_t s = 0; s < S; ++s) {
      const double a = call.Weight(b, h, t, s);
      mass += a;
      if (a > 0) entropy -= a * std::log2(a);
      largest = std::max(largest, a);
      sum.distance += a * std::abs(static_cast<double>(t - s));
      if (s < t && At(tokens, s) == At(tokens, t)) {
        repeated = true;
        equal += a;
        next += call.Weight(b, h, t, s + 1);
      }
    }
    if (mass == 0) continue;
    ++rows;
    sum.entropy += entropy;
    sum.words += std::exp2(entropy);
    sum.largest += largest;
    sum.first += call.Weight(b, h, t, 0);
    sum.own += call.Weight(b, h, t, t);
    if (t > 0) {
      ++later;
      sum.previous += call.Weight(b, h, t, t - 1);
    }
    if (!repeated) continue;
    ++repeats;
    sum.repeated += equal;
    sum.induction += next;
  }
  for (double* x : {&sum.entropy, &sum.words, &sum.distance, &sum.largest,
                    &sum.first, &sum.own}) {
    *x /= rows;
  }
  sum.previous /= later;
  sum.repeated /= repeats;
  sum.induction /= repeats;
  return sum;
}

/// Checks a mean that is NaN for no row.
void ExpectMean(double got, double expected) {
  EXPECT_EQ(std::isnan(got), std::isnan(expected));
  if (std::isnan(expected)) return;
  EXPECT_NEAR(got, expected, 1e-5);
}

void ExpectNear(const HeadStatistics& got, const HeadStatistics& expected) {
  EXPECT_NEAR(got.entropy, expected.entropy, 1e-4);
  EXPECT_NEAR(got.words / expected.words, 1, 1e-4);
  EXPECT_NEAR(got.distance, expected.distance, 1e-4 * (1 + expected.distance));
  ExpectMean(got.largest, expected.largest);
  ExpectMean(got.first, expected.first);
  ExpectMean(got.own, expected.own);
  ExpectMean(got.previous, expected.previous);
  ExpectMean(got.repeated, expected.repeated);
  ExpectMean(got.induction, expected.induction);
}

/// Checks the top keys of each row: their weights, their order, and that no
/// other key has more.
void ExpectTop(const Call& call, int64_t b, int64_t h,
               std::span<const WeightRow> rows) {
  const int64_t S = call.args.keys();
  for (int64_t t = 0; t < std::ssize(rows); ++t) {
    const WeightRow& row = At(rows, t);
    std::vector<bool> kept(static_cast<size_t>(S));
    double rest = 0;
    for (int32_t i = 0; i < row.count; ++i) {
      const int32_t key = At(row.keys, i);
      EXPECT_FALSE(At(kept, key));
      kept[static_cast<size_t>(key)] = true;
      ASSERT_NEAR(At(row.top, i), call.Weight(b, h, t, key), 1e-5);
      if (i == 0) continue;
      EXPECT_LE(At(row.top, i), At(row.top, i - 1));
    }
    for (int64_t s = 0; s < S; ++s) {
      const double a = call.Weight(b, h, t, s);
      if (At(kept, s)) continue;
      rest += a;
      if (row.count == kernels::kTopKeys) {
        EXPECT_LE(a, double{row.top.back()} + 1e-5);
      } else {
        EXPECT_LT(a, 1e-5);
      }
    }
    EXPECT_NEAR(row.rest(), rest, 1e-5);
  }
}

std::vector<int32_t> Tokens(int64_t n) {
  std::vector<int32_t> tokens;
  for (int64_t i = 0; i < n; ++i) {
    tokens.push_back(static_cast<int32_t>(i * i % 23));
  }
  return tokens;
}

void ExpectAll(Call& call, const std::shared_ptr<const MaskRule>& mask) {
  const AttentionFactors factors = call.Factors(mask);
  ExpectTiles(call, factors);
  const std::vector<int32_t> tokens = Tokens(factors.queries());
  for (int64_t b = 0; b < factors.batch(); ++b) {
    const AttentionSummary summary = Summarize(factors, b, true, tokens);
    ASSERT_EQ(std::ssize(summary.heads), factors.heads());
    for (int64_t h = 0; h < factors.heads(); ++h) {
      ExpectNear(At(summary.heads, h), PlainStatistics(call, b, h, tokens));
      const auto T = static_cast<size_t>(factors.queries());
      ExpectTop(call, b, h,
                std::span(summary.rows).subspan(static_cast<size_t>(h) * T, T));
    }
  }
}

TEST(AttentionSummary, IsThatOfTheWeights) {
  for (const int64_t T : {1, 7, 15, 16, 64, 130, 300}) {
    SCOPED_TRACE(T);
    Call call(2, T, T, 2, 2, 8);
    ExpectAll(call, nullptr);
  }
}

TEST(AttentionSummary, LooksOnlyWhereTheMaskAllows) {
  const std::vector<std::pair<int64_t, int64_t>> rules = {
      {1000, 290}, {70, 290}, {70, 200}, {3, 1}};
  for (const auto& [width, length] : rules) {
    SCOPED_TRACE(fmt::format("{} {}", width, length));
    Call call(1, 290, 290, 1, 1, 5);
    ExpectAll(call, std::make_shared<WindowRule>(width, length));
  }
}

TEST(AttentionSummary, SharesKeyHeads) {
  Call call(2, 140, 140, 6, 2, 7);
  ExpectAll(call, std::make_shared<WindowRule>(1000, 1000));
}

TEST(AttentionSummary, AppliesModifiers) {
  constexpr int64_t T = 150;
  const auto mask = std::make_shared<WindowRule>(100, 140);
  Call biased(2, T, T, 2, 1, 4);
  biased.Modify(Kind::kScale, 0.7, {}, 0, 0);
  biased.Modify(Kind::kRowScale, 0, {2, 2, T}, 0.5, 2);
  biased.Modify(Kind::kSoftCap, 1.5, {}, 0, 0);
  biased.Modify(Kind::kBias, 0, {2, 1, T, T}, -1, 1);
  biased.Modify(Kind::kDistanceBias, 0, {2, 2 * T - 1}, -1, 1);
  biased.Modify(Kind::kGaussianScores, 30, {2, 2, T}, 0, T);
  ExpectAll(biased, mask);
  Call windows(1, T, T, 2, 2, 4);
  windows.Modify(Kind::kBias, 0, {1, 2, 1, T}, -1, 1);
  windows.Modify(Kind::kDistanceBias, 0, {1, 2 * T - 1}, -1, 1);
  windows.Modify(Kind::kWindow, 25, {1, 2, T}, 0, T);
  windows.Modify(Kind::kGaussianWeights, 12, {1, 2, T}, 0, T);
  ExpectAll(windows, mask);
}

TEST(AttentionSummary, OfOtherScores) {
  for (const auto score :
       {AttentionArgs::Score::kTanh, AttentionArgs::Score::kLeaky}) {
    Call call(1, 40, 40, 2, 1, 3);
    call.args.score = score;
    call.args.value = 0.2;
    call.args.w = kernels::Random({2, 3}, DType::kF32);
    ExpectAll(call, std::make_shared<WindowRule>(30, 35));
  }
}

TEST(AttentionSummary, DoesNotDependOnThreads) {
  Call call(1, 333, 333, 3, 1, 16);
  const AttentionFactors factors =
      call.Factors(std::make_shared<WindowRule>(200, 333));
  const std::vector<int32_t> tokens = Tokens(333);
  const AttentionSummary several = Summarize(factors, 0, true, tokens);
  const ThreadLimit limit(1);
  const AttentionSummary one = Summarize(factors, 0, true, tokens);
  ASSERT_EQ(one.rows.size(), several.rows.size());
  for (size_t i = 0; i < one.rows.size(); ++i) {
    EXPECT_EQ(std::memcmp(&one.rows[i], &several.rows[i], sizeof(WeightRow)),
              0);
  }
  for (size_t h = 0; h < one.heads.size(); ++h) {
    EXPECT_EQ(
        std::memcmp(&one.heads[h], &several.heads[h], sizeof(HeadStatistics)),
        0);
  }
}

TEST(AttentionSummary, EqualWeightsAreInTheOrderOfKeys) {
  for (const int keys : {40, 300}) {
    Call call(1, 1, keys, 1, 1, 4);
    call.args.q.Fill(0);
    const AttentionSummary summary = Summarize(call.Factors(), 0, false, {});
    const WeightRow& row = summary.rows.at(0);
    for (int32_t i = 0; i < kernels::kTopKeys; ++i) {
      EXPECT_EQ(At(row.keys, i), i);
    }
    EXPECT_NEAR(row.rest(), 1 - 16.0 / keys, 1e-6);
  }
}

TEST(AttentionSummary, AcrossAxesDistanceIsAShare) {
  Call call(1, 20, 30, 1, 1, 4);
  const AttentionFactors factors = call.Factors();
  const AttentionSummary summary = Summarize(factors, 0, false, {});
  AttentionMap map = {.name = "a",
                      .title = "A",
                      .query = "target",
                      .heads = 1,
                      .query_size = 20,
                      .key_size = 30,
                      .weights = factors.Weights().ToVector<float>()};
  const HeadStatistics expected = StatisticsOf(map, 0);
  const HeadStatistics& got = summary.heads.at(0);
  EXPECT_NEAR(got.distance, expected.distance, 1e-5);
  EXPECT_NEAR(got.first, expected.first, 1e-6);
  EXPECT_TRUE(std::isnan(got.own) && std::isnan(got.previous));
}

TEST(AttentionSummary, IsThatOfADenseMap) {
  Call call(1, 60, 60, 2, 2, 4);
  const AttentionFactors factors =
      call.Factors(std::make_shared<WindowRule>(50, 60));
  AttentionMap map = {.name = "a",
                      .title = "A",
                      .heads = 2,
                      .query_size = 60,
                      .key_size = 60,
                      .weights = factors.Weights().ToVector<float>()};
  const std::vector<int32_t> tokens = Tokens(60);
  const std::vector<HeadStatistics> expected = StatisticsOf(map, tokens);
  const AttentionSummary summary = Summarize(factors, 0, true, tokens);
  for (size_t h = 0; h < 2; ++h) {
    ExpectNear(summary.heads[h], expected[h]);
  }
}

TEST(AttentionSummary, NumbersItemsByTheirText) {
  const std::vector<std::string> items = {"a", "b", "a", "c", "b"};
  EXPECT_EQ(NumberItems(items), (std::vector<int32_t>{0, 1, 0, 2, 1}));
}

}  // namespace
}  // namespace heed
