// Handles, arrays and texts of heed.h in tests.
#ifndef HEED_APPS_LIBHEED_TESTING_H_
#define HEED_APPS_LIBHEED_TESTING_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "heed.h"

namespace heed::c_test {

/// A handle that is freed at the end of its scope.
template <auto kFree>
struct Free {
  template <typename T>
  void operator()(T* handle) const {
    kFree(handle);
  }
};
using Array = std::unique_ptr<heed_array, Free<heed_array_free>>;

/// Text of an answer, which is freed.
inline std::string TextOf(heed_answer* answer) {
  const char* text = nullptr;
  size_t size = 0;
  EXPECT_EQ(heed_answer_text(answer, &text, &size), HEED_OK);
  std::string copy(text, size);
  EXPECT_EQ(text[size], '\0');
  heed_answer_free(answer);
  return copy;
}

inline Array ArrayOf(const std::vector<float>& values,
                     const std::vector<int64_t>& shape) {
  heed_view view = {};
  view.size = sizeof(view);
  view.dtype = HEED_F32;
  view.ndim = static_cast<int32_t>(shape.size());
  view.shape = shape.data();
  view.data = const_cast<float*>(values.data());
  heed_array* array = nullptr;
  EXPECT_EQ(heed_array_new(&view, &array), HEED_OK) << heed_error_message();
  return Array(array);
}

/// Elements of an array of f32, row by row.
inline std::vector<float> ValuesOf(const heed_array* array) {
  heed_view view = {};
  view.size = sizeof(view);
  EXPECT_EQ(heed_array_view(array, &view), HEED_OK);
  EXPECT_EQ(view.dtype, HEED_F32);
  int64_t elements = 1;
  for (int32_t i = 0; i < view.ndim; ++i) elements *= view.shape[i];
  const auto* data = static_cast<const float*>(view.data);
  return {data, data + elements};
}

}  // namespace heed::c_test

#endif  // HEED_APPS_LIBHEED_TESTING_H_
