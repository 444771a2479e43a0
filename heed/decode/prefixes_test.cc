#include "heed/decode/prefixes.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

using Ids = std::vector<int32_t>;
using Row = std::vector<float>;

TEST(Prefixes, BranchesShareTheirBeginning) {
  Prefixes prefixes;
  const int32_t a = prefixes.Extend(Prefixes::kRoot, 7, -1, Row{1, 0});
  const int32_t b = prefixes.Extend(a, 8, -2, Row{0, 1});
  const int32_t c = prefixes.Extend(a, 9, -3, Row{0.5, 0.5});
  EXPECT_EQ(prefixes.Tokens(Prefixes::kRoot), Ids{});
  EXPECT_EQ(prefixes.Tokens(b), (Ids{7, 8}));
  EXPECT_EQ(prefixes.Tokens(c), (Ids{7, 9}));
  EXPECT_EQ(prefixes.LogProbabilities(c), (Row{-1, -3}));
  EXPECT_EQ(prefixes.Attention(c), (Row{1, 0, 0.5, 0.5}));
}

TEST(Prefixes, ReleaseGivesBackWhatNoOneElseNeeds) {
  Prefixes prefixes;
  const int32_t a = prefixes.Extend(Prefixes::kRoot, 7, -1, Row{1});
  const int32_t b = prefixes.Extend(a, 8, -2, Row{2});
  const int32_t c = prefixes.Extend(a, 9, -3, Row{3});
  prefixes.Release(a);
  prefixes.Release(b);
  EXPECT_EQ(prefixes.Attention(b), Row{1});  // attention of a, shared with c
  EXPECT_EQ(prefixes.Attention(c), (Row{1, 3}));
  prefixes.Release(c);
  EXPECT_EQ(prefixes.Attention(c), Row{});
}

}  // namespace
}  // namespace heed
