// Bodies of requests that were compressed on their way.
#ifndef HEED_SERVE_CONTENT_CODING_H_
#define HEED_SERVE_CONTENT_CODING_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "heed/serve/http.h"

namespace heed {

/// Formats of deflate: gzip with one member or several (RFC 1952), or what HTTP
/// calls "deflate", with zlib's frame or, as some clients send it, without.
enum class Compression { kGzip, kDeflate };

/// The bytes that `compressed` stands for. Throws: FormatError that says what
/// is wrong; TooLargeError if there are more than `most`.
std::string Inflate(std::string_view compressed, Compression compression,
                    size_t most);

/// The body without its Content-Encoding: none, identity, gzip, x-gzip or
/// deflate. It may have HttpRequest::max_body bytes. Throws: HttpError 400 for
/// damaged bytes; TooLargeError; HttpError 415 that names another coding, or
/// several.
std::string DecodedBody(const HttpRequest& request);

}  // namespace heed

#endif  // HEED_SERVE_CONTENT_CODING_H_
