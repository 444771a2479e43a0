#include "heed/io/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cstring>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/io/elements.h"
#include "heed/io/file.h"

namespace heed {
namespace {

static_assert(std::endian::native == std::endian::little,
              "elements are read as they stand in memory");

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr uint64_t kLongestHeader = uint64_t{1} << 20;

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

/// A .npy file on its own.
class NpyFile : public NpyBytes {
 public:
  explicit NpyFile(const std::string& path) : NpyBytes(path), file_(path) {}
  uint64_t size() const { return file_.size(); }
  void Read(void* data, uint64_t size) override {
    if (file_.Read(data, size) != size) Fail("is cut short");
  }

 private:
  InputFile file_;
};

/// A .npy file in memory.
class NpyText : public NpyBytes {
 public:
  NpyText(std::string_view bytes, std::string name)
      : NpyBytes(std::move(name)), rest_(bytes) {}
  void Read(void* data, uint64_t size) override {
    if (size > rest_.size()) Fail("is cut short");
    std::memcpy(data, rest_.data(), size);
    rest_.remove_prefix(size);
  }

 private:
  std::string_view rest_;
};

/// A length in `bytes` little-endian bytes.
uint64_t ReadLength(NpyBytes& member, size_t bytes) {
  uint64_t length = 0;
  member.Read(&length, bytes);
  return length;
}

}  // namespace

Tensor ReadNpyArray(NpyBytes& member, uint64_t size) {
  constexpr size_t kVersionBytes = 2;
  uint64_t start = kMagic.size() + kVersionBytes;
  if (size < start) member.Fail("is cut short");
  const std::string magic = member.ReadText(start);
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
  const std::string text = member.ReadText(length);
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
  char unused[4096];
  for (uint64_t left = size - start - bytes; left > 0;) {
    const auto next = std::min<uint64_t>(left, sizeof(unused));
    member.Read(unused, next);
    left -= next;
  }
  member.Finish();
  return header.fortran_order ? ToCOrder(value) : value;
}

void NpyBytes::Fail(std::string_view problem) const {
  throw FormatError("{}: {}", name_, problem);
}

std::string NpyBytes::ReadText(uint64_t size) {
  std::string bytes(size, '\0');
  Read(bytes.data(), size);
  return bytes;
}

Tensor ReadNpy(const std::string& path) {
  NpyFile file(path);
  return ReadNpyArray(file, file.size());
}

Tensor ParseNpy(std::string_view bytes, const std::string& place) {
  NpyText text(bytes, place);
  return ReadNpyArray(text, bytes.size());
}

}  // namespace heed
