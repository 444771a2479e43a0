#include "tests/open_house/bits.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/base/errors.h"
#include "heed/tasks/one_answer/one_answer.h"

namespace heed::bits {
namespace {

/// Returns the ids of a line of bits such as 10110.
std::vector<int32_t> ReadBits(std::string_view line, const std::string& place) {
  std::vector<int32_t> bits;
  for (const char bit : line) {
    if (bit != '0' && bit != '1') {
      throw FormatError("{}: character {} is neither 0 nor 1", place,
                        bits.size() + 1);
    }
    bits.push_back(bit - '0');
  }
  if (bits.empty()) throw FormatError("{}: no bits", place);
  return bits;
}

/// Returns the part that both tasks share.
OneAnswerTask TaskOfBits(const std::string& name,
                         const std::string& description) {
  OneAnswerTask task;
  task.row.name = name;
  task.row.description = description;
  task.row.input_label = "Bits";
  task.row.prompt = "Type bits, as 10110";
  task.row.examples = {{"10110"}, {"1001"}};
  task.symbols = {"0", "1"};
  task.read = ReadBits;
  return task;
}

}  // namespace

TaskRow ParityTask() {
  OneAnswerTask task =
      TaskOfBits("parity", "whether a line of bits has an even number of ones");
  task.row.answer_label = "Parity";
  task.labels = {"even", "odd"};
  return MakeTask(std::move(task));
}

TaskRow OnesTask() {
  OneAnswerTask task = TaskOfBits("ones", "how many ones a line of bits has");
  task.row.answer_label = "Ones";
  return MakeTask(std::move(task));
}

}  // namespace heed::bits
