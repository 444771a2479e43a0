// Merges of byte-pair encoding.
#ifndef HEED_TEXT_TOKENIZER_MERGE_TABLE_H_
#define HEED_TEXT_TOKENIZER_MERGE_TABLE_H_

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "heed/text/tokenizer/column.h"

namespace heed::tokens {

/// Two adjacent tokens and the token that replaces them. Lower ranks are
/// applied first.
struct Merge {
  int32_t left = -1;
  int32_t right = -1;
  int32_t product = -1;
  uint32_t rank = UINT32_MAX;
};

/// Immutable hash table of merges by their parts.
class MergeTable {
 public:
  MergeTable() : MergeTable(std::vector<Merge>{}) {}
  /// The last of several merges of the same parts counts.
  explicit MergeTable(const std::vector<Merge>& merges) {
    std::vector<Merge> slots(std::bit_ceil(2 * merges.size() + 2));
    for (const Merge& merge : merges) {
      size_t slot = Hash(merge.left, merge.right) & (slots.size() - 1);
      while (slots[slot].left >= 0 &&
             !Is(slots[slot], merge.left, merge.right)) {
        slot = (slot + 1) & (slots.size() - 1);
      }
      slots[slot] = merge;
    }
    slots_ = Column<Merge>(std::move(slots));
  }
  /// Table from a file. The size of `slots` must be a power of two.
  explicit MergeTable(Column<Merge> slots) : slots_(std::move(slots)) {}

  /// Merge of two tokens; nullptr if there is none.
  const Merge* Find(int32_t left, int32_t right) const {
    const size_t mask = slots_.size() - 1;
    size_t slot = Hash(left, right) & mask;
    // A damaged file may have no empty entry.
    for (size_t probes = 0; probes <= mask; ++probes) {
      const Merge& merge = slots_[slot];
      if (merge.left < 0) return nullptr;
      if (Is(merge, left, right)) return &merge;
      slot = (slot + 1) & mask;
    }
    return nullptr;
  }

  const Column<Merge>& slots() const { return slots_; }

 private:
  static bool Is(const Merge& merge, int32_t left, int32_t right) {
    return merge.left == left && merge.right == right;
  }
  static size_t Hash(int32_t left, int32_t right) {
    const uint64_t key =
        (static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32) |
        static_cast<uint32_t>(right);
    const uint64_t hash = key * 0x9E3779B97F4A7C15;
    return hash ^ (hash >> 32);
  }

  Column<Merge> slots_;
};

}  // namespace heed::tokens

#endif  // HEED_TEXT_TOKENIZER_MERGE_TABLE_H_
