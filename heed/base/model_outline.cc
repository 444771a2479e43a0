#include "heed/base/model_outline.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace heed {
namespace {

OutlineStep StepOf(const OutlinePart& part) {
  OutlineStep step;
  step.result = part.result;
  step.features = part.features;
  if (part.kind == OutlinePart::Kind::kSource) {
    step.role = OutlineStep::Role::kAttention;
  } else if (part.result == "yᵢ") {
    step.role = OutlineStep::Role::kOutput;
  }
  std::string_view rest = part.formula;
  for (size_t open = rest.find('{'); open != std::string_view::npos;
       open = rest.find('{')) {
    const size_t close = rest.find('}');
    step.reads.emplace_back(rest.substr(open + 1, close - open - 1));
    step.formula += rest.substr(0, open);
    step.formula += step.reads.back();
    rest.remove_prefix(close + 1);
  }
  step.formula += rest;
  return step;
}

}  // namespace

std::vector<OutlineStep> ModelOutline::Steps() const {
  std::vector<OutlineStep> steps;
  for (const OutlineSequence& sequence : sequences) {
    for (const OutlineBlock& block : sequence.blocks) {
      for (const OutlinePart& part : block.parts) {
        // Two sequences may share a formula.
        const bool known =
            std::ranges::find(steps, part.result, &OutlineStep::result) !=
            steps.end();
        if (!part.formula.empty() && !known) steps.push_back(StepOf(part));
      }
    }
  }
  return steps;
}

std::vector<OutlineBlock> WithBlock(std::vector<OutlineBlock> blocks,
                                    OutlineBlock top) {
  blocks.push_back(std::move(top));
  return blocks;
}

std::vector<OutlineBlock> OnBlock(OutlineBlock bottom,
                                  std::vector<OutlineBlock> blocks) {
  blocks.insert(blocks.begin(), std::move(bottom));
  return blocks;
}

std::vector<OutlineBlock> UnknownOutline(const std::string& name,
                                         int64_t features) {
  return {{{{OutlinePart::Kind::kWhole, name, features, {}}}, 1}};
}

}  // namespace heed
