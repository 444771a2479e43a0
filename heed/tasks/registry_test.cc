#include <gtest/gtest.h>

#include "heed/base/testing.h"
#include "heed/tasks/task.h"

namespace heed {
namespace {

TEST(AddTask, ANameIsTakenOnce) {
  const size_t before = Tasks().size();
  TaskRow again = Tasks().front();
  EXPECT_EQ(MessageOf<ConfigError>([&] { AddTask(again); }),
            "there is a task '" + again.name + "' already");
  EXPECT_EQ(Tasks().size(), before);
}

}  // namespace
}  // namespace heed
