#include "heed/text/tokenizer/tokenizer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "heed/base/base64.h"
#include "heed/base/errors.h"
#include "heed/base/json.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
using Token = Tokenizer::Token;

Json ReadGolden() {
  std::ifstream file(std::string(HEED_GOLDEN_DIR) + "/tokenizers.json",
                     std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)),
                         std::istreambuf_iterator<char>());
  return ParseJson(text, "tokenizers.json");
}

// Text of the file that golden entry `entry` describes.
std::string FileOf(const Json& golden, const Json& entry) {
  Json file = entry["tokenizer"];
  file["model"] = golden["models"][file["model"].get<size_t>()];
  return DumpJson(file);
}

Tokenizer GoldenTokenizer(const std::string& name) {
  const Json golden = ReadGolden();
  for (const Json& entry : golden["tokenizers"]) {
    if (entry["name"] == name) {
      return Tokenizer::Parse(FileOf(golden, entry), name);
    }
  }
  throw Error("no golden tokenizer {}", name);
}

std::vector<int32_t> IdsOf(const std::vector<Token>& tokens) {
  std::vector<int32_t> ids;
  for (const Token& token : tokens) ids.push_back(token.id);
  return ids;
}

std::vector<std::string> RangesOf(std::string_view text,
                                  const std::vector<Token>& tokens) {
  std::vector<std::string> ranges;
  for (const Token& token : tokens) {
    ranges.emplace_back(
        text.substr(static_cast<size_t>(token.begin),
                    static_cast<size_t>(token.end - token.begin)));
  }
  return ranges;
}

// Ranges of characters that were composed or reordered are wider than the
// reference's, which name only the first of these characters.
bool HasWiderRanges(const std::string& name) {
  static const std::set<std::string> kNames = {
      "qwen", "clip", "NFC",         "NFD",      "NFKC",
      "NFKD", "bert", "xlm_roberta", "camembert"};
  return kNames.contains(name);
}

// The reference gives each byte token the range of a whole run of unknown
// characters. Ours have the range of their character.
bool HasNarrowerRanges(const std::string& name) {
  return name == "unigram_bytes";
}

// RoBERTa's tokeniser adds a space behind each special token. The reference
// then leaves out the first letter of the range.
bool IsCutByReference(const std::string& name, int32_t begin,
                      const Token& token) {
  return name == "roberta" && token.begin + 1 == begin;
}

void ExpectRanges(const std::string& name, const Json& expected,
                  const std::vector<Token>& tokens) {
  ASSERT_EQ(expected.size(), 2 * tokens.size());
  for (size_t i = 0; i < tokens.size(); ++i) {
    const auto begin = expected[2 * i].get<int32_t>();
    const auto end = expected[2 * i + 1].get<int32_t>();
    if (IsCutByReference(name, begin, tokens[i])) continue;
    if (HasWiderRanges(name)) {
      EXPECT_LE(tokens[i].begin, begin) << i;
      EXPECT_GE(tokens[i].end, end) << i;
    } else if (HasNarrowerRanges(name)) {
      EXPECT_GE(tokens[i].begin, begin) << i;
      EXPECT_LE(tokens[i].end, end) << i;
    } else {
      EXPECT_EQ(tokens[i].begin, begin) << i;
      EXPECT_EQ(tokens[i].end, end) << i;
    }
  }
}

// `wanted`: ids, ranges, segments (none if all are 0), decoded text.
void ExpectCase(const std::string& name, const Tokenizer& tokenizer,
                const Json& sample, const Json& wanted) {
  const auto text = sample["text"].get<std::string>();
  SCOPED_TRACE(fmt::format("{}: {}", name, DumpJson(sample["text"])));
  const Tokenizer::EncodeOptions options{.add_special =
                                             sample["special"].get<bool>()};
  const std::vector<Token> tokens =
      sample.contains("pair")
          ? tokenizer.EncodePair(text, sample["pair"].get<std::string>(),
                                 options)
          : tokenizer.Encode(text, options);
  const std::vector<int32_t> ids = IdsOf(tokens);
  ASSERT_EQ(Json(ids), wanted[0]);
  ExpectRanges(name, wanted[1], tokens);
  std::vector<int32_t> segments(tokens.size());
  if (!wanted[2].empty()) segments = wanted[2].get<std::vector<int32_t>>();
  for (size_t i = 0; i < tokens.size(); ++i) {
    EXPECT_EQ(tokens[i].segment, segments[i]) << i;
  }
  EXPECT_EQ(tokenizer.Decode(ids, true), wanted[3].get<std::string>());
}

