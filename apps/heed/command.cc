#include "apps/heed/command.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "apps/heed/program.h"
#include "heed/base/errors.h"

namespace heed {

const Command* FindCommand(const std::vector<Command>& commands,
                           std::string_view name) {
  for (const Command& command : commands) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

std::vector<std::string> NamesOf(const std::vector<Command>& commands) {
  std::vector<std::string> names;
  for (const Command& command : commands) names.emplace_back(command.name);
  return names;
}

std::vector<OptionText> PartsOf(std::string_view command,
                                const std::vector<Command>& parts) {
  std::vector<OptionText> texts;
  for (const Command& part : parts) {
    texts.push_back({fmt::format("heed {} {}", command, part.name),
                     std::string(part.summary)});
  }
  return texts;
}

int Fail(std::string_view message, int status) {
  std::string line = AsCalled(message);
  // The message quotes file names and keys, which may have control characters.
  for (char& c : line) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) c = c == '\n' ? ' ' : '?';
  }
  std::fputs(fmt::format("{}: {}\n", ProgramName(), line).c_str(), stderr);
  return status;
}

void FlushOutput() {
  errno = 0;
  std::cout.flush();
  // After a failed write, a flush succeeds, but the error flag remains set.
  if (!std::cout || std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw IoError("cannot write standard output: {}",
                  errno ? std::strerror(errno) : "write failed");
  }
}

}  // namespace heed
