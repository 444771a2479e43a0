// File of arrays that can be used where they are.
#ifndef HEED_TEXT_TOKENIZER_COMPACT_FORM_H_
#define HEED_TEXT_TOKENIZER_COMPACT_FORM_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "heed/base/errors.h"

namespace heed::tokens {

/// First eight bytes of a file, which also tell the byte order.
inline constexpr uint64_t kCompactMagic =
    0x31'6B'6F'54'64'65'65'48;  // HeedTok1

/// Writes arrays one after another, each with its size in front and aligned to
/// 16 bytes.
class CompactWriter {
 public:
  CompactWriter() { AddHeader(kCompactMagic, 0); }

  template <typename T>
  void Add(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    AddHeader(values.size_bytes(), sizeof(T));
    bytes_.append(reinterpret_cast<const char*>(values.data()),
                  values.size_bytes());
    bytes_.resize((bytes_.size() + 15) / 16 * 16);
  }
  std::string Finish() && { return std::move(bytes_); }

 private:
  void AddHeader(uint64_t first, uint64_t second) {
    const uint64_t header[2] = {first, second};
    bytes_.append(reinterpret_cast<const char*>(header), sizeof(header));
  }

  std::string bytes_;
};

/// Reads the arrays in the order in which they were written.
class CompactReader {
 public:
  /// Throws: FormatError that names `name` unless a CompactWriter of a machine
  /// with the same byte order wrote the bytes.
  CompactReader(std::string_view bytes, const std::string& name)
      : bytes_(bytes), name_(name) {
    const bool aligned = reinterpret_cast<uintptr_t>(bytes.data()) % 16 == 0;
    if (!aligned || Header(0) != kCompactMagic) Fail();
    position_ = 16;
  }

  /// Next array. Throws: FormatError for another type or a cut file.
  template <typename T>
  std::span<const T> Take() {
    const uint64_t size = Header(position_);
    const uint64_t item = Header(position_ + 8);
    position_ += 16;
    if (item != sizeof(T) || size % sizeof(T) != 0 ||
        size > bytes_.size() - position_) {
      Fail();
    }
    const char* begin = bytes_.data() + position_;
    position_ += (size + 15) / 16 * 16;
    return {reinterpret_cast<const T*>(begin), size / sizeof(T)};
  }

  [[noreturn]] void Fail() const {
    throw FormatError("{}: is damaged or of another machine; import it again",
                      name_);
  }

 private:
  uint64_t Header(size_t position) const {
    if (position > bytes_.size() || bytes_.size() - position < 8) Fail();
    return *reinterpret_cast<const uint64_t*>(bytes_.data() + position);
  }

  std::string_view bytes_;
  std::string name_;
  size_t position_ = 0;
};

}  // namespace heed::tokens

#endif  // HEED_TEXT_TOKENIZER_COMPACT_FORM_H_