// The message of the FormatError for a file, "" if there is none.
std::string ErrorOf(const std::string& json) {
  try {
    (void)Tokenizer::Parse(json, "t.json");
  } catch (const FormatError& error) {
    return error.what();
  }
  return "";
}

// A file with parts in front of a small model.
std::string FileWith(const std::string& parts) {
  return "{" + parts +
         R"("model":{"type":"WordLevel","unk_token":"a","vocab":{"a":0}}})";
}

TEST(Tokenizer, EqualsTheReference) {
  const Json golden = ReadGolden();
  for (const Json& entry : golden["tokenizers"]) {
    const auto name = entry["name"].get<std::string>();
    const Tokenizer tokenizer = Tokenizer::Parse(FileOf(golden, entry), name);
    for (size_t i = 0; i < golden["samples"].size(); ++i) {
      ExpectCase(name, tokenizer, golden["samples"][i], entry["cases"][i]);
    }
  }
}

TEST(Tokenizer, RangesCoverComposedCharacters) {
  const Tokenizer tokenizer = GoldenTokenizer("NFC");
  const std::string text = "xe\u0301y";
  const auto tokens = tokenizer.Encode(text, {});
  EXPECT_EQ(RangesOf(text, tokens),
            (std::vector<std::string>{"x", "e\u0301", "y"}));
}

TEST(Tokenizer, RangesStayRightBehindDroppedCharacters) {
  const Tokenizer tokenizer = Tokenizer::Parse(
      R"({"model":{"type":"BPE","vocab":{"a":0,"b":1},"merges":[]}})", "f");
  const std::string text = "a\u4e2d\U0001f44db";
  EXPECT_EQ(RangesOf(text, tokenizer.Encode(text, {})),
            (std::vector<std::string>{"a", "b"}));
}

TEST(Tokenizer, LiteralTextHasNoSpecialTokens) {
  const Tokenizer tokenizer = GoldenTokenizer("gpt2");
  const int32_t end = tokenizer.Id("<|end|>");
  ASSERT_GE(end, 0);
  EXPECT_TRUE(tokenizer.IsSpecial(end));
  EXPECT_EQ(tokenizer.special().size(), 3U);
  EXPECT_EQ(IdsOf(tokenizer.Encode("<|end|>", {})),
            (std::vector<int32_t>{end}));
  const auto literal = tokenizer.Encode("<|end|>", {.literal = true});
  EXPECT_GT(literal.size(), 1U);
  for (const Token& token : literal) EXPECT_NE(token.id, end);
  EXPECT_EQ(tokenizer.Decode(IdsOf(literal), true), "<|end|>");
}

TEST(Tokenizer, IllFormedBytesBecomeReplacementCharacters) {
  const Tokenizer tokenizer = GoldenTokenizer("gpt2");
  const std::string text = "a\xF0\x9F z\xC3";
  const auto tokens = tokenizer.Encode(text, {});
  EXPECT_EQ(tokenizer.Decode(IdsOf(tokens), true), "a\uFFFD z\uFFFD");
  EXPECT_EQ(tokens.back().end, static_cast<int32_t>(text.size()));
}

TEST(Tokenizer, ShowsTokens) {
  const Tokenizer bytes = GoldenTokenizer("gpt2");
  EXPECT_EQ(bytes.Shown(bytes.Id("\u0120the")), "▁the");
  EXPECT_EQ(bytes.Shown(bytes.Id("\u010A")), "↵");
  EXPECT_EQ(bytes.Shown(bytes.Id("\u00E2")), "⟨E2⟩");
  EXPECT_EQ(bytes.Bytes(bytes.Id("\u00E2")), "\xE2");
  EXPECT_EQ(bytes.Shown(bytes.Id("<|end|>")), "<|end|>");
  const Tokenizer fallback = GoldenTokenizer("llama2");
  EXPECT_EQ(fallback.Shown(fallback.Id("<0x00>")), "⟨00⟩");
  EXPECT_EQ(fallback.Text(-1), "");
  EXPECT_EQ(fallback.Text(fallback.size()), "");
}

