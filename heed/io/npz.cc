#include "heed/io/npz.h"

#include <fmt/format.h>
#include <unistd.h>
#include <zip.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <memory>
#include <new>
#include <set>
#include <string_view>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/io/elements.h"
#include "heed/io/file.h"

namespace heed {
namespace {

static_assert(std::endian::native == std::endian::little,
              "elements are read as they stand in memory");

constexpr std::string_view kExtension = ".npy";
constexpr std::string_view kMagic = "\x93NUMPY";
constexpr uint64_t kLongestHeader = uint64_t{1} << 20;
/// Size limit for all arrays of an archive: kArraysAnyway plus a multiple of
/// the file size, because trained weights hardly compress.
constexpr uint64_t kTimesTheFile = 3;
constexpr uint64_t kArraysAnyway = uint64_t{1} << 26;

// NumPy types by their code without the byte order.
constexpr ElementType kNumpyTypes[] = {
    {"f2", DType::kF32, 2}, {"f4", DType::kF32, 4}, {"f8", DType::kF64, 8},
    {"i1", DType::kI8, 1},  {"u1", DType::kU8, 1},  {"i4", DType::kI32, 4},
    {"i8", DType::kI32, 8},
};

/// Header of a .npy file.
struct Header {
  ElementType type = {};
  bool fortran_order = false;
  Shape shape;
};

/// Parses the header, a Python dictionary of three entries, and no other Python
/// syntax.
class NpyHeaderReader {
 public:
  NpyHeaderReader(std::string_view text, std::string name)
      : rest_(text), name_(std::move(name)) {}

  Header Read() {
    Expect('{');
    bool has_type = false, has_order = false, has_shape = false;
    while (!Skip('}')) {
      const std::string_view key = ReadText();
      Expect(':');
      if (key == "descr" && !std::exchange(has_type, true)) {
        ReadType();
      } else if (key == "fortran_order" && !std::exchange(has_order, true)) {
        header_.fortran_order = ReadBool();
      } else if (key == "shape" && !std::exchange(has_shape, true)) {
        ReadShape();
      } else {
        Fail(fmt::format("its header has an entry '{}'", key));
      }
      if (Skip(',')) continue;
      Expect('}');
      break;
    }
    SkipSpace();
    if (!has_type || !has_order || !has_shape || !rest_.empty()) FailOnSyntax();
    return header_;
  }

 private:
  [[noreturn]] void Fail(std::string_view problem) const {
    throw FormatError("{}: {}", name_, problem);
  }
  [[noreturn]] void FailOnSyntax() const {
    Fail("its header is not that of an array");
  }

  void SkipSpace() {
    while (!rest_.empty() &&
           std::isspace(static_cast<unsigned char>(rest_[0]))) {
      rest_.remove_prefix(1);
    }
  }
  bool Skip(char c) {
    SkipSpace();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void Expect(char c) {
    if (!Skip(c)) FailOnSyntax();
  }
  bool SkipWord(std::string_view word) {
    SkipSpace();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  std::string_view ReadText() {
    SkipSpace();
    const char quote = rest_.empty() ? '\0' : rest_[0];
    const size_t end = rest_.find(quote, 1);
    if ((quote != '\'' && quote != '"') || end == rest_.npos) FailOnSyntax();
    const std::string_view text = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return text;
  }

  bool ReadBool() {
    if (SkipWord("True")) return true;
    if (!SkipWord("False")) FailOnSyntax();
    return false;
  }

  void ReadType() {
    SkipSpace();
    if (rest_.starts_with('[')) Fail("holds records, not numbers");
    const std::string_view type = ReadText();
    const char order = type.empty() ? '\0' : type[0];
    if (type.find('O') != type.npos) {
      Fail("holds Python objects (a pickle), which are never read");
    }
    for (const ElementType& known : kNumpyTypes) {
      const bool byte_order_fits =
          order == '<' || (known.size == 1 && (order == '|' || order == '>'));
      if (byte_order_fits && type.substr(1) == known.name) {
        header_.type = known;
        return;
      }
    }
    Fail(fmt::format(
        "has elements of type '{}', not one of <f2, <f4, <f8, |i1, |u1, <i4, "
        "<i8",
        type));
  }

  void ReadShape() {
    Expect('(');
    while (!Skip(')')) {
      if (header_.shape.rank() == Shape::kMaxRank) {
        Fail(fmt::format("has more than {} dimensions", Shape::kMaxRank));
      }
      header_.shape.Append(ReadDimension());
      if (Skip(',')) continue;
      Expect(')');
      break;
    }
  }

  int64_t ReadDimension() {
    SkipSpace();
    int64_t dim = 0;
    size_t digits = 0;
    for (;
         digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9';
         ++digits) {
      if (__builtin_mul_overflow(dim, int64_t{10}, &dim) ||
          __builtin_add_overflow(dim, int64_t{rest_[digits] - '0'}, &dim)) {
        Fail("has an impossible shape");
      }
    }
    if (digits == 0) Fail("its shape has an invalid dimension");
    rest_.remove_prefix(digits);
    if (rest_.starts_with('L')) rest_.remove_prefix(1);  // as Python 2 writes
    return dim;
  }

  std::string_view rest_;
  std::string name_;
  Header header_;
};

/// Converts an array from Fortran order to C order.
Tensor ToCOrder(const Tensor& fortran) {
  const Shape& shape = fortran.shape();
  if (shape.rank() < 2) return fortran;
  Tensor result(shape, fortran.dtype());
  const size_t size = SizeOf(fortran.dtype());
  const auto* from = static_cast<const char*>(fortran.raw());
  auto* to = static_cast<char*>(result.raw());
  std::array<int64_t, Shape::kMaxRank> index{};
  for (int64_t i = 0; i < result.numel(); ++i, to += size) {
    int64_t place = 0;
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      place = place * shape[axis] + At(index, axis);
    }
    std::memcpy(to, from + static_cast<size_t>(place) * size, size);
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      if (++At(index, axis) < shape[axis]) break;
      At(index, axis) = 0;
    }
  }
  return result;
}

/// One file of the archive, read sequentially.
class Member {
 public:
  Member(zip_t* archive, uint64_t index, std::string name)
      : name_(std::move(name)),
        file_(zip_fopen_index(archive, index, 0), zip_fclose) {
    if (file_ == nullptr) Fail(zip_strerror(archive));
  }

