#include "heed/serve/log.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdio>

#include "heed/base/errors.h"

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

}  // namespace

LogLevel ParseLogLevel(std::string_view name) {
  for (size_t i = 0; i < std::size(kLevelNames); ++i) {
    if (kLevelNames[i] == name) return static_cast<LogLevel>(i);
  }
  throw ConfigError(fmt::format("unknown log level '{}'", name));
}

Log::Log(LogLevel level, Sink sink)
    : level_(level), sink_(sink ? std::move(sink) : [](std::string_view line) {
        std::fwrite(line.data(), 1, line.size(), stderr);
      }) {}

void Log::Write(LogLevel level, std::string_view event,
                const nlohmann::ordered_json& members) {
  if (!Wants(level)) return;
  nlohmann::ordered_json json = {
      {"time", Now()},
      {"level", kLevelNames[static_cast<size_t>(level)]},
      {"event", event}};
  if (members.is_object()) json.update(members);
  const std::string line =
      json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
      '\n';
  const std::lock_guard lock(mutex_);
  sink_(line);
}

}  // namespace heed
