// Access control: API keys and rate limits.
#ifndef HEED_SERVE_API_KEYS_H_
#define HEED_SERVE_API_KEYS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace heed {

/// Compares in a time that depends on the length of `known` alone, not on the
/// length of `given` or on the position of the first difference.
bool EqualInConstantTime(std::string_view given, std::string_view known);

/// A line of the key file.
struct ApiKey {
  std::string text;
  /// Requests per minute. 0: no limit. Missing: the default limit.
  std::optional<int> per_minute;
};

/// API keys from a file. Each line begins with a key; `limit=N` after the key
/// sets its requests per minute, and further text is a note. Empty lines and
/// lines that begin with # are ignored. A changed file is read again; while it
/// cannot be read, the previous keys stay valid. Thread-safe.
class ApiKeys {
 public:
  /// `path`: the key file, or "" for no keys. Throws: IoError; ConfigError if
  /// the file has no key, or for a wrong limit (with its line).
  explicit ApiKeys(std::string path);

  /// True if a key file is used.
  bool used() const { return !path_.empty(); }
  /// Entry of a key; nullopt if the file does not contain the key.
  std::optional<ApiKey> Find(std::string_view key);

 private:
  void ReadIfChanged();

  std::string path_;
  std::mutex mutex_;
  std::vector<ApiKey> keys_;
  std::filesystem::file_time_type changed_;
  std::chrono::steady_clock::time_point checked_at_;
};

/// Rate limiter per client, with windows of one minute. Stores at most about
/// `max_clients` clients and forgets the least recently active ones.
/// Thread-safe.
class RequestLimiter {
 public:
  using Clock = std::chrono::steady_clock;

  explicit RequestLimiter(size_t max_clients = 20000)
      : max_clients_(max_clients) {}

  /// Counts `requests` of a client if its limit of `per_minute` (0: none)
  /// allows all of them. Returns 0 if they were counted, else the seconds until
  /// the next window.
  int Count(const std::string& client, int64_t requests, int per_minute,
            Clock::time_point now = Clock::now());
  /// Seconds until the client may send a request, 0 if it may now. Counts
  /// nothing.
  int SecondsToWait(const std::string& client, int per_minute,
                    Clock::time_point now = Clock::now());
  /// Number of stored clients.
  size_t clients();

 private:
  using Counts = std::unordered_map<std::string, int64_t>;

  int64_t& CountOf(const std::string& client, Clock::time_point now);
  int Rest(Clock::time_point now) const;

  const size_t max_clients_;
  std::mutex mutex_;
  Clock::time_point window_;
  // Clients since the last rotation, and clients before it.
  Counts recent_, older_;
};

}  // namespace heed

#endif  // HEED_SERVE_API_KEYS_H_