  [[noreturn]] void Fail(std::string_view problem) const {
    throw FormatError("{}: {}", name_, problem);
  }
  const std::string& name() const { return name_; }

  void Read(void* data, uint64_t size) {
    auto* next = static_cast<char*>(data);
    while (size > 0) {
      const int64_t got = zip_fread(file_.get(), next, size);
      if (got <= 0) FailOnRead(got);
      next += got;
      size -= static_cast<uint64_t>(got);
    }
  }
  std::string Read(uint64_t size) {
    std::string bytes(size, '\0');
    Read(bytes.data(), size);
    return bytes;
  }
  /// Reads the remaining `left` bytes and the end, where the checksum is
  /// verified.
  void Finish(uint64_t left) {
    char unused[4096];
    for (uint64_t size = 0; left > 0; left -= size) {
      size = std::min<uint64_t>(left, sizeof(unused));
      Read(unused, size);
    }
    const int64_t got = zip_fread(file_.get(), unused, 1);
    if (got > 0) Fail("holds more than the archive's directory says");
    if (got < 0) FailOnRead(got);
  }

 private:
  [[noreturn]] void FailOnRead(int64_t got) const {
    Fail(got == 0 ? "is cut short" : zip_file_strerror(file_.get()));
  }

  std::string name_;
  std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> file_;
};

/// A length in `bytes` little-endian bytes.
uint64_t ReadLength(Member& member, size_t bytes) {
  uint64_t length = 0;
  member.Read(&length, bytes);
  return length;
}

/// Reads a .npy of `size` bytes.
Tensor ReadArray(Member& member, uint64_t size) {
  constexpr size_t kVersionBytes = 2;
  uint64_t start = kMagic.size() + kVersionBytes;
  if (size < start) member.Fail("is cut short");
  const std::string magic = member.Read(start);
  const auto version = static_cast<unsigned char>(magic[kMagic.size()]);
  if (!magic.starts_with(kMagic) || version < 1 || version > 3) {
    member.Fail("is not an array in the .npy format, versions 1 to 3");
  }
  const size_t length_bytes = version == 1 ? 2 : 4;
  if (size - start < length_bytes) member.Fail("is cut short");
  const uint64_t length = ReadLength(member, length_bytes);
  start += length_bytes;
  if (length > kLongestHeader || length > size - start) {
    member.Fail(fmt::format("its header of {} bytes does not fit", length));
  }
  const std::string text = member.Read(length);
  start += length;
  const Header header = NpyHeaderReader(text, member.name()).Read();

  const auto stored = StoredBytes(header.type, header.shape);
  if (!stored) {
    member.Fail(
        fmt::format("has an impossible shape {}", header.shape.ToString()));
  }
  const uint64_t bytes = *stored;
  // Marian stores one byte for an array without elements.
  if (bytes != size - start && bytes != 0) {
    member.Fail(fmt::format(
        "{} of {} bytes each are {} bytes, but there are "
        "{}",
        header.shape.ToString(), header.type.size, bytes, size - start));
  }
  const Tensor value =
      ReadElements(header.type, header.shape, member.name(),
                   [&](void* to, size_t count) { member.Read(to, count); });
  member.Finish(size - start - bytes);
  return header.fortran_order ? ToCOrder(value) : value;
}

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
          "{}: its arrays claim more than {} MiB, which {} bytes of a model "
          "cannot hold; if it is one, write it without compression",
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
    tensors.push_back({std::move(name), ReadArray(member, stat.size)});
  }
  return tensors;
}

}  // namespace heed
