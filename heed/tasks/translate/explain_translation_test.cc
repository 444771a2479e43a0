#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/errors.h"
#include "heed/decode/translator.h"
#include "heed/explain/head_importance.h"
#include "heed/tasks/explain.h"
#include "heed/tasks/explain_summary.h"
#include "heed/tasks/translate/testing.h"

namespace heed::translate {
namespace {

/// Expects weights equal to softmax(scores) in f64 for each head.
void ExpectWeightsOfScores(const AttentionPanels& panels,
                           const AttentionMap& map) {
  const std::vector<float> weights = map.OfHead(panels.head);
  for (size_t t = 0; t < panels.scores.size(); ++t) {
    double sum = 0;
    for (const float e : panels.scores[t]) sum += std::exp(double{e});
    for (size_t s = 0; s < panels.scores[t].size(); ++s) {
      EXPECT_NEAR(std::exp(double{panels.scores[t][s]}) / sum,
                  weights[t * panels.scores[t].size() + s], 1e-5);
    }
  }
}

/// Expects scores equal to Q Kᵀ/√A in f64 where the mask allows.
void ExpectScoresOfQueries(const AttentionPanels& panels) {
  for (size_t t = 0; t < panels.scores.size(); ++t) {
    for (size_t s = 0; s < panels.scores[t].size(); ++s) {
      if (std::isinf(panels.scores[t][s])) continue;
      double dot = 0;
      for (size_t a = 0; a < panels.query[t].size(); ++a) {
        dot += double{panels.query[t][a]} * panels.key[s][a];
      }
      EXPECT_NEAR(dot / std::sqrt(static_cast<double>(panels.query[t].size())),
                  panels.scores[t][s], 1e-4);
    }
  }
}

class ExplainTranslation : public testing::Test {
 protected:
  void Make(const std::string& model, const OptionTexts& settings = {},
            int beam = 1) {
    auto task = std::make_unique<Settings>();
    task->ChooseModel(model);
    FieldList fields;
    task->Visit(fields);
    SetValues(fields, {{"vocabulary", "words"}});
    if (model.starts_with("transformer")) SetValues(fields, kSmallTransformer);
    SetValues(fields, settings);
    task->Resolve();
    loaded_.model = task->MakeModel({{ReversedLetters(50, 1), {}}, {}, {}}, 3);
    loaded_.settings = std::move(task);
    predictor_ = loaded_.MakePredictor(*WithValues(
        loaded_.settings->PredictOptions(), {{"beam", std::to_string(beam)}}));
  }
  Explanation Explained(const ExplainRequest& request) const {
    return Explain(loaded_, *predictor_, request);
  }
  ParameterSet& parameters() { return loaded_.model->parameters(); }
  /// The best translation of a line by a search that keeps attention.
  Translation Run(const std::string& line, int beam) const {
    const auto& read = dynamic_cast<const Model&>(*loaded_.model);
    DecodeOptions options;
    options.beam = beam;
    options.keep_attention = true;
    const Translator translator(*read.model, read.vocabularies.source,
                                read.vocabularies.target, false, options);
    return translator.Translate(std::vector<std::string>{line}).at(0).at(0);
  }

