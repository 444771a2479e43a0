#include "heed/serve/server.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <csignal>
#include <cstring>
#include <ctime>
#include <vector>

#include "heed/base/errors.h"
#include "heed/serve/server_loop.h"

namespace heed {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

// File descriptors for everything except connections.
constexpr rlim_t kOtherFiles = 64;
// Connections above the limit that get a response 503. Further ones are just
// closed.
constexpr size_t kMaxRefused = 256;

// Raises the limit of open files as far as allowed. Returns the number of
// connections that fit.
size_t RaiseFileLimit(int wanted) {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1;
  const rlim_t needed = static_cast<rlim_t>(wanted) + kMaxRefused + kOtherFiles;
  if (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < needed) {
    limit.rlim_cur = limit.rlim_max == RLIM_INFINITY
                         ? needed
                         : std::min(needed, limit.rlim_max);
    setrlimit(RLIMIT_NOFILE, &limit);
    getrlimit(RLIMIT_NOFILE, &limit);
  }
  if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= needed) {
    return static_cast<size_t>(wanted);
  }
  const rlim_t kept = std::min(limit.rlim_cur / 2, kMaxRefused + kOtherFiles);
  return std::max<size_t>(1, limit.rlim_cur - kept);
}

double ProcessorTimeOfThread() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace

void ServerOptions::Visit(FieldList& v) {
  v("host", host, Any{"ADDRESS"},
    "address to listen on; 0.0.0.0 or :: for all networks");
  v("port", port, Range(0, 65535), "port to listen on; 0: any free port");
  v("unix_socket", unix_socket, Any{"FILE"},
    "listen on this Unix socket, for its owner and group, instead of a port");
  v("max_connections", max_connections, Range(1, 1000000),
    "maximum open connections; above it, the connection that is idle longest "
    "is closed");
  v("max_header_bytes", max_header_bytes, Range(256, 1 << 20),
    "maximum bytes of the request line and all headers");
  v("max_body_bytes", max_body_bytes, Range(1, 1 << 30),
    "maximum size of a request");
  v("header_timeout", header_timeout, Range(0.01, 86400),
    "seconds from the first byte of a request to the end of its headers");
  v("body_timeout", body_timeout, Range(0.01, 86400),
    "seconds from the end of the headers to the end of the body");
  v("request_timeout", request_timeout, Range(0.01, 86400),
    "seconds until an unfinished request is cancelled with status 503; "
    "requests that would take longer are refused");
  v("idle_timeout", idle_timeout, Range(0.01, 86400),
    "seconds that a connection may wait for its next request");
  v("write_timeout", write_timeout, Range(0.01, 86400),
    "seconds that a client may take to read a part of an answer");
  v("drain_seconds", drain_seconds, Range(0, 86400),
    "seconds to continue serving after SIGTERM while /ready reports draining, "
    "so that proxies send no new requests");
  v("stop_timeout", stop_timeout, Range(0, 86400),
    "seconds to finish accepted requests when the server stops");
}

ServerLoop::ServerLoop(const ServerOptions& options, Handler handler, Log& log,
                       ServerMetrics& metrics)
    : options_(options),
      handler_(std::move(handler)),
      log_(log),
      metrics_(metrics) {
  options_.unix_socket.empty() ? ListenOnPort() : ListenOnUnixSocket();
}

void ServerLoop::ListenOnUnixSocket() {
  unix_listener_.emplace(options_.unix_socket);
  acceptor_.assign(StreamProtocol(AF_UNIX, 0),
                   unix_listener_->TakeDescriptor());
  acceptor_.non_blocking(true);
  address_ = "unix:" + options_.unix_socket;
}

void ServerLoop::ListenOnPort() {
  const std::string where = fmt::format("{}:{}", options_.host, options_.port);
  const auto check = [&](const SocketError& error, const char* action) {
    if (!error) return;
    throw IoError("{}: cannot {} ({})", where, action, error.message());
  };
  SocketError error;
  tcp::resolver resolver(io_);
  const auto found =
      resolver.resolve(options_.host, std::to_string(options_.port), error);
  check(error, "find that address");
  const tcp::endpoint endpoint = found.begin()->endpoint();
  acceptor_.open(endpoint.protocol(), error);
  check(error, "open a socket");
  acceptor_.set_option(asio::socket_base::reuse_address(true), error);
  acceptor_.bind(endpoint, error);
  check(error, "listen there");
  acceptor_.listen(4096, error);
  check(error, "listen there");
  acceptor_.non_blocking(true, error);
  tcp::endpoint bound = endpoint;
  const StreamProtocol::endpoint local = acceptor_.local_endpoint(error);
  if (!error && local.size() <= bound.capacity()) {
    std::memcpy(bound.data(), local.data(), local.size());
  }
  const bool brackets = options_.host.find(':') != std::string::npos;
  address_ = fmt::format("http://{}:{}/",
                         brackets ? "[" + options_.host + "]" : options_.host,
                         bound.port());
}

void ServerLoop::Run() {
  max_ = RaiseFileLimit(options_.max_connections);
  if (max_ < static_cast<size_t>(options_.max_connections)) {
    log_.Warning("few files", {{"max_connections", max_}});
  }
  if (options_.handle_signals) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) signals_.add(signal);
  }
  HandleSignal();
  Accept();
  if (start_) start_();
  try {
    HandleEvents();
  } catch (...) {
    JoinWorkers();
    throw;
  }
  JoinWorkers();
}

// Joins the workers in Run, because objects that the handler uses may be
// destroyed after Run.
void ServerLoop::JoinWorkers() {
  for (asio::thread_pool* workers : {&for_small_, &for_large_}) {
    workers->stop();
    workers->join();
  }
}

