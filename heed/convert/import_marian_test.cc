#include <fmt/format.h>
#include <gtest/gtest.h>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/convert/convert.h"
#include "heed/convert/source_weights.h"
#include "heed/convert/testing.h"
#include "heed/io/file.h"
#include "heed/tasks/translate/translation.h"

namespace heed {
namespace {

/// Heed's ids by Marian's ids: </s> and <unk> come first, other ids are Heed's
/// minus 2.
std::map<int32_t, int32_t> HeedIds(int size) {
  std::map<int32_t, int32_t> ids = {{0, kEos}, {1, kUnk}};
  for (int i = 2; i < size; ++i) ids[i] = i + 2;
  return ids;
}

// Tests with models written and evaluated by
// tests/golden/marian_transformer.py.
class ImportMarianGolden : public testing::Test {
 protected:
  translate::Model Read(const std::string& name,
                        const std::vector<std::string>& vocabularies) {
    Imported imported = Import(Golden(name), {.vocabularies = vocabularies});
    notes_ = imported.notes;
    WriteImported(folder_.Path("model"), false, imported);
    return translate::ReadTranslationModel(folder_.Path("model"));
  }

  TemporaryFolder folder_;
  Notes notes_;
};

TEST_F(ImportMarianGolden, NormBehindWithTiedSubwords) {
  const translate::Model model =
      Read("marian_post.npz", {Golden("marian.spm")});
  EXPECT_TRUE(notes_.empty());
  const auto golden = GoldenTensors("marian_post_expected.npz");
  const int size = static_cast<int>(golden.at("logits").dim(2));
  const auto ids = HeedIds(size);
  ASSERT_EQ(model.vocabularies.source.size(), size + 2);
  ExpectLogits(*model.model, golden, ids, ids);
}

TEST_F(ImportMarianGolden, SubwordsOfLinesAreTheSame) {
  const translate::Model model =
      Read("marian_post.npz", {Golden("marian.spm")});
  const auto golden = GoldenTensors("marian_post_expected.npz");
  const Tensor& lines = golden.at("lines");
  const std::string text(static_cast<const char*>(lines.raw()),
                         static_cast<size_t>(lines.numel()));
  const auto ids = HeedIds(static_cast<int>(golden.at("logits").dim(2)));
  size_t begin = 0;
  for (int64_t b = 0; b < golden.at("source").dim(0); ++b) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::vector<int32_t> expected;
    const int32_t length = golden.at("lengths").data<int32_t>()[b];
    for (int32_t i = 0; i + 1 < length; ++i) {
      expected.push_back(ids.at(golden.at("source").row<int32_t>(b)[i]));
    }
    EXPECT_EQ(model.vocabularies.source.Encode(text.substr(begin, end - begin)),
              expected);
    begin = end + 1;
  }
}

TEST_F(ImportMarianGolden, NormBeforeWithOwnWords) {
  const translate::Model model =
      Read("marian_pre.npz",
           {Golden("marian.source.yml"), Golden("marian.target.yml")});
  ASSERT_FALSE(notes_.empty());
  EXPECT_NE(notes_[0].find("subword-nmt"), std::string::npos);
  EXPECT_EQ(model.vocabularies.source.Encode("b@@ \\ q ~"),
            (std::vector<int32_t>{5, 10, kUnk, 9}));
  ExpectLogits(*model.model, GoldenTensors("marian_pre_expected.npz"),
               HeedIds(9), HeedIds(11));
}

// Tests models written and evaluated by tests/golden/marian_recurrent.py.
TEST_F(ImportMarianGolden, ConditionalGruOfBothTypes) {
  const std::vector<std::string> vocabularies = {Golden("marian.source.yml"),
                                                 Golden("marian.target.yml")};
  for (const std::string type : {"s2s", "amun"}) {
    SCOPED_TRACE(type);
    Imported imported = Import(Golden("marian_" + type + ".npz"),
                               {.vocabularies = vocabularies});
    ASSERT_FALSE(imported.notes.empty());
    EXPECT_NE(imported.notes[0].find("subword-nmt"), std::string::npos);
    WriteImported(folder_.Path(type), false, imported);
    const translate::Model model =
        translate::ReadTranslationModel(folder_.Path(type));
    ExpectLogits(*model.model,
                 GoldenTensors("marian_" + type + "_expected.npz"), HeedIds(9),
                 HeedIds(11));
  }
}

TEST_F(ImportMarianGolden, VocabulariesComeFromTheDecodersConfig) {
  folder_.Put("m.npz", ReadFile(Golden("marian_pre.npz")));
  folder_.Put("s.yml", ReadFile(Golden("marian.source.yml")));
  folder_.Put("t.yml", ReadFile(Golden("marian.target.yml")));
  const std::string path = folder_.Path("m.npz");
  EXPECT_NE(MessageOf<ConfigError>([&] { Import(path, {}); }).find("--vocab"),
            std::string::npos);
  folder_.Put("m.npz.decoder.yml",
              "relative-paths: true\nvocabs:\n  - s.yml\n  - t.yml\n");
  EXPECT_EQ(Import(path, {}).model->Sizes()[1].second, 13);
}

TEST_F(ImportMarianGolden, WrongVocabulariesAreErrors) {
  const std::string pre = Golden("marian_pre.npz");
  const std::string post = Golden("marian_post.npz");
  const std::string spm = Golden("marian.spm");
  const std::string yml = Golden("marian.source.yml");
  const auto error = [](const std::string& model,
                        const std::vector<std::string>& vocabularies) {
    return MessageOf<FormatError>(
        [&] { Import(model, {.vocabularies = vocabularies}); });
  };
  EXPECT_NE(error(pre, {spm}).find("has 45 tokens"), std::string::npos);
  EXPECT_NE(error(post, {spm, yml}).find("on both sides"), std::string::npos);
  EXPECT_NE(error(post, {yml, Golden("marian.target.yml")})
                .find("share their embeddings"),
            std::string::npos);
  EXPECT_NE(error(post, {folder_.Put("v.fsv", "x")}).find("factored"),
            std::string::npos);
  EXPECT_NE(error(post, {folder_.Put("v.yml", "a: 0\nb: 1\n")}).find("</s>"),
            std::string::npos);
  EXPECT_NE(error(post, {folder_.Put("v.yml", "</s>: 0\nb: x\n")})
                .find("the id of 'b'"),
            std::string::npos);
  EXPECT_NE(error(post, {folder_.Put("v.yml", "</s>: 0\nb: 0\n")})
                .find("the same id 0"),
            std::string::npos);
  EXPECT_NE(error(post, {folder_.Put("v.spm", "no model")}).find("v.spm"),
            std::string::npos);
}

TEST_F(ImportMarianGolden, WhatIsLeftOutIsNoted) {
  const std::string words = folder_.Put(
      "v.yml", "</s>: 0\n<unk>: 1\n\"a b\": 2\n<pad>: 3\nc: 4\nfar: 99\n");
  const Imported imported =
      Import(Golden("marian_post.npz"), {.vocabularies = {words}});
  ASSERT_EQ(imported.notes.size(), 3U);
  EXPECT_NE(imported.notes[0].find("39 further rows"), std::string::npos);
  EXPECT_NE(imported.notes[1].find("'far'"), std::string::npos);
  EXPECT_NE(imported.notes[2].find("'a b', '<pad>'"), std::string::npos);
  EXPECT_EQ(imported.model->Sizes()[0].second, 5);
}

TEST_F(ImportMarianGolden, ModelsThatAreNotMariansAreRefused) {
  EXPECT_NE(MessageOf<FormatError>([&] {
              Import(Golden("numpy_stored.npz"), {.vocabularies = {"v.yml"}});
            }).find("special:model.yml"),
            std::string::npos);
}

}  // namespace
}  // namespace heed
