#include "heed/io/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/text.h"

namespace heed {
namespace {

constexpr size_t kReadBytes = size_t{1} << 18;
constexpr size_t kMaxBytes = size_t{1} << 30;         // of one read()
constexpr uint64_t kLargestFile = uint64_t{1} << 31;  // except weights
constexpr std::string_view kStandardInput = "-";
constexpr std::string_view kUnfinished = ".tmp";
constexpr size_t kRandomDigits = 12;

/// Memory limit for the lines of a gzip file: kInflatedAnyway plus a multiple
/// of its size that no text compresses to. Each line counts kLineBytes more
/// than its bytes.
constexpr uint64_t kMaxInflation = 64;
constexpr uint64_t kInflatedAnyway = uint64_t{96} << 20;
constexpr uint64_t kLineBytes = sizeof(std::string);

[[noreturn]] void ThrowIoError(const char* action, const std::string& path) {
  throw IoError("cannot {} {}: {}", action, path, std::strerror(errno));
}

/// Repeats a system call that a signal interrupted.
template <typename Call>
auto Retrying(const Call& call) {
  decltype(call()) result;
  do {
    result = call();
  } while (result < 0 && errno == EINTR);
  return result;
}

/// Calls read(to, done, bytes) until `size` bytes are read or the file ends.
/// Returns the number of bytes.
template <typename Read>
size_t ReadParts(void* data, size_t size, const std::string& path,
                 const Read& read) {
  size_t done = 0;
  while (done < size) {
    const ssize_t got = Retrying([&] {
      return read(static_cast<char*>(data) + done, done,
                  std::min(size - done, kMaxBytes));
    });
    if (got < 0) ThrowIoError("read", path);
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  return done;
}

int OpenToRead(const std::string& path, int flags = 0) {
  const int fd = Retrying([&] {
    return open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | flags);
  });
  if (fd < 0) ThrowIoError("open", path);
  return fd;
}

int OpenStandardInput() {
  const int fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
  if (fd < 0) ThrowIoError("read", "standard input");
  return fd;
}

[[noreturn]] void ThrowGzipError(gzFile file, const std::string& path) {
  int code = Z_OK;
  const char* message = gzerror(file, &code);
  if (code == Z_ERRNO) ThrowIoError("read", path);
  if (code == Z_BUF_ERROR) {
    throw FormatError("{} is a truncated gzip file", path);
  }
  throw FormatError("{} is a corrupt gzip file: {}", path, message);
}

// Syncs the folder, so that a rename survives a power failure. Errors are
// ignored: file systems without support return EINVAL, and a folder may be
// unreadable.
void SyncFolderOf(const std::string& path) {
  const std::filesystem::path folder =
      std::filesystem::path(path).parent_path();
  const int fd = open(folder.empty() ? "." : folder.c_str(),
                      O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0 && errno == EACCES) return;
  if (fd < 0) ThrowIoError("open the folder of", path);
  const int result = Retrying([&] { return fsync(fd); });
  const int error = errno;
  close(fd);
  errno = error;
  if (result != 0 && errno != EINVAL) ThrowIoError("write the folder of", path);
}

std::string RandomDigits() {
  uint64_t value = 0;
  if (Retrying([&] { return getrandom(&value, sizeof(value), 0); }) < 0) {
    throw IoError("no random numbers: {}", std::strerror(errno));
  }
  return fmt::format("{:016x}", value).substr(0, kRandomDigits);
}

}  // namespace

// A plain or gzip file, read in parts; zlib tells the formats apart.
class TextFile {
 public:
  explicit TextFile(const std::string& path)
      : name_(path == kStandardInput ? "standard input" : path),
        file_(Open(path), gzclose_r) {}

  /// Name of the file in error messages.
  const std::string& name() const { return name_; }

