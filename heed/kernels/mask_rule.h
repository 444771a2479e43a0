// Which keys a query may look at, as kernels ask it.
#ifndef HEED_KERNELS_MASK_RULE_H_
#define HEED_KERNELS_MASK_RULE_H_

#include <cstdint>

namespace heed::kernels {

/// Positions [begin, end).
struct Range {
  int64_t begin = 0;
  int64_t end = 0;

  int64_t size() const { return end - begin; }
};

/// May query t of batch row b look at key s? Immutable; asked from many
/// threads.
class MaskRule {
 public:
  enum class Extent : uint8_t { kNone, kSome, kAll };

  virtual ~MaskRule() = default;
  /// May[i] = 1 if query t may look at key keys.begin + i, else 0.
  virtual void Row(int64_t b, int64_t t, Range keys, uint8_t* may) const = 0;
  /// For how many of all pairs it holds; kSome is always a right answer.
  /// Blocks with none are never computed.
  virtual Extent Block(int64_t b, Range queries, Range keys) const;
};

}  // namespace heed::kernels

#endif  // HEED_KERNELS_MASK_RULE_H_
