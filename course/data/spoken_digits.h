// Synthetic spoken digits from a formant synthesiser.
#ifndef HEED_COURSE_DATA_SPOKEN_DIGITS_H_
#define HEED_COURSE_DATA_SPOKEN_DIGITS_H_

#include <array>
#include <cstdint>

#include "heed/data/recordings.h"

namespace heed {

inline constexpr std::array<const char*, 10> kDigitWords = {
    "zero", "one", "two",   "three", "four",
    "five", "six", "seven", "eight", "nine"};

/// Number of speakers, and of takes of each digit per speaker.
struct SpokenDigitsOptions {
  int64_t speakers = 8;
  int64_t takes = 4;
  int rate = 8000;
  uint64_t seed = 1;
};

/// Synthesises English digits. A pulse train and noise pass through a cascade
/// of three resonators, interpolated from phone to phone. Speakers differ in
/// pitch, vocal tract length, speed and breathiness; takes of one speaker vary
/// slightly in all of these. Speaker s and take k do not depend on the numbers
/// of speakers and takes. Paper: Klatt 1980, doi:10.1121/1.383940 (the
/// cascade).
Recordings MakeSpokenDigits(const SpokenDigitsOptions& options);

}  // namespace heed

#endif  // HEED_COURSE_DATA_SPOKEN_DIGITS_H_
