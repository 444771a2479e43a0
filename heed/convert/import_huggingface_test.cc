#include <gtest/gtest.h>

#include <filesystem>
#include <limits>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/convert/convert.h"
#include "heed/convert/testing.h"
#include "heed/io/file.h"
#include "heed/io/safetensors.h"
#include "heed/models/transformer/bert.h"
#include "heed/tasks/pretrain/pretrain.h"
#include "heed/tasks/translate/translation.h"

namespace heed {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

class ImportMarianMt : public HuggingFaceFolder {
 protected:
  ImportMarianMt() { Copy("huggingface_marian"); }

  translate::Model Read() {
    Imported imported = Import(Theirs(), {});
    notes_ = imported.notes;
    WriteImported(folder_.Path("ours"), false, imported);
    return translate::ReadTranslationModel(folder_.Path("ours"));
  }
  /// Heed's ids by Hugging Face's ids.
  std::map<int32_t, int32_t> HeedIds() const {
    std::map<int32_t, int32_t> ids = {{0, kEos}, {1, kUnk}};
    const auto pad = static_cast<int32_t>(golden_.at("logits").dim(2)) - 1;
    for (int i = 2; i < pad; ++i) ids[i] = i + 2;
    ids[pad] = kPad;
    return ids;
  }

  const std::map<std::string, Tensor> golden_ =
      GoldenTensors("huggingface_marian/expected.npz");
  Notes notes_;
};

TEST_F(ImportMarianMt, ScoresAsTheirs) {
  const translate::Model model = Read();
  ASSERT_EQ(notes_.size(), 1U);
  EXPECT_NE(notes_[0].find("config.json: num_beams 4, max_length 512, "
                           "length_penalty 1"),
            std::string::npos);
  EXPECT_NE(notes_[0].find("heed translate --beam 4 --max-length 512"),
            std::string::npos);
  ExpectLogits(*model.model, golden_, HeedIds(), HeedIds());
}

TEST_F(ImportMarianMt, SaysHowTheSearchWentThere) {
  folder_.Put("theirs/generation_config.json",
              R"({"num_beams": 2, "length_penalty": null, "do_sample": true,
                  "temperature": 0.5, "max_length": 512, "max_new_tokens": 9,
                  "repetition_penalty": 1.0, "no_repeat_ngram_size": 3,
                  "encoder_no_repeat_ngram_size": 2, "diversity_penalty": 0.0,
                  "exponential_decay_length_penalty": [5, 1.1],
                  "min_length": 0})");
  Change("prefix", "to English: ");
  Read();
  ASSERT_EQ(notes_.size(), 5U);
  EXPECT_NE(notes_[0].find("generation_config.json: num_beams 2, max_length 9"),
            std::string::npos);
  EXPECT_NE(notes_[0].find("--beam 2 --max-length 9 --sample --temperature 0.5 "
                           "--top-k 50 --top-p 1"),
            std::string::npos);
  EXPECT_NE(notes_[1].find("no_repeat_ngram_size '3' has no effect in Heed"),
            std::string::npos);
  EXPECT_NE(notes_[2].find("encoder_no_repeat_ngram_size '2' has no effect"),
            std::string::npos);
  EXPECT_NE(notes_[3].find("exponential_decay_length_penalty ['5', '1.1']"),
            std::string::npos);
  EXPECT_NE(notes_[4].find("/config.json: prefix 'to English: ' has no effect"),
            std::string::npos);
}

