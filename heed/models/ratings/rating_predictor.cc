#include "heed/models/ratings/rating_predictor.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "heed/base/errors.h"
#include "heed/ops/check.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/matmul.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

double NumberAt(const Parameter& parameter, int64_t i) {
  return parameter.value().Slice(i, i + 1).To(DType::kF64).data<double>()[0];
}

/// Sets all rows after the first one, which stands for unknown names.
void SetRows(Parameter& table, std::span<const double> numbers) {
  Tensor values = Tensor::Zeros(table.value().shape(), DType::kF64);
  CheckShapes(values.numel() == std::ssize(numbers) + 1, "start of biases",
              "another number of them", {values.shape()});
  std::ranges::copy(numbers, values.data<double>() + 1);
  table.mutable_value().CopyFrom(values.To(table.value().dtype()));
  table.Changed();
}

void CheckDocuments(const char* where, const ReviewDocuments& side, int64_t B,
                    int64_t words, const DocumentLimits& limits) {
  const bool shapes =
      side.ids.defined() && side.starts.defined() && side.ids.rank() == 2 &&
      side.starts.rank() == 2 && side.B() == B && side.starts.dim(0) == B &&
      side.S() <= limits.words && side.R() >= 1 && side.R() <= limits.reviews &&
      side.lengths.defined() && side.counts.defined();
  if (!shapes) {
    throw ShapeError("{}: documents that are not of {} pairs, or too long",
                     where, B);
  }
  CheckLengths(where, side.lengths, B, side.S());
  CheckLengths(where, side.counts, B, side.R());
  for (int64_t b = 0; b < B; ++b) {
    const int32_t* starts = side.starts.row<int32_t>(b);
    const int32_t count = side.counts.data<int32_t>()[b];
    const int32_t length = side.lengths.data<int32_t>()[b];
    bool fits = starts[0] == 0 && (count > 0) == (length > 0);
    for (int64_t r = 0; r < side.R(); ++r) {
      const int32_t own = starts[r + 1] - starts[r];
      fits = fits && own <= limits.words_of_review &&
             (r < count ? own > 0 : starts[r + 1] == length);
    }
    fits = fits && starts[side.R()] == length;
    const int32_t* ids = side.ids.row<int32_t>(b);
    fits = fits && std::all_of(ids, ids + side.S(), [words](int32_t id) {
             return id >= 0 && id < words;
           });
    if (!fits) {
      throw ShapeError("{}: reviews or words of pair {} do not fit", where, b);
    }
  }
}

}  // namespace

std::vector<double> NumbersOf(const Var& x) {
  return x.value().To(DType::kF64).Contiguous().ToVector<double>();
}

RatingBiases::RatingBiases(const Scope& scope, int64_t users, int64_t items)
    : mean_(scope.Add("mean", {1}, kZeroInit)),
      user_(scope.Add("user", {users + 1, 1}, kZeroInit)),
      item_(scope.Add("item", {items + 1, 1}, kZeroInit)) {}

Var RatingBiases::operator()(const Context& ctx,
                             const RatingBatch& batch) const {
  const Var own = Add(Embed(ctx.Use(user_), batch.users),
                      Embed(ctx.Use(item_), batch.items));
  return Reshape(AddRow(own, ctx.Use(mean_)), {batch.B()});
}

Var RatingBiases::Penalty(const Context& ctx, const RatingBatch& batch,
                          const Tensor& user_shares,
                          const Tensor& item_shares) const {
  const auto term = [&](const Parameter& table, const Tensor& ids,
                        const Tensor& shares) {
    const Var own = Reshape(Embed(ctx.Use(table), ids), {batch.B()});
    return Sum(Mul(Mul(own, own), shares));
  };
  return Add(term(user_, batch.users, user_shares),
             term(item_, batch.items, item_shares));
}

void RatingBiases::Start(double mean, std::span<const double> users,
                         std::span<const double> items) {
  mean_.mutable_value().Fill(mean);
  mean_.Changed();
  SetRows(user_, users);
  SetRows(item_, items);
}

void RatingBiases::AddTo(const RatingBatch& batch, RatingParts& parts) const {
  parts.mean += NumberAt(mean_, 0);
  parts.user += NumberAt(user_, batch.users.data<int32_t>()[0]);
  parts.item += NumberAt(item_, batch.items.data<int32_t>()[0]);
}

OutlineBlock RatingBiases::Outline() const {
  return {{{.name = "+ mean and biases",
            .features = 1,
            .detail = fmt::format("of {} users and {} items",
                                  user_.value().dim(0) - 1,
                                  item_.value().dim(0) - 1)}},
          1};
}

OutlineSequence RatingOutline(std::vector<OutlineBlock> blocks,
                              std::vector<size_t> of) {
  OutlineSequence rating = {.name = "rating", .blocks = std::move(blocks)};
  rating.items = {"user", "item"};
  rating.of = std::move(of);
  return rating;
}

Tensor HasBothDocuments(const RatingBatch& batch, DType dtype) {
  Tensor both({batch.B()}, DType::kF64);
  for (int64_t b = 0; b < batch.B(); ++b) {
    both.data<double>()[b] = batch.user.lengths.data<int32_t>()[b] > 0 &&
                                     batch.item.lengths.data<int32_t>()[b] > 0
                                 ? 1
                                 : 0;
  }
  return both.To(dtype);
}

void CheckRatingBatch(const char* where, const RatingBatch& batch,
                      int64_t words, const DocumentLimits& limits) {
  const bool fits = batch.users.defined() && batch.items.defined() &&
                    batch.users.rank() == 1 &&
                    batch.users.shape() == batch.items.shape();
  if (!fits)
    throw ShapeError("{}: users that are not one for each item", where);
  if (limits.reviews == 0) return;
  CheckDocuments(where, batch.user, batch.B(), words, limits);
  CheckDocuments(where, batch.item, batch.B(), words, limits);
}

}  // namespace heed
