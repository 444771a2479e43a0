// Addresses of clients, for rate limits and access control.
#ifndef HEED_SERVE_CLIENT_ADDRESS_H_
#define HEED_SERVE_CLIENT_ADDRESS_H_

#include <optional>
#include <string>
#include <string_view>

#include "heed/serve/http.h"

namespace heed {

/// Address that stands for all clients of a Unix socket.
inline constexpr std::string_view kUnixClient = "unix";

/// Normalises an address from a proxy: "192.0.2.1", "192.0.2.1:4711",
/// "2001:db8::1", "[2001:db8::1]" or "[2001:db8::1]:4711". An IPv4-mapped IPv6
/// address (RFC 4291, 2.5.5.2) becomes the IPv4 address; a zone ("%eth0") is
/// removed. Nullopt for anything else.
std::optional<std::string> ParseClientAddress(std::string_view text);

/// Client address that the proxy in front of this server reports: the last
/// entry of the last X-Forwarded-For header, because earlier entries come from
/// the client. Returns request.client if that entry is not an address.
std::string ForwardedClient(const HttpRequest& request);

/// Unit of rate limits: for IPv6 the /64 network, which one customer usually
/// gets ("2001:db8:1:2::/64"); otherwise the address itself.
std::string ClientNetwork(const std::string& address);

/// True if a request comes from this machine: over loopback or a Unix socket,
/// and without the headers that a proxy adds.
bool IsLocal(const HttpRequest& request);

}  // namespace heed

#endif  // HEED_SERVE_CLIENT_ADDRESS_H_
