#include "heed/tasks/translate/translation_evaluation.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "heed/base/errors.h"
#include "heed/metrics/bleu.h"
#include "heed/tasks/translate/testing.h"
#include "heed/tasks/translate/word_alignment.h"

namespace heed::translate {
namespace {

using Lines = std::vector<std::string>;

class EvaluationTest : public testing::Test {
 protected:
  Model TrainedModel(const std::string& vocabulary, const ParallelText& text,
                     const std::string& model = "bahdanau") const {
    Config config = TinyConfig(folder_.Path(vocabulary + model));
    config.model.Choose(model);
    config.data.vocabulary = vocabulary;
    config.data.source_vocabulary_size = vocabulary == "unigram" ? 9 : 0;
    config.data.target_vocabulary_size = config.data.source_vocabulary_size;
    config.run.epochs = 1;
    TrainTranslation(config, {text, {}});
    return ReadTranslationModel(config.run.out);
  }

  TemporaryFolder folder_;
};

TEST_F(EvaluationTest, MeasuresFitTogether) {
  const ParallelText text = ReversedLetters(40, 3);
  const Model model = TrainedModel("words", text);
  const EvaluationResult e = Evaluate(model, text, {});
  EXPECT_EQ(e.sentences, 40);
  EXPECT_EQ(e.translations.size(), 40);
  EXPECT_EQ(e.references, 40);
  ASSERT_TRUE(e.loss.has_value());
  EXPECT_GT(*e.loss, 0);
  EXPECT_FALSE(e.copy.has_value());
  EXPECT_FALSE(e.aer.has_value());
  EXPECT_NE(e.signature.find("tok:13a"), std::string::npos);

  ParallelText own = text;  // its own output as reference
  own.target = e.translations;
  const EvaluationResult perfect = Evaluate(model, own, {});
  EXPECT_EQ(perfect.exact_match, 100);
  EXPECT_EQ(perfect.word_error_rate, 0);
}

TEST_F(EvaluationTest, AlternativesAreOneSentenceWithTheNearestReference) {
  ParallelText text = {{"a b", "b a", "a b"}, {"x", "y", "z"}};
  const Model model = TrainedModel("words", text);
  EvaluationOptions options;
  const EvaluationResult each = Evaluate(model, text, options);
  EXPECT_EQ(each.sentences, 3);
  options.alternatives = true;
  const EvaluationResult grouped = Evaluate(model, text, options);
  EXPECT_EQ(grouped.sentences, 2);
  EXPECT_EQ(grouped.references, 3);
  EXPECT_EQ(grouped.loss, each.loss);
  EXPECT_EQ(grouped.translations,
            (Lines{each.translations[0], each.translations[1]}));

  // The second reference of the first sentence is the right one.
  text.target = {"q", each.translations[1], each.translations[0]};
  const EvaluationResult right = Evaluate(model, text, options);
  EXPECT_EQ(right.exact_match, 100);
  EXPECT_EQ(right.word_error_rate, 0);
  EXPECT_EQ(right.bleu,
            CorpusBleu(right.translations, Lines{"q", text.target[1]}).score);
  EXPECT_EQ(Evaluate(model, text, {}).exact_match, 100 * (2.0 / 3));
}

TEST_F(EvaluationTest, AlternativesAreFoundInLowerCasedText) {
  const ParallelText text = {{"a b", "A b"}, {"x", "y"}};
  Model model = TrainedModel("words", text);
  EvaluationOptions options;
  options.alternatives = true;
  EXPECT_EQ(Evaluate(model, text, options).sentences, 2);
  model.data.lowercase = true;
  EXPECT_EQ(Evaluate(model, text, options).sentences, 1);
}

TEST_F(EvaluationTest, CopyBaselineMeasuresTheSource) {
  const ParallelText text = {{"a b c d e", "A b"}, {"a b c d e", "a b c"}};
  const Model model = TrainedModel("words", text);
  EvaluationOptions options;
  options.copy_baseline = true;
  const EvaluationResult e = Evaluate(model, text, options);
  ASSERT_TRUE(e.copy.has_value());
  EXPECT_EQ(e.copy->exact_match, 50);
  EXPECT_EQ(e.copy->word_error_rate, 25);  // A is not a, c is missing
  options.lowercase = true;
  EXPECT_EQ(Evaluate(model, text, options).copy->word_error_rate, 12.5);
}

TEST(TruncateToLead, IsTheBeginningOfAText) {
  const char* text = "One is  here. Two is there! Is three?";
  EXPECT_EQ(TruncateToLead(text, 1, 0), "One is here.");
  EXPECT_EQ(TruncateToLead(text, 2, 0), "One is here. Two is there!");
  EXPECT_EQ(TruncateToLead(text, 9, 0), "One is here. Two is there! Is three?");
  EXPECT_EQ(TruncateToLead(text, 2, 4), "One is here. Two");
  EXPECT_EQ(TruncateToLead(text, 0, 2), "One is");
  EXPECT_EQ(TruncateToLead("", 2, 2), "");
}

TEST_F(EvaluationTest, RougeStandsBesideThatOfTheBeginning) {
  const ParallelText text = {{"a b c d. E f", "g h"}, {"a b x", "h"}};
  const Model model = TrainedModel("words", text);
  EvaluationOptions options;
  EXPECT_FALSE(Evaluate(model, text, options).rouge.has_value());
  options.translations = {folder_.Put("lines", "a b x\nh\n")};
  options.lead = 1;
  options.lead_words = 3;
  const EvaluationResult e = Evaluate(model, text, options);
  EXPECT_EQ(e.rouge->rouge_l.f1, 100);
  // "a b c" for "a b x", "g h" for "h".
  EXPECT_NEAR(e.lead->rouge1.precision, 100 * (2.0 / 3 + 1.0 / 2) / 2, 1e-9);
  EXPECT_NEAR(e.lead->rouge1.recall, 100 * (2.0 / 3 + 1) / 2, 1e-9);
  EXPECT_NEAR(e.lead->rouge2.recall, 100 * (1.0 / 2 + 0) / 2, 1e-9);
}

TEST_F(EvaluationTest, SentencesAreFoundBeforeLowerCasing) {
  const ParallelText text = {{"So it is. All right.", "so it is. all right."},
                             {"so it is", "so it is"}};
  Model model = TrainedModel("words", text);
  model.data.lowercase = true;
  EvaluationOptions options;
  options.lead = 1;
  // Three words of the first, all five of the second, which has no capitals.
  EXPECT_NEAR(Evaluate(model, text, options).lead->rouge1.precision, 80, 1e-9);
  options.alternatives = true;  // two equal lines are one
  EXPECT_EQ(Evaluate(model, text, options).lead->rouge1.precision, 100);
  options.max_line = 5;
  EXPECT_EQ(Evaluate(model, text, options).translations,
            TranslateLines(model, {text.source[0]}, options.decode, 5));
}

TEST_F(EvaluationTest, TranslationsOfAFileAreMeasuredInstead) {
  const ParallelText text = {{"a", "b", "a"}, {"x", "y", "z"}};
  const Model model = TrainedModel("words", text);
  EvaluationOptions options;
  options.translations = {folder_.Put("lines", "x\nq\nx\n")};
  const EvaluationResult e = Evaluate(model, text, options);
  EXPECT_EQ(e.translations, (Lines{"x", "q", "x"}));
  EXPECT_EQ(e.exact_match, 100 * (1.0 / 3));
  EXPECT_FALSE(e.loss.has_value());
  options.alternatives = true;  // two items
  EXPECT_NE(MessageOf<FormatError>([&] {
              Evaluate(model, text, options);
            }).find("3 translations of 2 sentences"),
            std::string::npos);
}

TEST_F(EvaluationTest, TargetMayHaveAVocabularyOfAnotherKind) {
  const ParallelText text = {{"ab c", "b"}, {"x y", "y"}};
  Config config = TinyConfig(folder_.Path("mixed"));
  config.data.vocabulary = "characters";
  config.data.target_vocabulary = "words";
  TrainTranslation(config, {text, text});
  EXPECT_TRUE(
      std::filesystem::exists(folder_.Path("mixed/target.vocabulary.txt")));
  const Model model = ReadTranslationModel(config.run.out);
  EXPECT_EQ(model.data.target_vocabulary, "words");
  EXPECT_EQ(model.vocabularies.source.kind(), VocabularyKind::kCharacters);
  EXPECT_EQ(model.vocabularies.target.kind(), VocabularyKind::kWords);
  EXPECT_EQ(model.vocabularies.source.size(), kSpecialTokens + 4);
  EXPECT_EQ(model.vocabularies.target.size(), kSpecialTokens + 2);
  EXPECT_EQ(Evaluate(model, text, {}).sentences, 2);
  EXPECT_EQ(AlignWords(model, text)[0].size(), 2);
}

TEST_F(EvaluationTest, LowercaseComparesWithoutCase) {
  const ParallelText text = {{"a b c d"}, {"A B C D"}};
  const Model model = TrainedModel("words", text);
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
  const Model model = TrainedModel("words", text);
  EvaluationOptions options;
  options.alignment_gold = {folder_.Put("gold", "0-0\n0-0\n")};
  EXPECT_EQ(Evaluate(model, text, options).aer,
            0);  // a single source word gets all attention
  options.alignment_gold = {folder_.Put("table", "a\tb\t0-0\nb\ta\t0?0\n")};
  EXPECT_EQ(Evaluate(model, text, options).aer, 0);
  options.alignment_gold = {folder_.Put("short", "0-0\n")};
  EXPECT_NE(MessageOf<FormatError>([&] {
              Evaluate(model, text, options);
            }).find("1 lines of links for 2 sentence pairs"),
            std::string::npos);
  options.alignment_gold = {folder_.Put("bad", "0-0\nx\n")};
  EXPECT_THROW(Evaluate(model, text, options), FormatError);
}

TEST_F(EvaluationTest, ValidationMeasuresAsEvaluationWithAlternatives) {
  Config config = TinyConfig(folder_.Path("valid"));
  config.run.epochs = 20;
  config.run.validate_every = 1000;  // makes the last weights the best
  config.run.metric = "word_error_rate";
  config.data.valid_beam = 5;
  ParallelText valid = ReversedLetters(30, 2);
  valid.source[7] = valid.source[3];
  const TrainResult result =
      TrainTranslation(config, {ReversedLetters(40, 1), valid});
  EXPECT_EQ(result.metric, "word_error_rate");
  const auto measures = Settings(config.model, config.data).Measures({});
  EXPECT_FALSE(MeasureOf(measures, "word_error_rate").greater_is_better);
  EXPECT_TRUE(MeasureOf(measures, "exact_match").greater_is_better);

  EvaluationOptions options;
  options.alternatives = true;
  const EvaluationResult e =
      Evaluate(ReadTranslationModel(config.run.out), valid, options);
  EXPECT_EQ(e.sentences,
            std::ssize(std::set(valid.source.begin(), valid.source.end())));
  EXPECT_LT(e.sentences, 30);
  EXPECT_GT(e.exact_match, 0);
  EXPECT_LT(e.word_error_rate, 90);
  EXPECT_EQ(result.best, e.word_error_rate);
  Model best = ReadTranslationModel(config.run.out);
  const auto objective =
      Settings(config.model, config.data)
          .MakeObjective(
              WithLinks({ReversedLetters(40, 1), valid}, config.data), best, 1);
  for (const char* measure : {"exact_match", "word_error_rate"}) {
    const Metrics metrics = objective->Validate(measure);
    ASSERT_EQ(metrics.size(), 4) << measure;
    EXPECT_EQ(metrics[2], std::pair(std::string("exact_match"), e.exact_match));
    EXPECT_EQ(metrics[3],
              std::pair(std::string("word_error_rate"), e.word_error_rate));
  }
  // Metrics that are not requested need no translation.
  EXPECT_EQ(objective->Validate("loss").size(), 2);
  EXPECT_EQ(objective->Validate("bleu").back().first, "bleu");
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
  const Series series = BleuByLength("model", text, text.target, {});
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
  const Series series = BleuByLength("", text, translations, {});
  ASSERT_EQ(series.y.size(), 2);
  EXPECT_GT(series.y[0], 99);
  EXPECT_LT(series.y[1], 1);
}

TEST(BleuByLength, FewSentencesGiveNoPoint) {
  EXPECT_TRUE(BleuByLength("", {}, {}, {}).x.empty());
  const ParallelText text = OfLengths({0, 1, 2, 300});
  EXPECT_TRUE(BleuByLength("", text, text.target, {}).x.empty());
}

}  // namespace
}  // namespace heed::translate
