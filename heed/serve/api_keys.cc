#include "heed/serve/api_keys.h"

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/io/file.h"

namespace heed {
namespace {

constexpr auto kLookEvery = std::chrono::seconds(1);
constexpr auto kWindow = std::chrono::minutes(1);

int LimitOf(std::string_view digits, const std::string& path, int64_t line) {
  const auto limit = ParseInteger<int>(digits);
  if (!limit || *limit < 0) {
    throw ConfigError("{}:{}: limit={} is no number of requests a minute", path,
                      line, digits);
  }
  return *limit;
}

std::vector<ApiKey> ReadKeys(const std::string& path) {
  constexpr std::string_view kLimit = "limit=";
  std::vector<ApiKey> keys;
  const std::string text = ReadFile(path);
  int64_t number = 0;
  for (const std::string_view line : SplitLines(text)) {
    const auto words = SplitWhitespace(line);
    ++number;
    if (words.empty() || words[0].starts_with('#')) continue;
    ApiKey& key = keys.emplace_back();
    key.text = words[0];
    if (words.size() > 1 && words[1].starts_with(kLimit)) {
      key.per_minute = LimitOf(words[1].substr(kLimit.size()), path, number);
    }
  }
  return keys;
}

}  // namespace

bool EqualInConstantTime(std::string_view given, std::string_view known) {
  unsigned difference = given.size() == known.size() ? 0 : 1;
  for (size_t i = 0; i < known.size(); ++i) {
    const char other = i < given.size() ? given[i] : '\0';
    difference |= static_cast<unsigned>(static_cast<unsigned char>(known[i]) ^
                                        static_cast<unsigned char>(other));
  }
  return difference == 0;
}

ApiKeys::ApiKeys(std::string path)
    : path_(std::move(path)), checked_at_(std::chrono::steady_clock::now()) {
  if (path_.empty()) return;
  keys_ = ReadKeys(path_);
  if (keys_.empty()) {
    throw ConfigError(path_ + ": holds no API key; one a line is needed");
  }
  std::error_code error;
  changed_ = std::filesystem::last_write_time(path_, error);
}

std::optional<ApiKey> ApiKeys::Find(std::string_view key) {
  const std::lock_guard lock(mutex_);
  ReadIfChanged();
  const ApiKey* found = nullptr;
  for (const ApiKey& known : keys_) {
    if (EqualInConstantTime(key, known.text)) found = &known;
  }
  return found == nullptr ? std::nullopt : std::optional(*found);
}

void ApiKeys::ReadIfChanged() {
  const auto now = std::chrono::steady_clock::now();
  if (now - checked_at_ < kLookEvery) return;
  checked_at_ = now;
  std::error_code error;
  const auto changed = std::filesystem::last_write_time(path_, error);
  if (error || changed == changed_) return;
  try {
    keys_ = ReadKeys(path_);
    changed_ = changed;
  } catch (const IoError&) {
    return;  // the file is being replaced; retried in a second
  } catch (const ConfigError&) {
    changed_ = changed;  // an invalid file is not read again until it changes
  }
}

int64_t& RequestLimiter::CountOf(const std::string& client,
                                 Clock::time_point now) {
  if (now - window_ >= kWindow) {
    window_ = now;
    recent_.clear();
    older_.clear();
  }
  const auto found = recent_.find(client);
  if (found != recent_.end()) return found->second;
  if (recent_.size() >= max_clients_ / 2) {
    older_ = std::move(recent_);
    recent_.clear();
  }
  const auto before = older_.find(client);
  return recent_[client] = before == older_.end() ? 0 : before->second;
}

int RequestLimiter::Rest(Clock::time_point now) const {
  const auto rest =
      std::chrono::ceil<std::chrono::seconds>(kWindow - (now - window_));
  return static_cast<int>(rest.count());
}

int RequestLimiter::Count(const std::string& client, int64_t requests,
                          int per_minute, Clock::time_point now) {
  if (per_minute == 0) return 0;
  const std::lock_guard lock(mutex_);
  int64_t& count = CountOf(client, now);
  if (count + requests > per_minute) return Rest(now);
  count += requests;
  return 0;
}

int RequestLimiter::SecondsToWait(const std::string& client, int per_minute,
                                  Clock::time_point now) {
  if (per_minute == 0) return 0;
  const std::lock_guard lock(mutex_);
  return CountOf(client, now) >= per_minute ? Rest(now) : 0;
}

size_t RequestLimiter::clients() {
  const std::lock_guard lock(mutex_);
  return recent_.size() + older_.size();
}

}  // namespace heed
