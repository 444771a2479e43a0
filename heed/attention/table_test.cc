// Test rows for combinations of parts, made from the registries, so that a new
// part is tested automatically.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "heed/attention/testing.h"
#include "heed/base/at.h"

namespace heed {
namespace {

/// Rows of one score that cover each pair of a modifier, a mask and a
/// normaliser at least once.
std::vector<TestRow> PairsOf(const std::string& score) {
  const std::vector<std::string> modifiers = ModifierNames();
  const std::vector<std::string> masks = MaskTexts();
  const std::vector<std::string> normalizers = NamesOf(Normalizers());
  std::set<std::tuple<int, std::string, std::string>> seen;
  const auto pairs = [](const TestRow& row) {
    return std::array<std::tuple<int, std::string, std::string>, 3>{
        std::tuple{0, row.modifier, row.mask},
        {1, row.modifier, row.normalizer},
        {2, row.mask, row.normalizer}};
  };
  std::vector<TestRow> rows;
  for (const std::string& modifier : modifiers) {
    if (!Fit(score, modifier)) continue;
    for (size_t i = 0; i < masks.size(); ++i) {
      // The normaliser that adds the most new pairs.
      TestRow best;
      size_t max = 0;
      for (const std::string& normalizer : normalizers) {
        const TestRow row{score, modifier, masks[i], normalizer};
        size_t fresh = 0;
        for (const auto& pair : pairs(row)) fresh += 1 - seen.count(pair);
        if (fresh > max) {
          max = fresh;
          best = row;
        }
      }
      for (const auto& pair : pairs(best)) seen.insert(pair);
      rows.push_back(best);
    }
  }
  return rows;
}

/// Rows that cycle through all modifiers, masks and normalisers: each pair of
/// the score and another part, and many of the other pairs.
std::vector<TestRow> FewOf(const std::string& score) {
  const std::vector<std::string> masks = MaskTexts();
  const std::vector<std::string> normalizers = NamesOf(Normalizers());
  std::vector<TestRow> rows;
  size_t i = score.size();  // another start for another score
  for (const std::string& modifier : ModifierNames()) {
    if (!Fit(score, modifier)) continue;
    rows.push_back({score, modifier, masks[i % masks.size()],
                    normalizers[i % normalizers.size()]});
    ++i;
  }
  return rows;
}

template <typename Body>
void ForRows(const std::vector<TestRow>& rows, const TestSizes& sizes,
             const Body& body) {
  for (const TestRow& row : rows) {
    SCOPED_TRACE(testing::PrintToString(row));
    body(SpecOf(row, sizes));
    if (testing::Test::HasFatalFailure()) return;
  }
}

class EveryScore : public testing::TestWithParam<ScoreInfo> {
 protected:
  const std::string& score() const { return GetParam().name; }
};
INSTANTIATE_TEST_SUITE_P(Scores, EveryScore, testing::ValuesIn(Scores()),
                         [](const auto& info) { return info.param.name; });

TEST_P(EveryScore, HasTheGradientOfDifferences) {
  const TestSizes sizes{2, 3, 5};
  ForRows(PairsOf(score()), sizes,
          [&](const AttentionSpec& spec) { ExpectGradientsHold(spec, sizes); });
}

TEST_P(EveryScore, IsTheSameFusedAndComposed) {
  const TestSizes few{2, 3, 70};
  const TestSizes many{2, 11, 70};
  for (const std::string& modifier : ModifierNames()) {
    if (!Fit(score(), modifier)) continue;
    for (const std::string& mask : MaskTexts()) {
      const TestRow row{score(), modifier, mask, "softmax"};
      SCOPED_TRACE(testing::PrintToString(row));
      ExpectFusedIsComposed(SpecOf(row, few), few);
      ExpectFusedIsComposed(SpecOf(row, many), many);
    }
  }
}

TEST_P(EveryScore, IsTheSameInF32WithEveryNormalizer) {
  const TestSizes sizes{2, 9, 17};
  ForRows(FewOf(score()), sizes, [&](const AttentionSpec& spec) {
    ExpectFusedIsComposed(spec, sizes);
  });
}

TEST_P(EveryScore, StepsEqualAllAtOnce) {
  const TestSizes sizes{2, 7, 7};
  ForRows(FewOf(score()), sizes, [&](const AttentionSpec& spec) {
    ExpectStepsEqualAllAtOnce(spec, sizes, DType::kF64);
    ExpectStepsEqualAllAtOnce(spec, sizes, DType::kF32);
  });
}

TEST_P(EveryScore, AGrowingMemoryEqualsOneMadeAtOnce) {
  const TestSizes sizes{2, 5, 7};
  for (const std::string& modifier : ModifierNames()) {
    if (!Fit(score(), modifier)) continue;
    SCOPED_TRACE(modifier);
    for (const char* mask : {"", "causal", "window(2)"}) {
      const AttentionSpec spec =
          SpecOf({score(), modifier, mask, "softmax"}, sizes);
      ExpectExtendedEqualsPrepared(spec, sizes, DType::kF64);
      ExpectExtendedEqualsPrepared(spec, sizes, DType::kF32);
    }
  }
}

TEST_P(EveryScore, ARowThatMayLookNowhereGivesZeros) {
  const TestSizes sizes{2, 9, 5};
  ForRows(FewOf(score()), sizes, [&](const AttentionSpec& spec) {
    ExpectNowhereIsZero(spec, sizes, DType::kF64);
    ExpectNowhereIsZero(spec, sizes, DType::kF32);
  });
}

TEST_P(EveryScore, GreatScoresAreNumbers) {
  const TestSizes sizes{2, 9, 5};
  ForRows(FewOf(score()), sizes, [&](const AttentionSpec& spec) {
    ExpectGreatScoresAreNumbers(spec, sizes, DType::kF64);
    ExpectGreatScoresAreNumbers(spec, sizes, DType::kF32);
  });
}

TEST_P(EveryScore, TellsTheWeightsThatItUsed) {
  const TestSizes sizes{2, 9, 17};
  ForRows(FewOf(score()), sizes, [&](const AttentionSpec& spec) {
    ExpectWeightsAreObserved(spec, sizes, DType::kF64);
    ExpectWeightsAreObserved(spec, sizes, DType::kF32);
  });
}

/// Sequences of unequal lengths in a batch, one of them empty, give the results
/// of each sequence alone.
TEST_P(EveryScore, APaddedRowIsTheSameAlone) {
  const std::vector<int32_t> lengths{3, 0, 5};
  const TestSizes sizes{3, 4, 5};
  for (TestRow row : FewOf(score())) {
    row.mask = "";
    SCOPED_TRACE(testing::PrintToString(row));
    const AttentionSpec spec = SpecOf(row, sizes);
    for (const DType dtype : {DType::kF64, DType::kF32}) {
      const AttentionUnderTest test(spec, sizes, dtype);
      const Tensor together = test.ContextOf(Padding(Lengths(lengths)));
      for (int64_t b = 0; b < sizes.batch; ++b) {
        AttentionUnderTest alone(spec, sizes, dtype);
        const int64_t length = At(lengths, b);
        if (test.query.defined()) alone.query = RowOf(test.query, b);
        alone.keys = Positions(RowOf(test.keys, b), 0, length);
        alone.values = Positions(RowOf(test.values, b), 0, length);
        EXPECT_LT(MaxDifference(RowOf(together, b), alone.ContextOf()),
                  dtype == DType::kF64 ? 1e-13 : 1e-5)
            << "row " << b;
      }
    }
  }
}

/// Parts that depend on the positions of keys.
const std::set<std::string> kByPlace = {
    "location",     "location_aware", "interpolate",   "shift",
    "local_p",      "local_p_scores", "median_window", "relative_bias",
    "learned_bias", "rotary",         "alibi"};
/// Parts that depend only on the distance between query and key.
const std::set<std::string> kByDistance = {"relative_bias", "rotary", "alibi"};

TEST_P(EveryScore, APermutationOfKeysPermutesTheWeightsUnlessPlacesCount) {
  const TestSizes sizes{2, 4, 5};
  const auto reverse = [](const Tensor& x) {
    Tensor y(x.shape(), x.dtype());
    for (int64_t b = 0; b < x.dim(0); ++b) {
      for (int64_t s = 0; s < x.dim(1); ++s) {
        y[b][s].CopyFrom(x[b][x.dim(1) - 1 - s]);
      }
    }
    return y;
  };
  for (TestRow row : FewOf(score())) {
    row.mask = "";
    SCOPED_TRACE(testing::PrintToString(row));
    AttentionUnderTest test(SpecOf(row, sizes), sizes, DType::kF64);
    const Attended before = test.Attend({}, WantWeights::kValues);
    test.keys = reverse(test.keys);
    test.values = reverse(test.values);
    const Attended after = test.Attend({}, WantWeights::kValues);
    double moved = 0;
    const Tensor a = before.weights.value().Reshape(
        {before.weights.value().rows(), sizes.keys});
    const Tensor b = after.weights.value().Reshape(a.shape());
    for (int64_t r = 0; r < a.rows(); ++r) {
      for (int64_t s = 0; s < sizes.keys; ++s) {
        moved =
            std::max(moved, std::abs(kernels::At(a, r, s) -
                                     kernels::At(b, r, sizes.keys - 1 - s)));
      }
    }
    const bool by_place =
        kByPlace.count(row.score) + kByPlace.count(row.modifier) > 0;
    EXPECT_EQ(moved > 1e-13, by_place);
    EXPECT_EQ(
        MaxDifference(before.context.value(), after.context.value()) > 1e-13,
        by_place);
  }
}

/// Two packed sequences give the results of each alone, unless a part counts
/// from the start of the row or reads the previous query.
TEST_P(EveryScore, APackedSequenceIsTheSameAlone) {
  const TestSizes sizes{1, 9, 9};
  const std::vector<int64_t> borders{0, 4, 9};
  const Tensor documents = Ids({0, 0, 0, 0, 1, 1, 1, 1, 1}, {1, 9});
  const auto absolute = [](const std::string& part) {
    return kByPlace.count(part) > kByDistance.count(part);
  };
  for (TestRow row : FewOf(score())) {
    if (absolute(row.score) || absolute(row.modifier)) continue;
    for (const char* mask : {"", "causal"}) {
      row.mask = mask;
      SCOPED_TRACE(testing::PrintToString(row));
      const AttentionSpec spec = SpecOf(row, sizes);
      if (!TakesQuery(spec)) continue;
      for (const DType dtype : {DType::kF64, DType::kF32}) {
        const AttentionUnderTest test(spec, sizes, dtype);
        const Tensor packed = test.ContextOf(Documents(documents, documents));
        for (size_t i = 0; i + 1 < borders.size(); ++i) {
          const int64_t begin = borders[i];
          const int64_t end = borders[i + 1];
          AttentionUnderTest alone(spec, sizes, dtype);
          alone.query = Positions(test.query, begin, end);
          alone.keys = Positions(test.keys, begin, end);
          alone.values = Positions(test.values, begin, end);
          EXPECT_LT(
              MaxDifference(Positions(packed, begin, end), alone.ContextOf()),
              dtype == DType::kF64 ? 1e-13 : 1e-5);
        }
      }
    }
  }
}

TEST_P(EveryScore, WithACausalMaskLaterKeysChangeNothing) {
  const TestSizes sizes{2, 12, 12};
  for (TestRow row : FewOf(score())) {
    row.mask = "";
    SCOPED_TRACE(testing::PrintToString(row));
    ExpectCausal(SpecOf(row, sizes), sizes, DType::kF64);
    ExpectCausal(SpecOf(row, sizes), sizes, DType::kF32);
  }
}

TEST_P(EveryScore, NothingIsNothing) {
  for (const TestSizes& sizes :
       {TestSizes{0, 3, 5}, TestSizes{2, 0, 5}, TestSizes{2, 3, 0},
        TestSizes{2, 0, 0}, TestSizes{0, 0, 0}}) {
    for (TestRow row : FewOf(score())) {
      row.mask = row.modifier.size() % 2 == 0 ? "" : "padding && causal";
      SCOPED_TRACE(testing::PrintToString(row));
      const AttentionSpec spec = SpecOf(row, sizes);
      if (!TakesQuery(spec) && sizes.batch * sizes.keys > 0) continue;
      for (const DType dtype : {DType::kF64, DType::kF32}) {
        const AttentionUnderTest test(spec, sizes, dtype);
        for (const WantWeights want : {WantWeights::kNo, WantWeights::kValues,
                                       WantWeights::kDifferentiable}) {
          for (const auto& [name, tensor] : test.Run(want).tensors) {
            EXPECT_EQ(Largest(tensor), 0) << name;
          }
        }
        Memory memory = test.attention().Prepare({}, test.keys, test.values);
        const Attended step = test.attention().Attend(
            {}, test.AsQuery(), &memory, {.want = WantWeights::kValues});
        EXPECT_EQ(step.context.dim(1), TakesQuery(spec) ? sizes.queries : 1);
        EXPECT_EQ(step.weights.dim(3), sizes.keys);
      }
    }
  }
}

/// Sizes around the boundaries of vectors, tiles and blocks.
constexpr std::array<int64_t, 8> kOddSizes{1, 3, 15, 17, 63, 65, 127, 129};

class EverySize : public testing::TestWithParam<int64_t> {};
INSTANTIATE_TEST_SUITE_P(Queries, EverySize, testing::ValuesIn(kOddSizes),
                         [](const auto& info) {
                           return std::to_string(info.param);
                         });

TEST_P(EverySize, IsTheSameFusedAndComposed) {
  const std::vector<TestRow> rows{
      {"scaled_dot", "", "", "softmax"},
      {"dot", "relative_bias", "causal", "softmax"},
      {"general", "soft_cap", "window", "softmax"},
      {"cosine", "local_p", "padding", "softmax"},
      {"additive", "alibi", "prefix", "softmax"},
      {"graph", "strength", "adjacency", "softmax"}};
  for (const int64_t keys : kOddSizes) {
    const TestSizes sizes{2, GetParam(), keys};
    for (const TestRow& row : rows) {
      SCOPED_TRACE(testing::PrintToString(row) + ", " + std::to_string(keys) +
                   " keys");
      ExpectFusedIsComposed(SpecOf(row, sizes), sizes);
    }
  }
}

}  // namespace
}  // namespace heed
