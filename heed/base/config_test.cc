#include "heed/base/config.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "heed/base/errors.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

struct InnerConfig {
  int width = 512;
  std::string score = "additive";

  void Visit(FieldList& v) {
    v("width", width, Range(1, 4096), "size of the state");
    v("score", score, OneOf{"additive", "dot"}, "score function");
  }
};

struct OuterConfig {
  bool reverse = false;
  int64_t steps = 5;
  uint64_t seed = 1;
  double rate = 0.001;
  double dropout = 0;
  std::string name = "x";
  std::vector<std::string> kinds;
  InnerConfig inner;

  void Visit(FieldList& v) {
    v.Section("Run");
    v("reverse", reverse, "reverse the source");
    v("steps", steps, AtLeast(1), "steps to take");
    v("seed", seed, "random seed");
    v("learning_rate", rate, Above(0), "step size");
    v("dropout", dropout, UpToBelow(0, 1), "share of units dropped");
    v("name", name, "any name");
    v("kinds", kinds, OneOf{"a", "b"}, "kinds to use");
    v.Section("Model");
    inner.Visit(v);
  }
};

enum class Colour : uint8_t { kRed, kGreen };
constexpr auto WordsOf(Colour) { return std::array{"red", "green"}; }

struct PaintConfig {
  Named<Colour> wall = Colour::kGreen;
  Auto<Colour> door;

  void Visit(FieldList& v) {
    v("wall", wall, "colour of the wall");
    v("door", door, OneOf{"auto", "red"}, "colour of the door");
  }
};

TEST(Config, EnumsAreWrittenAsTheirWords) {
  PaintConfig config;
  EXPECT_EQ(ToJson(config), Json::parse(R"({"wall":"green","door":"auto"})"));
  EXPECT_TRUE(config.door.open());
  FromJson(config, Json::parse(R"({"wall":"red","door":"red"})"), "paint.json");
  EXPECT_EQ(config.wall, Colour::kRed);
  EXPECT_EQ(config.door.value(), Colour::kRed);
  FieldsOf(config)[1].SetText({"auto"}, "--door");
  EXPECT_TRUE(config.door.open());
  EXPECT_EQ(FieldsOf(config)[0].TypeName(), "red|green");
  EXPECT_EQ(FieldsOf(config)[1].TypeName(), "auto|red");
}

TEST(Config, WordsThatAnEnumHasNotAreRefused) {
  PaintConfig config;
  const auto refusal = [&](const char* json) -> std::string {
    try {
      FromJson(config, Json::parse(json), "paint.json");
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal(R"({"wall":"gren"})"),
            "paint.json: wall is \"gren\", must be one of red, green, did you "
            "mean 'green'?");
  EXPECT_NE(refusal(R"({"door":"green"})").find("one of auto, red"),
            std::string::npos)
      << "only some of the words are allowed";
  EXPECT_NE(refusal(R"({"wall":3})").find("must be a text"), std::string::npos);
  EXPECT_THROW(config.wall = "blue", ConfigError);
  EXPECT_EQ(config.wall, Colour::kGreen);
}

// The message of the ConfigError that FromJson throws, "" if it throws none.
std::string Refusal(const std::string& json) {
  OuterConfig config;
  try {
    FromJson(config, Json::parse(json), "run.json");
  } catch (const ConfigError& error) {
    EXPECT_EQ(ToJson(config), ToJson(OuterConfig())) << "was changed";
    return error.what();
  }
  return "";
}

TEST(Config, RoundTripsThroughJsonInOrder) {
  OuterConfig config;
  config.reverse = true;
  config.steps = int64_t{1} << 60;
  config.seed = std::numeric_limits<uint64_t>::max();
  config.rate = 0.1;
  config.name = "größe \"q\"";
  config.kinds = {"b", "a"};
  config.inner.score = "dot";
  const std::string text = ToJson(config).dump();
  EXPECT_EQ(text,
            R"({"reverse":true,"steps":1152921504606846976,)"
            R"("seed":18446744073709551615,"learning_rate":0.1,"dropout":0.0,)"
            R"("name":"größe \"q\"","kinds":["b","a"],)"
            R"("width":512,"score":"dot"})");
  OuterConfig copy;
  FromJson(copy, Json::parse(text), "text");
  EXPECT_EQ(ToJson(copy).dump(), text);
}

