#include "heed/attention/masks/rules.h"

#include <algorithm>

#include "heed/base/errors.h"

namespace heed {

void RangeRule::Row(int64_t b, int64_t t, kernels::Range keys,
                    uint8_t* may) const {
  const kernels::Range open = Keys(b, t);
  const int64_t begin = std::clamp(open.begin, keys.begin, keys.end);
  const int64_t end = std::clamp(open.end, begin, keys.end);
  std::fill(may, may + keys.size(), uint8_t{0});
  std::fill(may + (begin - keys.begin), may + (end - keys.begin), uint8_t{1});
}

kernels::MaskRule::Extent RangeRule::Block(int64_t b, kernels::Range queries,
                                           kernels::Range keys) const {
  if (queries.size() <= 0 || keys.size() <= 0) return Extent::kNone;
  const kernels::Range first = Keys(b, queries.begin);
  const kernels::Range last = Keys(b, queries.end - 1);
  if (keys.begin >= last.begin && keys.end <= first.end) return Extent::kAll;
  if (keys.begin >= last.end || keys.end <= first.begin) return Extent::kNone;
  return Extent::kSome;
}

void CheckInts(const std::string& mask, const Tensor& x, int rank) {
  if (!x.defined() || x.dtype() != DType::kI32 || x.rank() != rank) {
    throw ShapeError(
        "{}: needs whole numbers (i32) of {} dimension(s), not {}{}", mask,
        rank, x.defined() ? Name(x.dtype()) : "nothing",
        x.defined() ? " " + x.shape().ToString() : "");
  }
}

}  // namespace heed
