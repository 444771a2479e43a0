// Binary models and shortlists of Marian.
#include "heed/io/marian_binary.h"
#include "heed/io/marian_shortlist.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace heed;
  static const fuzz::Folder folder;
  const std::string path =
      folder.Put("model.bin", std::string(fuzz::Bytes(data, size)));
  fuzz::MayRefuse([&] {
    for (const MarianTensor& array : ReadMarianBinary(path)) {
      fuzz::Require(array.value.numel() >= 0, "size");
    }
  });
  fuzz::MayRefuse([&] {
    const MarianShortlist list = ReadMarianShortlist(path);
    fuzz::Require(list.offsets.back() == std::ssize(list.targets), "offsets");
  });
  return 0;
}
