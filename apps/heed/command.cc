#include "apps/heed/command.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <string>

#include "heed/base/errors.h"

namespace heed {
namespace {

// Messages quote file names and keys, which may hold control characters.
int Fail(std::string message, int status) {
  for (char& c : message) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) c = c == '\n' ? ' ' : '?';
  }
  std::fputs(fmt::format("heed: {}\n", message).c_str(), stderr);
  return status;
}

void FlushOutput() {
  errno = 0;
  std::cout.flush();
  if (!std::cout || std::fflush(stdout) != 0) {
    throw IoError(fmt::format("cannot write standard output: {}",
                              errno ? std::strerror(errno) : "write failed"));
  }
}

}  // namespace

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

int RunCommand(CommandFunction run, const Arguments& arguments) {
  try {
    const int status = run(arguments);
    FlushOutput();
    return status;
  } catch (const ConfigError& error) {
    return Fail(error.what(), kExitUsage);
  } catch (const Interrupted& error) {
    return Fail(error.what(), kExitInterrupted);
  } catch (const std::bad_alloc&) {
    return Fail("not enough memory; a smaller batch or model needs less",
                kExitFailure);
  } catch (const std::exception& error) {
    return Fail(error.what(), kExitFailure);
  }
}

}  // namespace heed
