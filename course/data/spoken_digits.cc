#include "course/data/spoken_digits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include "heed/base/at.h"
#include "heed/base/rng.h"
#include "heed/base/threads.h"

namespace heed {
namespace {

/// A phone: formants, voicing level, noise level, noise centre and duration.
/// Units: Hz, ms.
struct Phone {
  std::array<double, 3> formants;
  double voice;
  double noise;
  double noise_centre;
  double length;
};

constexpr Phone kSilence = {{500, 1500, 2500}, 0, 0, 2000, 50};
constexpr Phone kBurst = {{400, 1800, 2600}, 0, 0.8, 3000, 35};
constexpr Phone kKBurst = {{400, 1900, 2500}, 0, 0.7, 1800, 35};
constexpr Phone kS = {{300, 1700, 2600}, 0, 0.9, 3600, 110};
constexpr Phone kZ = {{300, 1700, 2600}, 0.4, 0.5, 3500, 80};
constexpr Phone kF = {{350, 1200, 2400}, 0, 0.3, 1400, 90};
constexpr Phone kTh = {{350, 1400, 2600}, 0, 0.3, 2400, 80};
constexpr Phone kV = {{300, 1100, 2400}, 0.5, 0.15, 1400, 60};
constexpr Phone kN = {{280, 1300, 2300}, 0.5, 0, 2000, 80};
constexpr Phone kW = {{320, 700, 2300}, 0.6, 0, 2000, 60};
constexpr Phone kR = {{400, 1150, 1500}, 0.7, 0, 2000, 70};
constexpr Phone kIy = {{290, 2250, 2900}, 1, 0, 2000, 130};
constexpr Phone kIh = {{400, 1950, 2600}, 1, 0, 2000, 90};
constexpr Phone kEh = {{560, 1800, 2500}, 1, 0, 2000, 110};
constexpr Phone kAh = {{680, 1200, 2500}, 1, 0, 2000, 120};
constexpr Phone kAa = {{750, 1250, 2500}, 1, 0, 2000, 120};
constexpr Phone kAo = {{560, 850, 2450}, 1, 0, 2000, 130};
constexpr Phone kOw = {{460, 880, 2400}, 1, 0, 2000, 150};
constexpr Phone kUw = {{310, 950, 2300}, 1, 0, 2000, 150};

const std::array<std::vector<Phone>, 10>& DigitPhones() {
  static const std::array<std::vector<Phone>, 10> phones = {{
      {kZ, kIh, kR, kOw},
      {kW, kAh, kN},
      {kBurst, kUw},
      {kTh, kR, kIy},
      {kF, kAo, kR},
      {kF, kAa, kIy, kV},
      {kS, kIh, kSilence, kKBurst, kS},
      {kS, kEh, kV, kAh, kN},
      {kEh, kIy, kSilence, kBurst},
      {kN, kAa, kIy, kN},
  }};
  return phones;
}

/// Two-pole resonator y_t = g x_t + b y_{t−1} + c y_{t−2}, with unit gain at 0
/// Hz.
class Resonator {
 public:
  void Tune(double frequency, double bandwidth, double rate) {
    const double max = 0.48 * rate;
    const double radius = std::exp(-std::numbers::pi * bandwidth / rate);
    c_ = -radius * radius;
    b_ = 2 * radius *
         std::cos(2 * std::numbers::pi * std::min(frequency, max) / rate);
    gain_ = 1 - b_ - c_;
  }
  double operator()(double x) {
    const double y = gain_ * x + b_ * last_ + c_ * before_;
    before_ = last_;
    last_ = y;
    return y;
  }
  double gain() const { return gain_; }

 private:
  double gain_ = 1, b_ = 0, c_ = 0, last_ = 0, before_ = 0;
};

/// Voice parameters of one take of a speaker.
struct Voice {
  double pitch;   // Hz
  double tract;   // scale of the formants
  double speed;   // scale of the durations
  double breath;  // noise in the voiced source
  double falls;   // ratio of the last pitch to the first
};

Voice SpeakerOf(Rng& rng) {
  return {95 * std::pow(2.2, rng.Uniform()), rng.Uniform(0.88, 1.16),
          rng.Uniform(0.8, 1.25), rng.Uniform(0.01, 0.08),
          rng.Uniform(0.75, 0.95)};
}

Voice TakeOf(const Voice& speaker, Rng& rng) {
  Voice take = speaker;
  take.pitch *= std::exp(0.06 * rng.Normal());
  take.tract *= std::exp(0.02 * rng.Normal());
  take.speed *= std::exp(0.1 * rng.Normal());
  return take;
}

/// Phone parameters over time, linearly interpolated around the boundaries.
/// Units: s.
class Track {
 public:
  Track(std::span<const Phone> phones, const Voice& voice, Rng& rng)
      : phones_(phones.begin(), phones.end()) {
    double at = 0;
    for (Phone& phone : phones_) {
      at += phone.length / 1000 * voice.speed * std::exp(0.08 * rng.Normal());
      ends_.push_back(at);
      for (double& formant : phone.formants) {
        formant *= voice.tract * std::exp(0.02 * rng.Normal());
      }
    }
  }
  double seconds() const { return ends_.back(); }

