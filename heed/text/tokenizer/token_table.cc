#include "heed/text/tokenizer/token_table.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace heed::tokens {

uint64_t HashOf(std::string_view bytes) {
  constexpr uint64_t kFactor = 0x9E3779B97F4A7C15;
  uint64_t hash = bytes.size() * kFactor;
  const auto mix = [&hash](uint64_t word) {
    hash = (hash ^ word) * kFactor;
    hash ^= hash >> 29;
  };
  size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, 8);
    mix(word);
  }
  if (i < bytes.size()) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, bytes.size() - i);
    mix(word);
  }
  return hash ^ (hash >> 32);
}

TokenTable::TokenTable(const std::vector<std::string>& texts) {
  std::vector<char> bytes;
  std::vector<uint32_t> ends;
  ends.reserve(texts.size());
  for (const std::string& text : texts) {
    bytes.insert(bytes.end(), text.begin(), text.end());
    ends.push_back(static_cast<uint32_t>(bytes.size()));
    longest_ = std::max(longest_, text.size());
  }
  bytes_ = Column<char>(std::move(bytes));
  ends_ = Column<uint32_t>(std::move(ends));
  std::vector<int32_t> slots(std::bit_ceil(2 * texts.size() + 2), -1);
  for (size_t i = 0; i < texts.size(); ++i) {
    if (texts[i].empty()) continue;
    size_t slot = HashOf(texts[i]) & (slots.size() - 1);
    while (slots[slot] >= 0 && Text(slots[slot]) != texts[i]) {
      slot = (slot + 1) & (slots.size() - 1);
    }
    slots[slot] = static_cast<int32_t>(i);
  }
  slots_ = Column<int32_t>(std::move(slots));
}

TokenTable::TokenTable(Columns columns)
    : bytes_(std::move(columns.bytes)),
      ends_(std::move(columns.ends)),
      slots_(std::move(columns.slots)) {
  for (size_t i = 0; i < ends_.size(); ++i) {
    longest_ = std::max(longest_, Text(static_cast<int32_t>(i)).size());
  }
}

bool TokenTable::IsValid(const Columns& columns) {
  const std::span<const uint32_t> ends = columns.ends.view();
  const std::span<const int32_t> slots = columns.slots.view();
  const auto rows = static_cast<int32_t>(ends.size());
  return std::ranges::is_sorted(ends) &&
         (ends.empty() || ends.back() <= columns.bytes.size()) &&
         std::has_single_bit(slots.size()) &&
         std::ranges::all_of(
             slots, [rows](int32_t id) { return -1 <= id && id < rows; }) &&
         std::ranges::count(slots, -1) > 0;
}

int32_t TokenTable::Find(std::string_view token) const {
  if (token.empty()) return -1;
  const size_t mask = slots_.size() - 1;
  size_t slot = HashOf(token) & mask;
  while (true) {
    const int32_t id = slots_[slot];
    if (id < 0 || Text(id) == token) return id;
    slot = (slot + 1) & mask;
  }
}

std::string_view TokenTable::Text(int32_t id) const {
  if (id < 0 || static_cast<size_t>(id) >= ends_.size()) return {};
  const auto row = static_cast<size_t>(id);
  const uint32_t begin = row == 0 ? 0 : ends_[row - 1];
  return {bytes_.data() + begin, ends_[row] - begin};
}

}  // namespace heed::tokens