TEST_F(ImportMarianMt, ReadsLinesAsTheirs) {
  const translate::Model model = Read();
  const Vocabulary& source = model.vocabularies.source;
  const auto ids = HeedIds();
  const Tensor& lines = golden_.at("lines");
  std::string text(static_cast<const char*>(lines.raw()),
                   static_cast<size_t>(lines.numel()));
  text += '\n';
  // Pieces without an id in vocab.json come last, and count as unknown.
  const auto known = static_cast<int32_t>(ids.size()) + 1;
  ASSERT_EQ(source.size(), known + 1);
  for (int64_t b = 0; b < 3; ++b) {
    const size_t end = text.find('\n');
    std::vector<int32_t> found = source.Encode(text.substr(0, end));
    for (int32_t& id : found) id = id >= known ? kUnk : id;
    std::vector<int32_t> expected;
    for (int32_t i = 0; i + 1 < golden_.at("lengths").data<int32_t>()[b]; ++i) {
      expected.push_back(ids.at(golden_.at("source").row<int32_t>(b)[i]));
    }
    EXPECT_EQ(found, expected) << b;
    text.erase(0, end + 1);
  }
}

TEST_F(ImportMarianMt, TiedTensorsMayStandUnderEveryName) {
  ChangeTensors([](std::vector<NamedTensor>& tensors) {
    const Tensor shared =
        FindTensor(tensors, "model.shared.weight", "the file");
    tensors.push_back({"lm_head.weight", shared});
    tensors.push_back({"model.encoder.embed_tokens.weight", shared});
  });
  const translate::Model model = Read();
  ExpectLogits(*model.model, golden_, HeedIds(), HeedIds());
  ChangeTensors([](std::vector<NamedTensor>& tensors) {
    tensors.push_back({"model.decoder.embed_tokens.weight",
                       Tensor::Zeros(tensors.back().value.shape())});
  });
  EXPECT_NE(Error().find("differ"), std::string::npos) << Error();
}

TEST_F(ImportMarianMt, TablesOfPositionsAreRecognised) {
  Change("max_position_embeddings", 32);
  const auto put = [this](const Tensor& table) {
    ChangeTensors([&](std::vector<NamedTensor>& tensors) {
      std::erase_if(tensors, [](const NamedTensor& tensor) {
        return tensor.name.find("embed_positions") != std::string::npos;
      });
      tensors.push_back({"model.encoder.embed_positions.weight", table});
      tensors.push_back({"model.decoder.embed_positions.weight", table});
    });
    const Imported imported = ImportHuggingFace(Theirs());
    return dynamic_cast<translate::Model&>(*imported.model)
        .config.As<TransformerConfig>()
        .position;
  };
  const auto sines = [](PositionKind kind) {
    return Sinusoids(kind, 0, 32, 8, DType::kF32);
  };
  EXPECT_EQ(put(sines(PositionKind::kSinusoidalConcat)), "sinusoidal_concat");
  EXPECT_EQ(put(sines(PositionKind::kSinusoidalT2t)), "sinusoidal_t2t");
  EXPECT_EQ(put(Tensor::Full({32, 8}, 0.5)), "learned");
}

TEST_F(ImportMarianMt, SettingsThatHeedCannotDoAreNamed) {
  Change("normalize_before", true);
  EXPECT_NE(Error().find("config.json: option normalize_before:"),
            std::string::npos);
  Change("normalize_before", false);
  Change("rope_theta", 10000);
  EXPECT_NE(Error().find("option rope_theta: '10000': unknown option"),
            std::string::npos);
  Change("rope_theta", nullptr);
  Change("activation_function", "mish");
  EXPECT_NE(
      Error().find("option activation_function: Heed does not support 'mish'"),
      std::string::npos);
  Change("activation_function", "swish");
  Change("eos_token_id", {0, 5});
  EXPECT_NE(
      Error().find("option eos_token_id: ['0', '5'], where Heed needs one "
                   "whole number"),
      std::string::npos);
  Change("eos_token_id", 0);
  Change("decoder_ffn_dim", 24);
  EXPECT_NE(Error().find("option decoder_ffn_dim:"), std::string::npos);
  Change("decoder_ffn_dim", 12);
  Change("model_type", "t5");
  EXPECT_NE(Error().find("option model_type: Heed does not support 't5'"),
            std::string::npos);
}

