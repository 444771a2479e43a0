// A Unix domain socket, for a proxy on the same machine.
#ifndef HEED_SERVE_UNIX_SOCKET_H_
#define HEED_SERVE_UNIX_SOCKET_H_

#include <sys/types.h>

#include <string>

namespace heed {

/// Listens at a path that owner and group may read and write (mode 0660).
/// Replaces the socket of an earlier server if no process listens at it. Never
/// replaces anything else, including symbolic links.
class UnixListener {
 public:
  /// Must be called before there are threads that create files, because it
  /// changes the umask for a moment. Throws: IoError with the path.
  explicit UnixListener(std::string path);
  /// Removes the socket from the file system, unless it was replaced.
  ~UnixListener();
  UnixListener(const UnixListener&) = delete;
  UnixListener& operator=(const UnixListener&) = delete;

  /// Transfers the listening socket to the caller. Call it once.
  int TakeDescriptor();

 private:
  const std::string path_;
  int descriptor_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace heed

#endif  // HEED_SERVE_UNIX_SOCKET_H_
