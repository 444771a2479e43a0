#include "heed/serve/log.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/json.h"

namespace heed {
namespace {

constexpr std::string_view kLevelNames[] = {"debug", "info", "warning", "error",
                                            "off"};

std::string Now() {
  using std::chrono::milliseconds;
  using std::chrono::system_clock;
  const auto now = system_clock::now();
  const auto millis =
      std::chrono::duration_cast<milliseconds>(now.time_since_epoch()).count() %
      1000;
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                     fmt::gmtime(system_clock::to_time_t(now)), millis);
}

// Never blocks: a line that cannot be written at once is dropped. A writable
// pipe accepts PIPE_BUF bytes.
bool WriteToStandardError(std::string_view line) {
  pollfd ready = {STDERR_FILENO, POLLOUT, 0};
  if (poll(&ready, 1, 0) <= 0 || (ready.revents & POLLOUT) == 0) return false;
  while (!line.empty()) {
    const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    line.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace

LogLevel ParseLogLevel(std::string_view name) {
  for (size_t i = 0; i < std::size(kLevelNames); ++i) {
    if (kLevelNames[i] == name) return static_cast<LogLevel>(i);
  }
  throw ConfigError("unknown log level '{}'", name);
}

Log::Log(LogLevel level, Sink sink)
    : level_(level), sink_(sink ? std::move(sink) : WriteToStandardError) {}

void Log::Write(LogLevel level, std::string_view event,
                const nlohmann::ordered_json& members) {
  if (!Wants(level)) return;
  nlohmann::ordered_json json = {
      {"time", Now()}, {"level", At(kLevelNames, level)}, {"event", event}};
  if (members.is_object()) json.update(members);
  const std::lock_guard lock(mutex_);
  if (lost_ > 0) json["lost_lines"] = lost_;
  const std::string line = DumpJson(json) + '\n';
  lost_ = sink_(line) ? 0 : lost_ + 1;
}

}  // namespace heed
