#include "heed/autograd/parameter.h"

#include "heed/base/errors.h"
#include "heed/kernels/gather.h"

namespace heed {

using kernels::Precision;
using kernels::QuantizedMatrix;

void Parameter::Changed() {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (Cache& cache : packed_) cache = {};
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
  return cache.matrix;
}

QuantizedMatrix Parameter::bytes() const {
  return {value_, scales_, use_ == ParameterUse::kTable};
}

bool Parameter::quantizable() const {
  return use_ != ParameterUse::kOther && value_.rank() == 2 &&
         value_.numel() / scale_count() <= kernels::kMaxInt8Sum;
}

int64_t Parameter::scale_count() const {
  return use_ == ParameterUse::kTable ? value_.dim(0) : value_.dim(-1);
}

void Parameter::Quantize() {
  if (quantized() || value_.dtype() != DType::kF32 || !quantizable()) return;
  Set(kernels::Quantize(value_, use_ == ParameterUse::kTable));
}

void Parameter::SetPrecision(Precision precision) {
  if (quantized() && precision != Precision::kInt8) {
    throw ConfigError(
        "parameter '" + name_ +
        "' is stored as int8, which only --dtype int8 computes with");
  }
  precision_ = precision;
  if (precision == Precision::kInt8) Quantize();
  Changed();
}

void Parameter::Set(const Tensor& value) {
  if (quantized()) {
    Set(kernels::Quantize(value, use_ == ParameterUse::kTable));
    return;
  }
  value_.CopyFrom(value);
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
  value_ = bytes.values;
  scales_ = bytes.scales;
  precision_ = Precision::kInt8;
  Changed();
}

Tensor Parameter::Rows(const Tensor& ids) const {
  return quantized() ? kernels::GatherRows(bytes(), ids)
                     : kernels::Gather(value_.Contiguous(), ids);
}

}  // namespace heed
