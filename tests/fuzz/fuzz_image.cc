// Image files and idx files of images from untrusted sources.
#include <string>

#include "heed/data/image_set.h"
#include "tests/fuzz/fuzz.h"

namespace heed::fuzz {
namespace {

/// Larger images are skipped, so that runs are fast and use little memory.
constexpr int64_t kManyPixels = int64_t{1} << 22;

void ReadImageOf(std::string_view bytes) {
  const Image image = ImageFromBytes(bytes, "image");
  Require(image.height > 0 && image.width > 0, "pixels");
  Require(image.size() == std::ssize(image.pixels), "as many as it says");
  if (image.size() > kManyPixels) return;
  const Image fitted = Fitted(image, {28, 20, 1});
  Require(fitted.size() == 28 * 20 && std::ssize(fitted.pixels) == 28 * 20,
          "the wanted size");
  Require(DecodeImage(EncodePng(fitted), "png").height == 28,
          "read as it was written");
}

}  // namespace
}  // namespace heed::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes = heed::fuzz::Bytes(data, size);
  heed::fuzz::MayRefuse([&] { heed::fuzz::ReadImageOf(bytes); });
  heed::fuzz::MayRefuse([&] { heed::ParseIdx(bytes, "idx"); });
  return 0;
}
