// Log-mel features of sounds for speech recognition.
#ifndef HEED_MODELS_SPEECH_LOG_MEL_H_
#define HEED_MODELS_SPEECH_LOG_MEL_H_

#include <cstdint>
#include <span>
#include <vector>

#include "heed/base/config.h"
#include "heed/kernels/gemm.h"
#include "heed/tensor/tensor.h"

namespace heed {

struct LogMelConfig {
  int rate = 8000;
  int bands = 40;
  int stack = 3;

  void Visit(FieldList& v);
};

/// Log-mel energies and features of a sound. A frame has 25 ms, one every 10
/// ms. The samples x_t − 0.97 x_{t−1} of a frame are weighted by a Hann window.
/// Their discrete Fourier transform is one product of all frames with [cos |
/// sin]. Its power is summed in triangles that are evenly spaced on the mel
/// scale, 2595 log10(1 + f / 700), from 0 Hz to half the rate: log max(power,
/// 1e-10). Const uses are thread-safe.
class LogMel {
 public:
  /// Throws: ConfigError for bands too narrow to contain a frequency.
  explicit LogMel(const LogMelConfig& config, DType dtype = DType::kF32);

  /// Energies of a sound. A sound shorter than a frame is padded with zeros to
  /// one frame. Shapes: samples [N], N > 0; result [F, bands].
  Tensor Energies(std::span<const float> samples) const;
  /// Normalises each band to mean 0 and variance 1 over the frames, and
  /// concatenates groups of `stack` frames (the last padded with zeros).
  /// Shapes: energies [F, bands], result [S, features()].
  Tensor Features(const Tensor& energies) const;

  int64_t features() const { return int64_t{config_.bands} * config_.stack; }
  const LogMelConfig& config() const { return config_; }
  /// Time between successive vectors of Features. Units: s.
  double step() const;
  /// Triangles of the bands: [frequencies, bands].
  const Tensor& triangles() const { return triangles_; }

 private:
  template <typename T>
  Tensor EnergiesOf(std::span<const float> samples) const;
  template <typename T>
  Tensor FeaturesOf(const Tensor& energies) const;

  LogMelConfig config_;
  int64_t window_;       // samples per frame
  int64_t hop_;          // samples between frames
  int64_t frequencies_;  // of the transform
  Tensor triangles_;
  kernels::PackedMatrix
      transform_;  // [window, 2 frequencies], including the Hann window
  kernels::PackedMatrix bands_;  // packed triangles_
};

}  // namespace heed

#endif  // HEED_MODELS_SPEECH_LOG_MEL_H_
