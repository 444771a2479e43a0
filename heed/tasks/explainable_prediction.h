// A prediction of a task: what its explanation is made from.
#ifndef HEED_TASKS_EXPLAINABLE_PREDICTION_H_
#define HEED_TASKS_EXPLAINABLE_PREDICTION_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "heed/autograd/observer.h"
#include "heed/explain/attribution.h"
#include "heed/explain/explanation.h"
#include "heed/tensor/tensor.h"

namespace heed {

/// A text to explain.
struct ExplainInput {
  std::string text;  ///< as `heed predict` reads a line; forecast: a CSV file
  /// What is explained instead of the model's own answer: a translation, a
  /// label, a column. Empty: its own.
  std::string answer;
};

/// The members of an Explanation of these names, and how to compute the answer
/// again. Refers to the task.
struct ExplainablePrediction {
  std::string answer;
  std::vector<std::string> source;
  std::vector<std::string> target;
  std::vector<std::string> target_inputs;
  std::string alignment;  ///< path of that attention; empty: none
  int64_t alignment_head = -1;
  std::vector<int64_t> alignment_rows;
  Explainable scores;
  int64_t row = 0;  ///< of the batch, where weights are told of several
};

/// 0, 1, ..., n - 1: where row t of an attention belongs to target t.
std::vector<int64_t> EachRow(int64_t n);

/// Item `item` of a corpus so many times, as batches are made from.
std::vector<int64_t> Repeated(int64_t copies, int64_t item = 0);

/// The same ids in each of so many rows: [copies, n].
Tensor RepeatedRows(const std::vector<int32_t>& ids, int64_t copies);

/// These columns of a matrix, in this order. Shapes: [rows, columns].
Var ChosenColumns(const Var& matrix, const std::vector<int32_t>& columns);

/// Path of the last attention of an input to itself; empty without one.
std::string LastSelfAttention(const AttentionWatch& watch);

/// Path of the attention that pools an input to one answer; empty without one.
std::string PoolingAttention(const AttentionWatch& watch);

}  // namespace heed

#endif  // HEED_TASKS_EXPLAINABLE_PREDICTION_H_
