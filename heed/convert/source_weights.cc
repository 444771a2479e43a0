#include "heed/convert/source_weights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "heed/base/errors.h"
#include "heed/kernels/quantize.h"
#include "heed/train/model_folder.h"

namespace heed {
namespace {

std::vector<int64_t> WithoutOnes(const Shape& shape) {
  std::vector<int64_t> dims;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] != 1) dims.push_back(shape[axis]);
  }
  return dims;
}

bool IsFloat(DType dtype) {
  return dtype == DType::kF32 || dtype == DType::kF64 || dtype == DType::kBF16;
}

/// Start of a name that is short enough for a message.
std::string StartOf(const std::string& name) {
  constexpr size_t kShownBytes = 200;
  return name.substr(0, kShownBytes);
}

[[noreturn]] void Fail(const std::string& file, const std::string& name,
                       const std::string& problem) {
  throw FormatError("{}: tensor '{}' {}", file, StartOf(name), problem);
}

/// Checks a stored shape. Dimensions of size 1 do not matter.
void CheckShape(const std::string& name, const SourceTensor& tensor,
                const Shape& shape) {
  const std::vector<int64_t> stored = WithoutOnes(tensor.shape);
  const std::vector<int64_t> wanted = WithoutOnes(shape);
  if (stored == wanted) return;
  const bool turned =
      stored.size() == 2 &&
      std::equal(stored.begin(), stored.end(), wanted.rbegin(), wanted.rend());
  Fail(tensor.file, name,
       fmt::format("has shape {}, not {}{}", tensor.shape.ToString(),
                   shape.ToString(), turned ? " (it is transposed)" : ""));
}

/// Names the first row with NaN or infinity. `tensor`: dense f32 or bf16.
[[noreturn]] void FailNotFinite(const std::string& file,
                                const std::string& name, const Tensor& tensor) {
  const Tensor value = tensor.To(DType::kF32);
  const float* data = value.data<float>();
  const float* found = std::find_if(data, data + value.numel(),
                                    [](float x) { return !std::isfinite(x); });
  Fail(file, name,
       fmt::format("holds NaN or infinity, first in row {}; train or copy it "
                   "again",
                   (found - data) / value.cols()));
}

}  // namespace

Tensor StoredMatrix::Numbers() const {
  if (!quantized()) return values;
  return kernels::Dequantize(
      {values, Tensor::Full({values.cols()}, scale), false});
}

SourceWeights::SourceWeights(std::string file) : file_(std::move(file)) {}

SourceWeights::SourceWeights(std::vector<NamedTensor> tensors, std::string file)
    : file_(std::move(file)) {
  for (NamedTensor& tensor : tensors) {
    const Shape shape = tensor.value.shape();
    Add(tensor.name,
        {.shape = shape,
         .file = file_,
         .read = [value = std::move(tensor.value)] { return value; }});
  }
}

void SourceWeights::Add(const std::string& name, SourceTensor tensor) {
  const auto found = tensors_.find(name);
  if (found != tensors_.end()) {
    const std::string& first = found->second.file;
    Fail(tensor.file, name,
         first == tensor.file ? "is there twice"
                              : fmt::format("is also in {}", first));
  }
  elements_ += tensor.shape.numel();
  const bool numbers =
      tensor.dtype.find('F') != std::string::npos || tensor.scale > 0;
  if (tensor.shape.rank() == 2 && numbers) {
    matrix_dtypes_.insert(tensor.dtype);
  }
  tensors_.emplace(name, std::move(tensor));
}

bool SourceWeights::HasAnyEnding(std::string_view suffix) const {
  return std::ranges::any_of(tensors_, [&](const auto& tensor) {
    return tensor.first.ends_with(suffix);
  });
}

const Shape* SourceWeights::FindShape(const std::string& name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : &found->second.shape;
}

Tensor SourceWeights::Take(const std::string& name, const Shape& shape) {
  const Tensor stored = TakeStored(name, shape);
  return stored.dtype() == DType::kF32 ? stored : stored.To(DType::kF32);
}

float SourceWeights::TakeMultiplier(const std::string& name) {
  const auto multiplier = static_cast<float>(Take(name, {1}).item());
  if (!(multiplier > 0)) {
    Fail(file_, name, fmt::format("is {}, not above 0", multiplier));
  }
  return multiplier;
}

StoredMatrix SourceWeights::TakeMatrix(const std::string& name,
                                       const Shape& shape) {
  const auto found = tensors_.find(name);
  const bool keeps =
      storage_.dtype.open() || storage_.dtype == RunFormat::kInt8;
  if (found == tensors_.end() || found->second.scale == 0 || !keeps) {
    return {TakeStored(name, shape)};
  }
  const SourceTensor source = std::move(found->second);
  tensors_.erase(found);
  CheckShape(name, source, shape);
  return {source.read().Reshape(shape), source.scale};
}

Tensor SourceWeights::TakeStored(const std::string& name, const Shape& shape) {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) Fail(file_, name, "is missing");
  const SourceTensor source = std::move(found->second);
  tensors_.erase(found);
  CheckShape(name, source, shape);
  Tensor tensor = source.read();
  if (source.scale > 0) {
    tensor = StoredMatrix{std::move(tensor), source.scale}.Numbers();
  }
  if (!IsFloat(tensor.dtype())) {
    Fail(source.file, name,
         fmt::format("has elements {}, not numbers with a fraction",
                     Name(tensor.dtype())));
  }
  const bool keeps =
      tensor.dtype() == DType::kBF16 && !(storage_.dtype == RunFormat::kF32);
  if (tensor.dtype() != DType::kF32 && !keeps) tensor = tensor.To(DType::kF32);
  tensor = tensor.Contiguous();
  if (!IsFinite(tensor)) FailNotFinite(source.file, name, tensor);
  return tensor.Reshape(shape);
}

void SourceWeights::SkipAll(std::string_view prefix) {
  std::erase_if(tensors_, [&](const auto& tensor) {
    return tensor.first.starts_with(prefix);
  });
}

void SourceWeights::SkipAllEnding(std::string_view suffix) {
  std::erase_if(tensors_, [&](const auto& tensor) {
    return tensor.first.ends_with(suffix);
  });
}

void SourceWeights::CheckCount(double weights) const {
  // Sinusoidal positions are not stored, and shared tables are stored once.
  constexpr double kMaxForOne = 4;
  if (weights > kMaxForOne * static_cast<double>(elements_) + 1e6) {
    throw FormatError(
        "{}: the configuration describes a model of {:.0f} "
        "weights, but there are {}",
        file_, weights, elements_);
  }
}

void SourceWeights::CheckAllTaken() const {
  if (tensors_.empty()) return;
  constexpr size_t kShown = 8;
  std::vector<std::string> names;
  for (const auto& [name, tensor] : tensors_) {
    if (names.size() < kShown) names.push_back("'" + StartOf(name) + "'");
  }
  throw FormatError("{}: {} tensor{} that Heed does not understand: {}{}",
                    file_, tensors_.size(), tensors_.size() == 1 ? "" : "s",
                    fmt::join(names, ", "),
                    tensors_.size() > kShown ? ", ..." : "");
}

}  // namespace heed
