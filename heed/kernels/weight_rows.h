// Summaries of rows of attention weights: sums and the largest weights.
#ifndef HEED_KERNELS_WEIGHT_ROWS_H_
#define HEED_KERNELS_WEIGHT_ROWS_H_

#include <array>
#include <cstdint>
#include <span>

#include "heed/tensor/tensor.h"

namespace heed::kernels {

/// Number of largest weights of a row that are kept.
inline constexpr int kTopKeys = 16;

/// Summary of the weights a_s of one query.
struct WeightRow {
  float sum = 0;       // of all weights
  float entropy = 0;   // -sum_s a_s log2 a_s
  float distance = 0;  // sum_s a_s |place of the query - place of s|
  /// Keys with the largest weights, in descending order of weight; the lower of
  /// equal ones comes first. Keys of weight 0 are left out.
  std::array<int32_t, kTopKeys> keys = {};
  std::array<float, kTopKeys> top = {};
  int32_t count = 0;  // number of keys in `keys`

  /// Sum of the weights that are not in `top`.
  float rest() const;
};

/// Position of the rows and columns of a matrix of weights. Row r is query
/// first_query + r, column c is key first_key + c; place is their index times
/// query_unit or key_unit.
struct WeightPlaces {
  int64_t first_query = 0;
  int64_t first_key = 0;
  double query_unit = 1;
  double key_unit = 1;
};

/// Sets rows[i] to the summary of row i of `weights`. Runs on the calling
/// thread. Shapes: weights f32 [rows, columns], dense, none negative.
void SummarizeWeights(const Tensor& weights, const WeightPlaces& places,
                      std::span<WeightRow> rows);

}  // namespace heed::kernels

#endif  // HEED_KERNELS_WEIGHT_ROWS_H_
