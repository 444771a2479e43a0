#include "heed/text/languages.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace heed {
namespace {

using Paths = std::vector<std::string>;

TEST(LanguageCode, KnowsWhatClientsWrite) {
  for (const char* code : {"zh", "ZH", "zh-Hans", "zh-hans", "zh_CN", "zh-SG",
                           "cmn_Hans", "zho", "cmn"}) {
    EXPECT_EQ(LanguageCode(code), "zh-Hans") << code;
  }
  for (const char* code :
       {"zt", "zh-TW", "ZH-HANT", "zh_Hant_TW", "zh-HK", "cmn_Hant"}) {
    EXPECT_EQ(LanguageCode(code), "zh-Hant") << code;
  }
  for (const char* code : {"pb", "pt-br", "PT_BR", "pt-BR", "por_BR"}) {
    EXPECT_EQ(LanguageCode(code), "pt-BR") << code;
  }
  EXPECT_EQ(LanguageCode("PT"), "pt");
  EXPECT_EQ(LanguageCode("no"), "nb");
  EXPECT_EQ(LanguageCode("De"), "de");
  EXPECT_EQ(LanguageCode("sr_latn_rs"), "sr-Latn-RS");
  EXPECT_EQ(LanguageCode("source"), "source");
  for (const char* no_code : {"", "-", "--", "a-", "-a", "\xC3\x84h", "a b"}) {
    EXPECT_EQ(LanguageCode(no_code), no_code);
  }
}

TEST(LanguageCode, HasTwoLettersWhereThereAreSome) {
  EXPECT_EQ(LanguageCode("fra"), "fr");
  EXPECT_EQ(LanguageCode("deu"), "de");
  EXPECT_EQ(LanguageCode("ger"), "de");
  EXPECT_EQ(LanguageCode("nob"), "nb");
  EXPECT_EQ(LanguageCode("tgl"), "tl");
  EXPECT_EQ(LanguageCode("srp_Latn"), "sr-Latn");
  EXPECT_EQ(LanguageCode("eng_Latn"), "en");
  EXPECT_EQ(LanguageCode("rus_Cyrl"), "ru");
  EXPECT_EQ(LanguageCode("yue"), "yue");
  EXPECT_EQ(LanguageCode("roa"), "roa");
}

TEST(LanguageName, IsEnglish) {
  EXPECT_EQ(LanguageName("de"), "German");
  EXPECT_EQ(LanguageName("qqz"), "qqz");
}

TEST(IsLanguageCode, LooksAtTheForm) {
  for (const char* code : {"de", "fra", "xx", "pt-BR", "zh_Hant", "DE"}) {
    EXPECT_TRUE(IsLanguageCode(code)) << code;
  }
  for (const char* other : {"", "d", "German", "d-e", "de-", "d1", "de en"}) {
    EXPECT_FALSE(IsLanguageCode(other)) << other;
  }
}

TEST(IsKnownLanguage, AsksUnicodesTables) {
  for (const char* code : {"de", "fra", "zho_Hant", "pt-BR", "ger"}) {
    EXPECT_TRUE(IsKnownLanguage(code)) << code;
  }
  for (const char* other : {"xx", "txt", "gz", "tsv", "train", "roa"}) {
    EXPECT_FALSE(IsKnownLanguage(other)) << other;
  }
}

TEST(LanguageDistance, PrefersTheExactCodeThenItsBase) {
  EXPECT_EQ(LanguageDistance("en", "en"), 0);
  EXPECT_EQ(LanguageDistance("en-US", "en-US"), 0);
  EXPECT_EQ(LanguageDistance("en-US", "en"), 1);
  EXPECT_EQ(LanguageDistance("sr-Latn-RS", "sr-Latn"), 1);
  EXPECT_EQ(LanguageDistance("sr-Latn-RS", "sr"), 2);
  EXPECT_EQ(LanguageDistance("zh-Hant", "zh-Hans"), 1);  // meaning of "zh"
  EXPECT_GT(LanguageDistance("pt", "pt-BR").value_or(0), 2);
  EXPECT_GT(LanguageDistance("en-US", "en-GB").value_or(0), 2);
  EXPECT_FALSE(LanguageDistance("en", "de"));
  EXPECT_FALSE(LanguageDistance("en-US", "eo"));
}

TEST(WithoutRegion, KeepsTheScript) {
  EXPECT_EQ(WithoutRegion("en-US"), "en");
  EXPECT_EQ(WithoutRegion("zh-Hant"), "zh-Hant");
  EXPECT_EQ(WithoutRegion("sr-Latn-RS"), "sr-Latn");
  EXPECT_EQ(WithoutRegion("es-419"), "es");
  EXPECT_EQ(WithoutRegion("de"), "de");
}

void ExpectPair(const LanguagePair& pair, const std::string& source,
                const std::string& target) {
  EXPECT_EQ(pair.source, source);
  EXPECT_EQ(pair.target, target);
}

TEST(LanguagesOfFiles, AreTheirEndings) {
  const auto of = [](const char* source, const char* target) {
    return LanguagesOfFiles(Paths{source}, Paths{target});
  };
  ExpectPair(of("/data/train.de.gz", "x/train.en"), "de", "en");
  ExpectPair(of("corpus.de-en.de", "corpus.de-en.en"), "de", "en");
  ExpectPair(of("a.eng.txt", "a.deu.txt"), "en", "de");
  ExpectPair(of("dev.eng_Latn", "dev.zho_Hant"), "en", "zh-Hant");
  ExpectPair(of("train.en.tok", "train.pt_BR.tok"), "en", "pt-BR");
}

TEST(LanguagesOfFiles, AreThePartsInWhichTheirNamesDiffer) {
  const auto of = [](const char* source, const char* target) {
    return LanguagesOfFiles(Paths{source}, Paths{target});
  };
  ExpectPair(of("en/train.txt", "de/train.txt"), "en", "de");
  ExpectPair(of("/x/train_en.txt", "/x/train_de.txt"), "en", "de");
  ExpectPair(of("en.txt", "de.txt"), "en", "de");
  ExpectPair(of("train.en-de", "train.en-de"), "", "");
}

TEST(LanguagesOfFiles, AreUnknownForOtherNames) {
  ExpectPair(LanguagesOfFiles(Paths{"a.source"}, Paths{"a.target"}), "", "");
  ExpectPair(LanguagesOfFiles(Paths{"a.src"}, Paths{"a.tgt"}), "", "");
  ExpectPair(LanguagesOfFiles(Paths{"train.txt"}, Paths{"labels.txt"}), "", "");
  ExpectPair(LanguagesOfFiles(Paths{"a.en"}, Paths{"b.target"}), "en", "");
  ExpectPair(LanguagesOfFiles({}, {}), "", "");
}

TEST(LanguagesOfFiles, AgreeOrAreUnknown) {
  ExpectPair(LanguagesOfFiles(Paths{"a.en", "b.en.gz"}, Paths{"a.de", "b.de"}),
             "en", "de");
  ExpectPair(LanguagesOfFiles(Paths{"a.en", "b.fr"}, Paths{"a.de", "b.de"}), "",
             "de");
}

TEST(LanguagesOfTable, AreAPairInItsName) {
  ExpectPair(LanguagesOfTable("data/pairs.en-de.tsv.gz"), "en", "de");
  ExpectPair(LanguagesOfTable("en-fr.tsv"), "en", "fr");
  ExpectPair(LanguagesOfTable("pairs.tsv"), "", "");
  ExpectPair(LanguagesOfTable("en-de/pairs.tsv"), "", "");
}

}  // namespace
}  // namespace heed
