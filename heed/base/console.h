// Output of a program, and messages for people.
//
// They go to standard output and standard error, unless a program that uses
// Heed as a library takes them.
#ifndef HEED_BASE_CONSOLE_H_
#define HEED_BASE_CONSOLE_H_

#include <fmt/core.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace heed {

/// Kinds of messages. A progress line replaces the previous one.
enum class MessageKind : uint8_t { kLine, kProgress, kWarning };

/// Receives whole messages, without a line end, from any thread.
using MessageSink =
    std::function<void(MessageKind kind, std::string_view message)>;

/// Sends messages to `sink`; empty: to standard error. Thread-safe.
void SetMessageSink(MessageSink sink);
/// True if a sink takes the messages.
bool HasMessageSink();

/// Prints a line on standard error, after the program's name, or gives it to
/// the sink. Thread-safe.
void Say(std::string_view message);
/// Prints a warning.
void Warn(std::string_view message);
/// Writes a text without further additions to standard error, or gives it to
/// the sink without its line end.
void SayPlainly(MessageKind kind, std::string_view text);

/// While it exists, output of its thread is collected.
class OutputCapture {
 public:
  OutputCapture();
  ~OutputCapture();
  OutputCapture(const OutputCapture&) = delete;
  OutputCapture& operator=(const OutputCapture&) = delete;

  const std::string& text() const { return text_; }

 private:
  friend void WriteOutput(std::string_view text);
  OutputCapture* before_;
  std::string text_;
};

/// Writes to standard output, or to the capture of this thread.
void WriteOutput(std::string_view text);

namespace internal {
/// Formats without an allocation if the text is short, so that a command can
/// end well when memory is exhausted.
void FormatTo(void (*write)(std::string_view), fmt::string_view format,
              fmt::format_args arguments);
}  // namespace internal

/// Prints formatted output.
template <typename... T>
void Print(fmt::format_string<T...> format, T&&... arguments) {
  internal::FormatTo(WriteOutput, format, fmt::make_format_args(arguments...));
}

/// Prints a formatted message as it is.
template <typename... T>
void PrintNote(fmt::format_string<T...> format, T&&... arguments) {
  internal::FormatTo(
      [](std::string_view text) { SayPlainly(MessageKind::kLine, text); },
      format, fmt::make_format_args(arguments...));
}

}  // namespace heed

#endif  // HEED_BASE_CONSOLE_H_
