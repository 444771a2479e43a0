// Requests to the HTTP API within one process, without sockets.
#ifndef HEED_APPS_LIBHEED_LOCAL_EXCHANGE_H_
#define HEED_APPS_LIBHEED_LOCAL_EXCHANGE_H_

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "heed/base/cancellation.h"
#include "heed/serve/server.h"

namespace heed::c {

/// A request whose answer a thread of this process waits for. `Later` runs its
/// work at once, on the calling thread.
class LocalExchange : public Exchange {
 public:
  struct Event {
    std::string name;
    std::string data;  ///< JSON
  };
  /// Receives an event of a stream. Returns false to cancel the request.
  using OnEvent = std::function<bool(const Event& event)>;

  explicit LocalExchange(HttpRequest request) : Exchange(std::move(request)) {}

  void Later(std::function<void()> work) override { work(); }
  void Send(HttpResponse response) override;
  void Begin(HttpResponse head, LastWords last_words) override;
  void Write(std::string piece) override;
  void End() override;
  /// Stops the computation of the answer.
  using Exchange::SetGone;

  /// Waits for the answer and returns its body. Calls `on_event` with each
  /// event of a stream. Throws: HttpError of a refusal; Cancelled once `cancel`
  /// is set.
  std::string Wait(const Cancellation* cancel, const OnEvent& on_event = {});
  /// Waits for the answer, at most `time`. Returns its body, or nullopt if it
  /// is not complete. Throws: HttpError of a refusal.
  std::optional<std::string> WaitFor(std::chrono::milliseconds time);

 private:
  /// Takes the next complete event from `pieces_`; nullopt if there is none.
  std::optional<Event> NextEvent();
  std::string TakeAnswer();

  std::mutex mutex_;
  std::condition_variable changed_;
  HttpResponse response_;  // complete once `ended_`
  std::string pieces_;     // of a stream, not given to `on_event` yet
  bool ended_ = false;
};

}  // namespace heed::c

#endif  // HEED_APPS_LIBHEED_LOCAL_EXCHANGE_H_
