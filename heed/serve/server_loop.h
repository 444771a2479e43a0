// Event loop and connections of the server. Only the server's own sources
// include this header, because Asio takes long to compile.
#ifndef HEED_SERVE_SERVER_LOOP_H_
#define HEED_SERVE_SERVER_LOOP_H_

#include <array>
#include <atomic>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "heed/serve/request_reader.h"
#include "heed/serve/server.h"
#include "heed/serve/unix_socket.h"

namespace heed {

using SocketError = boost::system::error_code;
using SteadyClock = std::chrono::steady_clock;
/// Protocol of TCP and Unix sockets.
using StreamProtocol = boost::asio::generic::stream_protocol;
using StreamSocket = StreamProtocol::socket;

class ServerLoop;
class SocketExchange;

/// Connection of one client. All functions are called on the server's thread.
class ClientConnection : public std::enable_shared_from_this<ClientConnection> {
 public:
  ClientConnection(StreamSocket socket, ServerLoop& server);

  void Start();
  /// Responds with 503 and closes.
  void StartRefused();
  void Close();
  /// Closes the connection soon if it is idle. One last request may arrive; its
  /// response closes the connection.
  void StopIfIdle();
  boost::asio::io_context& io();
  /// Runs `work` on a worker thread; small requests do not wait for large ones.
  void Later(bool large, std::function<void()> work);
  void LogFailure(const std::string& path, const std::string& error);

  // Called by exchanges, on the server's thread
  void OnSend(uint64_t number, HttpResponse response);
  void OnBegin(uint64_t number, HttpResponse head,
               Exchange::LastWords last_words);
  void OnWrite(uint64_t number, std::string piece);
  void OnEnd(uint64_t number);

 private:
  enum class State { kIdle, kHead, kBody, kBusy, kLingering, kClosed };

  void BecomeIdle();
  void Read();
  void OnReadable(const SocketError& error);
  void OnPeerEnd();
  void Advance();
  bool FeedReader();
  void Dispatch();
  void Refuse(const HttpError& error);
  void Arm(double seconds, void (ClientConnection::*expired)());
  void Arm(std::chrono::nanoseconds time, void (ClientConnection::*expired)());
  void ExpireIdle() { Close(); }
  void ExpireHead();
  void ExpireBody();
  void ExpireRequest();
  void Probe();
  void Queue(std::string bytes);
  void QueuePiece(std::string piece);
  void WriteNext();
  void OnWritten(const SocketError& error);
  void Answered();
  void FinishAnswer();
  void Linger();
  void Forget();
  void LeaveIdleList();
  bool Current(uint64_t number) const {
    return number == number_ && state_ == State::kBusy && !answered_;
  }
  bool MustClose(const HttpResponse& response) const;
  void AddCommonHeaders(HttpResponse& response) const;

  StreamSocket socket_;
  ServerLoop& server_;
  boost::asio::steady_timer timer_;
  boost::asio::steady_timer write_timer_;
  boost::asio::steady_timer probe_timer_;
  State state_ = State::kIdle;
  std::list<ClientConnection*>::iterator idle_place_;
  bool in_idle_list_ = false;
  bool skipped_line_ = false;  // before the next request
  std::string client_;
  std::string input_;  // not yet consumed by the reader
  std::unique_ptr<RequestReader> reader_;
  bool reading_ = false;
  bool peer_ended_ = false;

  // Current request
  uint64_t number_ = 0;
  std::weak_ptr<SocketExchange> exchange_;
  SteadyClock::time_point started_;
  std::string method_, path_, route_;
  int version_ = 11;
  bool keep_alive_ = true;
  bool answered_ = false;  // the whole response is queued
  bool begun_ = false;     // the head is queued, pieces follow
  bool chunked_ = false;
  Exchange::LastWords last_words_;
  int status_ = 0;
  size_t answer_bytes_ = 0;

  std::deque<std::string> output_;
  size_t unsent_ = 0;
  bool writing_ = false;
  bool close_after_ = false;
};

/// Listens and owns the connections. All functions are called on the thread of
/// Run, except Stop, connections() and longest_event().
class ServerLoop {
 public:
  /// Listens. Throws: IoError.
  ServerLoop(const ServerOptions& options, Handler handler, Log& log,
             ServerMetrics& metrics);

  void Run();
  void Stop();
  void OnStart(std::function<void()> start) { start_ = std::move(start); }
  void OnHangUp(std::function<void()> reload) { reload_ = std::move(reload); }
  void OnDrain(std::function<void()> drain) { drain_ = std::move(drain); }
  void OnStop(std::function<void()> stop) { stop_ = std::move(stop); }
  void Every(std::chrono::microseconds time, std::function<void()> tick);
  const std::string& address() const { return address_; }
  int connections() const { return count_; }
  double longest_event() const { return longest_event_; }

 private:
  friend class ClientConnection;

  void ListenOnPort();
  void ListenOnUnixSocket();
  void HandleSignal();
  void HandleEvents();
  void JoinWorkers();
  void Accept();
  void Take(StreamSocket socket);
  void Remove(const std::shared_ptr<ClientConnection>& connection);
  void BeginDrain();
  void BeginStop();
  void EndIfDone();

  const ServerOptions options_;
  const Handler handler_;
  Log& log_;
  ServerMetrics& metrics_;
  boost::asio::io_context io_{1};
  boost::asio::thread_pool for_small_{1};
  boost::asio::thread_pool for_large_{2};
  std::optional<UnixListener> unix_listener_;
  boost::asio::basic_socket_acceptor<StreamProtocol> acceptor_{io_};
  boost::asio::signal_set signals_{io_};
  boost::asio::steady_timer stop_timer_{io_};
  boost::asio::steady_timer accept_timer_{io_};
  boost::asio::steady_timer tick_timer_{io_};
  std::function<void()> reload_;
  std::function<void()> drain_;
  std::function<void()> stop_;
  std::function<void()> start_;
  std::set<std::shared_ptr<ClientConnection>> all_;
  std::list<ClientConnection*> idle_;  // the longest idle one first
  std::array<char, 65536> scratch_;    // bytes of the last read
  size_t max_ = 0;                     // maximum connections
  size_t lingering_ = 0;   // connections in all_ that only wait for their end
  bool draining_ = false;  // also set while stopping
  bool stopping_ = false;
  std::string address_;
  std::atomic<int> count_ = 0;
  std::atomic<double> longest_event_ = 0;
};

}  // namespace heed

#endif  // HEED_SERVE_SERVER_LOOP_H_
