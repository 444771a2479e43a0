// Common code of the fuzzers. A fuzzer passes untrusted bytes to the function
// that reads them. The function must succeed or throw one of Heed's errors.
#ifndef HEED_TESTS_FUZZ_FUZZ_H_
#define HEED_TESTS_FUZZ_FUZZ_H_

#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/errors.h"
#include "heed/io/file.h"

namespace heed::fuzz {

inline std::string_view Bytes(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Runs `read`, which may throw an Error. Other exceptions end the fuzzer.
/// HEED_FUZZ_TELL=1 in the environment prints the reason of a refusal.
template <typename Read>
void MayRefuse(const Read& read) {
  try {
    read();
  } catch (const Error& error) {
    if (*error.what() == '\0') std::abort();  // an error without a message
    static const bool tell = std::getenv("HEED_FUZZ_TELL") != nullptr;
    if (tell) std::fprintf(stderr, "refused: %s\n", error.what());
  }
}

/// Passes inputs of several kinds to `read`; the first byte selects the kind.
inline int ReadKind(const uint8_t* data, size_t size,
                    void (*read)(uint8_t kind, std::string_view bytes)) {
  if (size == 0) return 0;
  MayRefuse([&] { read(*data, Bytes(data + 1, size - 1)); });
  return 0;
}

inline void Require(bool holds, const char* what) {
  if (holds) return;
  dprintf(STDERR_FILENO, "does not hold: %s\n", what);
  std::abort();
}

/// Discards warnings during its lifetime, to keep the log short.
class NoWarnings {
 public:
  NoWarnings() : shown_(stderr) {
    static std::FILE* nowhere = std::fopen("/dev/null", "w");
    if (nowhere == nullptr) std::abort();
    stderr = nowhere;
  }
  ~NoWarnings() { stderr = shown_; }
  NoWarnings(const NoWarnings&) = delete;
  NoWarnings& operator=(const NoWarnings&) = delete;

 private:
  std::FILE* shown_;
};

/// Separator between the parts of an input.
inline constexpr std::string_view kSeparator = "\n====\n";

/// Splits an input into at least `min` parts; missing parts are empty.
inline std::vector<std::string_view> Parts(std::string_view bytes, size_t min) {
  std::vector<std::string_view> parts;
  for (size_t at = bytes.find(kSeparator); at != std::string_view::npos;
       at = bytes.find(kSeparator)) {
    parts.push_back(bytes.substr(0, at));
    bytes.remove_prefix(at + kSeparator.size());
  }
  parts.push_back(bytes);
  while (parts.size() < min) parts.emplace_back();
  return parts;
}

/// A temporary folder in memory for readers of files, removed at exit.
class Folder {
 public:
  Folder() {
    const char* place =
        std::filesystem::is_directory("/dev/shm") ? "/dev/shm" : "/tmp";
    std::string name = fmt::format("{}/heed-fuzz-XXXXXX", place);
    if (!mkdtemp(name.data())) std::abort();
    path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::string& path() const { return path_; }
  void Clear() const {
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      std::filesystem::remove_all(entry.path());
    }
  }
  /// Writes a file and returns its path.
  std::string Put(const std::string& name, std::string_view bytes) const {
    std::string path = path_ + "/" + name;
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (!file) std::abort();
    std::fwrite(bytes.data(), 1, bytes.size(), file);
    std::fclose(file);
    return path;
  }

 private:
  std::string path_;
};

}  // namespace heed::fuzz

#endif  // HEED_TESTS_FUZZ_FUZZ_H_
