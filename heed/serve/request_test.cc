#include "heed/serve/request.h"

#include <gtest/gtest.h>

#include "heed/base/testing.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

HttpRequest Body(const std::string& type, const std::string& body) {
  HttpRequest request;
  if (!type.empty()) request.headers = {{"Content-Type", type}};
  request.body = body;
  return request;
}

std::string Refusal(const HttpRequest& request) {
  return MessageOf<HttpError>([&] { ParametersOf(request); });
}

TranslateCall Translate(Json changes) {
  Json whole = {{"q", "a"}, {"source", "de"}, {"target", "en"}};
  whole.update(changes);
  RequestLimits limits;
  limits.char_limit = 10;
  limits.batch_limit = 3;
  return ParseTranslate(whole, limits);
}

std::string TranslateRefusal(const Json& changes) {
  return MessageOf<HttpError>([&] { Translate(changes); });
}

TEST(ParametersOf, ReadsEveryKindOfBody) {
  const Json expected = {{"q", "a b"}, {"x", "ö"}};
  EXPECT_EQ(ParametersOf(Body("application/json", R"({"q":"a b","x":"ö"})")),
            expected);
  EXPECT_EQ(ParametersOf(Body("", R"( {"q":"a b","x":"ö"})")), expected);
  EXPECT_EQ(
      ParametersOf(Body("application/x-www-form-urlencoded; charset=utf-8",
                        "q=a+b&x=%c3%b6")),
      expected);
  EXPECT_EQ(
      ParametersOf(Body("multipart/form-data; boundary=\"B\"",
                        "--B\r\nContent-Disposition: form-data; name=\"q\"\r\n"
                        "\r\na b\r\n--B\r\nContent-Type: text/plain\r\n"
                        "content-disposition: form-data; name=x\r\n\r\nö\r\n"
                        "--B--\r\n")),
      expected);
  EXPECT_EQ(ParametersOf(Body("application/json", " \n")), Json::object());
}

TEST(ParametersOf, TheBodyIsOverTheQuery) {
  HttpRequest request = Body("application/json", R"({"q": 1})");
  request.query = {{"q", "query"}, {"source", "de"}};
  EXPECT_EQ(ParametersOf(request), (Json{{"q", 1}, {"source", "de"}}));
}

TEST(ParametersOf, ANameTwiceIsAList) {
  EXPECT_EQ(ParametersOf(
                Body("application/x-www-form-urlencoded", "q=a&q=b&q=c"))["q"],
            (Json{"a", "b", "c"}));
}

TEST(ParametersOf, LineEndsOfFormsAreOneCharacter) {
  EXPECT_EQ(ParametersOf(Body("application/x-www-form-urlencoded",
                              "q=a%0D%0Ab%0Dc%0Ad"))["q"],
            "a\nb\nc\nd");
}

TEST(ParametersOf, SaysWhereJsonIsWrong) {
  EXPECT_NE(Refusal(Body("application/json", "{\n \"q\": x}"))
                .find("line 2, column 7"),
            std::string::npos);
  for (const char* body :
       {"[]", "5", "null", "{\"q\": \"\xff\"}", "{\"a\":1"}) {
    EXPECT_TRUE(Refusal(Body("application/json", body))
                    .starts_with("Invalid JSON format"))
        << body;
  }
  const std::string deep(1 << 20, '[');
  EXPECT_NE(Refusal(Body("application/json", "{\"q\":" + deep)).find("deep"),
            std::string::npos);
}

// `count` names in the format of `pair`, where '#' is the number.
std::string Names(int count, const std::string& pair,
                  const std::string& separator) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    std::string name = pair;
    name.replace(name.find('#'), 1, std::to_string(i));
    text += (i == 0 ? "" : separator) + name;
  }
  return text;
}