TEST(Config, MissingKeysKeepTheirValues) {
  OuterConfig config;
  FromJson(config, Json::parse(R"({"width": 7, "learning_rate": 2})"), "j");
  EXPECT_EQ(config.inner.width, 7);
  EXPECT_EQ(config.rate, 2);
  EXPECT_EQ(config.steps, 5);
}

TEST(Config, UnknownKeyNamesFileSuggestsAndListsValidKeys) {
  EXPECT_EQ(Refusal(R"({"lerning_rate": 1})"),
            "run.json: unknown key \"lerning_rate\", did you mean "
            "'learning_rate'? (valid: reverse, steps, seed, learning_rate, "
            "dropout, name, kinds, width, score)");
  EXPECT_NE(Refusal(R"({"zebra": 1})").find("\"zebra\" (valid: reverse, "),
            std::string::npos);
}

TEST(Config, OutOfRangeGivesValueKeyAndRange) {
  EXPECT_EQ(Refusal(R"({"width": 0})"),
            "run.json: width is 0, must be 1 to 4096");
  EXPECT_EQ(Refusal(R"({"steps": 0})"),
            "run.json: steps is 0, must be at least 1");
  EXPECT_EQ(Refusal(R"({"learning_rate": 0})"),
            "run.json: learning_rate is 0, must be above 0");
  EXPECT_EQ(Refusal(R"({"dropout": 1})"),
            "run.json: dropout is 1, must be 0 to below 1");
  EXPECT_EQ(Refusal(R"({"dropout": 0.999})"), "");
}

TEST(Config, WrongTypesAreRefused) {
  EXPECT_EQ(Refusal(R"({"width": "7"})"),
            "run.json: width is \"7\", must be a whole number");
  for (const char* json :
       {R"({"width": 7.5})", R"({"width": 3000000000})", R"({"width": null})",
        R"({"steps": 9223372036854775808})", R"({"seed": -1})",
        R"({"reverse": 1})", R"({"learning_rate": "1"})", R"({"name": 3})",
        R"({"kinds": 1})", R"({"kinds": [1]})", R"([1])", "3"}) {
    EXPECT_NE(Refusal(json), "") << json;
  }
}

TEST(Config, ChoicesAreCheckedAlsoInLists) {
  EXPECT_EQ(Refusal(R"({"score": "aditive"})"),
            "run.json: score is \"aditive\", must be one of additive, dot, "
            "did you mean 'additive'?");
  EXPECT_EQ(Refusal(R"({"kinds": ["a", "c"]})"),
            "run.json: kinds is \"c\", must be one of a, b");
}

TEST(Config, LongValuesAreShortenedBetweenCharacters) {
  std::string name = "x";
  for (int i = 0; i < 50; ++i) name += "ü";
  const std::string message = Refusal(R"({"width": ")" + name + "\"}");
  EXPECT_LT(message.size(), 120u);
  EXPECT_NE(message.find("ü..., must be"), std::string::npos) << message;
}

TEST(Config, CheckRefusesNonFiniteAndOutOfRangeMembers) {
  OuterConfig config;
  EXPECT_NO_THROW(Check(config));
  config.rate = std::nan("");
  EXPECT_THROW(Check(config), ConfigError);
  config.rate = std::numeric_limits<double>::infinity();
  EXPECT_THROW(Check(config), ConfigError);
  config.rate = 1;
  config.inner.width = 5000;
  EXPECT_THROW(Check(config), ConfigError);
}

