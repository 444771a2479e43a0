// Exceptions of the public API.
//
// Every message states the operation, its object and how to fix the error. The
// command prints what() as one line; Heed never aborts on invalid input.
#ifndef HEED_BASE_ERRORS_H_
#define HEED_BASE_ERRORS_H_

#include <fmt/core.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace heed {

/// Base of all errors that Heed throws.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  /// Message formatted by fmt::format.
  template <typename First, typename... Rest>
  Error(fmt::format_string<First, Rest...> format, First&& first,
        Rest&&... rest)
      : runtime_error(fmt::format(format, std::forward<First>(first),
                                  std::forward<Rest>(rest)...)) {}
};

/// Operands with incompatible shapes or dtypes; names the operation and shapes.
class ShapeError : public Error {
 public:
  using Error::Error;
};

/// An option or configuration key that is unknown or out of range.
class ConfigError : public Error {
 public:
  using Error::Error;
};

/// File with invalid content; names file and position.
class FormatError : public Error {
 public:
  using Error::Error;
};

/// A file that cannot be opened, read or written; names file and reason.
class IoError : public Error {
 public:
  using Error::Error;
};

/// A computation that produced NaN or infinity; names the step and parameter.
class NumericError : public Error {
 public:
  using Error::Error;
};

/// The user asked to stop (Ctrl-C); work up to the last checkpoint is kept.
class Interrupted : public Error {
 public:
  using Error::Error;
};

/// The computation was cancelled (see Cancellation). Code that catches errors
/// to fall back must rethrow it.
class Cancelled : public Error {
 public:
  using Error::Error;
};

}  // namespace heed

#endif  // HEED_BASE_ERRORS_H_