TEST(Tokenizer, LongWordsTakeLittleTime) {
  for (const char* name : {"gemma", "llama2", "gpt2", "llama3"}) {
    const Tokenizer tokenizer = GoldenTokenizer(name);
    std::string text;
    while (text.size() < 200000) text += "helloworldtheshells";
    const auto tokens = tokenizer.Encode(text, {.add_special = false});
    EXPECT_EQ(tokens.back().end, static_cast<int32_t>(text.size()));
    const std::string same(200000, 'l');
    EXPECT_FALSE(tokenizer.Encode(same, {}).empty());
  }
  std::string marks = "a";
  for (int i = 0; i < 20000; ++i) marks += i % 2 == 0 ? "\u0301" : "\u0323";
  EXPECT_FALSE(GoldenTokenizer("qwen").Encode(marks, {}).empty());
}

// Long words are cut where no merge can cross and merged by a heap; short ones
// by search. Both must agree.
TEST(Tokenizer, LongAndShortWordsAgree) {
  const Tokenizer tokenizer = GoldenTokenizer("gemma");
  const std::string word = "the\u2581shells\u2581qzthe\u2581hello";
  const auto once =
      IdsOf(tokenizer.Encode(word + "\u2581", {.add_special = false}));
  std::vector<int32_t> wanted;
  std::string text;
  for (int i = 0; i < 20; ++i) {
    text += word + "\u2581";
    wanted.insert(wanted.end(), once.begin(), once.end());
  }
  EXPECT_EQ(IdsOf(tokenizer.Encode(text + "q", {.add_special = false})).size(),
            IdsOf(tokenizer.Encode(text, {.add_special = false})).size() + 1);
}

// Applies the first merge of the file that is possible, at the first place.
std::vector<std::string> MergedSlowly(std::vector<std::string> symbols,
                                      const Json& merges) {
  for (bool merged = true; merged;) {
    merged = false;
    for (const Json& merge : merges) {
      const auto text = merge.get<std::string>();
      const size_t space = text.find(' ');
      const std::string pair[2] = {text.substr(0, space),
                                   text.substr(space + 1)};
      const auto place =
          std::search(symbols.begin(), symbols.end(), pair, pair + 2);
      if (place == symbols.end()) continue;
      *place += pair[1];
      symbols.erase(place + 1);
      merged = true;
      break;
    }
  }
  return symbols;
}

// Very long words are merged in blocks.
TEST(Tokenizer, BlocksAgreeWithTheWholeWord) {
  const Json golden = ReadGolden();
  const auto entry = std::ranges::find_if(
      golden["tokenizers"],
      [](const Json& value) { return value["name"] == "gemma"; });
  const auto place = (*entry)["tokenizer"]["model"].get<size_t>();
  const Json& model = golden["models"][place];
  const Tokenizer tokenizer = GoldenTokenizer("gemma");
  uint32_t state = 1;
  for (const std::string letters : {"thelsriw", "l", "ls", "theshello"}) {
    std::vector<std::string> symbols;
    std::string word;
    for (int i = 0; i < 1500; ++i) {
      state = state * 1664525 + 1013904223;
      symbols.emplace_back(1, letters[(state >> 16) % letters.size()]);
      word += symbols.back();
    }
    const auto tokens = tokenizer.Encode(word, {.add_special = false});
    EXPECT_EQ(RangesOf(word, tokens), MergedSlowly(symbols, model["merges"]))
        << letters;
  }
}

