#include "heed/io/number_locks.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "heed/base/errors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

TEST(NumberLocks, OneHoldsANumber) {
  const TemporaryFolder folder;
  NumberLocks a(folder.Path("locks"));
  NumberLocks b(folder.Path("locks"));
  EXPECT_TRUE(a.TryHold(3));
  EXPECT_FALSE(b.TryHold(3));
  EXPECT_TRUE(b.TryHold(4));
  a.Release(3);
  EXPECT_TRUE(b.TryHold(3));
}

TEST(NumberLocks, AProcessThatEndsHoldsNothing) {
  const TemporaryFolder folder;
  const std::string path = folder.Path("locks");
  NumberLocks mine(path);
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    NumberLocks theirs(path);
    const char held = theirs.TryHold(1) ? 1 : 0;
    if (write(ready[1], &held, 1) != 1) _exit(1);
    pause();
    _exit(0);
  }
  char held = 0;
  ASSERT_EQ(read(ready[0], &held, 1), 1);
  EXPECT_EQ(held, 1);
  EXPECT_FALSE(mine.TryHold(1));
  kill(child, SIGKILL);
  mine.Hold(1);  // returns once the child has ended
  EXPECT_EQ(waitpid(child, nullptr, 0), child);
  close(ready[0]);
  close(ready[1]);
}

TEST(NumberLocks, AFolderThatIsNotThereIsNamed) {
  const std::string error =
      MessageOf<IoError>([] { NumberLocks locks("/no/such/folder/locks"); });
  EXPECT_NE(error.find("/no/such/folder/locks"), std::string::npos) << error;
}

}  // namespace
}  // namespace heed
