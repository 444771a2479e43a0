#include "heed/convert/families/family.h"

#include "heed/convert/huggingface_folder.h"

namespace heed {

std::span<const ModelFamily> ModelFamilies() {
  static constexpr ModelFamily kFamilies[] = {
      {"bert", ImportBert},
      {"gpt2", ImportGpt2},
      {"marian", ImportMarianMt},
      {"opt", ImportOpt},
  };
  return kFamilies;
}

}  // namespace heed
