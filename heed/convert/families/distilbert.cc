// DistilBERT. Sanh et al. 2019, arXiv:1910.01108.
#include <fmt/format.h>

#include <string>

#include "heed/convert/families/family.h"
#include "heed/convert/huggingface_folder.h"

namespace heed::distilbert {
namespace {

/// Keys without effect. Sinusoidal positions are stored in the table, too.
constexpr std::string_view kUnread =
    "eos_token_id eos_token_ids is_encoder_decoder max_seq_length "
    "model_max_length pad_token_id qa_dropout "
    "sbert_ce_default_activation_function sinusoidal_pos_embds tie_weights_";

EncoderSizes Read(ImportOptions& options) {
  options.SkipEach(kUnread);
  EncoderSizes read;
  TransformerConfig& c = read.config;
  c.layers = options.Number("n_layers", 6);
  c.width = options.Number("dim", 768);
  c.heads = options.Number("n_heads", 12);
  c.ff = options.Number("hidden_dim", 3072);
  c.activation = ActivationOf(options, "activation");
  c.dropout = options.Real("dropout", 0.1);
  c.attention_dropout = options.Real("attention_dropout", 0.1);
  c.max_positions = options.Number("max_position_embeddings", 512);
  c.epsilon = 1e-12;
  c.segment_embeddings = false;
  read.rows = options.Number("vocab_size", 30522);
  read.head_dropout = options.Real("seq_classif_dropout", 0.2);
  return read;
}

void AddLayer(const std::string& prefix, int layer, EncoderNames& names) {
  using Kind = Part::Kind;
  const std::string ours = fmt::format("encoder.layers.{}.", layer);
  const std::string theirs =
      fmt::format("{}transformer.layer.{}.", prefix, layer);
  const auto add = [&](Kind kind, const char* our_name,
                       std::vector<std::string> their_names) {
    for (std::string& name : their_names) {
      name = fmt::format("{}{}.*", theirs, name);
    }
    names.layers.push_back({kind, ours + our_name, std::move(their_names)});
  };
  add(Kind::kLinear, "self_attention.qkv",
      {"attention.q_lin", "attention.k_lin", "attention.v_lin"});
  add(Kind::kLinear, "self_attention.output", {"attention.out_lin"});
  add(Kind::kNorm, "self_attention.norm", {"sa_layer_norm"});
  add(Kind::kLinear, "feed_forward.in", {"ffn.lin1"});
  add(Kind::kLinear, "feed_forward.out", {"ffn.lin2"});
  add(Kind::kNorm, "feed_forward.norm", {"output_layer_norm"});
}

EncoderNames Names(const std::string& prefix, int layers) {
  EncoderNames names;
  const std::string embeddings = prefix + "embeddings.";
  names.words = embeddings + "word_embeddings.weight";
  names.positions = embeddings + "position_embeddings.weight";
  names.layers = {{Part::Kind::kNorm,
                   "encoder.embedding.norm",
                   {embeddings + "LayerNorm.*"}}};
  for (int i = 0; i < layers; ++i) AddLayer(prefix, i, names);
  names.word_parts = {
      {Part::Kind::kLinear, "words.dense", {"vocab_transform.*"}},
      {Part::Kind::kNorm, "words.norm", {"vocab_layer_norm.*"}}};
  names.word_scores = "vocab_projector.weight";
  names.word_biases = {"vocab_projector.bias"};
  names.class_dense = "pre_classifier";
  names.class_activation = DenseActivation::kRelu;
  names.class_scores = names.tag_scores = "classifier";
  names.heads = {"pre_classifier.", "classifier.", "vocab_", "qa_outputs."};
  return names;
}

}  // namespace

const EncoderFamily kFamily = {"DistilBert", "distilbert.", false, Read, Names};

}  // namespace heed::distilbert
