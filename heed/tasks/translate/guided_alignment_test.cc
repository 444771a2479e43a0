#include "heed/tasks/translate/guided_alignment.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "heed/base/errors.h"
#include "heed/io/file.h"
#include "heed/tasks/translate/testing.h"
#include "heed/tasks/translate/word_alignment.h"

namespace heed::translate {
namespace {

using Row = std::vector<float>;

Row RowOf(const Tensor& targets, int64_t b, int64_t t) {
  const float* row = targets[b].row<float>(t);
  return {row, row + targets.dim(2)};
}

TEST(LinkTargets, LieEvenlyOnThePiecesOfTheLinkedWords) {
  // Source words of two, one and one pieces; target words of one and two.
  const std::vector<int32_t> source = {0, 0, 1, 2, -1};
  const std::vector<int32_t> target = {0, 1, 1, -1};
  const AlignmentLinks links = {{0, 1}, {2, 1}};
  const std::vector<LinkedPair> pairs = {{&links, source, target}};
  const Tensor targets = LinkTargets(pairs, 5, 6, false);
  ASSERT_EQ(targets.shape(), (Shape{1, 5, 6}));
  const Row linked = {1 / 3.F, 1 / 3.F, 0, 1 / 3.F, 0, 0};
  const Row nothing(6, 0);
  EXPECT_EQ(RowOf(targets, 0, 0), nothing);
  EXPECT_EQ(RowOf(targets, 0, 1), linked);
  EXPECT_EQ(RowOf(targets, 0, 2), linked);
  EXPECT_EQ(RowOf(targets, 0, 3), nothing);
  const Tensor shifted = LinkTargets(pairs, 5, 6, true);
  EXPECT_EQ(RowOf(shifted, 0, 1), nothing);
  EXPECT_EQ(RowOf(shifted, 0, 2), linked);
  EXPECT_EQ(RowOf(shifted, 0, 3), linked);
}

/// Reversed letters with the links of the reversal.
class GuidedTraining : public testing::Test {
 protected:
  static std::string LinksOf(const ParallelText& text) {
    std::string lines;
    for (const std::string& line : text.source) {
      const auto words = static_cast<int64_t>(line.size() + 1) / 2;
      AlignmentLinks links;
      for (int64_t t = 0; t < words; ++t) links.insert({words - 1 - t, t});
      lines += FormatAlignment(links) + "\n";
    }
    return lines;
  }
  Config ConfigFor(const std::string& out) const {
    Config config = TinyConfig(folder_.Path(out));
    config.data.train.source = {folder_.Put("s", AsLines(train_.source))};
    config.data.train.target = {folder_.Put("t", AsLines(train_.target))};
    config.data.valid.source = {folder_.Put("vs", AsLines(valid_.source))};
    config.data.valid.target = {folder_.Put("vt", AsLines(valid_.target))};
    config.data.valid_alignment = {folder_.Put("vl", LinksOf(valid_))};
    config.run.metric = "aer";
    return config;
  }
  Config GuidedConfig(const std::string& out) const {
    Config config = ConfigFor(out);
    config.data.guided_alignment = {folder_.Put("l", LinksOf(train_))};
    config.data.guided_alignment_weight = 1;
    return config;
  }
  static void UseTransformer(Config& config) {
    config.model.Choose("transformer-tiny");
    TransformerConfig& c = config.model.As<TransformerConfig>();
    c.layers = 1;
    c.decoder_layers = 2;
    c.width = 32;
    c.ff = 32;
    c.heads = 2;
    c.dropout = 0;
    config.data.guided_alignment_weight = 2;
    config.optimizer.learning_rate = 0.01;
  }

