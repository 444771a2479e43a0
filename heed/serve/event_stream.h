// Responses of server-sent events, sent while an answer is computed.
#ifndef HEED_SERVE_EVENT_STREAM_H_
#define HEED_SERVE_EVENT_STREAM_H_

#include <exception>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string_view>

#include "heed/serve/server.h"

namespace heed {

/// A response of events, "event: name\ndata: JSON\n\n" each. It begins with the
/// first event; an error before that is an ordinary response. Thread-safe.
class EventStream {
 public:
  explicit EventStream(std::shared_ptr<Exchange> exchange)
      : exchange_(std::move(exchange)) {}

  void Send(std::string_view name, const nlohmann::ordered_json& data);
  /// Sends the last event.
  void Finish(std::string_view name, const nlohmann::ordered_json& data);
  /// Ends with the event "error", or with an error response if there was no
  /// event.
  void Fail(const std::exception_ptr& error);

 private:
  void Begin();

  const std::shared_ptr<Exchange> exchange_;
  std::mutex mutex_;
  bool begun_ = false;
};

}  // namespace heed

#endif  // HEED_SERVE_EVENT_STREAM_H_
