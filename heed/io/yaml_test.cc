#include "heed/io/yaml.h"

#include <gtest/gtest.h>

#include "heed/base/errors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

std::string ErrorOf(const std::string& text) {
  return MessageOf<FormatError>([&] { ParseYaml(text, "file.yml"); });
}

TEST(Yaml, MapsAndSequencesOfTexts) {
  EXPECT_EQ(ParseYaml("type: transformer\n"
                      "dim-vocabs:\n  - 100\n  - 200\n"
                      "skip: false\nempty: []\nnone: ~\nblank:\n"
                      "layers: [1, 'two']\ninner: {a: \"b\\n\"}\n",
                      "file.yml"),
            (Json{{"type", "transformer"},
                  {"dim-vocabs", {"100", "200"}},
                  {"skip", "false"},
                  {"empty", Json::array()},
                  {"none", ""},
                  {"blank", ""},
                  {"layers", {"1", "two"}},
                  {"inner", {{"a", "b\n"}}}}));
}

TEST(Yaml, KeysMayBeAnyQuotedText) {
  EXPECT_EQ(ParseYaml("</s>: 0\n\"\\\"\": 1\n\"~\": 2\n'null': 3\n\":\": 4\n"
                      "\xE2\x96\x81"
                      "a: 5\n1: 6\n\"#\": 7\n",
                      "file.yml"),
            (Json{{"</s>", "0"},
                  {"\"", "1"},
                  {"~", "2"},
                  {"null", "3"},
                  {":", "4"},
                  {"\xE2\x96\x81"
                   "a",
                   "5"},
                  {"1", "6"},
                  {"#", "7"}}));
}

TEST(Yaml, EmptyTextIsNull) {
  EXPECT_TRUE(ParseYaml("", "file.yml").is_null());
}

TEST(Yaml, WhatCannotBeMeantIsRefusedWithItsLine) {
  EXPECT_EQ(ErrorOf("a: 1\nb: 2\na: 3\n"),
            "file.yml:3: the name \"a\" stands twice in an object");
  EXPECT_EQ(ErrorOf("a: 1\n~: 2\n"),
            "file.yml:2: a key is null; put it in quotes");
  EXPECT_EQ(ErrorOf("? [a]\n: 1\n"), "file.yml:1: a key must be a text");
  EXPECT_EQ(ErrorOf("a: &x 1\n"), "file.yml:1: anchors are not read");
  EXPECT_EQ(ErrorOf("a: 1\nb: *x\n").substr(0, 11), "file.yml:2:");
  EXPECT_EQ(ErrorOf("a: [1\n").substr(0, 9), "file.yml:");
}

TEST(Yaml, DeepNestingIsAnErrorAndNoCrash) {
  const std::string error = ErrorOf(std::string(100000, '['));
  EXPECT_EQ(error.substr(0, 9), "file.yml:") << error;
}

}  // namespace
}  // namespace heed