TEST_F(ImportMarianMt, KeysWithoutEffectAreAcceptedAtAnyValue) {
  const translate::Model plain = Read();
  const Json values = {{"extra_pos_embeddings", 43},
                       {"add_bias_logits", true},
                       {"force_bos_token_to_be_generated", false},
                       {"chunk_size_feed_forward", 2},
                       {"output_attentions", true},
                       {"typical_p", 0.9},
                       {"torchscript", true},
                       {"sep_token_id", 7},
                       {"tokenizer_class", "MarianTokenizer"},
                       {"attn_implementation", "sdpa"},
                       {"_attn_implementation_autoset", true},
                       {"prefix", "x"},
                       {"num_attention_heads", 2},
                       {"hidden_size", 8},
                       {"transformers.js_config", {{"dtype", "q8"}}}};
  for (const auto& [key, value] : values.items()) Change(key, value);
  const Imported imported = Import(Theirs());
  const auto ours = plain.parameters().Tensors();
  const auto theirs = imported.model->parameters().Tensors();
  ASSERT_EQ(ours.size(), theirs.size());
  for (size_t i = 0; i < ours.size(); ++i) {
    EXPECT_EQ(ours[i].value.ToVector<float>(),
              theirs[i].value.ToVector<float>());
  }
}

TEST_F(ImportMarianMt, KeysWithEffectAreStillChecked) {
  Change("hidden_size", 16);
  EXPECT_NE(Error().find("option hidden_size:"), std::string::npos);
  Change("hidden_size", 8);
  Change("quantization_config", {{"bits", 4}});
  EXPECT_NE(Error().find("option quantization_config: Heed does not support"),
            std::string::npos);
  Change("quantization_config", nullptr);
  Change("auto_map", {{"AutoModel", "modeling_x.Model"}});
  EXPECT_NE(Error().find("option auto_map: Heed does not support"),
            std::string::npos);
  EXPECT_NE(Error().find("which Heed never runs"), std::string::npos);
  Change("auto_map", nullptr);
  Change("pruned_heads", {{"0", {1}}});
  EXPECT_NE(Error().find("option pruned_heads:"), std::string::npos);
}

TEST_F(ImportMarianMt, BadWordsAreNeverWritten) {
  const int pad = 42;
  Change("bad_words_ids", {{pad}, {1}, {5}, {2, 3}});
  Change("suppress_tokens", {7});
  const translate::Model model = Read();
  EXPECT_EQ(model.data.rules.suppress,
            (std::vector<std::string>{"<unk>", "e", "g"}));
  ASSERT_EQ(notes_.size(), 2U);
  EXPECT_NE(notes_[1].find("bad_words_ids ['2', '3'] has no effect"),
            std::string::npos);
}

TEST_F(ImportMarianMt, SizesAreCheckedBeforeAModelIsMade) {
  Change("d_model", 65536);
  EXPECT_NE(Error().find("weights, but there are"), std::string::npos);
  Change("d_model", 8);
  Change("encoder_layers", 2);
  EXPECT_NE(Error().find("'model.encoder.layers.1.self_attn.q_proj.weight' is "
                         "missing"),
            std::string::npos)
      << Error();
  Change("encoder_layers", -1);
  EXPECT_NE(Error().find("config.json"), std::string::npos) << Error();
  Change("encoder_layers", 1);
  Change("encoder_attention_heads", 3);
  Change("decoder_attention_heads", 3);
  EXPECT_NE(Error().find("heads"), std::string::npos) << Error();
}

TEST_F(ImportMarianMt, TensorsThatNobodyAsksForAreNamed) {
  ChangeTensors([](std::vector<NamedTensor>& tensors) {
    tensors.push_back({"model.extra", Tensor::Zeros({1})});
  });
  EXPECT_NE(Error().find("1 tensor that Heed does not understand: "
                         "'model.extra'"),
            std::string::npos);
}

TEST_F(ImportMarianMt, PicklesAreNeverRead) {
  fs::rename(Theirs("model.safetensors"), Theirs("pytorch_model.bin"));
  EXPECT_NE(Error().find("pytorch_model.bin: a pickle"), std::string::npos);
}

