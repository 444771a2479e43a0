// What systemd wants to know of a service (sd_notify(3)), without its library.
#ifndef HEED_SERVE_SERVICE_MANAGER_H_
#define HEED_SERVE_SERVICE_MANAGER_H_

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace heed {

/// Sends the states of this process to the socket in $NOTIFY_SOCKET, a path or
/// an abstract name that begins with @. Does nothing where there is none, and
/// does not mind one that does not listen. Thread-safe.
class ServiceManager {
 public:
  /// Reads the environment.
  ServiceManager();

  void Ready() const { Send("READY=1"); }
  /// Until the next Ready.
  void Reloading() const;
  void Stopping() const { Send("STOPPING=1"); }
  void Alive() const { Send("WATCHDOG=1"); }
  /// How often Alive should be called, half of what is allowed; nothing if
  /// nobody waits for it.
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
