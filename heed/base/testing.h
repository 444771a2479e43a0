// Helpers shared by tests of several folders.
#ifndef HEED_BASE_TESTING_H_
#define HEED_BASE_TESTING_H_

#include <gtest/gtest.h>
#include <stdlib.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>

#include "heed/base/cancellation.h"

namespace heed {

/// Empty folder with a unique name, removed by the destructor.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = testing::TempDir() + "heed.XXXXXX";
    if (mkdtemp(name.data()) == nullptr) {
      throw std::runtime_error("no temporary folder can be made");
    }
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string Path(const std::string& name) const { return path_ / name; }
  /// Writes a file and returns its path.
  std::string Put(const std::string& name, const std::string& content) const {
    std::ofstream(Path(name), std::ios::binary) << content;
    return Path(name);
  }

 private:
  std::filesystem::path path_;
};

/// Message of the error of type ErrorType that `action` throws; "no error" if
/// it throws none.
template <typename ErrorType, typename Action>
std::string MessageOf(Action&& action) {
  try {
    action();
  } catch (const ErrorType& error) {
    return error.what();
  }
  return "no error";
}

/// Number of occurrences of `part` in `text`.
inline size_t Count(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + part.size())) {
    ++count;
  }
  return count;
}

/// Counts its calls; cancelled from call `last` on.
class CountedCancellation : public Cancellation {
 public:
  explicit CountedCancellation(
      int64_t last = std::numeric_limits<int64_t>::max())
      : last_(last) {}

  bool cancelled() const override { return ++checks_ >= last_; }
  int64_t checks() const { return checks_; }

 private:
  const int64_t last_;
  mutable std::atomic<int64_t> checks_ = 0;
};

}  // namespace heed

#endif  // HEED_BASE_TESTING_H_
