#include "heed/serve/request_reader.h"

#include <fmt/format.h>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "heed/base/text.h"
#include "heed/text/markup/ascii.h"

namespace heed {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using BeastError = boost::beast::error_code;

// Limit of a chunk's size line and of trailers, which the parser does not
// limit.
constexpr size_t kMaxChunkHead = 16384;
/// Size of "0" and two line ends, the end of a chunked body. With fewer bytes
/// Beast fails an assertion.
constexpr size_t kLastChunk = 5;

[[noreturn]] void Refuse(const BeastError& error, const ReaderLimits& limits,
                         std::string_view bytes) {
  if (error == http::error::header_limit) {
    if (bytes.find('\n') == bytes.npos) {
      throw HttpError(414,
                      "the request line is longer than the {} "
                      "bytes that a head may have",
                      limits.max_head);
    }
    throw HttpError(431,
                    "request line and headers are longer than "
                    "{} bytes",
                    limits.max_head);
  }
  if (error == http::error::body_limit ||
      error == http::error::buffer_overflow) {
    throw HttpError(
        413,
        "the body is longer than {} bytes, which is --max-body-bytes of "
        "the server",
        limits.max_body);
  }
  const std::string_view line = bytes.substr(0, bytes.find('\n'));
  if (error == http::error::bad_version && !line.ends_with("HTTP/1.1") &&
      !line.ends_with("HTTP/1.0")) {  // else it lacks its carriage return
    throw HttpError(505, "only HTTP/1.0 and HTTP/1.1 are spoken here");
  }
  throw HttpError(400, "the request is not valid HTTP ({})", error.message());
}

}  // namespace

struct RequestReader::Impl {
  http::request_parser<http::string_body> parser;
};

RequestReader::RequestReader(const ReaderLimits& limits)
    : limits_(limits), impl_(std::make_unique<Impl>()) {
  impl_->parser.header_limit(static_cast<uint32_t>(limits.max_head));
  impl_->parser.body_limit(limits.max_body);
  impl_->parser.eager(false);
}
RequestReader::~RequestReader() = default;

size_t RequestReader::Feed(std::string_view bytes) {
  auto& parser = impl_->parser;
  size_t used = 0;
  started_ = started_ || !bytes.empty();
  while (!done_ && used < bytes.size()) {
    BeastError error;
    const std::string_view rest = bytes.substr(used);
    if (head_done_ && parser.chunked() && rest.size() < kLastChunk) break;
    used += parser.put(asio::buffer(rest.data(), rest.size()), error);
    if (error == http::error::need_more) {
      if (head_done_ && bytes.size() - used > kMaxChunkHead) {
        throw HttpError(400,
                        "the head of a chunk or the trailers are too long");
      }
      return used;
    }
    if (error) Refuse(error, limits_, rest);
    done_ = parser.is_done();
    if (!head_done_ && parser.is_header_done()) {
      head_done_ = true;
      CheckHead();
      return used;
    }
  }
  return used;
}

void RequestReader::CheckHead() {
  const auto& head = impl_->parser.get();
  const bool old = head.version() == 10;
  const auto lines = head.equal_range(http::field::transfer_encoding);
  int chunked = 0;
  for (auto line = lines.first; line != lines.second; ++line) {
    const std::string_view value(line->value().data(), line->value().size());
    for (const std::string_view coding : SplitAt(value, ",")) {
      if (TrimBlanks(coding).empty()) continue;
      if (!EqualIgnoringCase(TrimBlanks(coding), "chunked") || old) {
        throw HttpError(501,
                        "the only transfer encoding known here is chunked");
      }
      ++chunked;
    }
  }
  // RFC 9112, 6.1 and 6.3: other combinations have an ambiguous end (request
  // smuggling).
  if (lines.first != lines.second &&
      (chunked != 1 || !impl_->parser.chunked())) {
    throw HttpError(400, "a body is chunked once, and that comes last");
  }
  const auto hosts = head.equal_range(http::field::host);
  const auto count = std::distance(hosts.first, hosts.second);
  if (count > 1 || (count == 0 && !old)) {
    throw HttpError(400, "an HTTP/1.1 request has one Host header, this one " +
                             std::string(count == 0 ? "none" : "several"));
  }
  const auto expect = head.find(http::field::expect);
  if (expect == head.end() || old) return;
  const auto value = expect->value();
  if (!EqualIgnoringCase({value.data(), value.size()}, "100-continue")) {
    throw HttpError(417, "the only expectation known here is 100-continue");
  }
  expects_continue_ = !done_;
}

HttpRequest RequestReader::Take() {
  auto& message = impl_->parser.get();
  HttpRequest request;
  const auto method = message.method_string();
  const auto target = message.target();
  request.method.assign(method.data(), method.size());
  request.target.assign(target.data(), target.size());
  for (const auto& field : message) {
    const auto name = field.name_string();
    const auto value = field.value();
    request.headers.emplace_back(std::string(name.data(), name.size()),
                                 std::string(value.data(), value.size()));
  }
  request.version = message.version() == 10 ? 10 : 11;
  request.keep_alive = done_ && impl_->parser.keep_alive();
  request.body = std::move(message.body());
  request.max_body = limits_.max_body;
  return request;
}

HttpRequest ParseRequest(std::string_view bytes, const ReaderLimits& limits) {
  RequestReader reader(limits);
  while (!reader.done()) {
    const bool head = reader.head_done();
    const size_t used = reader.Feed(bytes);
    bytes.remove_prefix(used);
    if (!reader.done() && used == 0 && head == reader.head_done()) {
      throw HttpError(400, "the request ends too early");
    }
  }
  HttpRequest request = reader.Take();
  ParseTarget(request);
  return request;
}

}  // namespace heed
