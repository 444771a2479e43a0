// The program: streams, signals, and what no function catches.
#include <cxxabi.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <typeinfo>
#include <vector>

#include "apps/heed/command.h"
#include "apps/heed/commands.h"
#include "apps/heed/main.h"
#include "apps/heed/program.h"
#include "heed/base/config.h"
#include "heed/base/errors.h"
#include "heed/kernels/instructions.h"

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

/// Limits instruction sets: HEED_INSTRUCTIONS=AVX2 computes as on a processor
/// without AVX-512.
void ObeyEnvironment() {
  const char* set = std::getenv("HEED_INSTRUCTIONS");
  if (set == nullptr || *set == '\0') return;
  try {
    kernels::LimitInstructions(set);
  } catch (const ConfigError& error) {
    throw ConfigError("HEED_INSTRUCTIONS: {}", error.what());
  }
}

int RunMain(const Arguments& arguments) {
  ObeyEnvironment();
  const std::string name = arguments.empty() ? "--help" : arguments[0];
  if (name == "--help" || name == "-h") {
    PrintMainHelp();
    return 0;
  }
  if (name == "--version") {
    std::puts("heed " HEED_VERSION);
    return 0;
  }
  const Arguments rest(
      arguments.empty() ? arguments.end() : arguments.begin() + 1,
      arguments.end());
  if (name == "__complete") return RunComplete(rest);
  if (const Command* command = FindCommand(Commands(), name)) {
    return command->run(rest);
  }
  if (Demos().empty() &&
      (name == "generate" || name == "learn" || name == "bench")) {
    throw ConfigError("unknown command '{}': {}", name, kWithoutCourse);
  }
  const std::vector<std::string> names = NamesOf(Commands());
  throw ConfigError("unknown command '{}'{} (valid: {})", name,
                    DidYouMean(name, names), fmt::join(names, ", "));
}

/// Opens /dev/null for closed standard streams. Otherwise the next opened file
/// would get the number of such a stream, and output would go into that file.
/// Reading standard input and writing standard output still fail; standard
/// error is discarded.
void OccupyStandardStreams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) >= 0) continue;
    if (open("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_WRONLY) != fd)
      _exit(1);
  }
}

extern "C" void OnInterrupt(int) {
  for (const std::string_view part : {ProgramName(), {": interrupted\n"}}) {
    [[maybe_unused]] const auto written =
        write(STDERR_FILENO, part.data(), part.size());
  }
  _exit(kExitInterrupted);
}

}  // namespace

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

int Main(int argc, char** argv) {
  OccupyStandardStreams();
  std::signal(SIGINT, OnInterrupt);
  return RunCommand(RunMain, {argv + 1, argv + argc});
}

}  // namespace heed
