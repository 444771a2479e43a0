#include "heed/convert/layout.h"

#include <algorithm>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"

namespace heed {
namespace {

/// Copies a matrix transposed, in blocks of rows that stay in the cache.
/// Shapes: x [R, C], result [C, R].
template <typename T>
void CopyTransposedOf(const Tensor& x, Tensor& result) {
  constexpr int64_t kBlock = 32;
  for (int64_t r = 0; r < x.dim(0); r += kBlock) {
    const int64_t row_end = std::min(r + kBlock, x.dim(0));
    for (int64_t c = 0; c < x.dim(1); ++c) {
      T* to = result.row<T>(c);
      for (int64_t i = r; i < row_end; ++i) to[i] = x.row<T>(i)[c];
    }
  }
}

/// CopyTransposedOf for f32 or bf16. Equal dtypes.
void CopyTransposed(const Tensor& x, Tensor& result) {
  if (x.dtype() == DType::kBF16) {
    CopyTransposedOf<bfloat16>(x, result);
  } else {
    CopyTransposedOf<float>(x, result);
  }
}

}  // namespace

std::string NameOfPart(std::string pattern, const char* what) {
  pattern.replace(pattern.find('*'), 1, what);
  return pattern;
}

Tensor Transposed(const Tensor& x) {
  Tensor result({x.dim(1), x.dim(0)}, x.dtype());
  CopyTransposed(x, result);
  return result;
}

Tensor TakeRows(const Tensor& table, std::span<const int32_t> rows) {
  Shape shape = table.shape();
  shape.Set(0, std::ssize(rows));
  Tensor result = Tensor::Zeros(shape, table.dtype());
  for (int64_t i = 0; i < result.dim(0); ++i) {
    const int32_t row = At(rows, i);
    if (row < 0) continue;
    result.Slice(i, i + 1).CopyFrom(table.Slice(row, row + 1));
  }
  return result;
}

WeightReader::WeightReader(SourceWeights& from, ParameterSet& to)
    : from_(from), to_(to) {
  // Parameters are converted one by one as they are filled.
  const WeightStorage& storage = from.storage();
  if (storage.dtype == RunFormat::kBF16) to.StoreInBF16();
  if (storage.dtype == RunFormat::kInt8) {
    to.SetPrecision(kernels::Precision::kInt8);
  }
  if (storage.writer != nullptr) storage.writer->Begin(to);
}

Parameter& WeightReader::Find(const std::string& ours) const {
  Parameter* parameter = to_.Find(ours);
  if (parameter == nullptr) {
    throw FormatError("{}: the model has no parameter '{}'", from_.file(),
                      ours);
  }
  return *parameter;
}

const Shape& WeightReader::ShapeOf(const std::string& ours) const {
  return Find(ours).value().shape();
}

void WeightReader::Set(const std::string& ours, Tensor value) {
  Parameter& parameter = Find(ours);
  Fill(parameter, value.unique() ? std::move(value) : value.Clone());
}

void WeightReader::Fill(Parameter& parameter, Tensor value) {
  read_.insert(parameter.name());
  Tensor untouched = parameter.value();
  parameter.Take(std::move(value));
  WeightsWriter* const writer = from_.storage().writer;
  if (writer == nullptr) return;
  writer->Add(parameter);
  parameter.Release(std::move(untouched));
}

void WeightReader::Scale(const std::string& ours, float factor) {
  Parameter& parameter = Find(ours);
  Tensor& value = parameter.mutable_value();
  for (int64_t i = 0; i < value.numel(); ++i) value.data<float>()[i] *= factor;
  parameter.Changed();
}

void WeightReader::CopyAll(const std::string& from, const std::string& to) {
  for (const auto& parameter : to_.all()) {
    const std::string& name = parameter->name();
    if (!name.starts_with(from)) continue;
    Set(to + name.substr(from.size()), parameter->value());
  }
}

void WeightReader::Read(std::span<const Part> parts, const Layout& layout) {
  for (const Part& part : parts) {
    if (part.kind == Part::Kind::kNorm) {
      const Shape shape = ShapeOf(part.ours + ".gain");
      const std::string& name = part.theirs[0];
      Set(part.ours + ".gain",
          from_.Take(NameOfPart(name, layout.gain), shape));
      Set(part.ours + ".bias",
          from_.Take(NameOfPart(name, layout.norm_bias), shape));
      continue;
    }
    ReadLinear(part, layout);
  }
}

void WeightReader::ReadLinear(const Part& part, const Layout& layout) {
  ReadMatrices(part, layout);
  Parameter* bias = to_.Find(part.ours + ".bias");
  if (bias == nullptr) return;
  Tensor biases(bias->value().shape());
  const int64_t out = biases.numel() / std::ssize(part.theirs);
  int64_t begin = 0;
  for (const std::string& name : part.theirs) {
    biases.Slice(begin, begin + out)
        .CopyFrom(from_.Take(NameOfPart(name, layout.weight_bias), {out}));
    begin += out;
  }
  Fill(*bias, std::move(biases));
}

void WeightReader::ReadMatrices(const Part& part, const Layout& layout) {
  Parameter& weight = Find(part.ours + ".weight");
  const Shape shape = weight.value().shape();
  const int64_t in = shape[0];
  const int64_t out = shape[1] / std::ssize(part.theirs);
  std::vector<StoredMatrix> all;
  for (const std::string& name : part.theirs) {
    all.push_back(
        from_.TakeMatrix(NameOfPart(name, layout.weight),
                         layout.transposed ? Shape{out, in} : Shape{in, out}));
  }
  if (std::ranges::all_of(all, &StoredMatrix::quantized) &&
      !layout.transposed) {
    FillBytes(weight, all);
    ReadActivations(part, layout);
    return;
  }
  Tensor joined;
  int64_t begin = 0;
  for (const StoredMatrix& one : all) {
    Tensor theirs = one.Numbers();
    if (!joined.defined()) joined = Tensor(shape, theirs.dtype());
    if (joined.dtype() != theirs.dtype()) {
      joined = joined.To(DType::kF32);
      theirs = theirs.To(DType::kF32);
    }
    Tensor ours = joined.Columns(begin, begin + out);
    if (layout.transposed) {
      CopyTransposed(theirs, ours);
    } else {
      ours.CopyFrom(theirs);
    }
    begin += out;
  }
  Fill(weight, std::move(joined));
}

/// Fills a matrix with the columns of int8 matrices, whose bytes stay.
void WeightReader::FillBytes(Parameter& parameter,
                             std::span<const StoredMatrix> matrices) {
  const Shape shape = parameter.value().shape();
  kernels::QuantizedMatrix bytes = {Tensor(shape, DType::kI8),
                                    Tensor({shape[1]}), false};
  int64_t begin = 0;
  for (const StoredMatrix& one : matrices) {
    const int64_t end = begin + one.values.cols();
    bytes.values.Columns(begin, end).CopyFrom(one.values);
    bytes.scales.Slice(begin, end).Fill(one.scale);
    begin = end;
  }
  read_.insert(parameter.name());
  parameter.Set(bytes);
}

void WeightReader::ReadActivations(const Part& part, const Layout& layout) {
  if (layout.activations == nullptr) return;
  std::vector<float> multipliers;
  for (const std::string& name : part.theirs) {
    multipliers.push_back(from_.TakeMultiplier(NameOfPart(name, layout.weight) +
                                               layout.activations));
  }
  Find(part.ours + ".weight")
      .SetActivations(Tensor::Of(multipliers, {std::ssize(multipliers)}));
}

void WeightReader::SetTable(const std::string& ours, const StoredMatrix& table,
                            std::span<const int32_t> rows) {
  if (!table.quantized()) return Set(ours, TakeRows(table.values, rows));
  Parameter& parameter = Find(ours);
  read_.insert(ours);
  parameter.Set({TakeRows(table.values, rows),
                 Tensor::Full({std::ssize(rows)}, table.scale), true});
}

void WeightReader::SetActivations(const std::string& ours,
                                  const Tensor& multipliers) {
  Find(ours).SetActivations(multipliers);
}

std::vector<std::string> WeightReader::Unread() const {
  std::vector<std::string> names;
  for (const auto& parameter : to_.all()) {
    if (!read_.contains(parameter->name())) names.push_back(parameter->name());
  }
  return names;
}

void WeightReader::CheckComplete() const {
  from_.CheckAllTaken();
  for (const std::string& name : Unread()) {
    throw FormatError("{}: holds nothing for '{}'", from_.file(), name);
  }
}

std::vector<NamedTensor> WriteParts(const ParameterSet& from,
                                    std::span<const Part> parts,
                                    const Layout& layout) {
  std::vector<NamedTensor> tensors;
  const auto value = [&from](const std::string& ours) -> const Tensor& {
    const Parameter* parameter = from.Find(ours);
    if (parameter == nullptr) {
      throw ConfigError("the model has no parameter '{}' to export", ours);
    }
    return parameter->value();
  };
  for (const Part& part : parts) {
    const bool norm = part.kind == Part::Kind::kNorm;
    const Tensor& weight = value(part.ours + (norm ? ".gain" : ".weight"));
    const Tensor& bias = value(part.ours + ".bias");
    const int64_t out = weight.cols() / std::ssize(part.theirs);
    int64_t begin = 0;
    for (const std::string& name : part.theirs) {
      const Tensor own_bias = bias.Slice(begin, begin + out);
      if (norm) {
        tensors.push_back({NameOfPart(name, layout.gain), weight});
        tensors.push_back({NameOfPart(name, layout.norm_bias), own_bias});
      } else {
        const Tensor own = weight.Columns(begin, begin + out).Contiguous();
        tensors.push_back({NameOfPart(name, layout.weight),
                           layout.transposed ? Transposed(own) : own});
        tensors.push_back({NameOfPart(name, layout.weight_bias), own_bias});
      }
      begin += out;
    }
  }
  return tensors;
}

}  // namespace heed
