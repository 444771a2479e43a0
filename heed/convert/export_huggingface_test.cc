#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/convert/convert.h"
#include "heed/convert/testing.h"
#include "heed/convert/translation_parts.h"
#include "heed/io/file.h"
#include "heed/io/safetensors.h"
#include "heed/tasks/pretrain/pretrain.h"
#include "heed/tasks/translate/testing.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

// Tests that an exported model can be imported again, with equal weights,
// vocabularies and settings.
class ExportHuggingFaceTest : public testing::Test {
 protected:
  std::string Ours(const std::string& file = "") const {
    return folder_.Path("ours") + (file.empty() ? "" : "/" + file);
  }
  std::string Theirs(const std::string& file = "") const {
    return folder_.Path("theirs") + (file.empty() ? "" : "/" + file);
  }
  Json ReadTheirs(const std::string& file) const {
    return Json::parse(ReadFile(Theirs(file)));
  }
  void Import(const std::string& source,
              const std::vector<std::string>& vocabularies) {
    Imported imported = heed::Import(source, {.vocabularies = vocabularies});
    WriteImported(Ours(), false, imported);
  }
  Notes Export() { return ExportHuggingFace(Ours(), Theirs(), false); }

  void ExpectTheSameAgain() {
    Imported again = heed::Import(Theirs(), {});
    const LoadedModel first = ReadModel(Ours());
    EXPECT_EQ(again.model->Files(), first.model->Files());
    const auto ours = first.model->parameters().Tensors();
    const auto theirs = again.model->parameters().Tensors();
    ASSERT_EQ(ours.size(), theirs.size());
    for (size_t i = 0; i < ours.size(); ++i) {
      EXPECT_EQ(ours[i].name, theirs[i].name);
      EXPECT_EQ(ours[i].value.ToVector<float>(),
                theirs[i].value.ToVector<float>())
          << ours[i].name;
    }
    WriteImported(folder_.Path("again"), false, again);
    EXPECT_EQ(Json::parse(
                  ReadFile(folder_.Path("again/config.json")))["heed"]["files"],
              Json::parse(ReadFile(Ours("config.json")))["heed"]["files"]);
  }

  TemporaryFolder folder_;
};

TEST_F(ExportHuggingFaceTest, MarianMtComesBack) {
  Import(Golden("huggingface_marian"), {});
  EXPECT_TRUE(Export().empty());
  ExpectTheSameAgain();
  EXPECT_EQ(ReadTheirs("vocab.json")[">>fra<<"], 43);
  EXPECT_EQ(ReadTheirs("config.json")["tie_word_embeddings"], true);
  EXPECT_EQ(ReadSafetensors(Theirs("model.safetensors")).metadata["format"],
            "pt");
}

TEST_F(ExportHuggingFaceTest, MarianMtHasEveryNameOfTheirLayout) {
  Import(Golden("huggingface_marian"), {});
  Export();
  const auto theirs = ReadSafetensors(Theirs("model.safetensors")).tensors;
  const auto golden =
      ReadSafetensors(Golden("huggingface_marian/model.safetensors")).tensors;
  EXPECT_EQ(theirs.size(), golden.size());
  for (const NamedTensor& tensor : golden) {
    const Tensor& found = FindTensor(theirs, tensor.name, "theirs");
    EXPECT_EQ(found.rank(), tensor.value.rank()) << tensor.name;
    EXPECT_EQ(found.dim(-1), tensor.name == "final_logits_bias"
                                 ? tensor.value.dim(-1) + 2
                                 : tensor.value.dim(-1))
        << tensor.name;  // <s>, and a piece without an id
  }
}

TEST_F(ExportHuggingFaceTest, MariansModelBecomesMarianMtWithItsPositions) {
  Import(Golden("marian_post.npz"), {Golden("marian.spm")});
  const Notes notes = Export();
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("norm_epsilon"), std::string::npos);
  ExpectTheSameAgain();
  const Imported again = heed::Import(Theirs(), {});
  EXPECT_EQ(dynamic_cast<translate::Model&>(*again.model)
                .config.As<TransformerConfig>()
                .position,
            "sinusoidal_t2t");
}

TEST_F(ExportHuggingFaceTest, OwnVocabulariesStayApart) {
  const translate::Model golden = [this] {
    Import(Golden("huggingface_marian"), {});
    return translate::ReadTranslationModel(Ours());
  }();
  ModelChoice<TranslatorSettings> config = golden.config;
  config.As<TransformerConfig>().tie = "none";
  config.As<TransformerConfig>().position = "learned";
  config.As<TransformerConfig>().max_positions = 16;
  const MappedVocabulary source = {VocabularyKind::kUnigram,
                                   golden.vocabularies.source.Serialize(),
                                   std::vector<int32_t>(46), 0};
  Notes notes;
  MappedVocabulary target =
      ReadMarianVocabulary(Golden("marian.spm"), 45, notes);
  Imported made;
  made = MakeTranslation(config, {source, target}, "test", {}, 1);
  WriteImported(Ours(), true, made);
  EXPECT_TRUE(Export().empty());
  EXPECT_EQ(ReadTheirs("tokenizer_config.json")["separate_vocabs"], true);
  ExpectTheSameAgain();
}

