#include "heed/base/cores.h"

#include <gtest/gtest.h>

#if defined(__linux__)
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include "heed/base/timing.h"

namespace heed {
namespace {

cpu_set_t CoresOf(pid_t thread) {
  cpu_set_t cores;
  EXPECT_EQ(sched_getaffinity(thread, sizeof(cores), &cores), 0);
  return cores;
}

/// Binds the calling thread to these cores.
void StayOn(const std::vector<int>& cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) CPU_SET(core, &set);
  ASSERT_EQ(sched_setaffinity(0, sizeof(set), &set), 0);
}

/// The calling thread's cores as they were before.
class CoresBefore {
 public:
  CoresBefore() : cores_(CoresOf(0)) {}
  CoresBefore(const CoresBefore&) = delete;
  CoresBefore& operator=(const CoresBefore&) = delete;
  ~CoresBefore() { sched_setaffinity(0, sizeof(cores_), &cores_); }

  std::vector<int> list() const {
    std::vector<int> list;
    for (int core = 0; core < CPU_SETSIZE; ++core) {
      if (CPU_ISSET(core, &cores_)) list.push_back(core);
    }
    return list;
  }

 private:
  cpu_set_t cores_;
};

bool Sleeps(pid_t thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string line;
  std::getline(file, line);
  return line.find(") S ") != line.npos;
}

TEST(Cores, NobodyIsMovedWhoWasNotMarkedOrIsTheCaller) {
  ThreadOnCore other;
  EXPECT_FALSE(other.ChangePlaces());
  other.Mark();
  EXPECT_FALSE(other.ChangePlaces());
}

TEST(Cores, AThreadThatHasEndedIsNotMoved) {
  ThreadOnCore other;
  std::thread([&] { other.Mark(); }).join();
  EXPECT_FALSE(other.ChangePlaces());
}

TEST(Cores, AThreadThatSleepsStays) {
  const CoresBefore before;
  if (before.list().size() < 2) GTEST_SKIP() << "one core only";
  ThreadOnCore other;
  std::atomic<pid_t> id = 0;
  std::binary_semaphore marked(0);
  std::binary_semaphore end(0);
  std::thread sleeper([&] {
    StayOn({before.list()[1]});
    other.Mark();
    StayOn(before.list());
    id = gettid();
    marked.release();
    end.acquire();
  });
  marked.acquire();
  StayOn({before.list()[0]});
  StayOn(before.list());
  while (!Sleeps(id)) std::this_thread::yield();
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(other.ChangePlaces());
  end.release();
  sleeper.join();
}

TEST(Cores, AThreadThatIsKeptFromRunningChangesPlacesWithItsWatcher) {
  const CoresBefore before;
  if (before.list().size() < 2) GTEST_SKIP() << "one core only";
  const std::vector<int> two = {before.list()[0], before.list()[1]};
  ThreadOnCore kept;
  std::atomic<pid_t> id = 0;
  std::atomic<bool> end = false;
  std::binary_semaphore marked(0);
  std::thread other([&] {
    // It gets what the threads of the usual policy leave.
    const sched_param lowest = {};
    EXPECT_EQ(sched_setscheduler(0, SCHED_IDLE, &lowest), 0);
    StayOn({two[1]});
    kept.Mark();
    StayOn(two);
    id = gettid();
    marked.release();
    while (!end) {
    }
  });
  marked.acquire();
  std::thread busy([&] {
    StayOn({two[1]});
    while (!end) {
    }
  });
  StayOn({two[0]});
  StayOn(two);
  const cpu_set_t cores = CoresOf(id);
  const cpu_set_t own = CoresOf(0);
  bool changed = false;
  const Clock::time_point start = Clock::now();
  while (!changed && SecondsSince(start) < 20) changed = kept.ChangePlaces();
  const cpu_set_t cores_after = CoresOf(id);
  const cpu_set_t own_after = CoresOf(0);
  end = true;
  other.join();
  busy.join();
  EXPECT_TRUE(changed);
  EXPECT_TRUE(CPU_EQUAL(&cores, &cores_after));
  EXPECT_TRUE(CPU_EQUAL(&own, &own_after));
}

TEST(Cores, AThreadThatMayNotBeHereStays) {
  const CoresBefore before;
  if (before.list().size() < 2) GTEST_SKIP() << "one core only";
  ThreadOnCore bound;
  std::atomic<bool> end = false;
  std::binary_semaphore marked(0);
  const int there = before.list()[1];
  std::thread other([&] {
    StayOn({there});
    bound.Mark();
    marked.release();
    while (!end) {
    }
  });
  marked.acquire();
  std::thread busy([&] {
    StayOn({there});
    while (!end) {
    }
  });
  StayOn({before.list()[0]});
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(bound.ChangePlaces());
  end = true;
  other.join();
  busy.join();
}

}  // namespace
}  // namespace heed

#endif
