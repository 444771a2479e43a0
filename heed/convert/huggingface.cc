#include "heed/convert/huggingface.h"

#include <fmt/format.h>

namespace heed {
namespace {

Part HfLinear(std::string ours, std::vector<std::string> theirs) {
  for (std::string& name : theirs) name += ".*";
  return {Part::Kind::kLinear, std::move(ours), std::move(theirs)};
}

Part HfNorm(std::string ours, const std::string& theirs) {
  return {Part::Kind::kNorm, std::move(ours) + ".norm", {theirs + ".*"}};
}

void AddMarianMtLayer(const std::string& side, int layer,
                      std::vector<Part>& parts) {
  const std::string ours = fmt::format("{}.layers.{}.", side, layer);
  const std::string theirs = "model." + ours;
  const std::string self = theirs + "self_attn";
  parts.push_back(
      HfLinear(ours + "self_attention.qkv",
               {self + ".q_proj", self + ".k_proj", self + ".v_proj"}));
  parts.push_back(
      HfLinear(ours + "self_attention.output", {self + ".out_proj"}));
  parts.push_back(HfNorm(ours + "self_attention", self + "_layer_norm"));
  if (side == "decoder") {
    const std::string cross = theirs + "encoder_attn";
    parts.push_back(HfLinear(ours + "cross_attention.q", {cross + ".q_proj"}));
    parts.push_back(HfLinear(ours + "cross_attention.kv",
                             {cross + ".k_proj", cross + ".v_proj"}));
    parts.push_back(
        HfLinear(ours + "cross_attention.output", {cross + ".out_proj"}));
    parts.push_back(HfNorm(ours + "cross_attention", cross + "_layer_norm"));
  }
  parts.push_back(HfLinear(ours + "feed_forward.in", {theirs + "fc1"}));
  parts.push_back(HfLinear(ours + "feed_forward.out", {theirs + "fc2"}));
  parts.push_back(HfNorm(ours + "feed_forward", theirs + "final_layer_norm"));
}

}  // namespace

std::vector<Part> MarianMtParts(int layers, int decoder_layers) {
  std::vector<Part> parts;
  for (int i = 0; i < layers; ++i) AddMarianMtLayer("encoder", i, parts);
  for (int i = 0; i < decoder_layers; ++i) {
    AddMarianMtLayer("decoder", i, parts);
  }
  return parts;
}

std::vector<Part> BertEncoderParts(const std::string& prefix, int layers) {
  std::vector<Part> parts = {
      HfNorm("encoder.embedding", prefix + "embeddings.LayerNorm")};
  for (int i = 0; i < layers; ++i) {
    const std::string ours = fmt::format("encoder.layers.{}.", i);
    const std::string theirs = fmt::format("{}encoder.layer.{}.", prefix, i);
    const std::string self = theirs + "attention.self.";
    parts.push_back(HfLinear(ours + "self_attention.qkv",
                             {self + "query", self + "key", self + "value"}));
    parts.push_back(HfLinear(ours + "self_attention.output",
                             {theirs + "attention.output.dense"}));
    parts.push_back(
        HfNorm(ours + "self_attention", theirs + "attention.output.LayerNorm"));
    parts.push_back(
        HfLinear(ours + "feed_forward.in", {theirs + "intermediate.dense"}));
    parts.push_back(
        HfLinear(ours + "feed_forward.out", {theirs + "output.dense"}));
    parts.push_back(HfNorm(ours + "feed_forward", theirs + "output.LayerNorm"));
  }
  return parts;
}

std::vector<std::pair<std::string, std::string>> BertTables(
    const std::string& prefix) {
  const std::string theirs = prefix + "embeddings.";
  return {{"encoder.embedding.weight", theirs + "word_embeddings.weight"},
          {"encoder.positions.weight", theirs + "position_embeddings.weight"},
          {"encoder.segments.weight", theirs + "token_type_embeddings.weight"}};
}

Part BertPooler(const std::string& prefix) {
  return HfLinear("pooler", {prefix + "pooler.dense"});
}

std::vector<Part> BertWordParts() {
  const std::string theirs = "cls.predictions.transform.";
  return {HfLinear("words.dense", {theirs + "dense"}),
          HfNorm("words", theirs + "LayerNorm")};
}

Part BertNext() { return HfLinear("next", {"cls.seq_relationship"}); }

}  // namespace heed
