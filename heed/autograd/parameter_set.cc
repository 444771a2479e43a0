#include "heed/autograd/parameter_set.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/tensor/pool.h"

namespace heed {
namespace {

/// Suffix of the name of a quantised value's scales in a file.

/// Orthonormal rows of a [rows, cols] matrix, rows <= cols, by Gram-Schmidt on
/// normal samples (twice, against rounding).
void MakeRowsOrthonormal(std::vector<double>& m, int64_t rows, int64_t cols) {
  for (int64_t i = 0; i < rows; ++i) {
    double* row = m.data() + i * cols;
    for (int pass = 0; pass < 2; ++pass) {
      for (int64_t j = 0; j < i; ++j) {
        const double* other = m.data() + j * cols;
        double dot = 0;
        for (int64_t c = 0; c < cols; ++c) dot += row[c] * other[c];
        for (int64_t c = 0; c < cols; ++c) row[c] -= dot * other[c];
      }
    }
    double norm = 0;
    for (int64_t c = 0; c < cols; ++c) norm += row[c] * row[c];
    norm = std::sqrt(norm);
    for (int64_t c = 0; c < cols; ++c) row[c] /= norm;
  }
}

/// Orthogonal matrix; square blocks side by side (the gates of a recurrence)
/// are made orthogonal one by one.
std::vector<double> Orthogonal(int64_t rows, int64_t cols, double scale,
                               Rng& rng) {
  std::vector<double> result(static_cast<size_t>(rows * cols));
  const int64_t width = cols % rows == 0 ? rows : cols;
  for (int64_t first = 0; first < cols; first += width) {
    const bool wide = width >= rows;
    const int64_t r = wide ? rows : width;
    const int64_t c = wide ? width : rows;
    std::vector<double> block(static_cast<size_t>(r * c));
    for (double& x : block) x = rng.Normal();
    MakeRowsOrthonormal(block, r, c);
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < width; ++j) {
        At(result, i * cols + first + j) =
            scale * At(block, wide ? i * c + j : j * c + i);
      }
    }
  }
  return result;
}

double InitialValue(const Init& init, double glorot, Rng& rng) {
  switch (init.kind) {
    case Init::Kind::kUniform:
      return rng.Uniform(-init.scale, init.scale);
    case Init::Kind::kNormal:
      return init.scale * rng.Normal();
    case Init::Kind::kGlorot:
      return rng.Uniform(-glorot, glorot);
    case Init::Kind::kConstant:
    case Init::Kind::kOrthogonal:
      break;
  }
  return init.scale;
}

/// Initial values, drawn in f64 and rounded to `dtype` in parts.
Tensor Initial(const Shape& shape, Init init, DType dtype, Rng& rng) {
  const int64_t cols = shape.rank() == 0 ? 1 : shape[-1];
  const int64_t rows = cols == 0 ? 0 : shape.numel() / cols;
  if (init.kind == Init::Kind::kOrthogonal && rows > 0) {
    return Tensor::Of(Orthogonal(rows, cols, init.scale, rng), shape).To(dtype);
  }
  const double glorot =
      init.scale *
      std::sqrt(6.0 / static_cast<double>(std::max<int64_t>(1, rows + cols)));
  constexpr int64_t kPart = 4096;
  Tensor result({shape.numel()}, dtype);
  for (int64_t begin = 0; begin < result.numel(); begin += kPart) {
    const int64_t end = std::min(begin + kPart, result.numel());
    Tensor part({end - begin}, DType::kF64);
    for (int64_t i = 0; i < part.numel(); ++i) {
      part.data<double>()[i] = InitialValue(init, glorot, rng);
    }
    result.Slice(begin, end).CopyFrom(part.To(dtype));
  }
  return result.Reshape(shape);
}

/// Tensor of a file for a parameter that is saved as numbers.
const Tensor& NumbersFor(const Parameter& p,
                         std::span<const NamedTensor> tensors,
                         const std::string& file) {
  const bool bf16 = p.compressible() &&
                    FindTensor(tensors, p.name(), file).dtype() == DType::kBF16;
  return FindTensor(tensors, p.name(), p.value().shape(),
                    bf16 ? DType::kBF16 : p.dtype(), file);
}

