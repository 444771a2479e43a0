// Locks by number, shared by processes that divide work.
#ifndef HEED_IO_NUMBER_LOCKS_H_
#define HEED_IO_NUMBER_LOCKS_H_

#include <cstdint>
#include <string>

namespace heed {

/// True if a locking error means that the file system has no locks.
bool HasNoLocks(int error);

/// Exclusive locks on numbers, shared by all processes that open the same file.
/// The kernel releases the locks of a process when it ends for any reason. On a
/// file system without locks every request succeeds.
class NumberLocks {
 public:
  /// Creates the file if it is missing. Throws: IoError.
  explicit NumberLocks(const std::string& path);
  ~NumberLocks();
  NumberLocks(const NumberLocks&) = delete;
  NumberLocks& operator=(const NumberLocks&) = delete;

  /// Locks `number` without waiting; false if another object holds it. Throws:
  /// IoError.
  bool TryHold(int64_t number);
  /// Locks `number` and waits until it is free. Throws: IoError.
  void Hold(int64_t number);
  void Release(int64_t number);

 private:
  bool Lock(int64_t number, bool waits);

  std::string path_;
  int fd_ = -1;
};

}  // namespace heed

#endif  // HEED_IO_NUMBER_LOCKS_H_
