#include "heed/convert/families/family.h"

#include "heed/convert/huggingface_folder.h"

namespace heed {

std::span<const ModelFamily> ModelFamilies() {
  static constexpr ModelFamily kFamilies[] = {
      {"bert", ImportBert},
      {"gpt2", gpt2::Import},
      {"marian", ImportMarianMt},
      {"opt", opt::Import},
  };
  return kFamilies;
}

}  // namespace heed