TEST(ParametersOf, TakesAHundredNames) {
  constexpr int kMax = 100;
  const auto refusals = [](int count) {
    HttpRequest query;
    query.query = ParseForm(Names(count, "#=1", "&"));
    const std::string part =
        "Content-Disposition: form-data; name=\"#\"\r\n\r\nx\r\n";
    return std::vector<std::string>{
        Refusal(
            Body("application/json", "{" + Names(count, "\"#\":1", ",") + "}")),
        Refusal(Body("application/json",
                     "{\"a\":[{" + Names(count, "\"#\":1", ",") + "}]}")),
        Refusal(Body("application/x-www-form-urlencoded",
                     Names(count, "#=1", "&"))),
        Refusal(Body("multipart/form-data; boundary=b",
                     "--b\r\n" + Names(count, part, "--b\r\n") + "--b--")),
        Refusal(query)};
  };
  for (const std::string& refusal : refusals(kMax)) {
    EXPECT_EQ(refusal, "no error");
  }
  // Quadratic time would take minutes here.
  for (const int count : {kMax + 1, 100000}) {
    for (const std::string& refusal : refusals(count)) {
      EXPECT_NE(refusal.find("more than 100"), std::string::npos) << refusal;
    }
  }
  HttpRequest both =
      Body("application/json", "{" + Names(60, "\"a#\":1", ",") + "}");
  both.query = ParseForm(Names(60, "b#=1", "&"));
  EXPECT_NE(Refusal(both).find("more than 100 parameters"), std::string::npos);
}

TEST(ParametersOf, TakesManyValuesOfOneName) {
  constexpr int kMany = 200000;
  const Json form = ParametersOf(
      Body("application/x-www-form-urlencoded", Names(kMany, "q=#", "&")));
  EXPECT_EQ(form["q"].size(), size_t{kMany});
  const Json json = ParametersOf(Body(
      "application/json", "{\"q\":[" + Names(kMany, "{\"a\":#}", ",") + "]}"));
  EXPECT_EQ(json["q"].size(), size_t{kMany});
}

TEST(ParametersOf, TakesShortNames) {
  const std::string name(kLongestParameterName, 'n');
  EXPECT_EQ(Refusal(Body("application/json", "{\"" + name + "\":1}")),
            "no error");
  for (const std::string& body : {"{\"" + name + "n\":1}", name + "n=1"}) {
    EXPECT_NE(Refusal(Body(body[0] == '{' ? "application/json"
                                          : "application/x-www-form-urlencoded",
                           body))
                  .find("more than 100 bytes"),
              std::string::npos);
  }
}

TEST(ParametersOf, RefusesOtherBodies) {
  for (const char* body : {"", "--B", "--B\r\n\r\nx", "--B\r\n--B--",
                           "--B\r\na\r\n\r\n\xff\r\n--B--"}) {
    if (*body == 0) continue;
    EXPECT_NE(Refusal(Body("multipart/form-data; boundary=B", body)),
              "no error")
        << body;
  }
  EXPECT_NE(Refusal(Body("multipart/form-data", "x")).find("boundary"),
            std::string::npos);
  try {
    ParametersOf(Body("image/png", "x"));
    FAIL();
  } catch (const HttpError& error) {
    EXPECT_EQ(error.status(), 415);
  }
}

TEST(ParseTranslate, ReadsWhatLibreTranslateReads) {
  TranslateCall call = Translate({{"alternatives", "2"},
                                  {"format", "html"},
                                  {"stream", true},
                                  {"confidence", "true"},
                                  {"secret", "x"}});
  EXPECT_EQ(call.texts, std::vector<std::string>{"a"});
  EXPECT_FALSE(call.batch);
  EXPECT_EQ(call.source + call.target, "deen");
  EXPECT_EQ(call.alternatives, 2);
  EXPECT_EQ(call.format, TextFormat::kHtml);
  EXPECT_TRUE(call.stream);
  EXPECT_TRUE(call.confidence);
  EXPECT_FALSE(call.beam);
  call = Translate({{"q", {"x", ""}}, {"beam", 3}, {"alternatives", -1}});
  EXPECT_TRUE(call.batch);
  EXPECT_EQ(call.texts.size(), 2u);
  EXPECT_EQ(call.beam, 3);
  EXPECT_EQ(call.alternatives, 0);
}

TEST(ParseTranslate, RecognisesMarkdownWhereNoFormatIsGiven) {
  for (const char* text : {"## A b", "a\n\n> b c", "a\n# b"}) {
    EXPECT_EQ(Translate({{"q", text}}).format, TextFormat::kMarkdown) << text;
    EXPECT_EQ(Translate({{"q", text}, {"format", "text"}}).format,
              TextFormat::kText)
        << text;
  }
  for (const char* text : {"#tag a", "a > b", "####### a", "#", "1. a\n- b"}) {
    EXPECT_EQ(Translate({{"q", text}}).format, TextFormat::kText) << text;
  }
}

