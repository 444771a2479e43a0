#include "heed/serve/event_stream.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "heed/base/json.h"
#include "heed/serve/http.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

std::string EventOf(std::string_view name, const Json& data) {
  return fmt::format("event: {}\ndata: {}\n\n", name, DumpJson(data));
}

std::string ErrorEvent(const HttpResponse& error) {
  Json data = Json::parse(error.body);
  data["status"] = error.status;
  return EventOf("error", data);
}

}  // namespace

void EventStream::Begin() {
  if (std::exchange(begun_, true)) return;
  HttpResponse head;
  head.Set("Content-Type", "text/event-stream; charset=utf-8");
  head.Set("Cache-Control", "no-store");
  head.Set("X-Accel-Buffering", "no");  // tells nginx not to buffer
  exchange_->Begin(std::move(head), ErrorEvent);
}

void EventStream::Send(std::string_view name, const Json& data) {
  const std::lock_guard lock(mutex_);
  Begin();
  exchange_->Write(EventOf(name, data));
}

void EventStream::Finish(std::string_view name, const Json& data) {
  const std::lock_guard lock(mutex_);
  Begin();
  exchange_->Write(EventOf(name, data));
  exchange_->End();
}

void EventStream::Fail(const std::exception_ptr& error) {
  HttpResponse response = ErrorResponse(error);
  const std::lock_guard lock(mutex_);
  if (!begun_) return exchange_->Send(std::move(response));
  exchange_->Write(ErrorEvent(response));
  exchange_->End();
}

}  // namespace heed
