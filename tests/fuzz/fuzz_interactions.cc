// Tables of interactions, and items stored with a model, separated by "====".
#include "heed/data/interactions.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace heed;
  static const fuzz::Folder folder;
  const fuzz::NoWarnings quiet;
  const auto parts = fuzz::Parts(fuzz::Bytes(data, size), 2);
  const std::string path = folder.Put("x", parts[0]);
  Histories histories;
  fuzz::MayRefuse([&] { histories = ReadInteractions({path}); });
  fuzz::MayRefuse([&] { histories.titles = ReadTitles(path); });
  KeepFrequent(1 + static_cast<int64_t>(size % 3), histories);
  const ItemTable made(ItemLines(histories), "made");  // must succeed
  fuzz::MayRefuse([&] { const ItemTable kept(parts[1], "kept"); });
  return 0;
}
