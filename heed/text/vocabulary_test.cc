#include "heed/text/vocabulary.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "heed/base/errors.h"

namespace heed {
namespace {

using Kind = VocabularyKind;
using Ids = std::vector<int32_t>;
using Strings = std::vector<std::string>;

Strings Lines() {
  return {"Ein kleiner Hund läuft über die Wiese.",
          "Zwei Männer spielen Fußball auf einer Straße.",
          "Ein Mann läuft mit einem Hund über die Straße.",
          "Die kleine Katze schläft auf der Wiese –",
          "Männer, Frauen und Hunde: ein Fest!"};
}

Vocabulary TrainSmall(Kind kind) {
  return Vocabulary::Train(Lines(),
                           {.kind = kind, .size = IsSubword(kind) ? 60 : 0});
}

std::string ConfigErrorOf(const Strings& lines,
                          const VocabularyOptions& options) {
  try {
    Vocabulary::Train(lines, options);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

class VocabularyOfKind : public testing::TestWithParam<Kind> {};

INSTANTIATE_TEST_SUITE_P(Kinds, VocabularyOfKind,
                         testing::Values(Kind::kUnigram, Kind::kBpe,
                                         Kind::kWords, Kind::kCharacters),
                         [](const auto& test) {
                           return std::string(Name(test.param));
                         });

TEST_P(VocabularyOfKind, ManyLinesHaveTheIdsOfEach) {
  const Vocabulary vocabulary = TrainSmall(GetParam());
  Strings lines = Lines();
  lines.insert(lines.end(), {"", "  ", "unbekannt €\tWort", "Hund"});
  const std::vector<Ids> all = vocabulary.EncodeAll(lines);
  ASSERT_EQ(all.size(), lines.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(all[i], vocabulary.Encode(lines[i])) << lines[i];
  }
  EXPECT_TRUE(vocabulary.EncodeAll({}).empty());
}

TEST_P(VocabularyOfKind, SpecialTokensHaveTheirIds) {
  const Vocabulary vocabulary = TrainSmall(GetParam());
  EXPECT_EQ(vocabulary.Piece(kPad), "<pad>");
  EXPECT_EQ(vocabulary.Piece(kUnk), "<unk>");
  EXPECT_EQ(vocabulary.Piece(kBos), "<s>");
  EXPECT_EQ(vocabulary.Piece(kEos), "</s>");
}

TEST_P(VocabularyOfKind, DecodeGivesBackTheLine) {
  const Vocabulary vocabulary = TrainSmall(GetParam());
  for (const std::string& line : Lines()) {
    const Ids ids = vocabulary.Encode(line);
    EXPECT_EQ(vocabulary.Decode(ids), line);
    EXPECT_EQ(std::count(ids.begin(), ids.end(), kUnk), 0);
  }
}

TEST_P(VocabularyOfKind, DecodeLeavesOutPaddingAndSentenceEnds) {
  const Vocabulary vocabulary = TrainSmall(GetParam());
  Ids ids = vocabulary.Encode("Ein Hund");
  ids.insert(ids.begin(), kBos);
  ids.insert(ids.end(), {kEos, kPad, kPad});
  EXPECT_EQ(vocabulary.Decode(ids), "Ein Hund");
}

TEST_P(VocabularyOfKind, PiecesKeepWhatTheVocabularyDoesNotKnow) {
  const Vocabulary vocabulary = TrainSmall(GetParam());
  const Encoded encoded = vocabulary.EncodeWithPieces("Ein 日本 Hund");
  ASSERT_EQ(encoded.ids.size(), encoded.pieces.size());
  EXPECT_NE(std::count(encoded.ids.begin(), encoded.ids.end(), kUnk), 0);
  EXPECT_EQ(vocabulary.DecodePieces(encoded.pieces), "Ein 日本 Hund");
  EXPECT_NE(vocabulary.Decode(encoded.ids).find("<unk>"), std::string::npos);
}

TEST_P(VocabularyOfKind, TextNeverEncodesToControlTokens) {
  const Vocabulary vocabulary = TrainSmall(GetParam());
  Strings lines = Lines();
  lines.push_back("<s> <pad> </s>");
  const Vocabulary trained_on_them =
      Vocabulary::Train(lines, {.kind = GetParam(), .size = vocabulary.size()});
  for (const Vocabulary& each : {vocabulary, trained_on_them}) {
    for (const int32_t id : each.Encode("<s> </s> <pad> a<s>b</s>")) {
      EXPECT_TRUE(id == kUnk || id >= kSpecialTokens);
    }
  }
}

TEST_P(VocabularyOfKind, SerializedVocabularyEncodesTheSame) {
  const Vocabulary vocabulary = TrainSmall(GetParam());
  const Vocabulary copy =
      Vocabulary::Parse(vocabulary.Serialize(), GetParam(), "file");
  EXPECT_EQ(copy.size(), vocabulary.size());
  EXPECT_EQ(copy.kind(), GetParam());
  EXPECT_EQ(copy.Serialize(), vocabulary.Serialize());
  for (const std::string& line : Lines()) {
    EXPECT_EQ(copy.Encode(line), vocabulary.Encode(line));
  }
}

TEST_P(VocabularyOfKind, TrainingIsDeterministic) {
  EXPECT_EQ(TrainSmall(GetParam()).Serialize(),
            TrainSmall(GetParam()).Serialize());
}

TEST_P(VocabularyOfKind, OddLinesEncode) {
  const Vocabulary vocabulary = TrainSmall(GetParam());
  EXPECT_EQ(vocabulary.Encode(""), Ids());
  EXPECT_EQ(vocabulary.Decode(Ids()), "");
  std::string words;
  for (int i = 0; i < 10000; ++i) words += "Hund" + std::to_string(i) + " ";
  EXPECT_GE(vocabulary.Encode(words).size(), 10000u);
  for (const std::string& line :
       {std::string("👩‍👩‍👧😀"), std::string(100000, 'x'),
        std::string("▁▅")}) {
    EXPECT_FALSE(vocabulary.Encode(line).empty());
  }
  EXPECT_EQ(vocabulary.Encode(std::string("\0\x01\x1B\x7F", 4)), Ids());
}

TEST_P(VocabularyOfKind, TextWithoutContentIsAConfigError) {
  for (const Strings& lines : {Strings{}, Strings{"", ""}}) {
    EXPECT_NE(ConfigErrorOf(lines, {.kind = GetParam(), .size = 60}),
              "no error");
  }
}

TEST_P(VocabularyOfKind, OddTrainingTextTrainsOrIsAConfigError) {
  const Strings texts = {"▁",
                         std::string(1, '\0'),
                         "<s>",
                         "▅ a",
                         "\t",
                         std::string(40000, 'a'),
                         "\u200C",
                         "\uFFFD\u200C",
                         "\uFEFF\u00AD\u200B",
                         "\u00A0\u3000"};
  for (const std::string& text : texts) {
    for (const int size : {5, 6, 100}) {
      try {
        Vocabulary::Train(Strings{text}, {.kind = GetParam(), .size = size});
      } catch (const ConfigError&) {
      }
    }
  }
}

TEST_P(VocabularyOfKind, TextOnOneLongLineIsLearntFrom) {
  Strings lines = Lines();
  std::string line;
  while (line.size() < 200'000) {
    for (const std::string& some : lines) line += some + " ";
  }
  const Vocabulary whole =
      Vocabulary::Train(Strings{line + std::string(40'000, 'q') + " " + line},
                        {.kind = GetParam(), .size = 60});
  EXPECT_EQ(whole.Decode(whole.Encode(lines[0])), lines[0]);
}

TEST_P(VocabularyOfKind, NegativeOrTinySizeIsAConfigError) {
  for (const int size : {-1, 1, 4}) {
    EXPECT_NE(ConfigErrorOf(Lines(), {.kind = GetParam(), .size = size})
                  .find("larger than 4"),
              std::string::npos);
  }
}

TEST_P(VocabularyOfKind, DamagedFileIsAFormatErrorThatNamesIt) {
  const std::string bytes = TrainSmall(GetParam()).Serialize();
  for (const std::string& damaged :
       {std::string(), std::string("no vocabulary\n"),
        bytes.substr(0, bytes.size() - 3), bytes.substr(0, 10)}) {
    try {
      Vocabulary::Parse(damaged, GetParam(), "source.vocabulary");
      ADD_FAILURE() << damaged.size() << " bytes were accepted";
    } catch (const FormatError& error) {
      EXPECT_NE(std::string(error.what()).find("source.vocabulary"),
                std::string::npos);
    }
  }
}

// SentencePiece would abort the process.
TEST(Vocabulary, PieceWithAZeroIsAFormatError) {
  for (const VocabularyKind kind :
       {VocabularyKind::kBpe, VocabularyKind::kUnigram}) {
    std::string bytes = TrainSmall(kind).Serialize();
    bytes.at(bytes.find("<pad>")) = '\0';
    EXPECT_THROW(Vocabulary::Parse(bytes, kind, "damaged"), FormatError);
  }
}

TEST_P(VocabularyOfKind, IdOutsideOfTheVocabularyIsAShapeError) {
  const Vocabulary vocabulary = TrainSmall(GetParam());
  EXPECT_THROW(vocabulary.Piece(-1), ShapeError);
  EXPECT_THROW(vocabulary.Decode(Ids{vocabulary.size()}), ShapeError);
}

class SubwordVocabulary : public testing::TestWithParam<Kind> {};

INSTANTIATE_TEST_SUITE_P(Kinds, SubwordVocabulary,
                         testing::Values(Kind::kUnigram, Kind::kBpe),
                         [](const auto& test) {
                           return std::string(Name(test.param));
                         });

TEST_P(SubwordVocabulary, HasExactlyTheRequestedSize) {
  EXPECT_EQ(TrainSmall(GetParam()).size(), 60);
}

TEST_P(SubwordVocabulary, WhiteSpaceCountsAsOneSpace) {
  const Vocabulary vocabulary = TrainSmall(GetParam());
  EXPECT_EQ(vocabulary.Encode(" Ein \t kleiner\vHund  "),
            vocabulary.Encode("Ein kleiner Hund"));
}

TEST_P(SubwordVocabulary, IdsOfAnotherOrderAreAFormatError) {
  std::string bytes = TrainSmall(GetParam()).Serialize();
  bytes.replace(bytes.find("</s>"), 4, "<zz>");
  EXPECT_THROW(Vocabulary::Parse(bytes, GetParam(), "file"), FormatError);
}

Vocabulary TrainWithBytes(Kind kind) {
  return Vocabulary::Train(Lines(),
                           {.kind = kind, .size = 310, .byte_fallback = true});
}

TEST_P(SubwordVocabulary, UnknownCharactersBecomeBytesAndBack) {
  const Vocabulary vocabulary = TrainWithBytes(GetParam());
  for (const std::string line :
       {"Ein 日本 Hund", "€", "😀😀 Hund 語", "ein <0x41> Hund",
        "Ein kleiner Hund läuft über die Wiese."}) {
    const Ids ids = vocabulary.Encode(line);
    EXPECT_EQ(std::count(ids.begin(), ids.end(), kUnk), 0) << line;
    EXPECT_EQ(vocabulary.Decode(ids), line);
  }
}

TEST_P(SubwordVocabulary, EveryByteIsAPieceOfItsOwn) {
  const Vocabulary vocabulary = TrainWithBytes(GetParam());
  const Encoded encoded = vocabulary.EncodeWithPieces("a€");
  const Strings bytes = {"<0xE2>", "<0x82>", "<0xAC>"};
  ASSERT_EQ(encoded.pieces.size(), encoded.ids.size());
  ASSERT_GE(encoded.pieces.size(), bytes.size());
  EXPECT_EQ(Strings(encoded.pieces.end() - 3, encoded.pieces.end()), bytes);
  for (size_t i = 0; i < encoded.ids.size(); ++i) {
    EXPECT_EQ(vocabulary.Piece(encoded.ids[i]), encoded.pieces[i]);
  }
}

// Expected texts are the output of SentencePiece's Decode, except for trailing
// white space.
TEST_P(SubwordVocabulary, BytesOfNoCharacterBecomeReplacements) {
  const Vocabulary vocabulary = TrainWithBytes(GetParam());
  const std::string bad = "\xEF\xBF\xBD";
  const std::vector<std::pair<Strings, std::string>> cases = {
      {{"<0xE6>", "<0x97>", "<0xA5>"}, "日"},
      {{"<0xE6>", "<0x97>"}, bad + bad},
      {{"<0xFF>", "▁Ein"}, bad + " Ein"},
      {{"<0xE6>", "▁", "<0x97>", "<0xA5>"}, bad + " " + bad + bad},
      {{"<0xF0>", "<0x9F>", "<0xE6>", "<0x97>", "<0xA5>"}, bad + bad + "日"},
      {{"<0xC0>", "<0x80>"}, bad + bad},                  // overlong
      {{"<0xED>", "<0xA0>", "<0x80>"}, bad + bad + bad},  // surrogate
      {{"<0xE2>", "<0x96>", "<0x81>"}, "▁"},              // no space
      {{"a", "<0x0A>", "a", "<0x0A>"}, "a a"}};
  for (const auto& [pieces, text] : cases) {
    EXPECT_EQ(vocabulary.DecodePieces(pieces), text);
  }
}

TEST_P(SubwordVocabulary, ModelWithBytesSerializes) {
  const Vocabulary vocabulary = TrainWithBytes(GetParam());
  const Vocabulary copy =
      Vocabulary::Parse(vocabulary.Serialize(), GetParam(), "file");
  EXPECT_EQ(copy.Encode("日"), vocabulary.Encode("日"));
  EXPECT_EQ(copy.Decode(copy.Encode("日")), "日");
}

TEST_P(SubwordVocabulary, WithoutBytesTheirNamesAreText) {
  const Vocabulary vocabulary = TrainSmall(GetParam());
  EXPECT_EQ(vocabulary.DecodePieces(Strings{"▁Ein", "<0x41>"}), "Ein<0x41>");
}

TEST_P(SubwordVocabulary, SizeThatIsTooSmallIsTheLeastThatWorks) {
  EXPECT_EQ(
      Vocabulary::Train(Lines(),
                        {.kind = GetParam(), .size = 60, .byte_fallback = true})
          .size(),
      297);
}

TEST_P(SubwordVocabulary, SizeThatIsTooLargeIsWhatTheTextAllows) {
  const Vocabulary all =
      Vocabulary::Train(Lines(), {.kind = GetParam(), .size = 8000});
  EXPECT_LT(all.size(), 8000);
  EXPECT_GT(all.size(), 60);
  for (const std::string& line : Lines()) {
    EXPECT_EQ(all.Decode(all.Encode(line)), line);
  }
}

TEST_P(SubwordVocabulary, TextsOfAWordOrTwoHaveOne) {
  for (const Strings& lines :
       {Strings{"a"}, Strings{"a", "a", "a"}, Strings{"ab cd"},
        Strings{"the dog", "a cat", "the cat"}, Strings{"日本"}}) {
    const Vocabulary all =
        Vocabulary::Train(lines, {.kind = GetParam(), .size = 8000});
    EXPECT_EQ(all.Decode(all.Encode(lines[0])), lines[0]);
  }
}

TEST(VocabularyOptions, BytesAreForSubwords) {
  for (const Kind kind : {Kind::kWords, Kind::kCharacters, Kind::kWordPiece}) {
    EXPECT_NE(ConfigErrorOf(Lines(), {.kind = kind, .byte_fallback = true})
                  .find("byte_fallback is for unigram and bpe"),
              std::string::npos);
  }
}

TEST(WordVocabulary, MostFrequentWordsComeFirst) {
  const Strings lines = {"b a b", "c b a", "<s> d"};
  const Vocabulary vocabulary =
      Vocabulary::Train(lines, {.kind = Kind::kWords, .size = 0});
  EXPECT_EQ(vocabulary.Serialize(),
            "<pad>\n<unk>\n<s>\n</s>\nb\na\nc\nd\nnormalization nfc\n");
  EXPECT_EQ(vocabulary.Encode("a d x"), (Ids{5, 7, kUnk}));
}

TEST(WordVocabulary, SizeAndCountLimitIt) {
  const Strings lines = {"b a b", "c b a", "d"};
  EXPECT_EQ(Vocabulary::Train(lines, {.kind = Kind::kWords, .size = 6}).size(),
            6);
  EXPECT_EQ(Vocabulary::Train(lines, {.kind = Kind::kWords, .size = 99}).size(),
            8);
  EXPECT_EQ(Vocabulary::Train(lines,
                              {.kind = Kind::kWords, .size = 0, .min_count = 2})
                .size(),
            6);
}

TEST(WordVocabulary, FileWithATokenTwiceOrNoWordIsAFormatError) {
  const std::string specials = "<pad>\n<unk>\n<s>\n</s>\n";
  for (const char* rest :
       {"a\na\n", "a\n<s>\n", "a b\n", "a\n\n", " a\n", "\xFF\n",
        "a\nnormalization nfd\n", "normalization nfc\na\n"}) {
    EXPECT_THROW(Vocabulary::Parse(specials + rest, Kind::kWords, "file"),
                 FormatError);
  }
}

TEST(CharacterVocabulary, SpaceIsATokenLikeAnyOther) {
  const Vocabulary vocabulary = Vocabulary::Train(
      Strings{"ä b  "}, {.kind = Kind::kCharacters, .size = 0});
  EXPECT_EQ(vocabulary.Encode(" ä"), (Ids{4, 6}));
  EXPECT_EQ(vocabulary.Piece(4), " ");
  EXPECT_EQ(vocabulary.Decode(Ids{6, 4, 4, 5}), "ä  b");
}

TEST(CharacterVocabulary, LineFeedIsNoToken) {
  const Vocabulary vocabulary = Vocabulary::Train(
      Strings{"a\n\r"}, {.kind = Kind::kCharacters,
                         .size = 0,
                         .normalization = Normalization::kIdentity});
  EXPECT_EQ(vocabulary.Encode("\n\r"), (Ids{kUnk, 4}));
  EXPECT_EQ(
      Vocabulary::Parse(vocabulary.Serialize(), Kind::kCharacters, "f").size(),
      6);
}

// Pairs of texts that look equal to a reader.
std::vector<std::pair<std::string, std::string>> EqualTexts() {
  return {{"Ein\u00A0Mann", "Ein Mann"},
          {"Ein\u3000Mann", "Ein Mann"},
          {"Ein\u2009Mann", "Ein Mann"},
          {"Ein\u202FMann", "Ein Mann"},
          {"Ein\u2028Mann", "Ein Mann"},
          {"Ein\u0085Mann", "Ein Mann"},
          {"Ein\tMann", "Ein Mann"},
          {"Ein\u200BMann", "Ein Mann"},
          {"\uFEFFEin Mann", "Ein Mann"},
          {"Ein \uFEFFMann", "Ein Mann"},
          {"Ein Mann\u200E", "Ein Mann"},
          {"Ein Ma\u00ADnn", "Ein Mann"},
          {"Ein Ma\u2060nn", "Ein Mann"},
          {"Ein\u00AD Mann", "Ein Mann"},
          {"Ma\u0308nner", "M\u00E4nner"},
          {"la\u00AD\u0308uft", "läuft"},
          {"\x01"
           "Ein Mann\x7F",
           "Ein Mann"}};
}

class AnyVocabulary : public testing::TestWithParam<Kind> {};

INSTANTIATE_TEST_SUITE_P(
    Kinds, AnyVocabulary,
    testing::Values(Kind::kUnigram, Kind::kBpe, Kind::kWords, Kind::kCharacters,
                    Kind::kWordPiece, Kind::kWordPieceCased),
    [](const auto& test) { return std::string(Name(test.param)); });

Vocabulary TrainBy(Kind kind, Normalization normalization,
                   const Strings& lines = Lines()) {
  return Vocabulary::Train(
      lines,
      {.kind = kind,
       .size = kind == Kind::kWords || kind == Kind::kCharacters ? 0 : 100,
       .normalization = normalization});
}

TEST_P(AnyVocabulary, InvisibleDifferencesOfTextsAreNone) {
  for (const auto normalization :
       {Normalization::kNmtNfkc, Normalization::kNfkc}) {
    const Vocabulary trained = TrainBy(GetParam(), normalization);
    const Vocabulary read =
        Vocabulary::Parse(trained.Serialize(), GetParam(), "file");
    EXPECT_EQ(read.size(), trained.size());
    for (const auto& [text, plain] : EqualTexts()) {
      EXPECT_EQ(trained.Encode(text), trained.Encode(plain)) << text;
      EXPECT_EQ(read.Encode(text), trained.Encode(plain)) << text;
      EXPECT_EQ(read.EncodeWithPieces(text).pieces,
                read.EncodeWithPieces(plain).pieces);
      EXPECT_EQ(read.EncodeAll(Strings{text})[0], read.Encode(plain));
    }
  }
}

TEST_P(AnyVocabulary, LearnsTheSameFromCanonicallyEqualLines) {
  Strings decomposed;
  for (std::string line : Lines()) {
    for (const auto& [from, to] :
         {std::pair("ä", "a\u0308"), std::pair(" ", "\u00A0")}) {
      for (size_t at = line.find(from); at != line.npos;
           at = line.find(from, at + 1)) {
        line.replace(at, std::string(from).size(), to);
      }
    }
    decomposed.push_back(line);
  }
  ASSERT_NE(decomposed, Lines());
  EXPECT_EQ(
      TrainBy(GetParam(), Normalization::kNmtNfkc, decomposed).Serialize(),
      TrainBy(GetParam(), Normalization::kNmtNfkc).Serialize());
}

TEST_P(AnyVocabulary, IdentityKeepsEveryCharacter) {
  const Kind kind = GetParam();
  const Vocabulary vocabulary = TrainBy(kind, Normalization::kIdentity);
  const Vocabulary read =
      Vocabulary::Parse(vocabulary.Serialize(), kind, "file");
  for (const Vocabulary& each : {vocabulary, read}) {
    EXPECT_EQ(each.Normalized("a\u00A0\u00ADb"), "a\u00A0\u00ADb");
    if (kind == Kind::kWordPiece) continue;  // it removes accents in any case
    EXPECT_NE(each.Encode("Ma\u0308nner"), each.Encode("M\u00E4nner"));
  }
}

TEST_P(AnyVocabulary, JoinersOfIndicScriptsAndEmojiStayIfTheyAreKnown) {
  if (GetParam() == Kind::kWordPiece || GetParam() == Kind::kWordPieceCased) {
    return;  // BERT drops format characters
  }
  const Strings lines = {"می‌خواهم 👩‍👩‍👧 क्‍ष",
                         "a می‌خواهم 👩‍👩‍👧 क्‍ष"};
  const Vocabulary vocabulary =
      TrainBy(GetParam(), Normalization::kNfkc, lines);
  EXPECT_EQ(vocabulary.Decode(vocabulary.Encode(lines[0])), lines[0]);
}

// Expected texts are the output of SentencePiece with the same rule.
TEST_P(SubwordVocabulary, ReadsCompatibilityCharactersByTheChosenRule) {
  const Strings lines = {"fi 12 ... Straße 1⁄2 xx", "ﬁ ½ … ① ２ ‌x"};
  const auto decoded = [&](Normalization normalization) {
    const Vocabulary v = TrainBy(GetParam(), normalization, lines);
    return v.DecodePieces(v.EncodeWithPieces("ﬁ½ … ①２ x\u200Cx").pieces);
  };
  EXPECT_EQ(decoded(Normalization::kNmtNfkc), "fi1⁄2 ... 12 x x");
  EXPECT_EQ(decoded(Normalization::kNfkc), "fi1⁄2 ... 12 x\u200Cx");
  EXPECT_EQ(decoded(Normalization::kIdentity), "ﬁ½ … ①２ x\u200Cx");
}

// SentencePiece would read beyond the map.
TEST_P(SubwordVocabulary, DamagedMapOfCharactersIsAFormatErrorOrHarmless) {
  const std::string bytes =
      TrainBy(GetParam(), Normalization::kNmtNfkc).Serialize();
  const size_t begin = bytes.find("nmt_nfkc");
  ASSERT_NE(begin, bytes.npos);
  int refused = 0;
  for (size_t at = begin + 20; at + 5000 < bytes.size(); at += 20'000) {
    std::string damaged = bytes;
    std::fill_n(damaged.begin() + static_cast<std::ptrdiff_t>(at), 2000,
                '\x7F');
    try {
      Vocabulary::Parse(damaged, GetParam(), "file")
          .Encode("Ein ½ é Mann 東京");
    } catch (const FormatError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 3);
}

TEST(Normalization, NamesReadBack) {
  for (const std::string& name : NormalizationNames()) {
    EXPECT_EQ(Name(ParseNormalization(name)), name);
  }
  EXPECT_THROW(ParseNormalization("nfd"), ConfigError);
}

TEST(VocabularyKind, NamesReadBack) {
  for (const Kind kind :
       {Kind::kUnigram, Kind::kBpe, Kind::kWords, Kind::kCharacters}) {
    EXPECT_EQ(ParseVocabularyKind(Name(kind)), kind);
  }
  EXPECT_THROW(ParseVocabularyKind("chars"), ConfigError);
}

}  // namespace
}  // namespace heed
