// Explanations for the tests of pictures.
#ifndef HEED_RENDER_EXPLANATION_TESTING_H_
#define HEED_RENDER_EXPLANATION_TESTING_H_

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "heed/explain/explanation.h"
#include "heed/render/png.h"

namespace heed {

/// `heads` heads whose row t looks at key t (the last, if there are fewer) with
/// 0.75 and at all keys alike with the rest.
inline LayerAttention DiagonalLayer(std::string name, TokenSide queries,
                                    TokenSide keys, int64_t heads,
                                    int64_t query_size, int64_t key_size) {
  LayerAttention layer{.layer = std::move(name),
                       .queries = queries,
                       .keys = keys,
                       .heads = heads,
                       .query_size = query_size,
                       .key_size = key_size,
                       .weights = {}};
  for (int64_t row = 0; row < heads * query_size; ++row) {
    const int64_t on = std::min(row % query_size, key_size - 1);
    for (int64_t s = 0; s < key_size; ++s) {
      layer.weights.push_back(0.25f / static_cast<float>(key_size) +
                              (s == on ? 0.75f : 0.0f));
    }
  }
  return layer;
}

/// A translation of `sources` tokens s0, s1, … by an encoder and a decoder of
/// one layer, with an attribution, but without panels.
inline Explanation ExampleExplanation(int64_t sources = 3, int64_t targets = 2,
                                      int64_t heads = 2) {
  Explanation e;
  e.task = "translate";
  e.model = "example";
  e.text = "read";
  e.answer = "said";
  for (int64_t s = 0; s < sources; ++s) {
    e.source.push_back("s" + std::to_string(s));
  }
  for (int64_t t = 0; t < targets; ++t) {
    e.target.push_back("t" + std::to_string(t));
    e.target_inputs.push_back(t == 0 ? "<s>" : "t" + std::to_string(t - 1));
    e.alignment_rows.push_back(t);
  }
  constexpr TokenSide kSource = TokenSide::kSource;
  constexpr TokenSide kTarget = TokenSide::kTarget;
  e.layers = {
      DiagonalLayer("encoder.self", kSource, kSource, heads, sources, sources),
      DiagonalLayer("decoder.self", kTarget, kTarget, heads, targets, targets),
      DiagonalLayer("decoder.cross", kTarget, kSource, heads, targets,
                    sources)};
  e.alignment = 2;
  Attribution attribution{
      .method = "gradient_x_input", .scores = {}, .differences = {}};
  for (int64_t i = 0; i < sources * targets; ++i) {
    attribution.scores.push_back(i % 2 == 0 ? 2.0f : -1.0f);
  }
  e.attributions.push_back(attribution);
  return e;
}

/// The same with the numbers of one head.
inline Explanation ExampleWithPanels() {
  Explanation e = ExampleExplanation();
  e.panels.push_back({.layer = "decoder.self",
                      .head = 0,
                      .query = {},
                      .key = {},
                      .scores = {{0}},
                      .weights = {{1}},
                      .value = {{2}},
                      .context = {{2}}});
  return e;
}

/// Whether `svg` is well-formed and can be drawn.
inline bool IsDrawable(const std::string& svg) {
  return SvgToPng(svg, 0.1).starts_with("\x89PNG");
}

}  // namespace heed

#endif  // HEED_RENDER_EXPLANATION_TESTING_H_
