#include "heed/autograd/parameter.h"

#include <algorithm>
#include <utility>

#include "heed/base/errors.h"
#include "heed/kernels/bf16_weights.h"
#include "heed/kernels/elementwise.h"
#include "heed/kernels/gather.h"

namespace heed {

using kernels::Precision;
using kernels::QuantizedMatrix;

namespace {

/// x in `dtype`; not a copy if it is so already.
Tensor Converted(const Tensor& x, DType dtype) {
  if (x.dtype() == dtype) return x;
  const bool rounds = x.dtype() == DType::kF32 && dtype == DType::kBF16;
  const bool widens = x.dtype() == DType::kBF16 && dtype == DType::kF32;
  if (!rounds && !widens) return x.To(dtype);
  Tensor converted(x.shape(), dtype);
  (rounds ? kernels::ToBF16 : kernels::FromBF16)(x, converted);
  return converted;
}

/// Pack() for f32, f64 and bf16.
void PackNumbers(const Tensor& b, bool transpose, Precision precision,
                 kernels::PackedMatrix& packed) {
  if (b.dtype() != DType::kBF16) {
    kernels::Pack(b, transpose, precision, packed);
  } else if (precision == Precision::kInt8) {
    kernels::Pack(Converted(b, DType::kF32), transpose, precision, packed);
  } else {
    kernels::PackBF16(b, transpose, precision, packed);
  }
}

}  // namespace

void Parameter::Changed() {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (Cache& cache : packed_) Forget(cache);
}

void Parameter::Forget(Cache& cache) {
  if (!arranged_only_ || &cache != &arranged()) cache = {};
}

kernels::PackedForms Parameter::FormsToUpdate() {
  const std::lock_guard<std::mutex> lock(mutex_);
  const bool matrix = value_.dtype() == DType::kF32 && value_.rank() >= 2 &&
                      precision_ != Precision::kInt8;
  const auto kept = [this, matrix](Cache& cache) -> kernels::PackedMatrix* {
    const bool used = std::exchange(cache.used, false);
    if (matrix && used && cache.matrix.data.unique()) return &cache.matrix;
    Forget(cache);
    return nullptr;
  };
  return {kept(packed_[0]), kept(packed_[1])};
}

const kernels::PackedMatrix& Parameter::Packed(bool transpose) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  Cache& cache = packed_[transpose ? 1 : 0];
  if (!cache.valid) {
    if (quantized()) {
      kernels::Pack(bytes(), transpose, cache.matrix);
    } else {
      PackNumbers(numbers(), transpose, precision_, cache.matrix);
    }
    cache.valid = true;
  }
  cache.used = true;
  return cache.matrix;
}

QuantizedMatrix Parameter::bytes() const {
  return {arranged_only_ ? kernels::UnpackInt8(arranged().matrix, by_row())
                         : value_,
          scales_, by_row()};
}

std::vector<NamedTensor> Parameter::Tensors() const {
  if (!quantized()) return {{name_, numbers()}};
  kernels::QuantizedMatrix own = bytes();
  std::vector<NamedTensor> tensors = {
      {name_, std::move(own.values)},
      {name_ + kScaleSuffix, std::move(own.scales)}};
  if (activations_.defined()) {
    tensors.push_back({name_ + kActivationsSuffix, activations_});
  }
  return tensors;
}

void Parameter::SetActivations(const Tensor& multipliers) {
  const int64_t columns = by_row() ? value_.dim(0) : value_.dim(-1);
  bool fits = quantized() && multipliers.rank() == 1 &&
              multipliers.dtype() == DType::kF32 && multipliers.numel() > 0 &&
              columns % multipliers.numel() == 0;
  for (int64_t i = 0; fits && i < multipliers.numel(); ++i) {
    fits = multipliers.data<float>()[i] > 0;
  }
  if (!fits) {
    throw ConfigError(
        "parameter '{}' {}: {} multipliers of activations do not fit; they "
        "are numbers above 0 for equal parts of an int8 matrix",
        name_, value_.shape().ToString(), multipliers.numel());
  }
  activations_ = multipliers;
}

void Parameter::FixActivations() {
  if (!quantized() || !multiplied()) return;
  if (!activations_.defined()) {
    throw ConfigError(
        "parameter '{}' has no fixed scale of activations; use --activations "
        "row, or import the model from a file with alphas",
        name_);
  }
  const auto* data = activations_.data<float>();
  const bool equal = std::equal(data + 1, data + activations_.numel(), data);
  packed_[by_row() ? 1 : 0].matrix.left_multipliers =
      equal ? activations_.Slice(0, 1) : activations_;
}

Tensor Parameter::numbers() const {
  return arranged_only_ ? kernels::Unpack(arranged().matrix, by_row()) : value_;
}

bool Parameter::compressible() const {
  return use_ != ParameterUse::kOther && value_.rank() == 2 &&
         dtype() == DType::kF32;
}

bool Parameter::quantizable() const {
  return use_ != ParameterUse::kOther && value_.rank() == 2 &&
         value_.numel() / scale_count() <= kernels::kMaxInt8Sum;
}

int64_t Parameter::scale_count() const {
  return by_row() ? value_.dim(0) : value_.dim(-1);
}

