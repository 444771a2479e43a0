#include "heed/serve/socket_exchange.h"

#include <boost/asio/post.hpp>
#include <exception>
#include <utility>

namespace heed {
namespace {

namespace asio = boost::asio;

// Requests with more bytes, and compressed ones, count as large.
constexpr size_t kLargeRequest = 16384;

}  // namespace

SocketExchange::~SocketExchange() {
  if (answered_) return;
  try {
    asio::post(connection_->io(), [connection = connection_, number = number_] {
      connection->OnSend(number, ErrorResponse(500, "the request was dropped"));
    });
  } catch (...) {
    return;  // out of memory: the request's time limit responds
  }
}

void SocketExchange::Later(std::function<void()> work) {
  const bool large =
      request().body.size() + request().target.size() > kLargeRequest ||
      request().Header("Content-Encoding").has_value();
  connection_->Later(large,
                     [self = shared_from_this(), work = std::move(work)] {
                       try {
                         work();
                       } catch (...) {
                         self->Fail();
                       }
                     });
}

void SocketExchange::Fail() {
  HttpResponse response = ErrorResponse(std::current_exception());
  if (response.status == 500) {
    connection_->LogFailure(request().path, response.body);
  }
  Send(std::move(response));
}

void SocketExchange::Send(HttpResponse response) {
  answered_ = true;
  asio::post(connection_->io(), [connection = connection_, number = number_,
                                 response = std::move(response)]() mutable {
    connection->OnSend(number, std::move(response));
  });
}

void SocketExchange::Begin(HttpResponse head, LastWords last_words) {
  asio::post(connection_->io(),
             [connection = connection_, number = number_,
              head = std::move(head), words = std::move(last_words)]() mutable {
               connection->OnBegin(number, std::move(head), std::move(words));
             });
}

void SocketExchange::Write(std::string piece) {
  asio::post(connection_->io(), [connection = connection_, number = number_,
                                 piece = std::move(piece)]() mutable {
    connection->OnWrite(number, std::move(piece));
  });
}

void SocketExchange::End() {
  answered_ = true;
  asio::post(connection_->io(), [connection = connection_, number = number_] {
    connection->OnEnd(number);
  });
}

}  // namespace heed
