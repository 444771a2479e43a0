// Decompression of request bodies.
#ifndef HEED_SERVE_CONTENT_CODING_H_
#define HEED_SERVE_CONTENT_CODING_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "heed/serve/http.h"

namespace heed {

/// Formats that contain deflate: gzip with one or several members (RFC 1952),
/// or HTTP's "deflate", with a zlib frame or, from some clients, without one.
enum class Compression { kGzip, kDeflate };

/// Decompresses. Throws: FormatError with the cause; TooLargeError for more
/// than `max` decompressed bytes.
std::string Inflate(std::string_view compressed, Compression compression,
                    size_t max);

/// Request body without its Content-Encoding: none, identity, gzip, x-gzip or
/// deflate. Throws: HttpError 400 for damaged bytes; TooLargeError for more
/// than HttpRequest::max_body bytes; HttpError 415 for other or several
/// codings.
std::string DecodedBody(const HttpRequest& request);

}  // namespace heed

#endif  // HEED_SERVE_CONTENT_CODING_H_
