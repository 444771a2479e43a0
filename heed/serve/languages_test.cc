#include "heed/serve/languages.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "heed/base/errors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

TEST(ParseModelSpec, ReadsLanguages) {
  ModelSpec spec = ParseModelSpec("de-en=models/a/");
  EXPECT_EQ(spec.languages.source, "de");
  EXPECT_EQ(spec.languages.target, "en");
  EXPECT_EQ(spec.folder, "models/a/");
  EXPECT_EQ(spec.name, "");
  spec = ParseModelSpec("pt-BR:en=m");
  EXPECT_EQ(spec.languages.source, "pt-BR");
  EXPECT_EQ(spec.languages.target, "en");
  spec = ParseModelSpec("EN:zh-tw=m");
  EXPECT_EQ(spec.languages.source, "en");
  EXPECT_EQ(spec.languages.target, "zh-Hant");
  spec = ParseModelSpec("en-xx=m");
  EXPECT_EQ(spec.languages.target, "xx");
  EXPECT_EQ(ParseModelSpec("models/b").languages.source, "");
}

TEST(ParseModelSpec, ReadsNames) {
  for (const char* name : {"tagger", "x", "my_model", "qa-bot", "v1.2",
                           "sentiment-large", "a-b-c"}) {
    const ModelSpec spec = ParseModelSpec(std::string(name) + "=models/a");
    EXPECT_EQ(spec.name, name);
    EXPECT_EQ(spec.folder, "models/a");
    EXPECT_EQ(spec.languages.source, "");
  }
  const ModelSpec both = ParseModelSpec("best=de-en=m");
  EXPECT_EQ(both.name, "best");
  EXPECT_EQ(both.languages.target, "en");
  EXPECT_EQ(both.folder, "m");
}

TEST(ParseModelSpec, SaysWhatIsNeither) {
  for (const char* wrong :
       {"=m", "d e-en=m", "pt-BR-en=m", "a:b=m", "x=y=m", "de-en=de-fr=m"}) {
    EXPECT_THROW(ParseModelSpec(wrong), ConfigError) << wrong;
  }
}

TEST(ParseModelSpec, AFolderMayHaveAnEqualsSign) {
  const TemporaryFolder folder;
  const std::string path = folder.Path("lr=1");
  std::filesystem::create_directory(path);
  EXPECT_EQ(ParseModelSpec(path).folder, path);
  EXPECT_EQ(ParseModelSpec("best=" + path).folder, path);
}

std::vector<std::string> NamesOf(std::vector<ModelSpec> specs) {
  NameModels(specs);
  std::vector<std::string> names;
  for (const ModelSpec& spec : specs) names.push_back(spec.name);
  return names;
}

using NameList = std::vector<std::string>;

TEST(NameModels, TakesTheLastPartOfThePath) {
  EXPECT_EQ(NamesOf({{"models/a/"}, {"models/./b"}, {"c"}}),
            (NameList{"a", "b", "c"}));
}

TEST(NameModels, TellsFoldersOfOneNameApart) {
  EXPECT_EQ(NamesOf({{"a/model"}, {"b/model"}, {"c"}}),
            (NameList{"a/model", "b/model", "c"}));
  EXPECT_EQ(NamesOf({{"x/a/model"}, {"y/a/model"}, {"y/b/model"}}),
            (NameList{"x/a/model", "y/a/model", "b/model"}));
}

TEST(NameModels, NumbersOneFolderThatComesTwice) {
  EXPECT_EQ(NamesOf({{"a/model"}, {"a/model/"}, {"a/../a/model"}}),
            (NameList{"model", "model-2", "model-3"}));
}

TEST(NameModels, KeepsNamesThatWereGiven) {
  EXPECT_EQ(NamesOf({{"a/model", "best"}, {"b/model"}}),
            (NameList{"best", "model"}));
  EXPECT_EQ(NamesOf({{"a/model", "model"}, {"b/model"}}),
            (NameList{"model", "b/model"}));
  EXPECT_THROW(NamesOf({{"a", "best"}, {"b", "best"}}), ConfigError);
}

}  // namespace
}  // namespace heed
