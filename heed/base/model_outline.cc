#include "heed/base/model_outline.h"

#include <utility>

namespace heed {

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
