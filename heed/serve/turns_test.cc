#include "heed/serve/turns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace heed {
namespace {

using std::chrono::hours;

/// Events in order.
class Story {
 public:
  void Add(const std::string& event) {
    const std::lock_guard lock(mutex_);
    events_.push_back(event);
    changed_.notify_all();
  }
  void WaitFor(const std::string& event) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] {
      return std::find(events_.begin(), events_.end(), event) != events_.end();
    });
  }
  std::vector<std::string> events() {
    const std::lock_guard lock(mutex_);
    return events_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> events_;
};

TEST(Turns, AComputationWithinItsSliceIsNotPaused) {
  Turns turns(hours(1), hours(1));
  Story story;
  std::thread other;
  {
    Turns::Turn turn(turns);
    other = std::thread([&] {
      const Turns::Turn second(turns);
      story.Add("second");
    });
    for (int i = 0; i < 1000; ++i) turn.Pass();
    EXPECT_TRUE(story.events().empty());
  }
  other.join();
  EXPECT_EQ(story.events(), std::vector<std::string>{"second"});
}

TEST(Turns, AShortOneIsDoneBeforeALongOneThatCameFirst) {
  Turns turns({}, {});
  Story story;
  std::promise<void> come;
  std::thread other([&, ready = come.get_future()]() mutable {
    ready.wait();
    const Turns::Turn second(turns);
    story.Add("short");
  });
  {
    Turns::Turn turn(turns);
    turn.Pass();
    EXPECT_EQ(turn.paused().count(), 0) << "nobody waits";
    come.set_value();
    while (story.events().empty()) turn.Pass();
    story.Add("long");
    EXPECT_GT(turn.paused().count(), 0);
  }
  other.join();
  EXPECT_EQ(story.events(), (std::vector<std::string>{"short", "long"}));
}

TEST(Turns, LongOnesGetTurnsThoughShortOnesComeAgainAndAgain) {
  Turns turns({}, {});
  std::atomic<bool> over = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      while (!over) {
        Turns::Turn turn(turns);
        turn.Pass();
      }
    });
  }
  {
    Turns::Turn turn(turns);
    for (int i = 0; i < 200; ++i) turn.Pass();
  }
  over = true;
  for (std::thread& thread : threads) thread.join();
}

TEST(Turns, OneComputesAtATimeWithAllItsThreads) {
  Turns turns({}, {});
  std::atomic<int> inside = 0;
  std::atomic<int> max = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      Turns::Turn turn(turns);
      for (int n = 0; n < 100; ++n) {
        const int now = ++inside;
        if (now > max) max = now;
        --inside;
        turn.Pass();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(max, 1);
}

TEST(Turns, AShortOneDoesNotWaitForALongOne) {
  Turns turns(hours(1), hours(1));
  const Turns::Turn slow(turns, Lane::kLong);
  std::thread other([&] { const Turns::Turn quick(turns, Lane::kShort); });
  other.join();
}

TEST(Turns, ALongOnePausesUntilTheShortOneIsDone) {
  Turns turns(hours(1), hours(1), hours(1));
  Story story;
  std::promise<void> begin;
  std::thread other;
  {
    const Turns::Turn quick(turns, Lane::kShort);
    other = std::thread([&] {
      Turns::Turn slow(turns, Lane::kLong);
      story.Add("long begins");
      slow.Pass();
      story.Add("long goes on");
    });
    story.WaitFor("long begins");
    story.Add("short ends");
  }
  other.join();
  EXPECT_EQ(story.events(), (std::vector<std::string>{
                                "long begins", "short ends", "long goes on"}));
}

TEST(Turns, ALongOneGoesOnOnceTheShortOneHadItsShare) {
  const Turns::Clock::duration allowance = std::chrono::milliseconds(5);
  Turns turns(hours(1), hours(1), allowance);
  const Turns::Turn quick(turns, Lane::kShort);
  const Turns::Clock::time_point start = Turns::Clock::now();
  std::thread other([&] {
    Turns::Turn slow(turns, Lane::kLong);
    for (int i = 0; i < 100; ++i) slow.Pass();
  });
  other.join();  // while the short one continues
  EXPECT_GT(Turns::Clock::now() - start, allowance);
}

TEST(Turns, AllThreadsOfAComputationGoOnAfterAPause) {
  Turns turns({}, {});
  std::optional<Turns::Turn> turn(turns);
  std::vector<std::thread> workers;
  for (int i = 0; i < 3; ++i) {
    workers.emplace_back([&] {
      for (int n = 0; n < 100; ++n) turn->Pass();
    });
  }
  std::thread other([&] {
    for (int i = 0; i < 20; ++i) const Turns::Turn second(turns);
  });
  for (std::thread& worker : workers) worker.join();
  turn.reset();
  other.join();
}

}  // namespace
}  // namespace heed
