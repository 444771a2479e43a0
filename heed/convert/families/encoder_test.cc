// Imported encoders beside an independent computation: see
// tests/golden/families.py.
#include "heed/convert/families/encoder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "heed/convert/families/encoder_testing.h"
#include "heed/tasks/classify/classify.h"
#include "heed/tasks/predictor.h"
#include "heed/tasks/pretrain/pretrain.h"
#include "heed/tasks/tag/tag.h"

namespace heed {
namespace {

class MaskedModelFolder : public EncoderFolder,
                          public testing::WithParamInterface<const char*> {
 protected:
  MaskedModelFolder() { Use(GetParam()); }
};

TEST_P(MaskedModelFolder, ScoresAndAttendsAsTheirs) {
  const LoadedModel loaded = Read();
  const auto& model = dynamic_cast<const pretrain::Model&>(*loaded.model);
  EXPECT_FALSE(model.network().has_next_sentence());
  const std::vector<std::string> lines = Lines();
  for (int64_t b = 0; b < std::ssize(lines); ++b) {
    const MarkedText text = MarkText(model.vocabulary, At(lines, b), nullptr,
                                     {model.config.model->positions(), false});
    EXPECT_EQ(text.ids, IdsOf(b)) << At(lines, b);
    EXPECT_EQ(std::ranges::count(text.ids, model.vocabulary.special().mask), 1);
    AttentionWatch watch;
    Context ctx;
    ctx.observer = &watch;
    const int64_t length = std::ssize(text.ids);
    const Var states = model.network().States(
        ctx, {Tensor::Of(text.ids, {1, length}),
              Tensor::Full({1}, static_cast<double>(length), DType::kI32),
              {}});
    ExpectAttention(watch, b);
    Tensor rows({length}, DType::kI32);
    for (int32_t t = 0; t < length; ++t) rows.data<int32_t>()[t] = t;
    const Tensor logits =
        model.network().TokenLogits(ctx, states, rows).value();
    const Tensor expected = Expected("logits", b);
    for (int64_t t = 0; t < length; ++t) {
      for (int64_t v = 0; v < model.vocabulary.size(); ++v) {
        ASSERT_NEAR(logits.row<float>(t)[v], expected.row<float>(t)[v], 1e-4)
            << b << " " << t << " " << v;
      }
    }
  }
}

TEST_P(MaskedModelFolder, FillsMasksOnly) {
  const LoadedModel loaded = Read();
  const auto& model = dynamic_cast<const pretrain::Model&>(*loaded.model);
  pretrain::Prediction options;
  options.candidates = 2;
  const auto predictor = pretrain::Settings().MakePredictor(model, options);
  const std::vector<Input> inputs = {Input{Lines().front()},
                                     Input{std::string()}};
  const std::vector<Answer> answers = predictor->Predict(inputs);
  ASSERT_EQ(answers[0].parts["masks"].size(), 1U);
  EXPECT_EQ(answers[0].parts["masks"][0].size(), 2U);
  EXPECT_EQ(answers[1].parts["masks"].size(), 0U);
  options.mode = pretrain::Mode::kNext;
  const auto next = pretrain::Settings().MakePredictor(model, options);
  EXPECT_NE(MessageOf<ConfigError>([&] {
              next->Predict(std::vector<Input>{Input{std::string("a\tb")}});
            }).find("was not made to compare two texts"),
            std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Families, MaskedModelFolder,
                         testing::Values("huggingface_roberta",
                                         "huggingface_distilbert_mlm"),
                         [](const auto& p) {
                           return std::string(p.param).substr(12);
                         });

class TaggerFolder : public EncoderFolder {
 protected:
  TaggerFolder() { Use("huggingface_xlm_roberta"); }
};

TEST_F(TaggerFolder, TagsFirstTokensAsTheirs) {
  const LoadedModel loaded = Read();
  const auto& model = dynamic_cast<const tag::Model&>(*loaded.model);
  std::vector<TaggedSentence> sentences;
  for (const std::string& line : Lines()) {
    sentences.emplace_back();
    for (const std::string_view word : SplitWhitespace(line)) {
      sentences.back().words.emplace_back(word);
    }
  }
  const tag::EncodedSentences encoded = model.Encode(sentences);
  for (int64_t b = 0; b < std::ssize(sentences); ++b) {
    EXPECT_EQ(At(encoded.plan.source, b), IdsOf(b));
    AttentionWatch watch;
    Context ctx;
    ctx.observer = &watch;
    const Tensor scores =
        model.network.Scores(ctx, model.MakeBatch(encoded, {{b}})).tags.value();
    ExpectAttention(watch, b);
    const Tensor expected = Expected("logits", b);
    const int32_t* first = golden_.at("first").row<int32_t>(b);
    for (int64_t t = 0; t < std::ssize(At(sentences, b).words); ++t) {
      ExpectScores(model.tags, scores.row<float>(t),
                   expected.row<float>(first[t]));
    }
  }
}

TEST_F(TaggerFolder, ATextNeedsItsSpecialTokens) {
  Json tokenizer = Json::parse(ReadFile(Theirs("tokenizer.json")));
  tokenizer["post_processor"] = nullptr;
  folder_.Put("theirs/tokenizer.json", tokenizer.dump());
  EXPECT_NE(Error().find("tokenizer.json: post_processor: a text of an encoder "
                         "stands between two special tokens"),
            std::string::npos)
      << Error();
}

class ClassifierFolder : public EncoderFolder,
                         public testing::WithParamInterface<const char*> {
 protected:
  ClassifierFolder() { Use(GetParam()); }
  /// Texts of the golden folder; a line without tab has an empty second text.
  LabelledText Texts(bool pairs) const {
    LabelledText text;
    for (const std::string& line : Lines()) {
      const size_t tab = line.find('\t');
      if (pairs != (tab != line.npos)) continue;
      text.text.push_back(line.substr(0, tab));
      if (pairs) text.second.push_back(line.substr(tab + 1));
    }
    return text;
  }
  /// Expects scores of texts from number `begin` on.
  void ExpectTexts(const classify::Model& model, const LabelledText& text,
                   int64_t begin) const {
    const LabelledCorpus corpus = model.Encode(text, /*with_labels=*/false);
    for (int64_t i = 0; i < std::ssize(text.text); ++i) {
      EXPECT_EQ(At(corpus.corpus.source, i), IdsOf(begin + i));
      AttentionWatch watch;
      Context ctx;
      ctx.observer = &watch;
      const Tensor scores =
          model.network.Scores(ctx, InputOf(MakeLabelledBatch(corpus, {{i}})))
              .value();
      ExpectAttention(watch, begin + i);
      ExpectScores(model.labels, scores.row<float>(0),
                   golden_.at("logits").To(DType::kF32).row<float>(begin + i));
    }
  }
};

TEST_P(ClassifierFolder, ClassifiesAndAttendsAsTheirs) {
  const LabelledText pairs = Texts(true);
  const auto count = std::ssize(pairs.text);
  if (count > 0) {
    const LoadedModel loaded = Read({.pairs = true});
    ExpectTexts(dynamic_cast<const classify::Model&>(*loaded.model), pairs, 0);
  }
  const LoadedModel loaded = Read();
  ExpectTexts(dynamic_cast<const classify::Model&>(*loaded.model), Texts(false),
              count);
}

INSTANTIATE_TEST_SUITE_P(Families, ClassifierFolder,
                         testing::Values("huggingface_camembert",
                                         "huggingface_distilbert",
                                         "huggingface_bert_pairs"),
                         [](const auto& p) {
                           return std::string(p.param).substr(12);
                         });

class RobertaClassifier : public EncoderFolder {
 protected:
  RobertaClassifier() { Use("huggingface_camembert"); }
};

TEST_F(RobertaClassifier, APairHasTheTokensOfTheTemplate) {
  const LoadedModel loaded = Read({.pairs = true});
  const auto& model = dynamic_cast<const classify::Model&>(*loaded.model);
  const LabelledCorpus corpus = model.Encode({{"a cat"}, {"a dog"}, {}}, false);
  const std::vector<int32_t>& ids = corpus.corpus.source[0];
  const Ids first = model.vocabulary.Encode("a cat");
  const Ids second = model.vocabulary.Encode("a dog");
  Ids expected = {5};
  expected.insert(expected.end(), first.begin(), first.end());
  expected.insert(expected.end(), {6, 6});
  expected.insert(expected.end(), second.begin(), second.end());
  expected.push_back(6);
  EXPECT_EQ(ids, expected);
  EXPECT_NO_THROW(
      model.network.Scores({}, InputOf(MakeLabelledBatch(corpus, {{0}}))));
}

TEST_F(RobertaClassifier, LongTextsAreCutToThePositions) {
  const LoadedModel loaded = Read();
  const auto& model = dynamic_cast<const classify::Model&>(*loaded.model);
  std::string words;
  for (int i = 0; i < 2000; ++i) words += "cat ";
  const LabelledCorpus corpus = model.Encode({{words}, {}, {}}, false);
  ASSERT_EQ(corpus.corpus.source[0].size(), 22U);
  EXPECT_EQ(corpus.corpus.source[0].back(), 6);
  EXPECT_EQ(corpus.cut, 1);
}

TEST_F(RobertaClassifier, TextsOfClientsHaveNoSpecialTokens) {
  const LoadedModel loaded = Read();
  const auto& model = dynamic_cast<const classify::Model&>(*loaded.model);
  for (const int32_t id : model.vocabulary.Encode("a</s>cat<s>")) {
    EXPECT_FALSE(model.vocabulary.special().IsEnd(id));
  }
}

TEST_F(RobertaClassifier, WhatHeedCannotDoIsNamed) {
  const auto refused = [this](const char* key, const Json& value,
                              const std::string& message) {
    const Json before = Json::parse(ReadFile(Theirs("config.json")))[key];
    Change(key, value);
    EXPECT_NE(Error().find(message), std::string::npos)
        << key << ": " << Error();
    Change(key, before);
  };
  refused("problem_type", "regression",
          "option problem_type: the model gives a number");
  refused("a_new_key", 3, "a_new_key: '3': unknown option");
  refused("position_embedding_type", "relative_key",
          "Heed does not support 'relative_key'");
  refused("hidden_act", "gelu_10", "Heed does not support 'gelu_10'");
  refused("max_position_embeddings", 2,
          "max_position_embeddings: leaves no position");
  refused("pad_token_id", -1, "pad_token_id: is no token");
  refused("vocab_size", 20, "vocab_size is 20");
  refused("architectures", Json::array({"CamembertForMultipleChoice"}),
          "CamembertForTokenClassification, CamembertForSequenceClassification "
          "and pre-training");
  refused("id2label", {{"0", "a"}, {"1", "b"}, {"2", "c"}, {"3", "d"}},
          "names 4 labels, but 'classifier.out_proj.weight' has 3 rows");
}

TEST_F(RobertaClassifier, TensorsThatDoNotFitAreNamed) {
  const std::string name = "classifier.dense.weight";
  ChangeTensors([&](std::vector<NamedTensor>& tensors) {
    for (NamedTensor& tensor : tensors) {
      if (tensor.name == name) tensor.value = Tensor::Zeros({24, 12});
    }
  });
  EXPECT_NE(Error().find(name), std::string::npos) << Error();
  ChangeTensors([&](std::vector<NamedTensor>& tensors) {
    std::erase_if(tensors, [&](const auto& one) { return one.name == name; });
  });
  EXPECT_NE(Error().find(name), std::string::npos) << Error();
}

TEST_F(RobertaClassifier, WithoutItsHeadItIsAnEncoder) {
  const LoadedModel loaded = Read({.encoder_only = true});
  EXPECT_EQ(loaded.settings->task(), "pretrain");
  EXPECT_NE(notes_.back().find("words.bias: they start fresh"),
            std::string::npos)
      << notes_.back();
}

class RobertaMaskedModel : public EncoderFolder {
 protected:
  RobertaMaskedModel() { Use("huggingface_roberta"); }
};

TEST_F(RobertaMaskedModel, OtherActivationsOfTheHeadAreRefused) {
  Change("hidden_act", "relu");
  EXPECT_NE(Error().find("hidden_act: the head that scores words has gelu"),
            std::string::npos)
      << Error();
  EXPECT_NO_THROW(Import(Theirs(), {.encoder_only = true}));
}

TEST_F(RobertaMaskedModel, SpecialTokensHaveTheirUsualNames) {
  folder_.Put("theirs/tokenizer_config.json", R"({"model_max_length": 22})");
  const LoadedModel loaded = Read();
  const auto& model = dynamic_cast<const pretrain::Model&>(*loaded.model);
  EXPECT_EQ(model.vocabulary.special().mask, model.vocabulary.size() - 1);
  EXPECT_EQ(model.vocabulary.special().pad, 1);
  EXPECT_EQ(model.vocabulary.special().unk, 3);
  std::filesystem::remove(Theirs("tokenizer.json"));
  EXPECT_NE(MessageOf<IoError>([&] {
              Import(Theirs());
            }).find("tokenizer.json: missing; make it with Transformers"),
            std::string::npos);
}

TEST_F(RobertaMaskedModel, ExportsOnlyWhatBertHas) {
  Read();
  const std::string error = MessageOf<ConfigError>([&] {
    ExportHuggingFace(folder_.Path("ours"), folder_.Path("out"), false);
  });
  for (const char* obstacle : {"segment_embeddings", "vocabulary"}) {
    EXPECT_NE(error.find(obstacle), std::string::npos) << error;
  }
}

TEST_F(RobertaMaskedModel, TrainsOnWordsAlone) {
  const LoadedModel loaded = Read();
  const auto& model = dynamic_cast<const pretrain::Model&>(*loaded.model);
  const std::vector<std::string> lines = {"the cat sat", "on it", "",
                                          "the old cat ran"};
  const PretrainingCorpus corpus = model.EncodeToMeasure(lines);
  for (const std::vector<int32_t>& ids : corpus.corpus.source) {
    EXPECT_EQ(std::ranges::count(ids, 2), 1) << "one text, one </s>";
  }
  const pretrain::PretrainScore score = model.Score(corpus);
  EXPECT_EQ(score.texts, 0);
  EXPECT_GT(score.words, 0);
  EXPECT_DOUBLE_EQ(score.loss(), score.word_loss());
}

}  // namespace
}  // namespace heed
