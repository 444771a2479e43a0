#include "heed/train/folder_lock.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "heed/base/errors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

TEST(FolderLock, SecondOneIsRefusedAndNamesTheProcess) {
  const TemporaryFolder folder;
  const FolderLock lock(folder.path());
  const std::string error =
      MessageOf<ConfigError>([&] { FolderLock second(folder.path()); });
  EXPECT_NE(error.find(folder.path()), std::string::npos) << error;
  EXPECT_NE(error.find("process " + std::to_string(getpid()) + ";"),
            std::string::npos)
      << error;
}

TEST(FolderLock, LeavesNothingBehind) {
  const TemporaryFolder folder;
  { const FolderLock lock(folder.path()); }
  EXPECT_TRUE(fs::is_empty(folder.path()));
  { const FolderLock again(folder.path()); }
}

TEST(FolderLock, IsReleasedWhenItsProcessIsKilled) {
  const TemporaryFolder folder;
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    const FolderLock lock(folder.path());
    [[maybe_unused]] const auto written = write(ready[1], "x", 1);
    pause();
    _exit(1);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_NE(MessageOf<ConfigError>([&] {
              FolderLock second(folder.path());
            }).find("process " + std::to_string(child)),
            std::string::npos);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(ready[0]);
  close(ready[1]);
  EXPECT_TRUE(fs::exists(folder.Path(".lock")));
  const FolderLock lock(folder.path());
}

TEST(FolderLock, FolderThatIsNotThereIsNamed) {
  const TemporaryFolder folder;
  EXPECT_NE(MessageOf<IoError>([&] {
              FolderLock lock(folder.Path("missing"));
            }).find(folder.Path("missing")),
            std::string::npos);
}

}  // namespace
}  // namespace heed
