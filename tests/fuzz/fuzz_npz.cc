// Archives of arrays such as Marian models, or a single array.
#include "heed/io/npz.h"
#include "tests/fuzz/fuzz.h"

namespace heed::fuzz {
namespace {

std::string Number(uint64_t value, int bytes) {
  std::string text;
  for (; bytes > 0; --bytes, value >>= 8) text += static_cast<char>(value);
  return text;
}

// Returns an archive of one stored file with a valid checksum.
std::string Archive(std::string_view file) {
  const std::string name = "a.npy";
  const std::string common = Number(20, 2) + Number(0, 2) + Number(0, 2) +
                             Number(0, 4) + Number(Crc32(file), 4) +
                             Number(file.size(), 4) + Number(file.size(), 4) +
                             Number(name.size(), 2) + Number(0, 2);
  const std::string local = "PK\3\4" + common + name + std::string(file);
  const std::string entry =
      "PK\1\2" + Number(20, 2) + common + Number(0, 14) + name;
  return local + entry + "PK\5\6" + Number(0, 4) + Number(1, 2) + Number(1, 2) +
         Number(entry.size(), 4) + Number(local.size(), 4) + Number(0, 2);
}

}  // namespace
}  // namespace heed::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace heed;
  static const fuzz::Folder folder;
  const std::string_view bytes = fuzz::Bytes(data, size);
  const std::string path =
      folder.Put("model.npz", bytes.starts_with("PK") ? std::string(bytes)
                                                      : fuzz::Archive(bytes));
  fuzz::MayRefuse([&] {
    for (const NamedTensor& array : ReadNpz(path)) {
      fuzz::Require(array.value.numel() >= 0, "size");
    }
  });
  return 0;
}
