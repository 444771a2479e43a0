#include "heed/train/folder_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "heed/base/errors.h"
#include "heed/io/number_locks.h"
#include "heed/train/progress.h"

namespace heed {
namespace {

/// Process id stored in the lock file, or "another process".
std::string HolderOf(int fd) {
  char text[32] = {};
  const ssize_t got = pread(fd, text, sizeof(text) - 1, 0);
  const std::string number(text,
                           got > 0 ? strspn(text, "0123456789") : size_t{0});
  return number.empty() ? "another process" : "process " + number;
}

}  // namespace

FolderLock::FolderLock(const std::string& folder)
    : folder_(folder),
      path_((std::filesystem::path(folder) / ".lock").string()) {
  while (!Acquire()) close(std::exchange(fd_, -1));
}

/// False if the previous holder removed the file before it was locked.
bool FolderLock::Acquire() {
  fd_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (fd_ < 0) {
    throw IoError("cannot write to the folder {}: {}", folder_,
                  std::strerror(errno));
  }
  if (flock(fd_, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    if (HasNoLocks(error)) {
      Progress().Log(fmt::format(
          "{}: the file system cannot lock it ({}); let no other process write "
          "there",
          folder_, std::strerror(error)));
      return true;
    }
    const std::string holder = HolderOf(fd_);
    close(std::exchange(fd_, -1));
    if (error != EWOULDBLOCK) {
      throw IoError("cannot lock the folder {}: {}", folder_,
                    std::strerror(error));
    }
    throw ConfigError(
        "{} is being written by {}; wait until it has ended, or choose another "
        "folder",
        folder_, holder);
  }
  struct stat mine = {};
  struct stat there = {};
  const bool same = fstat(fd_, &mine) == 0 &&
                    stat(path_.c_str(), &there) == 0 &&
                    mine.st_dev == there.st_dev && mine.st_ino == there.st_ino;
  if (!same) return false;
  const std::string number = fmt::format("{}\n", getpid());
  // The process id is only for messages of other processes; a full disk must
  // not end the run here.
  if (ftruncate(fd_, 0) == 0) {
    [[maybe_unused]] const ssize_t written =
        pwrite(fd_, number.data(), number.size(), 0);
  }
  return true;
}

FolderLock::~FolderLock() {
  if (fd_ < 0) return;
  unlink(path_.c_str());  // while the lock is held
  close(fd_);
}

}  // namespace heed
