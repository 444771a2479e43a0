// Interface of attention masks for kernels.
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

/// Mask: which key s may query t of batch row b attend to. Immutable;
/// thread-safe.
class MaskRule {
 public:
  enum class Extent : uint8_t { kNone, kSome, kAll };

  virtual ~MaskRule() = default;
  /// Sets may[i] = 1 if query t may attend to key keys.begin + i, else 0.
  virtual void Row(int64_t b, int64_t t, Range keys, uint8_t* may) const = 0;
  /// Extent of allowed pairs in a block; kSome is always correct. Blocks with
  /// kNone are never computed.
  virtual Extent Block(int64_t b, Range queries, Range keys) const;
};

}  // namespace heed::kernels

#endif  // HEED_KERNELS_MASK_RULE_H_
