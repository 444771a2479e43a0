#include "heed/serve/content_coding.h"

#include <zlib.h>

#include <array>
#include <new>
#include <optional>
#include <vector>

#include "heed/base/file_errors.h"
#include "heed/base/text.h"
#include "heed/text/markup/ascii.h"

namespace heed {
namespace {

constexpr int kZlibBits = MAX_WBITS;
constexpr int kGzipBits = MAX_WBITS + 16;
constexpr int kRawBits = -MAX_WBITS;

/// True if the first two bytes can be a zlib header (RFC 1950, 2.2).
bool HasZlibHeader(std::string_view bytes) {
  constexpr int kDeflate = 8;
  if (bytes.size() < 2) return false;
  const auto method = static_cast<unsigned char>(bytes[0]);
  const auto flags = static_cast<unsigned char>(bytes[1]);
  return (method & 0x0F) == kDeflate && (method * 256 + flags) % 31 == 0;
}

/// Owner of zlib's state.
class InflateStream {
 public:
  InflateStream(std::string_view bytes, int window_bits) {
    // zlib does not write to its input.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    if (inflateInit2(&stream_, window_bits) != Z_OK) throw std::bad_alloc();
  }
  ~InflateStream() { inflateEnd(&stream_); }
  InflateStream(const InflateStream&) = delete;
  InflateStream& operator=(const InflateStream&) = delete;

  /// Appends the next block of decompressed bytes. Returns zlib's status.
  int Next(std::string& text) {
    stream_.next_out = reinterpret_cast<Bytef*>(block_.data());
    stream_.avail_out = static_cast<uInt>(block_.size());
    const int state = inflate(&stream_, Z_NO_FLUSH);
    text.append(block_.data(), block_.size() - stream_.avail_out);
    return state;
  }
  size_t left() const { return stream_.avail_in; }
  /// Begins the next member of the same format.
  void Restart() { inflateReset(&stream_); }

 private:
  z_stream stream_ = {};
  std::array<char, 32768> block_;
};

/// Decompressed bytes; nullopt for bytes that are not of this format.
std::optional<std::string> Inflated(std::string_view bytes, int window_bits,
                                    bool members, size_t max) {
  InflateStream stream(bytes, window_bits);
  std::string text;
  while (true) {
    const int state = stream.Next(text);
    if (text.size() > max) {
      throw TooLargeError(
          "the body has more than {} bytes once it is inflated, which is "
          "--max-body-bytes of the server",
          max);
    }
    if (state == Z_STREAM_END) {
      if (stream.left() == 0) return text;
      if (!members) return std::nullopt;
      stream.Restart();
    } else if (state == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (state != Z_OK) {
      return std::nullopt;
    }
  }
}

/// Codings of all Content-Encoding headers except identity, in lower case.
std::vector<std::string> CodingsOf(const HttpRequest& request) {
  std::vector<std::string> codings;
  for (const auto& [name, value] : request.headers) {
    if (!EqualIgnoringCase(name, "Content-Encoding")) continue;
    for (const std::string_view item : SplitAt(value, ",")) {
      const std::string coding = Lowercase(TrimBlanks(item));
      if (!coding.empty() && coding != "identity") codings.push_back(coding);
    }
  }
  return codings;
}

}  // namespace

std::string Inflate(std::string_view compressed, Compression compression,
                    size_t max) {
  std::optional<std::string> text;
  if (compression == Compression::kGzip) {
    text = Inflated(compressed, kGzipBits, true, max);
    if (!text) throw FormatError("not whole and valid gzip");
    return *std::move(text);
  }
  if (HasZlibHeader(compressed)) {
    text = Inflated(compressed, kZlibBits, false, max);
  }
  // A raw deflate stream may begin with these two bytes, too.
  if (!text) text = Inflated(compressed, kRawBits, false, max);
  if (!text) throw FormatError("not whole and valid deflate");
  return *std::move(text);
}

std::string DecodedBody(const HttpRequest& request) {
  const std::vector<std::string> codings = CodingsOf(request);
  if (codings.empty() || request.body.empty()) return request.body;
  const std::string& coding = codings.front();
  const bool gzip = coding == "gzip" || coding == "x-gzip";
  if (codings.size() > 1 || (!gzip && coding != "deflate")) {
    std::string all;
    for (const std::string& one : codings)
      all += (all.empty() ? "" : ", ") + one;
    throw HttpError(
        415,
        "Content-Encoding: " + all + " is not read here; gzip and deflate are",
        {{"Accept-Encoding", "gzip, deflate"}});
  }
  try {
    return Inflate(request.body,
                   gzip ? Compression::kGzip : Compression::kDeflate,
                   request.max_body);
  } catch (const TooLargeError&) {
    throw;
  } catch (const FormatError& error) {
    throw HttpError(400, "the body has Content-Encoding: {}, but is {}", coding,
                    error.what());
  }
}

}  // namespace heed
