// Tests of the outlines of models.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "heed/models/classifier.h"
#include "heed/models/outline_parts.h"
#include "heed/models/recurrent/encoder_decoder.h"
#include "heed/models/registry.h"
#include "heed/models/transformer/bert.h"

namespace heed::outline_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Kind = OutlinePart::Kind;

ModelOutline OutlineOfTranslator(const std::string& name,
                                 const std::string& preset) {
  ModelChoice<TranslatorSettings> choice;
  choice.Choose(name);
  SetPreset(FieldsOf(*choice), preset);
  choice->Fill();
  return choice->Make(11, 13, /*seed=*/1)->Outline();
}

OutlineStep StepNamed(const ModelOutline& outline, const std::string& result) {
  for (const OutlineStep& step : outline.Steps()) {
    if (step.result == result) return step;
  }
  throw std::out_of_range(result);
}

std::vector<std::string> PartsOf(const OutlineSequence& sequence) {
  std::vector<std::string> names;
  for (const OutlineBlock& block : sequence.blocks) {
    for (const OutlinePart& part : block.parts) names.push_back(part.name);
  }
  return names;
}

TEST(Outline, OfBahdanauAsksWithTheStateBefore) {
  const ModelOutline outline =
      OutlineOfTranslator("bahdanau", "embedding=6 units=8");
  ASSERT_EQ(outline.sequences.size(), 2U);
  const OutlinePart& encoder = outline.sequences[0].blocks[1].parts[0];
  EXPECT_EQ(encoder.kind, Kind::kBoth);
  EXPECT_EQ(encoder.features, 16);
  EXPECT_THAT(
      PartsOf(outline.sequences[1]),
      ElementsAre("embedding", "attention", "GRU", "maxout", "softmax"));
  EXPECT_EQ(outline.sequences[1].blocks.back().parts[0].features, 13);
  EXPECT_THAT(StepNamed(outline, "cᵢ").reads, ElementsAre("sᵢ₋₁", "hⱼ"));
  EXPECT_THAT(StepNamed(outline, "sᵢ").reads,
              ElementsAre("yᵢ₋₁", "sᵢ₋₁", "cᵢ"));
  EXPECT_THAT(StepNamed(outline, "cᵢ").formula, HasSubstr("softmax(additive"));
  EXPECT_TRUE(outline.bridge_from_first);
  EXPECT_EQ(outline.attention, "decoder.attention");
}

TEST(Outline, OfLuongAsksWithTheStateOfTheStepAndFeedsItBack) {
  const ModelOutline outline =
      OutlineOfTranslator("luong", "embedding=6 units=8");
  EXPECT_TRUE(outline.sequences[0].backwards);
  EXPECT_EQ(outline.sequences[0].blocks[1].repeats, 2);
  EXPECT_THAT(StepNamed(outline, "cᵢ").reads, ElementsAre("sᵢ", "hⱼ"));
  EXPECT_THAT(StepNamed(outline, "sᵢ").reads,
              ElementsAre("yᵢ₋₁", "sᵢ₋₁", "h̃ᵢ₋₁"));
  EXPECT_THAT(StepNamed(outline, "h̃ᵢ").reads, ElementsAre("cᵢ", "sᵢ"));
  EXPECT_THAT(StepNamed(outline, "yᵢ").reads, ElementsAre("h̃ᵢ"));
}

TEST(Outline, OfAFixedVectorHasNoAttention) {
  const ModelOutline outline =
      OutlineOfTranslator("fixed", "variant=cho embedding=6 units=8");
  EXPECT_EQ(outline.attention, "");
  EXPECT_THAT(outline.bridge, HasSubstr("at every step"));
  EXPECT_FALSE(outline.bridge_from_first);
}

TEST(Outline, OfAFixedVectorReadsTheStateOfTheStep) {
  const ModelOutline outline = OutlineOfTranslator(
      "fixed", "variant=cho readout_state=prev embedding=6 units=8");
  EXPECT_THAT(StepNamed(outline, "tᵢ").reads, ElementsAre("sᵢ", "yᵢ₋₁", "z"));
}

TEST(Outline, AStepIsAPartThatReadsWhatItsFormulaMarks) {
  ModelOutline outline;
  outline.sequences = {
      {.name = "machine",
       .blocks = {{{{.name = "embedding", .features = 2, .result = "xᵢ"}}},
                  {{{.kind = Kind::kForward,
                     .name = "RNN",
                     .features = 3,
                     .result = "sᵢ",
                     .formula = "tanh(W [{xᵢ}; {sᵢ₋₁}] + b)"}}}}}};
  ASSERT_EQ(outline.Steps().size(), 1U);
  const OutlineStep step = outline.Steps()[0];
  EXPECT_EQ(step.result, "sᵢ");
  EXPECT_EQ(step.formula, "tanh(W [xᵢ; sᵢ₋₁] + b)");
  EXPECT_THAT(step.reads, ElementsAre("xᵢ", "sᵢ₋₁"));
  EXPECT_EQ(step.features, 3);
}

