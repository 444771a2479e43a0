#include "heed/tasks/translate/word_alignment.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/errors.h"
#include "heed/metrics/symmetrize.h"
#include "heed/tasks/translate/testing.h"

namespace heed::translate {
namespace {

class WordAlignment : public testing::Test {
 protected:
  Model TrainedModel(const std::string& vocabulary, const ParallelText& text,
                     const std::string& model = "bahdanau") const {
    Config config = TinyConfig(folder_.Path(vocabulary + model));
    config.model.Choose(model);
    const std::vector<Field> fields = FieldsOf(*config.model);
    SetPresetIfKnown(fields, "embedding=12 units=16 dropout=0.1");
    SetPresetIfKnown(fields,
                     "layers=1 decoder_layers=3 width=16 ff=16 heads=2");
    config.data.vocabulary = vocabulary;
    config.data.source_vocabulary_size = vocabulary == "unigram" ? 9 : 0;
    config.data.target_vocabulary_size = config.data.source_vocabulary_size;
    config.run.epochs = 1;
    config.run.overwrite = true;
    TrainTranslation(config, {text, {}});
    return ReadTranslationModel(config.run.out);
  }

  TemporaryFolder folder_;
};

/// The largest word indices that links have on either side.
AlignmentLink LastOf(const AlignmentLinks& links) {
  AlignmentLink last;
  for (const AlignmentLink& link : links) {
    last.source = std::max(last.source, link.source);
    last.target = std::max(last.target, link.target);
  }
  return last;
}

TEST(WordView, SumsOverTheTokensOfASourceWordAndMeansOverATargetWord) {
  Translation translation;
  translation.text = "ab c";
  translation.source_pieces = {"▁x", "y", "▁z", "</s>"};
  translation.target_pieces = {"▁a", "b", "▁c", "▁", "</s>"};
  translation.attention = {0.1F, 0.3F, 0.2F, 0.4F,  // a
                           0.1F, 0.1F, 0.6F, 0.2F,  // b
                           0.7F, 0.1F, 0.1F, 0.1F,  // c
                           0.0F, 0.0F, 1.0F, 0.0F,  // a space
                           0.0F, 0.0F, 0.0F, 1.0F};
  const AlignmentView view =
      WordView(translation, VocabularyKind::kBpe, VocabularyKind::kUnigram);
  EXPECT_EQ(view.source_tokens, (std::vector<std::string>{"xy", "z"}));
  EXPECT_EQ(view.target_tokens, (std::vector<std::string>{"ab", "c"}));
  ASSERT_EQ(view.weights.size(), 4U);
  EXPECT_FLOAT_EQ(view.weights[0], 0.3F);
  EXPECT_FLOAT_EQ(view.weights[1], 0.4F);
  EXPECT_FLOAT_EQ(view.weights[2], 0.8F);
  EXPECT_FLOAT_EQ(view.weights[3], 0.1F);
  EXPECT_EQ(PharaohLine(view), "1-0 0-1");
}

TEST(WordView, OfAnEmptyLineIsEmpty) {
  Translation translation;
  EXPECT_EQ(PharaohLine(WordView(translation, VocabularyKind::kBpe,
                                 VocabularyKind::kBpe)),
            "");
  translation.source_pieces = {"</s>"};
  translation.target_pieces = {"</s>"};
  translation.attention = {1};
  EXPECT_EQ(PharaohLine(WordView(translation, VocabularyKind::kBpe,
                                 VocabularyKind::kBpe)),
            "");
}

TEST_F(WordAlignment, EveryTargetWordIsLinkedToOneSourceWord) {
  const ParallelText text = {{"ab c abba", "b", "a  b"},
                             {"c ab", "ab abc b c", "b a"}};
  for (const char* kind : {"words", "characters", "unigram"}) {
    const auto links = AlignWords(TrainedModel(kind, text), text);
    ASSERT_EQ(links.size(), 3);
    EXPECT_EQ(links[0].size(), 2) << kind;
    EXPECT_EQ(links[1].size(), 4) << kind;
    EXPECT_EQ(links[2].size(), 2) << kind;
    EXPECT_EQ(LastOf(links[0]).target, 1) << kind;
    EXPECT_LE(LastOf(links[0]).source, 2) << kind;
    EXPECT_EQ(LastOf(links[1]).target, 3) << kind;
    EXPECT_EQ(LastOf(links[1]).source, 0) << kind;
    EXPECT_LE(LastOf(links[2]).source, 1) << kind;
  }
}

TEST_F(WordAlignment, EmptySideHasNoLinks) {
  const ParallelText text = {{"a b", "b"}, {"a", "b a"}};
  for (const char* kind : {"words", "characters"}) {
    const Model model = TrainedModel(kind, text);
    const auto links = AlignWords(model, {{"", "a", " "}, {"a", "", " "}});
    ASSERT_EQ(links.size(), 3);
    for (const AlignmentLinks& none : links) EXPECT_TRUE(none.empty()) << kind;
  }
}

TEST_F(WordAlignment, AlignmentNeedsAttention) {
  const ParallelText text = {{"a b"}, {"b a"}};
  const Model model = TrainedModel("words", text, "fixed");
  EXPECT_THROW(AlignWords(model, text), ConfigError);
}

TEST_F(WordAlignment, WeightsOfPiecesAreAddedToThoseOfWords) {
  const ParallelText text = {{"ab c abba", "b"}, {"c ab", "ab abc b c"}};
  for (const char* name : {"bahdanau", "transformer-tiny"}) {
    const Model model = TrainedModel("characters", text, name);
    for (const AlignmentView& view :
         WordWeights(model, text, UsualAttention(model))) {
      for (int64_t t = 0; t < view.target_size(); ++t) {
        double sum = 0;
        for (int64_t s = 0; s < view.source_size(); ++s) {
          sum += view.weight(t, s);
        }
        EXPECT_GT(sum, 0.1) << name;
        EXPECT_LT(sum, 1) << name;  // the rest is on spaces and </s>
      }
    }
  }
}

TEST_F(WordAlignment, LayersHeadsAndStepsAreChosen) {
  const ParallelText text = ReversedLetters(20, 3);
  const Model model = TrainedModel("words", text, "transformer-tiny");
  EXPECT_EQ(UsualAttention(model), (AttentionChoice{1, -1, false}));
  const std::vector<AttentionChoice> choices = {{2, -1, false},
                                                {2, 0, false},
                                                {2, 1, false},
                                                {2, -1, true},
                                                {0, 0, true}};
  const auto views = WordWeights(model, text, choices);
  ASSERT_EQ(views.size(), 5);
  for (size_t i = 0; i < text.source.size(); ++i) {
    const AlignmentView& mean = views[0][i];
    for (size_t j = 0; j < mean.weights.size(); ++j) {
      EXPECT_NEAR(mean.weights[j],
                  (views[1][i].weights[j] + views[2][i].weights[j]) / 2, 1e-6);
    }
    // The shifted row of word t is the unshifted row of word t + 1.
    const int64_t S = mean.source_size();
    for (int64_t t = 0; t + 1 < mean.target_size(); ++t) {
      for (int64_t s = 0; s < S; ++s) {
        EXPECT_EQ(views[3][i].weight(t, s), mean.weight(t + 1, s));
      }
    }
    EXPECT_NE(views[4][i].weights, mean.weights);
  }
  EXPECT_THROW(WordWeights(model, text, AttentionChoice{3, -1, false}),
               ConfigError);
  EXPECT_THROW(WordWeights(model, text, AttentionChoice{0, 2, false}),
               ConfigError);
}

TEST_F(WordAlignment, LowerCasedModelsAlignTextAsItIs) {
  const ParallelText text = {{"a b", "b a"}, {"b a", "a b"}};
  Model model = TrainedModel("words", text);
  model.data.lowercase = true;
  const ParallelText upper = {{"A b", "B A"}, {"B A", "a B"}};
  const auto views = WordWeights(model, upper, UsualAttention(model));
  EXPECT_EQ(views[0].source_tokens, (std::vector<std::string>{"A", "b"}));
  EXPECT_EQ(views[1].weights,
            WordWeights(model, text, UsualAttention(model))[1].weights);
}

TEST_F(WordAlignment, AgreementChoosesAmongAllLayersOfBothDirections) {
  const ParallelText text = ReversedLetters(30, 3);
  const Model forward = TrainedModel("words", text, "transformer-tiny");
  const Model backward = TrainedModel("words", Swapped(text));
  const AgreedChoice best = ChooseByAgreement(forward, backward, text);
  const auto links_of = [](const Model& model, const ParallelText& pairs,
                           const AttentionChoice& choice) {
    std::vector<AlignmentLinks> links;
    for (const auto& view : WordWeights(model, pairs, choice)) {
      links.push_back(LinksOf(view));
    }
    return links;
  };
  double largest = 0;
  for (const bool later : {false, true}) {
    std::vector<AlignmentLinks> back;
    for (const auto& links :
         links_of(backward, Swapped(text), {0, -1, later})) {
      back.push_back(Reversed(links));
    }
    for (int64_t layer = 0; layer < 3; ++layer) {
      for (const bool shift : {false, true}) {
        largest = std::max(
            largest, AlignmentAgreement(
                         links_of(forward, text, {layer, -1, shift}), back));
      }
    }
  }
  EXPECT_DOUBLE_EQ(best.agreement, largest);
  EXPECT_GT(best.agreement, 0);
}

TEST_F(WordAlignment, ALineBeyondTheModelsPositionsIsNamed) {
  ParallelText text = ReversedLetters(20, 3);
  Config config = TinyConfig(folder_.Path("learned"));
  config.model.Choose("transformer-tiny");
  TransformerConfig& c = config.model.As<TransformerConfig>();
  c.layers = 1;
  c.width = c.ff = 16;
  c.heads = 2;
  c.position = "learned";
  c.max_positions = 8;
  TrainTranslation(config, {text, {}});
  const Model model = ReadTranslationModel(config.run.out);
  text.source[4] = "a b c d a b c d a b";
  const std::string message =
      MessageOf<FormatError>([&] { AlignWords(model, text); });
  EXPECT_NE(message.find("line 5 of the text (a…) has 11 tokens"),
            std::string::npos)
      << message;
}

TEST(BothWays, IsTheGeometricMean) {
  const AlignmentView f = {{"a", "b"}, {"x"}, {0.9F, 0.1F}, "title"};
  const AlignmentView b = {{"x"}, {"a", "b"}, {0.4F, 0.0F}, ""};
  const AlignmentView both = BothWays(f, b);
  EXPECT_NEAR(both.weight(0, 0), 0.6, 1e-6);
  EXPECT_EQ(both.weight(0, 1), 0);
  EXPECT_EQ(both.title, "title");
  EXPECT_THROW(BothWays(f, f), ShapeError);
}

TEST(ReadAlignments, LinesThatDoNotFitAreNamed) {
  const TemporaryFolder folder;
  const ParallelText text = {{"a b", "c"}, {"x", "y z"}};
  const auto message = [&](const std::string& content) {
    return MessageOf<FormatError>(
        [&] { ReadAlignments({folder.Put("gold", content)}, text); });
  };
  const auto gold = ReadAlignments({folder.Put("gold", "1-0 0?0\n\n")}, text);
  EXPECT_EQ(gold[0].sure, (AlignmentLinks{{1, 0}}));
  EXPECT_EQ(gold[0].possible.size(), 2);
  EXPECT_TRUE(gold[1].possible.empty());
  const auto table =
      ReadAlignments({folder.Put("gold", "a b\tx\t0-0\nc\ty z\t0-1\n")}, text);
  EXPECT_EQ(table[1].sure, (AlignmentLinks{{0, 1}}));
  EXPECT_NE(message("0-0\n").find("1 lines of links for 2 sentence pairs"),
            std::string::npos);
  EXPECT_NE(message("0-0\n0-2\n")
                .find("gold:2: the link 0-2 leaves its pair "
                      "of 1 source and 2 target words"),
            std::string::npos);
  EXPECT_NE(message("2?0\n\n").find("gold:1: the link 2-0 leaves"),
            std::string::npos);
}

}  // namespace
}  // namespace heed::translate