TEST(ParseTranslate, UsesLibreTranslatesWords) {
  EXPECT_EQ(TranslateRefusal({{"q", nullptr}}),
            "Invalid request: missing q parameter");
  EXPECT_EQ(TranslateRefusal({{"source", ""}}),
            "Invalid request: missing source parameter");
  EXPECT_EQ(TranslateRefusal({{"format", "xml"}}),
            "xml format is not supported");
  EXPECT_EQ(TranslateRefusal({{"alternatives", "x"}}),
            "Invalid request: alternatives parameter is not a number");
  EXPECT_EQ(TranslateRefusal({{"q", {"a", "b", "c", "d"}}}),
            "Invalid request: request (4) exceeds text limit (3)");
  EXPECT_EQ(TranslateRefusal({{"q", "ööööööööööö"}}),
            "Invalid request: request (11) exceeds text limit (10)");
  EXPECT_EQ(TranslateRefusal({{"q", "öööööööööö"}}), "no error");
}

TEST(ParseTranslate, NamesParametersOfWrongTypes) {
  EXPECT_NE(TranslateRefusal({{"q", {"a", 1}}}).find("q[1]"),
            std::string::npos);
  for (const char* name : {"q", "source", "target", "format", "alternatives",
                           "beam", "model", "stream", "confidence"}) {
    EXPECT_NE(TranslateRefusal({{name, {{"a", 1}}}}).find(name),
              std::string::npos)
        << name;
  }
  EXPECT_NE(TranslateRefusal({{"beam", 9e99}}).find("beam"), std::string::npos);
}

TEST(ParsePredict, KeepsTheOptions) {
  const ModelCall call = ParsePredict(
      {{"text", {"a"}}, {"model", "m"}, {"api_key", "k"}, {"beam", 2}}, {}, {});
  EXPECT_EQ(call.options, (Json{{"beam", 2}}));
  EXPECT_EQ(ModelOf({{"model", "m"}}), "m");
  EXPECT_TRUE(call.batch);
}

const InputKind kPictures = {.name = "picture",
                             .media_types = {"image/png", "text/x-cells"}};

TEST(ParsePredict, WhatIsMissingIsWhatTheModelReads) {
  const auto refusal = [](const InputKind& kind) {
    return MessageOf<HttpError>([&] { ParsePredict({}, kind, {}); });
  };
  EXPECT_EQ(refusal(kPictures), "Invalid request: missing file parameter");
  EXPECT_EQ(refusal({}), "Invalid request: missing text parameter");
}

TEST(ParsePredict, AListInAListIsOneInput) {
  const ModelCall call =
      ParsePredict({{"text", {"a", Json::array({"b", "c"})}}}, {}, {});
  ASSERT_EQ(call.inputs.size(), 2u);
  EXPECT_EQ(call.inputs[0].Text(), "a");
  EXPECT_EQ(call.inputs[1].Text(), "b\tc");
  EXPECT_EQ(call.inputs[1].place, "text[1]");
}

/// Form data with one file; `type` "": without Content-Type.
HttpRequest FormOfFile(const std::string& parameter, const std::string& name,
                       const std::string& type, const std::string& bytes) {
  std::string part = "--x\r\nContent-Disposition: form-data; name=\"" +
                     parameter + "\"; filename=\"" + name + "\"\r\n";
  if (!type.empty()) part += "Content-Type: " + type + "\r\n";
  return Body("multipart/form-data; boundary=x",
              part + "\r\n" + bytes + "\r\n--x--\r\n");
}

TEST(ParsePredict, TakesFilesAsBase64AndAsFormData) {
  const Json file = {
      {"name", "a.png"}, {"media_type", "image/png"}, {"base64", "AP8="}};
  const HttpRequest form =
      FormOfFile("file", "a.png", "image/png", std::string("\0\xFF", 2));
  for (const Json& parameters : {Json{{"file", file}}, ParametersOf(form)}) {
    const ModelCall call = ParsePredict(parameters, kPictures, {});
    ASSERT_EQ(call.inputs.size(), 1u);
    const auto& bytes = std::get<NamedBytes>(call.inputs[0].content);
    EXPECT_EQ(bytes.name, "a.png");
    EXPECT_EQ(bytes.media_type, "image/png");
    EXPECT_EQ(bytes.bytes, std::string("\0\xFF", 2));
    EXPECT_FALSE(call.batch);
  }
}

