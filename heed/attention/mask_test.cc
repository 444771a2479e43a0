#include "heed/attention/mask.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "heed/attention/testing.h"
#include "heed/base/at.h"

namespace heed {
namespace {

using kernels::MaskRule;
using kernels::Range;
using Extent = MaskRule::Extent;

constexpr MaskSizes kSizes{3, 23, 29};

/// Every mask by name, and combinations of them.
std::vector<std::string> Texts() {
  std::vector<std::string> texts = NamesOf(Masks());
  for (const char* text :
       {"window(4)", "window(0)", "local_m(2)", "prefix(9)", "padding(0)",
        "padding(1)", "adjacency(0)", "adjacency(29)", "documents(7)",
        "causal && !window(4)", "padding || causal", "!padding && !causal",
        "(documents(3) || prefix(2)) && !local_m(1)", "adjacency(9) && padding",
        "!adjacency(2) || strict_causal"}) {
    texts.push_back(text);
  }
  return texts;
}

Tensor Documents23() {
  Tensor documents({3, 23}, DType::kI32);
  for (int64_t i = 0; i < documents.numel(); ++i) {
    const int64_t t = i % 23;
    documents.data<int32_t>()[i] =
        static_cast<int32_t>(t > 18 ? -1 : t * (i / 23 + 1) / 9 * 2);
  }
  return documents;
}

void ExpectBlockAgreesWithRow(const Mask& mask) {
  Rng rng(5);
  const auto range = [&](int64_t size) {
    const auto end =
        static_cast<int64_t>(rng.Below(static_cast<uint64_t>(size))) + 1;
    return Range{static_cast<int64_t>(rng.Below(static_cast<uint64_t>(end))),
                 end};
  };
  for (int i = 0; i < 300; ++i) {
    const auto b = static_cast<int64_t>(rng.Below(kSizes.batch));
    const Range queries = range(kSizes.queries);
    const Range keys = range(kSizes.keys);
    int64_t count = 0;
    for (int64_t t = queries.begin; t < queries.end; ++t) {
      std::vector<uint8_t> may(static_cast<size_t>(keys.size()), 9);
      mask.rule()->Row(b, t, keys, may.data());
      for (int64_t s = keys.begin; s < keys.end; ++s) {
        const uint8_t one = At(may, s - keys.begin);
        ASSERT_LE(one, 1);
        ASSERT_EQ(one == 1, mask.May(b, t, s));
        count += one;
      }
    }
    const Extent extent = mask.rule()->Block(b, queries, keys);
    if (extent == Extent::kNone) {
      ASSERT_EQ(count, 0) << "queries " << queries.begin << " to "
                          << queries.end << ", keys " << keys.begin << " to "
                          << keys.end;
    }
    if (extent == Extent::kAll) {
      ASSERT_EQ(count, queries.size() * keys.size());
    }
  }
}

TEST(Mask, BlockAgreesWithRow) {
  for (const std::string& text : Texts()) {
    SCOPED_TRACE(text);
    ExpectBlockAgreesWithRow(ParseMask(text, kSizes));
  }
  ExpectBlockAgreesWithRow(Padding(Lengths({0, 29, 7})));
  ExpectBlockAgreesWithRow(Prefix(Lengths({0, 29, 7})));
  ExpectBlockAgreesWithRow(SlidingWindow(0, 5));
  ExpectBlockAgreesWithRow(SlidingWindow(std::numeric_limits<int64_t>::max(),
                                         std::numeric_limits<int64_t>::max()));
  ExpectBlockAgreesWithRow(!Mask());
  ExpectBlockAgreesWithRow(MaskOf(
      [](int64_t b, int64_t t, int64_t s) { return (b + t * s) % 3 == 0; }));
  const Tensor documents = Documents23();
  ExpectBlockAgreesWithRow(
      Documents(documents, Tensor::Full({3, 29}, 0, DType::kI32)));
}

/// Empty and full blocks are skipped only if Block recognises them.
TEST(Mask, EmptyAndFullBlocksAreKnown) {
  const auto block = [](const Mask& mask, Range queries, Range keys) {
    return mask.rule()->Block(0, queries, keys);
  };
  EXPECT_EQ(block(Causal(), {0, 8}, {8, 16}), Extent::kNone);
  EXPECT_EQ(block(Causal(), {7, 9}, {0, 8}), Extent::kAll);
  EXPECT_EQ(block(StrictCausal(), {0, 9}, {8, 16}), Extent::kNone);
  EXPECT_EQ(block(SlidingWindow(2, 2), {8, 16}, {0, 6}), Extent::kNone);
  EXPECT_EQ(block(SlidingWindow(8, 8), {8, 12}, {8, 12}), Extent::kAll);
  EXPECT_EQ(block(Padding(Lengths({5})), {0, 9}, {5, 9}), Extent::kNone);
  EXPECT_EQ(block(Padding(Lengths({5})), {0, 9}, {0, 5}), Extent::kAll);
  EXPECT_EQ(block(Prefix(Lengths({5})), {0, 4}, {0, 5}), Extent::kAll);
  EXPECT_EQ(block(Prefix(Lengths({5})), {0, 4}, {5, 9}), Extent::kNone);
  const Tensor documents = Ids({0, 0, 1, 1}, {1, 4});
  EXPECT_EQ(block(Documents(documents, documents), {0, 2}, {2, 4}),
            Extent::kNone);
  EXPECT_EQ(block(Documents(documents, documents), {2, 4}, {2, 4}),
            Extent::kAll);
  EXPECT_EQ(block(Causal() && SlidingWindow(2, 2), {8, 12}, {0, 6}),
            Extent::kNone);
  EXPECT_EQ(block(Causal() || Padding(Lengths({5})), {0, 4}, {0, 5}),
            Extent::kAll);
  EXPECT_EQ(block(!Causal(), {7, 9}, {0, 8}), Extent::kNone);
}

TEST(Mask, EachDoesWhatItsFormulaSays) {
  const Tensor lengths = Lengths({4, 0, 29});
  const std::vector<int32_t> n = lengths.ToVector<int32_t>();
  const auto agree = [](const Mask& mask, auto formula) {
    for (int64_t b = 0; b < kSizes.batch; ++b) {
      for (int64_t t = 0; t < kSizes.queries; ++t) {
        for (int64_t s = 0; s < kSizes.keys; ++s) {
          ASSERT_EQ(mask.May(b, t, s), formula(b, t, s))
              << b << ", " << t << ", " << s;
        }
      }
    }
  };
  const auto length = [&](int64_t b) { return At(n, b); };
  agree(Mask(), [](auto, auto, auto) { return true; });
  agree(!Mask(), [](auto, auto, auto) { return false; });
  agree(Causal(), [](auto, auto t, auto s) { return s <= t; });
  agree(StrictCausal(), [](auto, auto t, auto s) { return s < t; });
  agree(Padding(lengths), [&](auto b, auto, auto s) { return s < length(b); });
  agree(Prefix(lengths),
        [&](auto b, auto t, auto s) { return s <= t || s < length(b); });
  agree(SlidingWindow(2, 3),
        [](auto, auto t, auto s) { return t - 2 <= s && s <= t + 3; });
  agree(ParseMask("window(5)", kSizes),
        [](auto, auto t, auto s) { return std::abs(s - t) <= 2; });
  agree(ParseMask("local_m(5)", kSizes),
        [](auto, auto t, auto s) { return std::abs(s - t) <= 5; });
  const Tensor documents = Documents23();
  Tensor of_keys = Tensor::Full({3, 29}, -1, DType::kI32);
  for (int64_t b = 0; b < 3; ++b) {
    of_keys[b].Slice(0, 23).CopyFrom(documents[b]);
  }
  agree(Documents(documents, of_keys), [&](auto b, auto t, auto s) {
    const int32_t own = documents.row<int32_t>(b)[t];
    return own >= 0 && own == of_keys.row<int32_t>(b)[s];
  });
  const Tensor offsets = Ids({0, 2, 2, 3}, {4});
  const Tensor keys = Ids({1, 4, 0}, {3});
  const Mask graph = Adjacency(kernels::MakeNeighbourhood(offsets, keys, 5));
  for (int64_t t = 0; t < 3; ++t) {
    for (int64_t s = 0; s < 5; ++s) {
      EXPECT_EQ(graph.May(0, t, s),
                (t == 0 && (s == 1 || s == 4)) || (t == 2 && s == 0));
    }
  }
}

TEST(Mask, CombinationsFollowTheTruthTable) {
  const auto even = [](int64_t, int64_t t, int64_t) { return t % 2 == 0; };
  const auto low = [](int64_t, int64_t, int64_t s) { return s < 3; };
  const Mask a = MaskOf(even);
  const Mask b = MaskOf(low);
  const Mask all;
  for (int64_t t = 0; t < 4; ++t) {
    for (int64_t s = 0; s < 6; ++s) {
      const bool x = even(0, t, s);
      const bool y = low(0, t, s);
      EXPECT_EQ((a && b).May(0, t, s), x && y);
      EXPECT_EQ((a || b).May(0, t, s), x || y);
      EXPECT_EQ((!a).May(0, t, s), !x);
      EXPECT_EQ((!(a && !b) || (b && !a)).May(0, t, s),
                !(x && !y) || (y && !x));
      EXPECT_EQ((a && all).May(0, t, s), x);
      EXPECT_EQ((all && a).May(0, t, s), x);
      EXPECT_TRUE((a || all).May(0, t, s));
      EXPECT_TRUE((all || a).May(0, t, s));
      EXPECT_EQ((a || !all).May(0, t, s), x);
      EXPECT_FALSE((a && !all).May(0, t, s));
    }
  }
}

TEST(Mask, LongRowsAreCombinedWhole) {
  const Mask mask =
      SlidingWindow(300, 300) &&
      MaskOf([](int64_t, int64_t, int64_t s) { return s % 3 != 0; });
  std::vector<uint8_t> may(1000);
  mask.rule()->Row(0, 400, {0, 1000}, may.data());
  for (size_t s = 0; s < may.size(); ++s) {
    EXPECT_EQ(may[s], s >= 100 && s <= 700 && s % 3 != 0 ? 1 : 0) << s;
  }
}

TEST(Mask, TextsWithSignsMeanWhatTheySay) {
  const auto same = [](const std::string& text, const Mask& mask) {
    const Mask parsed = ParseMask(text, kSizes);
    for (int64_t t = 0; t < kSizes.queries; ++t) {
      for (int64_t s = 0; s < kSizes.keys; ++s) {
        ASSERT_EQ(parsed.May(1, t, s), mask.May(1, t, s)) << text;
      }
    }
  };
  const Mask causal = Causal();
  const Mask local = SlidingWindow(2, 2);
  const Mask prefix = Prefix(Lengths({4, 4, 4}));
  same("", Mask());
  same("none", Mask());
  same("  causal  ", causal);
  same("causal&&!window(4)", causal && !local);
  same("!!causal", causal);
  same("causal || window( 4 ) && prefix", causal || (local && prefix));
  same("(causal || window(4)) && prefix", (causal || local) && prefix);
  same("!(causal || window(4))", !(causal || local));
}

TEST(Mask, BadTextsAreRefused) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> texts = {
      {"casual", {"mask", "'casual'", "causal", "window"}},
      {"causal &&", {"causal &&"}},
      {"&& causal", {"&& causal"}},
      {"causal & window", {"& window"}},
      {"causal window", {"causal window"}},
      {"(causal", {"(causal"}},
      {"causal)", {"causal)"}},
      {"!", {"'!'"}},
      {"()", {"()"}},
      {"window(", {"window("}},
      {"window(4", {"window(4"}},
      {"window(x)", {"'x'", "window(x)"}},
      {"window(nan)", {"nan"}},
      {"window(4,)", {"window(4,)"}},
      {"window(-1)", {"window", "width", "-1"}},
      {"local_m(-1)", {"local_m", "D", "-1"}},
      {"window(1, 2)", {"window", "takes 1", "2"}},
      {"causal(1)", {"causal", "takes 0", "1"}},
      {"none(1)", {"none"}},
      {"padding(2)", {"padding", "part", "2"}},
      {"Causal", {"Causal"}},
  };
  for (const auto& bad : texts) {
    SCOPED_TRACE(bad.first);
    ExpectConfigError([&] { ParseMask(bad.first, kSizes); }, bad.second);
  }
}

TEST(Mask, AnEndlessTextIsRefused) {
  for (const char* sign : {"(", "!"}) {
    std::string text;
    for (int i = 0; i < 200000; ++i) text += sign;
    EXPECT_THROW(ParseMask(text + "causal", kSizes), ConfigError);
  }
}

TEST(Mask, WithoutSizesMasksThatNeedDataAreRefused) {
  for (const MaskInfo& info : Masks()) {
    SCOPED_TRACE(info.name);
    if (info.needs_data) {
      ExpectConfigError([&] { ParseMask(info.name, {}); }, {info.name, "data"});
    } else {
      EXPECT_FALSE(ParseMask(info.name, {}).all());
    }
  }
}

TEST(Mask, WindowsBelowZeroAreRefused) {
  ExpectConfigError([] { SlidingWindow(-1, 2); }, {"window", "-1", "2"});
  ExpectConfigError([] { SlidingWindow(3, -4); }, {"window", "3", "-4"});
}

TEST(Mask, DataOfAnotherKindIsRefused) {
  ExpectShapeError([] { Padding(Tensor()); }, {"padding", "i32"});
  ExpectShapeError([] { Padding(Tensor::Zeros({3})); }, {"padding", "f32"});
  ExpectShapeError(
      [] {
        Prefix(Lengths({1, 2}).Reshape({1, 2}));
      },
      {"prefix", "[1, 2]"});
  const Tensor documents = Ids({0, 0, 1}, {1, 3});
  ExpectShapeError(
      [&] {
        Documents(documents, Lengths({0, 0, 1}));
      },
      {"document", "[3]"});
  ExpectShapeError(
      [&] {
        Documents(documents, Ids({0, 1}, {2, 1}));
      },
      {"document", "[1, 3]", "[2, 1]"});
  ExpectShapeError(
      [&] {
        Documents(Ids({0, 2, 1}, {1, 3}), documents);
      },
      {"document", "queries", "from 2 to 1"});
  ExpectShapeError(
      [&] {
        Documents(documents, Ids({0, -1, 1}, {1, 3}));
      },
      {"document", "keys", "from -1 to 1"});
  for (const std::vector<int32_t>& keys :
       {std::vector<int32_t>{4, 1}, {1, 1}, {1, 5}, {-1, 1}}) {
    kernels::Neighbourhood graph;
    graph.queries = 1;
    graph.key_count = 5;
    graph.offsets = Ids({0, 2}, {2});
    graph.keys = Ids(keys, {2});
    ExpectShapeError([&] { Adjacency(graph); }, {"adjacency", "query 0", "4"});
  }
}

TEST(Mask, AMaskOfAnotherSizeIsNamed) {
  const Mask padding = Padding(Lengths({1, 2}));
  EXPECT_NO_THROW(padding.Check("here", 2, 9, 9));
  ExpectShapeError([&] { padding.Check("here", 3, 9, 9); }, {"here", "2", "3"});
  ExpectShapeError([&] { padding.Check("here", 2, 9, 1); },
                   {"here", "row 1", "2", "1"});
  ExpectShapeError([] { Padding(Lengths({-1})).Check("here", 1, 9, 9); },
                   {"here", "-1"});
  const Mask ring = ParseMask("adjacency(2)", {-1 + 2, 4, 5});
  EXPECT_NO_THROW(ring.Check("here", 7, 4, 5));
  ExpectShapeError([&] { ring.Check("here", 7, 3, 5); },
                   {"here", "4", "queries", "3"});
  ExpectShapeError([&] { ring.Check("here", 7, 4, 6); },
                   {"here", "5", "keys", "6"});
  EXPECT_NO_THROW(ring.Check("here", 7, 3, 5, false));
  ExpectShapeError([&] { ring.Check("here", 7, 5, 5, false); },
                   {"here", "4", "5"});
  for (const Mask& both :
       {padding && ring, padding || ring, !(padding && ring)}) {
    ExpectShapeError([&] { both.Check("here", 3, 4, 5); }, {"2", "3"});
    ExpectShapeError([&] { both.Check("here", 2, 5, 5); }, {"4", "5"});
  }
  ExpectShapeError([&] { (void)(padding && Padding(Lengths({1}))); },
                   {"2", "1", "rows"});
  ExpectShapeError([&] { (void)(padding || Padding(Lengths({1}))); },
                   {"2", "1", "rows"});
}

TEST(Mask, OnlyTheCausalOneIsCausal) {
  EXPECT_TRUE(Causal().causal());
  EXPECT_TRUE((Causal() && Mask()).causal());
  for (const Mask& mask :
       {Mask(), StrictCausal(), !Causal(), Causal() && Padding(Lengths({2})),
        Causal() || SlidingWindow(1, 1)}) {
    EXPECT_FALSE(mask.causal());
  }
}

TEST(Mask, RealKeysAreKnownWhereAllMustBeReal) {
  const Tensor lengths = Lengths({3, 1});
  EXPECT_EQ((Causal() && Padding(lengths)).lengths().ToVector<int32_t>(),
            (std::vector<int32_t>{3, 1}));
  EXPECT_EQ((Padding(lengths) && Padding(Lengths({2, 2})))
                .lengths()
                .ToVector<int32_t>(),
            (std::vector<int32_t>{2, 1}));
  EXPECT_FALSE((Causal() || Padding(lengths)).lengths().defined());
  EXPECT_FALSE((!Padding(lengths)).lengths().defined());
}

TEST(Mask, KeepsTheBandOfWindows) {
  const auto expect = [](const Mask& mask, int64_t before, int64_t after) {
    ASSERT_TRUE(mask.band().has_value());
    EXPECT_EQ(mask.band()->before, before);
    EXPECT_EQ(mask.band()->after, after);
  };
  expect(Causal(), Band::kAll, 0);
  expect(Mask() && Causal(), Band::kAll, 0);
  expect(SlidingWindow(3, 2) && Causal(), 3, 0);
  expect(Causal() && SlidingWindow(3, 2) && SlidingWindow(1, 9), 1, 0);
  EXPECT_TRUE((SlidingWindow(3, 2) && Causal()).causal());
  EXPECT_FALSE(SlidingWindow(3, 2).causal());
  EXPECT_FALSE((Causal() && Padding(Lengths({2}))).causal());
  EXPECT_FALSE((Causal() || SlidingWindow(1, 1)).causal());
  EXPECT_FALSE((!Causal()).causal());
  EXPECT_FALSE(StrictCausal().causal());
}

}  // namespace
}  // namespace heed
