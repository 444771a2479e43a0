// Thread-safe responses to requests of a connection.
#ifndef HEED_SERVE_SOCKET_EXCHANGE_H_
#define HEED_SERVE_SOCKET_EXCHANGE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "heed/serve/server_loop.h"

namespace heed {

/// Exchange of a connection; its functions post to the server's thread.
class SocketExchange : public Exchange,
                       public std::enable_shared_from_this<SocketExchange> {
 public:
  SocketExchange(std::shared_ptr<ClientConnection> connection, uint64_t number,
                 HttpRequest request)
      : Exchange(std::move(request)),
        connection_(std::move(connection)),
        number_(number) {}
  ~SocketExchange() override;

  void Later(std::function<void()> work) override;
  void Send(HttpResponse response) override;
  void Begin(HttpResponse head, LastWords last_words) override;
  void Write(std::string piece) override;
  void End() override;
  using Exchange::SetGone;
  /// Responds with the exception that is being handled.
  void Fail();

 private:
  const std::shared_ptr<ClientConnection> connection_;
  const uint64_t number_;
  bool answered_ = false;
};

}  // namespace heed

#endif  // HEED_SERVE_SOCKET_EXCHANGE_H_
