// OPT. Zhang et al. 2022, arXiv:2205.01068.
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "heed/convert/families/family.h"
#include "heed/convert/families/language_model.h"
#include "heed/convert/huggingface.h"
#include "heed/convert/huggingface_folder.h"
#include "heed/convert/weight_files.h"

namespace heed::opt {
namespace {

/// Rows of the table of positions that stand for padding.
constexpr int64_t kUnusedPositions = 2;

TransformerConfig ReadConfig(ImportOptions& options) {
  SkipGeneral(options);
  options.SkipEach("eos_token_id pad_token_id");
  TransformerConfig c = PreNormLanguageModel();
  c.layers = options.Number("num_hidden_layers", 12);
  c.width = options.Number("hidden_size", 768);
  c.heads = options.Number("num_attention_heads", 12);
  c.ff = options.Number("ffn_dim", 3072);
  c.max_positions = options.Number("max_position_embeddings", 2048);
  c.epsilon = 1e-5;
  c.activation = ActivationOf(options, "activation_function", "relu");
  c.dropout = options.Real("dropout", 0.1);
  c.attention_dropout = options.Real("attention_dropout", 0);
  c.activation_dropout = options.Real("activation_dropout", 0);
  if (options.Number("word_embed_proj_dim", c.width) != c.width) {
    options.Fail("word_embed_proj_dim",
                 "Heed has no projection of embeddings, which OPT-350m has");
  }
  if (!options.Flag("do_layer_norm_before", true)) {
    options.Fail("do_layer_norm_before",
                 "Heed imports OPT with norms before each sublayer");
  }
  for (const char* key : {"enable_bias", "layer_norm_elementwise_affine",
                          "tie_word_embeddings"}) {
    if (!options.Flag(key, true)) options.Fail(key, "Heed needs it on");
  }
  if (options.Flag("_remove_final_layer_norm")) c.final_norm = YesNo::kNo;
  return c;
}

std::vector<Part> PartsOf(const std::string& prefix,
                          const TransformerConfig& config) {
  using Kind = Part::Kind;
  std::vector<Part> parts;
  for (int i = 0; i < config.layers; ++i) {
    const std::string ours = fmt::format("decoder.layers.{}.", i);
    const std::string theirs = fmt::format("{}layers.{}.", prefix, i);
    const std::string self = theirs + "self_attn.";
    parts.push_back(
        {Kind::kLinear,
         ours + "self_attention.qkv",
         {self + "q_proj.*", self + "k_proj.*", self + "v_proj.*"}});
    const auto add = [&](Kind kind, const char* our_name,
                         const std::string& their_name) {
      parts.push_back({kind, ours + our_name, {their_name + ".*"}});
    };
    add(Kind::kLinear, "self_attention.output", self + "out_proj");
    add(Kind::kNorm, "self_attention.norm", theirs + "self_attn_layer_norm");
    add(Kind::kLinear, "feed_forward.in", theirs + "fc1");
    add(Kind::kLinear, "feed_forward.out", theirs + "fc2");
    add(Kind::kNorm, "feed_forward.norm", theirs + "final_layer_norm");
  }
  if (config.final_norm == YesNo::kYes) {
    parts.push_back(
        {Kind::kNorm, "decoder.norm", {prefix + "final_layer_norm.*"}});
  }
  return parts;
}

}  // namespace

Imported Import(const std::string& folder, ImportOptions& options,
                const ImportRequest& request) {
  RefuseBertRequest(request, options.file());
  CheckArchitecture(options, {"OPTForCausalLM", "OPTModel"});
  LanguageModelSource source;
  source.config = ReadConfig(options);
  source.rows = options.Number("vocab_size", 50272);
  options.CheckAllUnderstood();
  SourceWeights weights = OpenSourceWeights(folder, request.storage);
  const char* prefix = weights.Has("decoder.embed_tokens.weight")
                           ? "decoder."
                           : "model.decoder.";
  source.embedding = {std::string(prefix) + "embed_tokens.weight",
                      "lm_head.weight"};
  source.positions = std::string(prefix) + "embed_positions.weight";
  source.unused_positions = kUnusedPositions;
  source.parts = PartsOf(prefix, source.config);
  source.layout = kHuggingFaceLayout;
  Imported imported =
      ImportLanguageModel(folder, options.file(), source, weights);
  weights.CheckAllTaken();
  return imported;
}

}  // namespace heed::opt
