#include "heed/serve/unix_socket.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "heed/base/errors.h"

namespace heed {
namespace {

constexpr mode_t kOwnerAndGroup = 0117;  // bits removed from 0777
constexpr int kMaxWaiting = 4096;        // unaccepted connections

[[noreturn]] void Refuse(const std::string& path, std::string_view reason) {
  throw IoError("{}: {}", path, reason);
}

sockaddr_un AddressOf(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) {
    Refuse(path, fmt::format("a Unix socket's path has at most {} bytes, this "
                             "one {}",
                             sizeof(address.sun_path) - 1, path.size()));
  }
  path.copy(address.sun_path, path.size());
  return address;
}

int OpenSocket() {
  return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

const sockaddr* Plain(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

bool SomebodyListens(const sockaddr_un& address) {
  const int probe = OpenSocket();
  if (probe < 0) return true;
  const bool refused = connect(probe, Plain(address), sizeof address) != 0 &&
                       errno == ECONNREFUSED;
  close(probe);
  return !refused;
}

void RemoveStale(const std::string& path, const sockaddr_un& address) {
  struct stat found = {};
  if (lstat(path.c_str(), &found) != 0) return;
  if (!S_ISSOCK(found.st_mode)) {
    Refuse(path, "is there already and is no socket; choose another path");
  }
  if (SomebodyListens(address)) {
    Refuse(path, "another process listens at this socket");
  }
  unlink(path.c_str());
}

}  // namespace

UnixListener::UnixListener(std::string path) : path_(std::move(path)) {
  const sockaddr_un address = AddressOf(path_);
  RemoveStale(path_, address);
  descriptor_ = OpenSocket();
  if (descriptor_ < 0) {
    Refuse(path_, fmt::format("cannot open a socket ({})", strerror(errno)));
  }
  const mode_t before = umask(kOwnerAndGroup);
  const bool bound = bind(descriptor_, Plain(address), sizeof address) == 0;
  const int error = errno;
  umask(before);
  struct stat made = {};
  if (!bound || lstat(path_.c_str(), &made) != 0 ||
      listen(descriptor_, kMaxWaiting) != 0) {
    const std::string reason = strerror(bound ? errno : error);
    close(descriptor_);
    if (bound) unlink(path_.c_str());
    Refuse(path_, fmt::format("cannot listen there ({})", reason));
  }
  device_ = made.st_dev;
  inode_ = made.st_ino;
}

UnixListener::~UnixListener() {
  if (descriptor_ >= 0) close(descriptor_);
  struct stat now = {};
  if (lstat(path_.c_str(), &now) == 0 && now.st_dev == device_ &&
      now.st_ino == inode_) {
    unlink(path_.c_str());
  }
}

int UnixListener::TakeDescriptor() { return std::exchange(descriptor_, -1); }

}  // namespace heed
