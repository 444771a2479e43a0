#include "heed/data/wav.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/data/sound.h"

namespace heed {
namespace {

constexpr size_t kRiffSizeAt = 4;
constexpr size_t kFormatAt = 12;
constexpr size_t kDataAt = 36;

std::string Word(uint64_t value, int count = 4) {
  std::string bytes;
  for (int i = 0; i < count; ++i) {
    bytes += static_cast<char>(value >> (8 * i) & 0xff);
  }
  return bytes;
}

std::string Chunk(const std::string& name, const std::string& content) {
  return name + Word(content.size()) + content;
}

class StreamedWav : public testing::Test {
 protected:
  StreamedWav() {
    for (int i = 0; i < 200; ++i) {
      samples_.push_back(static_cast<float>(i % 20 - 10) / 20);
    }
    plain_ = EncodeWav(samples_, 8000);
  }

  std::string WithSizes(uint64_t riff, uint64_t data) const {
    std::string wav = plain_;
    wav.replace(kRiffSizeAt, 4, Word(riff));
    wav.replace(kDataAt + 4, 4, Word(data));
    return wav;
  }
  /// The plain file with another chunk before its samples.
  std::string With(const std::string& chunk) const {
    const std::string all =
        plain_.substr(kFormatAt - 4, kDataAt - kFormatAt + 4) + chunk +
        plain_.substr(kDataAt);
    return "RIFF" + Word(all.size()) + all;
  }
  /// Success if the sound equals that of the plain file, without messages.
  static testing::AssertionResult IsPlain(const std::string& wav,
                                          const std::string& plain) {
    testing::internal::CaptureStderr();
    const Sound read = DecodeSound(wav, "a.wav");
    const std::string reported = testing::internal::GetCapturedStderr();
    if (!reported.empty()) return testing::AssertionFailure() << reported;
    if (read.samples == DecodeSound(plain, "a.wav").samples) {
      return testing::AssertionSuccess();
    }
    return testing::AssertionFailure() << read.samples.size() << " samples";
  }

  std::vector<float> samples_;
  std::string plain_;
};

TEST_F(StreamedWav, IsReadToItsEndWhereTheSizeIsAPlaceholder) {
  for (const uint64_t size : {0x0u, 0x7FFFFFFFu, 0xFFFFFFFFu, 0x7FFFF000u,
                              0x80000000u, 0xFFFFFFDBu, 0x7F000000u}) {
    for (const uint64_t riff : {0x0ul, 0xFFFFFFFFul, 36 + size, 36ul}) {
      EXPECT_TRUE(IsPlain(WithSizes(riff, size), plain_))
          << size << " " << riff;
    }
  }
}

TEST_F(StreamedWav, OfExtensibleFormatIsReadToItsEnd) {
  const std::string format = plain_.substr(kFormatAt + 8, 16);
  const std::string guid("\x01\0\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71", 16);
  std::string extensible =
      "WAVE" + Chunk("fmt ", Word(0xFFFE, 2) + format.substr(2) + Word(22, 2) +
                                 Word(16, 2) + Word(4) + guid);
  extensible += Chunk("fact", Word(0)) + "data" + Word(0xFFFFFFFF) +
                plain_.substr(kDataAt + 8);
  EXPECT_TRUE(IsPlain("RIFF" + Word(0xFFFFFFFF) + extensible, plain_));
}

TEST_F(StreamedWav, OddChunksMayLackTheirPadByte) {
  const std::string odd = Chunk("LIST", "INFOISFT\x05\0\0\0Lavf5");
  ASSERT_EQ(odd.size() % 2, 1u);
  EXPECT_TRUE(IsPlain(With(odd), plain_));
  EXPECT_TRUE(IsPlain(With(odd + '\0'), plain_));
  EXPECT_TRUE(IsPlain(With(odd + 'x'), plain_));
  EXPECT_TRUE(IsPlain(With(odd + odd + odd), plain_));
  EXPECT_TRUE(IsPlain(With(Chunk("odd?", "a") + '\0'), plain_));
}

TEST_F(StreamedWav, ChunksBehindTheSamplesAreNotSamples) {
  EXPECT_TRUE(IsPlain(plain_ + Chunk("LIST", "INFO"), plain_));
  EXPECT_TRUE(IsPlain(plain_ + Chunk("id3 ", "abc"), plain_));
  // No samples, followed by another chunk.
  const std::string empty = EncodeWav({}, 8000) + Chunk("LIST", "INFO");
  EXPECT_EQ(MessageOf<FormatError>([&] { DecodeSound(empty, "a.wav"); }),
            "a.wav: the sound has no samples");
}

TEST_F(StreamedWav, SizesOf64BitsAreRead) {
  const std::string rest = plain_.substr(kFormatAt, kDataAt - kFormatAt) +
                           "data" + Word(0xFFFFFFFF) +
                           plain_.substr(kDataAt + 8);
  for (const uint64_t size : {uint64_t{400}, ~uint64_t{0}, uint64_t{0}}) {
    const std::string sizes = Chunk(
        "ds64", Word(~uint64_t{0}, 8) + Word(size, 8) + Word(0, 8) + Word(0));
    for (const char* name : {"RF64", "BW64"}) {
      EXPECT_TRUE(
          IsPlain(name + Word(0xFFFFFFFF) + "WAVE" + sizes + rest, plain_))
          << name << size;
    }
  }
}

TEST_F(StreamedWav, ATruncatedOneIsReadWithAWarning) {
  testing::internal::CaptureStderr();
  const Sound read =
      DecodeSound(plain_.substr(0, plain_.size() - 100), "a.wav");
  EXPECT_NE(testing::internal::GetCapturedStderr().find(
                "a.wav: a truncated WAV file: its header states 400 bytes of "
                "samples, but 300 follow; those are read\n"),
            std::string::npos);
  EXPECT_EQ(read.samples.size(), 150u);
}

TEST_F(StreamedWav, WithoutSamplesOrFormatIsRefused) {
  const auto error = [](const std::string& wav) {
    return MessageOf<FormatError>([&] { DecodeSound(wav, "a.wav"); });
  };
  EXPECT_EQ(error(plain_.substr(0, kDataAt)), "a.wav: a truncated WAV file");
  EXPECT_EQ(error(plain_.substr(0, kDataAt + 8)),
            "a.wav: the sound has no samples");
  EXPECT_EQ(error(plain_.substr(0, kFormatAt) + plain_.substr(kDataAt)),
            "a.wav: a damaged WAV file: samples without a format");
  std::string long_chunk = plain_;
  long_chunk.replace(kFormatAt + 4, 4, Word(1000000));
  EXPECT_EQ(error(long_chunk), "a.wav: a truncated WAV file");
}

}  // namespace
}  // namespace heed
