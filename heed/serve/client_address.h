// Which client a request comes from, as it is counted.
#ifndef HEED_SERVE_CLIENT_ADDRESS_H_
#define HEED_SERVE_CLIENT_ADDRESS_H_

#include <optional>
#include <string>
#include <string_view>

#include "heed/serve/http.h"

namespace heed {

/// What stands for the address of a client of a Unix socket.
inline constexpr std::string_view kUnixClient = "unix";

/// An address as a proxy writes it, in its usual form: "192.0.2.1",
/// "192.0.2.1:4711", "2001:db8::1", "[2001:db8::1]" or "[2001:db8::1]:4711". An
/// IPv4-mapped IPv6 address (RFC 4291, 2.5.5.2) is the IPv4 address, a zone
/// ("%eth0") is left out. Nothing for anything else.
std::optional<std::string> ParseClientAddress(std::string_view text);

/// The client that the proxy before this server vouches for: the last entry of
/// the last X-Forwarded-For header, because whatever stands before it came from
/// the client. request.client if that is no address.
std::string ForwardedClient(const HttpRequest& request);

/// Whom a limit is for: of IPv6 the network of 64 bits, which is what one
/// customer gets ("2001:db8:1:2::/64"), of everything else the address itself.
std::string ClientNetwork(const std::string& address);

/// Whether a request comes from this machine: over loopback or a Unix socket,
/// and not through a proxy, which would name itself or its client in a header.
bool IsLocal(const HttpRequest& request);

}  // namespace heed

#endif  // HEED_SERVE_CLIENT_ADDRESS_H_
