#include <fmt/format.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <cmath>
#include <cstring>

#include "heed/serve/client_address.h"
#include "heed/serve/server_loop.h"
#include "heed/serve/socket_exchange.h"
#include "heed/serve/thread_priority.h"

namespace heed {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

// Maximum bytes of pipelined requests that wait for their turn.
constexpr size_t kMaxAhead = 65536;
// Maximum bytes that wait for a slow reader.
constexpr size_t kMaxUnsent = 16 << 20;
// Longer pieces of a response are sent without a copy. Units: bytes
constexpr size_t kLongPiece = 65536;
// Maximum bytes of a path in the log.
constexpr size_t kLoggedPath = 200;
// Time in which further input of a client is discarded after a last response. A
// socket closed with unread input is reset, and the client would lose the
// response.
constexpr auto kLinger = std::chrono::seconds(2);
// Time until a client that closed its sending half is probed. It is short
// because most of these clients have left, while a model computes for them.
constexpr auto kProbeAfter = std::chrono::milliseconds(50);
// Time for one more request of a client that does not know that the server
// stops.
constexpr auto kLastChance = std::chrono::seconds(1);

std::chrono::nanoseconds Nanoseconds(double seconds) {
  return std::chrono::nanoseconds(static_cast<int64_t>(seconds * 1e9));
}

std::string AddressOf(const StreamProtocol::endpoint& endpoint) {
  if (endpoint.data()->sa_family == AF_UNIX) return std::string(kUnixClient);
  tcp::endpoint tcp_endpoint;
  if (endpoint.size() > tcp_endpoint.capacity()) return "";
  tcp_endpoint.resize(endpoint.size());
  std::memcpy(tcp_endpoint.data(), endpoint.data(), endpoint.size());
  const std::string text = tcp_endpoint.address().to_string();
  return ParseClientAddress(text).value_or(text);
}

double MillisecondsSince(SteadyClock::time_point start) {
  const std::chrono::duration<double, std::milli> time =
      SteadyClock::now() - start;
  return std::round(time.count() * 100) / 100;
}

}  // namespace

ClientConnection::ClientConnection(StreamSocket socket, ServerLoop& server)
    : socket_(std::move(socket)),
      server_(server),
      timer_(server.io_),
      write_timer_(server.io_),
      probe_timer_(server.io_) {}

asio::io_context& ClientConnection::io() { return server_.io_; }

void ClientConnection::Later(bool large, std::function<void()> work) {
  if (!large) return asio::post(server_.for_small_, std::move(work));
  asio::post(server_.for_large_, [work = std::move(work)] {
    StepBack();
    work();
  });
}

void ClientConnection::LogFailure(const std::string& path,
                                  const std::string& error) {
  server_.log_.Error("failed", {{"path", path}, {"error", error}});
}

void ClientConnection::Start() {
  SocketError ignored;
  socket_.non_blocking(true, ignored);
  socket_.set_option(tcp::no_delay(true), ignored);
  client_ = AddressOf(socket_.remote_endpoint(ignored));
  BecomeIdle();
  Read();
}

void ClientConnection::StartRefused() {
  SocketError ignored;
  socket_.non_blocking(true, ignored);
  HttpResponse response =
      ErrorResponse(503, "the server has too many connections; try again later",
                    {{"Retry-After", "5"}});
  AddCommonHeaders(response);
  response.close = true;
  Queue(HeadOf(response, 11, response.body.size()) + response.body);
  Linger();
  Read();
}

void ClientConnection::StopIfIdle() {
  if (state_ != State::kIdle) return;
  SocketError ignored;
  if (socket_.available(ignored) > 0) return;  // read next, then answered
  Arm(kLastChance, &ClientConnection::ExpireIdle);
}

void ClientConnection::BecomeIdle() {
  state_ = State::kIdle;
  if (!in_idle_list_) {
    idle_place_ = server_.idle_.insert(server_.idle_.end(), this);
    in_idle_list_ = true;
  }
  // The client does not know that the connection ends, so its next request may
  // be on its way.
  if (server_.stopping_) return Arm(kLastChance, &ClientConnection::ExpireIdle);
  Arm(server_.options_.idle_timeout, &ClientConnection::ExpireIdle);
}

void ClientConnection::LeaveIdleList() {
  if (in_idle_list_) server_.idle_.erase(idle_place_);
  in_idle_list_ = false;
}