// Runs the event loop (like io_.run()) and records the longest event.
void ServerLoop::HandleEvents() {
  double before = ProcessorTimeOfThread();
  while (io_.run_one() > 0) {
    const double after = ProcessorTimeOfThread();
    if (after - before > longest_event_) longest_event_ = after - before;
    before = after;
  }
}

void ServerLoop::Every(std::chrono::microseconds time,
                       std::function<void()> tick) {
  tick();
  tick_timer_.expires_after(time);
  tick_timer_.async_wait(
      [this, time, tick = std::move(tick)](const SocketError& cancelled) {
        if (!cancelled) Every(time, tick);
      });
}

void ServerLoop::HandleSignal() {
  signals_.async_wait([this](const SocketError& error, int signal) {
    if (error) return;
    if (signal == SIGHUP) {
      if (reload_) reload_();
    } else if (!stopping_ && !draining_) {
      BeginDrain();
    } else {
      log_.Warning("stopped at once");
      io_.stop();
      return;
    }
    if (!stopping_ || !all_.empty()) HandleSignal();
  });
}

void ServerLoop::Accept() {
  acceptor_.async_accept([this](const SocketError& error, StreamSocket socket) {
    if (stopping_ || error == asio::error::operation_aborted) return;
    if (!error) {
      Take(std::move(socket));
    } else if (error == asio::error::no_descriptors ||
               error == boost::system::errc::too_many_files_open_in_system ||
               error == asio::error::no_memory) {
      // The system's limit was reached before the server's.
      if (!idle_.empty()) idle_.front()->Close();
      accept_timer_.expires_after(std::chrono::milliseconds(20));
      accept_timer_.async_wait([this](const SocketError& cancelled) {
        if (!cancelled) Accept();
      });
      return;
    }
    Accept();
  });
}

void ServerLoop::Take(StreamSocket socket) {
  metrics_.CountAcceptedConnection();
  const auto is_full = [this] { return all_.size() - lingering_ >= max_; };
  if (is_full() && !idle_.empty()) idle_.front()->Close();
  const bool full = is_full();
  if (full) metrics_.CountRefusedConnection();
  if (all_.size() >= max_ + kMaxRefused) return;
  const auto connection =
      std::make_shared<ClientConnection>(std::move(socket), *this);
  all_.insert(connection);
  count_ = static_cast<int>(all_.size());
  full ? connection->StartRefused() : connection->Start();
}

void ServerLoop::Remove(const std::shared_ptr<ClientConnection>& connection) {
  all_.erase(connection);
  count_ = static_cast<int>(all_.size());
  EndIfDone();
}

void ServerLoop::Stop() {
  asio::post(io_, [this] {
    if (!draining_) BeginDrain();
  });
}

void ServerLoop::BeginDrain() {
  draining_ = true;
  if (drain_) drain_();
  if (options_.drain_seconds <= 0) return BeginStop();
  log_.Info("draining", {{"seconds", options_.drain_seconds}});
  stop_timer_.expires_after(std::chrono::milliseconds(
      static_cast<int64_t>(options_.drain_seconds * 1000)));
  stop_timer_.async_wait([this](const SocketError& cancelled) {
    if (!cancelled) BeginStop();
  });
}

void ServerLoop::BeginStop() {
  if (stopping_) return;
  log_.Info("stopping", {{"connections", all_.size()}});
  if (stop_) stop_();
  // Accepts connections that the system has already accepted.
  SocketError error;
  while (true) {
    StreamSocket socket(io_);
    acceptor_.accept(socket, error);
    if (error) break;
    Take(std::move(socket));
  }
  stopping_ = true;
  acceptor_.close(error);
  unix_listener_.reset();
  accept_timer_.cancel();
  stop_timer_.expires_after(std::chrono::milliseconds(
      static_cast<int64_t>(options_.stop_timeout * 1000)));
  stop_timer_.async_wait([this](const SocketError& cancelled) {
    if (cancelled) return;
    log_.Warning("stopped before all was answered",
                 {{"connections", all_.size()}});
    while (!all_.empty()) (*all_.begin())->Close();
    EndIfDone();
  });
  const std::vector<std::shared_ptr<ClientConnection>> connections(all_.begin(),
                                                                   all_.end());
  for (const auto& connection : connections) connection->StopIfIdle();
  EndIfDone();
}

void ServerLoop::EndIfDone() {
  if (!stopping_ || !all_.empty()) return;
  stop_timer_.cancel();
  tick_timer_.cancel();
  SocketError ignored;
  signals_.cancel(ignored);
}

HttpServer::HttpServer(const ServerOptions& options, Handler handler, Log& log,
                       ServerMetrics& metrics)
    : loop_(std::make_shared<ServerLoop>(options, std::move(handler), log,
                                         metrics)) {}
HttpServer::~HttpServer() = default;

std::string HttpServer::address() const { return loop_->address(); }
int HttpServer::connections() const { return loop_->connections(); }
double HttpServer::longest_event() const { return loop_->longest_event(); }
void HttpServer::OnHangUp(std::function<void()> reload) {
  loop_->OnHangUp(std::move(reload));
}
void HttpServer::OnStart(std::function<void()> start) {
  loop_->OnStart(std::move(start));
}
void HttpServer::OnDrain(std::function<void()> drain) {
  loop_->OnDrain(std::move(drain));
}

void HttpServer::OnStop(std::function<void()> stop) {
  loop_->OnStop(std::move(stop));
}
void HttpServer::Every(std::chrono::microseconds time,
                       std::function<void()> tick) {
  loop_->Every(time, std::move(tick));
}
void HttpServer::Run() { loop_->Run(); }
void HttpServer::Stop() { loop_->Stop(); }

}  // namespace heed
