// A socket in the file system, for a proxy on the same machine.
#ifndef HEED_SERVE_UNIX_SOCKET_H_
#define HEED_SERVE_UNIX_SOCKET_H_

#include <sys/types.h>

#include <string>

namespace heed {

/// Listens at a path, which its owner and its group may read and write (mode
/// 0660). What an earlier server left there is replaced once nobody listens
/// at it; anything else, symbolic links too, is left alone.
class UnixListener {
 public:
  /// To be called before there are threads that make files: it sets the umask
  /// for a moment. Throws: IoError that names the path.
  explicit UnixListener(std::string path);
  /// Removes the socket from the file system, unless another took its place.
  ~UnixListener();
  UnixListener(const UnixListener&) = delete;
  UnixListener& operator=(const UnixListener&) = delete;

  /// The listening socket, which the caller then owns. Once.
  int TakeDescriptor();

 private:
  const std::string path_;
  int descriptor_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace heed

#endif  // HEED_SERVE_UNIX_SOCKET_H_
