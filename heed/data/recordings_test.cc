#include "heed/data/recordings.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "course/data/spoken_digits.h"
#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/data/sound.h"

namespace heed {
namespace {

TEST(Recordings, AreReadAtOneRateFromAList) {
  const TemporaryFolder folder;
  folder.Put("a.wav", EncodeWav(std::vector<float>(1600, 0.1f), 16000));
  folder.Put("b.wav", EncodeWav(std::vector<float>(800, 0.1f), 8000));
  const std::string list =
      folder.Put("list.tsv", "a.wav\tseven\tanna\nb.wav\ttwo three\n");
  const Recordings read = ReadRecordings(list, 8000);
  ASSERT_EQ(read.size(), 2);
  EXPECT_EQ(read.all[0].samples.size(), 800u);
  EXPECT_EQ(read.all[0].speaker, "anna");
  EXPECT_EQ(read.all[0].words.size(), 1u);
  EXPECT_EQ(read.all[1].text, "two three");
  EXPECT_TRUE(read.all[1].words.empty());
  folder.Put("list.tsv", "a.wav\tseven\nc.wav\ttwo\n");
  EXPECT_NE(MessageOf<IoError>([&] {
              ReadRecordings(list, 8000);
            }).find("list.tsv:2, "),
            std::string::npos);
  folder.Put("list.tsv", "a.wav\n");
  EXPECT_THROW(ReadRecordings(list, 8000), FormatError);
}

TEST(WordStrings, AreOfOneSpeakerAndTheSameByNumber) {
  const Recordings digits = MakeSpokenDigits({.speakers = 3, .takes = 2});
  const WordStrings strings(digits, {.seed = 5});
  EXPECT_EQ(strings.speakers(), 3);
  std::set<int64_t> lengths;
  for (int64_t i = 0; i < 60; ++i) {
    const Recording one = strings.At(i);
    EXPECT_EQ(one.samples, strings.At(i).samples);
    const auto words = std::ssize(one.words);
    lengths.insert(words);
    int64_t end = 0;
    for (const SampleRange& word : one.words) {
      EXPECT_GE(word.begin - end, 400);  // 50 ms
      EXPECT_LE(word.begin - end, 2400);
      end = word.end;
    }
    EXPECT_LE(end, std::ssize(one.samples));
  }
  EXPECT_EQ(lengths, (std::set<int64_t>{3, 4, 5, 6, 7, 8}));
  EXPECT_NE(strings.At(0).samples, strings.At(1).samples);
}

TEST(WordStrings, RepeatTheWholeString) {
  const Recordings digits = MakeSpokenDigits({.speakers = 1, .takes = 2});
  const Recording once = WordStrings(digits, {.seed = 5}).At(3);
  const Recording often = WordStrings(digits, {.repeat = 3, .seed = 5}).At(3);
  EXPECT_EQ(often.text, once.text + " " + once.text + " " + once.text);
  EXPECT_EQ(often.words.size(), 3 * once.words.size());
  EXPECT_THROW(WordStrings(Recordings(), {}), FormatError);
}

TEST(SpokenDigits, DifferByDigitSpeakerAndTake) {
  const Recordings few = MakeSpokenDigits({.speakers = 2, .takes = 2});
  ASSERT_EQ(few.size(), 40);
  const Recordings more = MakeSpokenDigits({.speakers = 3, .takes = 2});
  std::set<std::vector<float>> different;
  for (size_t i = 0; i < few.all.size(); ++i) {
    EXPECT_EQ(few.all[i].samples, more.all[i].samples);
    EXPECT_EQ(few.all[i].text, kDigitWords[i % 10]);
    different.insert(few.all[i].samples);
    const double seconds =
        static_cast<double>(few.all[i].samples.size()) / few.rate;
    EXPECT_GT(seconds, 0.1);
    EXPECT_LT(seconds, 1.2);
    for (const float x : few.all[i].samples) {
      ASSERT_TRUE(std::abs(x) <= 0.5001f);
    }
  }
  EXPECT_EQ(different.size(), few.all.size());
}

}  // namespace
}  // namespace heed
