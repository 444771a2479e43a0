#include "heed/serve/prediction.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

TEST(DetailsOf, TakesAnswersApart) {
  EXPECT_EQ(DetailsOf("classify", {{"probabilities", false}}, "x", "a,b"),
            Json::parse(R"({"labels":[{"label":"a"},{"label":"b"}]})"));
  EXPECT_EQ(
      DetailsOf("classify", {{"probabilities", true}}, "x", "a\t0.75\tb\t0.25"),
      Json::parse(R"({"labels":[{"label":"a","probability":0.75},
                                      {"label":"b","probability":0.25}]})"));
  EXPECT_EQ(DetailsOf("tag", {{"probabilities", true}}, "a b", "X:y:0.5 O:1.0"),
            Json::parse(R"({"words":["a","b"],"tags":["X:y","O"],
                            "probabilities":[0.5,1.0]})"));
  EXPECT_EQ(DetailsOf("slots", Json::object(), "a b", "play\tO B-x"),
            Json::parse(R"({"intent":"play","words":["a","b"],
                            "tags":["O","B-x"]})"));
  EXPECT_EQ(
      DetailsOf("lm", {{"mode", "complete"}}, "a", "ab\t0.5"),
      Json::parse(R"({"completions":[{"word":"ab","probability":0.5}]})"));
  EXPECT_EQ(DetailsOf("lm", {{"mode", "score"}}, "a", "-1.5\t2\t3"),
            Json::parse(R"({"log_probability":-1.5,"tokens":2.0,
                            "perplexity":3.0})"));
  EXPECT_EQ(DetailsOf("lm", {{"mode", "sample"}}, "a", "ab\nac"),
            Json::parse(R"({"samples":["ab","ac"]})"));
  EXPECT_EQ(DetailsOf("pretrain", {{"mode", "words"}}, "a", "x\t0.5 ||| y\t1"),
            Json::parse(R"({"masks":[[{"word":"x","probability":0.5}],
                                     [{"word":"y","probability":1.0}]]})"));
  EXPECT_EQ(
      DetailsOf("retrieve", Json::object(), "a", "1\t1\t0.5\td7\tthe text"),
      Json::parse(R"({"hits":[{"score":0.5,"id":"d7",
                                     "text":"the text"}]})"));
  EXPECT_EQ(DetailsOf("forecast", Json::object(), "a", "step,x\n1,2.5"),
            Json::parse(R"({"rows":[[1.0,2.5]]})"));
}

TEST(DetailsOf, SeveralLinesAreAList) {
  EXPECT_EQ(DetailsOf("classify", Json::object(), "x\ny", "a\n"),
            Json::parse(R"([{"labels":[{"label":"a"}]},{"labels":[]}])"));
}

}  // namespace
}  // namespace heed
