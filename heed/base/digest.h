// A short digest of bytes.
#ifndef HEED_BASE_DIGEST_H_
#define HEED_BASE_DIGEST_H_

#include <cstdint>
#include <string_view>

namespace heed {

/// 64-bit FNV-1a hash: distinguishes contents; not cryptographic.
inline uint64_t Digest(std::string_view bytes) {
  uint64_t digest = 0xcbf29ce484222325U;
  for (const char c : bytes) {
    digest = (digest ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  return digest;
}

}  // namespace heed

#endif  // HEED_BASE_DIGEST_H_
