// Whole files in, whole files out.
#ifndef HEED_IO_FILE_H_
#define HEED_IO_FILE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

/// What a line may have.
inline constexpr size_t kMostLineBytes = size_t{1} << 24;

/// An open regular file, read from its beginning: a pipe or a device, which may
/// never end, is refused.
class InputFile {
 public:
  /// Throws: IoError.
  explicit InputFile(const std::string& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  /// Bytes of the file when it was opened.
  uint64_t size() const { return size_; }
  /// The next bytes; fewer than `size` only at the end. Throws: IoError.
  size_t Read(void* data, size_t size);
  /// The descriptor, which is then the caller's.
  int Release();

 private:
  const std::string path_;
  int fd_ = -1;
  uint64_t size_ = 0;
};

/// The bytes of a regular file. Throws: IoError if it cannot be read;
/// FormatError if it has over 2 GiB, which nothing but weights has.
std::string ReadFile(const std::string& path);

/// The same of a plain or gzip file, inflated; which it is, its first bytes
/// say. Throws: the same; FormatError for a truncated or corrupt gzip file.
std::string ReadInflated(const std::string& path);

/// Throws: IoError unless it is a regular file that can be read.
void CheckRegular(const std::string& path);

/// The lines of a UTF-8 text, plain or gzip (recognised by its first bytes),
/// without line ends (LF or CRLF) and without a byte-order mark at the start.
/// Only a part of the file is in memory. It may be a pipe; "-" is standard
/// input.
class LineReader {
 public:
  /// Throws: IoError if it cannot be opened.
  explicit LineReader(const std::string& path);
  ~LineReader();
  LineReader(LineReader&&) noexcept;
  LineReader& operator=(LineReader&&) noexcept;
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  /// The next line, which is there until the next call; nothing at the end.
  /// Throws: IoError if it cannot be read; FormatError if it is empty, not
  /// valid UTF-8, holds a NUL byte or has a line of over 16 MiB (names the
  /// line), or a truncated or corrupt gzip, or one whose lines would take over
  /// 96 MiB and 64 times its size.
  std::optional<std::string_view> Next();
  /// Of the line that came last, from 1.
  int64_t number() const;

 private:
  class File;
  std::unique_ptr<File> file_;
};

/// Calls body(line, number), numbers from 1, for the lines of a file until it
/// returns false. Throws: as LineReader.
void ForEachLine(
    const std::string& path,
    const std::function<bool(std::string_view line, int64_t number)>& body);

/// All of them.
std::vector<std::string> ReadLines(const std::string& path);

/// A file that appears whole or not at all: written beside its place as a new
/// file of another name (path, twelve random digits, ".tmp"), and moved there
/// by Commit() with the permissions of an older file. Without Commit(), an
/// older file stays as it was. What is not a regular file (a pipe, a device) is
/// written directly. Of several writers, the last one to commit wins.
class AtomicFile {
 public:
  /// Throws: IoError if the folder does not take a new file.
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Appends. Throws: IoError.
  void Write(const void* data, size_t size);
  void Write(std::string_view bytes) { Write(bytes.data(), bytes.size()); }
  /// Brings the content to the disk and into its place. Throws: IoError.
  void Commit();

 private:
  [[noreturn]] void Fail(const char* action) const;
  void CreateBeside(unsigned mode);
  bool Lock() const;
  bool direct() const { return written_path_ == path_; }

  std::string path_;
  std::string written_path_;
  int fd_ = -1;
};

/// Throws: IoError; an older file then stays as it was.
void WriteFileAtomically(const std::string& path, std::string_view content);
/// The bytes of a regular file of any size. Throws: the same.
void CopyFileAtomically(const std::string& from, const std::string& to);

/// Whether `path` is what an AtomicFile writes before its Commit().
bool IsUnfinished(std::string_view path);

/// Removes what killed writers of `path` may have left beside it, but not what
/// is being written. A new AtomicFile does so as well.
void DiscardUnfinished(const std::string& path);

/// CRC-32 as in gzip and zip, of these bytes behind others, whose sum was
/// `before`.
uint32_t Crc32(std::string_view bytes, uint32_t before = 0);

}  // namespace heed

#endif  // HEED_IO_FILE_H_
