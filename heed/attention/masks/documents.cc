// Mask for packed sequences, without padding between them: a query sees only
// keys of its own sequence. Paper: Krell et al. 2021, arXiv:2107.02027, section
// 3.2.

#include <algorithm>

#include "heed/attention/masks/rules.h"
#include "heed/base/errors.h"

namespace heed {
namespace {

class DocumentRule : public RangeRule {
 public:
  DocumentRule(Tensor of_queries, Tensor of_keys)
      : of_queries_(std::move(of_queries)), of_keys_(std::move(of_keys)) {}

  kernels::Range Keys(int64_t b, int64_t t) const override {
    const int32_t* begin = of_keys_.row<int32_t>(b);
    const int32_t* end = begin + of_keys_.dim(1);
    const int32_t document = of_queries_.row<int32_t>(b)[t];
    if (document < 0) {  // padding after the last sequence
      return {of_keys_.dim(1), of_keys_.dim(1)};
    }
    const auto [first, last] = std::equal_range(
        begin, std::find_if(begin, end, [](int32_t d) { return d < 0; }),
        document);
    return {first - begin, last - begin};
  }

 private:
  Tensor of_queries_;
  Tensor of_keys_;
};

/// Checks that numbers are 0 or more and never decrease, followed by optional
/// negative ones for padding.
void CheckOrder(const char* what, const Tensor& documents) {
  for (int64_t b = 0; b < documents.dim(0); ++b) {
    const int32_t* row = documents.row<int32_t>(b);
    for (int64_t i = 1; i < documents.dim(1); ++i) {
      if (row[i] < 0 || (row[i - 1] >= 0 && row[i] >= row[i - 1])) continue;
      throw ShapeError(
          "document mask: the numbers of {} decrease at [{}, {}] (from {} to "
          "{}); sequences stand one after the other",
          what, b, i, row[i - 1], row[i]);
    }
  }
}

/// `count` documents of equal length in each row.
Tensor EqualDocuments(int64_t batch, int64_t length, int64_t count) {
  Tensor documents({batch, length}, DType::kI32);
  for (int64_t i = 0; i < documents.numel(); ++i) {
    documents.data<int32_t>()[i] =
        static_cast<int32_t>(i % length * count / length);
  }
  return documents;
}

}  // namespace

Mask Documents(const Tensor& of_queries, const Tensor& of_keys) {
  CheckInts("document mask", of_queries, 2);
  CheckInts("document mask", of_keys, 2);
  if (of_queries.dim(0) != of_keys.dim(0)) {
    throw ShapeError(
        "document mask: queries {} and keys {} have unequal numbers of rows",
        of_queries.shape().ToString(), of_keys.shape().ToString());
  }
  CheckOrder("queries", of_queries);
  CheckOrder("keys", of_keys);
  return Mask(std::make_shared<DocumentRule>(of_queries.Contiguous(),
                                             of_keys.Contiguous()),
              {of_keys.dim(0), of_queries.dim(1), of_keys.dim(1)});
}

MaskInfo DocumentsInfo() {
  return {"documents",
          "document(s) = document(t)",
          "Krell et al. 2021, arXiv:2107.02027",
          {{"count", 2, 1, 1e9}},
          [](const std::vector<double>& n, const MaskSizes& sizes) {
            const auto count = static_cast<int64_t>(n[0]);
            return Documents(EqualDocuments(sizes.batch, sizes.queries, count),
                             EqualDocuments(sizes.batch, sizes.keys, count));
          },
          true};
}

}  // namespace heed
