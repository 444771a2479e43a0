#include "course/score_matrices.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "heed/base/at.h"
#include "heed/ops/check.h"

namespace heed {
namespace {

/// Returns scale · a bᵀ of the first S rows. Shapes: a and b [*, N], result f64
/// [S, S].
Tensor ProductsOf(const Tensor& a, const Tensor& b, int64_t S, double scale) {
  const Tensor x = a.To(DType::kF64), y = b.To(DType::kF64);
  Tensor result({S, S}, DType::kF64);
  for (int64_t t = 0; t < S; ++t) {
    for (int64_t s = 0; s < S; ++s) {
      double sum = 0;
      for (int64_t i = 0; i < x.dim(1); ++i) {
        sum += x.row<double>(t)[i] * y.row<double>(s)[i];
      }
      result.row<double>(t)[s] = scale * sum;
    }
  }
  return result;
}

void AddFacts(const MatrixFacts& more, double share, MatrixFacts& sum) {
  sum.symmetry += share * more.symmetry;
  sum.diagonal += share * more.diagonal;
  sum.own_weight += share * more.own_weight;
  sum.right += share * more.right;
}

std::vector<int32_t> FirstOf(const Tensor& ids, int64_t count) {
  const int32_t* begin = ids.data<int32_t>();
  return {begin, begin + count};
}

}  // namespace

ScoreMatrices MatricesOf(const TokenAttention& model, const TokenBatch& batch,
                         int64_t row) {
  const int64_t S = batch.lengths.data<int32_t>()[row];
  const auto p = model.Prepare({}, batch.tokens.Slice(row, row + 1));
  const auto of = [&](const Var& a, const Var& b) {
    const double features = static_cast<double>(a.dim(2));
    return ProductsOf(a.value()[0], b.value()[0], S, 1 / std::sqrt(features));
  };
  ScoreMatrices all = {of(p.x, p.x), {}, of(p.queries, p.keys)};
  all.cosines = all.products.Clone();
  for (int64_t t = 0; t < S; ++t) {
    for (int64_t s = 0; s < S; ++s) {
      all.cosines.row<double>(t)[s] /= std::sqrt(
          all.products.row<double>(t)[t] * all.products.row<double>(s)[s]);
    }
  }
  return all;
}

MatrixFacts FactsOf(const Tensor& matrix, const std::vector<int32_t>& tokens,
                    const std::vector<int32_t>& wanted) {
  const int64_t S = matrix.dim(0);
  CheckShapes(matrix.rank() == 2 && matrix.dim(1) == S &&
                  std::ssize(tokens) == S && std::ssize(wanted) == S && S > 0,
              "facts of a matrix", "a matrix and tokens that do not fit",
              {matrix.shape()});
  MatrixFacts facts;
  double both = 0, squares = 0, own = 0, all = 0;
  for (int64_t t = 0; t < S; ++t) {
    const std::span<const double> row(matrix.row<double>(t),
                                      static_cast<size_t>(S));
    const auto largest = std::ranges::max_element(row);
    double sum = 0;
    for (int64_t s = 0; s < S; ++s) {
      const double value = At(row, s);
      sum += std::exp(value - *largest);
      all += std::abs(value);
      if (s == t) continue;
      both += value * matrix.row<double>(s)[t];
      squares += value * value;
    }
    const double diagonal = At(row, t);
    own += std::abs(diagonal);
    const double share = 1 / static_cast<double>(S);
    facts.own_weight += share * std::exp(diagonal - *largest) / sum;
    const auto found = static_cast<size_t>(largest - row.begin());
    if (tokens[found] == At(wanted, t)) facts.right += share;
  }
  facts.symmetry = squares > 0 ? both / squares : 1;
  facts.diagonal = all > 0 ? own / all : 1 / static_cast<double>(S);
  return facts;
}

MeanFacts MeanFactsOf(const TokenAttention& model, const TokenBatch& batch) {
  MeanFacts mean;
  const int64_t count = batch.tokens.dim(0);
  const double share = 1 / static_cast<double>(count);
  for (int64_t b = 0; b < count; ++b) {
    const int64_t S = batch.lengths.data<int32_t>()[b];
    const std::vector<int32_t> tokens = FirstOf(batch.tokens[b], S);
    const std::vector<int32_t> wanted = FirstOf(batch.wanted[b], S);
    const ScoreMatrices all = MatricesOf(model, batch, b);
    AddFacts(FactsOf(all.products, tokens, wanted), share, mean.products);
    AddFacts(FactsOf(all.cosines, tokens, wanted), share, mean.cosines);
    AddFacts(FactsOf(all.scores, tokens, wanted), share, mean.scores);
  }
  return mean;
}

}  // namespace heed
