#include "heed/data/recordings.h"

#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/rng.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/data/header.h"
#include "heed/data/sound.h"
#include "heed/io/file.h"

namespace heed {
namespace {

constexpr int64_t kMaxSamples = int64_t{1} << 30;
/// Range of the noise in gaps: −46 dB of a full sine, and less.
constexpr double kLoudestNoise = 0.005;
constexpr double kFaintestNoise = 0.0002;

struct ListedSound {
  std::string path;
  std::string place;
};

int64_t WordsIn(const std::string& text) {
  return std::ssize(SplitWhitespace(text));
}

void AppendNoise(int64_t samples, double loudness, Rng& rng,
                 std::vector<float>& to) {
  for (int64_t i = 0; i < samples; ++i) {
    to.push_back(static_cast<float>(loudness * rng.Normal()));
  }
}

}  // namespace

Recordings ReadRecordings(const std::string& list, int rate) {
  Recordings read;
  read.rate = rate;
  std::vector<ListedSound> files;
  const auto folder = std::filesystem::path(list).parent_path();
  ForEachLine(list, [&](std::string_view line, int64_t number) {
    const std::string place = fmt::format("{}:{}", list, number);
    const std::vector<std::string_view> columns = SplitAt(line, "\t");
    if (number == 1 &&
        NamesColumns(std::span<const std::string_view>(columns))) {
      SayHeaderLeftOut(list, line);
      return true;
    }
    if (columns.size() < 2 || columns[0].empty() ||
        SplitWhitespace(columns[1]).empty()) {
      throw FormatError(
          "{}: expected path, tab and text of a recording (such as seven.wav, "
          "tab, seven)",
          place);
    }
    ListedSound& file = files.emplace_back();
    file.path = (folder / columns[0]).string();
    file.place = place + ", " + file.path;
    Recording& recording = read.all.emplace_back();
    recording.text = columns[1];
    if (columns.size() > 2) recording.speaker = columns[2];
    return true;
  });
  std::atomic<int64_t> samples = 0;
  ParallelForEach(read.size(), 1, [&](int64_t i) {
    const ListedSound& file = At(files, i);
    Recording& recording = At(read.all, i);
    std::string bytes;
    try {
      bytes = ReadFile(file.path);
    } catch (const IoError& error) {
      throw IoError("{}: {}", file.place, error.what());
    }
    recording.samples = Resampled(DecodeSound(bytes, file.place), rate).samples;
    samples += std::ssize(recording.samples);
    if (samples > kMaxSamples) {
      throw FormatError("{}: recordings of more than {} samples of {} Hz", list,
                        kMaxSamples, rate);
    }
    if (WordsIn(recording.text) == 1) {
      recording.words = {{0, std::ssize(recording.samples)}};
    }
  });
  return read;
}

uint32_t Checksum(const Recordings& recordings) {
  std::string sums;
  for (const Recording& one : recordings.all) {
    sums +=
        fmt::format("{:08x} {}\t{}\n",
                    Crc32({reinterpret_cast<const char*>(one.samples.data()),
                           one.samples.size() * sizeof(float)}),
                    one.text, one.speaker);
  }
  return Crc32(sums);
}

WordStrings::WordStrings(const Recordings& recordings,
                         const StringOptions& options)
    : recordings_(recordings), options_(options) {
  std::map<std::string, std::vector<size_t>> by_name;
  for (size_t i = 0; i < recordings.all.size(); ++i) {
    by_name[recordings.all[i].speaker].push_back(i);
  }
  for (auto& [name, places] : by_name) by_speaker_.push_back(std::move(places));
  if (by_speaker_.empty()) {
    throw FormatError("no recordings that strings can be made of");
  }
}

std::vector<size_t> WordStrings::Chosen(int64_t i, Rng& rng) const {
  rng = Rng(Rng(options_.seed, static_cast<uint64_t>(i)).Next());
  const auto& takes = by_speaker_[rng.Below(by_speaker_.size())];
  const auto words =
      options_.shortest + static_cast<int64_t>(rng.Below(static_cast<uint64_t>(
                              options_.longest - options_.shortest + 1)));
  std::vector<size_t> chosen;
  for (int64_t k = 0; k < words; ++k) {
    chosen.push_back(takes[rng.Below(takes.size())]);
  }
  return chosen;
}

int64_t WordStrings::Words(int64_t i) const {
  Rng rng;
  return std::ssize(Chosen(i, rng)) * options_.repeat;
}

Recording WordStrings::At(int64_t i) const {
  Rng rng;
  const std::vector<size_t> chosen = Chosen(i, rng);
  const auto words = std::ssize(chosen);
  if (words * options_.repeat == 1) return recordings_.all[chosen[0]];
  const double loudness =
      kFaintestNoise * std::pow(kLoudestNoise / kFaintestNoise, rng.Uniform());
  Recording string;
  string.speaker = recordings_.all[chosen[0]].speaker;
  const auto gap = [&] {
    const double seconds = rng.Uniform(options_.min_gap, options_.max_gap);
    AppendNoise(std::lround(seconds * recordings_.rate), loudness, rng,
                string.samples);
  };
  gap();
  for (int64_t k = 0; k < words * options_.repeat; ++k) {
    const Recording& one = recordings_.all[heed::At(chosen, k % words)];
    const int64_t begin = std::ssize(string.samples);
    string.samples.insert(string.samples.end(), one.samples.begin(),
                          one.samples.end());
    for (const SampleRange& word : one.words) {
      string.words.push_back({begin + word.begin, begin + word.end});
    }
    if (!string.text.empty()) string.text += ' ';
    string.text += one.text;
    gap();
  }
  return string;
}

}  // namespace heed
