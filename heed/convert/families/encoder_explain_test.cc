// Answers and explanations of imported encoders, for every head.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "heed/convert/families/encoder_testing.h"
#include "heed/tasks/explain.h"

namespace heed {
namespace {

/// A folder, and a text that its model reads.
struct Case {
  const char* folder;
  const char* text;
  bool pairs = false;
};

class EncoderAnswers : public EncoderFolder,
                       public testing::WithParamInterface<Case> {
 protected:
  EncoderAnswers() { Use(GetParam().folder); }
};

/// A text far beyond all positions.
std::string Long(const std::string& text) {
  std::string longer;
  for (int i = 0; i < 500; ++i) longer += text + " ";
  return longer;
}

TEST_P(EncoderAnswers, CoverEveryLine) {
  const LoadedModel loaded = Read({.pairs = GetParam().pairs});
  const auto predictor = loaded.MakePredictor();
  const std::string text = GetParam().text;
  const size_t tab = text.find('\t');
  const std::string empty = tab == text.npos ? "" : "\t";
  const std::vector<Input> inputs = {
      Input{text}, Input{empty},
      Input{Long(text.substr(0, tab)) + (tab == text.npos ? "" : "\tcat")},
      Input{text}};
  const std::vector<Answer> answers =
      predictor->PredictEach(inputs, predictor->options(), PredictCall{});
  ASSERT_EQ(answers.size(), 4U);
  EXPECT_FALSE(answers[0].line.empty());
  EXPECT_EQ(answers[0].line, answers[3].line);
}

TEST_P(EncoderAnswers, AreExplained) {
  const LoadedModel loaded = Read({.pairs = GetParam().pairs});
  const auto predictor = loaded.MakePredictor();
  const Explanation explanation =
      Explain(loaded, *predictor,
              {.input = {.given = {std::string(GetParam().text)}},
               .attribution = {.methods = {"gradient_x_input", "occlusion"}}});
  ASSERT_EQ(explanation.segments.size(), 1U);
  const ExplanationSegment& segment = explanation.segments[0];
  EXPECT_GE(segment.maps.size(), 2U) << "two layers";
  for (const AttentionMap& map : segment.maps) {
    EXPECT_EQ(map.key_size, segment.axis(map.key).size()) << map.name;
  }
  EXPECT_FALSE(segment.attributions.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Families, EncoderAnswers,
    testing::Values(Case{"huggingface_roberta", "the cat <mask> on it"},
                    Case{"huggingface_distilbert_mlm", "the [MASK] sat"},
                    Case{"huggingface_xlm_roberta", "a café in 2013 , there"},
                    Case{"huggingface_camembert", "the café is there"},
                    Case{"huggingface_distilbert", "This Café is GREAT!"},
                    Case{"huggingface_bert_pairs", "The man sat.\the ran",
                         true},
                    Case{"huggingface_sentences",
                         "Where is the cat?\tthe old cat sat on the mat"}),
    [](const auto& p) { return std::string(p.param.folder).substr(12); });

}  // namespace
}  // namespace heed
