// Tests of BERT's heads and tokenizers. Those of pre-training heads are in
// import_huggingface_test.cc.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "heed/base/errors.h"
#include "heed/convert/bert_tokenizer.h"
#include "heed/convert/convert.h"
#include "heed/convert/testing.h"
#include "heed/io/file.h"
#include "heed/tasks/classify/classify.h"
#include "heed/tasks/pretrain/pretrain.h"
#include "heed/tasks/run.h"
#include "heed/tasks/tag/tag.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

/// Tests with folders from tests/golden/bert_heads.py.
class ImportBertHead : public HuggingFaceFolder {
 protected:
  /// Imports the folder, writes the model and reads it.
  LoadedModel Read(const ImportRequest& request = {}) {
    Imported imported = Import(Theirs(), request);
    notes_ = imported.notes;
    WriteImported(folder_.Path("ours"), true, imported);
    return ReadModel(folder_.Path("ours"));
  }
  Json Expected() const {
    return Json::parse(ReadFile(Theirs("expected.json")));
  }
  std::string ErrorOf(const ImportRequest& request) const {
    return MessageOf<FormatError>([&] { Import(Theirs(), request); });
  }

  Notes notes_;
};

class ImportBertTagger : public ImportBertHead {
 protected:
  ImportBertTagger() { Copy("huggingface_tags"); }
};

void ExpectScores(const LabelSet& labels, const float* found,
                  const Json& expected) {
  for (int32_t c = 0; c < labels.size(); ++c) {
    EXPECT_NEAR(found[c], expected.at(labels.Name(c)).get<double>(), 1e-4)
        << labels.Name(c);
  }
}

void ExpectTags(const tag::Model& model, const Json& expected) {
  std::vector<TaggedSentence> sentences;
  for (const Json& one : expected) {
    sentences.emplace_back();
    for (const Json& word : one["words"]) {
      sentences.back().words.push_back(word.get<std::string>());
    }
  }
  const tag::EncodedSentences encoded = model.Encode(sentences);
  const std::vector<tag::SentenceTags> answers = model.Tag({}, encoded);
  for (size_t i = 0; i < sentences.size(); ++i) {
    const auto number = static_cast<int64_t>(i);
    EXPECT_EQ(Json(encoded.plan.source[i]), expected[i]["ids"]);
    const TagScores scores =
        model.network.Scores({}, model.MakeBatch(encoded, {{number}}));
    for (size_t t = 0; t < sentences[i].words.size(); ++t) {
      const Json& row = expected[i]["scores"][t];
      ExpectScores(model.tags,
                   scores.tags.value().row<float>(static_cast<int64_t>(t)),
                   row);
      double sum = 0;
      for (const Json& score : row) sum += std::exp(score.get<double>());
      const double best = row.at(answers[i].tags[t]).get<double>();
      EXPECT_NEAR(answers[i].probabilities[t], std::exp(best) / sum, 1e-4);
      for (const Json& score : row) EXPECT_GE(best, score.get<double>());
    }
  }
}

TEST_F(ImportBertTagger, TagsAsTheirsWithThePoolerLeftOut) {
  const LoadedModel loaded = Read();
  EXPECT_TRUE(notes_.empty());
  EXPECT_EQ(loaded.settings->task(), "tag");
  ExpectTags(dynamic_cast<tag::Model&>(*loaded.model), Expected());
}

TEST_F(ImportBertTagger, WithoutAnArchitectureTheTensorsTellTheHead) {
  Change("architectures", nullptr);
  ChangeTensors([](std::vector<NamedTensor>& tensors) {
    std::erase_if(tensors, [](const NamedTensor& tensor) {
      return tensor.name.find("pooler") != std::string::npos;
    });
  });
  ExpectTags(dynamic_cast<tag::Model&>(*Read().model), Expected());
}

TEST_F(ImportBertTagger, WithoutNamesLabelsAreNumbered) {
  Change("id2label", nullptr);
  const LoadedModel loaded = Read();
  const auto& model = dynamic_cast<tag::Model&>(*loaded.model);
  EXPECT_EQ(model.tags.Name(0), "LABEL_0");
  EXPECT_EQ(model.tags.size(), 5);
}

