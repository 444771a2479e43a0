// Searches in vocabularies whose special tokens have other ids than 0 to 3.
#include <gtest/gtest.h>

#include <algorithm>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/decode/beam.h"
#include "heed/decode/testing.h"

namespace heed {
namespace {

const Ids kText = {5, 4, 5, kEos};

std::vector<Hypothesis> Found(const FakeModel& model, const Ids& source,
                              const DecodeOptions& options) {
  const auto [ids, lengths] = SourceOf({source});
  return BeamSearch(model, {ids, lengths}, options).at(0);
}

/// A model that computes what another one does, with other ids.
class RenamedModel : public FakeModel {
 public:
  /// `names[v]`: id here of token v of `model`.
  RenamedModel(const FakeModel& model, Ids names)
      : FakeModel(model.V()), model_(model), names_(std::move(names)) {}

  Ids Renamed(Ids ids) const {
    for (int32_t& id : ids) id = At(names_, id);
    return ids;
  }
  std::vector<float> Scores(const FakeRow& row) const override {
    const std::vector<float> scores =
        model_.Scores({Original(row.source), Original(row.written)});
    std::vector<float> renamed(scores.size());
    for (size_t v = 0; v < scores.size(); ++v) {
      At(renamed, names_[v]) = scores[v];
    }
    return renamed;
  }

 private:
  Ids Original(Ids ids) const {
    for (int32_t& id : ids) {
      id = static_cast<int32_t>(std::ranges::find(names_, id) - names_.begin());
    }
    return ids;
  }

  const FakeModel& model_;
  Ids names_;
};

TEST(SpecialTokens, MayHaveAnyIds) {
  const RandomModel model(11, 1);
  const RenamedModel renamed(model, {7, 10, 4, 8, 1, 0, 2, 9, 3, 6, 5});
  DecodeOptions options;
  options.nbest = options.beam = 4;
  const std::vector<Hypothesis> expected = Found(model, kText, options);
  const Ids ids = renamed.Renamed(kText);
  const Tensor source = Tensor::Of(ids, {std::ssize(ids), 1});
  const Tensor lengths = Tensor::Of(Ids{4}, {1});
  options.special = {.pad = 7, .unk = 10, .bos = 4, .eos = 8};
  const auto found = BeamSearch(renamed, {source, lengths}, options).at(0);
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].tokens, renamed.Renamed(expected[i].tokens)) << i;
    EXPECT_NEAR(found[i].score, expected[i].score, 1e-5) << i;
  }
}

TEST(SpecialTokens, EachOfSeveralEndsAText) {
  std::vector<float> scores(9, 0);
  scores[6] = 5;  // ends, most probable
  DecodeOptions options;
  options.beam = 1;
  EXPECT_FALSE(Found(ConstantModel(scores), kText, options)[0].tokens.empty());
  options.special.other_ends = {6, 8};
  EXPECT_TRUE(Found(ConstantModel(scores), kText, options)[0].tokens.empty());
}

TEST(SpecialTokens, WithoutAStartTheFirstTokenIsGiven) {
  const RandomModel model(9);
  DecodeOptions options;
  options.special.bos = -1;
  EXPECT_THROW(Found(model, kText, options), ConfigError);
  options.start = 5;
  options.suppressed_ids = {5};
  const Hypothesis found = Found(model, kText, options)[0];
  options.special.bos = 5;
  options.start = -1;
  EXPECT_EQ(found.tokens, Found(model, kText, options)[0].tokens);
}

}  // namespace
}  // namespace heed
