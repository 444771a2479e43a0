#include "heed/text/wordpiece.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "heed/base/at.h"
#include "heed/base/config.h"
#include "heed/base/errors.h"
#include "heed/base/json.h"
#include "heed/io/file.h"

namespace heed {
namespace {

using Kind = VocabularyKind;
using Ids = std::vector<int32_t>;
using Strings = std::vector<std::string>;

std::string FileOf(const Strings& lines) {
  std::string bytes;
  for (const std::string& line : lines) bytes += line + "\n";
  return bytes;
}

Vocabulary Parse(const Strings& tokens, Kind kind = Kind::kWordPiece) {
  return Vocabulary::Parse(FileOf(tokens), kind, "vocab.txt");
}

Strings WithSpecials(const Strings& tokens) {
  Strings all(WordPiece::kSpecials.begin(), WordPiece::kSpecials.end());
  all.insert(all.end(), tokens.begin(), tokens.end());
  return all;
}

Strings Sentences() {
  return {"The lowest lows, the newest news.", "Lower, lowest; newer: newest!",
          "Widest of the wide: 1,000 widths — naïve, naïveté.", "日本 2 日"};
}

Vocabulary Train(int size, Kind kind = Kind::kWordPiece) {
  return Vocabulary::Train(Sentences(), {.kind = kind, .size = size});
}

// Pieces of a text, with [UNK] for unknown words.
Strings Tokens(const Vocabulary& vocabulary, const std::string& text) {
  Strings tokens;
  for (const int32_t id : vocabulary.Encode(text)) {
    tokens.push_back(vocabulary.Piece(id));
  }
  return tokens;
}

TEST(WordPiece, TokensAreThoseOfTheReference) {
  const std::string path = std::string(HEED_GOLDEN_DIR) + "/wordpiece.json";
  const auto golden = ParseJson(ReadFile(path), path);
  const auto tokens = golden["vocabulary"].get<Strings>();
  const Vocabulary uncased = Parse(tokens);
  const Vocabulary cased = Parse(tokens, Kind::kWordPieceCased);
  ASSERT_GT(golden["cases"].size(), 60u);
  for (const auto& each : golden["cases"]) {
    const auto text = each["text"].get<std::string>();
    EXPECT_EQ(Tokens(uncased, text), each["uncased"].get<Strings>()) << each;
    EXPECT_EQ(Tokens(cased, text), each["cased"].get<Strings>()) << each;
  }
}

TEST(WordPiece, RulesForCaseAccentsAndChineseAreIndependent) {
  const std::string path =
      std::string(HEED_GOLDEN_DIR) + "/wordpiece_rules.json";
  const auto golden = ParseJson(ReadFile(path), path);
  const auto texts = golden["texts"].get<Strings>();
  ASSERT_EQ(golden["rules"].size(), 8u);
  for (const auto& each : golden["rules"]) {
    const Kind kind = WordPieceKind({each["lowercase"].get<bool>(),
                                     each["strip_accents"].get<bool>(),
                                     each["split_chinese"].get<bool>()});
    const Vocabulary vocabulary =
        Parse(golden["vocabulary"].get<Strings>(), kind);
    EXPECT_EQ(ParseVocabularyKind(Name(kind)), kind);
    for (size_t i = 0; i < texts.size(); ++i) {
      EXPECT_EQ(Tokens(vocabulary, texts[i]), each["pieces"][i].get<Strings>())
          << Name(kind) << " " << texts[i];
    }
  }
}

TEST(WordPiece, SpecialTokensStandAnywhere) {
  const Vocabulary vocabulary =
      Parse({"a", "[MASK]", "[SEP]", "[CLS]", "b", "[UNK]", "[PAD]"});
  EXPECT_EQ(vocabulary.special().pad, 6);
  EXPECT_EQ(vocabulary.special().unk, 5);
  EXPECT_EQ(vocabulary.special().bos, 3);
  EXPECT_EQ(vocabulary.special().eos, 2);
  EXPECT_EQ(vocabulary.special().mask, 1);
  EXPECT_EQ(vocabulary.Encode("b c [MASK]"), (Ids{4, 5, 1}));
  EXPECT_EQ(vocabulary.Decode(Ids{3, 0, 4, 2, 6, 6}), "a b");
}

TEST(WordPiece, UnknownWordsKeepTheirTextAsPiece) {
  const Vocabulary vocabulary = Parse(WithSpecials({"a", "##b"}));
  const Encoded encoded = vocabulary.EncodeWithPieces("ab Ünü [MASK] a");
  EXPECT_EQ(encoded.ids, (Ids{5, 6, 1, 4, 5}));
  EXPECT_EQ(encoded.pieces, (Strings{"a", "##b", "unu", "[MASK]", "a"}));
  EXPECT_EQ(vocabulary.DecodePieces(encoded.pieces), "ab unu [MASK] a");
}

TEST(WordPiece, IllFormedBytesAreLeftOut) {
  const Vocabulary vocabulary = Parse(WithSpecials({"ab"}));
  EXPECT_EQ(vocabulary.Encode("a\xFF\xC3"
                              "b"),
            (Ids{5}));
}

TEST(WordPiece, OfATokenTwiceTheLastCounts) {
  EXPECT_EQ(Parse(WithSpecials({"a", "b", "a"})).Encode("a"), Ids{7});
}

TEST(WordPiece, FileMayLackTheLastLineEndAndHaveCarriageReturns) {
  const Vocabulary vocabulary =
      Vocabulary::Parse("[PAD]\r\n[UNK]\r\n[CLS]\r\n[SEP]\r\n[MASK]\r\na",
                        Kind::kWordPiece, "file");
  EXPECT_EQ(vocabulary.size(), 6);
  EXPECT_EQ(vocabulary.Encode("a"), Ids{5});
}

TEST(WordPiece, FileWithoutASpecialTokenIsAFormatErrorThatNamesIt) {
  for (std::string_view special : WordPiece::kSpecials) {
    Strings tokens = WithSpecials({"a"});
    std::erase(tokens, special);
    try {
      Parse(tokens);
      ADD_FAILURE() << special;
    } catch (const FormatError& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find("vocab.txt"), message.npos) << message;
      EXPECT_NE(message.find(special), message.npos) << message;
    }
  }
  EXPECT_THROW(Parse(WithSpecials({"\xFF"})), FormatError);
  EXPECT_THROW(Parse({}), FormatError);
}

TEST(WordPieceTraining, PutsSpecialTokensThenCharactersThenMerges) {
  const Vocabulary vocabulary =
      Vocabulary::Train(Strings{"ab ab ab abc", "c, dab"},
                        {.kind = Kind::kWordPiece, .size = 99});
  EXPECT_EQ(vocabulary.Serialize(),
            FileOf(WithSpecials({",", "a", "##a", "b", "##b", "c", "##c", "d",
                                 "##d", "ab", "normalization nfc"})));
  EXPECT_EQ(vocabulary.special().mask, 4);
  EXPECT_EQ(Tokens(vocabulary, "ABC, b"), (Strings{"ab", "##c", ",", "b"}));
}

TEST(WordPieceTraining, MergesRepeatedCharacters) {
  const Vocabulary vocabulary = Vocabulary::Train(
      Strings{"aaaaa aaaaa"}, {.kind = Kind::kWordPiece, .size = 99});
  EXPECT_EQ(Tokens(vocabulary, "aaaaa"), Strings{"aaaaa"});
}

// Pairs are recounted after each merge, on a text without equal counts.
TEST(WordPieceTraining, TakesTheMostFrequentPairEveryTime) {
  Strings lines(16, "hug");
  lines.insert(lines.end(), 5, "pug");
  lines.insert(lines.end(), 12, "pun");
  lines.insert(lines.end(), 4, "bun");
  lines.insert(lines.end(), 7, "hugs");
  const Vocabulary vocabulary =
      Vocabulary::Train(lines, {.kind = Kind::kWordPiece, .size = 24});
  const std::string all = vocabulary.Serialize();
  // ##u ##g 28, then h ##ug 23, then ##u ##n 16, then p ##un 12, then hug ##s 7
  EXPECT_TRUE(all.ends_with("##ug\nhug\n##un\npun\nhugs\nnormalization nfc\n"))
      << all;
}

TEST(WordPieceTraining, ReachesTheSizeAndIsDeterministic) {
  EXPECT_EQ(Train(60).size(), 60);
  EXPECT_EQ(Train(60).Serialize(), Train(60).Serialize());
  EXPECT_LT(Train(9999).size(), 200);
}

TEST(WordPieceTraining, TrainedVocabularyKnowsItsTextAndDecodesIt) {
  for (const Kind kind : {Kind::kWordPiece, Kind::kWordPieceCased}) {
    const Vocabulary vocabulary = Train(100, kind);
    EXPECT_EQ(vocabulary.kind(), kind);
    for (const std::string& line : Sentences()) {
      const Ids ids = vocabulary.Encode(line);
      EXPECT_EQ(std::count(ids.begin(), ids.end(), vocabulary.special().unk), 0)
          << line;
      EXPECT_EQ(vocabulary.Encode(vocabulary.Decode(ids)), ids);
    }
  }
  EXPECT_EQ(Train(100).Decode(Train(100).Encode("Naïve  lowest!")),
            "naive lowest !");
  EXPECT_EQ(Train(120, Kind::kWordPieceCased).Piece(5), "!");
}

TEST(WordPieceTraining, SerializedVocabularyEncodesTheSame) {
  const Vocabulary vocabulary = Train(60);
  const Vocabulary copy =
      Vocabulary::Parse(vocabulary.Serialize(), Kind::kWordPiece, "file");
  EXPECT_EQ(copy.Serialize(), vocabulary.Serialize());
  for (const std::string& line : Sentences()) {
    EXPECT_EQ(copy.Encode(line), vocabulary.Encode(line));
  }
}

TEST(WordPieceTraining, RareCharactersBecomeUnknown) {
  const Strings lines = {"ab ab ab", "xb"};
  const Vocabulary vocabulary = Vocabulary::Train(
      lines, {.kind = Kind::kWordPiece, .size = 99, .min_count = 2});
  EXPECT_EQ(Tokens(vocabulary, "ab xb"), (Strings{"ab", "[UNK]"}));
}

TEST(WordPieceTraining, ASizeThatTheTextDoesNotAllowIsTheNearest) {
  const auto fewest = Train(10).size();
  EXPECT_GT(fewest, 10);
  EXPECT_EQ(Train(static_cast<int>(fewest)).size(), fewest);
  EXPECT_LT(Train(100000).size(), 100000);
}

TEST(WordPieceTraining, NoTextIsAConfigError) {
  for (const Strings& lines : {Strings{}, Strings{"", " \x01"}}) {
    EXPECT_THROW(
        Vocabulary::Train(lines, {.kind = Kind::kWordPiece, .size = 100}),
        ConfigError);
  }
}

TEST(EncodedWords, EveryWordHasItsFirstPiece) {
  const Vocabulary vocabulary = Parse(WithSpecials({"a", "##b", "c"}));
  const EncodedWords encoded =
      vocabulary.EncodeWords(Strings{"ab", "\x01", "c", "x", "c-a"});
  EXPECT_EQ(encoded.ids, (Ids{5, 6, 1, 7, 1, 7, 1, 5}));
  EXPECT_EQ(encoded.first, (Ids{0, 2, 3, 4, 5}));
}

TEST(EncodedWords, WorkWithEveryKind) {
  const std::pair<Kind, int> kinds[] = {{Kind::kUnigram, 46},
                                        {Kind::kBpe, 46},
                                        {Kind::kWords, 0},
                                        {Kind::kCharacters, 0},
                                        {Kind::kWordPieceCased, 60}};
  for (const auto& [kind, size] : kinds) {
    const Vocabulary vocabulary =
        Vocabulary::Train(Sentences(), {.kind = kind, .size = size});
    const EncodedWords encoded =
        vocabulary.EncodeWords(Strings{"newest", "", "lows"});
    ASSERT_EQ(encoded.first.size(), 3u);
    EXPECT_EQ(encoded.first[2] - encoded.first[1], 1);
    EXPECT_EQ(At(encoded.ids, encoded.first[1]), vocabulary.special().unk);
  }
}

TEST(WordPieceKind, NamesReadBack) {
  for (const Kind kind : {Kind::kWordPiece, Kind::kWordPieceCased}) {
    EXPECT_EQ(ParseVocabularyKind(Name(kind)), kind);
    EXPECT_STREQ(FileExtension(kind), ".txt");
  }
}

}  // namespace
}  // namespace heed
