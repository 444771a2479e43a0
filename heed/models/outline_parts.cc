#include "heed/models/outline_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <utility>

namespace heed {
namespace {

using Kind = OutlinePart::Kind;

/// Summary of an attention: "8 heads, scaled_dot, alibi".
std::string DetailOf(int64_t heads, const std::string& score,
                     const std::vector<std::string>& modifiers,
                     const std::string& normalizer) {
  std::vector<std::string> words;
  if (heads > 1) words.push_back(fmt::format("{} heads", heads));
  words.push_back(score);
  words.insert(words.end(), modifiers.begin(), modifiers.end());
  if (normalizer != "softmax") words.push_back(normalizer);
  return fmt::format("{}", fmt::join(words, ", "));
}

std::vector<std::string> NamesOf(
    const std::vector<Choice<Modifier>>& modifiers) {
  std::vector<std::string> names;
  for (const Choice<Modifier>& one : modifiers) names.push_back(one.info.name);
  return names;
}

}  // namespace

std::string CellTitle(Cell cell) {
  switch (cell) {
    case Cell::kRnn:
      return "RNN";
    case Cell::kLstm:
      return "LSTM";
    case Cell::kNestedLstm:
      return "nested LSTM";
    case Cell::kGru:
    case Cell::kGruCho:
    case Cell::kGruBahdanau:
      return "GRU";
  }
  return "";
}

OutlineBlock EmbeddingOutline(int64_t vocabulary, int64_t features,
                              const std::string& with,
                              const std::string& result) {
  return {{{Kind::kEach, with.empty() ? "embedding" : "embedding + " + with,
            features, fmt::format("of {} tokens", vocabulary), result}},
          1};
}

OutlineBlock OutputOutline(const std::string& name, int64_t classes) {
  return {{{Kind::kEach, name, classes, {}}}, 1};
}

OutlineBlock RecurrentOutline(const EncoderOptions& options) {
  const int64_t directions = options.bidirectional ? 2 : 1;
  return {{{options.bidirectional ? Kind::kBoth : Kind::kForward,
            CellTitle(options.cell), directions * options.units,
            options.bidirectional
                ? fmt::format("{} in each direction", options.units)
                : std::string(),
            "hⱼ"}},
          options.layers};
}

OutlinePart AttentionOutline(const AttentionInfo& info, OutlinePart::Kind kind,
                             int64_t features, const std::string& query) {
  const bool within = kind == Kind::kAll || kind == Kind::kCausal;
  return {kind,
          within ? "self-attention" : "attention",
          features,
          DetailOf(info.heads, info.score, info.modifiers, info.normalizer),
          kind == Kind::kSource ? "cᵢ" : "cⱼ",
          query.empty()
              ? query
              : fmt::format("Σⱼ αᵢⱼ hⱼ with αᵢⱼ = {}({}({{{}}}, {{hⱼ}}))",
                            info.normalizer, info.score, query)};
}

std::vector<OutlineBlock> ConvolutionOutline(const ConvolutionStack& stack) {
  std::vector<OutlineBlock> blocks;
  for (const int64_t filters : stack.filters()) {
    blocks.push_back({{{Kind::kNear, "convolution", filters,
                        "3 × 3, relu, maximum of 2 × 2", std::string()}},
                      1});
  }
  return blocks;
}

OutlineBlock StackOutline(const TransformerOptions& o) {
  std::vector<std::string> modifiers = NamesOf(o.modifiers);
  const std::string source =
      DetailOf(o.heads, o.score.info.name, modifiers, o.normalizer.info.name);
  for (std::string& name : NamesOf(o.self_modifiers)) {
    modifiers.push_back(std::move(name));
  }
  const OutlinePart self = {
      o.causal ? Kind::kCausal : Kind::kAll, "self-attention", o.width,
      DetailOf(o.heads, o.score.info.name, modifiers, o.normalizer.info.name)};
  const OutlinePart recurrence = {Kind::kForward, "SSRU", o.width};
  OutlineBlock block = {{o.recurrent ? recurrence : self}, o.layers};
  if (o.source > 0) {
    block.parts.push_back(
        {Kind::kSource, "attention to the source", o.width, source});
  }
  block.parts.push_back({Kind::kEach, "feed-forward", o.width,
                         fmt::format("{} inside", o.feed_forward)});
  return block;
}

OutlineBlock PoolingOutline(const PoolingOptions& options) {
  return {{{Kind::kPool, options.kind.word() + " pooling", options.features,
            options.heads > 1 && options.kind == PoolingKind::kAttention
                ? fmt::format("{} heads", options.heads)
                : std::string()}},
          1};
}

}  // namespace heed
