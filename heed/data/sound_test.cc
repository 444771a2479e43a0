#include "heed/data/sound.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sndfile.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <numbers>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/io/file.h"

namespace heed {
namespace {

std::vector<float> Tone(double frequency, int rate, double seconds) {
  std::vector<float> samples;
  for (int t = 0; t < static_cast<int>(seconds * rate); ++t) {
    samples.push_back(static_cast<float>(
        0.5 * std::sin(2 * std::numbers::pi * frequency * t / rate)));
  }
  return samples;
}

/// Bytes of a file that libsndfile writes in another format.
std::string Written(const std::vector<float>& samples, int format, int rate,
                    int channels = 1) {
  const TemporaryFolder folder;
  const std::string path = folder.Path("sound");
  SF_INFO info = {};
  info.samplerate = rate;
  info.channels = channels;
  info.format = format;
  SNDFILE* file = sf_open(path.c_str(), SFM_WRITE, &info);
  EXPECT_NE(file, nullptr) << sf_strerror(nullptr);
  if (file == nullptr) return "";
  sf_writef_float(file, samples.data(), std::ssize(samples) / channels);
  sf_close(file);
  return ReadFile(path);
}

std::string MessageOfSound(const std::string& bytes) {
  return MessageOf<FormatError>([&] { DecodeSound(bytes, "a.wav"); });
}

TEST(Sound, WavComesBackAsItWasWritten) {
  const std::vector<float> tone = Tone(440, 8000, 0.1);
  const Sound read = DecodeSound(EncodeWav(tone, 8000), "a.wav");
  EXPECT_EQ(read.rate, 8000);
  ASSERT_EQ(read.samples.size(), tone.size());
  for (size_t i = 0; i < tone.size(); ++i) {
    EXPECT_NEAR(read.samples[i], tone[i], 1.0 / 32000);
  }
}

TEST(Sound, ReadsEveryFormatAndTheMeanOfItsChannels) {
  std::vector<float> stereo;
  for (const float x : Tone(300, 16000, 0.25)) {
    stereo.push_back(x);
    stereo.push_back(0);
  }
  for (const int format :
       {SF_FORMAT_WAV | SF_FORMAT_FLOAT, SF_FORMAT_WAV | SF_FORMAT_PCM_24,
        SF_FORMAT_FLAC | SF_FORMAT_PCM_16, SF_FORMAT_OGG | SF_FORMAT_VORBIS,
        SF_FORMAT_OGG | SF_FORMAT_OPUS}) {
    const Sound read =
        DecodeSound(Written(stereo, format, 16000, 2), "a sound");
    EXPECT_EQ(read.samples.size(), 4000u) << std::hex << format;
    double power = 0;
    for (const float x : read.samples) power += double{x} * x;
    EXPECT_NEAR(std::sqrt(power / 4000), 0.25 / std::numbers::sqrt2, 0.01)
        << std::hex << format;
  }
}

TEST(Sound, ResamplingKeepsATone) {
  const Sound at44 = {44100, Tone(440, 44100, 0.5)};
  const Sound at8 = Resampled(at44, 8000);
  EXPECT_EQ(at8.rate, 8000);
  EXPECT_NEAR(static_cast<double>(at8.samples.size()), 4000, 1);
  const std::vector<float> same = Tone(440, 8000, 0.5);
  for (size_t i = 500; i < 3500; ++i) {
    EXPECT_NEAR(at8.samples[i], same[i], 0.01);
  }
  // Frequencies above the new Nyquist limit are removed.
  const Sound high = Resampled({44100, Tone(9000, 44100, 0.5)}, 8000);
  for (size_t i = 500; i < 3500; ++i)
    EXPECT_LT(std::abs(high.samples[i]), 0.02);
}

TEST(Sound, RefusesWhatIsDamagedOrTooLargeInOneLine) {
  EXPECT_EQ(MessageOfSound("not a sound"),
            "a.wav: neither a WAV nor a FLAC nor an Ogg file");
  EXPECT_EQ(MessageOfSound(EncodeWav({}, 8000)),
            "a.wav: the sound has no samples");
  const std::string whole = EncodeWav(Tone(440, 8000, 0.1), 8000);
  EXPECT_EQ(MessageOfSound(whole.substr(0, 40)), "a.wav: a truncated WAV file");
  for (const int format :
       {SF_FORMAT_FLAC | SF_FORMAT_PCM_16, SF_FORMAT_OGG | SF_FORMAT_VORBIS}) {
    const std::string bytes = Written(Tone(440, 8000, 2), format, 8000);
    EXPECT_NE(MessageOfSound(bytes.substr(0, bytes.size() / 2)), "");
    EXPECT_NE(MessageOfSound(bytes.substr(0, bytes.size() - 1)), "");
  }
  const std::vector<float> many(3200, 0.1f);
  EXPECT_EQ(
      MessageOfSound(Written(many, SF_FORMAT_WAV | SF_FORMAT_PCM_16, 8000, 32)),
      "a.wav: 32 channels; 1 to 8 are read");
  EXPECT_EQ(MessageOfSound(EncodeWav(many, 7)),
            "a.wav: a rate of 7 Hz; 1000 to 192000 Hz are read");
  std::vector<float> holes = Tone(440, 8000, 0.1);
  holes[20] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(
      MessageOfSound(Written(holes, SF_FORMAT_WAV | SF_FORMAT_FLOAT, 8000)),
      "a.wav: sample 21 is not a finite number");
  for (const float huge : {3e38f, -3e38f, 2.2e9f}) {
    holes[20] = huge;
    EXPECT_THAT(
        MessageOfSound(Written(holes, SF_FORMAT_WAV | SF_FORMAT_FLOAT, 8000)),
        testing::StartsWith("a.wav: sample 21 is "));
  }
  // Samples with the range of 32-bit integers.
  holes[20] = -2147483648.0f;
  EXPECT_EQ(
      DecodeSound(Written(holes, SF_FORMAT_WAV | SF_FORMAT_FLOAT, 8000), "a")
          .samples[20],
      -2147483648.0f);
}

TEST(Sound, RefusesVorbisWithADamagedHeaderAndOneAfterAnother) {
  const std::string bytes =
      Written(Tone(440, 8000, 1), SF_FORMAT_OGG | SF_FORMAT_VORBIS, 8000);
  // Damages the version, then the name of the codebook header.
  const std::string header = "\x05vorbis";
  for (const size_t at : {bytes.find("\x01vorbis") + header.size(),
                          bytes.find(header) + header.size() - 1}) {
    std::string damaged = bytes;
    damaged[at] ^= 1;
    EXPECT_EQ(MessageOfSound(damaged),
              "a.wav: a damaged Ogg file: no header of Vorbis");
  }
  EXPECT_EQ(
      MessageOfSound(bytes + bytes),
      "a.wav: several sounds in an Ogg file; one is read, cut it into parts");
}

TEST(Sound, RefusesTenHoursByTheHeaderAlone) {
  // Ten hours of silence are small in FLAC, so the header is checked.
  std::string flac =
      Written(Tone(440, 8000, 1), SF_FORMAT_FLAC | SF_FORMAT_PCM_16, 8000);
  // STREAMINFO: the 36-bit number of samples ends at byte 26.
  const int64_t samples = 8000LL * 36000;
  for (int i = 0; i < 4; ++i) {
    At(flac, 25 - i) = static_cast<char>(samples >> (8 * i) & 0xff);
  }
  EXPECT_EQ(MessageOfSound(flac),
            "a.wav: a sound of 36000 s; at most 600 s are read, cut it into "
            "parts");
}

}  // namespace
}  // namespace heed
