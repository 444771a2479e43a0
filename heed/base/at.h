// Element access by signed indices and by enums.
#ifndef HEED_BASE_AT_H_
#define HEED_BASE_AT_H_

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace heed {

/// Element v[i] of a vector, an array or a span; not bounds-checked.
template <typename V, typename I>
requires std::integral<I> || std::is_enum_v<I>
constexpr decltype(auto) At(V&& v, I i) {
  return std::forward<V>(v)[static_cast<size_t>(i)];
}

}  // namespace heed

#endif  // HEED_BASE_AT_H_
