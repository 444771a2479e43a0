// HTTP requests and responses as plain values, independent of sockets.
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

/// Names and values in order of arrival.
using NamedValues = std::vector<std::pair<std::string, std::string>>;

/// Error that refuses a request, with an HTTP status and a message.
class HttpError : public Error {
 public:
  HttpError(int status, const std::string& message, NamedValues headers = {})
      : Error(message), status_(status), headers_(std::move(headers)) {}
  /// Formats the message with fmt::format.
  template <typename First, typename... Rest>
  HttpError(int status, fmt::format_string<First, Rest...> format,
            First&& first, Rest&&... rest)
      : Error(format, std::forward<First>(first), std::forward<Rest>(rest)...),
        status_(status) {}

  int status() const { return status_; }
  /// Additional response headers: Allow, Retry-After.
  const NamedValues& headers() const { return headers_; }

 private:
  int status_;
  NamedValues headers_;
};

struct HttpRequest {
  std::string method;
  std::string target;  ///< as sent
  std::string path;    ///< decoded: "/translate"
  NamedValues query;   ///< decoded
  NamedValues headers;
  std::string body;
  size_t max_body = size_t{4} << 20;  ///< limit of the decoded body in bytes
  int version = 11;                   ///< 10 or 11
  bool keep_alive = true;
  std::string client;  ///< address without port

  /// First header of this name, ignoring case; nullopt if there is none.
  std::optional<std::string_view> Header(std::string_view name) const;
  /// Last header of this name, ignoring case; nullopt if there is none.
  std::optional<std::string_view> LastHeader(std::string_view name) const;
};

struct HttpResponse {
  int status = 200;
  NamedValues headers;
  std::string body;
  bool close = false;  ///< close the connection after this response

  void Set(std::string name, std::string value) {
    headers.emplace_back(std::move(name), std::move(value));
  }
};

/// Reason phrase of a status, such as "Not Found".
std::string_view ReasonOf(int status);

/// Parses `request.target` into path and query. The target is in origin form,
/// in absolute form (the host is ignored), or "*". Throws: HttpError 400 for
/// any other form, a wrong escape, invalid UTF-8, control characters, or "." or
/// ".." in the path.
void ParseTarget(HttpRequest& request);

/// Decodes "a=1&b=x+y". Throws: HttpError 400 that quotes the invalid name or
/// value.
NamedValues ParseForm(std::string_view text);

/// Status line and headers, with the empty line. `body_size`: Content-Length;
/// nullopt if none is announced (chunked or no content).
std::string HeadOf(const HttpResponse& response, int version,
                   std::optional<size_t> body_size);

/// Response {"error": "message"}, LibreTranslate's format.
HttpResponse ErrorResponse(int status, std::string_view message,
                           NamedValues headers = {});
HttpResponse ErrorResponse(const HttpError& error);
/// Response to an exception: 400 for errors of the request, 500 otherwise.
HttpResponse ErrorResponse(const std::exception_ptr& error);

/// Response with `text` as its JSON body.
HttpResponse JsonResponse(std::string text, int status = 200);

}  // namespace heed

#endif  // HEED_SERVE_HTTP_H_
