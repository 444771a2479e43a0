// Tests of parts by name, and of configurations that an attention rejects.
#include "heed/attention/part.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "heed/attention/catalogue.h"
#include "heed/attention/testing.h"

namespace heed {
namespace {

template <class Info>
void ExpectReported(const std::vector<Info>& infos) {
  std::set<std::string> names;
  for (const Info& info : infos) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name << " twice";
    EXPECT_FALSE(info.formula.empty()) << info.name;
    EXPECT_NE(info.source.find_first_of("0123456789"), std::string::npos)
        << info.name << " has no year";
    for (const PartArgument& argument : info.arguments) {
      EXPECT_FALSE(argument.name.empty()) << info.name;
      EXPECT_LE(argument.minimum, argument.initial) << info.name;
      EXPECT_LE(argument.initial, argument.maximum) << info.name;
    }
  }
}

TEST(Registry, PartsHaveDistinctNamesFormulasAndSources) {
  ExpectReported(Scores());
  ExpectReported(Modifiers());
  ExpectReported(Masks());
  ExpectReported(Normalizers());
}

TEST(Registry, TheCatalogueHasAllParts) {
  std::vector<std::string> expected;
  for (const auto& names : {NamesOf(Scores()), NamesOf(Modifiers()),
                            NamesOf(Masks()), NamesOf(Normalizers())}) {
    expected.insert(expected.end(), names.begin(), names.end());
  }
  std::vector<std::string> names;
  for (const CataloguePart& part : AttentionCatalogue()) {
    names.push_back(part.name);
    EXPECT_EQ(part.usage.rfind(part.name, 0), 0U) << part.usage;
  }
  EXPECT_EQ(names, expected);
}

TEST(Registry, TheCatalogueSaysWhatRunsFused) {
  for (const CataloguePart& part : AttentionCatalogue()) {
    AttentionSpec spec = TestSpec();
    if (part.kind == "score") spec.score = ChooseScore(part.name);
    if (part.kind == "score") spec.query = 2 * spec.key;
    if (part.kind == "modifier") spec.modifiers = ChooseModifiers(part.name);
    if (part.kind == "normalizer") {
      spec.normalizer = ChooseNormalizer(part.name);
    }
    ParameterSet set(1, DType::kF32, kernels::Precision::kNative);
    const Attention attention(Scope(set, "attention"), spec);
    EXPECT_EQ(attention.fused(), part.runs != "composed")
        << part.name << ": " << part.runs;
  }
}

TEST(PartText, IsANameAndNumbers) {
  const auto parse = [](const std::string& text, const std::string& name,
                        const std::vector<double>& arguments) {
    const PartText part = ParsePart(text);
    EXPECT_EQ(part.name, name) << text;
    EXPECT_EQ(part.arguments, arguments) << text;
  };
  parse("dot", "dot", {});
  parse("  dot ", "dot", {});
  parse("window(16)", "window", {16});
  parse(" window ( 16 ) ", "window", {16});
  parse("relative_bias(3, 1e2)", "relative_bias", {3, 100});
  parse("temperature(0.5)", "temperature", {0.5});
  parse("window()", "window", {});
}

TEST(PartText, BadOnesAreQuoted) {
  for (const char* text :
       {"", "  ", "(3)", "window(3", "window(3) x", "window(x)", "window(1,,2)",
        "window(1,)", "window(,)", "window(inf)", "window(nan)", "window(0x10)",
        "window(1e999)", "window(3))"}) {
    SCOPED_TRACE(text);
    ExpectConfigError([&] { ParsePart(text); }, {std::string(text)});
  }
}

TEST(PartText, UnknownNamesListTheKnownOnes) {
  const auto expect = [](const char* kind, auto choose,
                         std::vector<std::string> names) {
    names.insert(names.begin(), {kind, "'bilinear'"});
    ExpectConfigError([&] { choose("bilinear"); }, names);
  };
  expect("score", ChooseScore, NamesOf(Scores()));
  expect("modifier", ChooseModifier, NamesOf(Modifiers()));
  expect("modifier", ChooseModifiers, NamesOf(Modifiers()));
  expect("normalizer", ChooseNormalizer, NamesOf(Normalizers()));
  expect(
      "mask", [](const char* text) { return ParseMask(text, {}); },
      NamesOf(Masks()));
}

TEST(PartText, NumbersOutOfRangeAreRefused) {
  ExpectConfigError([] { ChooseModifier("soft_cap(0)"); },
                    {"modifier", "'soft_cap'", "c", "0"});
  ExpectConfigError([] { ChooseModifier("temperature(-1)"); },
                    {"temperature", "-1"});
  ExpectConfigError([] { ChooseModifier("relative_bias(16, 1)"); },
                    {"relative_bias", "farthest", "1"});
  ExpectConfigError([] { ChooseModifier("shift(1, 2)"); },
                    {"shift", "takes 1", "2"});
  ExpectConfigError([] { ChooseNormalizer("top_k(0)"); }, {"top_k", "k", "0"});
  ExpectConfigError([] { ChooseNormalizer("gumbel(0)"); }, {"gumbel", "0"});
  ExpectConfigError([] { ChooseScore("graph(2)"); }, {"graph", "slope", "2"});
  ExpectConfigError([] { ChooseScore("dot(1)"); }, {"dot", "takes 0"});
  ExpectConfigError([] { ChooseModifiers("alibi; soft_cap(0)"); },
                    {"soft_cap"});
  ExpectConfigError([] { ChooseModifiers("alibi;"); }, {"''"});
}

TEST(PartText, SeveralModifiersAreAList) {
  EXPECT_TRUE(ChooseModifiers("").empty());
  EXPECT_TRUE(ChooseModifiers("none").empty());
  const auto two = ChooseModifiers(" alibi ; soft_cap(30) ");
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(two[0].info.name, "alibi");
  EXPECT_EQ(two[1].arguments, std::vector<double>{30});
}

/// Makes an attention named layer.attention.
void Make(const AttentionSpec& spec, DType dtype = DType::kF32) {
  ParameterSet set(1, dtype, kernels::Precision::kNative);
  const Attention attention(Scope(set, "layer.attention"), spec);
}

TEST(BadAttention, HeadsThatDoNotDivide) {
  const auto expect = [](auto change, std::vector<std::string> parts) {
    AttentionSpec spec = TestSpec("additive");
    spec.heads = spec.key_heads = 2;
    spec.query = spec.key = spec.value = 8;
    change(spec);
    parts.insert(parts.begin(), "layer.attention");
    ExpectConfigError([&] { Make(spec); }, parts);
  };
  expect([](auto& n) { n.heads = 3; }, {"3 heads", "2 key heads"});
  expect([](auto& n) { n.key_heads = 4; }, {"2 heads", "4 key heads"});
  expect([](auto& n) { n.heads = n.key_heads = 0; }, {"0 heads"});
  expect([](auto& n) { n.heads = n.key_heads = -2; }, {"-2 heads"});
  expect([](auto& n) { n.query = 9; }, {"9 features", "query", "2 heads"});
  expect([](auto& n) { n.key = 9; }, {"9 features", "key", "2 heads"});
  expect([](auto& n) { n.value = 9; }, {"9 features", "value", "2 heads"});
  expect([](auto& n) { n.query = 0; }, {"0 features", "query"});
  expect([](auto& n) { n.query = -4; }, {"-4 features", "query"});
  expect([](auto& n) { n.units = 0; }, {"query.weight", "[8, 0]"});
  expect([](auto& n) { n.units = -1; }, {"-1 units"});
  expect([](auto& n) { n.dropout = 1; }, {"dropout", "1"});
  expect([](auto& n) { n.dropout = -0.5; }, {"dropout", "-0.5"});
}

TEST(BadAttention, AScoreThatNeedsEqualSizes) {
  for (const ScoreInfo& info : Scores()) {
    AttentionSpec spec = TestSpec(info.name);
    spec.key = 10;
    if (info.equal_sizes) {
      ExpectConfigError([&] { Make(spec); },
                        {"layer.attention", info.name, "4", "10"});
    } else {
      EXPECT_NO_THROW(Make(spec));
    }
  }
}

TEST(BadAttention, LocationWithoutPositionsAndMlpWithoutLayers) {
  AttentionSpec spec = TestSpec("location");
  spec.positions = 0;
  ExpectConfigError([&] { Make(spec); },
                    {"layer.attention.position.weight", "[4, 0]"});
  spec = TestSpec("mlp");
  spec.layers = 0;
  ExpectConfigError([&] { Make(spec); }, {"layer.attention", "layers"});
}

TEST(BadAttention, AModifierThatDoesNotFitTheScore) {
  for (const char* modifier : {"strength", "local_p", "interpolate", "shift"}) {
    ExpectConfigError([&] { Make(TestSpec("learned_query", modifier)); },
                      {"layer.attention", modifier, "learned_query"});
  }
  for (const char* score : {"additive", "mlp", "location", "graph"}) {
    ExpectConfigError([&] { Make(TestSpec(score, "rotary")); },
                      {"layer.attention", "rotary", score});
  }
}

/// Attention in f32 that is given invalid inputs.
class BadInput : public testing::Test {
 protected:
  void Attend(const Tensor& query, const Tensor& keys, const Tensor& values) {
    const Memory memory = attention().Prepare({}, keys, values);
    attention().Attend({}, query, memory);
  }
  const Attention& attention() const { return test_.attention(); }
  Tensor Of(const Shape& shape, DType dtype = DType::kF32) const {
    return RandomTensor(shape, 1, dtype);
  }
  void Expect(const std::vector<std::string>& parts, const Tensor& query,
              const Tensor& keys, const Tensor& values) {
    std::vector<std::string> all{"layer.attention"};
    all.insert(all.end(), parts.begin(), parts.end());
    ExpectShapeError([&] { Attend(query, keys, values); }, all);
  }

