// Lines of bits: a task with a label as answer, and one with a number.
#ifndef HEED_TESTS_OPEN_HOUSE_BITS_H_
#define HEED_TESTS_OPEN_HOUSE_BITS_H_

#include "heed/tasks/task.h"

namespace heed::bits {

/// Task: is the number of ones even or odd?
TaskRow ParityTask();
/// Task: how many ones are there?
TaskRow OnesTask();

}  // namespace heed::bits

#endif  // HEED_TESTS_OPEN_HOUSE_BITS_H_
