#include "heed/serve/kept_maps.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "heed/explain/observed_attention.h"
#include "heed/kernels/attention_factors.h"
#include "heed/kernels/testing.h"
#include "heed/serve/http.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
using Clock = KeptMaps::Clock;

constexpr int64_t kLength = 1100;

/// An explanation with a small and a large map.
Explanation WithLargeMap() {
  kernels::AttentionArgs args;
  args.q = kernels::Random({1, kLength, 2}, DType::kF32, 1);
  args.k = kernels::Random({1, kLength, 2}, DType::kF32, 2);
  args.v = args.k;
  const Tensor log_sum = kernels::FusedAttention(args).log_sum;
  AttentionMap large = {.name = "large",
                        .title = "Large",
                        .heads = 1,
                        .query_size = kLength,
                        .key_size = kLength};
  large.factors =
      std::make_shared<kernels::AttentionFactors>(args, log_sum, nullptr);
  const AttentionMap small = {.name = "small",
                              .title = "Small",
                              .heads = 1,
                              .query_size = 1,
                              .key_size = 1,
                              .weights = {1}};
  Explanation e;
  e.segments.emplace_back();
  e.segments[0].maps = {small, large};
  return e;
}

TileCall Call(const std::string& id) {
  return {.id = id, .map = 1, .head = 0, .rows = {3, 5}, .columns = {7, 10}};
}

/// Status of the HttpError that `body` throws; 0: none.
template <class Body>
int StatusOf(const Body& body) {
  try {
    body();
  } catch (const HttpError& error) {
    EXPECT_FALSE(std::string(error.what()).empty());
    return error.status();
  }
  return 0;
}

TEST(KeptMaps, GiveTilesToTheirClientForSomeTime) {
  KeptMaps kept(1 << 20);
  const Explanation e = WithLargeMap();
  const Clock::time_point now = Clock::now();
  const std::string id = kept.Keep("me", e, now);
  ASSERT_EQ(id.size(), 32U);
  EXPECT_GT(kept.bytes(), 0);
  const auto status = [&](const char* client, Clock::time_point at) {
    return StatusOf([&] { kept.Find(client, Call(id), at); });
  };
  EXPECT_EQ(status("me", now + KeptMaps::kTime / 2), 0);
  EXPECT_EQ(status("other", now), 404);
  EXPECT_EQ(status("me", now + KeptMaps::kTime), 404);
  EXPECT_EQ(kept.bytes(), 0);
}

TEST(KeptMaps, HaveTheWeightsOfTheMap) {
  KeptMaps kept(1 << 20);
  const Explanation e = WithLargeMap();
  const TileCall call = Call(kept.Keep("me", e));
  const Json json = TileJson(kept.Find("me", call), call);
  const std::vector<float> expected =
      e.segments[0].maps[1].Tile(0, {3, 5}, {7, 10});
  ASSERT_EQ(json["weights"].size(), 2U);
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(json["weights"][i / 3][i % 3].get<double>(), expected[i], 1e-6);
  }
  EXPECT_EQ(json["rows"], Json({3, 5}));
}

TEST(KeptMaps, StayWithinTheirMemory) {
  const Explanation e = WithLargeMap();
  KeptMaps measure(1 << 30);
  measure.Keep("me", e);
  const int64_t one = measure.bytes();
  KeptMaps none(one - 1);
  EXPECT_EQ(none.Keep("me", e), "");
  KeptMaps two(2 * one);
  const std::string first = two.Keep("a", e);
  const std::string second = two.Keep("b", e);
  const std::string third = two.Keep("c", e);
  EXPECT_EQ(two.bytes(), 2 * one);
  EXPECT_EQ(StatusOf([&] { two.Find("a", Call(first)); }), 404);
  EXPECT_EQ(StatusOf([&] { two.Find("b", Call(second)); }), 0);
  EXPECT_EQ(StatusOf([&] { two.Find("c", Call(third)); }), 0);
  Explanation small = e;
  small.segments[0].maps.pop_back();
  EXPECT_EQ(two.Keep("a", small), "");
}

TEST(KeptMaps, RefuseWhatAMapDoesNotHave) {
  KeptMaps kept(1 << 20);
  const std::string id = kept.Keep("me", WithLargeMap());
  const auto status = [&](auto change) {
    TileCall call = Call(id);
    change(call);
    return StatusOf([&] { kept.Find("me", call); });
  };
  EXPECT_EQ(status([](TileCall& c) { c.head = -1; }), 0);
  EXPECT_EQ(status([](TileCall& c) { c.head = 1; }), 400);
  EXPECT_EQ(status([](TileCall& c) { c.rows.end = kLength + 1; }), 400);
  EXPECT_EQ(status([](TileCall& c) { c.columns.end = int64_t{1} << 40; }), 400);
  EXPECT_EQ(status([](TileCall& c) { c.map = 0; }), 404);
  EXPECT_EQ(status([](TileCall& c) { c.map = 7; }), 404);
  EXPECT_EQ(status([](TileCall& c) { c.id = "x"; }), 404);
}

TEST(ParseTile, NamesTheParameterThatIsWrong) {
  const Json good = {{"id", "a"},
                     {"map", "1"},
                     {"head", "mean"},
                     {"rows", "0:256"},
                     {"columns", "3:9"}};
  const TileCall call = ParseTile(good);
  EXPECT_EQ(call.head, -1);
  EXPECT_EQ(call.rows, (ItemRange{0, 256}));
  const std::vector<std::pair<const char*, Json>> wrong = {
      {"id", nullptr},
      {"map", "-1"},
      {"map", "x"},
      {"head", "1.5"},
      {"head", "-1"},
      {"rows", "5"},
      {"rows", "5:5"},
      {"rows", "9:5"},
      {"rows", "1:2:3"},
      {"rows", ":"},
      {"columns", "0:"},
      {"columns", "0:99999999999999999999"},
      {"columns", {1, 2}},
      {"columns", "-3:5"},
      {"rows", "0:1000000000"}};
  for (const auto& [name, value] : wrong) {
    SCOPED_TRACE(std::string(name) + " " + value.dump());
    Json bad = good;
    bad[name] = value;
    try {
      ParseTile(bad);
      ADD_FAILURE();
    } catch (const HttpError& error) {
      EXPECT_EQ(error.status(), 400);
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos);
    }
  }
  for (const char* name : {"id", "map", "head", "rows", "columns"}) {
    Json bad = good;
    bad.erase(name);
    EXPECT_EQ(StatusOf([&] { ParseTile(bad); }), 400) << name;
  }
}

}  // namespace
}  // namespace heed
