#include "heed/base/cores.h"

#if defined(__linux__)
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>

#include "heed/base/timing.h"
#endif

namespace heed {

#if defined(__linux__)
namespace {

/// How long somebody is watched: the clock of a thread that runs does not stand
/// still for so long.
constexpr double kStillSeconds = 3e-6;

/// The processor time of a thread of this process; nothing if there is none.
std::optional<timespec> RunTime(pid_t thread) {
  // As pthread_getcpuclockid does, which is for threads that have not ended.
  constexpr unsigned kOfThread = 6;
  const unsigned bits = ~static_cast<unsigned>(thread) << 3U | kOfThread;
  timespec time = {};
  if (clock_gettime(static_cast<clockid_t>(bits), &time) != 0) return {};
  return time;
}

/// Whether a thread of this process does not get on.
bool StandsStill(pid_t thread) {
  const std::optional<timespec> before = RunTime(thread);
  const Clock::time_point start = Clock::now();
  while (SecondsSince(start) < kStillSeconds) {
  }
  const std::optional<timespec> now = RunTime(thread);
  return before && now && before->tv_sec == now->tv_sec &&
         before->tv_nsec == now->tv_nsec;
}

/// Whether a thread runs or waits for its turn, so that it neither sleeps nor
/// waits for something else.
bool IsRunnable(pid_t thread) {
  const std::string path =
      "/proc/self/task/" + std::to_string(thread) + "/stat";
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  std::array<char, 64> start = {};  // id (name of up to 15 bytes) state
  const ssize_t size = read(file, start.data(), start.size());
  close(file);
  const std::string_view text(start.data(), size > 0 ? size : 0);
  const size_t end = text.rfind(") ");
  return end != text.npos && text.substr(end + 2).starts_with('R');
}

/// Where a thread (0: this one) may run; nothing if that is not known.
std::optional<cpu_set_t> Allowed(pid_t thread) {
  cpu_set_t cores;
  if (sched_getaffinity(thread, sizeof(cores), &cores) != 0) return {};
  return cores;
}

/// Moves a thread to one of the cores where it may run. Returns whether it is
/// there; later it may be moved again.
bool Move(pid_t thread, const cpu_set_t& allowed, int core) {
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(core, &only);
  if (sched_setaffinity(thread, sizeof(only), &only) != 0) return false;
  sched_setaffinity(thread, sizeof(allowed), &allowed);
  return true;
}

}  // namespace

void ThreadOnCore::Mark() {
  static thread_local const pid_t self = gettid();
  thread_.store(self, std::memory_order_relaxed);
  core_.store(sched_getcpu(), std::memory_order_relaxed);
}

bool ThreadOnCore::ChangePlaces() const {
  const pid_t other = thread_.load(std::memory_order_relaxed);
  const int there = core_.load(std::memory_order_relaxed);
  const int here = sched_getcpu();
  if (other == 0 || here == there || !StandsStill(other) ||
      !IsRunnable(other)) {
    return false;
  }
  // Who met a thread halfway would take its narrowed set for the usual one.
  static std::atomic_flag moving;
  if (moving.test_and_set(std::memory_order_acquire)) return false;
  const std::optional<cpu_set_t> others = Allowed(other);
  const std::optional<cpu_set_t> own = Allowed(0);
  const bool moved = others && own && CPU_ISSET(here, &*others) &&
                     CPU_ISSET(there, &*own) && Move(other, *others, here) &&
                     Move(0, *own, there);
  moving.clear(std::memory_order_release);
  return moved;
}

#else

void ThreadOnCore::Mark() {}
bool ThreadOnCore::ChangePlaces() const { return false; }

#endif

}  // namespace heed
