#include "heed/convert/families/sentences.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "heed/convert/families/encoder_testing.h"
#include "heed/tasks/retrieve/retrieve.h"

namespace heed {
namespace {

using retrieve::TextSide;

class SentenceFolder : public EncoderFolder {
 protected:
  SentenceFolder() { Use("huggingface_sentences"); }

  const retrieve::Model& Model() {
    loaded_ = Read();
    return dynamic_cast<const retrieve::Model&>(*loaded_.model);
  }
  void Replace(const std::string& file, const std::string& key,
               const Json& value) {
    Change(key, value, file);
  }

  LoadedModel loaded_;
};

constexpr const char* kPooling = "1_Pooling/config.json";
constexpr const char* kDense = "2_Dense/config.json";
constexpr const char* kPrompts = "config_sentence_transformers.json";

TEST_F(SentenceFolder, MakesTheirVectors) {
  const retrieve::Model& model = Model();
  EXPECT_EQ(model.config.data.query_prompt, "query: ");
  EXPECT_EQ(model.config.data.text_prompt, "passage: ");
  EXPECT_EQ(model.config.data.max_length, 12);
  const std::vector<std::string> lines = Lines();
  const std::vector<std::string> prompts = Lines("prompts");
  for (int64_t b = 0; b < std::ssize(lines); ++b) {
    if (At(prompts, b).empty()) continue;
    const TextSide side =
        At(prompts, b) == "query" ? TextSide::kQuery : TextSide::kText;
    const retrieve::ReadableCorpus corpus =
        model.Encode({}, {At(lines, b)}, side);
    EXPECT_EQ(corpus.tokens.corpus.source[0], IdsOf(b)) << At(lines, b);
    AttentionWatch watch;
    Context ctx;
    ctx.observer = &watch;
    const Tensor vectors =
        model.ReadBlock(ctx, corpus, {{0}}).texts.vectors.value();
    ExpectAttention(watch, b);
    const Tensor all = golden_.at("embeddings").To(DType::kF32);
    ASSERT_EQ(vectors.dim(1), all.dim(1));
    for (int64_t i = 0; i < all.dim(1); ++i) {
      EXPECT_NEAR(vectors.row<float>(0)[i], all.row<float>(b)[i], 1e-5);
    }
  }
}

TEST_F(SentenceFolder, SimilaritiesAreCosinesWithinTheLimitOfTokens) {
  Replace(kPrompts, "prompts", Json::object());
  const retrieve::Model& model = Model();
  const std::string line = Lines().back();
  const Tensor scores =
      model.Scores({}, model.Read({}, {line}, TextSide::kQuery),
                   model.Read({}, {line, ""}, TextSide::kText));
  EXPECT_NEAR(scores.row<float>(0)[0], 1, 1e-5);
  const Tensor vectors =
      model.ReadBlock({}, model.Encode({}, {line}, TextSide::kText), {{0}})
          .texts.vectors.value();
  const Tensor all = golden_.at("embeddings").To(DType::kF32);
  for (int64_t i = 0; i < all.dim(1); ++i) {
    EXPECT_NEAR(vectors.row<float>(0)[i], all.row<float>(3)[i], 1e-5);
  }
}

TEST_F(SentenceFolder, WithoutNormalizeTheProductCounts) {
  Json modules = Json::parse(ReadFile(Theirs("modules.json")));
  modules.erase(3);
  modules.erase(2);
  modules[0]["type"] =
      "sentence_transformers.base.modules.transformer.Transformer";
  modules[1]["type"] =
      "sentence_transformers.sentence_transformer.modules.pooling.Pooling";
  folder_.Put("theirs/modules.json", modules.dump());
  Replace(kPrompts, "similarity_fn_name", "dot");
  Replace(kPrompts, "prompts", nullptr);
  const retrieve::Model& model = Model();
  EXPECT_EQ(model.config.bi_encoder.similarity, Similarity::kDot);
  const std::vector<std::string> texts = {Lines()[3], Lines()[3]};
  const Tensor scores =
      model.Scores({}, model.Read({}, texts, TextSide::kQuery),
                   model.Read({}, texts, TextSide::kText));
  const Tensor pooled = golden_.at("pooled").To(DType::kF32)[3];
  double square = 0;
  for (int64_t i = 0; i < pooled.numel(); ++i) {
    square += double{pooled.data<float>()[i]} * pooled.data<float>()[i];
  }
  EXPECT_NEAR(scores.row<float>(1)[0], square, 1e-4);
}

TEST_F(SentenceFolder, OtherPoolingsAreSettings) {
  Replace(kPooling, "pooling_mode_mean_tokens", false);
  for (const auto& [theirs, ours] : {std::pair{"cls_token", PoolingKind::kCls},
                                     {"max_tokens", PoolingKind::kMax},
                                     {"lasttoken", PoolingKind::kLast}}) {
    const std::string key = std::string("pooling_mode_") + theirs;
    Replace(kPooling, key, true);
    EXPECT_EQ(Model().config.bi_encoder.pooling, ours);
    Replace(kPooling, key, false);
  }
  EXPECT_EQ(Model().config.bi_encoder.pooling, PoolingKind::kMean);
  Replace(kPooling, "pooling_mode", Json::array({"max"}));
  EXPECT_EQ(Model().config.bi_encoder.pooling, PoolingKind::kMax);
}

TEST_F(SentenceFolder, WhatHeedCannotDoIsNamed) {
  const auto refused = [this](const char* file, const char* key,
                              const Json& value, const std::string& message) {
    const std::string before = ReadFile(Theirs(file));
    Change(key, value, file);
    EXPECT_NE(Error().find(message), std::string::npos)
        << key << ": " << Error();
    folder_.Put(std::string("theirs/") + file, before);
  };
  refused(kPooling, "pooling_mode_max_tokens", true, "by mean and max");
  refused(kPooling, "pooling_mode", "weightedmean", "by weightedmean");
  refused(kPooling, "pooling_mode", Json::array({"cls", "max"}),
          "by cls and max");
  refused(kPooling, "word_embedding_dimension", 23, "24 features");
  refused(kPooling, "embedding_dimension", 23, "24 features");
  refused(kPooling, "include_prompt", false, "include_prompt");
  refused(kPooling, "a_new_key", 3, "1_Pooling/config.json: option a_new_key");
  refused(kDense, "activation_function", "torch.nn.SiLU", "support 'SiLU'");
  refused(kDense, "use_residual", true, "use_residual: 'true'");
  refused(kDense, "in_features", 12, "states have 24 features");
  refused(kDense, "out_features", 14, "linear.weight");
  refused(kPrompts, "similarity_fn_name", "manhattan", "'manhattan'");
  refused(kPrompts, "truncate_dim", 8, "truncate_dim: '8'");
  refused(kPrompts, "default_prompt_name", "other", "no prompt 'other'");
  refused("sentence_bert_config.json", "max_seq_length", 2, "hold no text");
  refused("config.json", "model_type", "gpt2", "makes no vectors of texts");
}

TEST_F(SentenceFolder, OtherModulesAreNamed) {
  const Json modules = Json::parse(ReadFile(Theirs("modules.json")));
  const auto error = [this](const Json& changed) {
    folder_.Put("theirs/modules.json", changed.dump());
    return Error();
  };
  Json changed = modules;
  changed[2]["type"] = "sentence_transformers.models.LSTM";
  EXPECT_NE(
      error(changed).find("modules Transformer, Pooling, LSTM, Normalize"),
      std::string::npos);
  changed = modules;
  std::swap(changed[2], changed[3]);
  EXPECT_NE(error(changed).find("Normalize, Dense"), std::string::npos);
  changed = modules;
  changed[1]["path"] = "../1_Pooling";
  EXPECT_NE(error(changed).find("the path of a module"), std::string::npos);
  changed = modules;
  changed[1].erase("type");
  EXPECT_NE(error(changed).find("a module has no type"), std::string::npos);
  EXPECT_NE(error(3).find("no list of modules"), std::string::npos);
}

TEST_F(SentenceFolder, TheEncoderAloneIsAModelOfItsOwn) {
  EXPECT_EQ(Read({.encoder_only = true}).settings->task(), "pretrain");
  EXPECT_NE(MessageOf<ConfigError>([&] {
              Read({.pairs = true});
            }).find("vectors of single texts"),
            std::string::npos);
}

}  // namespace
}  // namespace heed
