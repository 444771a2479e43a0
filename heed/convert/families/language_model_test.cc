// Imported language models beside an independent computation: see
// tests/golden/families.py.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "heed/base/at.h"
#include "heed/base/text.h"
#include "heed/convert/testing.h"
#include "heed/tasks/lm/language.h"
#include "heed/tasks/run.h"

namespace heed {
namespace {

using Ids = std::vector<int32_t>;

/// A folder, and whether its texts begin with a token.
struct LanguageModelCase {
  const char* folder;
  bool starts;
};

class LanguageModelFolder : public testing::TestWithParam<LanguageModelCase> {
 protected:
  void SetUp() override {
    imported_ = Import(Golden(GetParam().folder));
    model_ = dynamic_cast<lm::Model*>(imported_.model.get());
    ASSERT_NE(model_, nullptr);
    golden_ = GoldenTensors(std::string(GetParam().folder) + "/expected.npz");
  }
  /// Ids of text b.
  Ids IdsOf(int64_t b) const {
    const int32_t* ids = golden_.at("ids").row<int32_t>(b);
    return {ids, ids + golden_.at("lengths").data<int32_t>()[b]};
  }
  std::vector<std::string> Lines() const {
    const Tensor& lines = golden_.at("lines");
    const std::string text(static_cast<const char*>(lines.raw()),
                           static_cast<size_t>(lines.numel()));
    std::vector<std::string> result;
    for (const std::string_view line : SplitAt(text, "\n")) {
      result.emplace_back(line);
    }
    return result;
  }

  Imported imported_;
  lm::Model* model_ = nullptr;
  std::map<std::string, Tensor> golden_;
};

TEST_P(LanguageModelFolder, ScoresAndAttendsAsTheirs) {
  const Tensor expected = golden_.at("logits").To(DType::kF32);
  for (int64_t b = 0; b < expected.dim(0); ++b) {
    const Ids ids = IdsOf(b);
    AttentionWatch watch;
    Context ctx;
    ctx.observer = &watch;
    const Tensor logits =
        model_->network->Logits(ctx, {}, Tensor::Of(ids, {std::ssize(ids), 1}))
            .value();
    for (int64_t t = 0; t < logits.dim(0); ++t) {
      for (int64_t v = 0; v < model_->vocabulary.size(); ++v) {
        ASSERT_NEAR(logits[t].row<float>(0)[v], expected[b].row<float>(t)[v],
                    1e-4)
            << b << " " << t << " " << v;
      }
    }
    ASSERT_EQ(watch.seen.size(), 2U);
    for (size_t layer = 0; layer < watch.seen.size(); ++layer) {
      const Tensor weights =
          golden_.at("attention." + std::to_string(layer)).To(DType::kF32);
      const Tensor& found = watch.seen[layer].weights.value();
      for (int64_t h = 0; h < weights.dim(1); ++h) {
        for (int64_t t = 0; t < std::ssize(ids); ++t) {
          for (int64_t s = 0; s <= t; ++s) {
            ASSERT_NEAR(found[0][h].row<float>(t)[s],
                        weights[b][h].row<float>(t)[s], 1e-5)
                << layer << " " << h << " " << t << " " << s;
          }
        }
      }
    }
  }
}

TEST_P(LanguageModelFolder, ReadsTextAsTheirs) {
  const std::vector<std::string> lines = Lines();
  for (int64_t b = 0; b < golden_.at("ids").dim(0); ++b) {
    Ids ids = model_->vocabulary.Encode(At(lines, b));
    if (GetParam().starts) {
      ids.insert(ids.begin(), model_->vocabulary.special().bos);
    }
    EXPECT_EQ(ids, IdsOf(b)) << b;
  }
  EXPECT_EQ(model_->vocabulary.special().bos >= 0, GetParam().starts);
}

TEST_P(LanguageModelFolder, ContinuesAsTheirs) {
  TemporaryFolder folder;
  WriteImported(folder.Path("ours"), false, imported_);
  const LoadedModel loaded = ReadModel(folder.Path("ours"));
  lm::Prediction options;
  options.mode = lm::Mode::kContinue;
  options.decode.max_length = 12;
  const auto& read = dynamic_cast<const lm::Model&>(*loaded.model);
  const auto predictor = lm::Settings().MakePredictor(read, options);
  const std::vector<Input> inputs = {{Lines().front()}};
  const int32_t* next = golden_.at("continuation").data<int32_t>();
  const std::string expected = read.vocabulary.DecodeAfter(
      read.vocabulary.EncodeWithPieces(Lines().front()), Ids(next, next + 12));
  EXPECT_EQ(predictor->Predict(inputs).front().line, expected);
}

INSTANTIATE_TEST_SUITE_P(
    Families, LanguageModelFolder,
    testing::Values(LanguageModelCase{"huggingface_gpt2", false},
                    LanguageModelCase{"huggingface_gpt2_bare", false},
                    LanguageModelCase{"huggingface_opt", true}),
    [](const auto& p) { return std::string(p.param.folder).substr(12); });

class Gpt2Folder : public HuggingFaceFolder {
 protected:
  Gpt2Folder() { Copy("huggingface_gpt2"); }
};

TEST_F(Gpt2Folder, KeysThatChangeTheResultAreRefused) {
  Change("scale_attn_by_inverse_layer_idx", true);
  EXPECT_NE(Error().find("scores of all layers alike"), std::string::npos);
  Change("scale_attn_by_inverse_layer_idx", false);
  Change("tie_word_embeddings", false);
  EXPECT_NE(Error().find("tie_word_embeddings"), std::string::npos);
  Change("tie_word_embeddings", true);
  Change("a_new_key", 3);
  EXPECT_NE(Error().find("a_new_key"), std::string::npos);
}

TEST_F(Gpt2Folder, SeveralTokensMayEndAText) {
  Change("eos_token_id", Json::array({59, 3}), "generation_config.json");
  const Imported imported = ImportHuggingFace(Theirs());
  const auto& model = dynamic_cast<const lm::Model&>(*imported.model);
  EXPECT_TRUE(model.vocabulary.special().IsEnd(59));
  EXPECT_TRUE(model.vocabulary.special().IsEnd(3));
  Change("eos_token_id", 60, "generation_config.json");
  EXPECT_NE(Error().find("60 is no id of the 60"), std::string::npos);
}

}  // namespace
}  // namespace heed
