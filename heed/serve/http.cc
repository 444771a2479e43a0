#include "heed/serve/http.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <nlohmann/json.hpp>

#include "heed/base/text.h"

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

// What stands for a wrong text in a message.
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
        throw HttpError(
            400, fmt::format("{} is not a percent escape: % and two of 0-9a-f "
                             "are needed",
                             Quoted(text.substr(i, 3))));
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
  for (const char c : path) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      throw HttpError(400, "the path has a control character");
    }
  }
  size_t begin = 0;
  while (begin <= path.size()) {
    const size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view part(path.data() + begin, end - begin);
    if (part == "." || part == "..") {
      throw HttpError(400, "the path has a '.' or '..' between slashes");
    }
    begin = end + 1;
  }
}

}  // namespace

bool EqualIgnoringCase(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](char x, char y) { return LowerAscii(x) == LowerAscii(y); });
}

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
  switch (status) {
    case 100:
      return "Continue";
    case 200:
      return "OK";
    case 204:
      return "No Content";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 406:
      return "Not Acceptable";
    case 408:
      return "Request Timeout";
    case 411:
      return "Length Required";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Status";
  }
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
    throw HttpError(400, fmt::format("the target {} is no path: it must begin "
                                     "with /",
                                     Quoted(target)));
  }
  target = target.substr(0, target.find('#'));
  const size_t question = std::min(target.find('?'), target.size());
  request.path = PercentDecode(target.substr(0, question), false);
  CheckPath(request.path);
  if (question < target.size()) {
    request.query = ParseForm(target.substr(question + 1));
  }
}

NamedValues ParseForm(std::string_view text) {
  NamedValues values;
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = std::min(text.find('&', begin), text.size());
    const std::string_view pair = text.substr(begin, end - begin);
    begin = end + 1;
    if (pair.empty()) continue;
    const size_t equals = std::min(pair.find('='), pair.size());
    std::string name = PercentDecode(pair.substr(0, equals), true);
    std::string value = equals < pair.size()
                            ? PercentDecode(pair.substr(equals + 1), true)
                            : "";
    if (!IsValidUtf8(name)) {
      throw HttpError(400, "the name of a parameter is not valid UTF-8");
    }
    if (!IsValidUtf8(value)) {
      throw HttpError(
          400, fmt::format("the value of {} is not valid UTF-8", Quoted(name)));
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
  HttpResponse response = JsonResponse(
      json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
      status);
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
