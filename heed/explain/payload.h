// Data of an axis besides the names of its items, such as an image or the
// numbers of a series.
#ifndef HEED_EXPLAIN_PAYLOAD_H_
#define HEED_EXPLAIN_PAYLOAD_H_

#include <memory>
#include <typeinfo>
#include <utility>

#include "heed/base/json.h"

namespace heed {

/// A value of any type T that has a function nlohmann::ordered_json
/// PayloadJson(const T&) in its namespace, or nothing. Copies share the value.
class Payload {
 public:
  Payload() = default;
  template <typename T>
  Payload(T value)  // NOLINT: implicit by design
      : value_(std::make_shared<const T>(std::move(value))),
        type_(&typeid(T)),
        json_([](const void* own) {
          return PayloadJson(*static_cast<const T*>(own));
        }) {}

  /// Null if the value is of another type, or there is none.
  template <typename T>
  const T* As() const {
    return type_ != nullptr && *type_ == typeid(T)
               ? static_cast<const T*>(value_.get())
               : nullptr;
  }
  bool empty() const { return value_ == nullptr; }
  /// Null if there is none.
  nlohmann::ordered_json ToJson() const {
    return empty() ? nlohmann::ordered_json() : json_(value_.get());
  }

 private:
  std::shared_ptr<const void> value_;
  const std::type_info* type_ = nullptr;
  nlohmann::ordered_json (*json_)(const void* value) = nullptr;
};

}  // namespace heed

#endif  // HEED_EXPLAIN_PAYLOAD_H_
