#include "apps/libheed/local_exchange.h"

#include <utility>

#include "heed/base/errors.h"
#include "heed/base/json.h"

namespace heed::c {
namespace {

/// Time between looks at a cancellation.
constexpr std::chrono::milliseconds kLook{20};

[[noreturn]] void ThrowRefusal(const HttpResponse& response) {
  const auto json = ParseJson(response.body, "answer");
  throw HttpError(response.status,
                  json.value("error", std::string("the request failed")));
}

}  // namespace

void LocalExchange::Send(HttpResponse response) {
  const std::lock_guard lock(mutex_);
  response_ = std::move(response);
  ended_ = true;
  changed_.notify_all();
}

void LocalExchange::Begin(HttpResponse head, LastWords /*last_words*/) {
  const std::lock_guard lock(mutex_);
  response_ = std::move(head);
}

void LocalExchange::Write(std::string piece) {
  const std::lock_guard lock(mutex_);
  pieces_ += piece;
  changed_.notify_all();
}

void LocalExchange::End() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

std::optional<LocalExchange::Event> LocalExchange::NextEvent() {
  constexpr std::string_view kName = "event: ";
  constexpr std::string_view kData = "\ndata: ";
  constexpr std::string_view kEnd = "\n\n";
  const size_t end = pieces_.find(kEnd);
  if (end == std::string::npos) return {};
  const size_t data = pieces_.find(kData);
  Event event = {
      pieces_.substr(kName.size(), data - kName.size()),
      pieces_.substr(data + kData.size(), end - data - kData.size())};
  pieces_.erase(0, end + kEnd.size());
  return event;
}

std::string LocalExchange::Wait(const Cancellation* cancel,
                                const OnEvent& on_event) {
  std::unique_lock lock(mutex_);
  while (true) {
    if (const std::optional<Event> event = NextEvent()) {
      lock.unlock();
      if (event->name == "error") {
        HttpResponse error;
        error.status = 500;
        error.body = event->data;
        ThrowRefusal(error);
      }
      if (!on_event(*event)) {
        SetGone();
        throw Cancelled("the stream was stopped by its receiver");
      }
      lock.lock();
      continue;
    }
    if (ended_) break;
    changed_.wait_for(lock, kLook);
    if (cancel != nullptr && cancel->cancelled()) {
      SetGone();
      throw Cancelled("the call was cancelled");
    }
  }
  return TakeAnswer();
}

std::optional<std::string> LocalExchange::WaitFor(
    std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  if (!changed_.wait_for(lock, time, [this] { return ended_; })) return {};
  return TakeAnswer();
}

std::string LocalExchange::TakeAnswer() {
  if (response_.status >= 400) ThrowRefusal(response_);
  return std::move(response_.body);
}

}  // namespace heed::c