  // Appends the next bytes; false at the end.
  bool Append(std::string& text) {
    const size_t size = text.size();
    text.resize(size + kReadBytes);
    const int got = gzread(file_.get(), text.data() + size, kReadBytes);
    if (got < 0) ThrowGzipError(file_.get(), name_);
    text.resize(size + static_cast<size_t>(got));
    inflated_ += static_cast<uint64_t>(got);
    if (got > 0) return true;
    // A file that ends inside a gzip stream is recognised only by this.
    int code = Z_OK;
    gzerror(file_.get(), &code);
    if (code != Z_OK) ThrowGzipError(file_.get(), name_);
    return false;
  }

  /// Throws: FormatError if `lines` lines exceed the limit of a gzip file.
  void CheckInflation(int64_t lines) {
    const uint64_t taken =
        inflated_ + kLineBytes * static_cast<uint64_t>(lines);
    if (taken > budget_ && gzdirect(file_.get()) == 0) {
      throw FormatError(
          "{} is a gzip file whose lines take over {} MiB, more than text of "
          "its size; unpack it first if that is meant",
          name_, budget_ >> 20);
    }
  }

 private:
  gzFile Open(const std::string& path) {
    const int fd =
        path == kStandardInput ? OpenStandardInput() : OpenToRead(path);
    struct stat info = {};
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) {
      budget_ =
          kInflatedAnyway + kMaxInflation * static_cast<uint64_t>(info.st_size);
    }
    gzFile file = gzdopen(fd, "rb");
    if (file != nullptr) return file;
    close(fd);
    throw IoError("cannot read {}: out of memory", name_);
  }

  const std::string name_;
  uint64_t budget_ = UINT64_MAX;  // unlimited for a pipe
  uint64_t inflated_ = 0;
  std::unique_ptr<gzFile_s, int (*)(gzFile)> file_;
};

InputFile::InputFile(const std::string& path)
    // O_NONBLOCK, because opening a pipe would wait for a writer.
    : path_(path), fd_(OpenToRead(path, O_NONBLOCK)) {
  struct stat info = {};
  const char* problem = fstat(fd_, &info) != 0  ? std::strerror(errno)
                        : S_ISREG(info.st_mode) ? nullptr
                        : S_ISDIR(info.st_mode) ? "it is a folder"
                                                : "it is not a regular file";
  if (problem != nullptr) {
    close(fd_);
    throw IoError("cannot read {}: {}", path, problem);
  }
  size_ = static_cast<uint64_t>(info.st_size);
}

InputFile::~InputFile() {
  if (fd_ >= 0) close(fd_);
}

size_t InputFile::Read(void* data, size_t size) {
  return ReadParts(data, size, path_, [&](void* to, size_t, size_t bytes) {
    return read(fd_, to, bytes);
  });
}

size_t InputFile::ReadAt(uint64_t offset, void* data, size_t size) const {
  return ReadParts(data, size, path_, [&](void* to, size_t done, size_t bytes) {
    return pread(fd_, to, bytes, static_cast<off_t>(offset + done));
  });
}

int InputFile::Release() { return std::exchange(fd_, -1); }

std::string ReadFile(const std::string& path) {
  InputFile file(path);
  std::string content;
  // Files of /proc do not report their size.
  for (size_t more = file.size() + 1; more > 0; more = kReadBytes) {
    if (content.size() + more > kLargestFile) {
      throw FormatError("{} has over {} GiB; it is damaged", path,
                        kLargestFile >> 30);
    }
    const size_t size = content.size();
    content.resize(size + more);
    const size_t got = file.Read(content.data() + size, more);
    content.resize(size + got);
    if (got < more) break;
  }
  return content;
}

SharedBytes MapFile(const std::string& path) {
  constexpr uint64_t kLeastMapped = uint64_t{1} << 20;
  InputFile file(path);
  const uint64_t size = file.size();
  if (size >= kLeastMapped && size <= kLargestFile) {
    const int fd = file.Release();
    void* const begin =
        mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
    close(fd);
    if (begin != MAP_FAILED) {
      return {{static_cast<const char*>(begin), size},
              {begin, [size](void* mapped) { munmap(mapped, size); }}};
    }
  }
  return ReadFile(path);
}

