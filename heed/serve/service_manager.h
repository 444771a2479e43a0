// Notifications to systemd (sd_notify(3)), without its library.
#ifndef HEED_SERVE_SERVICE_MANAGER_H_
#define HEED_SERVE_SERVICE_MANAGER_H_

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace heed {

/// Sends states of this process to the socket in $NOTIFY_SOCKET, a path or an
/// abstract name that begins with @. Does nothing without this variable, and
/// ignores a socket that nobody listens on. Thread-safe.
class ServiceManager {
 public:
  /// Reads the environment variables.
  ServiceManager();

  void Ready() const { Send("READY=1"); }
  /// Reports a reload that lasts until the next Ready.
  void Reloading() const;
  void Stopping() const { Send("STOPPING=1"); }
  void Alive() const { Send("WATCHDOG=1"); }
  /// Period in which to call Alive, half of the watchdog limit; nullopt without
  /// a watchdog.
  std::optional<std::chrono::microseconds> alive_every() const {
    return alive_every_;
  }

 private:
  void Send(std::string_view state) const;

  std::string socket_;
  std::optional<std::chrono::microseconds> alive_every_;
};

}  // namespace heed

#endif  // HEED_SERVE_SERVICE_MANAGER_H_
