// Reading and writing whole files.
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

#include "heed/base/shared_bytes.h"

namespace heed {

/// Maximum length of a line. Units: bytes
inline constexpr size_t kMaxLineBytes = size_t{1} << 24;

/// An open regular file. Pipes and devices are rejected, because they may never
/// end.
class InputFile {
 public:
  /// Throws: IoError.
  explicit InputFile(const std::string& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  /// Size of the file when it was opened. Units: bytes
  uint64_t size() const { return size_; }
  /// Reads the next bytes; fewer than `size` only at the end. Throws: IoError.
  size_t Read(void* data, size_t size);
  /// Reads the bytes from `offset` on; fewer than `size` only at the end. The
  /// position of Read() stays. Throws: IoError.
  size_t ReadAt(uint64_t offset, void* data, size_t size) const;
  /// Returns the descriptor and transfers its ownership to the caller.
  int Release();

 private:
  const std::string path_;
  int fd_ = -1;
  uint64_t size_ = 0;
};

/// The bytes of a regular file. Throws: IoError if it cannot be read;
/// FormatError if it is larger than 2 GiB (only weights are that large).
std::string ReadFile(const std::string& path);

/// The bytes of a regular file that programs replace as a whole and never
/// change. A large file is mapped: its pages are read when they are used.
/// Throws: as ReadFile.
SharedBytes MapFile(const std::string& path);

/// The bytes of a plain or gzip file, decompressed. The format is recognised by
/// its first bytes. Throws: IoError if it cannot be read; FormatError if it is
/// larger than 2 GiB, a truncated or corrupt gzip file, or one of zstd.
std::string ReadInflated(const std::string& path);

/// Throws: IoError unless it is a regular file that can be read.
void CheckRegular(const std::string& path);

/// Reads the lines of a UTF-8 text, plain or gzip (recognised by its first
/// bytes), without line ends (LF or CRLF) and without a byte-order mark at the
/// start. Only a part of the file is in memory. The file may be a pipe; "-" is
/// standard input.
class LineReader {
 public:
  /// Throws: IoError if it cannot be opened.
  explicit LineReader(const std::string& path);
  ~LineReader();
  LineReader(LineReader&&) noexcept;
  LineReader& operator=(LineReader&&) noexcept;
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  /// The next line, valid until the next call; nothing at the end. Throws:
  /// IoError if the file cannot be read. FormatError, which names the line, for
  /// an empty file, invalid UTF-8, a NUL byte, a line over 16 MiB, a truncated
  /// or corrupt gzip file, or one whose lines take over 96 MiB plus 64 times
  /// its size.
  std::optional<std::string_view> Next();
  /// Number of the line that Next() returned last, from 1.
  int64_t number() const;

 private:
  class File;
  std::unique_ptr<File> file_;
};

/// Calls body(line, number), numbers from 1, for the lines of a file until it
/// returns false. Throws: like LineReader.
void ForEachLine(
    const std::string& path,
    const std::function<bool(std::string_view line, int64_t number)>& body);

/// All lines of a file. Throws: like LineReader.
std::vector<std::string> ReadLines(const std::string& path);

/// A file that is replaced atomically. The content is written to a temporary
/// file in the same folder (path, twelve random digits, ".tmp"). Commit()
/// renames it to `path` with the permissions of the existing file. Without
/// Commit(), an existing file stays unchanged. Pipes, devices and other
/// irregular files are written directly. If several writers commit, the last
/// one wins.
class AtomicFile {
 public:
  /// Throws: IoError if no file can be created in the folder.
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Appends `size` bytes. Throws: IoError.
  void Write(const void* data, size_t size);
  void Write(std::string_view bytes) { Write(bytes.data(), bytes.size()); }
  /// Replaces bytes at the start of what was written. Not for a pipe or device.
  /// Throws: IoError.
  void WriteStart(std::string_view bytes);
  /// Flushes the content to the disk and renames the file. Throws: IoError.
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

/// Writes a file through AtomicFile. Throws: IoError; an existing file then
/// stays unchanged.
void WriteFileAtomically(const std::string& path, std::string_view content);
/// Copies a regular file of any size. Throws: IoError; an existing file then
/// stays unchanged.
void CopyFileAtomically(const std::string& from, const std::string& to);

/// True if `path` is the name of a temporary file of AtomicFile.
bool IsUnfinished(std::string_view path);

/// Removes temporary files that killed writers of `path` left behind; files
/// that are still being written stay. Every new AtomicFile calls it.
void DiscardUnfinished(const std::string& path);

/// CRC-32 as in gzip and zip, continued from `before`, the checksum of the
/// preceding bytes.
uint32_t Crc32(std::string_view bytes, uint32_t before = 0);

}  // namespace heed

#endif  // HEED_IO_FILE_H_