TEST(ParsePredict, AFileOfPlainTextIsATextForModelsOfText) {
  const Json file = {
      {"name", "in.txt"}, {"media_type", "text/plain"}, {"base64", "YQpi"}};
  for (const Json& parameters :
       {Json{{"file", file}},
        ParametersOf(FormOfFile("file", "in.txt", "text/plain", "a\nb")),
        ParametersOf(FormOfFile("file", "in.txt", "", "a\nb"))}) {
    const ModelCall call = ParsePredict(parameters, {}, {});
    ASSERT_EQ(call.inputs.size(), 1u);
    EXPECT_EQ(std::get<std::string>(call.inputs[0].content), "a\nb");
    EXPECT_EQ(call.inputs[0].place, "in.txt");
    RequestLimits limits;
    limits.char_limit = 2;
    EXPECT_THROW(ParsePredict(parameters, {}, limits), HttpError);
  }
}

TEST(ParsePredict, AFileOfPlainTextIsATextWhereATextIsMeant) {
  const Json parameters =
      ParametersOf(FormOfFile("text", "in.txt", "text/plain", "a\r\nb"));
  EXPECT_EQ(parameters, (Json{{"text", "a\nb"}}));
}

TEST(ParsePredict, OfAMediaTypeThatIsNotReadTheListIsGiven) {
  const auto refused = [](const Json& parameters, const InputKind& kind) {
    try {
      ParsePredict(parameters, kind, {});
    } catch (const HttpError& error) {
      EXPECT_EQ(error.status(), 415);
      return std::string(error.what());
    }
    return std::string("taken");
  };
  EXPECT_EQ(refused({{"file", {{"media_type", "audio/wav"}, {"base64", "AA"}}}},
                    kPictures),
            "the model reads image/png, text/x-cells, not audio/wav");
  EXPECT_EQ(
      refused({{"file", {{"media_type", "audio/wav"}, {"base64", "AA"}}}}, {}),
      "the model reads text/plain, not audio/wav");
  EXPECT_EQ(refused({{"text", "a"}}, kPictures),
            "the model reads image/png, text/x-cells, not text/plain");
  const HttpRequest plain = FormOfFile("file", "a.txt", "text/plain", "a");
  EXPECT_EQ(refused(ParametersOf(plain), kPictures),
            "the model reads image/png, text/x-cells, not text/plain");
}

TEST(ParsePredict, OfBytesOfNoTypeTheEndingOfTheNameSaysIt) {
  constexpr const char* kOctets = "application/octet-stream";
  const auto type_of = [&](const char* name) {
    const Json parameters =
        ParametersOf(FormOfFile("file", name, kOctets, "\x89P"));
    const ModelCall call = ParsePredict(parameters, kPictures, {});
    return std::get<NamedBytes>(call.inputs.at(0).content).media_type;
  };
  EXPECT_EQ(type_of("a.PNG"), "image/png");
  EXPECT_EQ(type_of("b.cells"), "text/x-cells");
  EXPECT_THROW(type_of("a.wav"), HttpError);
  EXPECT_THROW(type_of("a"), HttpError);
}

TEST(ParsePredict, BytesOfATextKindMayBeSentAsText) {
  const InputKind table = {.name = "table", .media_types = {"text/csv"}};
  const ModelCall call = ParsePredict({{"text", "a,b\n1,2"}}, table, {});
  EXPECT_EQ(std::get<NamedBytes>(call.inputs[0].content).media_type,
            "text/csv");
}

TEST(ParseExplain, OfATranslatorTheLimitIsThatOfASentence) {
  RequestLimits limits;
  limits.explain_limit = 20;
  const nlohmann::ordered_json two = {
      {"text", "The man is here. The woman is not."}};
  EXPECT_THROW(ParseExplain(two, {}, limits), HttpError);
  EXPECT_EQ(ParseExplain(two, {}, limits, true).input.Text(), two["text"]);
  nlohmann::ordered_json forced = two;
  forced["answer"] = "Ja.";
  EXPECT_THROW(ParseExplain(forced, {}, limits, true), HttpError);
}

