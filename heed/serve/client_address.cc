#include "heed/serve/client_address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

#include "heed/base/text.h"

namespace heed {
namespace {

constexpr size_t kLongestAddress = 64;

std::optional<in_addr> ParseV4(std::string_view text) {
  in_addr address = {};
  const bool valid =
      inet_pton(AF_INET, std::string(text).c_str(), &address) > 0;
  return valid ? std::optional(address) : std::nullopt;
}

std::optional<in6_addr> ParseV6(std::string_view text) {
  in6_addr address = {};
  const std::string whole(text.substr(0, text.find('%')));
  const bool valid = inet_pton(AF_INET6, whole.c_str(), &address) > 0;
  return valid ? std::optional(address) : std::nullopt;
}

template <typename Address>
std::string Written(int family, const Address& address) {
  std::array<char, INET6_ADDRSTRLEN> text = {};
  inet_ntop(family, &address, text.data(), text.size());
  return text.data();
}

bool IsPort(std::string_view text) {
  return !text.empty() && text.size() <= 5 &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// Strips brackets and port: "[...]", "[...]:port" or "a.b.c.d:port". Nullopt if
// the brackets or the port are malformed.
std::optional<std::string_view> WithoutPort(std::string_view text) {
  if (text.starts_with('[')) {
    const size_t end = text.find(']');
    if (end == text.npos) return std::nullopt;
    const std::string_view rest = text.substr(end + 1);
    const bool good =
        rest.empty() || (rest[0] == ':' && IsPort(rest.substr(1)));
    return good ? std::optional(text.substr(1, end - 1)) : std::nullopt;
  }
  const size_t colon = text.find(':');
  if (colon == text.npos || colon != text.rfind(':')) return text;
  return IsPort(text.substr(colon + 1)) ? std::optional(text.substr(0, colon))
                                        : std::nullopt;
}

}  // namespace

std::optional<std::string> ParseClientAddress(std::string_view text) {
  const auto address = WithoutPort(TrimBlanks(text));
  if (!address || address->size() > kLongestAddress ||
      address->find('\0') != address->npos) {
    return std::nullopt;
  }
  if (const auto v4 = ParseV4(*address)) return Written(AF_INET, *v4);
  const auto v6 = ParseV6(*address);
  if (!v6) return std::nullopt;
  if (!IN6_IS_ADDR_V4MAPPED(&*v6)) return Written(AF_INET6, *v6);
  in_addr v4 = {};
  std::copy_n(v6->s6_addr + 12, 4, reinterpret_cast<uint8_t*>(&v4));
  return Written(AF_INET, v4);
}

std::string ForwardedClient(const HttpRequest& request) {
  const std::string_view line =
      request.LastHeader("X-Forwarded-For").value_or("");
  return ParseClientAddress(line.substr(line.rfind(',') + 1))
      .value_or(request.client);
}

std::string ClientNetwork(const std::string& address) {
  const auto v6 = ParseV6(address);
  if (!v6) return address;
  if (IN6_IS_ADDR_V4MAPPED(&*v6)) return *ParseClientAddress(address);
  in6_addr network = {};
  std::copy_n(v6->s6_addr, 8, network.s6_addr);
  return Written(AF_INET6, network) + "/64";
}

bool IsLocal(const HttpRequest& request) {
  for (const char* name :
       {"X-Forwarded-For", "X-Real-IP", "Forwarded", "Via"}) {
    if (request.Header(name)) return false;
  }
  return request.client == kUnixClient || request.client == "::1" ||
         request.client.starts_with("127.");
}

}  // namespace heed
