#include "heed/attention/decoder_state.h"

#include <algorithm>
#include <numeric>

#include "heed/base/errors.h"
#include "heed/kernels/gather.h"

namespace heed {
namespace {

constexpr std::string_view kSlots = "slots";
constexpr std::string_view kSources = "sources";

/// Whether that leaves `count` rows as they are.
bool IsIdentity(const Tensor& rows, int64_t count) {
  if (rows.numel() != count) return false;
  for (int64_t i = 0; i < count; ++i) {
    if (rows.data<int32_t>()[i] != i) return false;
  }
  return true;
}

/// Rows `rows` of the `count` among which dimension `axis` is divided.
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

std::vector<Tensor>& DecoderState::Positions(std::string_view name) {
  const auto found = positions_.find(name);
  if (found != positions_.end()) return found->second;
  return positions_.emplace(name, std::vector<Tensor>()).first->second;
}

const Tensor& DecoderState::Slots(int64_t count) {
  constexpr int64_t kFewPositions = 32;
  Var& all = At(kSlots, StateRole::kRow);
  if (slots_ >= count) return all.value();
  Tensor slots = all.value();
  if (!slots.defined() || slots.dim(1) < count) {
    Tensor wider({rows_, std::max(kFewPositions, 2 * count)}, DType::kI32);
    for (int64_t r = 0; r < rows_ && slots_ > 0; ++r) {
      std::copy_n(slots.row<int32_t>(r), slots_, wider.row<int32_t>(r));
    }
    slots = std::move(wider);
  }
  for (int64_t r = 0; r < rows_; ++r) {
    std::fill(slots.row<int32_t>(r) + slots_, slots.row<int32_t>(r) + count,
              static_cast<int32_t>(r));
  }
  slots_ = count;
  all = slots;
  return all.value();
}

const Tensor& DecoderState::Sources() {
  Var& all = At(kSources, StateRole::kSource);
  if (!all.defined()) {
    Tensor first({sources_}, DType::kI32);
    std::iota(first.data<int32_t>(), first.data<int32_t>() + sources_, 0);
    all = first;
  }
  return all.value();
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

void DecoderState::Reorder(const Tensor& rows, const Tensor& sources) {
  for (DecoderState& member : members) member.Reorder(rows, sources);
  weights = Tensor();
  if (rows_ == 0) return;
  CheckRows(rows, sources);
  const bool moves = !IsIdentity(rows, rows_);
  const bool leave = sources.defined() && !IsIdentity(sources, sources_);
  const bool repeats = leave || rows.numel() != rows_;
  for (auto& [name, entry] : tensors_) {
    if (!entry.value.defined()) continue;
    const Tensor& x = entry.value.value();
    switch (entry.role) {
      case StateRole::kRow:
        if (moves) entry.value = GatherAxis(x, rows, rows_, entry.axis);
        break;
      case StateRole::kRepeated:
        if (repeats) entry.value = GatherAxis(x, rows, rows_, entry.axis);
        break;
      case StateRole::kSource:
        if (leave) entry.value = GatherAxis(x, sources, sources_, entry.axis);
        break;
      case StateRole::kFixed:
        break;
    }
  }
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