// Also waits for input while a request is computed, to notice that the client
// disconnects.
void ClientConnection::Read() {
  if (reading_ || peer_ended_ || state_ == State::kClosed) return;
  if (input_.size() >= kMaxAhead) return;
  reading_ = true;
  socket_.async_wait(asio::socket_base::wait_read,
                     [self = shared_from_this()](const SocketError& error) {
                       self->reading_ = false;
                       self->OnReadable(error);
                     });
}

void ClientConnection::OnReadable(const SocketError& error) {
  if (state_ == State::kClosed) return;
  if (error) return Close();
  SocketError failed;
  const size_t size = socket_.read_some(asio::buffer(server_.scratch_), failed);
  if (failed == asio::error::would_block) return Read();
  if (failed == asio::error::eof) return OnPeerEnd();
  if (failed) return Close();
  if (state_ != State::kLingering) {
    input_.append(server_.scratch_.data(), size);
    Advance();
  }
  Read();
}

// The client closed its sending half, but it may still wait for its response.
void ClientConnection::OnPeerEnd() {
  peer_ended_ = true;
  switch (state_) {
    case State::kIdle:
    case State::kLingering:
      return Close();
    case State::kHead:
    case State::kBody:
      return Refuse(HttpError(400, "the request ends too early"));
    case State::kBusy:
      probe_timer_.expires_after(kProbeAfter);
      probe_timer_.async_wait(
          [self = shared_from_this()](const SocketError& cancelled) {
            if (!cancelled) self->Probe();
          });
      return;
    case State::kClosed:
      return;
  }
}

// A client that has left answers any byte with a reset. A client that only
// closed its sending half ignores an interim response (RFC 9110, 15.2).
void ClientConnection::Probe() {
  if (state_ != State::kBusy || begun_ || answered_ || version_ == 10) return;
  Queue("HTTP/1.1 100 Continue\r\n\r\n");
  socket_.async_wait(asio::socket_base::wait_error,
                     [self = shared_from_this()](const SocketError& error) {
                       if (!error) self->Close();
                     });
}

void ClientConnection::Advance() {
  try {
    while (!input_.empty() && FeedReader()) {
    }
  } catch (const HttpError& error) {
    Refuse(error);
  }
}

// Takes one step; returns false if nothing can be done now.
bool ClientConnection::FeedReader() {
  if (state_ == State::kIdle) {
    // An empty line before a request is not part of it (RFC 9112, 2.2). Some
    // clients send one after a body and then send nothing more.
    if (!skipped_line_ && input_ == "\r") return false;
    if (!skipped_line_ && input_.starts_with("\r\n")) {
      skipped_line_ = true;
      input_.erase(0, 2);
      return !input_.empty();
    }
    skipped_line_ = false;
    LeaveIdleList();
    state_ = State::kHead;
    started_ = SteadyClock::now();
    ++number_;
    reader_ = std::make_unique<RequestReader>(
        ReaderLimits{static_cast<size_t>(server_.options_.max_header_bytes),
                     static_cast<size_t>(server_.options_.max_body_bytes)});
    Arm(server_.options_.header_timeout, &ClientConnection::ExpireHead);
  }
  if (state_ != State::kHead && state_ != State::kBody) return false;
  const size_t used = reader_->Feed(input_);
  input_.erase(0, used);
  if (reader_->done()) {
    Dispatch();
    return false;
  }
  if (state_ == State::kHead && reader_->head_done()) {
    state_ = State::kBody;
    Arm(server_.options_.body_timeout, &ClientConnection::ExpireBody);
    if (reader_->expects_continue() && input_.empty()) {
      Queue("HTTP/1.1 100 Continue\r\n\r\n");
    }
    return true;
  }
  return used > 0;
}

void ClientConnection::Dispatch() {
  HttpRequest request = reader_->Take();
  reader_.reset();
  request.client = client_;
  state_ = State::kBusy;
  answered_ = begun_ = close_after_ = false;
  status_ = 0;
  answer_bytes_ = 0;
  method_ = request.method;
  version_ = request.version;
  keep_alive_ = request.keep_alive;
  route_ = "other";
  path_.clear();
  Arm(server_.options_.request_timeout, &ClientConnection::ExpireRequest);
  try {
    ParseTarget(request);
    path_ = request.path;
  } catch (const HttpError& error) {
    return OnSend(number_, ErrorResponse(error));
  }
  const auto exchange = std::make_shared<SocketExchange>(
      shared_from_this(), number_, std::move(request));
  exchange_ = exchange;
  try {
    server_.handler_(exchange);
  } catch (...) {
    exchange->Fail();
  }
  route_ = exchange->route();
}

