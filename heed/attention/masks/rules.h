// Helpers of the mask files.
#ifndef HEED_ATTENTION_MASKS_RULES_H_
#define HEED_ATTENTION_MASKS_RULES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "heed/attention/mask.h"

namespace heed {

/// Rule that allows each query one range of keys. Neither end of the range
/// decreases from one query to the next.
class RangeRule : public kernels::MaskRule {
 public:
  /// May extend beyond the existing keys, and may be empty.
  virtual kernels::Range Keys(int64_t b, int64_t t) const = 0;

  void Row(int64_t b, int64_t t, kernels::Range keys, uint8_t* may) const final;
  Extent Block(int64_t b, kernels::Range queries,
               kernels::Range keys) const final;
};

/// Throws ShapeError "MASK: …" unless x is i32 of rank `rank`.
void CheckInts(const std::string& mask, const Tensor& x, int rank);

MaskInfo AdjacencyInfo();
MaskInfo CausalInfo();
MaskInfo DocumentsInfo();
MaskInfo LocalMInfo();
MaskInfo PaddingInfo();
MaskInfo PrefixInfo();
MaskInfo StrictCausalInfo();
MaskInfo WindowInfo();

}  // namespace heed

#endif  // HEED_ATTENTION_MASKS_RULES_H_