void Parameter::Quantize() {
  if (quantized() || dtype() != DType::kF32 || !quantizable()) return;
  Widen();
  Set(kernels::Quantize(value_, by_row()));
}

Tensor Parameter::RoundedToInt8() const {
  const auto rounded = [&](const Tensor& w) {
    return kernels::Dequantize(kernels::Quantize(w, by_row()));
  };
  // In f32, scale · 127 / 127 may be one bit beside the scale, but not twice.
  return rounded(rounded(value_));
}

void Parameter::Dequantize(Precision precision) {
  if (!compact()) return;
  if (quantized()) {
    value_ = kernels::Dequantize(bytes());
  } else {
    value_ = Converted(numbers(), DType::kF32);
  }
  scales_ = activations_ = Tensor();
  arranged_only_ = rounds_ = false;
  precision_ = precision;
  Changed();
}

void Parameter::Widen() {
  if (quantized() || !compact()) return;
  Dequantize(precision_);
}

void Parameter::Release(Tensor shape) {
  scales_ = activations_ = Tensor();
  arranged_only_ = false;
  value_ = std::move(shape);
  Changed();
}

void Parameter::KeepArranged(int64_t elements) {
  const Cache& cache = arranged();
  arranged_only_ = true;
  value_ = cache.matrix.data.Slice(0, elements).Reshape(value_.shape());
}

void Parameter::Arrange() {
  if (arranged_only_ || quantizes() || !compressible() || !multiplied()) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  Cache& cache = packed_[by_row() ? 1 : 0];
  PackNumbers(value_, by_row(), precision_, cache.matrix);
  cache.valid = true;
  KeepArranged(value_.numel());
}

void Parameter::SetPrecision(Precision precision, bool has_values) {
  if (quantized() && precision != Precision::kInt8) {
    throw ConfigError(
        "parameter '" + name_ +
        "' is stored as int8, which only --dtype int8 computes with");
  }
  const bool packed = arranged_only_ && !quantized();
  if (packed) {
    value_ = numbers();
    arranged_only_ = false;
  }
  precision_ = precision;
  if (precision == Precision::kInt8 && has_values) Quantize();
  Changed();
  if (packed) Arrange();
}

DType Parameter::StoredDType(DType given) const {
  if (compressible() && (rounds_ || given == DType::kBF16)) return DType::kBF16;
  return dtype();
}

void Parameter::StoreInBF16(bool has_values) {
  if (quantized() || !compressible()) return;
  rounds_ = true;
  if (!has_values || value_.dtype() == DType::kBF16) return;
  Widen();
  Take(value_);
}

bool Parameter::quantizes() const {
  return quantized() || (precision_ == Precision::kInt8 &&
                         dtype() == DType::kF32 && quantizable());
}

void Parameter::Set(const Tensor& value) {
  if (quantizes()) {
    Set(kernels::Quantize(Converted(value, DType::kF32), by_row()));
    return;
  }
  if (compact() || StoredDType(value.dtype()) != value_.dtype()) {
    Take(value.Clone());
    return;
  }
  value_.CopyFrom(
      value.dtype() == DType::kBF16 ? Converted(value, value_.dtype()) : value);
  Changed();
}

void Parameter::Take(Tensor value) {
  if (quantizes()) return Set(value);
  const DType stored = StoredDType(value.dtype());
  const bool fits = value.shape() == value_.shape();
  if (!compact() && stored == value_.dtype() &&
      !(fits && value.dtype() == stored && value.contiguous())) {
    return Set(value);
  }
  if (!fits) {
    throw ShapeError("parameter '{}' {}: a value {} does not fit", name_,
                     value_.shape().ToString(), value.shape().ToString());
  }
  arranged_only_ = false;
  if (value.dtype() == stored && value.contiguous()) {
    value_ = std::move(value);
  } else {
    value_ = Converted(value.Contiguous(), stored);
  }
  Changed();
}

void Parameter::Set(const QuantizedMatrix& bytes) {
  if (!quantizable() || bytes.values.shape() != value_.shape() ||
      bytes.scales.numel() != scale_count()) {
    throw ConfigError(
        "parameter '{}' {}: bytes {} with {} scales cannot stand for it", name_,
        value_.shape().ToString(), bytes.values.shape().ToString(),
        bytes.scales.numel());
  }
  scales_ = bytes.scales;
  activations_ = Tensor();
  precision_ = Precision::kInt8;
  arranged_only_ = false;
  Changed();
  if (!multiplied()) {
    value_ = bytes.values;
    return;
  }
  Cache& cache = packed_[by_row() ? 1 : 0];
  kernels::Pack(QuantizedMatrix{bytes.values, bytes.scales, by_row()}, by_row(),
                cache.matrix);
  cache.valid = true;
  KeepArranged(value_.numel());
}

Tensor Parameter::Rows(const Tensor& ids) const {
  if (arranged_only_) return kernels::GatherColumns(arranged().matrix, ids);
  if (quantized()) return kernels::GatherRows(bytes(), ids);
  return Converted(kernels::Gather(value_.Contiguous(), ids), dtype());
}

}  // namespace heed