TEST(Tokenizer, CompactFormIsEqual) {
  const Json golden = ReadGolden();
  for (const Json& entry : golden["tokenizers"]) {
    const auto name = entry["name"].get<std::string>();
    const Tokenizer parsed = Tokenizer::Parse(FileOf(golden, entry), name);
    const auto bytes = std::make_shared<const std::string>(parsed.Serialize());
    const Tokenizer mapped = Tokenizer::Map(*bytes, bytes, name);
    EXPECT_EQ(mapped.size(), parsed.size());
    EXPECT_EQ(mapped.Serialize(), *bytes);
    for (const Json& sample : golden["samples"]) {
      const auto text = sample["text"].get<std::string>();
      const auto ids = IdsOf(mapped.Encode(text, {}));
      EXPECT_EQ(ids, IdsOf(parsed.Encode(text, {}))) << name << text;
      EXPECT_EQ(mapped.Decode(ids, false), parsed.Decode(ids, false));
    }
  }
}

TEST(Tokenizer, RefusesDamagedCompactForms) {
  for (const char* name : {"llama3", "xlm_roberta"}) {
    const std::string bytes = GoldenTokenizer(name).Serialize();
    for (size_t size = 0; size < bytes.size(); size += bytes.size() / 50) {
      const std::string cut = bytes.substr(0, size);
      EXPECT_THROW((void)Tokenizer::Map(cut, nullptr, "f"), FormatError)
          << size;
    }
    // Damage to values must not crash.
    for (size_t i = 0; i < bytes.size(); i += bytes.size() / 300) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
      try {
        const Tokenizer tokenizer = Tokenizer::Map(damaged, nullptr, "f");
        const auto ids = IdsOf(tokenizer.Encode("hello the shells 123", {}));
        (void)tokenizer.Decode(ids, false);
      } catch (const Error&) {
      }
    }
  }
}

TEST(Tokenizer, UnigramTakesTheLastOfEqualTokens) {
  const Tokenizer tokenizer = Tokenizer::Parse(
      R"({"model":{"type":"Unigram","unk_id":0,
          "vocab":[["u",0],["a",-1],["aa",-3],["a",-2],["aa",-4]]}})",
      "f");
  // The sums of a a and of aa are equal; aa begins first.
  EXPECT_EQ(IdsOf(tokenizer.Encode("aa", {})), (std::vector<int32_t>{4}));
  EXPECT_EQ(IdsOf(tokenizer.Encode("aaxx", {})), (std::vector<int32_t>{4, 0}));
}

TEST(Tokenizer, UnigramWithoutUnknownTokenRefusesUnknownCharacters) {
  const Tokenizer tokenizer = Tokenizer::Parse(
      R"({"model":{"type":"Unigram","vocab":[["a",0]]}})", "f");
  EXPECT_EQ(tokenizer.Encode("aa", {}).size(), 2U);
  EXPECT_THROW((void)tokenizer.Encode("ab", {}), Error);
}

// The golden map, damaged: every text gets a form or an error, not a crash.
TEST(Tokenizer, RefusesDamagedMaps) {
  const Json golden = ReadGolden();
  const auto entry = std::ranges::find_if(
      golden["tokenizers"],
      [](const Json& value) { return value["name"] == "camembert"; });
  const auto map = FromBase64(entry->at("tokenizer")["normalizer"]
                                  .at("precompiled_charsmap")
                                  .get<std::string>());
  ASSERT_TRUE(map);
  std::string text;
  for (const Json& sample : golden["samples"]) text += sample["text"];
  int refused = 0;
  for (size_t i = 0; i < map->size(); i += 3) {
    std::string damaged = *map;
    damaged[i] = static_cast<char>(damaged[i] ^ 0xA5);
    Json file = Json::parse(FileWith(""));
    file["normalizer"] = {{"type", "Precompiled"},
                          {"precompiled_charsmap", ToBase64(damaged)}};
    try {
      (void)Tokenizer::Parse(DumpJson(file), "t.json").Encode(text, {});
    } catch (const FormatError& error) {
      EXPECT_NE(std::string(error.what()).find("t.json"), std::string::npos);
      ++refused;
    }
  }
  EXPECT_GT(refused, 20);
}

