// Sound files from untrusted sources.
#include <cmath>
#include <string>

#include "heed/data/sound.h"
#include "tests/fuzz/fuzz.h"

namespace heed::fuzz {
namespace {

/// Longer sounds are skipped, so that runs are fast and use little memory.
constexpr size_t kManySamples = size_t{1} << 20;

void ReadSoundOf(std::string_view bytes) {
  const Sound sound = DecodeSound(bytes, "sound");
  Require(!sound.samples.empty(), "samples");
  Require(sound.rate >= kMinSoundRate && sound.rate <= kMaxSoundRate, "a rate");
  Require(sound.seconds() <= kMaxSoundSeconds, "not too long");
  for (const float sample : sound.samples) {
    Require(std::isfinite(sample), "finite samples");
  }
  if (sound.samples.size() > kManySamples) return;
  const Sound other = Resampled(sound, 8000);
  Require(!other.samples.empty(), "samples at another rate");
  const Sound again = DecodeSound(EncodeWav(other.samples, 8000), "wav");
  Require(again.samples.size() == other.samples.size(),
          "read as it was written");
}

}  // namespace
}  // namespace heed::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes = heed::fuzz::Bytes(data, size);
  heed::fuzz::MayRefuse([&] { heed::fuzz::ReadSoundOf(bytes); });
  return 0;
}
