// Requests and answers of the server as plain values, without sockets.
#ifndef HEED_SERVE_HTTP_H_
#define HEED_SERVE_HTTP_H_

#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/base/errors.h"

namespace heed {

/// Names and values in the order in which they came.
using NamedValues = std::vector<std::pair<std::string, std::string>>;

/// A request that is refused: the status and, in words, why.
class HttpError : public Error {
 public:
  HttpError(int status, const std::string& message, NamedValues headers = {})
      : Error(message), status_(status), headers_(std::move(headers)) {}
  /// The message as fmt::format puts it together.
  template <typename First, typename... Rest>
  HttpError(int status, fmt::format_string<First, Rest...> format,
            First&& first, Rest&&... rest)
      : Error(format, std::forward<First>(first), std::forward<Rest>(rest)...),
        status_(status) {}

  int status() const { return status_; }
  /// What the answer carries besides: Allow, Retry-After.
  const NamedValues& headers() const { return headers_; }

 private:
  int status_;
  NamedValues headers_;
};

struct HttpRequest {
  std::string method;
  std::string target;  ///< as it was sent
  std::string path;    ///< decoded: "/translate"
  NamedValues query;   ///< decoded
  NamedValues headers;
  std::string body;
  size_t max_body = size_t{4} << 20;  ///< bytes of the body once it is decoded
  int version = 11;                   ///< 10 or 11
  bool keep_alive = true;
  std::string client;  ///< its address, without the port

  /// The first value of this name, whatever its case; nothing if there is none.
  std::optional<std::string_view> Header(std::string_view name) const;
  /// The last one.
  std::optional<std::string_view> LastHeader(std::string_view name) const;
};

struct HttpResponse {
  int status = 200;
  NamedValues headers;
  std::string body;
  bool close = false;  ///< the connection, after this

  void Set(std::string name, std::string value) {
    headers.emplace_back(std::move(name), std::move(value));
  }
};

/// "Not Found"
std::string_view ReasonOf(int status);

/// Fills in path and query of `request.target`: origin form, absolute form
/// (the host is left out), or "*". Throws: HttpError 400 for anything else, for
/// a wrong escape, for text that is not UTF-8 or has control characters, and
/// for
/// "." or ".." in the path.
void ParseTarget(HttpRequest& request);

/// "a=1&b=x+y" decoded. Throws: HttpError 400 that quotes what is wrong.
NamedValues ParseForm(std::string_view text);

/// The bytes of status line and headers up to the empty line; a body of
/// `body_size` bytes follows, or none is announced (chunks, no content).
std::string HeadOf(const HttpResponse& response, int version,
                   std::optional<size_t> body_size);

/// {"error": "message"}, the form of LibreTranslate.
HttpResponse ErrorResponse(int status, std::string_view message,
                           NamedValues headers = {});
HttpResponse ErrorResponse(const HttpError& error);
/// For what went wrong while a request was worked on: 400 for what is wrong
/// with the request, 500 for everything else.
HttpResponse ErrorResponse(const std::exception_ptr& error);

/// `text` as a JSON answer.
HttpResponse JsonResponse(std::string text, int status = 200);

}  // namespace heed

#endif  // HEED_SERVE_HTTP_H_
