#include "heed/tasks/translation_evaluation.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/errors.h"
#include "heed/tasks/testing.h"

namespace heed {
namespace {

class EvaluationTest : public testing::Test {
 protected:
  TranslationModel Model(const std::string& vocabulary,
                         const ParallelText& text,
                         const std::string& model = "bahdanau") const {
    TranslationConfig config = TinyConfig(folder_.Path(vocabulary + model));
    config.model.model = model;
    config.data.vocabulary = vocabulary;
    config.data.source_vocabulary_size = vocabulary == "unigram" ? 9 : 0;
    config.data.target_vocabulary_size = config.data.source_vocabulary_size;
    config.run.epochs = 1;
    TrainTranslation(config, {text, {}});
    return ReadTranslationModel(config.run.out);
  }

  TemporaryFolder folder_;
};

/// The number of words on either side that links reach at most.
AlignmentLink LastOf(const AlignmentLinks& links) {
  AlignmentLink last;
  for (const AlignmentLink& link : links) {
    last.source = std::max(last.source, link.source);
    last.target = std::max(last.target, link.target);
  }
  return last;
}

TEST_F(EvaluationTest, EveryTargetWordIsLinkedToOneSourceWord) {
  const ParallelText text = {{"ab c abba", "b", "a  b"},
                             {"c ab", "ab abc b c", "b a"}};
  for (const char* kind : {"words", "characters", "unigram"}) {
    const auto links = AlignWords(Model(kind, text), text);
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

TEST_F(EvaluationTest, EmptySideHasNoLinks) {
  const ParallelText text = {{"a b", "b"}, {"a", "b a"}};
  for (const char* kind : {"words", "characters"}) {
    const TranslationModel model = Model(kind, text);
    const auto links = AlignWords(model, {{"", "a", " "}, {"a", "", " "}});
    ASSERT_EQ(links.size(), 3);
    for (const AlignmentLinks& none : links) EXPECT_TRUE(none.empty()) << kind;
  }
}

TEST_F(EvaluationTest, AlignmentNeedsAttention) {
  const ParallelText text = {{"a b"}, {"b a"}};
  const TranslationModel model = Model("words", text, "fixed");
  EXPECT_THROW(AlignWords(model, text), ConfigError);
}

TEST_F(EvaluationTest, MeasuresFitTogether) {
  const ParallelText text = ReversedLetters(40, 3);
  const TranslationModel model = Model("words", text);
  const Evaluation e = Evaluate(model, text, {});
  EXPECT_EQ(e.sentences, 40);
  EXPECT_EQ(e.translations.size(), 40);
  EXPECT_DOUBLE_EQ(e.perplexity, std::exp(e.loss));
  EXPECT_GT(e.loss, 0);
  EXPECT_FALSE(e.aer.has_value());
  EXPECT_NE(e.signature.find("tok:13a"), std::string::npos);

  ParallelText own = text;  // its own output as the reference
  own.target = e.translations;
  const Evaluation perfect = Evaluate(model, own, {});
  EXPECT_EQ(perfect.exact_match, 1);
}

TEST_F(EvaluationTest, LowercaseComparesWithoutCase) {
  const ParallelText text = {{"a b c d"}, {"A B C D"}};
  const TranslationModel model = Model("words", text);
  ParallelText compared = text;
  compared.target = Evaluate(model, text, {}).translations;
  compared.target[0] += " d";
  EvaluationOptions options;
  const double strict = Evaluate(model, compared, options).chrf;
  for (char& c : compared.target[0]) c = static_cast<char>(std::tolower(c));
  options.lowercase = true;
  EXPECT_EQ(Evaluate(model, compared, options).chrf, strict);
}

TEST_F(EvaluationTest, GoldLinksGiveTheErrorRate) {
  const ParallelText text = {{"a", "b"}, {"b", "a"}};
  const TranslationModel model = Model("words", text);
  EvaluationOptions options;
  options.alignment_gold = folder_.Put("gold", "0-0\n0-0\n");
  EXPECT_EQ(Evaluate(model, text, options).aer,
            0);  // one word can look nowhere else
  options.alignment_gold = folder_.Put("table", "a\tb\t0-0\nb\ta\t0?0\n");
  EXPECT_EQ(Evaluate(model, text, options).aer, 0);
  options.alignment_gold = folder_.Put("short", "0-0\n");
  EXPECT_NE(MessageOf<FormatError>([&] {
              Evaluate(model, text, options);
            }).find("1 lines of links for 2 sentence pairs"),
            std::string::npos);
  options.alignment_gold = folder_.Put("bad", "0-0\nx\n");
  EXPECT_THROW(Evaluate(model, text, options), FormatError);
}

ParallelText OfLengths(const std::vector<size_t>& lengths) {
  ParallelText text;
  for (const size_t length : lengths) {
    std::string line;
    for (size_t i = 0; i < length; ++i) line += fmt::format("w{} ", i);
    text.source.push_back(line);
    text.target.push_back(line);
  }
  return text;
}

TEST(BleuByLength, HasAPointForEachBucketOfEnoughSentences) {
  std::vector<size_t> lengths(25, 5);
  lengths.insert(lengths.end(), 27, 20);
  lengths.insert(lengths.end(), 24, 11);  // too few
  const ParallelText text = OfLengths(lengths);
  const Series series = BleuByLength("model", text, text.target, false);
  EXPECT_EQ(series.name, "model");
  EXPECT_EQ(series.x, (std::vector<double>{5, 20}));
  ASSERT_EQ(series.y.size(), 2);
  EXPECT_NEAR(series.y[0], 100, 1e-9);
  EXPECT_NEAR(series.y[1], 100, 1e-9);
}

TEST(BleuByLength, TellsShortFromLong) {
  std::vector<size_t> lengths(25, 5);
  lengths.insert(lengths.end(), 25, 20);
  const ParallelText text = OfLengths(lengths);
  std::vector<std::string> translations = text.target;
  for (size_t i = 25; i < 50; ++i) translations[i] = "x";
  const Series series = BleuByLength("", text, translations, false);
  ASSERT_EQ(series.y.size(), 2);
  EXPECT_GT(series.y[0], 99);
  EXPECT_LT(series.y[1], 1);
}

TEST(BleuByLength, FewSentencesGiveNoPoint) {
  EXPECT_TRUE(BleuByLength("", {}, {}, false).x.empty());
  const ParallelText text = OfLengths({0, 1, 2, 300});
  EXPECT_TRUE(BleuByLength("", text, text.target, false).x.empty());
}

}  // namespace
}  // namespace heed
