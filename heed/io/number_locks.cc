#include "heed/io/number_locks.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "heed/base/errors.h"

namespace heed {
namespace {

struct flock ByteAt(int64_t number, short type) {
  struct flock lock = {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = number;
  lock.l_len = 1;
  return lock;
}

}  // namespace

bool HasNoLocks(int error) {
  return error == ENOLCK || error == ENOSYS || error == EOPNOTSUPP ||
         error == EINVAL;
}

NumberLocks::NumberLocks(const std::string& path)
    : path_(path),
      fd_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666)) {
  if (fd_ < 0) throw IoError("cannot open {}: {}", path, std::strerror(errno));
}

NumberLocks::~NumberLocks() { close(fd_); }

bool NumberLocks::Lock(int64_t number, bool waits) {
  struct flock lock = ByteAt(number, F_WRLCK);
  // Open file description locks also exclude other threads of the process.
  while (fcntl(fd_, waits ? F_OFD_SETLKW : F_OFD_SETLK, &lock) != 0) {
    if (errno == EINTR) continue;
    if (errno == EAGAIN || errno == EACCES) return false;
    if (HasNoLocks(errno)) return true;
    throw IoError("cannot lock {}: {}", path_, std::strerror(errno));
  }
  return true;
}

bool NumberLocks::TryHold(int64_t number) { return Lock(number, false); }

void NumberLocks::Hold(int64_t number) { Lock(number, true); }

void NumberLocks::Release(int64_t number) {
  struct flock lock = ByteAt(number, F_UNLCK);
  fcntl(fd_, F_OFD_SETLK, &lock);
}

}  // namespace heed
