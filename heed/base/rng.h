// Counter-based random numbers; the state is a seed and a position.
#ifndef HEED_BASE_RNG_H_
#define HEED_BASE_RNG_H_

#include <cmath>
#include <cstdint>
#include <numbers>

namespace heed {

/// Random stream whose number i is a hash of seed and i (splitmix64), so that a
/// checkpoint stores two integers. Not for cryptography.
class Rng {
  __extension__ using Wide = unsigned __int128;

 public:
  explicit Rng(uint64_t seed = 1, uint64_t position = 0)
      : seed_(seed), position_(position) {}

  uint64_t seed() const { return seed_; }
  uint64_t position() const { return position_; }

  /// 64 random bits.
  uint64_t Next() { return Mix(Mix(seed_) + ++position_ * kGolden); }
  /// Uniform in [0, 1).
  double Uniform() { return static_cast<double>(Next() >> 11) * 0x1p-53; }
  double Uniform(double low, double high) {
    return low + (high - low) * Uniform();
  }
  /// Uniform in {0, ..., n - 1}; n > 0. The bias is below n / 2^64.
  uint64_t Below(uint64_t n) {
    return static_cast<uint64_t>((static_cast<Wide>(Next()) * n) >> 64);
  }
  /// Standard normal (Box-Muller).
  double Normal() {
    const double radius = std::sqrt(-2 * std::log(1 - Uniform()));
    return radius * std::cos(2 * std::numbers::pi * Uniform());
  }

 private:
  static constexpr uint64_t kGolden = 0x9e3779b97f4a7c15U;
  static uint64_t Mix(uint64_t z) {
    z += kGolden;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }

  uint64_t seed_;
  uint64_t position_;
};

}  // namespace heed

#endif  // HEED_BASE_RNG_H_
