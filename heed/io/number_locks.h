// Work that several processes divide among themselves.
#ifndef HEED_IO_NUMBER_LOCKS_H_
#define HEED_IO_NUMBER_LOCKS_H_

#include <cstdint>
#include <string>

namespace heed {

/// Whether an error of a lock means that the file system has none.
bool HasNoLocks(int error);

/// Numbers, each of which one object at a time holds, of all processes that
/// name the same file. The kernel releases what a process held when it ends,
/// however that happens. Where the file system has no locks, everybody holds
/// what they ask for.
class NumberLocks {
 public:
  /// The file is made if there is none. Throws: IoError.
  explicit NumberLocks(const std::string& path);
  ~NumberLocks();
  NumberLocks(const NumberLocks&) = delete;
  NumberLocks& operator=(const NumberLocks&) = delete;

  /// Whether it is held now. Throws: IoError.
  bool TryHold(int64_t number);
  /// Waits until it is held. Throws: IoError.
  void Hold(int64_t number);
  void Release(int64_t number);

 private:
  bool Lock(int64_t number, bool waits);

  std::string path_;
  int fd_ = -1;
};

}  // namespace heed

#endif  // HEED_IO_NUMBER_LOCKS_H_
