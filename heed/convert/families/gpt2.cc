// GPT-2 and DistilGPT-2. Radford et al. 2019, "Language Models are Unsupervised
// Multitask Learners". Matrices are stored [in, out], as in Heed.
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "heed/convert/families/family.h"
#include "heed/convert/families/language_model.h"
#include "heed/convert/huggingface_folder.h"
#include "heed/convert/weight_files.h"

namespace heed::gpt2 {
namespace {

/// Keys that do not change the result: buffers of training, heads for other
/// tasks, an order of operations that gives equal numbers.
constexpr std::string_view kUnread =
    "n_ctx pad_token_id reorder_and_upcast_attn summary_activation "
    "summary_first_dropout summary_proj_to_labels summary_type "
    "summary_use_proj eos_token_id";
constexpr Layout kLayout = {"weight", "bias", "weight", "bias", false};

TransformerConfig ReadConfig(ImportOptions& options) {
  SkipGeneral(options);
  options.SkipEach(kUnread);
  TransformerConfig c = PreNormLanguageModel();
  c.layers = options.Number("n_layer", 12);
  c.width = options.Number("n_embd", 768);
  c.heads = options.Number("n_head", 12);
  c.ff = options.Number("n_inner", 0);
  if (c.ff == 0) c.ff = 4 * c.width;
  c.max_positions = options.Number("n_positions", 1024);
  c.epsilon = options.Real("layer_norm_epsilon", 1e-5);
  c.activation = ActivationOf(options, "activation_function", "gelu_new");
  c.dropout = options.Real("resid_pdrop", 0.1);
  options.Skip("embd_pdrop");
  c.attention_dropout = options.Real("attn_pdrop", 0.1);
  if (!options.Flag("scale_attn_weights", true)) c.score = "dot";
  if (options.Flag("scale_attn_by_inverse_layer_idx")) {
    options.Fail("scale_attn_by_inverse_layer_idx",
                 "Heed scales the scores of all layers alike");
  }
  if (!options.Flag("tie_word_embeddings", true)) {
    options.Fail("tie_word_embeddings",
                 "Heed scores tokens of GPT-2 by their embeddings");
  }
  return c;
}

std::vector<Part> PartsOf(const std::string& prefix, int layers) {
  using Kind = Part::Kind;
  std::vector<Part> parts;
  for (int i = 0; i < layers; ++i) {
    const std::string ours = fmt::format("decoder.layers.{}.", i);
    const std::string theirs = fmt::format("{}h.{}.", prefix, i);
    const auto add = [&](Kind kind, const char* our_name,
                         const char* their_name) {
      parts.push_back({kind, ours + our_name, {theirs + their_name + ".*"}});
    };
    add(Kind::kNorm, "self_attention.norm", "ln_1");
    add(Kind::kLinear, "self_attention.qkv", "attn.c_attn");
    add(Kind::kLinear, "self_attention.output", "attn.c_proj");
    add(Kind::kNorm, "feed_forward.norm", "ln_2");
    add(Kind::kLinear, "feed_forward.in", "mlp.c_fc");
    add(Kind::kLinear, "feed_forward.out", "mlp.c_proj");
  }
  parts.push_back({Kind::kNorm, "decoder.norm", {prefix + "ln_f.*"}});
  return parts;
}

}  // namespace

Imported Import(const std::string& folder, ImportOptions& options,
                const ImportRequest& request) {
  RefuseBertRequest(request, options.file());
  CheckArchitecture(options, {"GPT2LMHeadModel", "GPT2Model"});
  LanguageModelSource source;
  source.config = ReadConfig(options);
  source.rows = options.Number("vocab_size", 50257);
  options.CheckAllUnderstood();
  SourceWeights weights = OpenSourceWeights(folder, request.storage);
  const std::string prefix = weights.Has("wte.weight") ? "" : "transformer.";
  // Causal masks that old files hold.
  for (int i = 0; i < source.config.layers; ++i) {
    for (const char* buffer : {"bias", "masked_bias"}) {
      weights.Skip(fmt::format("{}h.{}.attn.{}", prefix, i, buffer));
    }
  }
  source.embedding = {prefix + "wte.weight", "lm_head.weight"};
  source.positions = prefix + "wpe.weight";
  source.parts = PartsOf(prefix, source.config.layers);
  source.layout = kLayout;
  Imported imported =
      ImportLanguageModel(folder, options.file(), source, weights);
  weights.CheckAllTaken();
  return imported;
}

}  // namespace heed::gpt2
