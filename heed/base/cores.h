// Cores for threads that others wait for.
//
// Where other programs keep a core busy, a thread may have to wait for its turn
// there, while one that has a core to itself waits for that thread. Schedulers
// take milliseconds to mend this. Here both change places.
#ifndef HEED_BASE_CORES_H_
#define HEED_BASE_CORES_H_

#include <sys/types.h>

#include <atomic>

namespace heed {

/// A thread and the core that it was on.
class ThreadOnCore {
 public:
  /// It is the calling one, where it is now.
  void Mark();

  /// If that thread could run, but has not been let for a few microseconds, it
  /// goes on where the calling thread is, and that one waits for its turn where
  /// the other did. Both may run on the same cores afterwards as before.
  /// Returns whether they changed places. They do not where the system cannot
  /// move threads, or one may not be where the other is; the other may have
  /// ended.
  bool ChangePlaces() const;

 private:
  std::atomic<pid_t> thread_ = 0;  // 0: not marked
  std::atomic<int> core_ = -1;
};

}  // namespace heed

#endif  // HEED_BASE_CORES_H_
