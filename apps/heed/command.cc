#include "apps/heed/command.h"

#include <cxxabi.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <typeinfo>
#include <vector>

#include "apps/heed/program.h"
#include "heed/base/errors.h"

namespace heed {
namespace {

// Message without allocation, because memory is exhausted.
constexpr std::string_view kNoMemory =
    ": not enough memory (see ulimit -v); a smaller batch, model or input "
    "needs less\n";

void Write(std::string_view text) {
  [[maybe_unused]] const auto written =
      write(STDERR_FILENO, text.data(), text.size());
}

int FailWithoutMemory() {
  Write(ProgramName());
  Write(kNoMemory);
  return kExitFailure;
}

bool IsForWantOfThread(const std::exception& error) {
  const auto* system = dynamic_cast<const std::system_error*>(&error);
  return system != nullptr &&
         system->code() == std::errc::resource_unavailable_try_again;
}

/// Handles an exception that nothing can catch: from a destructor or a foreign
/// thread. Only reports it; files are complete at any time.
[[noreturn]] void OnTerminate() {
  // Null if the exception itself could not be allocated.
  const std::type_info* type = abi::__cxa_current_exception_type();
  if (type == nullptr || *type == typeid(std::bad_alloc)) {
    _exit(FailWithoutMemory());
  }
  try {
    std::rethrow_exception(std::current_exception());
  } catch (const std::exception& error) {
    Write(ProgramName());
    Write(": ");
    Write(error.what());
    Write("\n");
    _exit(kExitFailure);
  } catch (...) {  // not a std::exception
  }
  std::abort();
}

/// Runs before static objects are constructed.
[[gnu::constructor(101)]] void HandleTerminate() {
  std::set_terminate(OnTerminate);
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
  if (!std::cout || std::fflush(stdout) != 0) {
    throw IoError("cannot write standard output: {}",
                  errno ? std::strerror(errno) : "write failed");
  }
}

int RunCommand(const CommandFunction& run, const Arguments& arguments) {
  try {
    const int status = run(arguments);
    FlushOutput();
    return status;
  } catch (const ConfigError& error) {
    return Fail(error.what(), kExitUsage);
  } catch (const Interrupted& error) {
    return Fail(error.what(), kExitInterrupted);
  } catch (const std::bad_alloc&) {
    return FailWithoutMemory();
  } catch (const std::exception& error) {
    return IsForWantOfThread(error)
               ? Fail(
                     "no memory for a thread, or too many of them; --threads 1 "
                     "needs fewer",
                     kExitFailure)
               : Fail(error.what(), kExitFailure);
  }
}

}  // namespace heed
