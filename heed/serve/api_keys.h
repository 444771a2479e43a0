// Who may use the server: API keys and a limit on requests.
#ifndef HEED_SERVE_API_KEYS_H_
#define HEED_SERVE_API_KEYS_H_

#include <chrono>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace heed {

/// Whether both are the same, in a time that does not depend on where they
/// differ.
bool EqualInConstantTime(std::string_view a, std::string_view b);

/// What the file of keys says of one.
struct ApiKey {
  std::string text;
  /// Requests a minute, 0: no limit; nothing: as many as anybody.
  std::optional<int> per_minute;
};

/// Keys from a file: one at the start of each line; `limit=N` behind it are the
/// requests a minute of this key, all else is a note; lines that begin with #
/// and empty lines are left out. The file is read again when it has changed;
/// while it cannot be read, the keys that were read last go on to hold.
/// Thread-safe.
class ApiKeys {
 public:
  /// "": there are none. Throws: IoError; ConfigError if there is no key in
  /// the file, or that names the line of a wrong limit.
  explicit ApiKeys(std::string path);

  /// Whether there are keys at all.
  bool used() const { return !path_.empty(); }
  /// Nothing if it is not in the file.
  std::optional<ApiKey> Find(std::string_view key);

 private:
  void ReadIfChanged();

  std::string path_;
  std::mutex mutex_;
  std::vector<ApiKey> keys_;
  std::filesystem::file_time_type changed_;
  std::chrono::steady_clock::time_point looked_;
};

/// At most so many requests a minute for each client. Thread-safe.
class RequestLimiter {
 public:
  using Clock = std::chrono::steady_clock;

  /// Counts a request of a client that may send so many a minute; 0: no limit.
  /// Returns the seconds until the next one is allowed, 0 if this one is.
  int Count(const std::string& client, int per_minute,
            Clock::time_point now = Clock::now());

 private:
  std::mutex mutex_;
  Clock::time_point window_;
  std::unordered_map<std::string, int> counts_;
};

}  // namespace heed

#endif  // HEED_SERVE_API_KEYS_H_
