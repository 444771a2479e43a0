#include "heed/autograd/parameter.h"

#include <utility>

#include "heed/base/errors.h"
#include "heed/kernels/gather.h"

namespace heed {

using kernels::Precision;
using kernels::QuantizedMatrix;

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
      kernels::Pack(value_, transpose, precision_, cache.matrix);
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

bool Parameter::quantizable() const {
  return use_ != ParameterUse::kOther && value_.rank() == 2 &&
         value_.numel() / scale_count() <= kernels::kMaxInt8Sum;
}

int64_t Parameter::scale_count() const {
  return by_row() ? value_.dim(0) : value_.dim(-1);
}

void Parameter::Quantize() {
  if (quantized() || value_.dtype() != DType::kF32 || !quantizable()) return;
  Set(kernels::Quantize(value_, by_row()));
}

void Parameter::Dequantize(Precision precision) {
  if (!quantized()) return;
  value_ = kernels::Dequantize(bytes());
  scales_ = Tensor();
  arranged_only_ = false;
  precision_ = precision;
  Changed();
}

void Parameter::SetPrecision(Precision precision, bool has_values) {
  if (quantized() && precision != Precision::kInt8) {
    throw ConfigError(
        "parameter '" + name_ +
        "' is stored as int8, which only --dtype int8 computes with");
  }
  precision_ = precision;
  if (precision == Precision::kInt8 && has_values) Quantize();
  Changed();
}

bool Parameter::quantizes() const {
  return quantized() || (precision_ == Precision::kInt8 &&
                         value_.dtype() == DType::kF32 && quantizable());
}

void Parameter::Set(const Tensor& value) {
  if (quantizes()) {
    Set(kernels::Quantize(value, by_row()));
    return;
  }
  value_.CopyFrom(value);
  Changed();
}

void Parameter::Take(Tensor value) {
  const bool fits = value.shape() == value_.shape() &&
                    value.dtype() == value_.dtype() && value.contiguous();
  if (quantizes() || !fits) return Set(value);
  value_ = std::move(value);
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
  arranged_only_ = true;
  value_ = cache.matrix.data.Slice(0, value_.numel()).Reshape(value_.shape());
}

Tensor Parameter::Rows(const Tensor& ids) const {
  if (!quantized()) return kernels::Gather(value_.Contiguous(), ids);
  return arranged_only_ ? kernels::GatherColumns(arranged().matrix, ids)
                        : kernels::GatherRows(bytes(), ids);
}

}  // namespace heed
