#include "heed/convert/marian_transformer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/convert/marian_options.h"

namespace heed {
namespace {

constexpr float kSwishScale = 1.702F;
constexpr double kNormEpsilon = 1e-6;

/// Steps of --transformer-postprocess and similar options, without dropout.
std::string Steps(ImportOptions& options, const std::string& key,
                  const std::string& otherwise) {
  std::string steps = options.Text(key, otherwise);
  std::erase(steps, 'd');
  return steps;
}

void ReadNorms(ImportOptions& options, TransformerConfig& config) {
  const std::string pre_key = "transformer-preprocess";
  const std::string before = Steps(options, pre_key, "");
  const std::string behind = Steps(options, "transformer-postprocess", "dan");
  const std::string top = "transformer-postprocess-top";
  const bool knows_top = options.Has(top);
  if (before.empty() && behind == "an") {
    config.norm = NormPlace::kPost;
  } else if (before == "n" && behind == "a") {
    config.norm = NormPlace::kPre;
  } else {
    options.Fail("transformer-postprocess",
                 fmt::format("Heed does not support '{}' with {} '{}' "
                             "(supported: 'dan' with '', and 'da' with 'n')",
                             options.Text("transformer-postprocess", "dan"),
                             pre_key, options.Text(pre_key, "")));
  }
  // Marian 1.10 introduced this option and the norm of keys together.
  if (config.norm == NormPlace::kPre && !knows_top) {
    options.Fail(pre_key,
                 "models before Marian 1.10 do not normalise keys and values, "
                 "which Heed does not support");
  }
  const std::string steps = Steps(options, top, "");
  if (!steps.empty() && steps != "n") {
    options.Fail(top,
                 fmt::format("Heed does not support '{}' (supported: '', 'n')",
                             options.Text(top, "")));
  }
  config.final_norm = ToYesNo(steps == "n");
  const std::string embedding = "transformer-postprocess-emb";
  const std::string of_embedding = Steps(options, embedding, "d");
  if (!of_embedding.empty() && of_embedding != "n") {
    options.Fail(embedding, fmt::format("Heed does not support '{}'",
                                        options.Text(embedding, "")));
  }
  config.embedding_norm = ToYesNo(of_embedding == "n");
}

void ReadFeedForward(ImportOptions& options, MarianTransformer& marian) {
  TransformerConfig& config = marian.config;
  config.ff = options.Number("transformer-dim-ffn", 2048);
  const std::string own = "transformer-decoder-dim-ffn";
  const int decoder = options.Number(own, 0);
  if (decoder != 0 && decoder != config.ff) {
    options.Fail(
        own,
        fmt::format(
            "Heed does not support another size ({}) than the encoder's ({})",
            decoder, config.ff));
  }
  options.OneOf("transformer-ffn-depth", "2", {"2"});
  options.OneOf("transformer-decoder-ffn-depth", "0", {"0", "2"});
  config.activation = options.OneOf("transformer-ffn-activation", "swish",
                                    {"relu", "swish", "gelu"});
  if (!(config.activation == FeedForward::kGelu)) return;
  // Version as in "v1.12.0 65bf82ff 2023-02-21 ..."
  int major = 0, minor = 0, patch = 0;
  const std::string version = options.Text("version", "");
  std::sscanf(version.c_str(), "v%d.%d.%d", &major, &minor, &patch);
  marian.scaled_swish =
      std::vector<int>{major, minor, patch} <= std::vector<int>{1, 12, 0};
  if (marian.scaled_swish) config.activation = FeedForward::kSwish;
}

void ReadTies(ImportOptions& options, TransformerConfig& config) {
  const bool all = options.Flag("tied-embeddings-all");
  const bool output = options.Flag("tied-embeddings") || all;
  const bool sides = options.Flag("tied-embeddings-src") || all;
  config.tie = output && sides ? Tie::kAll
               : output        ? Tie::kOutput
               : sides         ? Tie::kSourceTarget
                               : Tie::kNone;
}

/// Decoder layer (from 0) whose weights each layer uses.
std::vector<int> ReadTiedLayers(ImportOptions& options, int layers) {
  const std::string key = "transformer-tied-layers";
  std::vector<int> tied = options.Numbers(key);
  if (!tied.empty() && std::ssize(tied) != layers) {
    options.Fail(key, fmt::format("names {} layers, but the decoder has {}",
                                  tied.size(), layers));
  }
  for (int& layer : tied) {
    if (layer < 1 || layer > layers) {
      options.Fail(
          key, fmt::format("{} is no layer of a decoder of {}", layer, layers));
    }
    --layer;
  }
  return tied;
}

void ReadPositions(ImportOptions& options, const SourceWeights& weights,
                   TransformerConfig& config) {
  // Embeddings are scaled only if sinusoids are added.
  const Shape* positions = weights.FindShape("Wpos");
  if (options.Flag("transformer-disable-position-embeddings")) {
    config.position = Position::kNone;
  } else if (positions == nullptr) {
    config.position = Position::kSinusoidalT2t;
  } else {
    config.position = Position::kLearned;
    config.max_positions = static_cast<int>((*positions)[0]);
  }
  config.embedding_scale = ToYesNo(config.position == Position::kSinusoidalT2t);
}

/// Reads what decoder layers have beside attention to the source.
void ReadDecoder(ImportOptions& options, TransformerConfig& config) {
  const std::string key = "transformer-decoder-autoreg";
  const std::string kind = options.Text(key, "self-attention");
  if (kind == "self-attention") return;
  if (kind != "rnn") {
    options.Fail(key,
                 fmt::format("Heed does not support '{}': its decoders attend "
                             "to what they wrote, or are recurrent (rnn); "
                             "translate with Marian",
                             kind));
  }
  options.OneOf("dec-cell", "gru", {"ssru"});
  options.OneOf("layer-normalization", "false", {"false"});
  options.OneOf("transformer-rnn-projection", "false", {"false"});
  if (config.norm == NormPlace::kPre) {
    options.Fail("transformer-preprocess",
                 "Heed supports a recurrent decoder only with norms behind "
                 "its layers ('')");
  }
  config.decoder_recurrence = DecoderRecurrence::kSsru;
  // Guided alignment teaches the first head of the last layer.
  config.alignment_layer = config.decoder_layers - 1;
  config.alignment_head = 0;
}

Part MarianLinear(std::string ours, std::vector<std::string> theirs) {
  return {Part::Kind::kLinear, std::move(ours), std::move(theirs)};
}

Part MarianNorm(std::string ours, std::string theirs) {
  return {Part::Kind::kNorm, std::move(ours), {std::move(theirs)}};
}

/// Parts of layer `i` (from 0) of the encoder or the decoder.
std::vector<Part> LayerParts(const MarianTransformer& marian,
                             const std::string& side, int i) {
  const TransformerConfig& config = marian.config;
  std::vector<Part> parts;
  const std::string suffix = config.norm == NormPlace::kPre ? "_pre" : "";
  const auto norm = [&](const std::string& ours, const std::string& theirs) {
    parts.push_back(MarianNorm(ours + ".norm", theirs + "_ln_*" + suffix));
  };
  const std::string ours = fmt::format("{}.layers.{}.", side, i);
  const std::string theirs =
      fmt::format("{}_l{}_", side, marian.Number(side, i));
  const std::string self = theirs + "self_";
  if (side == "decoder" && marian.is_student()) {
    const std::string cell = theirs + "rnn_";
    parts.push_back(
        MarianLinear(ours + "recurrence.in", {cell + "*", cell + "*f"}));
    norm(ours + "recurrence", cell + "ffn");
  } else {
    parts.push_back(MarianLinear(ours + "self_attention.qkv",
                                 {self + "*q", self + "*k", self + "*v"}));
    if (marian.projects) {
      parts.push_back(
          MarianLinear(ours + "self_attention.output", {self + "*o"}));
    }
    norm(ours + "self_attention", self + "Wo");
  }
  if (side == "decoder") {
    const std::string context = theirs + "context_";
    parts.push_back(MarianLinear(ours + "cross_attention.q", {context + "*q"}));
    parts.push_back(MarianLinear(ours + "cross_attention.kv",
                                 {context + "*k", context + "*v"}));
    if (marian.projects) {
      parts.push_back(
          MarianLinear(ours + "cross_attention.output", {context + "*o"}));
    }
    norm(ours + "cross_attention", context + "Wo");
  }
  parts.push_back(MarianLinear(ours + "feed_forward.in", {theirs + "ffn_*1"}));
  parts.push_back(MarianLinear(ours + "feed_forward.out", {theirs + "ffn_*2"}));
  norm(ours + "feed_forward", theirs + "ffn_ffn");
  return parts;
}

/// Adds the norms before and after the layers.
void AddOuterNorms(const TransformerConfig& config, const std::string& side,
                   std::vector<Part>& parts) {
  if (config.final_norm == YesNo::kYes) {
    parts.push_back(MarianNorm(side + ".norm", side + "_top_ln_*"));
  }
  if (config.embedding_norm == YesNo::kYes) {
    parts.push_back(
        MarianNorm(side + ".embedding.norm", side + "_emb_ln_*_pre"));
  }
}

/// Computes x σ(1.702 x) as a swish between scaled matrices.
void ScaleSwish(const std::vector<Part>& parts, WeightReader& reader) {
  for (const Part& part : parts) {
    if (part.ours.ends_with("feed_forward.in")) {
      reader.Scale(part.ours + ".weight", kSwishScale);
      reader.Scale(part.ours + ".bias", kSwishScale);
    } else if (part.ours.ends_with("feed_forward.out")) {
      reader.Scale(part.ours + ".weight", 1 / kSwishScale);
    }
  }
}

/// Sets output projections to the identity, because the model has none.
void SetIdentities(const TransformerConfig& config, WeightReader& reader) {
  Tensor identity = Tensor::Zeros({config.width, config.width});
  for (int64_t i = 0; i < config.width; ++i) identity.row<float>(i)[i] = 1;
  const Tensor zeros = Tensor::Zeros({config.width});
  const auto set = [&](const std::string& ours) {
    reader.Set(ours + ".output.weight", identity);
    reader.Set(ours + ".output.bias", zeros);
  };
  for (int i = 0; i < config.layers; ++i) {
    set(fmt::format("encoder.layers.{}.self_attention", i));
  }
  for (int i = 0; i < config.decoder_layers; ++i) {
    if (config.decoder_recurrence != DecoderRecurrence::kSsru) {
      set(fmt::format("decoder.layers.{}.self_attention", i));
    }
    set(fmt::format("decoder.layers.{}.cross_attention", i));
  }
}

void CopyTiedLayers(const MarianTransformer& marian, WeightReader& reader) {
  for (int i = 0; i < marian.config.decoder_layers; ++i) {
    const int origin = marian.Origin("decoder", i);
    if (origin == i) continue;
    reader.CopyAll(fmt::format("decoder.layers.{}.", origin),
                   fmt::format("decoder.layers.{}.", i));
  }
}

}  // namespace

int MarianTransformer::Number(std::string_view side, int layer) const {
  if (side != "decoder" || tied_layers.empty()) return layer + 1;
  return At(tied_layers, layer) + 1;
}

int MarianTransformer::Origin(std::string_view side, int layer) const {
  if (side != "decoder" || tied_layers.empty()) return layer;
  const auto first = std::ranges::find(tied_layers, At(tied_layers, layer));
  return static_cast<int>(first - tied_layers.begin());
}

MarianTransformer ReadMarianTransformer(ImportOptions& options,
                                        const SourceWeights& weights,
                                        Notes& notes) {
  MarianTransformer marian;
  TransformerConfig& config = marian.config;
  options.Skip("type");
  config.layers = options.Number("enc-depth", 6);
  config.decoder_layers = options.Number("dec-depth", 6);
  config.width = options.Number("dim-emb", 512);
  config.heads = options.Number("transformer-heads", 8);
  config.epsilon = kNormEpsilon;
  ReadNorms(options, config);
  ReadFeedForward(options, marian);
  if (marian.scaled_swish && weights.matrix_dtypes().contains("I8")) {
    options.Fail("transformer-ffn-activation",
                 "Heed does not support the gelu of Marian up to 1.12.0 in "
                 "int8; import the .npz that the model was made from");
  }
  ReadTies(options, config);
  ReadDecoder(options, config);
  marian.output_bias = !options.Flag("output-omit-bias");
  marian.projects = !options.Flag("transformer-no-projection");
  marian.tied_layers = ReadTiedLayers(options, config.decoder_layers);
  ReadPositions(options, weights, config);
  CheckMarianOptions(options, /*transformer=*/true, notes);
  return marian;
}

nlohmann::ordered_json StudentOptions(const TransformerConfig& c,
                                      size_t source_rows, size_t target_rows) {
  using Json = nlohmann::ordered_json;
  const bool joint = SharesSides(c.tie.value());
  return {{"dec-cell", "ssru"},
          {"dec-depth", c.decoder_layers},
          {"dim-emb", c.width},
          {"dim-vocabs", {source_rows, target_rows}},
          {"enc-cell", "gru"},
          {"enc-depth", c.layers},
          {"factors-combine", "sum"},
          {"input-types", Json::array()},
          {"layer-normalization", false},
          {"lemma-dim-emb", 0},
          {"output-omit-bias", false},
          {"right-left", false},
          {"skip", false},
          {"special-vocab", Json::array()},
          {"tied-embeddings", !joint},
          {"tied-embeddings-all", joint},
          {"tied-embeddings-src", false},
          {"transformer-decoder-autoreg", "rnn"},
          {"transformer-dim-ffn", c.ff},
          {"transformer-ffn-activation", "relu"},
          {"transformer-ffn-depth", 2},
          {"transformer-guided-alignment-layer", "last"},
          {"transformer-heads", c.heads},
          {"transformer-no-projection", false},
          {"transformer-postprocess", "dan"},
          {"transformer-postprocess-emb", "d"},
          {"transformer-postprocess-top", ""},
          {"transformer-preprocess", ""},
          {"transformer-rnn-projection", false},
          {"transformer-tied-layers", Json::array()},
          {"transformer-train-positions", false},
          {"type", "transformer"},
          {"ulr", false},
          {"version", "heed"}};
}

std::vector<Part> MarianParts(const MarianTransformer& marian) {
  const TransformerConfig& config = marian.config;
  std::vector<Part> parts;
  for (const auto& [side, layers] : {std::pair{"encoder", config.layers},
                                     {"decoder", config.decoder_layers}}) {
    for (int i = 0; i < layers; ++i) {
      if (marian.Origin(side, i) != i) continue;
      for (Part& part : LayerParts(marian, side, i)) parts.push_back(part);
    }
    AddOuterNorms(config, side, parts);
  }
  return parts;
}

void FillMarianTransformer(const MarianTransformer& marian,
                           WeightReader& reader) {
  const TransformerConfig& config = marian.config;
  const std::vector<Part> parts = MarianParts(marian);
  Layout layout = kMarianLayout;
  if (marian.has_activations) layout.activations = kMarianActivations;
  reader.Read(parts, layout);
  for (int i = 0; i < config.decoder_layers && marian.is_student(); ++i) {
    reader.Set(fmt::format("decoder.layers.{}.recurrence.gate.bias", i),
               reader.from().Take(fmt::format("decoder_l{}_rnn_bf",
                                              marian.Number("decoder", i)),
                                  {config.width}));
  }
  if (marian.scaled_swish) ScaleSwish(parts, reader);
  if (!marian.projects) SetIdentities(config, reader);
  CopyTiedLayers(marian, reader);
  if (config.position == Position::kLearned) {
    const std::string ours = "encoder.positions.weight";
    const Tensor table = reader.from().Take("Wpos", reader.ShapeOf(ours));
    reader.Set(ours, table);
    reader.Set("decoder.positions.weight", table);
  }
}

}  // namespace heed
