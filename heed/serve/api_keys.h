// Who may use the server: API keys and a limit on requests.
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

/// Whether `given` is `known`, in a time that depends on the length of `known`
/// alone: neither on where they differ nor on how long the given one is.
bool EqualInConstantTime(std::string_view given, std::string_view known);

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

/// At most so many requests a minute for each client. Remembers a bounded
/// number of clients: of more, those who asked last. Thread-safe.
class RequestLimiter {
 public:
  using Clock = std::chrono::steady_clock;

  explicit RequestLimiter(size_t most_clients = 20000)
      : most_clients_(most_clients) {}

  /// Counts `requests` of a client that may send `per_minute` if as many are
  /// still allowed; 0: no limit. Returns the seconds until they would be, 0 if
  /// they are.
  int Count(const std::string& client, int64_t requests, int per_minute,
            Clock::time_point now = Clock::now());
  /// Counts nothing: the seconds until a request is allowed, 0 if one is now.
  int SecondsToWait(const std::string& client, int per_minute,
                    Clock::time_point now = Clock::now());
  /// How many clients are remembered.
  size_t clients();

 private:
  using Counts = std::unordered_map<std::string, int64_t>;

  int64_t& CountOf(const std::string& client, Clock::time_point now);
  int Rest(Clock::time_point now) const;

  const size_t most_clients_;
  std::mutex mutex_;
  Clock::time_point window_;
  // Who asked since the last change, and who asked before.
  Counts recent_, older_;
};

}  // namespace heed

#endif  // HEED_SERVE_API_KEYS_H_
