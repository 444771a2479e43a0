#include "heed/serve/client_address.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

HttpRequest Request(const std::string& client, NamedValues headers = {}) {
  HttpRequest request;
  request.client = client;
  request.headers = std::move(headers);
  return request;
}

TEST(ParseClientAddress, KnowsPortsBracketsAndMappedAddresses) {
  const NamedValues cases = {
      {"192.0.2.1", "192.0.2.1"},
      {" 192.0.2.1\t", "192.0.2.1"},
      {"192.0.2.1:4711", "192.0.2.1"},
      {"2001:DB8:0::1", "2001:db8::1"},
      {"[2001:db8::1]", "2001:db8::1"},
      {"[2001:db8::1]:443", "2001:db8::1"},
      {"fe80::1%eth0", "fe80::1"},
      {"::ffff:192.0.2.1", "192.0.2.1"},
      {"[::ffff:c000:201]:1", "192.0.2.1"},
  };
  for (const auto& [text, address] : cases) {
    EXPECT_EQ(ParseClientAddress(text), address) << text;
  }
  for (const char* text :
       {"", "unknown", "_hidden", "1.2.3", "1.2.3.4.5", "01.2.3.400",
        "1.2.3.4:", "1.2.3.4:x", "1.2.3.4:123456", "[::1", "[::1]x",
        "[::1]:", "::1]", ":::", "1::2::3", "localhost", "[]"}) {
    EXPECT_EQ(ParseClientAddress(text), std::nullopt) << text;
  }
  EXPECT_EQ(ParseClientAddress(std::string(100000, ':')), std::nullopt);
  EXPECT_EQ(ParseClientAddress(std::string("1.2.3.4\0x", 9)), std::nullopt);
}

TEST(ForwardedClient, IsTheLastEntryOfTheLastLine) {
  EXPECT_EQ(ForwardedClient(Request("p", {})), "p");
  EXPECT_EQ(ForwardedClient(
                Request("p", {{"X-Forwarded-For", "1.1.1.1"},
                              {"x-forwarded-for", "2.2.2.2, 3.3.3.3:99"}})),
            "3.3.3.3");
  // An entry that is not an address is ignored, with all entries before it.
  for (const char* last : {"unknown", "", "1.1.1.1,", "1.1.1.1, x"}) {
    EXPECT_EQ(ForwardedClient(Request("p", {{"X-Forwarded-For", "1.1.1.1"},
                                            {"X-Forwarded-For", last}})),
              "p");
  }
}

TEST(ClientNetwork, TakesIpv6ByItsFirst64Bits) {
  EXPECT_EQ(ClientNetwork("192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(ClientNetwork("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
  EXPECT_EQ(ClientNetwork("2001:db8:1:2::"),
            ClientNetwork("2001:db8:1:2:ffff::"));
  EXPECT_NE(ClientNetwork("2001:db8:1:2::1"), ClientNetwork("2001:db8:1:3::1"));
  EXPECT_EQ(ClientNetwork("::ffff:192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(ClientNetwork("unix"), "unix");
}

TEST(IsLocal, IsNotWhatAProxyPassesOn) {
  for (const char* client : {"127.0.0.1", "127.8.8.8", "::1", "unix"}) {
    EXPECT_TRUE(IsLocal(Request(client))) << client;
    EXPECT_FALSE(IsLocal(Request(client, {{"x-forwarded-for", "127.0.0.1"}})));
    EXPECT_FALSE(IsLocal(Request(client, {{"Forwarded", "for=127.0.0.1"}})));
    EXPECT_FALSE(IsLocal(Request(client, {{"Via", "1.1 proxy"}})));
  }
  for (const char* client : {"192.0.2.1", "2001:db8::1", "", "1127.0.0.1"}) {
    EXPECT_FALSE(IsLocal(Request(client))) << client;
  }
}

}  // namespace
}  // namespace heed