TEST(Tokenizer, IsThreadSafe) {
  const Tokenizer tokenizer = GoldenTokenizer("llama3");
  const std::string text = "hello there the shells of the hall";
  const auto wanted = IdsOf(tokenizer.Encode(text, {}));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 200; ++n) {
        EXPECT_EQ(IdsOf(tokenizer.Encode(text, {})), wanted);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Tokenizer, RefusesBadModels) {
  const std::map<std::string, std::string> cases = {
      {R"({"version":"2.0","model":{}})", "version"},
      {R"({"model":{"type":"BPE","vocab":{"a":0,"b":0},"merges":[]}})",
       "the tokens \"a\" and \"b\" have the id 0"},
      {R"({"model":{"type":"BPE","vocab":{"a":0,"a":1},"merges":[]}})",
       "has the ids 0 and 1"},
      {R"({"model":{"type":"BPE","vocab":{"a":-1},"merges":[]}})", "negative"},
      {R"({"model":{"type":"BPE","vocab":{"a":9999999999},"merges":[]}})",
       "too large"},
      {R"({"model":{"type":"BPE","vocab":{"":0},"merges":[]}})", "empty"},
      {R"({"model":{"type":"BPE","vocab":{"a":"b"},"merges":[]}})",
       "expected an id"},
      {R"({"model":{"type":"BPE","vocab":{"a":0},"merges":["a c"]}})",
       "needs the token \"c\""},
      {R"({"model":{"type":"BPE","vocab":{"a":0,"b":1},"merges":["a b"]}})",
       "needs the token \"ab\""},
      {R"({"model":{"type":"BPE","vocab":{"a":0},"merges":["a b c"]}})",
       "merges"},
      {R"({"model":{"type":"BPE","vocab":{"a":0},"merges":[["a","b","c"]]}})",
       "merges"},
      {R"({"model":{"type":"BPE","vocab":{"a":0},"merges":[["a"]]}})",
       "merges"},
      {R"({"model":{"type":"BPE","dropout":0.1,"vocab":{"a":0},"merges":[]}})",
       "dropout"},
      {R"({"model":{"type":"BPE","unk_token":"u","vocab":{"a":0},"merges":[]}})",
       "unk_token"},
      {R"({"model":{"type":"Unigram","vocab":[["a",0.5]],"unk_id":1}})",
       "unk_id"},
      {R"({"model":{"type":"Unigram","vocab":[["a"]],"unk_id":0}})", "score"},
      {R"({"model":{"type":"Unigram","vocab":[["a",1,2]],"unk_id":0}})",
       "score"},
      {R"({"model":{"type":"Unigram","vocab":[[1,"a"]],"unk_id":0}})", "score"},
      {R"({"model":{"type":"Unigram","vocab":["a",1],"unk_id":0}})", "score"},
      {R"({"model":{"type":"Unigram","vocab":{"a":0},"unk_id":0}})", "score"},
      {R"({"model":{"type":"BPE","vocab":[["a",0.5]],"merges":[]}})",
       "an id for each token"},
      {R"({"model":{"type":"WordPiece","vocab":{"a":0}}})", "unk_token"},
      {"{}", "model"},
      {"[]", "object"},
      {"{\"model\":", "JSON"},
      {std::string(1000, '['), "nested"},
      {R"({"model":{"vocab":)" + std::string(1000, '['), "score"},
      {R"({"model":{"type":"BPE","vocab":{"a":0},"vocab":{"b":1}}})", "twice"},
  };
  for (const auto& [json, message] : cases) {
    EXPECT_NE(ErrorOf(json).find(message), std::string::npos)
        << json.substr(0, 100) << " -> " << ErrorOf(json);
  }
}