std::string ReadInflated(const std::string& path) {
  CheckRegular(path);
  TextFile file(path);
  std::string content;
  while (file.Append(content)) {
    if (content.size() > kLargestFile) {
      throw FormatError("{} has over {} GiB; it is damaged", path,
                        kLargestFile >> 30);
    }
  }
  if (content.starts_with("\x28\xb5\x2f\xfd")) {
    throw FormatError("{}: is compressed with zstd; unpack it first: unzstd {}",
                      path, path);
  }
  return content;
}

void CheckRegular(const std::string& path) { const InputFile file(path); }

class LineReader::File {
 public:
  explicit File(const std::string& path) : file_(path) {}

  std::optional<std::string_view> Next() {
    while (true) {
      const size_t end = text_.find('\n', std::max(scanned_, start_));
      if (end != std::string::npos) return Take(end);
      if (text_.size() > start_ + kMaxLineBytes) {
        throw FormatError("{}:{}: a line of over {} MiB; split it",
                          file_.name(), number_ + 1, kMaxLineBytes >> 20);
      }
      if (ended_) {
        if (start_ >= text_.size()) return std::nullopt;
        return Take(text_.size());
      }
      ReadOn();
    }
  }
  int64_t number() const { return number_; }

 private:
  void ReadOn() {
    text_.erase(0, start_);
    scanned_ = text_.size();
    start_ = 0;
    ended_ = !file_.Append(text_);
    file_.CheckInflation(number_);
    if (!std::exchange(first_, false)) return;
    if (text_.starts_with("\xEF\xBB\xBF")) start_ = 3;
    if (text_.size() == start_) throw FormatError("{} is empty", file_.name());
  }

  std::string_view Take(size_t end) {
    std::string_view line(text_.data() + start_, end - start_);
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++number_;
    if (!IsValidUtf8(line)) {
      throw FormatError("{}:{}: not valid UTF-8; convert the file",
                        file_.name(), number_);
    }
    if (line.find('\0') != line.npos) {
      throw FormatError("{}:{}: holds a NUL byte, which no text has; remove it",
                        file_.name(), number_);
    }
    start_ = end + 1;
    return line;
  }

  TextFile file_;
  std::string text_;
  size_t start_ = 0;    // start of the next line
  size_t scanned_ = 0;  // end of the part known to have no line end
  int64_t number_ = 0;
  bool first_ = true;
  bool ended_ = false;
};

LineReader::LineReader(const std::string& path)
    : file_(std::make_unique<File>(path)) {}
LineReader::~LineReader() = default;
LineReader::LineReader(LineReader&&) noexcept = default;
LineReader& LineReader::operator=(LineReader&&) noexcept = default;
std::optional<std::string_view> LineReader::Next() { return file_->Next(); }
int64_t LineReader::number() const { return file_->number(); }

void ForEachLine(
    const std::string& path,
    const std::function<bool(std::string_view line, int64_t number)>& body) {
  LineReader reader(path);
  while (const std::optional<std::string_view> line = reader.Next()) {
    if (!body(*line, reader.number())) return;
  }
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
    : path_(path), written_path_(path) {
  struct stat old = {};
  const bool exists = stat(path.c_str(), &old) == 0;
  if (!exists || S_ISREG(old.st_mode)) {
    DiscardUnfinished(path);
    // Only the owner may read it until it has the old file's permissions.
    CreateBeside(exists ? 0600 : 0666);
    // Another writer may have found and removed it before it was locked.
    while (!Lock()) {
      close(fd_);
      CreateBeside(exists ? 0600 : 0666);
    }
    if (exists) (void)fchmod(fd_, old.st_mode & 0777);
  } else {
    fd_ = Retrying(
        [&] { return open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY); });
    if (fd_ < 0) Fail("write");
  }
}

