#include "heed/kernels/attention_factors.h"

#include <algorithm>
#include <cassert>
#include <optional>
#include <utility>

namespace heed::kernels {
namespace {

using Kind = ScoreModifier::Kind;

/// Part of a mask: query t of batch row 0 is query `query` + t of row `b`.
class PartOfMask : public MaskRule {
 public:
  PartOfMask(const MaskRule& whole, int64_t b, int64_t query, int64_t key)
      : whole_(whole), b_(b), query_(query), key_(key) {}

  void Row(int64_t /*b*/, int64_t t, Range keys, uint8_t* may) const override {
    whole_.Row(b_, query_ + t, Moved(keys, key_), may);
  }
  Extent Block(int64_t /*b*/, Range queries, Range keys) const override {
    return whole_.Block(b_, Moved(queries, query_), Moved(keys, key_));
  }

 private:
  static Range Moved(Range range, int64_t by) {
    return {range.begin + by, range.end + by};
  }

  const MaskRule& whole_;
  int64_t b_, query_, key_;
};

/// Rows of one head as a batch of one. Shapes: x [B, N, heads * A], result [1,
/// rows, A].
Tensor PartOfHead(const Tensor& x, int64_t b, int64_t head, int64_t features,
                  Range rows) {
  return x[b]
      .Slice(rows.begin, rows.end)
      .Columns(head * features, (head + 1) * features)
      .Reshape({1, rows.size(), features});
}

/// Numbers of some queries of one head. Shapes: x [B, H, T], result [1, 1,
/// rows].
Tensor PartOfQueries(const Tensor& x, int64_t b, int64_t head, Range rows) {
  return x[b][head].Slice(rows.begin, rows.end).Reshape({1, 1, rows.size()});
}

/// Bias of a tile. Shapes: x [B or 1, H or 1, T or 1, S], result [1, 1, rows or
/// 1, columns].
Tensor PartOfBias(const Tensor& x, int64_t b, int64_t head, Range rows,
                  Range columns) {
  const auto at = [&](int axis, int64_t i) { return x.dim(axis) == 1 ? 0 : i; };
  const Tensor whole = x[at(0, b)][at(1, head)];
  const Tensor part =
      whole.dim(0) == 1 ? whole : whole.Slice(rows.begin, rows.end);
  return part.Columns(columns.begin, columns.end)
      .Contiguous()
      .Reshape({1, 1, part.dim(0), columns.size()});
}

/// x of a modifier for a tile of a call with T queries.
Tensor PartOfModifier(const ScoreModifier& m, int64_t b, int64_t head,
                      Range rows, Range columns, int64_t queries) {
  switch (m.kind) {
    case Kind::kScale:
    case Kind::kSoftCap:
      return {};
    case Kind::kBias:
      return PartOfBias(m.x, b, head, rows, columns);
    case Kind::kDistanceBias: {
      const int64_t first = queries - rows.end + columns.begin;
      const int64_t size = rows.size() + columns.size() - 1;
      return m.x[m.x.dim(0) == 1 ? 0 : head]
          .Slice(first, first + size)
          .Reshape({1, size});
    }
    case Kind::kRowScale:
      return PartOfQueries(m.x, b, head, rows);
    case Kind::kWindow:
    case Kind::kGaussianScores:
    case Kind::kGaussianWeights:
      break;
  }
  // Centres are counted from the first key of the tile.
  Tensor centres = PartOfQueries(m.x, b, head, rows).Clone();
  for (int64_t i = 0; i < rows.size(); ++i) {
    centres.data<float>()[i] -= static_cast<float>(columns.begin);
  }
  return centres;
}

}  // namespace

AttentionFactors::AttentionFactors(AttentionArgs args, Tensor log_sum,
                                   std::shared_ptr<const MaskRule> mask)
    : args_(std::move(args)),
      log_sum_(std::move(log_sum)),
      mask_(std::move(mask)) {
  assert(args_.dropout == 0);
  args_.q = args_.q.Contiguous();
  args_.k = args_.k.Contiguous();
  args_.v = args_.k;  // not read for weights
  args_.mask = mask_.get();
  args_.cancellation = nullptr;
}

int64_t AttentionFactors::bytes() const {
  int64_t sum = args_.q.bytes() + args_.k.bytes() + log_sum_.bytes();
  for (const ScoreModifier& m : args_.modifiers) {
    if (m.x.defined()) sum += m.x.bytes();
  }
  return sum;
}

Tensor AttentionFactors::Tile(int64_t b, int64_t head, Range rows,
                              Range columns) const {
  assert(rows.begin >= 0 && rows.size() > 0 && rows.end <= queries());
  assert(columns.begin >= 0 && columns.size() > 0 && columns.end <= keys());
  const int64_t A = args_.features();
  const int64_t key_head = head / (args_.heads / args_.key_heads);
  AttentionArgs part = args_;
  part.heads = part.key_heads = 1;
  part.query_offset = 0;
  part.q = PartOfHead(args_.q, b, head, A, rows);
  part.k = PartOfHead(args_.k, b, key_head, A, columns);
  part.v = part.k;
  if (args_.w.defined()) part.w = args_.w.Slice(head, head + 1);
  for (ScoreModifier& m : part.modifiers) {
    m.x = PartOfModifier(m, b, head, rows, columns, queries());
  }
  std::optional<PartOfMask> mask;
  if (mask_ != nullptr) {
    mask.emplace(*mask_, b, args_.query_offset + rows.begin, columns.begin);
    part.mask = &*mask;
  }
  return FusedAttentionWeights(part, PartOfQueries(log_sum_, b, head, rows))
      .Reshape({rows.size(), columns.size()});
}

Range AttentionFactors::VisibleKeys(int64_t b, Range rows) const {
  constexpr int64_t kStep = 64;
  Range seen = {0, keys()};
  if (mask_ == nullptr) return seen;
  const Range queries = {rows.begin + args_.query_offset,
                         rows.end + args_.query_offset};
  const auto none = [&](int64_t begin, int64_t end) {
    return mask_->Block(b, queries, {begin, end}) == MaskRule::Extent::kNone;
  };
  while (seen.size() > 0) {
    const int64_t end = std::min(seen.begin + kStep, seen.end);
    if (!none(seen.begin, end)) break;
    seen.begin = end;
  }
  while (seen.size() > 0) {
    const int64_t begin = std::max(seen.begin, (seen.end - 1) / kStep * kStep);
    if (!none(begin, seen.end)) break;
    seen.end = begin;
  }
  return seen;
}

}  // namespace heed::kernels
