// Arrays that own their memory or refer to a mapped file.
#ifndef HEED_TEXT_TOKENIZER_COLUMN_H_
#define HEED_TEXT_TOKENIZER_COLUMN_H_

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace heed::tokens {

/// Immutable array, either owned or a view of memory that outlives it.
template <typename T>
class Column {
 public:
  Column() = default;
  explicit Column(std::vector<T> values)
      : own_(std::move(values)), view_(own_) {}
  explicit Column(std::span<const T> view) : view_(view) {}
  // Moving a vector keeps its elements in place.
  Column(Column&&) noexcept = default;
  Column& operator=(Column&&) noexcept = default;
  Column(const Column&) = delete;
  Column& operator=(const Column&) = delete;

  const T& operator[](size_t i) const { return view_[i]; }
  size_t size() const { return view_.size(); }
  const T* data() const { return view_.data(); }
  std::span<const T> view() const { return view_; }

 private:
  std::vector<T> own_;
  std::span<const T> view_;
};

}  // namespace heed::tokens

#endif  // HEED_TEXT_TOKENIZER_COLUMN_H_
