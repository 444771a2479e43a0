#include "heed/ops/crf.h"

#include "heed/kernels/crf.h"
#include "heed/kernels/elementwise.h"
#include "heed/ops/check.h"

namespace heed {
namespace {

void CheckCrf(const Crf& x, const Tensor& lengths) {
  const bool fits =
      x.emissions.shape().rank() == 3 && x.transitions.shape().rank() == 2 &&
      x.emissions.dim(2) > 0 && x.transitions.dim(0) == x.emissions.dim(2) &&
      x.transitions.dim(1) == x.emissions.dim(2) &&
      x.start.shape() == Shape{x.emissions.dim(2)} &&
      x.end.shape() == x.start.shape() && lengths.defined();
  CheckShapes(fits, "crf", "emissions and transitions that do not fit",
              {x.emissions.shape(), x.transitions.shape(), x.start.shape(),
               x.end.shape()});
  CheckLengths("crf", lengths, x.emissions.dim(0), x.emissions.dim(1));
}

void CheckTags(const Crf& x, const Tensor& tags, const Tensor& lengths) {
  const int64_t t_size = x.emissions.dim(1);
  const int64_t c_size = x.emissions.dim(2);
  CheckShapes(
      tags.defined() && tags.shape() == Shape{x.emissions.dim(0), t_size},
      "crf", "emissions and tags that do not fit",
      {x.emissions.shape(), tags.shape()});
  for (int64_t b = 0; b < lengths.numel(); ++b) {
    for (int64_t t = 0; t < lengths.data<int32_t>()[b]; ++t) {
      const int32_t tag = tags.row<int32_t>(b)[t];
      if (tag < 0 || tag >= c_size) {
        throw ShapeError("crf: tag {} of {} tags", tag, c_size);
      }
    }
  }
}

kernels::CrfScores Dense(const Crf& x) {
  return {x.emissions.value().Contiguous(), x.transitions.value().Contiguous(),
          x.start.value().Contiguous(), x.end.value().Contiguous()};
}

}  // namespace

CrfLossResult CrfLoss(const Crf& crf, const Tensor& tags, const Tensor& lengths,
                      double scale) {
  CheckCrf(crf, lengths);
  CheckTags(crf, tags, lengths);
  const bool differentiated =
      crf.emissions.tape() != nullptr || crf.transitions.tape() != nullptr ||
      crf.start.tape() != nullptr || crf.end.tape() != nullptr;
  kernels::CrfScores gradient;
  CrfLossResult result;
  result.nll = kernels::CrfLoss(Dense(crf), tags.Contiguous(), lengths,
                                differentiated ? &gradient : nullptr);
  result.loss = Record(
      "crf",
      Tensor::Full({}, scale * result.nll, crf.emissions.value().dtype()),
      {crf.emissions, crf.transitions, crf.start, crf.end},
      [gradient, scale](const Tensor& dy, Grads& g) {
        const double d = scale * dy.item();
        if (g.Needs(0)) g.Add(0, kernels::Scale(gradient.emissions, d));
        if (g.Needs(1)) g.Add(1, kernels::Scale(gradient.transitions, d));
        if (g.Needs(2)) g.Add(2, kernels::Scale(gradient.start, d));
        if (g.Needs(3)) g.Add(3, kernels::Scale(gradient.end, d));
      });
  return result;
}

Var CrfLogPartition(const Crf& crf, const Tensor& lengths) {
  CheckCrf(crf, lengths);
  const kernels::CrfScores x = Dense(crf);
  return Record("crf_log_partition", kernels::CrfLogPartition(x, lengths),
                {crf.emissions, crf.transitions, crf.start, crf.end},
                [x, lengths](const Tensor& dy, Grads& g) {
                  kernels::CrfScores d =
                      kernels::CrfLogPartitionGradient(x, lengths, dy);
                  if (g.Needs(0)) g.Add(0, std::move(d.emissions));
                  if (g.Needs(1)) g.Add(1, std::move(d.transitions));
                  if (g.Needs(2)) g.Add(2, std::move(d.start));
                  if (g.Needs(3)) g.Add(3, std::move(d.end));
                });
}

Tensor CrfBestPaths(const Crf& crf, const Tensor& lengths) {
  CheckCrf(crf, lengths);
  return kernels::CrfBestPaths(Dense(crf), lengths);
}

Tensor CrfMarginals(const Crf& crf, const Tensor& lengths) {
  CheckCrf(crf, lengths);
  const Tensor ones =
      Tensor::Full(lengths.shape(), 1, crf.emissions.value().dtype());
  return kernels::CrfLogPartitionGradient(Dense(crf), lengths, ones).emissions;
}

}  // namespace heed
