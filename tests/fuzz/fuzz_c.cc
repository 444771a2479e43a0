// Requests and arrays of programs that use the C interface.
#include <algorithm>
#include <cctype>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>

#include "apps/libheed/heed.h"
#include "tests/fuzz/fuzz.h"

namespace {

/// True if a number has at most three digits. Larger sizes would only exhaust
/// the memory.
bool HasSmallNumbers(std::string_view text) {
  int digits = 0;
  for (const char c : text) {
    digits = std::isdigit(static_cast<unsigned char>(c)) != 0 ? digits + 1 : 0;
    if (digits > 3) return false;
  }
  return true;
}

/// A call either succeeds, or fails with a known code and a message.
void CheckCode(int32_t code) {
  heed::fuzz::Require(code >= HEED_OK && code < HEED_INTERNAL, "a known code");
  heed::fuzz::Require(code == HEED_OK || *heed_error_message() != '\0',
                      "a message");
}

/// An array whose shape and type come from the first bytes.
heed_array* ArrayFrom(std::string_view bytes) {
  int64_t shape[6];
  int64_t elements = 1;
  heed_view view = {};
  view.size = sizeof(view);
  view.ndim = bytes.empty() ? 0 : bytes[0] % 7;
  for (int32_t i = 0; i < view.ndim; ++i) {
    shape[i] = static_cast<size_t>(i) + 1 < bytes.size()
                   ? bytes[static_cast<size_t>(i) + 1] % 5
                   : 1;
    elements *= std::max<int64_t>(shape[i], 1);
  }
  constexpr int32_t kTypes[] = {HEED_F32,  HEED_F64,  HEED_I32, HEED_I64,
                                HEED_F16,  HEED_BF16, HEED_U8,  HEED_I8,
                                HEED_BOOL, 77};
  view.dtype = kTypes[bytes.size() % std::size(kTypes)];
  view.shape = shape;
  std::string data(static_cast<size_t>(elements) * 8, '\1');
  std::memcpy(data.data(), bytes.data(), std::min(data.size(), bytes.size()));
  view.data = data.data();
  heed_array* array = nullptr;
  CheckCode(heed_array_new(&view, &array));
  return array;
}

void Attend(std::string_view options, const heed_variable* x) {
  heed_attention* attention = nullptr;
  CheckCode(heed_attention_new(options.data(), options.size(), &attention));
  if (attention == nullptr) return;
  heed_variable* context = nullptr;
  heed_variable* weights = nullptr;
  CheckCode(heed_attention_attend(attention, nullptr, x, x, nullptr, nullptr,
                                  &context, &weights));
  heed_variable_free(context);
  heed_variable_free(weights);
  heed_attention_free(attention);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes = heed::fuzz::Bytes(data, size);
  if (!HasSmallNumbers(bytes)) return 0;
  // The first line names an operation, the rest is JSON.
  const size_t end = std::min(bytes.find('\n'), bytes.size());
  const std::string name(bytes.substr(0, end));
  const std::string_view json = bytes.substr(std::min(end + 1, bytes.size()));
  heed_array* const array = ArrayFrom(bytes);
  if (array == nullptr) return 0;
  heed_answer* answer = nullptr;
  CheckCode(heed_draw(array, json.data(), json.size(), &answer));
  heed_answer_free(answer);
  double value = 0;
  CheckCode(heed_metric(json.data(), json.size(), &value));
  heed_variable* x = nullptr;
  CheckCode(heed_variable_new(nullptr, array, &x));
  const heed_variable* const inputs[] = {x, x, x};
  for (size_t count = 1; count <= std::size(inputs); ++count) {
    heed_variable* results[4] = {};
    CheckCode(heed_operation(nullptr, name.c_str(), inputs, count, json.data(),
                             json.size(), results, std::size(results)));
    for (heed_variable* result : results) heed_variable_free(result);
  }
  Attend(json, x);
  heed_variable_free(x);
  heed_array_free(array);
  return 0;
}
