#include "heed/convert/families/family.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "heed/convert/huggingface_folder.h"

namespace heed {

std::span<const ModelFamily> ModelFamilies() {
  static constexpr ModelFamily kFamilies[] = {
      {"bert", nullptr, &bert::kFamily},
      {"camembert", nullptr, &roberta::kCamembertFamily},
      {"distilbert", nullptr, &distilbert::kFamily},
      {"gpt2", gpt2::Import},
      {"marian", ImportMarianMt},
      {"opt", opt::Import},
      {"roberta", nullptr, &roberta::kFamily},
      {"xlm-roberta", nullptr, &roberta::kXlmFamily},
  };
  return kFamilies;
}

const ModelFamily& FindFamily(ImportOptions& options) {
  const std::string type = options.Text("model_type", "");
  std::vector<std::string> known;
  for (const ModelFamily& family : ModelFamilies()) {
    if (type == family.type) return family;
    known.emplace_back(family.type);
  }
  options.Fail("model_type",
               fmt::format("Heed does not support '{}' (supported: {})", type,
                           fmt::join(known, ", ")));
}

}  // namespace heed
