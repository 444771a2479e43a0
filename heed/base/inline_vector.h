// Vector of few elements without allocation.
#ifndef HEED_BASE_INLINE_VECTOR_H_
#define HEED_BASE_INLINE_VECTOR_H_

#include <array>
#include <cassert>
#include <cstddef>
#include <span>
#include <utility>

namespace heed {

/// Up to N elements, stored inline.
template <typename T, size_t N>
class InlineVector {
 public:
  void push_back(T value) {
    assert(size_ < N);
    elements_[size_++] = std::move(value);
  }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](size_t i) { return elements_[i]; }
  const T& operator[](size_t i) const { return elements_[i]; }
  T& back() { return elements_[size_ - 1]; }
  const T& back() const { return elements_[size_ - 1]; }
  T* begin() { return elements_.data(); }
  T* end() { return elements_.data() + size_; }
  const T* begin() const { return elements_.data(); }
  const T* end() const { return elements_.data() + size_; }
  std::span<const T> span() const { return {elements_.data(), size_}; }

 private:
  std::array<T, N> elements_{};
  size_t size_ = 0;
};

}  // namespace heed

#endif  // HEED_BASE_INLINE_VECTOR_H_
