// Binary models, shortlists and quality models of Marian.
#include "heed/io/marian_binary.h"
#include "heed/io/marian_shortlist.h"
#include "heed/io/quality_model.h"
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
    const std::string bytes(fuzz::Bytes(data, size));
    fuzz::Require(ParseQualityModel(bytes, "bytes").Serialize() == bytes,
                  "round trip");
  });
  fuzz::MayRefuse([&] {
    const MarianShortlist list = ReadMarianShortlist(path);
    fuzz::Require(list.offsets.back() == std::ssize(list.targets), "offsets");
  });
  return 0;
}