TEST(ParseExplain, OfManySentencesThereIsALimitOfAll) {
  RequestLimits limits;
  limits.explain_limit = 20;
  std::string text;
  for (int i = 0; i < 4; ++i) text += "The man is here.  ";
  EXPECT_NO_THROW(ParseExplain({{"text", text}}, {}, limits, true));
  text += "The man is here.";
  EXPECT_THROW(ParseExplain({{"text", text}}, {}, limits, true), HttpError);
  EXPECT_EQ(limits.MaxExplained(true), 80);
  EXPECT_EQ(limits.MaxExplained(false), 20);
  limits.explain_limit = 1000000000;
  EXPECT_GT(limits.MaxExplained(true), 1000000000);
}

TEST(ParseExplain, RefusesWhatItDoesNotKnow) {
  const auto message = [](const nlohmann::ordered_json& parameters) {
    return MessageOf<HttpError>([&] { ParseExplain(parameters, {}, {}); });
  };
  EXPECT_NE(message({{"text", "a"}, {"metods", "saliency"}})
                .find("unknown parameter 'metods', did you mean 'methods'?"),
            std::string::npos);
  EXPECT_EQ(message({{"text", "a"}, {"head", 1}}),
            "Invalid request: head parameter without layer parameter");
  EXPECT_EQ(message({{"text", "a"}, {"file", {{"base64", "YQ=="}}}}),
            "Invalid request: text or file parameter, but not both");
}

TEST(ParsePredict, OfAListOnlyWhatCannotBeReadIsMissing) {
  RequestLimits limits;
  limits.char_limit = 3;
  const ModelCall texts = ParsePredict({{"text", {"abcd", "a"}}}, {}, limits);
  ASSERT_EQ(texts.inputs.size(), 1u);
  EXPECT_EQ(texts.inputs[0].number, 1);
  EXPECT_EQ(texts.unread.at(0), "request (4) exceeds text limit (3)");
  const ModelCall files = ParsePredict(
      {{"file",
        {{{"base64", "YQ=="}}, {{"base64", "/w=="}}, {{"base64", "!"}}}}},
      {}, limits);
  ASSERT_EQ(files.inputs.size(), 1u);
  EXPECT_EQ(files.unread.at(1), "file[1] is not valid UTF-8");
  EXPECT_EQ(files.unread.at(2), "file[2].base64 parameter is not base64");
  EXPECT_THROW(ParsePredict({{"text", "abcd"}}, {}, limits), HttpError);
}

TEST(ParsePredict, MediaTypesAreComparedAsTypes) {
  const nlohmann::ordered_json file = {
      {"base64", "YQ=="}, {"media_type", "Text/Plain; charset=utf-8"}};
  EXPECT_EQ(ParsePredict({{"file", file}}, {}, {}).inputs[0].Text(), "a");
}

TEST(ParseExplain, ChecksMethods) {
  const ExplainCall call = ParseExplain(
      {{"text", "a"}, {"methods", "saliency"}, {"layer", "x"}, {"head", 2}}, {},
      {});
  EXPECT_EQ(call.attribution.methods, std::vector<std::string>{"saliency"});
  EXPECT_EQ(call.head, 2);
  EXPECT_NE(MessageOf<HttpError>([] {
              ParseExplain({{"text", "a"}, {"methods", {"salience"}}}, {}, {});
            }).find("did you mean 'saliency'"),
            std::string::npos);
}

TEST(ApiKeyOf, PrefersTheHeader) {
  HttpRequest request;
  EXPECT_EQ(ApiKeyOf(request), "");
  request.query = {{"q", "x"}, {"api_key", "a"}};
  EXPECT_EQ(ApiKeyOf(request), "a");
  request.headers = {{"Authorization", "bearer  b "}};
  EXPECT_EQ(ApiKeyOf(request), "b");
  EXPECT_EQ(ApiKeyIn({{"api_key", "a"}}), "a");
  EXPECT_EQ(ApiKeyIn({{"api_key", 5}}), "");
}

TEST(Accepts, FindsATypeAmongSeveral) {
  HttpRequest request;
  EXPECT_FALSE(Accepts(request, "text/event-stream"));
  request.headers = {{"Accept", "application/json, Text/Event-Stream;q=0.9"}};
  EXPECT_TRUE(Accepts(request, "text/event-stream"));
}

}  // namespace
}  // namespace heed
