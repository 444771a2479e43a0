#include "heed/io/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/text.h"

namespace heed {
namespace {

constexpr size_t kReadBytes = size_t{1} << 18;
constexpr size_t kLeastBytes = size_t{1} << 12;
constexpr size_t kMostBytes = size_t{1} << 30;
constexpr const char* kUnfinished = ".tmp";

[[noreturn]] void ThrowIoError(const char* action, const std::string& path) {
  throw IoError(
      fmt::format("cannot {} {}: {}", action, path, std::strerror(errno)));
}

int OpenToRead(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) ThrowIoError("open", path);
  return fd;
}

[[noreturn]] void ThrowGzipError(gzFile file, const std::string& path) {
  int code = Z_OK;
  const char* message = gzerror(file, &code);
  if (code == Z_ERRNO) ThrowIoError("read", path);
  if (code == Z_BUF_ERROR) {
    throw FormatError(fmt::format("{} is a truncated gzip file", path));
  }
  throw FormatError(
      fmt::format("{} is a corrupt gzip file: {}", path, message));
}

// A plain or gzip file, part by part; zlib tells them apart.
class TextFile {
 public:
  explicit TextFile(const std::string& path)
      : path_(path), file_(Open(path), gzclose_r) {}

  // Appends some bytes; false at the end.
  bool Append(std::string& text) {
    const size_t size = text.size();
    text.resize(size + kReadBytes);
    const int got = gzread(file_.get(), text.data() + size, kReadBytes);
    if (got < 0) ThrowGzipError(file_.get(), path_);
    text.resize(size + static_cast<size_t>(got));
    if (got > 0) return true;
    // A file that ends inside a gzip stream is told only by this.
    int code = Z_OK;
    gzerror(file_.get(), &code);
    if (code != Z_OK) ThrowGzipError(file_.get(), path_);
    return false;
  }

 private:
  static gzFile Open(const std::string& path) {
    const int fd = OpenToRead(path);
    gzFile file = gzdopen(fd, "rb");
    if (file != nullptr) return file;
    close(fd);
    throw IoError(fmt::format("cannot read {}: out of memory", path));
  }

  const std::string& path_;
  std::unique_ptr<gzFile_s, int (*)(gzFile)> file_;
};

// So that a rename survives a power cut. File systems that cannot do it for
// folders say so with an error that changes nothing for the file.
void SyncFolderOf(const std::string& path) {
  const std::filesystem::path folder =
      std::filesystem::path(path).parent_path();
  const int fd = open(folder.empty() ? "." : folder.c_str(),
                      O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  fsync(fd);
  close(fd);
}

bool IsSpecialFile(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
}

}  // namespace

std::string ReadFile(const std::string& path) {
  const int fd = OpenToRead(path);
  const std::unique_ptr<const int, void (*)(const int*)> closer(
      &fd, [](const int* open_fd) { close(*open_fd); });
  // One byte more than the file has, so that its end is seen; pipes have 0.
  struct stat info = {};
  fstat(fd, &info);
  const auto expected = static_cast<size_t>(info.st_size);
  std::string content(std::min(std::max(expected, kLeastBytes), kMostBytes) + 1,
                      '\0');
  size_t size = 0;
  for (;;) {
    const ssize_t got = read(fd, content.data() + size,
                             std::min(content.size() - size, kMostBytes));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) ThrowIoError("read", path);
    if (got == 0) break;
    size += static_cast<size_t>(got);
    if (size == content.size()) content.resize(size + size / 2);
  }
  content.resize(size);
  return content;
}

void ForEachLine(
    const std::string& path,
    const std::function<bool(std::string_view line, int64_t number)>& body) {
  TextFile file(path);
  std::string text;
  size_t start = 0;  // of the line that comes next
  int64_t number = 0;
  const auto take = [&](size_t end) {
    std::string_view line(text.data() + start, end - start);
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++number;
    if (!IsValidUtf8(line)) {
      throw FormatError(fmt::format("{}:{}: not valid UTF-8; convert the file",
                                    path, number));
    }
    start = end + 1;
    return body(line, number);
  };
  bool first = true;
  for (bool more = true; more;) {
    text.erase(0, start);
    const size_t scanned = text.size();  // without a line end
    start = 0;
    more = file.Append(text);
    if (first) {
      if (text.starts_with("\xEF\xBB\xBF")) start = 3;
      if (text.size() == start) {
        throw FormatError(fmt::format("{} is empty", path));
      }
      first = false;
    }
    for (size_t end = text.find('\n', std::max(scanned, start));
         end != std::string::npos; end = text.find('\n', start)) {
      if (!take(end)) return;
    }
  }
  if (start < text.size()) take(text.size());
}

std::vector<std::string> ReadLines(const std::string& path) {
  std::vector<std::string> lines;
  ForEachLine(path, [&](std::string_view line, int64_t /*number*/) {
    lines.emplace_back(line);
    return true;
  });
  return lines;
}

AtomicFile::AtomicFile(const std::string& path)
    : path_(path),
      written_path_(IsSpecialFile(path) ? path : path + kUnfinished) {
  const int create = direct() ? 0 : O_CREAT | O_TRUNC;
  fd_ = open(written_path_.c_str(), O_WRONLY | O_CLOEXEC | create, 0666);
  if (fd_ < 0) Fail("create");
}

AtomicFile::~AtomicFile() {
  if (fd_ < 0) return;
  close(fd_);
  if (!direct()) unlink(written_path_.c_str());
}

void AtomicFile::Fail(const char* action) const { ThrowIoError(action, path_); }

void AtomicFile::Write(const void* data, size_t size) {
  const char* next = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = write(fd_, next, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) Fail("write");
    next += written;
    size -= static_cast<size_t>(written);
  }
}

void AtomicFile::Commit() {
  // Pipes and devices have nothing to bring to a disk and say EINVAL.
  if (fsync(fd_) != 0 && !direct()) Fail("write");
  if (!direct() && rename(written_path_.c_str(), path_.c_str()) != 0) {
    Fail("replace");
  }
  if (close(std::exchange(fd_, -1)) != 0) Fail("write");
  if (!direct()) SyncFolderOf(path_);
}

void WriteFileAtomically(const std::string& path, std::string_view content) {
  AtomicFile file(path);
  file.Write(content);
  file.Commit();
}

bool IsUnfinished(std::string_view path) { return path.ends_with(kUnfinished); }

void DiscardUnfinished(const std::string& path) {
  unlink((path + kUnfinished).c_str());
}

uint32_t Crc32(std::string_view bytes) {
  return static_cast<uint32_t>(crc32_z(
      0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

}  // namespace heed
