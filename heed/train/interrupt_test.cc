#include "heed/train/interrupt.h"

#include <gtest/gtest.h>

#include <csignal>

namespace heed {
namespace {

TEST(InterruptGuard, FirstSignalIsOnlyRemembered) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const InterruptGuard guard;
    EXPECT_FALSE(guard.Requested());
    std::raise(signal);
    EXPECT_TRUE(guard.Requested());
  }
}

TEST(InterruptGuard, IsFreshAfterAnEarlierOne) {
  {
    const InterruptGuard guard;
    std::raise(SIGINT);
  }
  const InterruptGuard guard;
  EXPECT_FALSE(guard.Requested());
}

TEST(InterruptGuard, LeavesAnIgnoredHangupIgnored) {
  const auto old = std::signal(SIGHUP, SIG_IGN);
  {
    const InterruptGuard guard;
    std::raise(SIGHUP);
    EXPECT_FALSE(guard.Requested());
  }
  std::signal(SIGHUP, old);
}

TEST(InterruptGuardDeathTest, SecondSignalEndsTheProcess) {
  EXPECT_EXIT(
      {
        const InterruptGuard guard;
        std::raise(SIGINT);
        std::raise(SIGINT);
      },
      testing::KilledBySignal(SIGINT), "");
}

TEST(InterruptGuardDeathTest, FormerHandlersComeBack) {
  EXPECT_EXIT(
      {
        { const InterruptGuard guard; }
        std::raise(SIGTERM);
      },
      testing::KilledBySignal(SIGTERM), "");
  EXPECT_EXIT(
      {
        { const InterruptGuard guard; }
        std::raise(SIGHUP);
      },
      testing::KilledBySignal(SIGHUP), "");
}

}  // namespace
}  // namespace heed
