// s < length_b: padding of shorter rows in a batch is masked. A prefix mask is
// a causal mask in which all queries also see the first keys (Raffel et al.
// 2020, arXiv:1910.10683, section 3.2.1).
#include <algorithm>

#include "heed/attention/masks/rules.h"
#include "heed/ops/normalizers.h"

namespace heed {
namespace {

class PaddingRule : public RangeRule {
 public:
  explicit PaddingRule(Tensor lengths) : lengths_(std::move(lengths)) {}
  kernels::Range Keys(int64_t b, int64_t /*t*/) const override {
    return {0, lengths_.data<int32_t>()[b]};
  }

 private:
  Tensor lengths_;
};

class PrefixRule : public RangeRule {
 public:
  explicit PrefixRule(Tensor lengths) : lengths_(std::move(lengths)) {}
  kernels::Range Keys(int64_t b, int64_t t) const override {
    return {0, std::max<int64_t>(lengths_.data<int32_t>()[b], t + 1)};
  }

 private:
  Tensor lengths_;
};

Tensor SameForAll(double length, int64_t batch) {
  return Tensor::Full({batch}, length, DType::kI32);
}

}  // namespace

Mask Padding(const Tensor& lengths) {
  CheckInts("padding mask", lengths, 1);
  Mask mask(std::make_shared<PaddingRule>(lengths), {lengths.dim(0), -1, -1});
  mask.lengths_ = lengths;
  return mask;
}

Var MaskPadding(const Var& scores, const Tensor& lengths) {
  return MaskScores(scores, Padding(lengths).rule().get(), /*heads=*/1,
                    /*query_offset=*/0);
}

Mask Prefix(const Tensor& lengths) {
  CheckInts("prefix mask", lengths, 1);
  return Mask(std::make_shared<PrefixRule>(lengths), {lengths.dim(0), -1, -1});
}

MaskInfo PaddingInfo() {
  return {
      "padding",
      "s < length_b",
      "Bahdanau et al. 2014, arXiv:1409.0473",
      {{"part", 0.75, 0, 1}},
      [](const std::vector<double>& n, const MaskSizes& sizes) {
        return Padding(SameForAll(static_cast<double>(static_cast<int64_t>(
                                      n[0] * static_cast<double>(sizes.keys))),
                                  sizes.batch));
      },
      true};
}

MaskInfo PrefixInfo() {
  return {"prefix",
          "s ≤ t or s < prefix_b",
          "Raffel et al. 2020, arXiv:1910.10683",
          {{"keys", 4, 0, 1e9}},
          [](const std::vector<double>& n, const MaskSizes& sizes) {
            return Prefix(SameForAll(n[0], sizes.batch));
          },
          true};
}

}  // namespace heed