TEST_F(ImportBertTagger, LabelsThatDoNotFitAreNamed) {
  Change("id2label", {{"0", "O"}, {"1", "B"}});
  EXPECT_NE(Error().find("option id2label: has no name for label 2 of 5"),
            std::string::npos)
      << Error();
  Change("id2label",
         {{"0", "O"}, {"1", "B"}, {"2", "O"}, {"3", "I"}, {"4", "J"}});
  EXPECT_NE(Error().find("two labels are called 'O'"), std::string::npos);
  Change(
      "id2label",
      {{"0", "a"}, {"1", "b"}, {"2", "c"}, {"3", "d"}, {"4", "e"}, {"5", "f"}});
  EXPECT_NE(Error().find("names 6 labels, but 'classifier.weight' has 5 rows"),
            std::string::npos);
}

TEST_F(ImportBertTagger, OtherHeadsAreNamedAndCanBeLeftOut) {
  Change("architectures", {"BertForQuestionAnswering"});
  EXPECT_NE(Error().find("Heed has no task for the head of "
                         "BertForQuestionAnswering"),
            std::string::npos);
  EXPECT_NE(Error().find("--encoder-only"), std::string::npos);
  const LoadedModel loaded = Read({.encoder_only = true});
  EXPECT_EQ(loaded.settings->task(), "pretrain");
  ASSERT_EQ(notes_.size(), 1U);
  EXPECT_NE(notes_[0].find("they start fresh"), std::string::npos);
  Change("architectures", {"BertLMHeadModel"});
  Change("is_decoder", true);
  EXPECT_NE(ErrorOf({.encoder_only = true})
                .find("option is_decoder: Heed does not support 'true'"),
            std::string::npos);
}

class ImportBertClassifier : public ImportBertHead {
 protected:
  ImportBertClassifier() { Copy("huggingface_classes"); }
};

void ExpectClasses(const classify::Model& model, const Json& expected) {
  LabelledText text;
  for (const Json& one : expected) {
    text.text.push_back(one["text"].get<std::string>());
  }
  const LabelledCorpus corpus = model.Encode(text, /*with_labels=*/false);
  for (size_t i = 0; i < expected.size(); ++i) {
    const auto number = static_cast<int64_t>(i);
    EXPECT_EQ(Json(corpus.corpus.source[i]), expected[i]["ids"]) << i;
    const Var scores = model.network.Scores(
        {}, InputOf(MakeLabelledBatch(corpus, {{number}})));
    ExpectScores(model.labels, scores.value().row<float>(0),
                 expected[i]["scores"]);
  }
}

TEST_F(ImportBertClassifier, ClassifiesAsTheirs) {
  const LoadedModel loaded = Read();
  EXPECT_TRUE(notes_.empty());
  EXPECT_EQ(loaded.settings->task(), "classify");
  const auto& model = dynamic_cast<classify::Model&>(*loaded.model);
  EXPECT_EQ(model.vocabulary.kind(), VocabularyKind::kWordPieceAccents);
  EXPECT_FALSE(model.config.data.format.multi_label);
  ExpectClasses(model, Expected());
}

TEST_F(ImportBertClassifier, SeveralLabelsAndPairsAreSettings) {
  Change("problem_type", "multi_label_classification");
  const LoadedModel several = Read({.pairs = true});
  const auto& model = dynamic_cast<classify::Model&>(*several.model);
  EXPECT_TRUE(model.config.data.format.multi_label);
  EXPECT_TRUE(model.pairs());
}

TEST_F(ImportBertClassifier, RegressionIsRefusedWithAWayOut) {
  Change("problem_type", "regression");
  EXPECT_NE(Error().find("option problem_type: the model gives a number"),
            std::string::npos);
  EXPECT_NO_THROW(Import(Theirs(), {.encoder_only = true}));
}

