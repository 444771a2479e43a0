#include "heed/convert/source_weights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "heed/base/errors.h"

namespace heed {
namespace {

/// True if the shapes are equal without dimensions of size 1.
bool SameButOnes(const Shape& a, const Shape& b) {
  const auto without_ones = [](const Shape& shape) {
    std::vector<int64_t> dims;
    for (int axis = 0; axis < shape.rank(); ++axis) {
      if (shape[axis] != 1) dims.push_back(shape[axis]);
    }
    return dims;
  };
  return without_ones(a) == without_ones(b);
}

bool IsFloat(DType dtype) {
  return dtype == DType::kF32 || dtype == DType::kF64 || dtype == DType::kBF16;
}

}  // namespace

SourceWeights::SourceWeights(std::vector<NamedTensor> tensors, std::string file)
    : file_(std::move(file)) {
  for (NamedTensor& tensor : tensors) {
    elements_ += tensor.value.numel();
    const std::string name = tensor.name;
    if (!tensors_.emplace(name, std::move(tensor.value)).second) {
      Fail(name, "is there twice");
    }
  }
}

void SourceWeights::Fail(const std::string& name,
                         const std::string& problem) const {
  throw FormatError("{}: tensor '{}' {}", file_, name, problem);
}

const Tensor* SourceWeights::Find(const std::string& name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : &found->second;
}

Tensor SourceWeights::Take(const std::string& name, const Shape& shape) {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) Fail(name, "is missing");
  Tensor tensor = std::move(found->second);
  tensors_.erase(found);
  if (!IsFloat(tensor.dtype())) {
    Fail(name, fmt::format("has elements {}, not numbers with a fraction",
                           Name(tensor.dtype())));
  }
  if (!SameButOnes(tensor.shape(), shape)) {
    Fail(name, fmt::format("has shape {}, not {}", tensor.shape().ToString(),
                           shape.ToString()));
  }
  if (tensor.dtype() != DType::kF32) tensor = tensor.To(DType::kF32);
  return tensor.Contiguous().Reshape(shape);
}

void SourceWeights::SkipAll(std::string_view prefix) {
  std::erase_if(tensors_, [&](const auto& tensor) {
    return tensor.first.starts_with(prefix);
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
    if (names.size() < kShown) names.push_back("'" + name + "'");
  }
  throw FormatError("{}: {} tensor{} that Heed does not understand: {}{}",
                    file_, tensors_.size(), tensors_.size() == 1 ? "" : "s",
                    fmt::join(names, ", "),
                    tensors_.size() > kShown ? ", ..." : "");
}

}  // namespace heed
