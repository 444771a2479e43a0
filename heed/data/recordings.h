// Recordings with what is said in them, and strings of words made of them.
#ifndef HEED_DATA_RECORDINGS_H_
#define HEED_DATA_RECORDINGS_H_

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heed/base/rng.h"

namespace heed {

/// The samples [begin, end).
struct SampleRange {
  int64_t begin = 0;
  int64_t end = 0;
};

/// A recording of speech.
struct Recording {
  std::vector<float> samples;
  std::string text;
  std::string speaker = {};
  /// Samples of each word of the text; empty if unknown.
  std::vector<SampleRange> words = {};
};

/// Recordings at one sampling rate.
struct Recordings {
  int rate = 0;
  std::vector<Recording> all;

  int64_t size() const { return std::ssize(all); }
};

/// A list whose lines are the path of a sound file, which starts at the list's
/// folder, a tab, what is said, and optionally a tab and the speaker; the files
/// are read on all threads and brought to `rate`. Throws: IoError; FormatError
/// that names the line, or for more than an hour and a half for each GiB that
/// a set may have (4).
Recordings ReadRecordings(const std::string& list, int rate);

/// CRC-32 of the samples and texts, to tell recordings from others.
uint32_t Checksum(const Recordings& recordings);

/// How recordings of single words become strings of them.
struct StringOptions {
  int64_t shortest = 3;
  int64_t longest = 8;
  /// Between words, before the first and behind the last. Units: s
  double min_gap = 0.05;
  double max_gap = 0.3;
  /// The whole string over and over.
  int64_t repeat = 1;
  uint64_t seed = 1;
};

/// Makes strings of words that one speaker said, with gaps of faint noise; a
/// string of one word is its recording as it is. Refers to the recordings.
class WordStrings {
 public:
  /// Throws: FormatError unless there are recordings.
  WordStrings(const Recordings& recordings, const StringOptions& options);

  /// String number `i`: the same whoever asks, and when. Its words are those of
  /// its recordings.
  Recording At(int64_t i) const;
  /// How many recordings it is made of.
  int64_t Words(int64_t i) const;
  int64_t speakers() const { return std::ssize(by_speaker_); }

 private:
  /// Which recordings string `i` is made of; leaves `rng` behind these choices.
  std::vector<size_t> Chosen(int64_t i, Rng& rng) const;

  const Recordings& recordings_;
  StringOptions options_;
  std::vector<std::vector<size_t>> by_speaker_;
};

}  // namespace heed

#endif  // HEED_DATA_RECORDINGS_H_
