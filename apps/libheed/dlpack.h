// Structures of DLPack 1.1 (dlpack.h of dmlc/dlpack), which share arrays
// between libraries.
#ifndef HEED_APPS_LIBHEED_DLPACK_H_
#define HEED_APPS_LIBHEED_DLPACK_H_

#include <cstdint>
#include <memory>

#include "apps/libheed/array.h"

namespace heed::c {

struct DLDevice {
  int32_t type;  // 1: processor
  int32_t id;
};

struct DLDataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

struct DLTensor {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
};

/// DLManagedTensor.
struct Managed {
  DLTensor tensor;
  void* context;
  void (*deleter)(Managed* self);
};

/// DLManagedTensorVersioned.
struct ManagedVersioned {
  uint32_t major;
  uint32_t minor;
  void* context;
  void (*deleter)(ManagedVersioned* self);
  uint64_t flags;
  DLTensor tensor;
};

/// A structure that shares the elements of an array, which it keeps alive.
/// `dtype`: a heed_dtype.
template <typename Struct>
Struct* NewManaged(const heed_array& array, int32_t dtype) {
  auto owner = std::make_unique<heed_array>(array);
  auto managed = std::make_unique<Struct>();
  if constexpr (requires { managed->flags; }) {
    managed->major = 1;
    managed->minor = 1;
    managed->flags = 1;  // read-only
  }
  managed->tensor = {.data = owner->tensor.raw(),
                     .device = {1, 0},
                     .ndim = owner->tensor.rank(),
                     .dtype = {static_cast<uint8_t>(dtype / 256),
                               static_cast<uint8_t>(dtype % 256), 1},
                     .shape = owner->shape.data(),
                     .strides = owner->strides.data(),
                     .byte_offset = 0};
  managed->context = owner.release();
  managed->deleter = [](Struct* self) {
    delete static_cast<heed_array*>(self->context);
    delete self;
  };
  return managed.release();
}

}  // namespace heed::c

#endif  // HEED_APPS_LIBHEED_DLPACK_H_
