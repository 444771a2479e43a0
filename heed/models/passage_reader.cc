#include "heed/models/passage_reader.h"

#include <algorithm>

#include "heed/ops/check.h"

namespace heed {
namespace {

void CheckWordsOf(const char* where, const char* what, const Tensor& ids,
                  const Tensor& lengths, const Tensor& vectors, int64_t B,
                  const TextSizes& sizes) {
  CheckShapes(ids.defined() && ids.rank() == 2 && ids.dim(0) == B &&
                  ids.dtype() == DType::kI32 && lengths.defined(),
              where, what, {ids.shape()});
  CheckLengths(where, lengths, B, ids.dim(1));
  for (int64_t b = 0; b < B; ++b) {
    const int32_t length = lengths.data<int32_t>()[b];
    CheckShapes(length >= 1, where, what, {ids.shape()});
    const int32_t* row = ids.row<int32_t>(b);
    CheckShapes(std::all_of(row, row + length,
                            [&](int32_t id) {
                              return id >= 0 && id < sizes.vocabulary;
                            }),
                where, "a word that is not in the vocabulary", {ids.shape()});
  }
  CheckVectors({.ids = ids, .lengths = lengths, .vectors = vectors},
               sizes.vectors);
}

}  // namespace

void CheckPassageBatch(const char* where, const PassageBatch& batch,
                       const TextSizes& sizes) {
  const int64_t B = batch.passages.defined() ? batch.passages.dim(0) : 0;
  CheckWordsOf(where, "passages that are not [B, S] with lengths above 0",
               batch.passages, batch.passage_lengths, batch.passage_vectors, B,
               sizes);
  CheckWordsOf(where, "questions that are not [B, T] with lengths above 0",
               batch.questions, batch.question_lengths, batch.question_vectors,
               B, sizes);
  CheckShapes(batch.answers.defined() &&
                  batch.answers.shape() == batch.passages.shape(),
              where, "not an answer for each word of the passages",
              {batch.passages.shape()});
}

}  // namespace heed