  AttentionUnderTest test_{TestSpec("general"), {}, DType::kF32};
  Tensor q_ = Of({2, 4, 8});
  Tensor k_ = Of({2, 5, 6});
  Tensor v_ = Of({2, 5, 3});
};

TEST_F(BadInput, GoodOnesPass) { EXPECT_NO_THROW(Attend(q_, k_, v_)); }

TEST_F(BadInput, ShapesThatDoNotFit) {
  Expect({"[2, 4, 7]", "[2, 5, 3]", "8"}, Of({2, 4, 7}), k_, v_);
  Expect({"[3, 4, 8]", "[2, 5, 3]"}, Of({3, 4, 8}), k_, v_);
  Expect({"[2, 8]", "[2, 5, 3]"}, Of({2, 8}), k_, v_);
  Expect({"[2, 5, 7]", "[2, 5, 3]", "6"}, q_, Of({2, 5, 7}), v_);
  Expect({"[2, 5, 6]", "[2, 5, 4]", "3"}, q_, k_, Of({2, 5, 4}));
  Expect({"[2, 5, 6]", "[2, 4, 3]"}, q_, k_, Of({2, 4, 3}));
  Expect({"[2, 5, 6]", "[1, 5, 3]"}, q_, k_, Of({1, 5, 3}));
  Expect({"[5, 6]", "[2, 5, 3]"}, q_, Of({5, 6}), v_);
}

TEST_F(BadInput, UndefinedTensors) {
  Expect({"no queries"}, Tensor(), k_, v_);
  Expect({}, q_, Tensor(), v_);
  Expect({}, q_, k_, Tensor());
}

TEST_F(BadInput, MixedTypes) {
  Expect({"f64", "f32"}, q_, k_, Of({2, 5, 3}, DType::kF64));
  Expect({"f64", "f32"}, q_, Of({2, 5, 6}, DType::kF64), v_);
  Expect({"f64", "f32"}, Of({2, 4, 8}, DType::kF64), k_, v_);
  Expect({"bf16"}, q_, k_.To(DType::kBF16), v_.To(DType::kBF16));
  Expect({"i32"}, q_, k_.To(DType::kI32), v_.To(DType::kI32));
  Expect({"f64", "f32"}, q_.To(DType::kF64), k_.To(DType::kF64),
         v_.To(DType::kF64));
}

TEST_F(BadInput, AMaskOfAnotherSize) {
  const auto attend = [&](const Mask& mask) {
    attention().Attend({}, q_, attention().Prepare({}, k_, v_, mask));
  };
  EXPECT_NO_THROW(attend(Padding(Lengths({5, 0}))));
  ExpectShapeError(
      [&] {
        attend(Padding(Lengths({5, 0, 3})));
      },
      {"layer.attention", "3", "2"});
  ExpectShapeError(
      [&] {
        attend(Padding(Lengths({5, 6})));
      },
      {"layer.attention", "row 1", "6", "5"});
  ExpectShapeError(
      [&] {
        attend(ParseMask("documents", {2, 4, 6}));
      },
      {"layer.attention", "6 keys", "5"});
  ExpectShapeError(
      [&] {
        attend(ParseMask("adjacency", {2, 3, 5}));
      },
      {"layer.attention", "3 queries", "4"});
  Memory memory =
      attention().Prepare({}, k_, v_, ParseMask("adjacency", {2, 3, 5}));
  ExpectShapeError(
      [&] {
        attention().Attend({}, Of({2, 4, 8}), memory, {.prepared = true});
      },
      {"layer.attention", "3 queries", "4"});
  EXPECT_NO_THROW(attention().Attend({}, Of({2, 3, 8}), &memory));
  ExpectShapeError(
      [&] {
        attention().Attend({}, Of({2, 1, 8}), &memory);
      },
      {"layer.attention", "3 queries", "4"});
}

TEST_F(BadInput, PreparedQueriesThatDoNotFit) {
  const Memory memory = attention().Prepare({}, k_, v_);
  for (const Tensor& query :
       {Of({2, 4, 7}), Of({3, 4, 8}), Of({4, 8}), Of({2, 4, 8}, DType::kF64)}) {
    ExpectShapeError(
        [&] { attention().Attend({}, query, memory, {.prepared = true}); },
        {"layer.attention", query.shape().ToString(), "[2, 5, 3]"});
  }
  for (const char* modifier : {"strength", "median_window"}) {
    const AttentionUnderTest own(TestSpec("general", modifier), {},
                                 DType::kF32);
    ExpectConfigError(
        [&] { own.attention().Attend({}, q_, memory, {.prepared = true}); },
        {"layer.attention"});
  }
  const AttentionUnderTest aware(TestSpec("location_aware"), {}, DType::kF32);
  ExpectConfigError(
      [&] {
        aware.attention().Attend({}, Of({2, 4, 12}),
                                 aware.attention().Prepare({}, k_, v_),
                                 {.prepared = true});
      },
      {"layer.attention"});
}

TEST_F(BadInput, KeysThatDoNotFitAGrowingMemory) {
  const Memory memory = attention().Extend({}, {}, k_, v_);
  const auto extend = [&](const Tensor& keys, const Tensor& values) {
    attention().Extend({}, memory, keys, values);
  };
  EXPECT_NO_THROW(extend(k_, v_));
  ExpectShapeError(
      [&] {
        extend(Of({2, 5, 7}), v_);
      },
      {"layer.attention", "[2, 5, 7]", "6"});
  ExpectShapeError(
      [&] {
        extend(k_, Of({2, 4, 3}));
      },
      {"layer.attention", "[2, 5, 6]", "[2, 4, 3]"});
  ExpectShapeError(
      [&] {
        extend(k_, Of({2, 5, 4}));
      },
      {"layer.attention", "[2, 5, 4]", "3"});
  ExpectShapeError(
      [&] {
        extend(Of({1, 5, 6}), Of({1, 5, 3}));
      },
      {"layer.attention", "[1, 5, 6]", "[2, 5, 3]"});
}

TEST(BadValues, WholeInfiniteRowsAreRefusedByProjections) {
  for (const char* normalizer : {"entmax15", "sparsemax"}) {
    AttentionUnderTest test(TestSpec("dot", "", normalizer), {}, DType::kF64);
    test.query.Fill(1);
    test.keys.Fill(std::numeric_limits<double>::infinity());
    try {
      test.ContextOf();
      ADD_FAILURE() << normalizer;
    } catch (const NumericError& error) {
      for (const std::string part : {"layer.attention", "+infinity"}) {
        EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
            << error.what();
      }
    }
  }
}

TEST(BadValues, RotaryNeedsPairsOfFeatures) {
  AttentionSpec spec = TestSpec("dot", "rotary");
  spec.query = 2 * 3;
  spec.key = 3;
  const AttentionUnderTest test(spec, {}, DType::kF32);
  ExpectShapeError([&] { test.ContextOf(); },
                   {"layer.attention", "rotary", "3"});
}

TEST(BadValues, ALearnedBiasThatIsTooShort) {
  const AttentionSpec spec = TestSpec("dot", "learned_bias(4)");
  const AttentionUnderTest keys(spec, {2, 4, 5}, DType::kF32);
  ExpectShapeError([&] { keys.ContextOf(); },
                   {"layer.attention", "4 positions", "5 keys"});
  EXPECT_NO_THROW(keys.ContextOf(Padding(Lengths({4, 1}))));
  const AttentionUnderTest queries(spec, {2, 5, 4}, DType::kF32);
  ExpectShapeError([&] { queries.ContextOf(); },
                   {"layer.attention", "4 positions", "5 queries"});
}

}  // namespace
}  // namespace heed
