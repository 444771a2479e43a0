// Version, threads, messages, cancellation and commands of heed.h.
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "apps/heed/command.h"
#include "apps/heed/program.h"
#include "apps/libheed/guard.h"
#include "heed/base/config.h"
#include "heed/base/console.h"
#include "heed/base/threads.h"
#include "heed/train/interrupt.h"

using namespace heed;     // NOLINT: functions of C have no namespace
using namespace heed::c;  // NOLINT

namespace {

/// Commands that print an answer and read no standard input.
constexpr std::array kCommands = {
    "align", "distill", "evaluate", "explain",   "export", "import", "info",
    "list",  "plot",    "quantize", "shortlist", "train",  "verify"};

std::vector<std::string> WordsOf(const nlohmann::ordered_json& json) {
  if (!json.is_array() || json.empty() ||
      !std::ranges::all_of(json,
                           [](const auto& word) { return word.is_string(); })) {
    throw FormatError("arguments: a JSON list of texts is expected");
  }
  return json.get<std::vector<std::string>>();
}

/// Runs one command at a time, because trainings share how they are
/// interrupted.
std::string RunWords(std::vector<std::string> words,
                     const Cancellation* cancel) {
  static std::mutex mutex;
  const std::string name = words.front();
  if (std::ranges::find(kCommands, name) == kCommands.end()) {
    throw ConfigError("'{}' is no command of this call{} (there are: {})", name,
                      DidYouMean(name, {kCommands.begin(), kCommands.end()}),
                      fmt::join(kCommands, ", "));
  }
  words.erase(words.begin());
  const std::lock_guard lock(mutex);
  SetProgramName("heed");
  const InterruptSource source(cancel);
  const OutputCapture output;
  const int status = FindCommand(Commands(), name)->run(words);
  if (status != 0) throw Error("{} ended with status {}", name, status);
  return output.text();
}

std::unique_ptr<ThreadLimit>& Limit() {
  static auto* const limit = new std::unique_ptr<ThreadLimit>;
  return *limit;
}

}  // namespace

const char* heed_version(void) { return HEED_VERSION; }

int32_t heed_abi(void) { return 1; }

int32_t heed_set_threads(int32_t threads) {
  return Guard([&] {
    if (threads < 0 || threads > 1024) {
      throw ArgumentError("threads is {}; 0 to 1024 are possible", threads);
    }
    Limit().reset();
    if (threads > 0) Limit() = std::make_unique<ThreadLimit>(threads);
  });
}

int32_t heed_set_log(heed_log_function log, void* user) {
  return Guard([&] {
    if (log == nullptr) return SetMessageSink({});
    SetMessageSink([log, user](MessageKind kind, std::string_view text) {
      const std::string line(text);  // ends with a zero byte
      log(user, static_cast<int32_t>(kind), line.c_str(), line.size());
    });
  });
}

int32_t heed_cancel_new(heed_cancel** cancel) {
  return Guard([&] {
    heed_cancel*& result = Result(cancel, "cancel");
    result = new heed_cancel;
  });
}

int32_t heed_cancel_set(heed_cancel* cancel) {
  return Guard([&] { Needed(cancel, "cancel").flag.Cancel(); });
}

void heed_cancel_free(heed_cancel* cancel) { delete cancel; }

int32_t heed_command(const char* arguments, size_t size, heed_cancel* cancel,
                     heed_answer** answer) {
  return Guard([&] {
    heed_answer*& result = Result(answer, "answer");
    result =
        new heed_answer{RunWords(WordsOf(JsonOf(arguments, size, "arguments")),
                                 cancel == nullptr ? nullptr : &cancel->flag)};
  });
}
