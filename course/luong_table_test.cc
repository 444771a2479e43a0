#include "course/luong_table.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(LuongTable, TargetsAreTheSourcesFromTheirEnd) {
  const ParallelText text = MakeReversals(50, 10, false, 1);
  ASSERT_EQ(text.source.size(), 50U);
  EXPECT_NE(text.source[0], text.source[1]);
  const ParallelText again = MakeReversals(50, 10, false, 1);
  EXPECT_EQ(text.source, again.source);
  const std::string& source = text.source[0];
  const std::string& target = text.target[0];
  EXPECT_EQ(source.substr(0, source.find(' ')),
            target.substr(target.rfind(' ') + 1));
}

TEST(LuongTable, AWindowAtTheSamePlaceMissesWhatIsReversed) {
  LuongTraining training;
  training.model = "luong";
  training.longest = 8;
  training.window = 1;
  const double global =
      ExactReversals({LuongKind::kGlobal, "general", false}, training);
  const double local =
      ExactReversals({LuongKind::kLocalM, "general", false}, training);
  const double copied =
      ExactReversals({LuongKind::kLocalM, "general", true}, training);
  EXPECT_GT(global, 80);
  EXPECT_GT(copied, 80);
  EXPECT_LT(local, global - 20);
}

}  // namespace
}  // namespace heed
