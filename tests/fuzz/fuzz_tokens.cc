// A token file. The first byte selects if the checksum is corrected first;
// otherwise most inputs would be rejected at once.
#include <cstring>
#include <string>

#include "heed/data/token_files.h"
#include "tests/fuzz/fuzz.h"

namespace heed::fuzz {
namespace {

constexpr TokenFileInfo kInfo = {
    .made_of = 7, .source_vocabulary = 12, .target_vocabulary = 12};

void Read(uint8_t kind, std::string_view given) {
  std::string bytes(given);
  if (kind == 's' && bytes.size() > 12) {
    const uint32_t sum = Crc32(std::string_view(bytes).substr(12));
    std::memcpy(bytes.data() + 8, &sum, sizeof(sum));
  }
  const TokenFile file(bytes, "tokens", kInfo);
  Corpus corpus;
  for (int64_t i = 0; i < file.size(); ++i) {
    const auto [source, target] = file.LengthOf(i);
    file.Append(i, corpus);
    Require(std::ssize(corpus.source.back()) == source, "as long as it says");
    Require(std::ssize(corpus.target.back()) == target, "as long as it says");
    for (const int32_t id : corpus.source.back()) {
      Require(id >= 0 && id < 12, "an id of the vocabulary");
    }
    for (const int32_t id : corpus.target.back()) {
      Require(id >= 0 && id < 12, "an id of the vocabulary");
    }
  }
  Require(SerializeTokens(corpus, file.info()) == bytes,
          "written as it was read");
}

}  // namespace
}  // namespace heed::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return heed::fuzz::ReadKind(data, size, heed::fuzz::Read);
}
