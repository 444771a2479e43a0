#include "heed/base/json_elements.h"

#include <gtest/gtest.h>

#include <string>

#include "heed/base/errors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

std::string ElementsOf(const std::string& text, const JsonLimits& limits = {}) {
  std::string all;
  ForEachJsonElement(
      text, "f.json", "list",
      [&](int64_t index, const nlohmann::ordered_json& element) {
        all += std::to_string(index) + element.dump() + ";";
      },
      limits);
  return all;
}

TEST(JsonElements, AreVisitedInOrderAndOtherMembersSkipped) {
  EXPECT_EQ(ElementsOf(R"({"a": {"list": [9]}, "list": [1, "x", null, [2, [3]],
                           {"list": [4], "b": {}}], "c": [[], {"d": 1}]})"),
            R"(01;1"x";2null;3[2,[3]];4{"list":[4],"b":{}};)");
  EXPECT_EQ(ElementsOf(R"({"list": []})"), "");
}

TEST(JsonElements, ErrorsNameFileAndProblem) {
  const auto error = [](const std::string& text,
                        const JsonLimits& limits = {}) {
    return MessageOf<FormatError>([&] { ElementsOf(text, limits); });
  };
  EXPECT_EQ(error("[1]"), "f.json: is not a JSON object");
  EXPECT_EQ(error("3"), "f.json: is not a JSON object");
  EXPECT_EQ(error("{}"), "f.json: has no array 'list'");
  EXPECT_EQ(error(R"({"list": {}})"), "f.json: 'list' is not an array");
  EXPECT_EQ(error(R"({"list": 1})"), "f.json: 'list' is not an array");
  EXPECT_EQ(error(R"({"list": [], "list": []})"),
            "f.json: has two members 'list'");
  EXPECT_EQ(error("{\n\"list\": [1,}"),
            "f.json: is not valid JSON (at line 2, column 12)");
  EXPECT_EQ(error(R"({"list": [{"a": 1, "a": 2}]})"),
            "f.json: the name \"a\" stands twice in an object");
}

TEST(JsonElements, LimitsAreThoseOfAnElement) {
  const JsonLimits three = {.values = 3};
  EXPECT_EQ(ElementsOf(R"({"list": [[1, 2], [3, 4], [5, 6]]})", three),
            "0[1,2];1[3,4];2[5,6];");
  EXPECT_THROW(ElementsOf(R"({"list": [[1, 2, 3]]})", three), FormatError);
  EXPECT_THROW(ElementsOf(R"({"list": [)" + std::string(200, '[') +
                          std::string(200, ']') + "]}"),
               FormatError);
}

}  // namespace
}  // namespace heed
