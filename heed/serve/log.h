// Structured logs: one JSON object per line.
#ifndef HEED_SERVE_LOG_H_
#define HEED_SERVE_LOG_H_

#include <cstdint>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string_view>

namespace heed {

enum class LogLevel { kDebug, kInfo, kWarning, kError, kOff };

/// "debug", "info", "warning", "error" or "off".
LogLevel ParseLogLevel(std::string_view name);

/// Writes {"time": "2026-11-22T22:01:04.123Z", "level": "info", "event": ...}
/// and further members, one whole line per call. Members contain no texts of
/// users, so logs may be kept. Lines that the sink rejects are lost; the next
/// line reports their number ("lost_lines"). Thread-safe.
class Log {
 public:
  /// Receives a line. Returns true if it accepted the line.
  using Sink = std::function<bool(std::string_view line)>;

  /// Without a sink, lines go to standard error, as long as it is open.
  explicit Log(LogLevel level, Sink sink = {});

  bool Wants(LogLevel level) const { return level >= level_; }
  void Write(LogLevel level, std::string_view event,
             const nlohmann::ordered_json& members = {});
  void Info(std::string_view event,
            const nlohmann::ordered_json& members = {}) {
    Write(LogLevel::kInfo, event, members);
  }
  void Warning(std::string_view event,
               const nlohmann::ordered_json& members = {}) {
    Write(LogLevel::kWarning, event, members);
  }
  void Error(std::string_view event,
             const nlohmann::ordered_json& members = {}) {
    Write(LogLevel::kError, event, members);
  }

 private:
  const LogLevel level_;
  const Sink sink_;
  std::mutex mutex_;
  int64_t lost_ = 0;
};

}  // namespace heed

#endif  // HEED_SERVE_LOG_H_
