#include "heed/io/npz.h"

#include <fmt/format.h>
#include <unistd.h>
#include <zip.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <new>
#include <set>
#include <string_view>
#include <utility>

#include "heed/base/errors.h"
#include "heed/io/file.h"
#include "heed/io/npy.h"

namespace heed {
namespace {

constexpr std::string_view kExtension = ".npy";
/// Size limit for all arrays of an archive: kArraysAnyway plus a multiple of
/// the file size, because trained weights hardly compress.
constexpr uint64_t kTimesTheFile = 3;
constexpr uint64_t kArraysAnyway = uint64_t{1} << 26;

/// One file of the archive, read sequentially.
class Member : public NpyBytes {
 public:
  Member(zip_t* archive, uint64_t index, std::string name)
      : NpyBytes(std::move(name)),
        file_(zip_fopen_index(archive, index, 0), zip_fclose) {
    if (file_ == nullptr) Fail(zip_strerror(archive));
  }

  void Read(void* data, uint64_t size) override {
    auto* next = static_cast<char*>(data);
    while (size > 0) {
      const int64_t got = zip_fread(file_.get(), next, size);
      if (got <= 0) FailOnRead(got);
      next += got;
      size -= static_cast<uint64_t>(got);
    }
  }
  /// Reads the end, where the checksum is verified.
  void Finish() override {
    char unused = 0;
    const int64_t got = zip_fread(file_.get(), &unused, 1);
    if (got > 0) Fail("holds more than the archive's directory says");
    if (got < 0) FailOnRead(got);
  }

 private:
  [[noreturn]] void FailOnRead(int64_t got) const {
    Fail(got == 0 ? "is cut short" : zip_file_strerror(file_.get()));
  }

  std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> file_;
};

using Archive = std::unique_ptr<zip_t, void (*)(zip_t*)>;

Archive OpenArchive(InputFile& file, const std::string& path) {
  int code = 0;
  const int fd = file.Release();
  zip_t* archive = zip_fdopen(fd, ZIP_CHECKCONS, &code);
  if (archive != nullptr) return {archive, zip_discard};
  const int system_error = errno;
  close(fd);
  if (code == ZIP_ER_MEMORY) throw std::bad_alloc();
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  const std::string reason = zip_error_strerror(&error);
  zip_error_fini(&error);
  if (code == ZIP_ER_OPEN || code == ZIP_ER_READ || code == ZIP_ER_SEEK) {
    throw IoError("cannot read {}: {}", path, std::strerror(system_error));
  }
  throw FormatError("{} is not a whole .npz archive: {}", path, reason);
}

/// Directory entry of a member, validated before the member is read.
zip_stat_t StatOf(zip_t* archive, uint64_t index, const std::string& path,
                  uint64_t file_size) {
  zip_stat_t stat;
  zip_stat_init(&stat);
  constexpr zip_uint64_t kNeeded = ZIP_STAT_NAME | ZIP_STAT_INDEX |
                                   ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE |
                                   ZIP_STAT_COMP_METHOD;
  if (zip_stat_index(archive, index, ZIP_FL_ENC_RAW, &stat) != 0 ||
      (stat.valid & kNeeded) != kNeeded) {
    throw FormatError("{}: member {} is damaged", path, index);
  }
  const auto fail = [&](const std::string& problem) {
    throw FormatError("{}: '{}' {}", path, stat.name, problem);
  };
  if ((stat.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 &&
      stat.encryption_method != ZIP_EM_NONE) {
    fail("is encrypted");
  }
  if (stat.comp_method != ZIP_CM_STORE && stat.comp_method != ZIP_CM_DEFLATE) {
    fail("is compressed by a method that NumPy does not use");
  }
  const bool stored = stat.comp_method == ZIP_CM_STORE;
  if (stat.comp_size > file_size || (stored && stat.size != stat.comp_size)) {
    fail(fmt::format("claims {} bytes, which {} bytes cannot hold", stat.size,
                     std::min<uint64_t>(stat.comp_size, file_size)));
  }
  return stat;
}

/// Directory entries of all members; their total size is limited.
std::vector<zip_stat_t> StatsOf(zip_t* archive, const std::string& path,
                                uint64_t file_size) {
  const uint64_t budget = kArraysAnyway + kTimesTheFile * file_size;
  uint64_t total = 0;
  std::vector<zip_stat_t> stats;
  const int64_t members = zip_get_num_entries(archive, 0);
  for (uint64_t i = 0; i < static_cast<uint64_t>(members); ++i) {
    stats.push_back(StatOf(archive, i, path, file_size));
    if (__builtin_add_overflow(total, stats.back().size, &total) ||
        total > budget) {
      throw FormatError(
          "{}: its arrays claim more than {} MiB, which a file of {} bytes "
          "should not hold; write it without compression",
          path, budget >> 20, file_size);
    }
  }
  return stats;
}

}  // namespace

std::vector<NamedTensor> ReadNpz(const std::string& path) {
  InputFile file(path);
  const uint64_t file_size = file.size();
  const Archive archive = OpenArchive(file, path);
  std::vector<NamedTensor> tensors;
  std::set<std::string> names;
  for (const zip_stat_t& stat : StatsOf(archive.get(), path, file_size)) {
    std::string name = stat.name;
    const std::string shown = fmt::format("{}: '{}'", path, name);
    if (name.ends_with(kExtension)) {
      name.resize(name.size() - kExtension.size());
    } else {
      throw FormatError(shown + " is not an array (.npy)");
    }
    if (!names.insert(name).second) {
      throw FormatError(shown + " is there twice");
    }
    Member member(archive.get(), stat.index, shown);
    tensors.push_back({std::move(name), ReadNpyArray(member, stat.size)});
  }
  return tensors;
}

}  // namespace heed