TEST_F(ImportMarianMt, WeightsThatAreNotFiniteAreRefused) {
  ChangeTensors([](std::vector<NamedTensor>& tensors) {
    for (NamedTensor& tensor : tensors) {
      if (tensor.name != "model.shared.weight") continue;
      tensor.value.row<float>(5)[0] = -std::numeric_limits<float>::infinity();
    }
  });
  EXPECT_NE(Error().find("model.safetensors: tensor 'model.shared.weight' "
                         "holds NaN or infinity, first in row 5"),
            std::string::npos)
      << Error();
}

TEST_F(ImportMarianMt, WeightsMayBeInSeveralFiles) {
  const std::vector<NamedTensor> all =
      ReadSafetensors(Theirs("model.safetensors")).tensors;
  const std::span<const NamedTensor> tensors = all;
  WriteSafetensors(Theirs("a.safetensors"), tensors.first(5), {});
  WriteSafetensors(Theirs("b.safetensors"), tensors.subspan(5), {});
  fs::remove(Theirs("model.safetensors"));
  Json map;
  for (size_t i = 0; i < tensors.size(); ++i) {
    map[tensors[i].name] = i < 5 ? "a.safetensors" : "b.safetensors";
  }
  WriteFileAtomically(Theirs("model.safetensors.index.json"),
                      Json{{"weight_map", map}}.dump());
  const translate::Model model = Read();
  ExpectLogits(*model.model, golden_, HeedIds(), HeedIds());
}

TEST_F(ImportMarianMt, LanguagesOfTheTokenizerAreKept) {
  folder_.Put("theirs/tokenizer_config.json",
              R"({"source_lang": "eng", "target_lang": "zle"})");
  const translate::Model model = Read();
  EXPECT_EQ(model.data.source_language, "en");
  EXPECT_EQ(model.data.target_language, "") << "a group of languages";
}

TEST_F(ImportMarianMt, VocabulariesMustFit) {
  Change("eos_token_id", 2);
  EXPECT_NE(Error().find("</s> has id 0, but eos_token_id"), std::string::npos);
  Change("eos_token_id", 0);
  Change("decoder_start_token_id", 1000);
  EXPECT_NE(Error().find("1000"), std::string::npos);
  Change("decoder_start_token_id", 42);
  Change("far", 43, "vocab.json");
  EXPECT_NE(Error().find("'far' has id 43"), std::string::npos);
  fs::remove(Theirs("target.spm"));
  EXPECT_THROW(ImportHuggingFace(Theirs()), IoError);
}

class ImportBert : public HuggingFaceFolder {
 protected:
  ImportBert() { Copy("huggingface_bert"); }

  Imported Read() {
    Imported imported = Import(Theirs(), {});
    WriteImported(folder_.Path("ours"), false, imported);
    LoadedModel loaded = ReadModel(folder_.Path("ours"));
    imported.settings = std::move(loaded.settings);
    imported.model = std::move(loaded.model);
    return imported;
  }
};

