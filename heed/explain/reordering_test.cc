#include "heed/explain/reordering.h"

#include <gtest/gtest.h>

#include "heed/base/errors.h"

namespace heed {
namespace {

// Target t attends to sources[t] with `weight`; −1: to nothing.
AlignmentView Linked(const std::vector<int64_t>& sources, int64_t source_size,
                     float weight = 0.9f) {
  AlignmentView view;
  view.source_tokens.assign(static_cast<size_t>(source_size), "s");
  view.target_tokens.assign(sources.size(), "t");
  view.weights.assign(sources.size() * static_cast<size_t>(source_size), 0.0f);
  for (size_t t = 0; t < sources.size(); ++t) {
    if (sources[t] < 0) continue;
    view.weights[t * static_cast<size_t>(source_size) +
                 static_cast<size_t>(sources[t])] = weight;
  }
  return view;
}

using Blocks = std::vector<AlignmentBlock>;

TEST(ReorderedBlocks, ADiagonalHasNone) {
  EXPECT_EQ(ReorderedBlocks(Linked({0, 1, 2, 3}, 4)), Blocks());
  // Steep alignments with gaps and repeated sources have no blocks.
  EXPECT_EQ(ReorderedBlocks(Linked({0, 0, 5, 5, -1, 9}, 10)), Blocks());
  EXPECT_EQ(ReorderedBlocks(Linked({}, 0)), Blocks());
}

TEST(ReorderedBlocks, APhraseReadBackwardsIsOne) {
  // the European Economic Area was ← l'espace économique européen était
  EXPECT_EQ(ReorderedBlocks(Linked({0, 3, 2, 1, 4}, 5)),
            (Blocks{{1, 4, 1, 4}}));
}

TEST(ReorderedBlocks, TwoPhrasesThatChangedPlacesAreTwo) {
  EXPECT_EQ(ReorderedBlocks(Linked({0, 4, 5, 1, 2, 6}, 7)),
            (Blocks{{1, 3, 4, 6}, {3, 5, 1, 3}}));
}

TEST(ReorderedBlocks, WhatAWordMovedAroundStays) {
  // a man sleeping on a bench ← ein mann auf einer bank schlafend
  EXPECT_EQ(ReorderedBlocks(Linked({0, 1, 5, 2, 3, 4}, 6)),
            (Blocks{{2, 3, 5, 6}}));
}

TEST(ReorderedBlocks, AWordBetweenPhrasesThatChangedPlacesStays) {
  // The middle run of one link is sixth of eleven on both sides.
  EXPECT_EQ(ReorderedBlocks(Linked({6, 7, 8, 9, 10, 5, 0, 1, 2, 3, 4}, 11)),
            (Blocks{{0, 5, 6, 11}, {6, 11, 0, 5}}));
  EXPECT_EQ(ReorderedBlocks(Linked({3, 1, 0}, 4)),
            (Blocks{{0, 1, 3, 4}, {1, 3, 0, 2}}));
}

TEST(ReorderedBlocks, FaintLinksAndEndsTakeNoPart) {
  EXPECT_EQ(ReorderedBlocks(Linked({1, 0}, 2, 0.05f)), Blocks());
  AlignmentView view = Linked({2, 0, 1}, 3);
  EXPECT_EQ(ReorderedBlocks(view).size(), 1u);
  view.source_tokens.back() = "</s>";  // the first target attends to no word
  EXPECT_EQ(ReorderedBlocks(view), Blocks());
  view = Linked({1, 0}, 2);
  view.target_tokens.back() = "</s>";
  EXPECT_EQ(ReorderedBlocks(view), Blocks());
}

TEST(ReorderedBlocks, WeightsMustFitTheTokens) {
  EXPECT_THROW(ReorderedBlocks({{"a"}, {"b"}, {}, ""}), ShapeError);
}

}  // namespace
}  // namespace heed