TEST_F(ImportBertClassifier, TheVocabularyMayBeAListInstead) {
  const Json tokenizer = Json::parse(ReadFile(Theirs("tokenizer.json")));
  std::string lines;
  for (const auto& [token, id] : tokenizer["model"]["vocab"].items()) {
    lines += token + "\n";
  }
  folder_.Put("theirs/vocab.txt", lines);
  std::filesystem::remove(Theirs("tokenizer.json"));
  folder_.Put("theirs/tokenizer_config.json",
              R"({"do_lower_case": true, "strip_accents": false})");
  ExpectClasses(dynamic_cast<classify::Model&>(*Read().model), Expected());
}

TEST_F(ImportBertClassifier, AddedTokensMayStandBehindTheList) {
  const BertTokenizer before = ReadBertTokenizer(Theirs());
  folder_.Put("theirs/vocab.txt", before.vocabulary);
  folder_.Put("theirs/added_tokens.json", R"({"[E2]": 21, "[E1]": 20})");
  EXPECT_TRUE(ReadBertTokenizer(Theirs()).vocabulary.ends_with("[E1]\n[E2]\n"));
  folder_.Put("theirs/added_tokens.json", R"({"[E2]": 31})");
  EXPECT_NE(MessageOf<FormatError>([&] {
              ReadBertTokenizer(Theirs());
            }).find("'[E2]' has id 31, but the next one is 20"),
            std::string::npos);
}

/// Tests that modify tokenizer.json of the classifier.
class BertTokenizerTest : public ImportBertHead {
 protected:
  BertTokenizerTest() {
    Copy("huggingface_classes");
    json_ = Json::parse(ReadFile(Theirs("tokenizer.json")));
  }
  BertTokenizer Tokenizer() {
    folder_.Put("theirs/tokenizer.json", json_.dump());
    return ReadBertTokenizer(Theirs());
  }
  std::string TokenizerError() {
    return MessageOf<FormatError>([&] { Tokenizer(); });
  }

  Json json_;
};

TEST_F(BertTokenizerTest, RulesOfTheNormalizerGiveTheKind) {
  Json& normalizer = json_["normalizer"];
  normalizer["strip_accents"] = nullptr;
  EXPECT_EQ(Tokenizer().kind, VocabularyKind::kWordPiece);
  normalizer["lowercase"] = false;
  EXPECT_EQ(Tokenizer().kind, VocabularyKind::kWordPieceCased);
  normalizer["strip_accents"] = true;
  EXPECT_EQ(Tokenizer().kind, VocabularyKind::kWordPieceStripped);
  normalizer["handle_chinese_chars"] = false;
  EXPECT_EQ(Tokenizer().kind, VocabularyKind::kWordPieceStrippedUnsplit);
  normalizer = {{"type", "Sequence"},
                {"normalizers",
                 {{{"type", "NFD"}},
                  {{"type", "Lowercase"}},
                  {{"type", "StripAccents"}}}}};
  EXPECT_EQ(Tokenizer().kind, VocabularyKind::kWordPieceUnsplit);
}

TEST_F(BertTokenizerTest, OldFilesDoNotNameTheTypeOfTheirModel) {
  const std::string vocabulary = Tokenizer().vocabulary;
  json_["model"].erase("type");
  json_["model"]["max_input_chars_per_word"] = 100;
  EXPECT_EQ(Tokenizer().vocabulary, vocabulary);
  json_["model"]["merges"] = Json::array();
  EXPECT_NE(TokenizerError().find("a model without a type"), std::string::npos);
}

TEST_F(BertTokenizerTest, TheConfigurationCountsBeforeTheFile) {
  folder_.Put("theirs/tokenizer_config.json",
              R"({"do_lower_case": false, "tokenize_chinese_chars": false})");
  EXPECT_EQ(Tokenizer().kind, VocabularyKind::kWordPieceCasedUnsplit);
  folder_.Put("theirs/tokenizer_config.json", R"({"strip_accents": true})");
  EXPECT_EQ(Tokenizer().kind, VocabularyKind::kWordPiece);
}

