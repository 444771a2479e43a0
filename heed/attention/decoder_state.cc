#include "heed/attention/decoder_state.h"

#include <algorithm>

#include "heed/base/errors.h"
#include "heed/kernels/gather.h"

namespace heed {
namespace {

/// True if gathering `rows` from `count` rows changes nothing.
bool IsIdentity(const Tensor& rows, int64_t count) {
  if (rows.numel() != count) return false;
  for (int64_t i = 0; i < count; ++i) {
    if (rows.data<int32_t>()[i] != i) return false;
  }
  return true;
}

/// Gathers `rows` along dimension `axis`, whose size is a multiple of `count`.
Tensor GatherAxis(const Tensor& x, const Tensor& rows, int64_t count,
                  int axis) {
  if (axis > 0) {
    Shape shape = x.shape();
    shape.Set(axis, rows.numel());
    Tensor all(shape, x.dtype());
    for (int64_t i = 0; i < x.dim(0); ++i) {
      all[i].CopyFrom(GatherAxis(x[i], rows, count, axis - 1));
    }
    return all;
  }
  if (x.dim(0) == count) return kernels::Gather(x.Contiguous(), rows);
  Shape shape = x.shape();
  shape.Set(0, count == 0 ? 0 : x.dim(0) / count * rows.numel());
  return kernels::Gather(x.Contiguous().Reshape(
                             {count, count == 0 ? 0 : x.numel() / count}),
                         rows)
      .Reshape(shape);
}

}  // namespace

Var& DecoderState::At(std::string_view name, StateRole role, int axis) {
  const auto found = tensors_.find(name);
  if (found != tensors_.end()) return found->second.value;
  return tensors_.emplace(name, Entry{role, axis, {}}).first->second.value;
}

const Var* DecoderState::Find(std::string_view name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() || !found->second.value.defined()
             ? nullptr
             : &found->second.value;
}

void DecoderState::Erase(std::string_view name) {
  const auto found = tensors_.find(name);
  if (found != tensors_.end()) tensors_.erase(found);
}

Memory& DecoderState::MemoryOf(const std::string& path) {
  const auto [found, is_new] = memories_.try_emplace(path);
  if (is_new) {
    found->second.decoded = !whole;
    found->second.precision = precision;
  }
  return found->second;
}

void DecoderState::CheckRows(const Tensor& rows, const Tensor& sources) const {
  const int64_t left = sources.defined() ? sources.numel() : sources_;
  bool fits = rows.dtype() == DType::kI32 && left <= sources_ &&
              (left == 0 ? rows.numel() == 0 : rows.numel() % left == 0);
  for (int64_t j = 0; fits && sources.defined() && j < left; ++j) {
    const int32_t* source = sources.data<int32_t>() + j;
    fits = *source < sources_ && (j == 0 ? *source >= 0 : *source > source[-1]);
  }
  for (int64_t i = 0; fits && i < rows.numel(); ++i) {
    const int64_t j = i / (rows.numel() / left);
    const int64_t source = sources.defined() ? sources.data<int32_t>()[j] : j;
    const int64_t row = rows.data<int32_t>()[i];
    fits = row >= 0 && row < rows_ && row / (rows_ / sources_) == source;
  }
  if (fits) return;
  throw ShapeError(
      "decoder state: {} rows of {} sources cannot become rows {} of sources "
      "{}; each row must stay with its source, and sources in their order",
      rows_, sources_, rows.shape().ToString(),
      sources.defined() ? sources.shape().ToString() : "as before");
}

/// Row movements of one Reorder.
struct DecoderState::Moves {
  const Tensor& rows;
  const Tensor& sources;
  int64_t row_count;  // before
  int64_t source_count;
  bool rows_move;
  bool sources_leave;
  bool rows_repeat;

  Tensor Moved(const Tensor& x, StateRole role, int axis = 0) const {
    const bool by_source = role == StateRole::kSource;
    const bool moves = (role == StateRole::kRow && rows_move) ||
                       (role == StateRole::kRepeated && rows_repeat) ||
                       (by_source && sources_leave);
    if (!moves || !x.defined()) return x;
    return GatherAxis(x, by_source ? sources : rows,
                      by_source ? source_count : row_count, axis);
  }
  void Move(Var& x, StateRole role, int axis = 0) const {
    if (x.defined()) x = Moved(x.value(), role, axis);
  }
  void Move(Memory& memory) const {
    Move(memory.keys, memory.role);
    Move(memory.values, memory.role);
    Move(memory.previous, StateRole::kRow);
    Move(memory.coverage, StateRole::kRow);
    memory.lengths = Moved(memory.lengths, memory.role);
    memory.slots = Moved(memory.slots, StateRole::kRow);
    memory.sources = Moved(memory.sources, StateRole::kSource);
  }
};

void DecoderState::Reorder(const Tensor& rows, const Tensor& sources) {
  for (DecoderState& member : members) member.Reorder(rows, sources);
  weights = Tensor();
  if (rows_ == 0) return;
  CheckRows(rows, sources);
  const bool leave = sources.defined() && !IsIdentity(sources, sources_);
  const Moves moves = {.rows = rows,
                       .sources = sources,
                       .row_count = rows_,
                       .source_count = sources_,
                       .rows_move = !IsIdentity(rows, rows_),
                       .sources_leave = leave,
                       .rows_repeat = leave || rows.numel() != rows_};
  for (auto& [name, entry] : tensors_) {
    moves.Move(entry.value, entry.role, entry.axis);
  }
  for (auto& [path, memory] : memories_) moves.Move(memory);
  rows_ = rows.numel();
  if (sources.defined()) sources_ = sources.numel();
}

void DecoderState::BeginStep(int64_t rows) {
  weights = Tensor();
  if (rows_ == 0 && position == 0) rows_ = sources_ = rows;
  if (rows == rows_) return;
  throw ShapeError("decoder: {} tokens for {} rows", rows, rows_);
}

}  // namespace heed
