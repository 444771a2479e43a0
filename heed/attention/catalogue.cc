#include "heed/attention/catalogue.h"

#include <fmt/format.h>

#include "heed/attention/attention.h"

namespace heed {
namespace {

template <class Info>
std::string Usage(const Info& info) {
  std::string numbers;
  for (const PartArgument& argument : info.arguments) {
    numbers += fmt::format("{}{} = {}", numbers.empty() ? "" : ", ",
                           argument.name, argument.initial);
  }
  return numbers.empty() ? info.name
                         : fmt::format("{}({})", info.name, numbers);
}

/// How an attention with `part` runs if all its other parts are fused.
template <class Part>
std::string RunsAs(const Part& part) {
  if (!part.fused()) return "composed";
  if constexpr (requires { part.uses_history(); }) {
    if (part.uses_history()) return "fused, trains composed";
  }
  return "fused";
}

template <class Part>
void Append(const char* kind, const std::vector<PartInfo<Part>>& infos,
            std::vector<CataloguePart>& parts) {
  AttentionSizes sizes;
  sizes.query = sizes.key = sizes.units = sizes.positions = 2;
  for (const PartInfo<Part>& info : infos) {
    ParameterSet set(1, DType::kF32, kernels::Precision::kNative);
    const Choice<Part> choice = ChoosePart<Part>(kind, infos, info.name);
    const auto part = choice.Make(Scope(set, info.name), sizes);
    parts.push_back({kind, info.name, Usage(info), info.formula, RunsAs(*part),
                     info.source});
  }
}

}  // namespace

const std::vector<CataloguePart>& AttentionCatalogue() {
  static const std::vector<CataloguePart> catalogue = [] {
    std::vector<CataloguePart> parts;
    Append("score", Scores(), parts);
    Append("modifier", Modifiers(), parts);
    for (const MaskInfo& info : Masks()) {
      parts.push_back(
          {"mask", info.name, Usage(info), info.formula, "fused", info.source});
    }
    Append("normalizer", Normalizers(), parts);
    return parts;
  }();
  return catalogue;
}

}  // namespace heed
