#include "heed/io/file.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <zlib.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

class File : public testing::Test {
 protected:
  std::string Path(const std::string& name) const { return folder_.Path(name); }
  std::string Put(const std::string& name, const std::string& content) const {
    return folder_.Put(name, content);
  }
  size_t FileCount() const {
    return static_cast<size_t>(std::distance(
        fs::directory_iterator(folder_.path()), fs::directory_iterator()));
  }

  TemporaryFolder folder_;
};

std::string Gzip(const std::string& text) {
  const TemporaryFolder folder;
  const std::string path = folder.Path("gzip");
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  return ReadFile(path);
}

TEST_F(File, LinesEndWithLfOrCrlfOrTheFile) {
  EXPECT_EQ(ReadLines(Put("a", "one\ntwo\r\n\nfour")),
            (Lines{"one", "two", "", "four"}));
  EXPECT_EQ(ReadLines(Put("b", "one\n")), Lines{"one"});
  EXPECT_EQ(ReadLines(Put("c", "\n")), Lines{""});
}

TEST_F(File, LongLinesAndManyAreReadInParts) {
  Lines lines;
  for (size_t i = 0; i < 30; ++i) {
    lines.push_back(std::string(i * 30000, static_cast<char>('a' + i % 26)));
  }
  std::string text;
  for (const std::string& line : lines) text += line + "\r\n";
  EXPECT_EQ(ReadLines(Put("a", text)), lines);
}

TEST_F(File, LinesAreReadAsFarAsWanted) {
  std::vector<int64_t> numbers;
  ForEachLine(Put("a", "one\ntwo\n\xFF\n"),
              [&](std::string_view line, int64_t number) {
                numbers.push_back(number);
                return line != "two";
              });
  EXPECT_EQ(numbers, (std::vector<int64_t>{1, 2}));
}

TEST_F(File, ByteOrderMarkIsRemovedOnlyAtTheStart) {
  EXPECT_EQ(ReadLines(Put("a", "\xEF\xBB\xBFx\n\xEF\xBB\xBFy\n")),
            (Lines{"x", "\xEF\xBB\xBFy"}));
}

TEST_F(File, ControlCharactersPassThrough) {
  const std::string line = "ab\x01\t\x7F";
  EXPECT_EQ(ReadLines(Put("a", line + "\n")), Lines{line});
}

TEST_F(File, ANulByteIsAFormatErrorThatNamesTheLine) {
  const std::string path = Put("a", std::string("fine\na\0b\n", 9));
  EXPECT_EQ(MessageOf<FormatError>([&] { ReadLines(path); }),
            path + ":2: holds a NUL byte, which no text has; remove it");
}

TEST_F(File, GzipReadsLikePlainText) {
  std::string text;
  Lines lines;
  for (int i = 0; i < 200000; ++i) {
    lines.push_back(std::to_string(i * 7919));
    text += lines.back() + "\n";
  }
  EXPECT_EQ(ReadLines(Put("a.gz", Gzip(text))), lines);
  EXPECT_EQ(ReadLines(Put("b.gz", Gzip("one\n") + Gzip("two\n"))),
            (Lines{"one", "two"}));
}

TEST_F(File, TruncatedGzipIsAFormatErrorAtEveryLength) {
  const std::string bytes = Gzip("a line of text\nand another one\n");
  for (size_t size = 2; size < bytes.size(); ++size) {
    const std::string path = Put("cut.gz", bytes.substr(0, size));
    EXPECT_THROW(ReadLines(path), FormatError) << size << " bytes";
  }
}

TEST_F(File, CorruptGzipIsAFormatError) {
  std::string bytes = Gzip("a line of text\nand another one\n");
  bytes[bytes.size() - 6] ^= 1;  // flips a bit of the checksum
  const std::string path = Put("bad.gz", bytes);
  EXPECT_NE(MessageOf<FormatError>([&] { ReadLines(path); }).find("corrupt"),
            std::string::npos);
}

TEST_F(File, InflatedBytesAreThoseOfThePlainFile) {
  const std::string bytes("\0\xff\n\x1f", 4);
  EXPECT_EQ(ReadInflated(Put("plain", bytes)), bytes);
  EXPECT_EQ(ReadInflated(Put("a.gz", Gzip(bytes))), bytes);
  EXPECT_EQ(ReadInflated(Put("none", "")), "");
  EXPECT_THROW(ReadInflated(Put("cut.gz", Gzip(bytes).substr(0, 15))),
               FormatError);
  EXPECT_THROW(ReadInflated("/nowhere"), IoError);
}

TEST_F(File, InvalidUtf8NamesFileAndLine) {
  const std::string path = Put("latin1", "fine\nM\xFCller\n");
  EXPECT_NE(MessageOf<FormatError>([&] { ReadLines(path); }).find(path + ":2"),
            std::string::npos);
}

