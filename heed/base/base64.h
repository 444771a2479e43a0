// Base64 encoding (RFC 4648).
#ifndef HEED_BASE_BASE64_H_
#define HEED_BASE_BASE64_H_

#include <optional>
#include <string>
#include <string_view>

namespace heed {

/// Decodes base64 in the standard or the URL-safe alphabet. Line ends are
/// skipped; padding is optional. Returns nullopt for invalid text.
std::optional<std::string> FromBase64(std::string_view text);

/// Encodes bytes as base64 in the standard alphabet, with padding.
std::string ToBase64(std::string_view bytes);

}  // namespace heed

#endif  // HEED_BASE_BASE64_H_
