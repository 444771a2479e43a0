// Who may use the server: API keys and a limit on requests.
#ifndef HEED_SERVE_API_KEYS_H_
#define HEED_SERVE_API_KEYS_H_

#include <chrono>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace heed {

/// Whether both are the same, in a time that does not depend on where they
/// differ.
bool EqualInConstantTime(std::string_view a, std::string_view b);

/// Keys from a file: one at the start of each line, what follows after white
/// space is a note; lines that begin with # and empty lines are left out. The
/// file is read again when it has changed; while it cannot be read, the keys
/// that were read last go on to hold. Thread-safe.
class ApiKeys {
 public:
  /// "": none are needed. Throws: IoError; ConfigError if there is no key in
  /// the file.
  explicit ApiKeys(std::string path);

  bool needed() const { return !path_.empty(); }
  bool Has(std::string_view key);

 private:
  void ReadIfChanged();

  std::string path_;
  std::mutex mutex_;
  std::vector<std::string> keys_;
  std::filesystem::file_time_type changed_;
  std::chrono::steady_clock::time_point looked_;
};

/// At most so many requests a minute for each client. Thread-safe.
class RequestLimiter {
 public:
  using Clock = std::chrono::steady_clock;

  /// 0: no limit.
  explicit RequestLimiter(int per_minute) : per_minute_(per_minute) {}

  /// Counts a request. Returns the seconds until the next one is allowed, 0 if
  /// this one is.
  int Count(const std::string& client, Clock::time_point now = Clock::now());

 private:
  const int per_minute_;
  std::mutex mutex_;
  Clock::time_point window_;
  std::unordered_map<std::string, int> counts_;
};

}  // namespace heed

#endif  // HEED_SERVE_API_KEYS_H_
