#include "heed/explain/observed_inputs.h"

#include <array>
#include <string_view>

namespace heed {
namespace {

/// Name suffixes of the summed parts of an input, with their display names.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4>
    kPartsOfInputs = {{{"", "token"},
                       {".positions", "position"},
                       {".segments", "segment"},
                       {".sum", "sum"}}};

}  // namespace

bool InputWatch::WantsInput(const std::string& name) {
  if (!inputs_ || !name.starts_with(input_)) return false;
  const std::string_view rest = std::string_view(name).substr(input_.size());
  for (const auto& part : kPartsOfInputs) {
    if (part.first == rest) return true;
  }
  return false;
}

Var InputWatch::OnInput(const std::string& name, const Var& x) {
  kept_.emplace_back(name.substr(input_.size()), x.value());
  return x;
}

std::vector<InputVectors> InputWatch::Vectors(int64_t b) const {
  std::vector<InputVectors> vectors;
  for (const auto& part : kPartsOfInputs) {
    for (const auto& kept : kept_) {
      if (kept.first != part.first) continue;
      InputVectors& one = vectors.emplace_back();
      one.name = part.second;
      one.axis = input_;
      const Tensor x = kept.second.To(DType::kF32);  // [B, S, M]
      for (int64_t s = 0; s < x.dim(1); ++s) {
        const float* row = x.row<float>(b * x.dim(1) + s);
        one.rows.emplace_back(row, row + x.dim(2));
      }
      break;
    }
  }
  return vectors;
}

}  // namespace heed
