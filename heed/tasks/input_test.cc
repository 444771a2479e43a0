#include "heed/tasks/input.h"

#include <gtest/gtest.h>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/tasks/predictor.h"

namespace heed {
namespace {

TEST(Input, ReadersSeeTextsAndTheNamesOfOtherBytes) {
  EXPECT_EQ(Input{"a b"}.Shown(), "a b");
  EXPECT_EQ((Input{std::vector<std::string>{"a", "b"}}.Shown()), "a\tb");
  EXPECT_EQ((Input{NamedBytes{"x.csv", "text/csv", "h\n1"}}.Shown()), "h\n1");
  EXPECT_EQ((Input{NamedBytes{"x.png", "image/png", "\x89PNG"}}.Shown()),
            "x.png");
}

TEST(Input, EndingsAreThoseOfTheMediaTypes) {
  const TemporaryFolder folder;
  const std::string path = folder.Put("one.wav", "RIFF");
  const InputKind sounds = {
      "sound", InputKind::Line::kPath, {"audio/flac", "audio/x-wav"}};
  const std::vector<Input> read = InputsOf(sounds, {path}, 7);
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0].number, 7);
  EXPECT_EQ(read[0].place, path);
  EXPECT_EQ(read[0].Text(), "RIFF");
  EXPECT_EQ(std::get<NamedBytes>(read[0].content).media_type, "audio/x-wav");
  EXPECT_EQ(MessageOf<FormatError>([&] { InputsOf(sounds, {"one.png"}, 0); }),
            "one.png: is no sound (read are: .flac, .wav)");
  EXPECT_EQ(MessageOf<FormatError>([&] { InputsOf(sounds, {"."}, 0); }),
            ".: is a folder, no sound (read are: .flac, .wav)");
}

TEST(Input, ALineThatNamesNoFileIsABadLine) {
  const InputKind sounds = {"sound", InputKind::Line::kPath, {"audio/x-wav"}};
  EXPECT_NE(MessageOf<FormatError>([&] {
              InputsOf(sounds, {"/none/of/these.wav"}, 0);
            }).find("/none/of/these.wav"),
            std::string::npos);
}

TEST(Input, LinesOfTextAreInputsWithTheirPlaces) {
  const std::vector<Input> read = InputsOf({}, {"a", "b"}, 4);
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[1].Text(), "b");
  EXPECT_EQ(read[1].place, "standard input:6");
}

TEST(Answers, GrowByWholeCharacters) {
  EXPECT_EQ(WithoutPartialEnd("caf\xC3"), "caf");
  EXPECT_EQ(WithoutPartialEnd("caf\xC3\xA9"), "café");
  EXPECT_EQ(WithoutPartialEnd("a\xF0\x9F\x99"), "a");
  EXPECT_EQ(WithoutPartialEnd("a\xF0\x9F\x99\x82"), "a🙂");
  EXPECT_EQ(WithoutPartialEnd("a\xEF\xBF\xBD\xEF\xBF\xBD"), "a");
  EXPECT_EQ(WithoutPartialEnd("\xA9"), "\xA9");
  EXPECT_EQ(WithoutPartialEnd(""), "");
}

}  // namespace
}  // namespace heed
