#include "heed/serve/time_share.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace heed {
namespace {

using std::chrono::milliseconds;
using Time = std::chrono::nanoseconds;

/// Simulates a model with a clock of 1 ms steps.
struct FakeModel {
  LaneShare share{2, milliseconds(50)};
  int short_ms = 0;   // of short computations
  int long_ms = 0;    // of long ones
  int paused_ms = 0;  // of long ones

  /// Simulates 1 ms, with a long computation always present.
  void Tick(bool short_wants) {
    const bool long_runs = !short_wants || !share.ShortFirst();
    if (short_wants) {
      ++short_ms;
      share.Count(Lane::kShort, milliseconds(1));
    }
    if (long_runs) {
      ++long_ms;
      share.Count(Lane::kLong, milliseconds(1));
    } else {
      ++paused_ms;
    }
  }
};

TEST(LaneShare, ShortOnesThatAlwaysWantTimeGetTheirWeight) {
  FakeModel model;
  for (int i = 0; i < 6000; ++i) model.Tick(true);
  EXPECT_EQ(model.short_ms, 6000) << "they never wait";
  EXPECT_NEAR(model.long_ms, 3000, 100);
}

TEST(LaneShare, LongOnesPauseForAllShortOnesThatComeNowAndThen) {
  FakeModel model;
  for (int i = 0; i < 6000; ++i) model.Tick(i % 4 == 0);  // 1 of 4 ms
  EXPECT_EQ(model.paused_ms, 1500);
  EXPECT_EQ(model.long_ms, 4500);
}

TEST(LaneShare, LongOnesWhoseGapsAreShortGetTheRestOfTheirShare) {
  FakeModel model;
  for (int i = 0; i < 6000; ++i) model.Tick(i % 10 != 0);  // 9 of 10 ms
  EXPECT_NEAR(model.long_ms, 2700, 100);  // half of what short ones took
}

TEST(LaneShare, TimeAloneIsNotSavedUp) {
  FakeModel model;
  for (int i = 0; i < 100000; ++i) model.Tick(false);
  model.long_ms = 0;
  for (int i = 0; i < 1000; ++i) model.Tick(true);
  // Twice the allowance (at -50 and at +50 ms), then the share.
  EXPECT_NEAR(model.long_ms, (1000 - 2 * 2 * 50) / 2, 10);
}

TEST(LaneShare, SaysWhenLongOnesMayGoOn) {
  LaneShare share(2, milliseconds(50));
  EXPECT_EQ(share.UntilEqual(), milliseconds(100));
  share.Count(Lane::kShort, share.UntilEqual() - milliseconds(1));
  EXPECT_TRUE(share.ShortFirst());
  EXPECT_EQ(share.UntilEqual(), milliseconds(1));
  share.Count(Lane::kShort, milliseconds(1));
  EXPECT_FALSE(share.ShortFirst());
  share.Reset();
  EXPECT_TRUE(share.ShortFirst());
}

/// Simulates turns of 100 ms, each for the client that used the least time.
std::vector<std::string> TurnsOf(ClientShare& share,
                                 const std::vector<std::string>& runs,
                                 int turns) {
  std::vector<std::string> order;
  for (int i = 0; i < turns; ++i) {
    std::string next = runs.front();
    for (const std::string& run : runs) {
      if (share.UsedBy(run) < share.UsedBy(next)) next = run;
    }
    share.Count(next, milliseconds(100));
    order.push_back(next);
  }
  return order;
}

TEST(ClientShare, TwoComputationsOfAClientGetAsMuchAsOneOfAnother) {
  ClientShare share;
  const std::vector<std::string> runs = {"a", "a", "b"};
  for (const std::string& run : runs) share.Begin(run);
  EXPECT_EQ(TurnsOf(share, runs, 6),
            (std::vector<std::string>{"a", "b", "a", "b", "a", "b"}));
}

TEST(ClientShare, WhoComesLaterDoesNotCatchUp) {
  ClientShare share;
  share.Begin("a");
  share.Count("a", std::chrono::hours(1));
  share.Begin("b");
  EXPECT_EQ(share.UsedBy("b"), Time(std::chrono::hours(1)));
  EXPECT_EQ(TurnsOf(share, {"a", "b"}, 4),
            (std::vector<std::string>{"a", "b", "a", "b"}));
}

TEST(ClientShare, ForgetsWhoIsDone) {
  ClientShare share;
  share.Begin("a");
  share.Begin("a");
  share.Count("a", milliseconds(5));
  share.End("a");
  EXPECT_EQ(share.UsedBy("a"), Time(milliseconds(5)));
  share.End("a");
  EXPECT_EQ(share.UsedBy("a"), Time());
  share.Count("a", milliseconds(5));
  EXPECT_EQ(share.UsedBy("a"), Time()) << "it is not there";
}

}  // namespace
}  // namespace heed
