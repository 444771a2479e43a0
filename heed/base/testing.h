// What tests of several folders share.
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

/// An empty folder of this process alone, which goes with the object.
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
  /// Writes a file and gives its path.
  std::string Put(const std::string& name, const std::string& content) const {
    std::ofstream(Path(name), std::ios::binary) << content;
    return Path(name);
  }

 private:
  std::filesystem::path path_;
};

/// What the error of this type says that `action` throws.
template <typename ErrorType, typename Action>
std::string MessageOf(Action&& action) {
  try {
    action();
  } catch (const ErrorType& error) {
    return error.what();
  }
  return "no error";
}

/// How often `part` occurs in `text`.
inline size_t Count(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + part.size())) {
    ++count;
  }
  return count;
}

/// Counts how often it is asked, and is cancelled from the `last` time on.
class CountedCancellation : public Cancellation {
 public:
  explicit CountedCancellation(
      int64_t last = std::numeric_limits<int64_t>::max())
      : last_(last) {}

  bool cancelled() const override { return ++asked_ >= last_; }
  int64_t asked() const { return asked_; }

 private:
  const int64_t last_;
  mutable std::atomic<int64_t> asked_ = 0;
};

}  // namespace heed

#endif  // HEED_BASE_TESTING_H_
