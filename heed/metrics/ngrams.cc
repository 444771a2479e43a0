#include "heed/metrics/ngrams.h"

#include <algorithm>

namespace heed {

NgramCounts CountNgrams(std::span<const std::string_view> units, int n) {
  NgramCounts counts;
  const int64_t total = NgramTotal(units.size(), n);
  counts.reserve(static_cast<size_t>(total));
  for (int64_t i = 0; i < total; ++i) {
    const std::string_view first = units[i];
    const std::string_view last = units[i + n - 1];
    const char* end = last.data() + last.size();
    const auto size = static_cast<size_t>(end - first.data());
    ++counts[std::string_view(first.data(), size)];
  }
  return counts;
}

int64_t CommonNgrams(const NgramCounts& a, const NgramCounts& b) {
  int64_t common = 0;
  for (const auto& [ngram, count] : a) {
    const auto found = b.find(ngram);
    if (found != b.end()) common += std::min(count, found->second);
  }
  return common;
}

}  // namespace heed
