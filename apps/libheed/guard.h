// From C++ exceptions to the codes of heed.h.
#ifndef HEED_APPS_LIBHEED_GUARD_H_
#define HEED_APPS_LIBHEED_GUARD_H_

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "apps/libheed/heed.h"
#include "heed/base/cancellation.h"
#include "heed/base/errors.h"

namespace heed::c {

/// An argument that no call accepts: a null pointer, a wrong size.
class ArgumentError : public Error {
 public:
  using Error::Error;
};

/// Code of the exception that is being handled; its message becomes that of
/// this thread.
int32_t CodeOfException() noexcept;

/// Runs `body` and returns the code of its exception, or HEED_OK.
template <typename Body>
int32_t Guard(Body&& body) noexcept {
  try {
    std::forward<Body>(body)();
    return HEED_OK;
  } catch (...) {
    return CodeOfException();
  }
}

/// `*pointer`. Throws: ArgumentError with the argument's name if it is null.
template <typename T>
T& Needed(T* pointer, const char* name) {
  if (pointer == nullptr) throw ArgumentError("{} is NULL", name);
  return *pointer;
}

/// Sets a result to null and returns it. Throws: ArgumentError if there is no
/// place for it.
template <typename T>
T*& Result(T** place, const char* name) {
  T*& result = Needed(place, name);
  result = nullptr;
  return result;
}

/// Text of a caller. Throws: ArgumentError if it is null but not empty.
std::string_view TextOf(const char* text, size_t size, const char* name);
/// A zero-terminated text. Throws: ArgumentError if it is null.
std::string TextOf(const char* text, const char* name);

/// JSON of a caller, or an empty object for NULL. Throws: FormatError.
nlohmann::ordered_json JsonOf(const char* text, size_t size, const char* name);

}  // namespace heed::c

/// An answer of any call.
struct heed_answer {
  std::string text;
};

struct heed_cancel {
  heed::CancellationFlag flag;
};

namespace heed::c {

heed_answer* NewAnswer(const nlohmann::ordered_json& json);

}  // namespace heed::c

#endif  // HEED_APPS_LIBHEED_GUARD_H_