TEST(Config, DescribeGivesTypeDefaultRangeAndSection) {
  const auto fields = Describe(OuterConfig());
  ASSERT_EQ(fields.size(), 9u);
  EXPECT_EQ(fields[3].key, "learning_rate");
  EXPECT_EQ(fields[3].type, "number");
  EXPECT_EQ(fields[3].default_value, "0.001");
  EXPECT_EQ(fields[3].range, "above 0");
  EXPECT_EQ(fields[3].help, "step size");
  EXPECT_EQ(fields[3].section, "Run");
  EXPECT_EQ(fields[8].type, "additive|dot");
  EXPECT_EQ(fields[8].default_value, "additive");
  EXPECT_EQ(fields[8].section, "Model");
}

TEST(Config, KeyDescribedTwiceIsAnError) {
  int a = 0, b = 0;
  FieldList v;
  v("key", a, "first");
  EXPECT_THROW(v("key", b, "second"), ConfigError);
}

TEST(Config, ATextForAListIsAListOfOne) {
  OuterConfig config;
  FromJson(config, Json::parse(R"({"kinds": "a"})"), "j");
  EXPECT_EQ(config.kinds, std::vector<std::string>{"a"});
  FromJson(config, Json::parse(R"({"kinds": ""})"), "j");
  EXPECT_TRUE(config.kinds.empty());
}

struct AliasConfig {
  double rate = 1;
  int other = 2;

  void Visit(FieldList& v) {
    v("learning_rate", rate, "step size").Alias("lr").Alias("step_size").Main();
    v("other", other, "something else");
  }
};

TEST(Config, AnAliasStandsForItsKey) {
  AliasConfig config;
  const std::vector<Field> fields = FieldsOf(config);
  EXPECT_EQ(
      fields[0].OptionNames(),
      (std::vector<std::string>{"--learning-rate", "--lr", "--step-size"}));
  EXPECT_TRUE(fields[0].main);
  EXPECT_FALSE(fields[1].main);
  EXPECT_EQ(FindField(fields, "lr"), &fields[0]);
  EXPECT_EQ(FindField(fields, "l"), nullptr);
  FromJson(config, Json::parse(R"({"lr": 3})"), "j");
  EXPECT_EQ(config.rate, 3);
  EXPECT_EQ(ToJson(config).dump(), R"({"learning_rate":3.0,"other":2})");
  EXPECT_THROW(
      FromJson(config, Json::parse(R"({"lr": 3, "learning_rate": 4})"), "j"),
      ConfigError);
}

TEST(Config, AnAliasThatIsTakenIsAnError) {
  int a = 0, b = 0;
  FieldList v;
  v("one", a, "first").Alias("two");
  EXPECT_THROW(v("two", b, "second"), ConfigError);
  v("three", b, "third");
  EXPECT_THROW(v.Alias("one"), ConfigError);
  EXPECT_THROW(v.Alias("two"), ConfigError);
}

TEST(Config, UnknownKeyNamesTheNearestOfMany) {
  std::vector<int> values(20);
  FieldList v;
  for (size_t i = 0; i < values.size(); ++i) {
    v("number_" + std::string(1, static_cast<char>('a' + i)), values[i], "one");
  }
  try {
    FieldsFromJson(v.fields(), Json::parse(R"({"numbr_c": 1})"), "j");
    FAIL();
  } catch (const ConfigError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("did you mean 'number_c'"), std::string::npos)
        << message;
    EXPECT_LT(message.size(), 120u) << message;
  }
}

