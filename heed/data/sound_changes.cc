#include "heed/data/sound_changes.h"

#include <algorithm>
#include <cmath>

namespace heed {
namespace {

/// Inverse of the maximum share of a sound under a time mask (p of
/// SpecAugment).
constexpr int64_t kMaxShare = 5;

struct Stretch {
  int64_t begin = 0;
  int64_t end = 0;
};

Stretch DrawnMask(int64_t size, int64_t max, Rng& rng) {
  const auto width = static_cast<int64_t>(
      rng.Below(static_cast<uint64_t>(std::min(max, size)) + 1));
  const auto begin =
      static_cast<int64_t>(rng.Below(static_cast<uint64_t>(size - width) + 1));
  return {begin, begin + width};
}

}  // namespace

void SoundChangesConfig::Visit(FieldList& v) {
  v("speed", speed, Range(0, 0.5),
    "change the speed of each training sound by up to this fraction");
  v("band_masks", band_masks, Range(0, 100),
    "ranges of bands to mask in each training sound");
  v("band_mask_width", band_mask_width, Range(1, 256),
    "maximum bands of a masked range");
  v("time_masks", time_masks, Range(0, 100),
    "stretches of time to mask in each training sound");
  v("time_mask_width", time_mask_width, Range(0.01, 60),
    "maximum seconds of a masked stretch, and at most a fifth of the sound");
}

std::vector<float> AtAnotherSpeed(std::vector<float> samples, double change,
                                  Rng& rng) {
  const double speed = 1 + rng.Uniform(-change, change);
  const auto count = static_cast<size_t>(
      std::max(1.0, std::floor(static_cast<double>(samples.size()) / speed)));
  std::vector<float> changed(count);
  for (size_t i = 0; i < count; ++i) {
    const double at = static_cast<double>(i) * speed;
    const size_t left = std::min(static_cast<size_t>(at), samples.size() - 1);
    const size_t right = std::min(left + 1, samples.size() - 1);
    const auto share = static_cast<float>(at - std::floor(at));
    changed[i] = (1 - share) * samples[left] + share * samples[right];
  }
  return changed;
}

void MaskFeatures(const SoundChangesConfig& config, int64_t bands,
                  double frame_seconds, Rng& rng, Tensor& features) {
  const int64_t stack = features.dim(1) / bands;
  const int64_t frames = features.dim(0) * stack;
  for (int i = 0; i < config.band_masks; ++i) {
    const Stretch mask = DrawnMask(bands, config.band_mask_width, rng);
    // Frames of all rows are consecutive in memory.
    for (int64_t f = 0; f < frames; ++f) {
      float* row = features.data<float>() + f * bands;
      std::fill(row + mask.begin, row + mask.end, 0.0f);
    }
  }
  const int64_t max =
      std::min(std::lround(config.time_mask_width / frame_seconds),
               static_cast<long>(frames / kMaxShare));
  for (int i = 0; i < config.time_masks; ++i) {
    const Stretch mask = DrawnMask(frames, max, rng);
    std::fill(features.data<float>() + mask.begin * bands,
              features.data<float>() + mask.end * bands, 0.0f);
  }
}

}  // namespace heed