  TemporaryFolder folder_;
  ParallelText train_ = ReversedLetters(96, 1);
  ParallelText valid_ = ReversedLetters(24, 2);
};

TEST_F(GuidedTraining, AValidationPairThatIsTooLongIsLeftWithoutLinks) {
  std::string words = "a";
  for (int i = 1; i < 2100; ++i) words += " a";
  valid_.source[3] = valid_.target[3] = words;
  Config config = ConfigFor("long");
  config.run.epochs = 1;
  testing::internal::CaptureStderr();
  TrainTranslation(config);
  const std::string warnings = testing::internal::GetCapturedStderr();
  EXPECT_NE(warnings.find("the pair is left without links"), std::string::npos)
      << warnings;
}

TEST_F(GuidedTraining, TeachesLinksThatTrainingAloneDoesNotFind) {
  for (const bool transformer : {false, true}) {
    Config alone = ConfigFor(transformer ? "ta" : "a");
    Config guided = GuidedConfig(transformer ? "tg" : "g");
    for (Config* config : {&alone, &guided}) {
      if (transformer) UseTransformer(*config);
      config->run.epochs = transformer ? 14 : 10;
    }
    const double without = TrainTranslation(alone).best;
    const double with = TrainTranslation(guided).best;
    // A Transformer needs more pairs.
    EXPECT_LT(with, transformer ? 20 : 5);
    EXPECT_GT(without, transformer ? 35 : 50);
    // The reported error rate equals that of the saved model.
    const Model model = ReadTranslationModel(guided.run.out);
    const auto gold = ReadAlignments({folder_.Path("vl")}, valid_);
    EXPECT_EQ(100 * ScoreAlignments(AlignWords(model, valid_), gold).error_rate,
              with);
  }
}

TEST_F(GuidedTraining, TakesSubwordsOfWhichSomeMergesAreLeftOut) {
  Config config = GuidedConfig("bpe");
  config.data.vocabulary = "bpe";
  config.data.joint_vocabulary = true;
  // Four letters, the space, and the space with each letter.
  config.data.source_vocabulary_size = kSpecialTokens + 9;
  config.data.bpe_dropout = 0.3;
  config.run.epochs = 30;
  EXPECT_LT(TrainTranslation(config).best, 10);
}

TEST_F(GuidedTraining, TeachesTheStepThatReadsAWord) {
  Config config = GuidedConfig("shift");
  UseTransformer(config);
  config.data.guided_alignment_shift = true;
  config.run.epochs = 20;
  EXPECT_LT(TrainTranslation(config).best, 15);
  const Model model = ReadTranslationModel(config.run.out);
  EXPECT_EQ(UsualAttention(model), (AttentionChoice{0, 0, true}));
  EXPECT_EQ(model.model->alignment_head(), 0);
}

TEST_F(GuidedTraining, LinksStayWithTheirPairsWhenOthersAreDropped) {
  // Pairs in between are too long or empty and have wrong links.
  ParallelText text;
  std::string links;
  for (size_t i = 0; i < train_.source.size(); ++i) {
    if (i % 3 == 0) {
      text.source.emplace_back("a b c d a b c d");
      text.target.emplace_back("a");
      links += "0-0 7-0\n";
    }
    text.source.push_back(train_.source[i]);
    text.target.push_back(train_.target[i]);
    links += LinksOf({{train_.source[i]}, {train_.target[i]}});
  }
  const auto loss_of = [&](const ParallelText& pairs, const std::string& file,
                           const char* name) {
    Config config = GuidedConfig(name);
    config.data.guided_alignment = {folder_.Put(name + std::string("l"), file)};
    config.data.max_length = 6;
    config.Resolve();
    const Settings settings(config.model, config.data);
    Data read = WithLinks({pairs, valid_}, config.data);
    const auto model = settings.MakeModel(read, 1);
    const auto objective = settings.MakeObjective(std::move(read), *model, 1);
    const std::vector<int64_t> examples = {0, 1, 2, 50, 95};
    return objective->Loss({}, examples, {}).parts.front().second;
  };
  const double usual = loss_of(train_, LinksOf(train_), "usual");
  EXPECT_NEAR(loss_of(text, links, "dropped"), usual, 1e-5);
}

TEST_F(GuidedTraining, ReadsSourcesWithNoiseWhileItTrains) {
  const auto loss_of = [&](double noise, Rng* rng) {
    Config config = GuidedConfig("noise");
    config.data.noise.noise_case = noise;
    config.Resolve();
    const Settings settings(config.model, config.data);
    Data read = WithLinks({train_, valid_}, config.data);
    const auto model = settings.MakeModel(read, 1);
    const auto objective = settings.MakeObjective(std::move(read), *model, 1);
    const std::vector<int64_t> examples = {0, 1, 2, 50, 95};
    Context ctx;
    ctx.rng = rng;
    return objective->Loss(ctx, examples, {}).nll;
  };
  Rng a(5);
  Rng b(5);
  const double usual = loss_of(0, nullptr);
  EXPECT_EQ(loss_of(1, nullptr), usual);
  EXPECT_EQ(loss_of(0, &a), usual);
  const double noisy = loss_of(1, &a);
  EXPECT_NE(noisy, usual);
  EXPECT_EQ(loss_of(1, &b), noisy);
}

TEST_F(GuidedTraining, ResumesToTheSameWeights) {
  Config config = GuidedConfig("whole");
  config.data.vocabulary = "bpe";
  config.data.joint_vocabulary = true;
  config.data.source_vocabulary_size = kSpecialTokens + 9;
  config.data.bpe_dropout = 0.3;
  config.data.noise.noise_case = 0.3;
  config.run.validate_every = 2;
  config.run.metric = "loss";
  TrainTranslation(config);
  Config stopped = config;
  stopped.run.out = folder_.Path("stopped");
  stopped.run.steps = 5;
  TrainTranslation(stopped);
  ModelDescription description = ReadModelConfig(stopped.run.out);
  description.settings["steps"] = 0;
  WriteModelConfig(stopped.run.out, description);
  Resume(stopped.run.out, true);
  for (const char* file : {"model.safetensors", "training.safetensors"}) {
    EXPECT_TRUE(ReadFile(config.run.out + "/" + file) ==
                ReadFile(stopped.run.out + "/" + file))
        << file;
  }
  // Changed links count as changed examples.
  folder_.Put("l", std::string(96, '\n'));
  EXPECT_THROW(Resume(stopped.run.out, true), FormatError);
}

TEST_F(GuidedTraining, TellsTheLossOfTheLinksApart) {
  Config config = GuidedConfig("logged");
  config.optimizer.label_smoothing = 0;
  TrainTranslation(config);
  std::ifstream lines(config.run.out + "/metrics.jsonl");
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  const auto json = nlohmann::json::parse(line);
  EXPECT_NEAR(json["loss"].get<double>(),
              json["nll"].get<double>() + json["alignment_loss"].get<double>(),
              1e-4);
  EXPECT_GT(json["alignment_loss"].get<double>(), 0.1);
}

TEST_F(GuidedTraining, RefusesWhatDoesNotFit) {
  const auto message = [&](Config config) {
    try {
      TrainTranslation(config);
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const auto expect = [&](const Config& config, const char* part) {
    const std::string what = message(config);
    EXPECT_NE(what.find(part), std::string::npos) << what;
  };
  Config config = GuidedConfig("x");
  config.data.guided_alignment = {folder_.Put("short", "0-0\n")};
  expect(config, "1 lines of links for 96 sentence pairs");
  config = GuidedConfig("x");
  config.data.guided_alignment = {
      folder_.Put("far", "9-0\n" + std::string(95, '\n'))};
  expect(config, "far:1: the link 9-0 leaves its pair");
  config = GuidedConfig("x");
  config.model.Choose("fixed");
  expect(config, "no attention to align words with");
  config = GuidedConfig("x");
  config.data.valid = {};
  expect(config, "valid_alignment holds links of validation pairs");
  config = ConfigFor("x");
  config.data.valid_alignment = {};
  expect(config, "'aer' is not measured here");
  config = GuidedConfig("x");
  UseTransformer(config);
  config.model.As<TransformerConfig>().alignment_head = 2;
  expect(config, "alignment_head: 2 is counted from 0");
}

}  // namespace
}  // namespace heed::translate
