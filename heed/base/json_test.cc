#include "heed/base/json.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "heed/base/errors.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

// The message of the FormatError that ParseJson throws, "" if it throws none.
std::string ErrorOf(const std::string& text, const JsonLimits& limits = {}) {
  try {
    (void)ParseJson(text, "f", limits);
  } catch (const FormatError& error) {
    return error.what();
  }
  return "";
}

std::string Nested(const std::string& open, const std::string& inner,
                   const std::string& close, int depth) {
  std::string text = inner;
  for (int i = 0; i < depth; ++i)
    text = fmt::format("{}{}{}", open, text, close);
  return text;
}

TEST(ParseJson, GivesWhatTheTextHolds) {
  const std::string text =
      R"({"z":1,"a":[true,false,null,-2,0.5,"é\n",[],{}],"":{"z":[[1],{"b":2}]}})";
  EXPECT_EQ(ParseJson(text, "f"), Json::parse(text));
  EXPECT_EQ(ParseJson(text, "f").begin().key(), "z") << "the order is kept";
  for (const char* scalar : {"1", "\"a\"", "null", "18446744073709551615"}) {
    EXPECT_EQ(ParseJson(scalar, "f"), Json::parse(scalar));
  }
}

TEST(ParseJson, NamesSourceAndLineOfAnError) {
  EXPECT_EQ(ErrorOf("{\n\"a\": 1,\n}"),
            "f: is not valid JSON (at line 3, column 1)");
  for (const char* text :
       {"", "{", "[1", "1 2", "1e999", "\xff", "{\"a\":\"\xc3\"}", "[1}"}) {
    EXPECT_NE(ErrorOf(text), "") << text;
  }
}

TEST(ParseJson, RefusesDeepNesting) {
  for (const int depth : {101, 1000000}) {
    EXPECT_EQ(ErrorOf(std::string(static_cast<size_t>(depth), '[')),
              "f: nested more than 100 deep");
  }
  std::string objects;
  for (int i = 0; i < 100000; ++i) objects += R"({"a":)";
  EXPECT_EQ(ErrorOf(objects), "f: nested more than 100 deep");
  EXPECT_EQ(ErrorOf(Nested("[", "", "]", 100)), "");
  EXPECT_EQ(ErrorOf(Nested("[", "", "]", 3), {.depth = 2}),
            "f: nested more than 2 deep");
}

TEST(ParseJson, RefusesMoreThanItsLimits) {
  EXPECT_EQ(ErrorOf("[1,2,[3]]", {.values = 5}), "");
  EXPECT_EQ(ErrorOf("[1,2,[3]]", {.values = 4}), "f: holds more than 4 values");
  EXPECT_EQ(ErrorOf(R"([{"a":1,"b":2},{"a":1,"b":2}])", {.names = 2}), "");
  EXPECT_EQ(ErrorOf(R"({"a":1,"b":2,"c":3})", {.names = 2}),
            "f: an object has more than 2 names");
  EXPECT_EQ(ErrorOf("[1,2]", {.bytes = 4}), "f: 5 bytes of JSON, more than 4");
}

TEST(ParseJson, RefusesANameThatStandsTwice) {
  EXPECT_EQ(ErrorOf(R"({"b":1,"a":2,"b":{}})"),
            R"(f: the name "b" stands twice in an object)");
  EXPECT_EQ(ErrorOf(R"({"a":{"a":{"a":1}},"b":{"a":1}})"), "");
}

// An algorithm of quadratic time would take hours here.
TEST(ParseJson, ReadsManyNamesInLinearTime) {
  std::string text = "{";
  for (int i = 0; i < 500000; ++i) text += fmt::format("\"name {}\":{},", i, i);
  text.back() = '}';
  const Json json = ParseJson(text, "f");
  EXPECT_EQ(json.size(), 500000u);
  EXPECT_EQ(json.back(), 499999);
}

// Adding members after a large first one must not copy it each time.
TEST(ParseJson, DoesNotCopyWhatIsClosed) {
  std::string text = "[1";
  for (int i = 0; i < 300000; ++i) text += ",1";
  text += ']';
  std::string others;
  for (int i = 0; i < 1000; ++i) others += fmt::format(",\"{}\":1", i);
  text = Nested(R"({"a":)", text, others + "}", 99);
  EXPECT_EQ(ParseJson(text, "f").size(), 1001u);
}

}  // namespace
}  // namespace heed
