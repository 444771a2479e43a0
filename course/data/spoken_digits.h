// Spoken digits that nobody said: made from formants by number.
#ifndef HEED_COURSE_DATA_SPOKEN_DIGITS_H_
#define HEED_COURSE_DATA_SPOKEN_DIGITS_H_

#include <array>
#include <cstdint>

#include "heed/data/recordings.h"

namespace heed {

inline constexpr std::array<const char*, 10> kDigitWords = {
    "zero", "one", "two",   "three", "four",
    "five", "six", "seven", "eight", "nine"};

/// How many speak, and how often each says each digit.
struct SpokenDigitsOptions {
  int64_t speakers = 8;
  int64_t takes = 4;
  int rate = 8000;
  uint64_t seed = 1;
};

/// Digits in English by a small formant synthesiser: a train of pulses and
/// noise through three resonators in a row, moved from sound to sound. Speakers
/// differ in pitch, length of the vocal tract, speed and breath; takes of one
/// speaker a little in all of these. Speaker s and take k are the same whatever
/// the numbers of both. Paper: Klatt 1980, doi:10.1121/1.383940 (the cascade).
Recordings MakeSpokenDigits(const SpokenDigitsOptions& options);

}  // namespace heed

#endif  // HEED_COURSE_DATA_SPOKEN_DIGITS_H_