TEST_F(ExportHuggingFaceTest, ThePresetTrainsWhatCanBeExported) {
  for (const bool joint : {false, true}) {
    SCOPED_TRACE(joint);
    const TemporaryFolder folder;
    translate::Config config = translate::TinyConfig(folder.Path("ours"));
    config.model.Choose("transformer-marian");
    config.model.As<TransformerConfig>().layers = 1;
    config.model.As<TransformerConfig>().width = 16;
    config.model.As<TransformerConfig>().ff = 16;
    config.model.As<TransformerConfig>().heads = 2;
    config.data.vocabulary = "bpe";
    config.data.joint_vocabulary = joint;
    config.data.source_vocabulary_size = kSpecialTokens + 9;
    config.data.target_vocabulary_size = kSpecialTokens + 9;
    if (joint) config.model.As<TransformerConfig>().tie = "all";
    config.run.steps = 2;
    translate::TrainTranslation(config, {ReversedLetters(40, 1), {}});
    EXPECT_TRUE(
        ExportHuggingFace(folder.Path("ours"), folder.Path("theirs"), false)
            .empty());
    Imported back = heed::Import(folder.Path("theirs"), {});
    WriteImported(folder.Path("back"), false, back);
    const std::vector<std::string> lines = {"a b c", "d", "b d"};
    EXPECT_EQ(
        translate::TranslateLines(
            translate::ReadTranslationModel(folder.Path("ours")), lines, {}),
        translate::TranslateLines(
            translate::ReadTranslationModel(folder.Path("back")), lines, {}));
    const Json generation =
        Json::parse(ReadFile(folder.Path("theirs/generation_config.json")));
    EXPECT_EQ(generation["num_beams"], 5);
    EXPECT_EQ(generation["decoder_start_token_id"], kBos);
    EXPECT_EQ(generation["bad_words_ids"], (Json{{kPad}, {kBos}}));
  }
}

TEST_F(ExportHuggingFaceTest, BertComesBack) {
  Import(Golden("huggingface_bert"), {});
  EXPECT_TRUE(Export().empty());
  ExpectTheSameAgain();
  EXPECT_EQ(ReadTheirs("tokenizer_config.json")["do_lower_case"], false);
  EXPECT_EQ(ReadTheirs("config.json")["vocab_size"], 22);
}

TEST_F(ExportHuggingFaceTest, BertWithoutNextSentencesScoresWordsAlone) {
  Imported made = heed::Import(Golden("huggingface_bert"), {});
  auto& settings = dynamic_cast<pretrain::Settings&>(*made.settings);
  settings.data.instances.next_sentence = false;
  made.model = std::make_unique<pretrain::Model>(
      settings, dynamic_cast<pretrain::Model&>(*made.model).vocabulary, 7);
  WriteImported(Ours(), false, made);
  EXPECT_TRUE(Export().empty());
  EXPECT_EQ(ReadTheirs("config.json")["architectures"],
            Json{"BertForMaskedLM"});
  for (const NamedTensor& tensor :
       ReadSafetensors(Theirs("model.safetensors")).tensors) {
    EXPECT_EQ(tensor.name.find("pooler"), std::string::npos) << tensor.name;
    EXPECT_EQ(tensor.name.find("seq_relationship"), std::string::npos);
  }
  // An import adds the heads that are missing.
  const Imported again = heed::Import(Theirs(), {});
  const ParameterSet& parameters = again.model->parameters();
  for (const NamedTensor& ours : made.model->parameters().Tensors()) {
    ASSERT_NE(parameters.Find(ours.name), nullptr) << ours.name;
    EXPECT_EQ(parameters.Find(ours.name)->value().ToVector<float>(),
              ours.value.ToVector<float>())
        << ours.name;
  }
}

TEST_F(ExportHuggingFaceTest, WhatTheyHaveNotIsNamed) {
  Import(Golden("marian_pre.npz"),
         {Golden("marian.source.yml"), Golden("marian.target.yml")});
  EXPECT_EQ(MessageOf<ConfigError>([&] { Export(); }),
            "MarianMT of Hugging Face has no norm 'pre' (only 'post'), no "
            "final_norm 'yes' (only 'no'), no embedding_norm 'yes' (only "
            "'no'), no vocabulary 'words'; heed train --model "
            "transformer-marian makes models that can be exported");
  const translate::Config recurrent =
      translate::TinyConfig(folder_.Path("recurrent"));
  translate::TrainTranslation(recurrent, {ReversedLetters(8, 1), {}});
  EXPECT_NE(MessageOf<ConfigError>([&] {
              ExportHuggingFace(recurrent.run.out, Theirs(), false);
            }).find("'bahdanau' cannot be exported"),
            std::string::npos);
}

TEST_F(ExportHuggingFaceTest, AModelThatStandsThereStays) {
  Import(Golden("huggingface_bert"), {});
  Export();
  EXPECT_THROW(Export(), ConfigError);
  EXPECT_NO_THROW(ExportHuggingFace(Ours(), Theirs(), true));
}

}  // namespace
}  // namespace heed
