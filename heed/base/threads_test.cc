#include "heed/base/threads.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "heed/base/at.h"

namespace heed {
namespace {

using Chunk = std::pair<int64_t, int64_t>;

/// Chunks of a loop, sorted.
std::vector<Chunk> ChunksOf(int64_t n, int64_t grain) {
  std::mutex mutex;
  std::vector<Chunk> chunks;
  ParallelFor(n, grain, [&](int64_t begin, int64_t end) {
    const std::lock_guard<std::mutex> lock(mutex);
    chunks.emplace_back(begin, end);
  });
  std::sort(chunks.begin(), chunks.end());
  return chunks;
}

TEST(ParallelFor, VisitsEveryIndexOnce) {
  for (const int64_t n : {0, 1, 2, 7, 64, 1000, 4097}) {
    for (const int64_t grain : {1, 3, 64, 5000}) {
      std::vector<std::atomic<int>> visits(static_cast<size_t>(n));
      ParallelFor(n, grain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) ++At(visits, i);
      });
      for (const auto& count : visits) ASSERT_EQ(count, 1) << n << " " << grain;
    }
  }
}

TEST(ParallelFor, ChunkBordersDependOnSizesOnly) {
  const std::vector<Chunk> expected = {{0, 30}, {30, 60}, {60, 90}, {90, 100}};
  for (const int threads : {1, 2, 4, 0}) {
    const ThreadLimit limit(threads);
    EXPECT_EQ(ChunksOf(100, 30), expected);
  }
}

TEST(ParallelFor, RunsASingleChunkOnTheCallingThread) {
  std::thread::id ran;
  ParallelFor(10, 10, [&](int64_t begin, int64_t end) {
    EXPECT_EQ(begin, 0);
    EXPECT_EQ(end, 10);
    ran = std::this_thread::get_id();
  });
  EXPECT_EQ(ran, std::this_thread::get_id());
}

TEST(ParallelFor, DoesNothingForNoItems) {
  ParallelFor(0, 4, [](int64_t, int64_t) { ADD_FAILURE(); });
  ParallelFor(-1, 4, [](int64_t, int64_t) { ADD_FAILURE(); });
}

TEST(ParallelFor, PassesAnExceptionToItsCaller) {
  for (const int64_t grain : {1, 1000}) {
    const auto throwing = [](int64_t begin, int64_t) {
      if (begin == 0) throw std::runtime_error("of chunk 0");
    };
    try {
      ParallelFor(100, grain, throwing);
      ADD_FAILURE() << "no exception with grain " << grain;
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "of chunk 0");
    }
  }
}

TEST(ParallelFor, MayBeNested) {
  std::atomic<int64_t> sum = 0;
  ParallelFor(50, 1, [&](int64_t outer, int64_t) {
    ParallelFor(40, 1, [&](int64_t inner, int64_t) { sum += outer * inner; });
  });
  EXPECT_EQ(sum, (49 * 50 / 2) * (39 * 40 / 2));
}

TEST(ThreadLimit, LimitsWhileItLives) {
  const int before = ThreadCount();
  EXPECT_GE(before, 1);
  {
    const ThreadLimit limit(1);
    EXPECT_EQ(ThreadCount(), 1);
    std::mutex mutex;
    std::set<std::thread::id> ran;
    ParallelFor(100, 1, [&](int64_t, int64_t) {
      const std::lock_guard<std::mutex> lock(mutex);
      ran.insert(std::this_thread::get_id());
    });
    EXPECT_EQ(ran.size(), 1U);
  }
  EXPECT_EQ(ThreadCount(), before);
}

TEST(ThreadLimit, OfZeroMeansOnePerCore) {
  const int before = ThreadCount();
  const ThreadLimit limit(0);
  EXPECT_EQ(ThreadCount(), before);
}

TEST(ParallelTasks, CallsEachOnce) {
  for (const int64_t n : {0, 1, 2, 17}) {
    std::vector<std::atomic<int>> calls(static_cast<size_t>(n));
    ParallelTasks(n, [&](int64_t i) { ++At(calls, i); });
    for (const auto& count : calls) EXPECT_EQ(count, 1);
  }
}

TEST(ParallelTasks, LoopsOfATaskStayOnItsThread) {
  std::atomic<int> strayed = 0;
  ParallelTasks(8, [&](int64_t) {
    const auto self = std::this_thread::get_id();
    ParallelFor(1000, 1, [&](int64_t, int64_t) {
      if (std::this_thread::get_id() != self) ++strayed;
    });
  });
  EXPECT_EQ(strayed, 0);
}

TEST(ParallelTasks, ExceptionsReachTheCaller) {
  EXPECT_THROW(ParallelTasks(4,
                             [](int64_t i) {
                               if (i == 2) throw std::runtime_error("two");
                             }),
               std::runtime_error);
}

TEST(ParallelFor, RunsInAChildOfFork) {
  const ThreadLimit limit(2);
  const auto sum = [] {
    std::atomic<int64_t> total = 0;
    ParallelFor(1000, 10, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) total += i;
    });
    return total.load();
  };
  ASSERT_EQ(sum(), 499500);
  const pid_t child = fork();
  if (child == 0) _exit(sum() == 499500 && ThreadCount() >= 1 ? 0 : 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(LoopProfile, RecordsLoopsAndLoopsWithin) {
  const ThreadLimit limit(2);
  std::vector<int64_t> order;
  LoopProfile profile;
  ParallelForEach(3, 1, [&](int64_t i) {
    order.push_back(i);
    if (i == 1) ParallelForEach(4, 2, [&](int64_t k) { order.push_back(k); });
  });
  ParallelForEach(2, 8, [](int64_t /*i*/) {});  // one chunk is no loop
  EXPECT_EQ(order, (std::vector<int64_t>{0, 1, 0, 1, 2, 3, 2}));
  ASSERT_EQ(profile.loops().size(), 2U);
  EXPECT_EQ(profile.loops()[0].within, -1);
  EXPECT_EQ(profile.loops()[0].chunks, 3);
  EXPECT_EQ(profile.loops()[1].within, 0);
  EXPECT_EQ(profile.loops()[1].chunks, 2);
  EXPECT_GE(profile.loops()[0].seconds, profile.loops()[1].seconds);
}

}  // namespace
}  // namespace heed
