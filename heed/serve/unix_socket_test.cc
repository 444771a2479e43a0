#include "heed/serve/unix_socket.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "heed/base/errors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

bool Connects(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  const int client = socket(AF_UNIX, SOCK_STREAM, 0);
  const bool connected = connect(client, reinterpret_cast<sockaddr*>(&address),
                                 sizeof address) == 0;
  close(client);
  return connected;
}

TEST(UnixListener, ListensForOwnerAndGroupAndLeavesNothing) {
  const TemporaryFolder folder;
  const std::string path = folder.Path("socket");
  const mode_t before = umask(022);
  {
    const UnixListener listener(path);
    struct stat made = {};
    ASSERT_EQ(stat(path.c_str(), &made), 0);
    EXPECT_EQ(made.st_mode & 0777, 0660u);
    EXPECT_TRUE(Connects(path));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_EQ(umask(before), 022u) << "the umask is as it was";
}

TEST(UnixListener, ReplacesWhatADeadServerLeft) {
  const TemporaryFolder folder;
  const std::string path = folder.Path("socket");
  {
    UnixListener dead(path);
    close(dead.TakeDescriptor());
    std::filesystem::create_hard_link(path, folder.Path("kept"));
  }
  std::filesystem::rename(folder.Path("kept"), path);
  EXPECT_FALSE(Connects(path));
  const UnixListener listener(path);
  EXPECT_TRUE(Connects(path));
}

TEST(UnixListener, TakesNobodyElsesPlace) {
  const TemporaryFolder folder;
  const std::string path = folder.Path("socket");
  const UnixListener listener(path);
  EXPECT_THROW(UnixListener{path}, IoError);
  EXPECT_TRUE(Connects(path));
  const std::string file = folder.Put("file", "text");
  EXPECT_THROW(UnixListener{file}, IoError);
  EXPECT_TRUE(std::filesystem::is_regular_file(file));
  const std::string link = folder.Path("link");
  std::filesystem::create_symlink(folder.Path("target"), link);
  EXPECT_THROW(UnixListener{link}, IoError);
  EXPECT_FALSE(std::filesystem::exists(folder.Path("target")));
  EXPECT_THROW(UnixListener{folder.Path("none/socket")}, IoError);
  EXPECT_THROW(UnixListener{folder.Path(std::string(200, 'x'))}, IoError);
}

TEST(UnixListener, DoesNotRemoveWhatTookItsPlace) {
  const TemporaryFolder folder;
  const std::string path = folder.Path("socket");
  std::optional<UnixListener> first(path);
  unlink(path.c_str());
  const UnixListener second(path);
  first.reset();
  EXPECT_TRUE(Connects(path));
}

}  // namespace
}  // namespace heed
