// Bytes as text (RFC 4648).
#ifndef HEED_BASE_BASE64_H_
#define HEED_BASE_BASE64_H_

#include <optional>
#include <string>
#include <string_view>

namespace heed {

/// The bytes of base64, whose alphabet is the usual one or that for addresses;
/// line ends are left out, padding may be missing. Nothing for other text.
std::optional<std::string> FromBase64(std::string_view text);

/// The text of bytes, in the usual alphabet, padded.
std::string ToBase64(std::string_view bytes);

}  // namespace heed

#endif  // HEED_BASE_BASE64_H_