TEST_F(File, EmptyFileIsAFormatError) {
  const std::string path = Put("empty", "");
  EXPECT_EQ(MessageOf<FormatError>([&] { ReadLines(path); }),
            path + " is empty");
  EXPECT_THROW(ReadLines(Put("empty.gz", Gzip(""))), FormatError);
  EXPECT_EQ(ReadFile(path), "");
}

TEST_F(File, MissingFileOrFolderIsAnIoError) {
  EXPECT_NE(
      MessageOf<IoError>([&] { ReadLines(Path("none")); }).find("No such file"),
      std::string::npos);
  EXPECT_THROW(ReadFile(Path("none")), IoError);
  EXPECT_THROW(ReadLines(folder_.path()), IoError);
  EXPECT_THROW(ReadFile(folder_.path()), IoError);
}

TEST_F(File, OnlyRegularFilesAreReadAsAWhole) {
  const std::string pipe = Path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& path : {pipe, std::string("/dev/zero")}) {
    EXPECT_NE(MessageOf<IoError>([&] { ReadFile(path); }).find("regular file"),
              std::string::npos);
  }
  EXPECT_NE(
      MessageOf<IoError>([&] { ReadFile(folder_.path()); }).find("folder"),
      std::string::npos);
  EXPECT_NE(ReadFile("/proc/self/status"), "") << "whose size is 0";
}

TEST_F(File, MappedBytesAreThoseOfTheFile) {
  for (const size_t size : {size_t{0}, size_t{100}, size_t{3} << 20}) {
    std::string bytes(size, 'x');
    if (size > 0) bytes.back() = 'y';
    const std::string path = Put("a", bytes);
    const SharedBytes mapped = MapFile(path);
    const SharedBytes copy = mapped;
    WriteFileAtomically(path, "other bytes");
    EXPECT_TRUE(copy.view() == bytes) << size;
  }
  EXPECT_THROW(MapFile(Path("none")), IoError);
  EXPECT_THROW(MapFile(folder_.path()), IoError);
}

TEST_F(File, BytesAreReadAtAnyOffset) {
  InputFile file(Put("digits", "0123456789"));
  std::string bytes(4, '\0');
  EXPECT_EQ(file.ReadAt(3, bytes.data(), 4), 4U);
  EXPECT_EQ(bytes, "3456");
  EXPECT_EQ(file.ReadAt(8, bytes.data(), 4), 2U);
  EXPECT_EQ(bytes.substr(0, 2), "89");
  EXPECT_EQ(file.ReadAt(10, bytes.data(), 4), 0U);
  EXPECT_EQ(file.Read(bytes.data(), 2), 2U);
  EXPECT_EQ(bytes.substr(0, 2), "01");
}

TEST_F(File, FileOfFarTooManyBytesIsNotReadIntoMemory) {
  const std::string path = Put("large", "");
  std::filesystem::resize_file(path, uint64_t{3} << 30);
  EXPECT_NE(MessageOf<FormatError>([&] { ReadFile(path); }).find("2 GiB"),
            std::string::npos);
}

TEST_F(File, CopyHasAllBytesOrIsNotThere) {
  const std::string bytes(700000, 'x');
  const std::string copy = Path("copy");
  CopyFileAtomically(Put("bytes", bytes), copy);
  EXPECT_EQ(ReadFile(copy), bytes);
  EXPECT_THROW(CopyFileAtomically(folder_.path(), copy), IoError);
  EXPECT_EQ(ReadFile(copy), bytes) << "the old one stays";
}

TEST_F(File, LinesComeThroughAPipe) {
  const std::string pipe = Path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(pipe) << "one\ntwo\n"; });
  EXPECT_EQ(ReadLines(pipe), (Lines{"one", "two"}));
  writer.join();
}

TEST_F(File, LineThatNeverEndsIsAFormatError) {
  EXPECT_NE(MessageOf<FormatError>([&] {
              ReadLines("/dev/zero");
            }).find(":1: a line"),
            std::string::npos);
  const std::string path = Path("bomb.gz");
  gzFile file = gzopen(path.c_str(), "wb");
  const std::string zeros(1 << 20, 'a');
  for (int i = 0; i < 20; ++i) gzwrite(file, zeros.data(), 1 << 20);
  gzclose(file);
  EXPECT_NE(MessageOf<FormatError>([&] { ReadLines(path); }).find(":1: a line"),
            std::string::npos);
}

TEST_F(File, GzipOfFarMoreThanItsSizeIsAFormatError) {
  const std::string path = Path("bomb.gz");
  gzFile file = gzopen(path.c_str(), "wb");
  const std::string empty_lines(1 << 20, '\n');
  for (int i = 0; i < 8; ++i) gzwrite(file, empty_lines.data(), 1 << 20);
  gzclose(file);
  EXPECT_NE(MessageOf<FormatError>([&] { ReadLines(path); }).find("unpack it"),
            std::string::npos);
}

