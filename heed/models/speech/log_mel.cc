#include "heed/models/speech/log_mel.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "heed/base/at.h"
#include "heed/base/errors.h"

namespace heed {
namespace {

constexpr double kFrameSeconds = 0.025;
constexpr double kHopSeconds = 0.010;
constexpr double kPreEmphasis = 0.97;
constexpr double kMinPower = 1e-10;
/// Minimum deviation of a band, so that noise of a constant band is not
/// amplified.
constexpr double kMinDeviation = 0.5;

double MelOf(double frequency) {
  return 2595 * std::log10(1 + frequency / 700);
}
double FrequencyOf(double mel) { return 700 * (std::pow(10, mel / 2595) - 1); }

/// Triangular filters [frequencies, bands].
Tensor Triangles(const LogMelConfig& config, int64_t frequencies) {
  Tensor triangles = Tensor::Zeros({frequencies, config.bands}, DType::kF64);
  const double top = MelOf(config.rate / 2.0);
  const auto border = [&](int64_t i) {
    return FrequencyOf(top * static_cast<double>(i) / (config.bands + 1));
  };
  for (int64_t m = 0; m < config.bands; ++m) {
    const double low = border(m), middle = border(m + 1), high = border(m + 2);
    double sum = 0;
    for (int64_t k = 0; k < frequencies; ++k) {
      const double f = config.rate / 2.0 * static_cast<double>(k) /
                       static_cast<double>(frequencies - 1);
      const double value = std::max(
          0.0,
          std::min((f - low) / (middle - low), (high - f) / (high - middle)));
      triangles.row<double>(k)[m] = value;
      sum += value;
    }
    if (sum > 0) continue;
    throw ConfigError(
        "bands: {} bands of sounds of {} Hz are so narrow that there is no "
        "frequency in band {}; choose fewer",
        config.bands, config.rate, m + 1);
  }
  return triangles;
}

}  // namespace

void LogMelConfig::Visit(FieldList& v) {
  v("rate", rate, Range(4000, 48000),
    "resample sounds to N samples per second");
  v("bands", bands, Range(4, 256), "bands of frequencies, on the mel scale");
  v("stack", stack, Range(1, 16),
    "frames of 10 ms to stack into one step, without overlap");
}

LogMel::LogMel(const LogMelConfig& config, DType dtype)
    : config_(config),
      window_(std::lround(kFrameSeconds * config.rate)),
      hop_(std::lround(kHopSeconds * config.rate)),
      frequencies_(static_cast<int64_t>(
                       std::bit_ceil(static_cast<uint64_t>(window_)) / 2) +
                   1) {
  triangles_ = Triangles(config, frequencies_).To(dtype);
  Tensor transform({window_, 2 * frequencies_}, DType::kF64);
  const auto points = static_cast<double>(2 * (frequencies_ - 1));
  for (int64_t t = 0; t < window_; ++t) {
    const double hann =
        0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(t) /
                             static_cast<double>(window_));
    for (int64_t k = 0; k < frequencies_; ++k) {
      const double angle =
          2 * std::numbers::pi * static_cast<double>(t * k) / points;
      transform.row<double>(t)[k] = hann * std::cos(angle);
      transform.row<double>(t)[frequencies_ + k] = hann * std::sin(angle);
    }
  }
  kernels::Pack(transform.To(dtype), /*transpose=*/false,
                kernels::Precision::kNative, transform_);
  kernels::Pack(triangles_, /*transpose=*/false, kernels::Precision::kNative,
                bands_);
}

double LogMel::step() const { return kHopSeconds * config_.stack; }

template <typename T>
Tensor LogMel::EnergiesOf(std::span<const float> samples) const {
  const DType dtype = triangles_.dtype();
  const int64_t count = std::ssize(samples);
  const int64_t frames = count < window_ ? 1 : 1 + (count - window_) / hop_;
  std::vector<T> emphasised(static_cast<size_t>(std::max(count, window_)));
  T before = 0;
  for (size_t t = 0; t < samples.size(); ++t) {
    const T now = samples[t];
    emphasised[t] = now - static_cast<T>(kPreEmphasis) * before;
    before = now;
  }
  Tensor rows({frames, window_}, dtype);
  for (int64_t f = 0; f < frames; ++f) {
    std::copy_n(emphasised.data() + f * hop_, window_, rows.row<T>(f));
  }
  Tensor spectrum({frames, 2 * frequencies_}, dtype);
  kernels::Multiply(rows, transform_, /*accumulate=*/false, spectrum);
  Tensor power({frames, frequencies_}, dtype);
  for (int64_t f = 0; f < frames; ++f) {
    const T* real = spectrum.row<T>(f);
    const T* imaginary = real + frequencies_;
    T* out = power.row<T>(f);
    for (int64_t k = 0; k < frequencies_; ++k) {
      out[k] = real[k] * real[k] + imaginary[k] * imaginary[k];
    }
  }
  Tensor energies({frames, config_.bands}, dtype);
  kernels::Multiply(power, bands_, /*accumulate=*/false, energies);
  T* e = energies.data<T>();
  for (int64_t i = 0; i < energies.numel(); ++i) {
    e[i] = std::log(std::max(e[i], static_cast<T>(kMinPower)));
  }
  return energies;
}

template <typename T>
Tensor LogMel::FeaturesOf(const Tensor& energies) const {
  const int64_t frames = energies.dim(0), bands = config_.bands;
  std::vector<double> mean(static_cast<size_t>(bands));
  std::vector<double> square(mean.size());
  for (int64_t f = 0; f < frames; ++f) {
    for (int64_t m = 0; m < bands; ++m) {
      At(mean, m) += double{energies.row<T>(f)[m]};
    }
  }
  for (double& x : mean) x /= static_cast<double>(frames);
  for (int64_t f = 0; f < frames; ++f) {
    for (size_t m = 0; m < mean.size(); ++m) {
      const double off = double{energies.row<T>(f)[m]} - mean[m];
      square[m] += off * off;
    }
  }
  std::vector<double> scale;
  for (const double sum : square) {
    scale.push_back(1 / std::max(kMinDeviation,
                                 std::sqrt(sum / static_cast<double>(frames))));
  }
  const int64_t stack = config_.stack;
  Tensor features = Tensor::Zeros({(frames + stack - 1) / stack, stack * bands},
                                  energies.dtype());
  for (int64_t f = 0; f < frames; ++f) {
    T* to = features.row<T>(f / stack) + f % stack * bands;
    for (size_t m = 0; m < mean.size(); ++m) {
      to[m] =
          static_cast<T>((double{energies.row<T>(f)[m]} - mean[m]) * scale[m]);
    }
  }
  return features;
}

Tensor LogMel::Energies(std::span<const float> samples) const {
  return triangles_.dtype() == DType::kF64 ? EnergiesOf<double>(samples)
                                           : EnergiesOf<float>(samples);
}

Tensor LogMel::Features(const Tensor& energies) const {
  return triangles_.dtype() == DType::kF64 ? FeaturesOf<double>(energies)
                                           : FeaturesOf<float>(energies);
}

}  // namespace heed