TEST(Field, SetTextReadsEveryType) {
  OuterConfig config;
  const auto fields = FieldsOf(config);
  fields[0].SetText({"true"}, "--reverse");
  fields[1].SetText({"12"}, "--steps");
  fields[2].SetText({"18446744073709551615"}, "--seed");
  fields[3].SetText({"1e-4"}, "--learning-rate");
  fields[6].SetText({"a", "b"}, "--kinds");
  EXPECT_TRUE(config.reverse);
  EXPECT_EQ(config.steps, 12);
  EXPECT_EQ(config.seed, std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(config.rate, 1e-4);
  EXPECT_EQ(config.kinds, (std::vector<std::string>{"a", "b"}));
}

TEST(Field, SetTextRefusesWhatIsNotWhollyAValue) {
  OuterConfig config;
  const auto fields = FieldsOf(config);
  for (const char* word :
       {"", "x", "1x", "1.5", " 1", "99999999999999999999"}) {
    EXPECT_THROW(fields[1].SetText({word}, "--steps"), ConfigError) << word;
  }
  for (const char* word : {"nan", "inf", "1e999", "0.1.2"}) {
    EXPECT_THROW(fields[3].SetText({word}, "--rate"), ConfigError) << word;
  }
  EXPECT_THROW(fields[1].SetText({"1", "2"}, "--steps"), ConfigError);
  EXPECT_EQ(ToJson(config), ToJson(OuterConfig()));
}

TEST(Field, OptionNameIsKebabCase) {
  OuterConfig config;
  EXPECT_EQ(FieldsOf(config)[3].OptionName(), "--learning-rate");
}

TEST(NearestName, CountsEditsAndGivesUpWhenFar) {
  const std::vector<std::string> names = {"epochs", "patience", "beam"};
  EXPECT_EQ(NearestName("epohcs", names), "epochs");
  EXPECT_EQ(NearestName("epoch", names), "epochs");
  EXPECT_EQ(NearestName("beams", names), "beam");
  EXPECT_EQ(NearestName("patiense", names), "patience");
  EXPECT_EQ(NearestName("bleu", names), "");
  EXPECT_EQ(NearestName("", names), "");
  EXPECT_EQ(NearestName("x", {"y"}), "");
  EXPECT_EQ(NearestName(std::string(1000000, 'e'), names), "");
}

TEST(NearestNames, AreThoseOfFewEditsThenThoseThatHoldTheWord) {
  const std::vector<std::string> names = {"length", "max_length", "strength",
                                          "beam"};
  EXPECT_EQ(NearestNames("lenght", names, 3),
            (std::vector<std::string>{"length"}));
  EXPECT_EQ(NearestNames("max_lenght", names, 3),
            (std::vector<std::string>{"max_length"}));
  EXPECT_EQ(NearestNames("length", names, 2),
            (std::vector<std::string>{"length", "max_length"}));
  EXPECT_EQ(NearestNames("length_limit", names, 3),
            (std::vector<std::string>{"length"}));
  EXPECT_TRUE(NearestNames("zebra", names, 3).empty());
  EXPECT_TRUE(NearestNames("", names, 3).empty());
}

/// Config with a member that has an effect only for one value of another
/// member, and a member without any effect.
struct Idle {
  std::string optimizer = "adam";
  double momentum = 0;
  double smoothing = 0.1;

  void Visit(FieldList& v) {
    v("optimizer", optimizer, OneOf{"adam", "sgd"}, "update rule");
    v("momentum", momentum, Range(0, 1), "momentum factor")
        .If(optimizer == "sgd", "--optimizer sgd");
    v("smoothing", smoothing, Range(0, 1), "of labels");
    v.Remove("smoothing", "there are no labels");
    v.Remove("absent", "");
  }
};

TEST(FieldList, KnowsWhatAFieldNeedsToAct) {
  Idle config;
  EXPECT_EQ(FindField(FieldsOf(config), "momentum")->needs, "--optimizer sgd");
  config.optimizer = "sgd";
  EXPECT_EQ(FindField(FieldsOf(config), "momentum")->needs, "");
  FieldList list;
  config.Visit(list);
  list.If("momentum", false, "a miracle");
  list.If("absent", false, "nothing");
  EXPECT_EQ(FindField(list.fields(), "momentum")->needs, "a miracle");
}

TEST(FieldList, KeepsWhyAFieldWasRemoved) {
  Idle config;
  FieldList list;
  config.Visit(list);
  EXPECT_EQ(FindField(list.fields(), "smoothing"), nullptr);
  ASSERT_EQ(list.removed().size(), 1);
  EXPECT_EQ(list.removed()[0].field.key, "smoothing");
  EXPECT_EQ(list.removed()[0].reason, "there are no labels");
}

}  // namespace
}  // namespace heed
