#include "heed/serve/service_manager.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "heed/base/testing.h"

namespace heed {
namespace {

// Receives messages to socket `name`, as systemd does.
class Receiver {
 public:
  explicit Receiver(const std::string& name)
      : socket_(socket(AF_UNIX, SOCK_DGRAM, 0)) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    name.copy(address.sun_path, sizeof(address.sun_path) - 1);
    if (name[0] == '@') address.sun_path[0] = '\0';
    const auto size =
        static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    EXPECT_EQ(bind(socket_, reinterpret_cast<sockaddr*>(&address), size), 0);
    setenv("NOTIFY_SOCKET", name.c_str(), 1);
  }
  ~Receiver() {
    close(socket_);
    unsetenv("NOTIFY_SOCKET");
  }
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;

  std::string Next() const {
    std::array<char, 4096> buffer = {};
    const ssize_t size =
        recv(socket_, buffer.data(), buffer.size(), MSG_DONTWAIT);
    return size < 0 ? ""
                    : std::string(buffer.data(), static_cast<size_t>(size));
  }

 private:
  const int socket_;
};

TEST(ServiceManager, SendsStatesToPathsAndAbstractNames) {
  const TemporaryFolder folder;
  for (const std::string& name :
       {folder.Path("notify"), fmt::format("@heed-test-{}", getpid())}) {
    const Receiver systemd(name);
    const ServiceManager service;
    service.Ready();
    EXPECT_EQ(systemd.Next(), "READY=1");
    service.Alive();
    EXPECT_EQ(systemd.Next(), "WATCHDOG=1");
    service.Reloading();
    EXPECT_TRUE(systemd.Next().starts_with("RELOADING=1\nMONOTONIC_USEC="));
    service.Stopping();
    EXPECT_EQ(systemd.Next(), "STOPPING=1");
    EXPECT_EQ(systemd.Next(), "");
  }
}

TEST(ServiceManager, DoesWithoutSystemd) {
  unsetenv("NOTIFY_SOCKET");
  ServiceManager().Ready();
  for (const std::string& name :
       {std::string("/none/notify"), std::string("@"), std::string(300, 'x')}) {
    setenv("NOTIFY_SOCKET", name.c_str(), 1);
    ServiceManager().Ready();
  }
  unsetenv("NOTIFY_SOCKET");
}

TEST(ServiceManager, IsAliveTwiceAsOftenAsItMust) {
  const auto every = [](const char* limit, const std::string& process) {
    setenv("WATCHDOG_USEC", limit, 1);
    setenv("WATCHDOG_PID", process.c_str(), 1);
    const auto found = ServiceManager().alive_every();
    unsetenv("WATCHDOG_USEC");
    unsetenv("WATCHDOG_PID");
    return found;
  };
  const std::string us = std::to_string(getpid());
  EXPECT_EQ(every("30000000", us), std::chrono::seconds(15));
  EXPECT_EQ(every("30000000", ""), std::chrono::seconds(15));
  EXPECT_EQ(every("30000000", "1"), std::nullopt);
  for (const char* wrong : {"", "0", "-5", "soon"}) {
    EXPECT_EQ(every(wrong, us), std::nullopt) << wrong;
  }
  EXPECT_EQ(ServiceManager().alive_every(), std::nullopt);
}

}  // namespace
}  // namespace heed