TEST_F(ImportBert, ComputesAsTheirs) {
  const Imported imported = Read();
  ASSERT_EQ(imported.notes.size(), 1U);  // one unused row in the table
  EXPECT_NE(imported.notes[0].find("1 further row"), std::string::npos);
  const auto& bert = dynamic_cast<pretrain::Model&>(*imported.model);
  EXPECT_EQ(bert.vocabulary.kind(), VocabularyKind::kWordPieceCased);
  EXPECT_EQ(bert.vocabulary.special().mask, 5);
  const auto fresh =
      bert.config.model->MakePretraining(bert.vocabulary.size(), 7);
  Bert& model = *fresh;
  model.parameters().SetTensors(bert.parameters().Tensors(), "ours");

  const auto golden = GoldenTensors("huggingface_bert/expected.npz");
  const BertText text = {golden.at("ids"), golden.at("lengths"),
                         golden.at("segments")};
  const Context ctx;
  const Var states = model.States(ctx, text);
  const Tensor expected = golden.at("states").To(DType::kF32);
  for (int64_t b = 0; b < states.dim(0); ++b) {
    const int32_t length = text.lengths.data<int32_t>()[b];
    for (int64_t i = 0; i < length * states.dim(2); ++i) {
      EXPECT_NEAR(states.value()[b].data<float>()[i],
                  expected[b].data<float>()[i], 1e-4);
    }
  }
  const auto expect_near = [](const Tensor& found, const Tensor& theirs) {
    const Tensor f32 = theirs.To(DType::kF32);
    for (int64_t r = 0; r < found.rows(); ++r) {
      for (int64_t c = 0; c < found.cols(); ++c) {
        EXPECT_NEAR(found.row<float>(r)[c], f32.row<float>(r)[c], 1e-4);
      }
    }
  };
  expect_near(model.TokenLogits(ctx, states, golden.at("rows")).value(),
              golden.at("word_scores"));
  expect_near(model.NextScores(ctx, states).value(), golden.at("next_scores"));
}

TEST_F(ImportBert, HeadsThatAreMissingStartFreshAndAreNoted) {
  ChangeTensors([](std::vector<NamedTensor>& tensors) {
    std::erase_if(tensors, [](NamedTensor& tensor) {
      if (tensor.name.starts_with("bert.")) tensor.name.erase(0, 5);
      return tensor.name.starts_with("cls.");
    });
  });
  const Imported imported = Read();
  ASSERT_EQ(imported.notes.size(), 2U);
  EXPECT_NE(imported.notes[1].find("words.dense.weight"), std::string::npos);
  EXPECT_NE(imported.notes[1].find("next.bias"), std::string::npos);
  EXPECT_EQ(imported.notes[1].find("pooler"), std::string::npos);
}

TEST_F(ImportBert, SettingsThatHeedCannotDoAreNamed) {
  Change("position_embedding_type", "relative_key");
  EXPECT_NE(Error().find("option position_embedding_type:"), std::string::npos);
  Change("position_embedding_type", "absolute");
  Change("do_basic_tokenize", false, "tokenizer_config.json");
  EXPECT_NE(Error().find("tokenizer_config.json: option do_basic_tokenize:"),
            std::string::npos);
  Change("do_basic_tokenize", true, "tokenizer_config.json");
  Change("vocab_size", 20);
  EXPECT_NE(Error().find("22 tokens, but vocab_size is 20"), std::string::npos);
  Change("vocab_size", 23);
  Change("type_vocab_size", 1);
  EXPECT_NE(Error().find("token_type_embeddings"), std::string::npos);
}

TEST_F(ImportMarianMt, HeedsOwnFoldersNeedNoImport) {
  Read();
  EXPECT_NE(MessageOf<FormatError>([&] {
              ImportHuggingFace(folder_.Path("ours"));
            }).find("Heed's own"),
            std::string::npos);
}

TEST(ImportHuggingFace, TheModelIsNotWrittenIntoItsSource) {
  const TemporaryFolder folder;
  EXPECT_NE(MessageOf<ConfigError>([&] {
              CheckOutIsOther(folder.path(), folder.Path("."));
            }).find("is the folder of the model to import"),
            std::string::npos);
  CheckOutIsOther(folder.path(), folder.Path("new"));
  CheckOutIsOther(folder.Put("model.npz", "x"), folder.path());
}

TEST(ImportHuggingFace, FolderWithoutAConfigNamesTheMissingFiles) {
  const TemporaryFolder folder;
  EXPECT_NE(MessageOf<IoError>([&] {
              Import(folder.path(), {});
            }).find("model.safetensors"),
            std::string::npos);
  EXPECT_THROW(Import(folder.path(), {.vocabularies = {"v.yml"}}), ConfigError);
}

}  // namespace
}  // namespace heed