  LoadedModel loaded_;
  std::unique_ptr<Predictor> predictor_;
};

// The recorded values are those of the fused kernels, not of a second code
// path.
TEST_F(ExplainTranslation, WeightsAreSoftmaxOfTheQueriesAndKeys) {
  Make("transformer-tiny");
  const Explanation plain = Explained({.input = {.given = {"a b c d"}}});
  for (const AttentionMap& map : plain.segments[0].maps) {
    SCOPED_TRACE(map.name);
    const Explanation e =
        Explained({.input = {.given = {"a b c d"}}, .panels_of = map.name});
    const ExplanationSegment& segment = e.segments.at(0);
    ASSERT_EQ(std::ssize(segment.panels), map.heads);
    for (const AttentionPanels& panels : segment.panels) {
      EXPECT_EQ(segment.maps[panels.map].name, map.name);
      ExpectScoresOfQueries(panels);
      ExpectWeightsOfScores(panels, map);
      ASSERT_EQ(panels.context.size(), panels.weights.size());
      for (size_t t = 0; t < panels.weights.size(); ++t) {
        double first = 0;
        for (size_t s = 0; s < panels.value.size(); ++s) {
          first += double{panels.weights[t][s]} * panels.value[s][0];
        }
        EXPECT_NEAR(first, panels.context[t][0], 1e-5);
      }
    }
  }
}

TEST_F(ExplainTranslation, BeamsWereFollowedByTheirWeights) {
  const std::vector<std::pair<std::string, OptionTexts>> models = {
      {"transformer-tiny", {}},
      {"transformer-tiny", {{"alignment_layer", "0"}, {"alignment_head", "1"}}},
      {"bahdanau", {}},
      {"luong", {}}};
  for (const auto& [model, settings] : models) {
    SCOPED_TRACE(model);
    Make(model, settings, 4);
    const Explanation e = Explained({.input = {.given = {"a d c b"}}});
    const Translation best = Run("a d c b", 4);
    EXPECT_EQ(e.answer, best.text);
    EXPECT_EQ(e.segments[0].axis("target").items, best.target_pieces);
    const std::vector<float> weights = AlignmentOf(e.segments[0]).weights;
    ASSERT_EQ(weights.size(), best.attention.size());
    for (size_t i = 0; i < weights.size(); ++i) {
      EXPECT_NEAR(weights[i], best.attention[i], 1e-5);
    }
  }
}

TEST_F(ExplainTranslation, OfAGivenAnswer) {
  Make("transformer-tiny");
  const Explanation e =
      Explained({.input = {.given = {"a b c"}, .answer = "d d"}});
  EXPECT_EQ(e.answer, "d d");
  const ExplanationSegment& segment = e.segments.at(0);
  EXPECT_EQ(segment.axis("target").items,
            (std::vector<std::string>{"d", "d", "</s>"}));
  EXPECT_EQ(segment.axis("target_inputs").items,
            (std::vector<std::string>{"<s>", "d", "d"}));
}

/// A text of several lines is translated line by line. Each line is explained
/// by its own run: with its own translation and the attention weights of its
/// search.
TEST_F(ExplainTranslation, PartsAreExplainedAsTheyWereRun) {
  for (const char* model : {"transformer-tiny", "bahdanau"}) {
    SCOPED_TRACE(model);
    Make(model, {}, 3);
    const std::vector<std::string> lines = {"a b c d", "d a", "c c b"};
    const Explanation e =
        Explained({.input = {.given = {lines[0] + "\n\n" + lines[1] + "\n" +
                                       lines[2] + "\n"}}});
    ASSERT_EQ(e.segments.size(), 3u);
    std::string joined;
    for (size_t i = 0; i < lines.size(); ++i) {
      const Translation run = Run(lines[i], 3);
      const ExplanationSegment& segment = e.segments[i];
      EXPECT_EQ(segment.text, lines[i]);
      EXPECT_EQ(segment.answer, run.text);
      EXPECT_EQ(segment.axis("source").items, run.source_pieces);
      const AlignmentView shown = AlignmentOf(segment);
      EXPECT_EQ(shown.target_tokens, run.target_pieces);
      ASSERT_EQ(shown.weights.size(), run.attention.size());
      for (size_t w = 0; w < shown.weights.size(); ++w) {
        EXPECT_NEAR(shown.weights[w], run.attention[w], 1e-5);
      }
      double log_p = 0;
      for (const Target& target : segment.targets) {
        log_p += std::log(*target.probability);
      }
      EXPECT_NEAR(log_p, run.log_probability, 1e-3);
      joined += (i > 0 ? "\n" : "") + run.text;
    }
    EXPECT_EQ(e.answer, joined);
    const auto json = ExplanationJson(e);
    EXPECT_EQ(json["segments"][1]["axes"][0], "source.1");
    EXPECT_EQ(json["axes"]["source.2"]["items"].size(), 4u);
  }
}

/// A contrast of d and c is the difference of both log-probabilities at the
/// first place where the answers differ.
TEST_F(ExplainTranslation, AContrastIsADifference) {
  Make("transformer-tiny");
  ExplainRequest request;
  request.attribution.methods = {"occlusion"};
  const auto of = [&](const std::string& answer, const std::string& contrast) {
    request.input = {
        .given = {"a b c"}, .answer = answer, .contrast = contrast};
    return Explained(request).segments.at(0);
  };
  const ExplanationSegment both = of("a d b", "a c b");
  ASSERT_EQ(both.attributions.at(0).targets, (std::vector<size_t>{1}));
  ASSERT_TRUE(both.targets[1].contrast.has_value());
  EXPECT_EQ(both.targets[1].contrast->label, "c");
  const ExplanationSegment other = of("a c b", "");
  EXPECT_NEAR(both.targets[1].contrast->probability,
              *other.targets[1].probability, 1e-6);
  const ExplanationSegment own = of("a d b", "");
  for (size_t s = 0; s < 4; ++s) {
    EXPECT_NEAR(
        both.attributions[0].scores[s],
        own.attributions[0].scores[4 + s] - other.attributions[0].scores[4 + s],
        1e-4);
  }
  EXPECT_THROW(of("a d", "a d"), FormatError);
  request.input = {.given = {"a b\nc"}, .contrast = "a"};
  EXPECT_THROW(Explained(request), FormatError);
}

TEST_F(ExplainTranslation, RefusesWhatItCannotExplain) {
  Make("transformer-tiny");
  EXPECT_THROW(Explained({.input = {.given = {""}}}), FormatError);
  EXPECT_THROW(Explained({.input = {.given = {"a\xff"}}}), FormatError);
  try {
    Explained({.input = {.given = {"a b"}},
               .panels_of = "decoder.layers.0.cross_atention"});
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what())
                  .find("did you mean 'decoder.layers.0.cross_attention'"),
              std::string::npos);
  }
  parameters().SetPrecision(kernels::Precision::kInt8);
  ExplainRequest request = {.input = {.given = {"a b"}}};
  request.attribution.methods = {"occlusion"};
  EXPECT_EQ(Explained(request).segments[0].attributions.size(), 1u);
  request.attribution.methods = {"saliency"};
  EXPECT_THROW(Explained(request), ConfigError);
}