TEST_F(File, WriteReplacesTheContent) {
  const std::string path = Path("a");
  std::string content(3000000, 'x');
  content[5] = '\0';
  WriteFileAtomically(path, "old");
  WriteFileAtomically(path, content);
  EXPECT_EQ(ReadFile(path), content);
  EXPECT_EQ(FileCount(), 1u);
}

TEST_F(File, WithoutCommitTheOldFileStays) {
  const std::string path = Put("a", "old");
  {
    AtomicFile file(path);
    file.Write("new");
  }
  EXPECT_EQ(ReadFile(path), "old");
  EXPECT_EQ(FileCount(), 1u);
}

TEST_F(File, IsWrittenThroughNoLinkThatWasLaidBefore) {
  const std::string path = Path("a");
  const std::string victim = Put("victim", "precious");
  // An attacker guessed the temporary name.
  std::filesystem::create_symlink(victim, path + ".tmp");
  WriteFileAtomically(path, "new");
  EXPECT_EQ(ReadFile(path), "new");
  EXPECT_EQ(ReadFile(victim), "precious");
  // Replaces the link and does not write through it.
  std::filesystem::create_symlink(victim, Path("link"));
  WriteFileAtomically(Path("link"), "other");
  EXPECT_EQ(ReadFile(victim), "precious");
}

TEST_F(File, KeepsThePermissionsOfTheOldFile) {
  const std::string path = Put("a", "old");
  std::filesystem::permissions(path, std::filesystem::perms(0640));
  WriteFileAtomically(path, "new");
  EXPECT_EQ(std::filesystem::status(path).permissions(),
            std::filesystem::perms(0640));
}

TEST_F(File, DiscardsWhatAKilledWriterLeftAndNothingElse) {
  Put("a.0123456789ab.tmp", "left");
  for (const char* other : {"a.tmp", "a.0123456789xy.tmp", "b.0123456789ab.tmp",
                            "a.b.0123456789ab.tmp"}) {
    Put(other, "somebody's");
  }
  WriteFileAtomically(Path("a"), "whole");
  EXPECT_FALSE(std::filesystem::exists(Path("a.0123456789ab.tmp")));
  EXPECT_EQ(FileCount(), 5u);
  EXPECT_TRUE(IsUnfinished("x/a.0123456789ab.tmp"));
  for (const char* path : {"a", "a.tmp", "a.0123456789xy.tmp"}) {
    EXPECT_FALSE(IsUnfinished(path)) << path;
  }
}

TEST_F(File, TwoWritersOfOnePathEachWriteAWholeFile) {
  AtomicFile first(Path("a"));
  AtomicFile second(Path("a"));
  first.Write("first");
  second.Write("second");
  first.Commit();
  EXPECT_EQ(ReadFile(Path("a")), "first");
  second.Commit();
  EXPECT_EQ(ReadFile(Path("a")), "second");
  EXPECT_EQ(FileCount(), 1u);
}

/// Each writer discards unfinished files, but none that is being written.
TEST_F(File, ManyMayWriteTheSame) {
  const std::string path = Path("same");
  constexpr int kWriters = 4;
  std::atomic<int> failures = 0;
  std::vector<std::thread> writers;
  for (int i = 0; i < kWriters; ++i) {
    writers.emplace_back([&] {
      for (int n = 0; n < 100; ++n) {
        try {
          WriteFileAtomically(path, "all of it");
        } catch (const IoError&) {
          ++failures;
        }
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(ReadFile(path), "all of it");
}

TEST_F(File, FailedWriteKeepsTheOldFile) {
  const std::string path = Put("a", "old");
  rlimit old_limit;
  getrlimit(RLIMIT_FSIZE, &old_limit);
  const auto old_handler = signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{4096, old_limit.rlim_max};
  setrlimit(RLIMIT_FSIZE, &limit);
  EXPECT_THROW(WriteFileAtomically(path, std::string(100000, 'x')), IoError);
  setrlimit(RLIMIT_FSIZE, &old_limit);
  signal(SIGXFSZ, old_handler);
  EXPECT_EQ(ReadFile(path), "old");
  EXPECT_EQ(FileCount(), 1u);
}

TEST_F(File, FullDiskIsAnIoErrorWithTheReason) {
  EXPECT_NE(MessageOf<IoError>([] {
              WriteFileAtomically("/dev/full", "text");
            }).find("No space left"),
            std::string::npos);
}

TEST_F(File, MissingFolderIsAnIoError) {
  EXPECT_THROW(WriteFileAtomically(Path("none/a"), "text"), IoError);
  EXPECT_THROW(WriteFileAtomically(folder_.path(), "text"), IoError);
}

TEST(Crc32, IsTheOneOfGzip) {
  EXPECT_EQ(Crc32("123456789"), 0xCBF43926u);
  EXPECT_EQ(Crc32(""), 0u);
}

}  // namespace
}  // namespace heed
