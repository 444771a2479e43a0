#include "heed/serve/languages.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "heed/base/errors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

TEST(ParseModelSpec, ReadsLanguages) {
  ModelSpec spec = ParseModelSpec("de-en=models/a/");
  EXPECT_EQ(spec.languages.source, "de");
  EXPECT_EQ(spec.languages.target, "en");
  EXPECT_EQ(spec.folder, "models/a/");
  EXPECT_EQ(spec.name, "a");
  spec = ParseModelSpec("pt-BR:en=m");
  EXPECT_EQ(spec.languages.source, "pt-BR");
  EXPECT_EQ(spec.languages.target, "en");
  spec = ParseModelSpec("EN:zh-tw=m");
  EXPECT_EQ(spec.languages.source, "en");
  EXPECT_EQ(spec.languages.target, "zh-Hant");
  EXPECT_EQ(ParseModelSpec("models/b").languages.source, "");
  for (const char* wrong : {"x=m", "a-b-c=m", "=m", "-en=m", "d e-en=m"}) {
    EXPECT_THROW(ParseModelSpec(wrong), ConfigError) << wrong;
  }
}

TEST(LanguageCode, KnowsWhatClientsWrite) {
  for (const char* code :
       {"zh", "ZH", "zh-Hans", "zh-hans", "zh_CN", "zh-SG"}) {
    EXPECT_EQ(LanguageCode(code), "zh-Hans") << code;
  }
  for (const char* code : {"zt", "zh-TW", "ZH-HANT", "zh_Hant_TW", "zh-HK"}) {
    EXPECT_EQ(LanguageCode(code), "zh-Hant") << code;
  }
  for (const char* code : {"pb", "pt-br", "PT_BR", "pt-BR"}) {
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

TEST(ParseModelSpec, AFolderMayHaveAnEqualsSign) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.Path("lr=1"));
  EXPECT_EQ(ParseModelSpec(folder.Path("lr=1")).name, "lr=1");
}

TEST(GuessLanguages, LooksAtTheEndingsOfFiles) {
  LanguagePair pair = GuessLanguages(
      Json{{"source", "/data/train.de.gz"}, {"target", "x/train.en"}});
  EXPECT_EQ(pair.source, "de");
  EXPECT_EQ(pair.target, "en");
  pair = GuessLanguages(Json{{"source", "a.source"}, {"tsv", "b.tsv"}});
  EXPECT_EQ(pair.source, kUnknownSource);
  EXPECT_EQ(pair.target, "target");
}

TEST(LanguageName, IsEnglish) {
  EXPECT_EQ(LanguageName("de"), "German");
  EXPECT_EQ(LanguageName("qqz"), "qqz");
}

}  // namespace
}  // namespace heed