AtomicFile::~AtomicFile() {
  if (fd_ < 0) return;
  close(fd_);
  if (!direct()) unlink(written_path_.c_str());
}

// Locks the temporary file while it is written, so that DiscardUnfinished()
// keeps it. False if DiscardUnfinished() was faster and removed it. True if the
// file system has no locks.
bool AtomicFile::Lock() const {
  if (flock(fd_, LOCK_EX | LOCK_NB) != 0) return errno != EWOULDBLOCK;
  struct stat own = {};
  return fstat(fd_, &own) != 0 || own.st_nlink > 0;
}

// Creates the temporary file; O_EXCL and O_NOFOLLOW reject existing links.
void AtomicFile::CreateBeside(unsigned mode) {
  do {
    written_path_ = fmt::format("{}.{}{}", path_, RandomDigits(), kUnfinished);
    fd_ = open(written_path_.c_str(),
               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
  } while (fd_ < 0 && (errno == EEXIST || errno == EINTR));
  if (fd_ < 0) Fail("create");
}

void AtomicFile::Fail(const char* action) const { ThrowIoError(action, path_); }

void AtomicFile::Write(const void* data, size_t size) {
  const char* next = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = Retrying([&] { return write(fd_, next, size); });
    if (written < 0) Fail("write");
    next += written;
    size -= static_cast<size_t>(written);
  }
}

void AtomicFile::WriteStart(std::string_view bytes) {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t written = Retrying([&] {
      return pwrite(fd_, bytes.data() + done, bytes.size() - done,
                    static_cast<off_t>(done));
    });
    if (written < 0) Fail("write");
    done += static_cast<size_t>(written);
  }
}

void AtomicFile::Commit() {
  const int synced = Retrying([&] { return fsync(fd_); });
  // Pipes and devices cannot be synced and return EINVAL.
  if (synced != 0 && !direct()) Fail("write");
  if (!direct() && rename(written_path_.c_str(), path_.c_str()) != 0) {
    Fail("replace");
  }
  close(std::exchange(fd_, -1));  // already synced
  if (!direct()) SyncFolderOf(path_);
}

void WriteFileAtomically(const std::string& path, std::string_view content) {
  AtomicFile file(path);
  file.Write(content);
  file.Commit();
}

void CopyFileAtomically(const std::string& from, const std::string& to) {
  InputFile input(from);
  AtomicFile output(to);
  std::string part(kReadBytes, '\0');
  for (size_t got = part.size(); got == part.size();) {
    got = input.Read(part.data(), part.size());
    output.Write(part.data(), got);
  }
  output.Commit();
}

bool IsUnfinished(std::string_view path) {
  if (!path.ends_with(kUnfinished)) return false;
  path.remove_suffix(kUnfinished.size());
  if (path.size() <= kRandomDigits) return false;
  const std::string_view digits = path.substr(path.size() - kRandomDigits);
  return path[path.size() - kRandomDigits - 1] == '.' &&
         digits.find_first_not_of("0123456789abcdef") == digits.npos;
}

void DiscardUnfinished(const std::string& path) {
  const std::filesystem::path place(path);
  const std::filesystem::path folder =
      place.has_parent_path() ? place.parent_path() : ".";
  const std::string begin = place.filename().string() + ".";
  const size_t size = begin.size() + kRandomDigits + kUnfinished.size();
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error), end;
  for (; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(begin) || name.size() != size ||
        !IsUnfinished(name)) {
      continue;
    }
    const int fd = open(entry->path().c_str(),
                        O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) continue;
    // A live writer holds the lock.
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) unlink(entry->path().c_str());
    close(fd);
  }
}

uint32_t Crc32(std::string_view bytes, uint32_t before) {
  return static_cast<uint32_t>(
      crc32_z(before, reinterpret_cast<const unsigned char*>(bytes.data()),
              bytes.size()));
}

}  // namespace heed
