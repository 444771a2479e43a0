#include "heed/serve/api_keys.h"

#include <fmt/format.h>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/io/file.h"

namespace heed {
namespace {

constexpr auto kLookEvery = std::chrono::seconds(1);
constexpr auto kWindow = std::chrono::minutes(1);

std::vector<std::string> ReadKeys(const std::string& path) {
  std::vector<std::string> keys;
  const std::string text = ReadFile(path);
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const auto words =
        SplitWhitespace(std::string_view(text).substr(begin, end - begin));
    if (!words.empty() && !words[0].starts_with('#')) {
      keys.emplace_back(words[0]);
    }
    begin = end + 1;
  }
  return keys;
}

}  // namespace

bool EqualInConstantTime(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (size_t i = 0; i < a.size(); ++i) {
    const char other = i < b.size() ? b[i] : '\0';
    difference |= static_cast<unsigned>(static_cast<unsigned char>(a[i]) ^
                                        static_cast<unsigned char>(other));
  }
  return difference == 0;
}

ApiKeys::ApiKeys(std::string path)
    : path_(std::move(path)), looked_(std::chrono::steady_clock::now()) {
  if (path_.empty()) return;
  keys_ = ReadKeys(path_);
  if (keys_.empty()) {
    throw ConfigError(path_ + ": holds no API key; one a line is needed");
  }
  std::error_code error;
  changed_ = std::filesystem::last_write_time(path_, error);
}

bool ApiKeys::Has(std::string_view key) {
  const std::lock_guard lock(mutex_);
  ReadIfChanged();
  bool found = false;
  for (const std::string& known : keys_) {
    found |= EqualInConstantTime(key, known);
  }
  return found;
}

void ApiKeys::ReadIfChanged() {
  const auto now = std::chrono::steady_clock::now();
  if (now - looked_ < kLookEvery) return;
  looked_ = now;
  std::error_code error;
  const auto changed = std::filesystem::last_write_time(path_, error);
  if (error || changed == changed_) return;
  try {
    keys_ = ReadKeys(path_);
    changed_ = changed;
  } catch (const IoError&) {
    return;  // it is being replaced; looked at again in a second
  }
}

int RequestLimiter::Count(const std::string& client, Clock::time_point now) {
  if (per_minute_ == 0) return 0;
  const std::lock_guard lock(mutex_);
  if (now - window_ >= kWindow) {
    window_ = now;
    counts_.clear();
  }
  if (++counts_[client] <= per_minute_) return 0;
  const auto rest =
      std::chrono::ceil<std::chrono::seconds>(kWindow - (now - window_));
  return static_cast<int>(rest.count());
}

}  // namespace heed