// Zeroed heads have the lowest importance, and their removal changes nothing.
TEST_F(ExplainTranslation, UselessHeadsAreTheLeastImportant) {
  Make("transformer-tiny");
  const std::string layer = "encoder.layers.1.self_attention";
  const HeadPlace useless = {layer, 1, 2, layer + ".output.weight"};
  PruneHeads({&useless, 1}, parameters());
  SummaryOptions options;
  options.importance = true;
  ExplainSummarizer summarizer(loaded_, *predictor_, options);
  for (const char* text : {"a b", "c d a", "b b d c"}) summarizer.Add({text});
  const ExplainSummary summary = summarizer.Result();
  EXPECT_EQ(summary.texts, 3);
  for (const LayerImportance& layer_importance : summary.importance) {
    for (size_t h = 0; h < layer_importance.heads.size(); ++h) {
      const bool is_useless = layer_importance.layer == layer && h == 1;
      EXPECT_EQ(layer_importance.heads[h] == 0, is_useless)
          << layer_importance.layer << " " << h;
    }
  }
  const auto order = LeastImportantHeads(summary.importance, parameters());
  ASSERT_FALSE(order.empty());
  EXPECT_EQ(order[0], useless);
  const Explanation before = Explained({.input = {.given = {"a b c"}}});
  PruneHeads(std::span(order).first(1), parameters());
  EXPECT_EQ(Explained({.input = {.given = {"a b c"}}})
                .segments[0]
                .maps.back()
                .weights,
            before.segments[0].maps.back().weights);
  PruneHeads(order, parameters());
  EXPECT_NE(Explained({.input = {.given = {"a b c"}}})
                .segments[0]
                .maps.back()
                .weights,
            before.segments[0].maps.back().weights);
}

}  // namespace
}  // namespace heed::translate