TEST(Tokenizer, RefusesBadParts) {
  const std::map<std::string, std::string> cases = {
      {R"("normalizer":{"type":"Precompiled"},)", "precompiled_charsmap"},
      {R"("normalizer":{"type":"Precompiled","precompiled_charsmap":"?"},)",
       "base64"},
      {R"("normalizer":{"type":"Precompiled","precompiled_charsmap":"AAAA"},)",
       "is damaged"},
      {R"("normalizer":{"type":"Sequence","normalizers":[{"type":"X"}]},)",
       "the type 'X'"},
      {R"("pre_tokenizer":{"type":"Split","pattern":{"Regex":"("},
          "behavior":"Removed"},)",
       "ICU"},
      {R"("pre_tokenizer":{"type":"Split","pattern":{"Regex":"a"},
          "behavior":"Kept"},)",
       "behavior"},
      {R"("pre_tokenizer":{"type":"Split","behavior":"Removed"},)", "pattern"},
      {R"("pre_tokenizer":{"type":"Metaspace","replacement":"ab"},)",
       "one character"},
      {R"("pre_tokenizer":{"type":"FixedLength","length":0},)", "length"},
      {R"("decoder":{"type":"X"},)", "the type 'X'"},
      {R"("post_processor":{"type":"X"},)", "the type 'X'"},
      {R"("post_processor":{"type":"BertProcessing","cls":["a",0],
          "sep":["b",7]},)",
       "7"},
      {R"("post_processor":{"type":"TemplateProcessing","single":[],
          "pair":[],"special_tokens":{}},)",
       "$A"},
      {R"("post_processor":{"type":"TemplateProcessing","single":[
          {"SpecialToken":{"id":"<s>","type_id":0}}],"pair":[]},)",
       "has no ids"},
      {R"("added_tokens":[{"id":1}],)", "content"},
      {R"("added_tokens":[{"id":1,"content":""}],)", "content"},
      {R"("added_tokens":[{"id":0,"content":"b"}],)", "have the id 0"},
      {R"("added_tokens":[{"id":1,"content":"a"}],)", "has the ids"},
      {R"("added_tokens":[{"id":1,"content":"b"},{"id":2,"content":"b"}],)",
       "has the ids"},
      {R"("added_tokens":[{"id":99999999,"content":"b"}],)", "id"},
  };
  EXPECT_EQ(ErrorOf(FileWith("")), "");
  for (const auto& [parts, message] : cases) {
    EXPECT_NE(ErrorOf(FileWith(parts)).find(message), std::string::npos)
        << parts << " -> " << ErrorOf(FileWith(parts));
  }
}

// A file that splits at matches of a regular expression.
std::string FileWithRegex(const std::string& regex) {
  return FileWith(R"("pre_tokenizer":{"type":"Split","pattern":{"Regex":)" +
                  DumpJson(regex) + R"(},"behavior":"Isolated"},)");
}

TEST(Tokenizer, RefusesPatternsThatDifferInIcu) {
  for (const char* regex :
       {R"(\w+)", R"(\bx)", R"(\h)", R"(\R)", R"(\X)", "^a", "a$", "(?m).",
        R"([a&&b])", "[[a]-[b]]", R"(\p{N}{1,3}+)", R"([[:punct:]])",
        R"(\p{Punct})", R"(a\Kb)", "a{,3}"}) {
    EXPECT_NE(ErrorOf(FileWithRegex(regex)).find("not supported"),
              std::string::npos)
        << regex << ErrorOf(FileWithRegex(regex));
  }
  for (const char* regex : {R"([^\s\p{L}]+)", R"([[:alpha:]]++)", "[$^]",
                            R"(\$\^)", "(?i:a)(?=b)(?!c)(?<!d)"}) {
    EXPECT_EQ(ErrorOf(FileWithRegex(regex)), "") << regex;
  }
}

TEST(Tokenizer, RefusesTextsThatGrowWithoutLimit) {
  std::string steps;
  for (int i = 0; i < 90; ++i) {
    steps += std::string(i == 0 ? "" : ",") +
             R"({"type":"Replace","pattern":{"String":"a"},"content":"aaaa"})";
  }
  const Tokenizer text = Tokenizer::Parse(
      FileWith(R"("normalizer":{"type":"Sequence","normalizers":[)" + steps +
               "]},"),
      "t.json");
  EXPECT_THROW((void)text.Encode("a", {}), Error);
  const Tokenizer decoder = Tokenizer::Parse(
      FileWith(R"("decoder":{"type":"Sequence","decoders":[)" + steps + "]},"),
      "t.json");
  EXPECT_THROW((void)decoder.Decode(std::vector<int32_t>{0}, false), Error);
}

TEST(Tokenizer, StopsSlowPatterns) {
  const Tokenizer tokenizer =
      Tokenizer::Parse(FileWithRegex("(?:(?:a|aa)+)+c"), "t.json");
  EXPECT_THROW((void)tokenizer.Encode(std::string(5000, 'a'), {}), Error);
}

}  // namespace
}  // namespace heed