TEST(Outline, StepsReadWhatIsGivenOrWasComputedBefore) {
  for (const std::string& name : ModelNames<TranslatorSettings>()) {
    for (const ModelVariant& variant : FindModel(name).variants) {
      const std::string chosen =
          variant.name.empty() ? "" : "variant=" + variant.name;
      ModelChoice<TranslatorSettings> choice;
      choice.Choose(name);
      SetPreset(FieldsOf(*choice), chosen);
      SetPresetIfKnown(FieldsOf(*choice), "embedding=6 units=8");
      SetPresetIfKnown(FieldsOf(*choice), "width=8 heads=2 layers=1 ff=8");
      choice->Fill();
      const ModelOutline outline = choice->Make(9, 9, 1)->Outline();
      ASSERT_TRUE(outline.defined()) << name;
      std::vector<std::string> known;
      for (const OutlineStep& step : outline.Steps()) {
        for (const std::string& read : step.reads) {
          if (read.find("₋₁") != std::string::npos || read == "hⱼ" ||
              read == "z") {
            continue;
          }
          EXPECT_THAT(known, testing::Contains(read)) << name << variant.name;
        }
        known.push_back(step.result);
      }
    }
  }
}

TEST(Outline, OfATransformerRepeatsItsLayers) {
  const ModelOutline outline = OutlineOfTranslator(
      "transformer", "layers=3 decoder_layers=2 width=8 ff=16 heads=2");
  ASSERT_EQ(outline.sequences.size(), 2U);
  EXPECT_EQ(outline.sequences[0].blocks[1].repeats, 3);
  EXPECT_EQ(outline.sequences[0].blocks[1].parts[0].kind, Kind::kAll);
  const OutlineBlock& decoder = outline.sequences[1].blocks[1];
  EXPECT_EQ(decoder.repeats, 2);
  ASSERT_EQ(decoder.parts.size(), 3U);
  EXPECT_EQ(decoder.parts[0].kind, Kind::kCausal);
  EXPECT_EQ(decoder.parts[1].kind, Kind::kSource);
  EXPECT_THAT(decoder.parts[2].detail, HasSubstr("16 inside"));
}

TEST(Outline, OfLanguageModelsIsCausal) {
  for (const std::string& name : ModelNames<LanguageModelSettings>()) {
    ModelChoice<LanguageModelSettings> choice;
    choice.Choose(name);
    SetPresetIfKnown(FieldsOf(*choice), "units=8 embedding=8");
    SetPresetIfKnown(FieldsOf(*choice),
                     "width=8 heads=2 decoder_layers=1 ff=8");
    choice->Fill(/*length=*/16);
    const ModelOutline outline = choice->Make(9, 1)->Outline();
    ASSERT_EQ(outline.sequences.size(), 1U) << name;
    EXPECT_TRUE(outline.sequences[0].writes);
    for (const OutlineBlock& block : outline.sequences[0].blocks) {
      for (const OutlinePart& part : block.parts) {
        EXPECT_NE(part.kind, Kind::kAll) << name;
        EXPECT_NE(part.kind, Kind::kBoth) << name;
      }
    }
  }
}

TEST(Outline, OfEncodersBeginsWithEmbeddingsAndIsPooled) {
  for (const std::string& name : ModelNames<EncoderSettings>()) {
    ModelChoice<EncoderSettings> choice;
    choice.Choose(name);
    SetPresetIfKnown(FieldsOf(*choice), "units=8");
    SetPresetIfKnown(FieldsOf(*choice), "width=8 heads=2 layers=1 ff=8");
    choice->Fill({.length = 16});
    ParameterSet parameters(1, DType::kF32, kernels::Precision::kNative);
    const Classifier classifier(
        Scope(parameters, ""), ClassifierConfig(), 3, /*multi_label=*/false,
        choice->MakeText(Scope(parameters, "encoder"), {.vocabulary = 9}));
    const ModelOutline outline = classifier.Outline();
    ASSERT_EQ(outline.sequences.size(), 1U) << name;
    const std::vector<OutlineBlock>& blocks = outline.sequences[0].blocks;
    EXPECT_EQ(blocks.back().parts[0].features, 3) << name;
    EXPECT_THAT(blocks.front().parts[0].name, HasSubstr("embedding")) << name;
    EXPECT_EQ(blocks[blocks.size() - 2].parts[0].kind, Kind::kPool) << name;
  }
}

}  // namespace
}  // namespace heed::outline_test
