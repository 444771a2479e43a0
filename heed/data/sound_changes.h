// Data augmentation of sounds and their features for speech recognition.
#ifndef HEED_DATA_SOUND_CHANGES_H_
#define HEED_DATA_SOUND_CHANGES_H_

#include <cstdint>
#include <span>
#include <vector>

#include "heed/base/config.h"
#include "heed/base/rng.h"
#include "heed/tensor/tensor.h"

namespace heed {

/// Options of speed perturbation (Ko et al. 2015, "Audio Augmentation for
/// Speech Recognition"), and of frequency and time masks (SpecAugment, Park et
/// al. 2019, arXiv:1904.08779).
struct SoundChangesConfig {
  double speed = 0.1;
  int band_masks = 0;
  int band_mask_width = 8;
  int time_masks = 0;
  double time_mask_width = 0.1;

  void Visit(FieldList& v);
  /// True if nothing is changed.
  bool none() const { return speed == 0 && band_masks == 0 && time_masks == 0; }
};

/// Changes speed and pitch by a uniform factor in 1 − `change` to 1 + `change`,
/// with linear interpolation.
std::vector<float> AtAnotherSpeed(std::vector<float> samples, double change,
                                  Rng& rng);

/// Sets random bands and random time spans to zero, the mean of each band. The
/// width of a mask is uniform from 0 to its maximum; a time mask covers at most
/// a fifth of the sound. Shapes: features [S, stack · bands]. `frame_seconds`:
/// time between frames.
void MaskFeatures(const SoundChangesConfig& config, int64_t bands,
                  double frame_seconds, Rng& rng, Tensor& features);

}  // namespace heed

#endif  // HEED_DATA_SOUND_CHANGES_H_