// Refuses input that is not a valid request and stops reading it.
void ClientConnection::Refuse(const HttpError& error) {
  LeaveIdleList();
  if (reader_ && reader_->head_done()) {
    const HttpRequest request = reader_->Take();
    method_ = request.method;
  } else {
    method_ = "";
  }
  reader_.reset();
  input_.clear();
  path_.clear();
  route_ = "refused";
  version_ = 11;
  keep_alive_ = false;
  answered_ = begun_ = false;
  answer_bytes_ = 0;
  state_ = State::kBusy;
  OnSend(number_, ErrorResponse(error));
}

void ClientConnection::Arm(double seconds,
                           void (ClientConnection::*expired)()) {
  Arm(Nanoseconds(seconds), expired);
}

void ClientConnection::Arm(std::chrono::nanoseconds time,
                           void (ClientConnection::*expired)()) {
  timer_.expires_after(time);
  timer_.async_wait([self = shared_from_this(), expired,
                     number = number_](const SocketError& cancelled) {
    // An expired timer can no longer be cancelled.
    if (!cancelled && self->timer_.expiry() <= SteadyClock::now() &&
        number == self->number_) {
      (self.get()->*expired)();
    }
  });
}

void ClientConnection::ExpireHead() {
  if (state_ != State::kHead) return;
  Refuse(HttpError(408, fmt::format("the headers took longer than {} s",
                                    server_.options_.header_timeout)));
}

void ClientConnection::ExpireBody() {
  if (state_ != State::kBody) return;
  Refuse(HttpError(408, fmt::format("the body took longer than {} s",
                                    server_.options_.body_timeout)));
}

void ClientConnection::ExpireRequest() {
  if (state_ != State::kBusy || answered_) return;
  Forget();
  HttpResponse error =
      ErrorResponse(503,
                    fmt::format("the answer took longer than {} s",
                                server_.options_.request_timeout),
                    {{"Retry-After", "10"}});
  if (!begun_) return OnSend(number_, std::move(error));
  close_after_ = true;
  if (last_words_) QueuePiece(last_words_(error));
  OnEnd(number_);
}

// Cancels the computation of the current request.
void ClientConnection::Forget() {
  if (const auto exchange = exchange_.lock()) exchange->SetGone();
}

bool ClientConnection::MustClose(const HttpResponse& response) const {
  return response.close || !keep_alive_ || server_.draining_ ||
         (peer_ended_ && input_.empty());
}

void ClientConnection::AddCommonHeaders(HttpResponse& response) const {
  if (!server_.options_.headers) return;
  const NamedValues headers = server_.options_.headers(path_);
  response.headers.insert(response.headers.end(), headers.begin(),
                          headers.end());
}

void ClientConnection::OnSend(uint64_t number, HttpResponse response) {
  if (!Current(number) || begun_) return;
  AddCommonHeaders(response);
  response.close = close_after_ = MustClose(response);
  status_ = response.status;
  answer_bytes_ = response.body.size();
  const bool bare = status_ == 204 || status_ == 304;
  std::string bytes =
      HeadOf(response, version_,
             bare ? std::nullopt : std::optional<size_t>(response.body.size()));
  answered_ = true;
  const bool has_body = method_ != "HEAD" && !bare;
  if (has_body && response.body.size() < kLongPiece) bytes += response.body;
  Queue(std::move(bytes));
  if (has_body && response.body.size() >= kLongPiece) {
    Queue(std::move(response.body));
  }
  Answered();
}

void ClientConnection::OnBegin(uint64_t number, HttpResponse head,
                               Exchange::LastWords last_words) {
  if (!Current(number) || begun_) return;
  begun_ = true;
  last_words_ = std::move(last_words);
  status_ = head.status;
  chunked_ = version_ != 10;
  AddCommonHeaders(head);
  if (chunked_) head.Set("Transfer-Encoding", "chunked");
  head.close = close_after_ = MustClose(head) || !chunked_;
  Queue(HeadOf(head, version_, std::nullopt));
}

