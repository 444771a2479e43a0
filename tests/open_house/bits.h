// Lines of bits: a task whose answer is a label, one whose answer is a number.
#ifndef HEED_TESTS_OPEN_HOUSE_BITS_H_
#define HEED_TESTS_OPEN_HOUSE_BITS_H_

#include "heed/tasks/task.h"

namespace heed::bits {

/// Is the number of ones even or odd?
TaskRow ParityTask();
/// How many ones are there?
TaskRow OnesTask();

}  // namespace heed::bits

#endif  // HEED_TESTS_OPEN_HOUSE_BITS_H_
