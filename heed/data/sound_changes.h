// Sounds and their frames, changed at random, so that a recogniser learns more
// from the same recordings.
#ifndef HEED_DATA_SOUND_CHANGES_H_
#define HEED_DATA_SOUND_CHANGES_H_

#include <cstdint>
#include <span>
#include <vector>

#include "heed/base/config.h"
#include "heed/base/rng.h"
#include "heed/tensor/tensor.h"

namespace heed {

/// Speed perturbation (Ko et al. 2015, "Audio Augmentation for Speech
/// Recognition") and masks of bands and of time (SpecAugment, Park et al. 2019,
/// arXiv:1904.08779).
struct SoundChangesConfig {
  double speed = 0.1;
  int band_masks = 0;
  int band_mask_width = 8;
  int time_masks = 0;
  double time_mask_width = 0.1;

  void Visit(FieldList& v);
  /// Whether nothing is changed.
  bool none() const { return speed == 0 && band_masks == 0 && time_masks == 0; }
};

/// The sound at 1 − `change` to 1 + `change` times its speed, evenly drawn, its
/// pitch with it, by linear interpolation.
std::vector<float> AtAnotherSpeed(std::vector<float> samples, double change,
                                  Rng& rng);

/// Zeros, the mean of each band, in bands and stretches of time that are drawn:
/// a mask has 0 to its full width, evenly drawn, and one of time at most a
/// fifth of the sound. Shapes: features [S, stack · bands]; `frame_seconds`:
/// from one frame to the next.
void MaskFeatures(const SoundChangesConfig& config, int64_t bands,
                  double frame_seconds, Rng& rng, Tensor& features);

}  // namespace heed

#endif  // HEED_DATA_SOUND_CHANGES_H_
