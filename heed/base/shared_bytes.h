// Immutable bytes that copies share.
#ifndef HEED_BASE_SHARED_BYTES_H_
#define HEED_BASE_SHARED_BYTES_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace heed {

/// Bytes of a text or of a mapped file. The first byte is aligned to 16 bytes
/// if there are more than 15.
class SharedBytes {
 public:
  SharedBytes() = default;
  // NOLINTNEXTLINE(google-explicit-constructor)
  SharedBytes(std::string text) {
    const auto own = std::make_shared<const std::string>(std::move(text));
    bytes_ = *own;
    owner_ = own;
  }
  // NOLINTNEXTLINE(google-explicit-constructor)
  SharedBytes(const char* text) : SharedBytes(std::string(text)) {}
  /// `owner`: what keeps `bytes` in memory.
  SharedBytes(std::string_view bytes, std::shared_ptr<const void> owner)
      : bytes_(bytes), owner_(std::move(owner)) {}

  std::string_view view() const { return bytes_; }
  // NOLINTNEXTLINE(google-explicit-constructor)
  operator std::string_view() const { return bytes_; }
  /// Keeps the bytes in memory.
  const std::shared_ptr<const void>& owner() const { return owner_; }

  friend bool operator==(const SharedBytes& a, const SharedBytes& b) {
    return a.bytes_ == b.bytes_;
  }

 private:
  std::string_view bytes_;
  std::shared_ptr<const void> owner_;
};

}  // namespace heed

#endif  // HEED_BASE_SHARED_BYTES_H_
