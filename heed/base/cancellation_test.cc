#include "heed/base/cancellation.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

using Clock = CancellationFlag::Clock;

TEST(CancellationFlag, IsCancelledByACall) {
  CancellationFlag flag;
  EXPECT_FALSE(flag.cancelled());
  EXPECT_NO_THROW(flag.Check());
  flag.Cancel();
  EXPECT_TRUE(flag.cancelled());
  EXPECT_THROW(flag.Check(), Cancelled);
}

TEST(CancellationFlag, IsCancelledAtItsDeadline) {
  EXPECT_TRUE(CancellationFlag(Clock::now()).cancelled());
  EXPECT_FALSE(
      CancellationFlag(Clock::now() + std::chrono::hours(1)).cancelled());
}

TEST(AllCancelled, WaitsForTheLastOne) {
  CancellationFlag a, b;
  const AllCancelled both({&a, &b, &a});
  a.Cancel();
  EXPECT_FALSE(both.cancelled());
  b.Cancel();
  EXPECT_TRUE(both.cancelled());
}

TEST(AllCancelled, IsNeverForWhoCannotCancelOrForNobody) {
  CancellationFlag a;
  a.Cancel();
  EXPECT_FALSE(AllCancelled({&a, nullptr}).cancelled());
  EXPECT_FALSE(AllCancelled({}).cancelled());
}

}  // namespace
}  // namespace heed