void ClientConnection::OnWrite(uint64_t number, std::string piece) {
  if (!Current(number) || !begun_ || piece.empty()) return;
  if (unsent_ > kMaxUnsent) return Close();
  QueuePiece(std::move(piece));
}

void ClientConnection::QueuePiece(std::string piece) {
  answer_bytes_ += piece.size();
  if (!chunked_) return Queue(std::move(piece));
  if (piece.size() < kLongPiece) {
    return Queue(fmt::format("{:x}\r\n{}\r\n", piece.size(), piece));
  }
  Queue(fmt::format("{:x}\r\n", piece.size()));
  piece += "\r\n";
  Queue(std::move(piece));
}

void ClientConnection::OnEnd(uint64_t number) {
  if (!Current(number) || !begun_) return;
  answered_ = true;
  if (chunked_) Queue("0\r\n\r\n");
  Answered();
  if (!writing_) FinishAnswer();  // all bytes are already sent
}

void ClientConnection::Queue(std::string bytes) {
  if (state_ == State::kClosed) return;
  unsent_ += bytes.size();
  output_.push_back(std::move(bytes));
  WriteNext();
}

void ClientConnection::WriteNext() {
  if (writing_ || output_.empty() || state_ == State::kClosed) return;
  writing_ = true;
  write_timer_.expires_after(Nanoseconds(server_.options_.write_timeout));
  write_timer_.async_wait(
      [self = shared_from_this()](const SocketError& cancelled) {
        if (!cancelled && self->writing_ &&
            self->write_timer_.expiry() <= SteadyClock::now()) {
          self->Close();
        }
      });
  asio::async_write(
      socket_, asio::buffer(output_.front()),
      [self = shared_from_this()](const SocketError& error, size_t /*size*/) {
        self->OnWritten(error);
      });
}

void ClientConnection::OnWritten(const SocketError& error) {
  writing_ = false;
  if (state_ == State::kClosed) return;
  if (error) return Close();
  write_timer_.cancel();
  unsent_ -= output_.front().size();
  output_.pop_front();
  if (!output_.empty()) return WriteNext();
  if (state_ == State::kLingering) {
    SocketError ignored;
    socket_.shutdown(asio::socket_base::shutdown_send, ignored);
    if (peer_ended_) Close();
  } else if (answered_) {
    FinishAnswer();
  }
}

// Called when the whole response is queued.
void ClientConnection::Answered() {
  timer_.cancel();
  probe_timer_.cancel();
  const std::chrono::duration<double> time = SteadyClock::now() - started_;
  server_.metrics_.CountRequest(route_, status_, time.count());
  if (!server_.log_.Wants(LogLevel::kInfo)) return;
  server_.log_.Info("request", {{"client", client_},
                                {"method", method_},
                                {"path", path_.substr(0, kLoggedPath)},
                                {"status", status_},
                                {"ms", MillisecondsSince(started_)},
                                {"bytes", answer_bytes_}});
}

void ClientConnection::FinishAnswer() {
  if (state_ != State::kBusy) return;
  exchange_.reset();
  last_words_ = {};
  answered_ = false;
  if (close_after_) return Linger();
  BecomeIdle();
  Advance();
  if (state_ == State::kIdle && peer_ended_) return Close();
  Read();
}

void ClientConnection::Linger() {
  LeaveIdleList();
  if (state_ != State::kLingering) ++server_.lingering_;
  state_ = State::kLingering;
  input_.clear();
  Arm(kLinger, &ClientConnection::ExpireIdle);
  if (writing_) return;
  SocketError ignored;
  socket_.shutdown(asio::socket_base::shutdown_send, ignored);
  if (peer_ended_) return Close();
  Read();
}

void ClientConnection::Close() {
  if (state_ == State::kClosed) return;
  const auto self = shared_from_this();
  LeaveIdleList();
  Forget();
  if (state_ == State::kBusy && !answered_ &&
      server_.log_.Wants(LogLevel::kInfo)) {
    server_.log_.Info("client gone", {{"client", client_},
                                      {"method", method_},
                                      {"path", path_.substr(0, kLoggedPath)},
                                      {"ms", MillisecondsSince(started_)}});
  }
  if (state_ == State::kLingering) --server_.lingering_;
  state_ = State::kClosed;
  timer_.cancel();
  write_timer_.cancel();
  probe_timer_.cancel();
  SocketError ignored;
  socket_.close(ignored);
  server_.Remove(self);
}

}  // namespace heed
