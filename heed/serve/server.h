// The sockets: connections, time limits, refusals, an orderly end.
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

/// Units of times: seconds.
struct ServerOptions {
  std::string host = "127.0.0.1";
  int port = 5000;
  std::string unix_socket;
  int max_connections = 10000;
  int max_header_bytes = 16384;
  /// A minute of speech fits, as the page records it.
  int max_body_bytes = 4 << 20;
  double header_timeout = 10;
  double body_timeout = 30;
  double idle_timeout = 75;
  double request_timeout = 60;
  double write_timeout = 30;
  double stop_timeout = 30;
  double drain_seconds = 0;
  /// Headers of the answers to requests of a path, "" for those that are
  /// refused before it is known; not an option.
  std::function<NamedValues(std::string_view path)> headers;

  void Visit(FieldList& v);
};

/// A request and the way back to its client. Answered from any thread, once:
/// Send, or Begin, Write... and End. One that is dropped without an answer is
/// answered with 500.
class Exchange {
 public:
  /// The last piece of a body whose end does not come: for the error that the
  /// client would have got if nothing had been sent yet.
  using LastWords = std::function<std::string(const HttpResponse& error)>;

  explicit Exchange(HttpRequest request) : request_(std::move(request)) {}
  virtual ~Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  const HttpRequest& request() const { return request_; }
  /// Whether nobody waits for the answer any more: the client went away, or its
  /// time is up.
  bool gone() const { return gone_.cancelled(); }
  /// The same for those who compute the answer.
  const Cancellation& cancellation() const { return gone_; }
  /// What metrics call it. Set before the handler returns.
  void SetRoute(std::string_view route) { route_ = route; }
  const std::string& route() const { return route_; }

  /// Does `work` on a thread of the workers; what it throws is the answer. For
  /// all that takes longer than to move some bytes.
  virtual void Later(std::function<void()> work) = 0;

  virtual void Send(HttpResponse response) = 0;
  /// The head of an answer whose body comes piece by piece. If its time is up
  /// before End, `last_words` end it.
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

/// Whether an exchange is gone; keeps it.
inline std::shared_ptr<const Cancellation> CancellationOf(
    const std::shared_ptr<Exchange>& exchange) {
  return {exchange, &exchange->cancellation()};
}

/// Takes a request; called on the thread of Run, which all connections share:
/// what takes its time is for Exchange::Later. What it throws is the answer.
using Handler = std::function<void(const std::shared_ptr<Exchange>&)>;

class ServerLoop;

/// HTTP/1.1: one thread moves the bytes of all connections, some workers look
/// at what came. A request is answered in the order in which it came on its
/// connection; refusals are said in words (see docs/serving.md).
class HttpServer {
 public:
  /// Listens. `log` and `metrics` must outlive it. Throws: IoError that names
  /// the address.
  HttpServer(const ServerOptions& options, Handler handler, Log& log,
             ServerMetrics& metrics);
  ~HttpServer();

  /// Where it listens: "http://127.0.0.1:5000/", also if any free port was
  /// asked for, or "unix:/run/heed.sock".
  std::string address() const;
  /// Open connections. Thread-safe.
  int connections() const;
  /// The most processor time that the thread of Run gave to one event, which
  /// all others waited for. Thread-safe. Units: seconds
  double longest_event() const;

  /// Called by Run as soon as it answers clients and signals.
  void OnStart(std::function<void()> start);
  /// Called on the thread of Run at each SIGHUP.
  void OnHangUp(std::function<void()> reload);
  /// Called on the thread of Run as soon as it is asked to stop, before the
  /// time in which it drains.
  void OnDrain(std::function<void()> drain);
  /// Called on the thread of Run once it is to stop.
  void OnStop(std::function<void()> stop);
  /// Called on the thread of Run again and again.
  void Every(std::chrono::microseconds time, std::function<void()> tick);
  /// Serves until Stop, SIGINT or SIGTERM; goes on for drain_seconds, in which
  /// each answer closes its connection; then takes nothing new, until all that
  /// was accepted is answered or stop_timeout is over. A second signal ends it
  /// at once.
  void Run();
  /// Thread-safe.
  void Stop();

 private:
  std::shared_ptr<ServerLoop> loop_;
};

}  // namespace heed

#endif  // HEED_SERVE_SERVER_H_
