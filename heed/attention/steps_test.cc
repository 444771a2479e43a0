#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "heed/attention/testing.h"
#include "heed/base/at.h"
#include "heed/kernels/gather.h"

namespace heed {
namespace {

/// Positions [begin, end) of x [B, T, M].
Tensor Between(const Tensor& x, int64_t begin, int64_t end) {
  Tensor part({x.dim(0), end - begin, x.dim(2)}, x.dtype());
  for (int64_t b = 0; b < x.dim(0); ++b) {
    Tensor own = part[b];
    own.CopyFrom(x[b].Slice(begin, end));
  }
  return part;
}

double Tolerance(DType dtype) { return dtype == DType::kF64 ? 1e-13 : 2e-5; }

AttentionSpec SelfSpec(const TestRow& row, const TestSizes& sizes) {
  AttentionSpec spec = SpecOf(row, sizes);
  spec.mask = Causal();
  spec.value = spec.key;
  return spec;
}

/// Beam rows after the second of three sources ended: two rows for each of the
/// others.
const std::vector<int32_t> kRows = {0, 0, 2, 2};
const std::vector<int32_t> kSources = {0, 2};

class Cache : public testing::TestWithParam<TestRow> {};

std::vector<TestRow> Parts() {
  std::vector<TestRow> rows;
  for (const ScoreInfo& score : Scores()) {
    for (const char* modifier :
         {"", "alibi", "rotary", "local_p", "interpolate", "median_window"}) {
      if (!Fit(score.name, modifier)) continue;
      rows.push_back({score.name, modifier, "", "softmax"});
    }
  }
  rows.push_back({"scaled_dot", "", "", "sparsemax"});
  return rows;
}

INSTANTIATE_TEST_SUITE_P(Parts, Cache, testing::ValuesIn(Parts()));

/// A few positions at once, then reordered rows, give the results of one memory
/// of all positions.
TEST_P(Cache, SourcesAreAttendedToAsByOneMemory) {
  const TestSizes sizes{3, 4, 9};
  const AttentionSpec spec = SpecOf(GetParam(), sizes);
  const Tensor lengths = Lengths({3, 0, 9});
  for (const DType dtype : {DType::kF64, DType::kF32}) {
    const AttentionUnderTest test(spec, sizes, dtype);
    if (!test.query.defined()) continue;
    const Attention& attention = test.attention();
    Memory memory =
        attention.Prepare({}, test.keys, test.values, Padding(lengths));
    const Attended all = attention.Attend({}, test.query, &memory,
                                          {.want = WantWeights::kValues});
    const Tensor weights = HeadWeights(all.weights.value());

    DecoderState state(3);
    Memory& source = state.MemoryOf("source");
    EXPECT_FALSE(source.defined());
    source = attention.Prepare({}, test.keys, test.values, lengths, state);
    EXPECT_TRUE(source.defined());
    const Attended first =
        attention.Attend({}, Between(test.query, 0, 2), &source, {.last = -1});
    EXPECT_LT(MaxDifference(first.context.value(),
                            Between(all.context.value(), 0, 2)),
              Tolerance(dtype));
    for (int64_t b = 0; b < 3; ++b) {
      EXPECT_LT(MaxDifference(first.last[b], weights[b][1]), Tolerance(dtype));
    }
    EXPECT_EQ(source.position, 2);
    state.weights = first.last;
    state.Reorder(Lengths(kRows), Lengths(kSources));
    const Attended last = attention.Attend(
        {}, kernels::Gather(Between(test.query, 2, 3), Lengths(kRows)), &source,
        {.last = -1});
    EXPECT_LT(MaxDifference(last.context.value(),
                            kernels::Gather(Between(all.context.value(), 2, 3),
                                            Lengths(kRows))),
              Tolerance(dtype));
    EXPECT_EQ(source.position, 3) << "one step of two rows for each source";
    for (int64_t r = 0; r < 4; ++r) {
      EXPECT_LT(MaxDifference(last.last[r], weights[At(kRows, r)][2]),
                Tolerance(dtype))
          << "row " << r;
    }
    EXPECT_FALSE(state.weights.defined()) << "rows were moved";
  }
}

TEST_P(Cache, PositionsThatWereMovedAreAttendedToAsAllAtOnce) {
  const TestSizes sizes{3, 5, 5};
  const AttentionSpec spec = SelfSpec(GetParam(), sizes);
  for (const DType dtype : {DType::kF64, DType::kF32}) {
    const AttentionUnderTest test(spec, sizes, dtype);
    if (!test.query.defined()) continue;
    // The windows of local_p depend on the number of keys.
    if (GetParam().modifier == "local_p") continue;
    const Attention& attention = test.attention();
    const Tensor all = test.ContextOf();
    DecoderState state(3);
    Memory& memory = state.MemoryOf("self");
    const auto expect = [&](int64_t begin, int64_t end, const Tensor& rows) {
      const auto of_rows = [&](const Tensor& x) {
        return kernels::Gather(Between(x, begin, end), rows);
      };
      memory = attention.Extend({}, std::move(memory), of_rows(test.keys),
                                of_rows(test.values));
      const Tensor part =
          attention.Attend({}, of_rows(test.query), &memory).context.value();
      EXPECT_LT(MaxDifference(part, of_rows(all)), Tolerance(dtype));
      EXPECT_EQ(memory.position, end);
    };
    expect(0, 2, Lengths({0, 1, 2}));
    state.Reorder(Lengths(kRows), Lengths(kSources));
    expect(2, 3, Lengths(kRows));
    state.Reorder(Lengths({1, 0, 2, 3}), {});
    expect(3, 5, Lengths(kRows));
  }
}

TEST(DecoderState, MovesTensorsByTheirRoles) {
  DecoderState state(2);
  const auto ids = [&](const char* name) {
    return state.Find(name)->value().ToVector<int32_t>();
  };
  state.At("row", StateRole::kRow) = Ids({1, 2, 3, 4}, {4, 1});
  EXPECT_EQ(state.Find("none"), nullptr);
  state.Erase("row");
  EXPECT_EQ(state.Find("row"), nullptr);
  state.At("rows", StateRole::kRow) = Ids({1, 2}, {2});
  state.At("heads", StateRole::kRow) = Ids({10, 11, 20, 21}, {4, 1});
  state.At("cells", StateRole::kRow, 1) = Ids({1, 2, 3, 4}, {2, 2, 1});
  state.At("source", StateRole::kSource) = Ids({5, 6}, {2});
  state.At("copy", StateRole::kRepeated) = Ids({5, 6}, {2});
  state.At("fixed", StateRole::kFixed) = Ids({7, 8}, {2});
  state.Reorder(Lengths({0, 0, 1, 1}), {});
  EXPECT_EQ(state.rows(), 4);
  EXPECT_EQ(ids("rows"), (std::vector<int32_t>{1, 1, 2, 2}));
  EXPECT_EQ(ids("heads"),
            (std::vector<int32_t>{10, 11, 10, 11, 20, 21, 20, 21}));
  EXPECT_EQ(ids("cells"), (std::vector<int32_t>{1, 1, 2, 2, 3, 3, 4, 4}));
  EXPECT_EQ(ids("source"), (std::vector<int32_t>{5, 6}));
  EXPECT_EQ(ids("copy"), (std::vector<int32_t>{5, 5, 6, 6}));
  state.Reorder(Lengths({3}), Lengths({1}));
  EXPECT_EQ(state.rows(), 1);
  EXPECT_EQ(state.sources(), 1);
  EXPECT_EQ(ids("rows"), (std::vector<int32_t>{2}));
  EXPECT_EQ(ids("source"), (std::vector<int32_t>{6}));
  EXPECT_EQ(ids("copy"), (std::vector<int32_t>{6}));
  EXPECT_EQ(ids("fixed"), (std::vector<int32_t>{7, 8}));
}

TEST(DecoderState, SlotsOfAMemoryFollowTheRows) {
  const AttentionSpec spec =
      SelfSpec({"scaled_dot", "", "", "softmax"}, {2, 1, 1});
  const AttentionUnderTest test(spec, {2, 1, 1}, DType::kF32);
  DecoderState state(2);
  Memory& memory = state.MemoryOf("self");
  const auto extend = [&](const std::vector<int32_t>& rows) {
    memory = test.attention().Extend(
        {}, std::move(memory), kernels::Gather(test.keys, Lengths(rows)),
        kernels::Gather(test.values, Lengths(rows)));
  };
  extend({0, 1});
  ASSERT_EQ(memory.positions.size(), 1U) << "the layout of step kernels";
  state.Reorder(Lengths({0, 0, 1, 1}), {});
  extend({0, 0, 1, 1});
  state.Reorder(Lengths({1, 1, 3, 2}), {});
  for (int64_t r = 0; r < 4; ++r) {
    EXPECT_EQ(memory.slots.row<int32_t>(r)[0], r / 2);
    EXPECT_EQ(memory.slots.row<int32_t>(r)[1],
              At((std::vector<int32_t>{1, 1, 3, 2}), r));
  }
}

TEST(DecoderState, RefusesRowsOfAnotherSource) {
  DecoderState state(2);
  ExpectShapeError(
      [&] {
        state.Reorder(Lengths({1, 0}), {});
      },
      {"decoder state", "2 rows of 2 sources"});
  ExpectShapeError([&] { state.Reorder(Lengths({0, 2}), {}); }, {"2 rows"});
  ExpectShapeError([&] { state.Reorder(Lengths({0}), {}); }, {"[1]"});
  ExpectShapeError([&] { state.Reorder(Lengths({1}), Lengths({0})); }, {"[1]"});
  ExpectShapeError(
      [&] {
        state.Reorder(Lengths({1, 0}), Lengths({1, 0}));
      },
      {"order"});
  ExpectShapeError([&] { state.BeginStep(3); }, {"3 tokens for 2 rows"});
}

TEST(DecoderState, ManyMembersMoveTogether) {
  DecoderState state(2);
  state.members = {DecoderState(2), DecoderState(2)};
  state.members[1].At("own", StateRole::kRow) = Ids({3, 4}, {2});
  state.Reorder(Lengths({1}), Lengths({1}));
  EXPECT_EQ(state.members[0].rows(), 1);
  EXPECT_EQ(state.members[1].Find("own")->value().ToVector<int32_t>(),
            std::vector<int32_t>{4});
}

TEST(AttentionSteps, CoverageSumsTheWeightsOfAllSteps) {
  const AttentionUnderTest test(TestSpec("coverage"), {2, 4, 5}, DType::kF64);
  Memory memory = test.attention().Prepare({}, test.keys, test.values);
  const Shape shape = {2 * TestSpec("coverage").heads, 5};
  Tensor sums = Tensor::Zeros(shape, DType::kF64);
  for (int64_t t = 0; t < 4; ++t) {
    const Attended step =
        test.attention().Attend({}, Positions(test.query, t, t + 1), &memory,
                                {.want = WantWeights::kValues});
    kernels::AddTo(sums, step.weights.value().Reshape(shape), 1);
    EXPECT_LT(MaxDifference(memory.coverage.value(), sums), 1e-15) << t;
  }
}

}  // namespace
}  // namespace heed