/// Sets int8 values from a file; false if the file has numbers for the
/// parameter.
bool SetBytes(Parameter& p, std::span<const NamedTensor> tensors,
              const std::string& file) {
  if (!p.quantizable() ||
      FindTensor(tensors, p.name(), file).dtype() != DType::kI8) {
    return false;
  }
  p.Set({FindTensor(tensors, p.name(), p.value().shape(), DType::kI8, file),
         FindTensor(tensors, p.name() + kScaleSuffix, {p.scale_count()},
                    DType::kF32, file)});
  const auto activations = std::ranges::find(
      tensors, p.name() + kActivationsSuffix, &NamedTensor::name);
  if (activations != tensors.end()) p.SetActivations(activations->value);
  return true;
}

}  // namespace

Parameter& ParameterSet::Add(const std::string& name, const Shape& shape,
                             Init init, ParameterUse use) {
  if (Find(name) != nullptr) {
    throw ConfigError("parameter '" + name + "' is defined twice");
  }
  if (shape.numel() == 0) {
    throw ConfigError("parameter '{}' {} has no elements; choose sizes above 0",
                      name, shape.ToString());
  }
  // Value, gradient and two moments of an optimiser.
  const auto needed = static_cast<double>(elements() + shape.numel()) * 4 *
                      static_cast<double>(SizeOf(dtype_));
  const auto present = static_cast<double>(pool::PhysicalMemory());
  if (needed > present) {
    throw ConfigError(
        "the model is too large: training needs more than {:.0f} "
        "GiB and this machine "
        "has {:.0f} GiB; choose fewer units, layers or tokens in "
        "the vocabularies",
        needed / 0x1p30, present / 0x1p30);
  }
  Tensor value = rng_.seed() == kNoSeed ? Tensor(shape, dtype_)
                                        : Initial(shape, init, dtype_, rng_);
  all_.push_back(
      std::make_unique<Parameter>(name, std::move(value), precision_, use));
  return *all_.back();
}

void ParameterSet::SetPrecision(kernels::Precision precision) {
  precision_ = precision;
  for (const auto& parameter : all_) {
    parameter->SetPrecision(precision, has_values_);
  }
  pool::Trim();  // frees the memory of the numbers
}

bool ParameterSet::Dequantize() {
  bool any = false;
  for (const auto& parameter : all_) {
    any |= parameter->quantized();
    parameter->Dequantize(precision_);
  }
  return any;
}

void ParameterSet::StoreInBF16() {
  for (const auto& parameter : all_) parameter->StoreInBF16(has_values_);
  pool::Trim();  // frees the memory of the numbers
}

void ParameterSet::Widen() {
  for (const auto& parameter : all_) parameter->Widen();
}

void ParameterSet::Arrange() {
  for (const auto& parameter : all_) parameter->Arrange();
  pool::Trim();  // frees the unpacked copies
}

void ParameterSet::FixActivations() {
  if (std::ranges::none_of(
          all_, &Parameter::quantized,
          [](const auto& p) -> const Parameter& { return *p; })) {
    throw ConfigError(
        "--activations fixed: the model is not in int8; it needs one that was "
        "imported with alphas");
  }
  for (const auto& parameter : all_) parameter->FixActivations();
}

std::vector<NamedTensor> ParameterSet::Tensors() const {
  std::vector<NamedTensor> tensors;
  for (const auto& p : all_) {
    std::ranges::move(p->Tensors(), std::back_inserter(tensors));
  }
  return tensors;
}

void ParameterSet::SetTensors(std::span<const NamedTensor> tensors,
                              const std::string& file) {
  for (const auto& p : all_) {
    if (!SetBytes(*p, tensors, file)) p->Set(NumbersFor(*p, tensors, file));
  }
  EndOfReading();
}

void ParameterSet::TakeTensors(std::vector<NamedTensor> tensors,
                               const std::string& file) {
  for (const auto& p : all_) {
    if (!SetBytes(*p, tensors, file)) p->Take(NumbersFor(*p, tensors, file));
    for (NamedTensor& tensor : tensors) {
      if (tensor.name == p->name()) tensor.value = Tensor();
    }
  }
  EndOfReading();
}

void ParameterSet::EndOfReading() {
  has_values_ = true;
  pool::Trim();  // frees numbers that were replaced by int8
}

Parameter* ParameterSet::Find(const std::string& name) const {
  for (const auto& parameter : all_) {
    if (parameter->name() == name) return parameter.get();
  }
  return nullptr;
}

int64_t ParameterSet::elements() const {
  int64_t sum = 0;
  for (const auto& parameter : all_) sum += parameter->value().numel();
  return sum;
}

}  // namespace heed
