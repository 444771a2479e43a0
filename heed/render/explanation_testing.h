// Example explanations for tests of pictures.
#ifndef HEED_RENDER_EXPLANATION_TESTING_H_
#define HEED_RENDER_EXPLANATION_TESTING_H_

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "heed/explain/explanation.h"
#include "heed/explain/payloads.h"
#include "heed/render/png.h"

namespace heed {

/// A map with `heads` heads. Row t has weight 0.75 on key t (the last, if there
/// are fewer), and the rest is uniform over all keys.
inline AttentionMap DiagonalMap(const std::string& name, std::string query,
                                std::string key, int64_t heads,
                                int64_t query_size, int64_t key_size) {
  AttentionMap map{.name = name,
                   .title = TitleOfPath(name),
                   .query = std::move(query),
                   .key = std::move(key),
                   .score = "scaled_dot",
                   .normalizer = "softmax",
                   .heads = heads,
                   .query_size = query_size,
                   .key_size = key_size};
  for (int64_t row = 0; row < heads * query_size; ++row) {
    const int64_t on = std::min(row % query_size, key_size - 1);
    for (int64_t s = 0; s < key_size; ++s) {
      map.weights.push_back(0.25f / static_cast<float>(key_size) +
                            (s == on ? 0.75f : 0.0f));
    }
  }
  return map;
}

/// A translation of `sources` tokens s0, s1, … by an encoder and a decoder of
/// one layer each, with an attribution, without panels.
inline ExplanationSegment ExampleSegment(int64_t sources = 3,
                                         int64_t targets = 2,
                                         int64_t heads = 2) {
  ExplanationSegment e;
  e.text = "read";
  e.answer = "said";
  e.axes = {{.id = "source", .label = "Source"},
            {.id = "target", .label = "Translation"},
            {.id = "target_inputs", .label = "Translation so far"}};
  for (int64_t s = 0; s < sources; ++s) {
    e.axes[0].items.push_back("s" + std::to_string(s));
  }
  Attribution attribution{
      .method = "gradient_x_input", .scores = {}, .differences = {}};
  for (int64_t t = 0; t < targets; ++t) {
    e.axes[1].items.push_back("t" + std::to_string(t));
    e.axes[2].items.push_back(t == 0 ? "<s>" : "t" + std::to_string(t - 1));
    e.targets.push_back({.item = t, .probability = 0.5, .map = 2, .row = t});
    attribution.targets.push_back(static_cast<size_t>(t));
  }
  e.maps = {DiagonalMap("encoder.self_attention", "source", "source", heads,
                        sources, sources),
            DiagonalMap("decoder.self_attention", "target_inputs",
                        "target_inputs", heads, targets, targets),
            DiagonalMap("decoder.cross_attention", "target", "source", heads,
                        targets, sources)};
  for (int64_t i = 0; i < sources * targets; ++i) {
    attribution.scores.push_back(i % 2 == 0 ? 2.0f : -1.0f);
  }
  e.attributions.push_back(attribution);
  return e;
}

/// A recurrent encoder-decoder whose attention uses the previous state as
/// query.
inline ModelOutline AttentiveOutline() {
  ModelOutline outline;
  outline.name = "example";
  outline.sequences = {
      {"encoder",
       "source",
       false,
       false,
       {{{{OutlinePart::Kind::kEach, "embedding", 4, {}, {}}}, 1},
        {{{OutlinePart::Kind::kBoth, "GRU", 16, "", "hⱼ"}}, 1}}},
      {"decoder",
       "target_inputs",
       true,
       false,
       {{{{OutlinePart::Kind::kEach, "embedding", 4, "", "yᵢ₋₁"}}, 1},
        {{{OutlinePart::Kind::kSource, "attention", 16, "additive", "cᵢ",
           "Σⱼ αᵢⱼ hⱼ with αᵢⱼ = softmax(additive({sᵢ₋₁}, {hⱼ}))"}},
         1},
        {{{OutlinePart::Kind::kForward, "GRU", 8, "", "sᵢ",
           "GRU({yᵢ₋₁}, {sᵢ₋₁}, {cᵢ})"}},
         1},
        {{{OutlinePart::Kind::kEach, "softmax", 11, "", "yᵢ",
           "softmax(W [{sᵢ}; {cᵢ}])"}},
         1}}}};
  outline.bridge = "z = tanh(W h)";
  outline.bridge_features = 8;
  outline.attention = "decoder.attention";
  return outline;
}

/// Two letters written from three letters read, with the numbers of both steps.
inline ExplanationSegment SteppedSegment() {
  ExplanationSegment e = ExampleSegment(/*sources=*/3, /*targets=*/2,
                                        /*heads=*/1);
  e.outline = AttentiveOutline();
  e.maps[2].weights = {0.125F, 0.25F, 0.625F, 0.5F, 0.375F, 0.125F};
  e.targets[1].alternatives = {{"other", 0.375}};
  e.panels.push_back(
      {.map = 2,
       .head = 0,
       .query = {{9, 8}, {7, 6}},
       .key = {{1, 1}, {2, 2}, {3, 3}},
       .scores = {{-1, 0, 1}, {3.25F, 2.5F, -0.75F}},
       .weights = {{0.125F, 0.25F, 0.625F}, {0.5F, 0.375F, 0.125F}},
       .value = {{1, 2}, {3, 4}, {5, 6}},
       .context = {{4, 5}, {2.25F, 3.25F}}});
  return e;
}

/// "a [MASK]" with the prediction "b".
inline ExplanationSegment MaskedSegment() {
  ExplanationSegment e;
  e.text = "a [MASK]";
  e.answer = "b";
  e.outline.name = "tiny";
  e.axes = {{.id = "source", .items = {"a", "[MASK]"}},
            {.id = "target", .items = {"b"}}};
  e.maps = {DiagonalMap("encoder.self_attention", "source", "source", 1, 2, 2)};
  e.targets = {{.item = 0,
                .probability = 0.75,
                .map = 0,
                .row = 1,
                .alternatives = {{"c", 0.125}}}};
  e.inputs = {{"token", "source", {{3, 0}, {0, -4}}},
              {"position", "source", {{0, 1}, {1, 0}}},
              {"sum", "source", {{3, 1}, {1, -4}}}};
  return e;
}

/// Node 7 of ten, its neighbours 2 and 9, and two heads of attention to them.
inline ExplanationSegment GraphSegment() {
  ExplanationSegment e;
  e.text = "7";
  e.answer = "blue";
  Axis axis = {.id = "source", .kind = "graph", .label = "Nodes"};
  axis.items = {"7", "2", "9"};
  GraphPayload graph = {{"red", "blue"},
                        {7, 2, 9},
                        {1, 0, -1},
                        {0, 1, 1},
                        0,
                        {0, 1, 0, 1, 0, 1, 0, 1, 0, 1},
                        {},
                        {{2, 7, 1.0}, {7, 9, 0.25}, {0, 5, 0.0}}};
  for (int i = 0; i < 10; ++i) {
    graph.places.push_back({(i % 4) / 4.0, (i % 5) / 5.0});
  }
  axis.payload = std::move(graph);
  e.axes = {std::move(axis),
            {.id = "answer", .label = "Class", .items = {"blue"}}};
  AttentionMap map{.name = "layers.0.attention",
                   .title = "0 · attention",
                   .score = "graph",
                   .normalizer = "softmax",
                   .heads = 2,
                   .query_size = 3,
                   .key_size = 3};
  map.edges = {{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {2, 0}, {2, 2}};
  map.weights = {0.25f, 0.5f, 0.25f, 0.5f, 0.5f, 0.5f, 0.5f,
                 0.25f, 0,    0.75f, 0.5f, 0.5f, 0.5f, 0.5f};
  e.maps = {std::move(map)};
  e.targets = {
      {.axis = "answer", .item = 0, .probability = 0.9, .map = 0, .row = 0}};
  return e;
}

/// A grey image of 2 × 2 pixels with cells of one pixel, and an answer that
/// attends to them. `looks`: glimpses with windows of one and two pixels; 0:
/// the image is read as a whole.
inline ExplanationSegment ImageSegment(int64_t looks = 0) {
  ExplanationSegment e;
  e.text = "a.png";
  e.answer = "cat";
  Axis axis = {.id = "source", .kind = "image", .label = "Image"};
  axis.items = {"row 1, column 1", "row 1, column 2", "row 2, column 1",
                "row 2, column 2"};
  ImagePayload image({2, 2, 1, {0, 80, 160, 255}}, 1);
  for (int64_t t = 0; t < looks; ++t) {
    image.looks.push_back(
        {{t % 2, 0, 1, image.png}, {t % 2 - 1, -1, 2, image.png}});
  }
  axis.payload = std::move(image);
  e.axes = {std::move(axis),
            {.id = "answer", .label = "Class", .items = {"cat"}}};
  e.maps = {DiagonalMap("pooling", "answer", "source", 1, 1, 4)};
  e.targets = {
      {.axis = "answer", .item = 0, .probability = 0.9, .map = 0, .row = 0}};
  return e;
}

/// Changes the payload of type T of an axis.
template <typename T, typename Change>
void ChangePayload(Axis& axis, Change change) {
  T own = PayloadOf<T>(axis);
  change(own);
  axis.payload = std::move(own);
}

inline Explanation ExplanationOf(ExplanationSegment segment) {
  return {.task = "translate",
          .model = "example",
          .text = segment.text,
          .answer = segment.answer,
          .segments = {segment}};
}

inline Explanation ExampleExplanation(int64_t sources = 3, int64_t targets = 2,
                                      int64_t heads = 2) {
  return ExplanationOf(ExampleSegment(sources, targets, heads));
}

/// Copy of a segment whose targets have no attention.
inline ExplanationSegment WithoutRows(ExplanationSegment segment) {
  for (Target& target : segment.targets) target.map.reset();
  return segment;
}

/// ExampleSegment with the numbers of one head.
inline ExplanationSegment SegmentWithPanels() {
  ExplanationSegment e = ExampleSegment();
  e.panels.push_back({.map = 1,
                      .head = 0,
                      .query = {},
                      .key = {},
                      .scores = {{0}},
                      .weights = {{1}},
                      .value = {{2}},
                      .context = {{2}}});
  return e;
}

/// A series of 8 steps in patches of 4 that overlap by 2, and a forecast of 2.
inline ExplanationSegment SeriesSegment() {
  ExplanationSegment e;
  e.text = "time,load\n0,1\n";
  e.answer = "load: +1 3, +2 4";
  e.axes = {{.id = "source", .kind = "series", .label = "Patches"},
            {.id = "window", .kind = "series", .label = "Window"},
            {.id = "target", .kind = "series", .label = "Forecast"}};
  std::vector<double> values;
  for (int64_t t = 0; t < 8; ++t) {
    e.axes[1].items.push_back("day " + std::to_string(t));
    values.push_back(static_cast<double>(t % 3));
  }
  for (int64_t i = 0; i < 3; ++i) {
    e.axes[0].items.push_back("day " + std::to_string(2 * i));
    e.axes[0].spans.push_back({2 * i, 2 * i + 4});
  }
  e.axes[0].of = "window";
  const auto payload = [](const std::vector<double>& numbers) {
    return SeriesPayload{{"load"}, {numbers}, "load"};
  };
  e.axes[1].payload = payload(values);
  e.axes[2].items = {"+1", "+2"};
  e.axes[2].payload = payload({3, 4});
  e.maps = {DiagonalMap("encoder.self_attention", "source", "source", 2, 3, 3)};
  for (int64_t t = 0; t < 2; ++t) {
    e.targets.push_back({.item = t, .map = 0, .row = 2});
  }
  return e;
}

/// True if `svg` is well-formed and can be rendered.
inline bool IsDrawable(const std::string& svg) {
  return SvgToPng(svg, 0.1).starts_with("\x89PNG");
}

/// A patient with three visits with 1, 2 and no codes, each of which
/// contributes to the answer.
inline ExplanationSegment PatientSegment() {
  ExplanationSegment e;
  e.answer = "0.7500";
  Axis visits = {.id = "source", .kind = "timeline", .label = "Visits"};
  visits.items = {"visit 1", "visit 2", "visit 3"};
  visits.of = "codes";
  visits.spans = {{0, 1}, {1, 3}, {3, 3}};
  visits.payload =
      TimelinePayload{{0, 7, 41.5}, {}, {{0.5, -0.5}, {1, 0}, {0.2, -0.1}}};
  Axis codes = {.id = "codes", .kind = "timeline", .label = "Codes"};
  codes.items = {"I50", "E<11", "J45"};
  e.axes = {visits,
            codes,
            {.id = "answer",
             .label = "Probability of",
             .items = {"1"},
             .labels = {"label 1"}}};
  AttentionMap alpha{.name = "alpha",
                     .title = "Alpha",
                     .query = "answer",
                     .key = "source",
                     .score = "linear",
                     .normalizer = "softmax",
                     .heads = 1,
                     .query_size = 1,
                     .key_size = 3,
                     .weights = {0.25f, 0.5f, 0.25f}};
  e.maps = {alpha};
  e.targets = {{.axis = "answer", .item = 0, .probability = 0.75, .map = 0}};
  e.attributions = {{.method = "contributions",
                     .scores = {1.5f, -0.5f, 0.1f},
                     .differences = {1.1},
                     .axis = "codes",
                     .targets = {0}}};
  return e;
}

/// A memory machine that read `steps` vectors of two numbers and output the
/// last one, with `slots` slots of three features.
inline ExplanationSegment MachineSegment(int64_t steps, int64_t slots,
                                         int64_t heads = 1) {
  ExplanationSegment e;
  e.text = "10 01";
  e.answer = "10";
  Axis source = {.id = "source", .kind = "memory", .label = "Input"};
  Axis target = {.id = "target", .kind = "memory", .label = "Output"};
  Axis memory = {.id = "memory", .kind = "memory", .label = "Memory"};
  VectorRows inputs;
  VectorRows vectors;
  for (int64_t t = 0; t < steps; ++t) {
    source.items.push_back(std::to_string(t + 1));
    inputs.push_back(
        {static_cast<double>(t % 2), static_cast<double>(1 - t % 2)});
    vectors.push_back({0.5, -0.75, 0.0});
  }
  source.payload = StepsPayload{inputs};
  target.items = {"10"};
  target.payload = AnswerStepsPayload{steps - 1, {{0.9, 0.1}}, {}};
  for (int64_t i = 0; i < slots; ++i) {
    memory.items.push_back(std::to_string(i));
  }
  memory.payload = MemoryPayload{vectors, vectors};
  e.axes = {source, target, memory};
  e.maps = {
      DiagonalMap("write.address", "source", "memory", heads, steps, slots),
      DiagonalMap("read.address", "source", "memory", heads, steps, slots)};
  e.targets = {{.item = 0, .probability = 0.81, .map = 1, .row = steps - 1}};
  return e;
}

/// Two sentences of two words and one, with weights at both levels.
inline ExplanationSegment DocumentSegment(int64_t more_sentences = 0) {
  ExplanationSegment e;
  e.text = "a b<\nc";
  e.answer = "pos";
  Axis words = {.id = "source", .kind = "document", .label = "Document"};
  words.items = {"a", "b<", "c"};
  Axis sentences = {.id = "sentences", .kind = "document", .of = "source"};
  sentences.items = {"a b<", "c"};
  sentences.spans = {{0, 2}, {2, 3}};
  AttentionMap inner = {.name = "word_attention",
                        .title = "Word",
                        .query = "sentences",
                        .heads = 1,
                        .query_size = 2,
                        .key_size = 3,
                        .weights = {0.25f, 0.75f, 1.0f},
                        .edges = {{0, 0}, {0, 1}, {1, 2}}};
  AttentionMap outer = {.name = "sentence_attention",
                        .title = "Sentence",
                        .query = "answer",
                        .key = "sentences",
                        .heads = 1,
                        .query_size = 1,
                        .key_size = 2,
                        .weights = {0.64f, 0.36f}};
  for (int64_t i = 0; i < more_sentences; ++i) {
    const int64_t at = 3 + i;
    words.items.push_back("w");
    sentences.items.push_back("w");
    sentences.spans.push_back({at, at + 1});
    inner.edges.emplace_back(static_cast<int32_t>(2 + i),
                             static_cast<int32_t>(at));
    inner.weights.push_back(1);
    outer.weights.push_back(0);
    ++inner.query_size;
    ++inner.key_size;
    ++outer.key_size;
  }
  e.axes = {words, sentences, {.id = "answer", .items = {"pos"}}};
  e.maps = {inner, outer,
            ComposedMap(outer, inner, "document_attention", "Words")};
  e.targets = {{.axis = "answer", .probability = 0.9, .map = 2}};
  return e;
}

/// A map with these weights and `rows` rows.
inline AttentionMap MapOnto(const std::string& name, const std::string& query,
                            const std::string& key, int64_t rows,
                            std::vector<float> weights) {
  return {.name = name,
          .title = TitleOfPath(name),
          .query = query,
          .key = key,
          .score = "co-attention",
          .normalizer = "softmax",
          .heads = 1,
          .query_size = rows,
          .key_size = std::ssize(weights) / rows,
          .weights = std::move(weights)};
}

/// Two reviews by a user and one of an item; the second user review is
/// selected.
inline ExplanationSegment RatingSegment() {
  ExplanationSegment e;
  e.text = "ann\tlamp";
  e.answer = "4.21";
  Axis user = {.id = "user_reviews", .kind = "reviews", .label = "By the user"};
  user.items = {"desk (4)", "ch<air (2)"};
  user.of = "user_words";
  user.spans = {{0, 1}, {1, 3}};
  Axis user_words = {.id = "user_words", .items = {"plain", "it", "hurts"}};
  Axis item = {.id = "item_reviews", .kind = "reviews", .label = "Of the item"};
  item.items = {"bob (1)"};
  item.of = "item_words";
  item.spans = {{0, 2}};
  Axis item_words = {.id = "item_words", .items = {"went", "dark"}};
  Axis answer = {.id = "answer", .label = "Rating", .items = {"4.21"}};
  answer.payload = RatingPayload{"model", "ann", "lamp",
                                 RatingPayload::Parts{3.5, 0.5, -0.25, 0.46}};
  e.axes = {user, user_words, item, item_words, answer};
  e.maps = {
      MapOnto("p.0.user_reviews", "answer", "user_reviews", 1, {0, 1}),
      MapOnto("p.0.user_words", "answer", "user_words", 1, {0, 0.25f, 0.75f}),
      MapOnto("p.0.item_reviews", "answer", "item_reviews", 1, {1}),
      MapOnto("p.0.item_words", "answer", "item_words", 1, {0.5f, 0.5f}),
      MapOnto("p.0.affinity", "user_reviews", "item_reviews", 2, {1, 1})};
  e.targets = {{.axis = "answer", .item = 0, .map = 0}};
  return e;
}

/// A question about two sentences of two words and one word, with two hops.
inline ExplanationSegment PassageSegment(int64_t more_sentences = 0) {
  ExplanationSegment e;
  e.text = "a b<\nc\tWhere?";
  e.answer = "b<";
  Axis words = {.id = "source", .kind = "passage", .label = "Passage"};
  words.items = {"a", "b<", "c"};
  Axis sentences = {.id = "sentences", .kind = "passage", .of = "source"};
  sentences.items = {"sentence 1", "sentence 2"};
  sentences.spans = {{0, 2}, {2, 3}};
  std::vector<float> first = {0.5f, 0.25f, 0.25f};
  std::vector<float> last = {0.25f, 0.75f, 0};
  for (int64_t i = 0; i < more_sentences; ++i) {
    words.items.push_back("w");
    sentences.items.push_back("sentence");
    sentences.spans.push_back({3 + i, 4 + i});
    first.push_back(0);
    last.push_back(0);
  }
  e.axes = {words,
            sentences,
            {.id = "question", .label = "Question", .items = {"Where", "?"}},
            {.id = "answer", .label = "Answer", .items = {"b<"}}};
  e.maps = {MapOnto("hops.0", "answer", "source", 1, first),
            MapOnto("hops.1", "answer", "source", 1, last)};
  e.targets = {{.axis = "answer",
                .probability = 0.75,
                .map = 1,
                .alternatives = {{"a", 0.25}}}};
  return e;
}

}  // namespace heed

#endif  // HEED_RENDER_EXPLANATION_TESTING_H_
