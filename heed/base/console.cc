#include "heed/base/console.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <mutex>
#include <utility>

namespace heed {
namespace {

/// The sink and its lock, never destroyed because other threads outlive static
/// objects.
struct Sink {
  std::mutex mutex;
  MessageSink sink;
};

Sink& TheSink() {
  static Sink* const sink = new Sink;
  return *sink;
}

thread_local OutputCapture* capture = nullptr;

}  // namespace

void SetMessageSink(MessageSink sink) {
  const std::lock_guard lock(TheSink().mutex);
  TheSink().sink = std::move(sink);
}

bool HasMessageSink() {
  const std::lock_guard lock(TheSink().mutex);
  return static_cast<bool>(TheSink().sink);
}

void SayPlainly(MessageKind kind, std::string_view text) {
  const std::lock_guard lock(TheSink().mutex);
  if (!TheSink().sink) {
    std::fwrite(text.data(), 1, text.size(), stderr);
    return;
  }
  if (text.ends_with('\n')) text.remove_suffix(1);
  TheSink().sink(kind, text);
}

void Say(std::string_view message) {
  if (HasMessageSink()) return SayPlainly(MessageKind::kLine, message);
  SayPlainly(MessageKind::kLine,
             fmt::format("{}: {}\n", program_invocation_short_name, message));
}

void Warn(std::string_view message) {
  if (HasMessageSink()) return SayPlainly(MessageKind::kWarning, message);
  Say(fmt::format("warning: {}", message));
}

OutputCapture::OutputCapture() : before_(std::exchange(capture, this)) {}
OutputCapture::~OutputCapture() { capture = before_; }

namespace internal {

void FormatTo(void (*write)(std::string_view), fmt::string_view format,
              fmt::format_args arguments) {
  fmt::memory_buffer text;
  fmt::vformat_to(fmt::appender(text), format, arguments);
  write({text.data(), text.size()});
}

}  // namespace internal

void WriteOutput(std::string_view text) {
  if (capture != nullptr) {
    capture->text_ += text;
  } else {
    std::fwrite(text.data(), 1, text.size(), stdout);
  }
}

}  // namespace heed
