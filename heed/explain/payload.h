// Data of an axis besides its item names, such as an image or a time series.
#ifndef HEED_EXPLAIN_PAYLOAD_H_
#define HEED_EXPLAIN_PAYLOAD_H_

#include <memory>
#include <typeinfo>
#include <utility>

#include "heed/base/json.h"

namespace heed {

/// An optional value of any type T whose namespace has a function
/// nlohmann::ordered_json PayloadJson(const T&). Copies share the value.
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

  /// The value; null if it is missing or has another type.
  template <typename T>
  const T* As() const {
    return type_ != nullptr && *type_ == typeid(T)
               ? static_cast<const T*>(value_.get())
               : nullptr;
  }
  bool empty() const { return value_ == nullptr; }
  /// JSON of the value; null if there is none.
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