  Phone At(double time) const {
    constexpr double kGlide = 0.02;  // on each side of a boundary
    const auto found = std::ranges::upper_bound(ends_, time);
    const auto i = std::min(static_cast<size_t>(found - ends_.begin()),
                            phones_.size() - 1);
    const double begin = i == 0 ? 0 : ends_[i - 1];
    if (i > 0 && time - begin < kGlide) {
      return Between(phones_[i - 1], phones_[i],
                     0.5 + (time - begin) / (2 * kGlide));
    }
    if (i + 1 < phones_.size() && ends_[i] - time < kGlide) {
      return Between(phones_[i], phones_[i + 1],
                     0.5 - (ends_[i] - time) / (2 * kGlide));
    }
    return phones_[i];
  }

 private:
  static Phone Between(const Phone& a, const Phone& b, double share) {
    Phone phone = b;
    const auto mix = [share](double x, double y) {
      return (1 - share) * x + share * y;
    };
    for (size_t k = 0; k < phone.formants.size(); ++k) {
      phone.formants[k] = mix(a.formants[k], b.formants[k]);
    }
    phone.voice = mix(a.voice, b.voice);
    phone.noise = mix(a.noise, b.noise);
    phone.noise_centre = mix(a.noise_centre, b.noise_centre);
    return phone;
  }

  std::vector<Phone> phones_;
  std::vector<double> ends_;
};

std::vector<float> Spoken(std::span<const Phone> phones, const Voice& voice,
                          int rate, Rng& rng) {
  constexpr int64_t kBlock = 40;  // samples between two tunings
  constexpr std::array<double, 3> kBandwidths = {80, 110, 160};
  constexpr double kNoiseBandwidth = 900;
  constexpr double kEdge = 0.012;  // fade at both ends, s
  constexpr float kPeak = 0.5f;
  const Track track(phones, voice, rng);
  const auto count = static_cast<int64_t>(track.seconds() * rate);
  std::array<Resonator, 3> cascade;
  Resonator tilt, fricative;
  tilt.Tune(0, 300, rate);
  std::vector<float> samples;
  samples.reserve(static_cast<size_t>(count));
  Phone now = kSilence;
  double phase = 1;
  double noise_gain = 0;
  for (int64_t t = 0; t < count; ++t) {
    const double time = static_cast<double>(t) / rate;
    if (t % kBlock == 0) {
      now = track.At(time);
      for (size_t k = 0; k < cascade.size(); ++k) {
        cascade[k].Tune(now.formants[k], kBandwidths[k], rate);
      }
      fricative.Tune(now.noise_centre, kNoiseBandwidth, rate);
      // The gain makes noise equally loud at all centres.
      noise_gain = 0.25 / fricative.gain();
    }
    const double share = time / track.seconds();
    phase += voice.pitch * (1 - (1 - voice.falls) * share) / rate;
    double source = voice.breath * rng.Normal();
    if (phase >= 1) {
      phase -= 1;
      source += 12;
    }
    double voiced = tilt(now.voice * source);
    for (Resonator& formant : cascade) voiced = formant(voiced);
    const double hiss = noise_gain * fricative(now.noise * rng.Normal());
    const double edge =
        std::min({1.0, time / kEdge, (track.seconds() - time) / kEdge});
    samples.push_back(static_cast<float>(edge * (voiced + hiss)));
  }
  float max = 1e-9f;
  for (const float x : samples) max = std::max(max, std::abs(x));
  for (float& x : samples) x *= kPeak / max;
  return samples;
}

}  // namespace

Recordings MakeSpokenDigits(const SpokenDigitsOptions& options) {
  constexpr auto kDigits = static_cast<int64_t>(kDigitWords.size());
  Recordings made;
  made.rate = options.rate;
  made.all.resize(
      static_cast<size_t>(options.speakers * options.takes * kDigits));
  ParallelForEach(made.size(), 8, [&](int64_t i) {
    const int64_t digit = i % kDigits;
    const int64_t take = i / kDigits % options.takes;
    const int64_t speaker = i / kDigits / options.takes;
    Rng of_speaker(Rng(options.seed, static_cast<uint64_t>(speaker)).Next());
    const Voice voice = SpeakerOf(of_speaker);
    Rng rng(
        Rng(of_speaker.Next(), static_cast<uint64_t>(take * kDigits + digit))
            .Next());
    Recording& recording = At(made.all, i);
    recording.text = At(kDigitWords, digit);
    recording.speaker = fmt::format("speaker {}", speaker + 1);
    recording.samples =
        Spoken(At(DigitPhones(), digit), TakeOf(voice, rng), options.rate, rng);
    recording.words = {{0, std::ssize(recording.samples)}};
  });
  return made;
}

}  // namespace heed
