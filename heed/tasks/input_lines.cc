#include "heed/tasks/input_lines.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/text.h"

namespace heed {

void AnswerLines(
    std::istream& in, int64_t window,
    const std::function<void(const std::vector<std::string>&)>& answer) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  std::vector<std::string> lines;
  const auto flush = [&] {
    if (!lines.empty()) answer(lines);
    lines.clear();
  };
  int64_t number = 0;
  for (std::string line; std::getline(in, line);) {
    if (++number == 1 && line.starts_with(kByteOrderMark)) {
      line.erase(0, kByteOrderMark.size());
    }
    if (line.ends_with('\r')) line.pop_back();
    if (!IsValidUtf8(line)) {
      flush();
      throw FormatError(
          fmt::format("standard input:{}: not valid UTF-8", number));
    }
    lines.push_back(std::move(line));
    if (std::ssize(lines) >= window || in.rdbuf()->in_avail() <= 0) flush();
  }
  if (in.bad()) throw IoError("standard input: cannot be read");
  flush();
}

}  // namespace heed
