// From a sound to the features that recognisers read.
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

/// Energies of bands of a sound over time, and features of them. A frame is 25
/// ms, one each 10 ms. Of the samples x_t − 0.97 x_{t−1} of a frame, weighted
/// by a Hann window, the discrete Fourier transform is one product of all
/// frames with [cos | sin]; its power is summed in triangles that are evenly
/// spaced on the mel scale, 2595 log10(1 + f / 700), from 0 Hz to half the
/// rate: log max(power, 1e-10). Const uses are thread-safe.
class LogMel {
 public:
  /// Throws: ConfigError for bands so narrow that there is no frequency in one.
  explicit LogMel(const LogMelConfig& config, DType dtype = DType::kF32);

  /// Of a sound that is shorter than a frame one frame, filled up with zeros.
  /// Shapes: samples [N], N > 0; result [F, bands].
  Tensor Energies(std::span<const float> samples) const;
  /// Each band with mean 0 and variance 1 over the frames, `stack` frames side
  /// by side (the last filled up with zeros). Shapes: energies [F, bands],
  /// result [S, features()].
  Tensor Features(const Tensor& energies) const;

  int64_t features() const { return int64_t{config_.bands} * config_.stack; }
  const LogMelConfig& config() const { return config_; }
  /// From the start of a vector of Features to that of the next. Units: s.
  double step() const;
  /// Triangles of the bands: [frequencies, bands].
  const Tensor& triangles() const { return triangles_; }

 private:
  template <typename T>
  Tensor EnergiesOf(std::span<const float> samples) const;
  template <typename T>
  Tensor FeaturesOf(const Tensor& energies) const;

  LogMelConfig config_;
  int64_t window_;       // samples of a frame
  int64_t hop_;          // from frame to frame
  int64_t frequencies_;  // of the transform
  Tensor triangles_;
  kernels::PackedMatrix transform_;  // [window, 2 frequencies], Hann within
  kernels::PackedMatrix bands_;      // triangles_
};

}  // namespace heed

#endif  // HEED_MODELS_SPEECH_LOG_MEL_H_
