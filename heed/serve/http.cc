#include "heed/serve/http.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <new>

#include "heed/base/file_errors.h"
#include "heed/base/json.h"
#include "heed/base/text.h"
#include "heed/text/markup/ascii.h"

namespace heed {
namespace {

char LowerAscii(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::optional<int> HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c = LowerAscii(c);
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return std::nullopt;
}

// Printable quotation of invalid text for a message.
std::string Quoted(std::string_view text) {
  constexpr size_t kShown = 60;
  std::string quoted;
  for (const char c : text.substr(0, kShown)) {
    const bool plain = c >= 0x20 && c < 0x7F;
    quoted += plain ? c : '?';
  }
  return "'" + quoted + (text.size() > kShown ? "...'" : "'");
}

std::string PercentDecode(std::string_view text, bool plus_is_space) {
  std::string decoded;
  decoded.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      decoded += ' ';
    } else if (text[i] != '%') {
      decoded += text[i];
    } else {
      const auto high =
          i + 2 < text.size() ? HexDigit(text[i + 1]) : std::optional<int>();
      const auto low = high ? HexDigit(text[i + 2]) : std::optional<int>();
      if (!low) {
        throw HttpError(400,
                        "{} is not a percent escape: % and two of 0-9a-f "
                        "are needed",
                        Quoted(text.substr(i, 3)));
      }
      decoded += static_cast<char>(*high * 16 + *low);
      i += 2;
    }
  }
  return decoded;
}

void CheckPath(const std::string& path) {
  if (!IsValidUtf8(path)) {
    throw HttpError(400, "the path is not valid UTF-8");
  }
  if (std::ranges::any_of(
          path, [](unsigned char c) { return c < 0x20 || c == 0x7F; })) {
    throw HttpError(400, "the path has a control character");
  }
  for (const std::string_view part : SplitAt(path, "/")) {
    if (part == "." || part == "..") {
      throw HttpError(400, "the path has a '.' or '..' between slashes");
    }
  }
}

}  // namespace

std::optional<std::string_view> HttpRequest::Header(
    std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (EqualIgnoringCase(key, name)) return value;
  }
  return std::nullopt;
}

std::optional<std::string_view> HttpRequest::LastHeader(
    std::string_view name) const {
  for (auto header = headers.rbegin(); header != headers.rend(); ++header) {
    if (EqualIgnoringCase(header->first, name)) return header->second;
  }
  return std::nullopt;
}

std::string_view ReasonOf(int status) {
  static const std::map<int, std::string_view> reasons = {
      {100, "Continue"},
      {200, "OK"},
      {204, "No Content"},
      {304, "Not Modified"},
      {308, "Permanent Redirect"},
      {400, "Bad Request"},
      {403, "Forbidden"},
      {404, "Not Found"},
      {405, "Method Not Allowed"},
      {406, "Not Acceptable"},
      {408, "Request Timeout"},
      {411, "Length Required"},
      {413, "Content Too Large"},
      {414, "URI Too Long"},
      {415, "Unsupported Media Type"},
      {417, "Expectation Failed"},
      {429, "Too Many Requests"},
      {431, "Request Header Fields Too Large"},
      {500, "Internal Server Error"},
      {501, "Not Implemented"},
      {503, "Service Unavailable"},
      {505, "HTTP Version Not Supported"},
  };
  const auto reason = reasons.find(status);
  return reason == reasons.end() ? "Status" : reason->second;
}

void ParseTarget(HttpRequest& request) {
  std::string_view target = request.target;
  if (target == "*") {
    request.path.assign(1, '*');
    return;
  }
  const size_t scheme = target.find("://");
  if (!target.starts_with('/') && scheme != target.npos) {
    const std::string_view name = target.substr(0, scheme);
    if (!EqualIgnoringCase(name, "http") && !EqualIgnoringCase(name, "https")) {
      throw HttpError(400, "the target is neither a path nor an http address");
    }
    const size_t host = scheme + 3;
    target = target.substr(
        std::min(target.find_first_of("/?#", host), target.size()));
    if (!target.starts_with('/')) {
      request.path.assign(1, '/');
      if (target.starts_with('?')) request.query = ParseForm(target.substr(1));
      return;
    }
  }
  if (!target.starts_with('/')) {
    throw HttpError(400,
                    "the target {} is no path: it must begin "
                    "with /",
                    Quoted(target));
  }
  const auto [path, query] = SplitOnce(SplitOnce(target, "#").first, "?");
  request.path = PercentDecode(path, false);
  CheckPath(request.path);
  request.query = ParseForm(query);
}

NamedValues ParseForm(std::string_view text) {
  NamedValues values;
  for (const std::string_view pair : SplitAt(text, "&")) {
    if (pair.empty()) continue;
    const auto [raw_name, raw_value] = SplitOnce(pair, "=");
    std::string name = PercentDecode(raw_name, true);
    std::string value = PercentDecode(raw_value, true);
    if (!IsValidUtf8(name)) {
      throw HttpError(400, "the name of a parameter is not valid UTF-8");
    }
    if (!IsValidUtf8(value)) {
      throw HttpError(400, "the value of {} is not valid UTF-8", Quoted(name));
    }
    values.emplace_back(std::move(name), std::move(value));
  }
  return values;
}

std::string HeadOf(const HttpResponse& response, int version,
                   std::optional<size_t> body_size) {
  std::string head = fmt::format("HTTP/1.{} {} {}\r\n", version == 10 ? 0 : 1,
                                 response.status, ReasonOf(response.status));
  for (const auto& [name, value] : response.headers) {
    head += fmt::format("{}: {}\r\n", name, value);
  }
  if (body_size) head += fmt::format("Content-Length: {}\r\n", *body_size);
  if (response.close) {
    head += "Connection: close\r\n";
  } else if (version == 10) {
    head += "Connection: keep-alive\r\n";
  }
  return head + "\r\n";
}

HttpResponse ErrorResponse(int status, std::string_view message,
                           NamedValues headers) {
  const nlohmann::ordered_json json = {{"error", message}};
  HttpResponse response = JsonResponse(DumpJson(json), status);
  for (auto& header : headers) response.headers.push_back(std::move(header));
  return response;
}

HttpResponse ErrorResponse(const HttpError& error) {
  return ErrorResponse(error.status(), error.what(), error.headers());
}

HttpResponse ErrorResponse(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const HttpError& e) {
    return ErrorResponse(e);
  } catch (const ConfigError& e) {
    return ErrorResponse(400, e.what());
  } catch (const TooLargeError& e) {
    return ErrorResponse(413, e.what());
  } catch (const UnsupportedError& e) {
    return ErrorResponse(415, e.what());
  } catch (const FormatError& e) {
    return ErrorResponse(400, e.what());
  } catch (const ShapeError& e) {
    return ErrorResponse(400, e.what());
  } catch (const std::bad_alloc&) {
    return ErrorResponse(500, "not enough memory for this request");
  } catch (const std::exception& e) {
    return ErrorResponse(500, e.what());
  }
}

HttpResponse JsonResponse(std::string text, int status) {
  HttpResponse response;
  response.status = status;
  response.body = std::move(text);
  response.body += '\n';
  response.Set("Content-Type", "application/json; charset=utf-8");
  return response;
}

}  // namespace heed