TEST_F(BertTokenizerTest, AnotherClassIsNamed) {
  for (const char* name : {"BertTokenizer", "DistilBertTokenizerFast",
                           "PreTrainedTokenizerFast"}) {
    folder_.Put("theirs/tokenizer_config.json",
                Json({{"tokenizer_class", name}}).dump());
    EXPECT_NO_THROW(Tokenizer()) << name;
  }
  folder_.Put("theirs/tokenizer_config.json",
              R"({"tokenizer_class": "BertJapaneseTokenizer"})");
  EXPECT_NE(
      TokenizerError().find("tokenizer_config.json: option tokenizer_class: "
                            "Heed does not support 'BertJapaneseTokenizer'"),
      std::string::npos);
  folder_.Put("theirs/tokenizer_config.json", "{}");
  Change("tokenizer_class", "BertJapaneseTokenizer");
  EXPECT_NE(Error().find(
                "config.json: option tokenizer_class: Heed does not support"),
            std::string::npos);
}

TEST_F(BertTokenizerTest, WordsThatAreNeverSplitAreNoted) {
  folder_.Put("theirs/tokenizer_config.json", R"({"never_split": ["C++"]})");
  const Notes notes = Tokenizer().notes;
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("never_split ['C++'] has no effect in Heed"),
            std::string::npos);
}

TEST_F(BertTokenizerTest, OtherNamesOfSpecialTokensAndInnerPiecesAreRenamed) {
  Json& model = json_["model"];
  Json vocabulary = Json::object();
  for (const auto& [token, id] : model["vocab"].items()) {
    std::string name = token;
    if (name.starts_with("##")) name = "@" + name.substr(2);
    if (name == "[UNK]") name = "<unk>";
    if (name == "[CLS]") name = "<s>";
    vocabulary[name] = id;
  }
  const std::string before = Tokenizer().vocabulary;
  model["vocab"] = vocabulary;
  model["continuing_subword_prefix"] = "@";
  model["unk_token"] = "<unk>";
  json_["added_tokens"] = Json::array();
  folder_.Put("theirs/tokenizer_config.json",
              R"({"cls_token": {"content": "<s>"}})");
  EXPECT_EQ(Tokenizer().vocabulary, before);
}

TEST_F(BertTokenizerTest, AddedTokensHaveTheirIds) {
  json_["added_tokens"].push_back({{"id", 21}, {"content", "[E]"}});
  EXPECT_TRUE(Tokenizer().vocabulary.ends_with("[no token 20]\n[E]\n"));
  json_["added_tokens"].push_back({{"id", 5}, {"content", "[F]"}});
  EXPECT_NE(TokenizerError().find("have the same id 5"), std::string::npos);
}

TEST_F(BertTokenizerTest, WhatHeedCannotDoIsNamed) {
  const Json whole = json_;
  const auto error = [&](const char* part, const Json& value) {
    json_ = whole;
    json_[part] = value;
    return TokenizerError();
  };
  EXPECT_NE(
      error("model", {{"type", "BPE"}}).find("model: Heed does not support"),
      std::string::npos);
  EXPECT_NE(error("normalizer", {{"type", "NFKC"}}).find("normalizer: Heed"),
            std::string::npos);
  EXPECT_NE(error("pre_tokenizer", {{"type", "Metaspace"}})
                .find("pre_tokenizer: Heed"),
            std::string::npos);
  EXPECT_NE(error("post_processor", {{"type", "RobertaProcessing"}})
                .find("post_processor: Heed"),
            std::string::npos);
  EXPECT_NE(error("added_tokens", {1}).find("without content"),
            std::string::npos);
  folder_.Put("theirs/tokenizer.json", "[1]");
  EXPECT_NE(MessageOf<FormatError>([&] {
              ReadBertTokenizer(Theirs());
            }).find("not an object"),
            std::string::npos);
  std::filesystem::remove(Theirs("tokenizer.json"));
  EXPECT_NE(MessageOf<IoError>([&] {
              ReadBertTokenizer(Theirs());
            }).find("one of the two holds the vocabulary"),
            std::string::npos);
}

}  // namespace
}  // namespace heed
