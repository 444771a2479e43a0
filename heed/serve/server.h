// HTTP server: connections, time limits, refusals, graceful shutdown.
#ifndef HEED_SERVE_SERVER_H_
#define HEED_SERVE_SERVER_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "heed/base/cancellation.h"
#include "heed/base/config.h"
#include "heed/serve/http.h"
#include "heed/serve/log.h"
#include "heed/serve/server_metrics.h"

namespace heed {

/// Options of the server. Times are in seconds.
struct ServerOptions {
  std::string host = "127.0.0.1";
  int port = 5000;
  std::string unix_socket;
  int max_connections = 10000;
  int max_header_bytes = 16384;
  /// Fits a minute of speech in the format that the web page records.
  int max_body_bytes = 4 << 20;
  double header_timeout = 10;
  double body_timeout = 30;
  double idle_timeout = 75;
  double request_timeout = 60;
  double write_timeout = 30;
  double stop_timeout = 30;
  double drain_seconds = 0;
  /// Headers of responses to a path ("" for requests refused before the path is
  /// known). Not an option.
  std::function<NamedValues(std::string_view path)> headers;
  /// False in a library: signals belong to the program. Not an option.
  bool handle_signals = true;

  void Visit(FieldList& v);
};

/// A request and the channel for its response. Can be answered once, from any
/// thread: Send, or Begin, Write... and End. An exchange that is destroyed
/// without a response responds with 500.
class Exchange {
 public:
  /// Makes the last piece of a body that cannot be completed, from the error
  /// that would have been the response before Begin.
  using LastWords = std::function<std::string(const HttpResponse& error)>;

  explicit Exchange(HttpRequest request) : request_(std::move(request)) {}
  virtual ~Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  const HttpRequest& request() const { return request_; }
  /// True if no client waits for the response: the client disconnected, or the
  /// time limit was reached.
  bool gone() const { return gone_.cancelled(); }
  /// Cancelled when gone() is true. For computations of the response.
  const Cancellation& cancellation() const { return gone_; }
  /// Sets the route's name in metrics. Call it before the handler returns.
  void SetRoute(std::string_view route) { route_ = route; }
  const std::string& route() const { return route_; }

  /// Runs `work` on a worker thread; an exception becomes the response. For all
  /// work that takes longer than moving some bytes.
  virtual void Later(std::function<void()> work) = 0;

  virtual void Send(HttpResponse response) = 0;
  /// Sends the head of a response whose body is sent in pieces. If the time
  /// limit is reached before End, `last_words` makes the last piece.
  virtual void Begin(HttpResponse head, LastWords last_words) = 0;
  virtual void Write(std::string piece) = 0;
  virtual void End() = 0;

 protected:
  void SetGone() { gone_.Cancel(); }

 private:
  const HttpRequest request_;
  std::string route_ = "other";
  CancellationFlag gone_;
};

/// Cancellation of an exchange; keeps the exchange alive.
inline std::shared_ptr<const Cancellation> CancellationOf(
    const std::shared_ptr<Exchange>& exchange) {
  return {exchange, &exchange->cancellation()};
}

/// Handles a request. Runs on the thread of Run, which all connections share,
/// so long work belongs in Exchange::Later. An exception becomes the response.
using Handler = std::function<void(const std::shared_ptr<Exchange>&)>;

class ServerLoop;

/// HTTP/1.1 server. One thread transfers the bytes of all connections; a few
/// workers handle requests. Responses of a connection keep the order of its
/// requests. Refusals have messages (see docs/reference/http_api.md).
class HttpServer {
 public:
  /// Listens. `log` and `metrics` must outlive the server. Throws: IoError with
  /// the address.
  HttpServer(const ServerOptions& options, Handler handler, Log& log,
             ServerMetrics& metrics);
  ~HttpServer();

  /// Address that the server listens on: "http://127.0.0.1:5000/", with the
  /// real port if port 0 was given, or "unix:/run/heed.sock".
  std::string address() const;
  /// Number of open connections. Thread-safe.
  int connections() const;
  /// Longest processor time of one event on the thread of Run, which delayed
  /// all other events. Thread-safe. Units: seconds
  double longest_event() const;

  /// Sets a function that Run calls once clients and signals are handled.
  void OnStart(std::function<void()> start);
  /// Sets a function that Run calls on its thread at each SIGHUP.
  void OnHangUp(std::function<void()> reload);
  /// Sets a function that Run calls on its thread on a stop request, before the
  /// drain time.
  void OnDrain(std::function<void()> drain);
  /// Sets a function that Run calls on its thread after the drain time.
  void OnStop(std::function<void()> stop);
  /// Calls `tick` periodically on the thread of Run.
  void Every(std::chrono::microseconds time, std::function<void()> tick);
  /// Serves until Stop, SIGINT or SIGTERM. Then continues for drain_seconds, in
  /// which each response closes its connection. Then accepts no new
  /// connections, and returns when all requests are answered or after
  /// stop_timeout. A second signal ends it at once.
  void Run();
  /// Requests the end of Run. Thread-safe.
  void Stop();

 private:
  std::shared_ptr<ServerLoop> loop_;
};

}  // namespace heed

#endif  // HEED_SERVE_SERVER_H_
