#include "heed/base/thread_pool.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "heed/base/at.h"

namespace heed {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
constexpr bool kSanitized =
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool kSanitized = false;
#endif

/// pool.Run with a function object.
template <class Body>
void RunLoop(ThreadPool& pool, int64_t chunks, const Body& body) {
  pool.Run(
      chunks, [](void* of, int64_t c) { (*static_cast<const Body*>(of))(c); },
      const_cast<void*>(static_cast<const void*>(&body)));
}

/// Work that a compiler cannot remove.
double Work(int64_t steps) {
  double x = static_cast<double>(steps);
  for (int64_t i = 0; i < steps; ++i) x = std::cos(x);
  return x;
}

/// Pool with possibly more threads than cores, so that threads are preempted.
class AThreadPool : public testing::TestWithParam<int> {
 protected:
  AThreadPool() { pool_.Limit(GetParam()); }
  ThreadPool pool_;
};

TEST_P(AThreadPool, RunsEachChunkOnce) {
  for (const int64_t chunks : {0, 1, 2, 3, 15, 16, 17, 1000}) {
    std::vector<std::atomic<int>> runs(static_cast<size_t>(chunks));
    RunLoop(pool_, chunks, [&](int64_t c) { ++At(runs, c); });
    for (const auto& count : runs) ASSERT_EQ(count, 1) << chunks;
  }
}

/// Consecutive loops, helped by the same threads.
TEST_P(AThreadPool, IsDoneWhenItReturns) {
  for (int round = 0; round < 2000; ++round) {
    int64_t sums[8] = {};
    RunLoop(pool_, 8, [&](int64_t c) { sums[c] = c + round; });
    for (int64_t c = 0; c < 8; ++c) ASSERT_EQ(sums[c], c + round);
  }
}

/// The threads of the pool sleep after the pause.
TEST_P(AThreadPool, RunsLoopsAfterAPause) {
  for (int round = 0; round < 20; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    std::atomic<int64_t> sum = 0;
    RunLoop(pool_, 50, [&](int64_t c) { sum += c; });
    ASSERT_EQ(sum, 49 * 50 / 2);
  }
}

TEST_P(AThreadPool, MayBeUsedByManyThreadsAtOnce) {
  constexpr int kCallers = 80;  // more than the number of slots
  std::atomic<int64_t> sum = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < kCallers; ++i) {
    callers.emplace_back([&] {
      for (int round = 0; round < 20; ++round) {
        RunLoop(pool_, 10, [&](int64_t c) {
          RunLoop(pool_, 3, [&](int64_t) { sum += c; });
        });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum, int64_t{kCallers} * 20 * 45 * 3);
}

TEST_P(AThreadPool, LoopsMayBeNested) {
  std::atomic<int64_t> sum = 0;
  RunLoop(pool_, 20, [&](int64_t a) {
    RunLoop(pool_, 10, [&](int64_t b) {
      RunLoop(pool_, 5, [&](int64_t c) { sum += a * b * c; });
    });
  });
  EXPECT_EQ(sum, 190 * 45 * 10);
}

/// A caller that holds a lock around its loop would otherwise deadlock.
TEST_P(AThreadPool, AThreadThatWaitsForALoopRunsNoChunkOfAnother) {
  std::mutex mutex;
  std::set<std::thread::id> inside;
  std::atomic<int> entered_twice = 0;
  std::atomic<double> sink = 0;
  for (int i = 0; i < 10; ++i) {
    RunLoop(pool_, 64, [&](int64_t) {
      const auto self = std::this_thread::get_id();
      {
        const std::lock_guard<std::mutex> lock(mutex);
        if (!inside.insert(self).second) ++entered_twice;
      }
      RunLoop(pool_, 16, [&](int64_t) { sink = Work(1000); });
      const std::lock_guard<std::mutex> lock(mutex);
      inside.erase(self);
    });
  }
  EXPECT_EQ(entered_twice, 0);
}

TEST_P(AThreadPool, ThrowsWhatAChunkThrew) {
  for (int round = 0; round < 50; ++round) {
    try {
      RunLoop(pool_, 40, [](int64_t c) {
        if (c == 7) throw std::runtime_error("of chunk 7");
      });
      ADD_FAILURE();
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "of chunk 7");
    }
  }
}

TEST_P(AThreadPool, HasAsManyThreadsAsItsLimit) {
  for (const int limit : {GetParam(), 1, 2, GetParam()}) {
    pool_.Limit(limit);
    EXPECT_EQ(pool_.limit(), limit);
    std::mutex mutex;
    std::set<std::thread::id> ran;
    std::atomic<int> waiting = 0;
    // Every chunk waits for the others, so each needs its own thread.
    RunLoop(pool_, limit, [&](int64_t) {
      {
        const std::lock_guard<std::mutex> lock(mutex);
        ran.insert(std::this_thread::get_id());
      }
      ++waiting;
      while (waiting < limit) std::this_thread::yield();
    });
    EXPECT_EQ(std::ssize(ran), limit);
    ran.clear();
    RunLoop(pool_, 500, [&](int64_t) {
      const std::lock_guard<std::mutex> lock(mutex);
      ran.insert(std::this_thread::get_id());
    });
    EXPECT_LE(std::ssize(ran), limit);
  }
}

/// A thread runs the chunks of its own part as long as it keeps up.
TEST(ThreadPool, GivesAThreadTheSameChunksAgain) {
  ThreadPool pool;
  pool.Limit(2);
  std::vector<std::thread::id> first(2);
  for (int round = 0; round < 100; ++round) {
    std::vector<std::thread::id> ran(2);
    std::atomic<int> waiting = 0;
    RunLoop(pool, 2, [&](int64_t c) {
      At(ran, c) = std::this_thread::get_id();
      ++waiting;
      while (waiting < 2) std::this_thread::yield();
    });
    if (round == 0) first = ran;
    ASSERT_EQ(ran, first) << round;
  }
}

TEST(ThreadPool, WithoutThreadsTheCallerRunsAll) {
  const auto loop = [] {
    rlimit none{0, 0};
    setrlimit(RLIMIT_AS, &none);  // no memory for the stack of a thread
    ThreadPool pool;
    pool.Limit(4);
    std::atomic<int64_t> sum = 0;
    RunLoop(pool, 10, [&](int64_t c) { sum += c; });
    std::_Exit(sum == 45 ? 0 : 1);
  };
  if (kSanitized) GTEST_SKIP() << "the sanitizer itself needs memory";
  EXPECT_EXIT(loop(), testing::ExitedWithCode(0), "");
}

INSTANTIATE_TEST_SUITE_P(Threads, AThreadPool, testing::Values(1, 2, 8, 40));

}  // namespace
}  // namespace heed
