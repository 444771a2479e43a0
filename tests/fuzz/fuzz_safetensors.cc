// Weights: a file that can be read survives a round trip. Each tensor can be
// read by itself, also beside one of a dtype that Heed does not read.
#include "heed/io/safetensors.h"
#include "heed/io/safetensors_reader.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace heed;
  fuzz::MayRefuse([&] {
    const std::string_view bytes = fuzz::Bytes(data, size);
    const SafetensorsReader reader(bytes, "input");
    int64_t elements = 0;
    for (const SafetensorsEntry& entry : reader.entries()) {
      elements += entry.shape.numel();
      fuzz::MayRefuse([&] { reader.Read(entry); });
    }
    fuzz::Require(elements <= 8 * static_cast<int64_t>(size), "bits enough");
  });
  fuzz::MayRefuse([&] {
    const SafetensorsFile file =
        ParseSafetensors(fuzz::Bytes(data, size), "input");
    const std::string bytes = SerializeSafetensors(file.tensors, file.metadata);
    const SafetensorsFile again = ParseSafetensors(bytes, "again");
    fuzz::Require(again.tensors.size() == file.tensors.size(), "all tensors");
    fuzz::Require(again.metadata == file.metadata, "metadata");
    for (size_t i = 0; i < file.tensors.size(); ++i) {
      const NamedTensor& a = file.tensors[i];
      const NamedTensor& b = again.tensors[i];
      fuzz::Require(a.name == b.name, "names");
      fuzz::Require(a.value.shape() == b.value.shape(), "shapes");
    }
  });
  return 0;
}
