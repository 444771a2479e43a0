#include "heed/tasks/speech/speech.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "course/data/generators.h"
#include "course/data/spoken_digits.h"
#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/explain/payloads.h"
#include "heed/metrics/error_rate.h"
#include "heed/tasks/explain.h"
#include "heed/tasks/testing.h"
#include "heed/train/in_memory.h"

namespace heed::speech {
namespace {

/// A list of recordings of digits by two voices.
const std::string& VoiceList() {
  static const TemporaryFolder folder;
  static const std::string list = [] {
    VoiceData().Sized({2, 1, 1}).WriteTo(folder.path().string());
    return folder.Path("train.tsv");
  }();
  return list;
}

Settings SmallSpeech(const OptionTexts& values = {}) {
  Settings settings;
  FieldList fields;
  settings.Visit(fields);
  OptionTexts all = {{"bands", "24"},     {"units", "32"},
                     {"embedding", "32"}, {"dropout", "0"},
                     {"longest", "3"},    {"recordings", VoiceList()},
                     {"strings", "160"},  {"batch_sounds", "8"}};
  for (const auto& [key, value] : values) all[key] = value;
  SetValues(fields, all);
  settings.Resolve();
  return settings;
}

std::unique_ptr<Model> TaughtRecogniser(const Settings& settings, int epochs) {
  Data data = settings.Read();
  TrainingConfig training;
  settings.SetDefaults(training);
  training.optimizer.learning_rate = 4e-3;
  training.optimizer.warmup = 20;
  training.run.epochs = epochs;
  training.run.quiet = true;
  training.run.patience = 0;
  auto model = settings.MakeModel(data, 1);
  const auto objective = settings.MakeObjective(std::move(data), *model, 1);
  TrainInMemory(*objective, training);
  return model;
}

Input SoundFile(const std::vector<float>& samples, int rate = 8000) {
  return {NamedBytes{"x.wav", "audio/wav", EncodeWav(samples, rate)}, "x.wav"};
}

TEST(Task, LearnsToWriteWhatIsSaidAndWhen) {
  const Settings settings = SmallSpeech();
  const auto model = TaughtRecogniser(settings, 20);
  StringOptions strings = settings.data.Strings();
  // Strings of the same recordings.
  const Utterances train = settings.data.train.Read(8000, strings);
  std::vector<std::string> references, written;
  int64_t words = 0, in_time = 0;
  for (int64_t i = 100000; i < 100060; ++i) {
    const Recording one = train.At(i);
    const std::vector<Tensor> features = {model->FeaturesOf(one.samples)};
    const auto found = Recognise(*model, features, {});
    references.push_back(one.text);
    written.push_back(model->vocabulary.Decode(found[0][0].tokens));
    if (references.back() != written.back()) continue;
    const std::vector<TimedWord> timed = TimedWords(*model, found[0][0]);
    ASSERT_EQ(timed.size(), one.words.size());
    for (size_t w = 0; w < timed.size(); ++w) {
      EXPECT_LE(timed[w].begin, timed[w].middle);
      EXPECT_LE(timed[w].middle, timed[w].end);
      ++words;
      const double at = 8000 * timed[w].middle;
      in_time += at >= static_cast<double>(one.words[w].begin) - 400 &&
                         at <= static_cast<double>(one.words[w].end) + 400
                     ? 1
                     : 0;
    }
  }
  EXPECT_LT(WordErrorRate(written, references), 0.05);
  EXPECT_GE(static_cast<double>(in_time), 0.9 * static_cast<double>(words));
}

TEST(Task, AnswersDoNotDependOnTheOthers) {
  const Settings settings = SmallSpeech();
  const auto model = settings.MakeModel(settings.Read(), 1);
  const auto predictor =
      settings.MakePredictor(*model, {{.beam = 3, .nbest = 2}});
  const Recordings digits = MakeSpokenDigits({.speakers = 1, .takes = 1});
  std::vector<Input> inputs;
  for (size_t i = 0; i < 20; ++i) {
    inputs.push_back(SoundFile(digits.all[i % 10].samples));
    inputs.back().number = static_cast<int64_t>(i);
  }
  const std::vector<Answer> all = predictor->Predict(inputs);
  ASSERT_EQ(all.size(), 20u);
  for (const size_t i : {0u, 5u, 17u}) {
    const Answer alone = predictor->Predict(std::span(inputs).subspan(i, 1))[0];
    EXPECT_EQ(alone.line, all[i].line);
    EXPECT_EQ(alone.parts, all[i].parts);
  }
  EXPECT_EQ(all[0].parts.at("alternatives").size(), 1u);
  EXPECT_EQ(all[0].parts.at("tokens").size(),
            all[0].parts.at("probabilities").size());
}

TEST(Task, WritesTimesIfRequested) {
  const Settings settings = SmallSpeech();
  const auto model = settings.MakeModel(settings.Read(), 1);
  const auto predictor =
      settings.MakePredictor(*model, {{.max_length = 2}, true});
  const std::vector<Input> inputs = {
      SoundFile(MakeSpokenDigits({.speakers = 1}).all[3].samples)};
  const Answer answer = predictor->Predict(inputs)[0];
  const size_t words = answer.parts.at("words").size();
  EXPECT_EQ(Count(answer.line, "\n"), words);
  EXPECT_EQ(Count(answer.line, "\t"), 2 * words);
}

TEST(Task, ExplainsTheFramesOfEachWord) {
  const Settings settings = SmallSpeech();
  const auto model = settings.MakeModel(settings.Read(), 1);
  const auto predictor = settings.MakePredictor(*model, {});
  ExplainInput request;
  request.given = SoundFile(std::vector<float>(8000, 0.1f), 16000);
  request.answer = "seven two";
  request.contrast = "seven three";
  const ExplainablePrediction explained =
      predictor->PrepareExplanation({}, request, predictor->options());
  const ExplanationSegment& e = explained.segments.at(0).segment;
  EXPECT_EQ(e.axis("source").kind, "audio");
  EXPECT_EQ(e.axis("source").size(), 16);  // 0.5 s
  EXPECT_NEAR(PayloadOf<SoundPayload>(e.axis("source")).seconds, 0.5, 1e-3);
  ASSERT_EQ(e.targets.size(), 3u);
  EXPECT_EQ(e.LabelOf(e.targets[1]), "two");
  EXPECT_EQ(RowOf(e, e.targets[0]).size(), 16u);
  EXPECT_TRUE(e.targets[1].contrast.has_value());
  const std::vector<Input> bad = {
      {NamedBytes{"b.wav", "audio/wav", "no sound"}, "b.wav"}};
  EXPECT_EQ(MessageOf<FormatError>([&] { predictor->Predict(bad); }),
            "b.wav: neither a WAV nor a FLAC nor an Ogg file");
}

TEST(Task, EpochsHaveEveryStringOnceAndOthersEachTime) {
  const Settings settings = SmallSpeech();
  Data data = settings.Read();
  auto model = settings.MakeModel(data, 1);
  const auto objective = settings.MakeObjective(data, *model, 1);
  for (const int epoch : {0, 3}) {
    std::vector<int64_t> seen;
    for (const auto& batch : objective->PlanEpoch(1, epoch).All()) {
      EXPECT_LE(batch.size(), 8u);
      seen.insert(seen.end(), batch.begin(), batch.end());
    }
    std::ranges::sort(seen);
    ASSERT_EQ(seen.size(), 160u);
    EXPECT_EQ(seen.front(), epoch * 160);
    EXPECT_EQ(seen.back(), epoch * 160 + 159);
  }
}

TEST(Task, OnlyTrainingChangesSoundsAndByTheirNumberAlone) {
  const Settings settings =
      SmallSpeech({{"speed", "0.2"}, {"band_masks", "2"}, {"time_masks", "1"}});
  const auto model = settings.MakeModel(settings.Read(), 1);
  const Utterances train =
      settings.data.train.Read(8000, settings.data.Strings());
  const auto features = [&](const std::vector<int64_t>& which,
                            std::optional<uint64_t> changes) {
    return MakeSpeechBatch(*model, train, which, changes)
        .inputs.vectors.value();
  };
  const Tensor plain = features({5}, std::nullopt);
  EXPECT_EQ(plain.dim(1), model->FeaturesOf(train.At(5).samples).dim(0));
  const Tensor changed = features({5}, 7);
  EXPECT_NE(changed.dim(1), plain.dim(1));
  const Tensor among = features({3, 5}, 7);
  for (int64_t s = 0; s < changed.dim(1); ++s) {
    for (int64_t f = 0; f < changed.dim(2); ++f) {
      ASSERT_EQ(among[1].row<float>(s)[f], changed[0].row<float>(s)[f]);
    }
  }
}

TEST(Task, AModelOpensAsItWasSaved) {
  const Settings settings = SmallSpeech();
  const auto model = settings.MakeModel(settings.Read(), 1);
  const auto opened = settings.Open(model->Files(), "folder", 1);
  EXPECT_EQ(opened->vocabulary.size(), model->vocabulary.size());
  EXPECT_THROW(settings.Open({}, "folder", 1), FormatError);
}

TEST(Task, RefusesWhatDoesNotFit) {
  EXPECT_THROW(SmallSpeech({{"shortest", "4"}}), ConfigError);
  EXPECT_THROW(SmallSpeech({{"bands", "200"}}), ConfigError);
  EXPECT_THROW(SmallSpeech({{"recordings", "x.tsv"}}).Read(), IoError);
  const Settings settings = SmallSpeech();
  const auto model = settings.MakeModel(settings.Read(), 1);
  Evaluation options;
  options.source.recordings = VoiceList();
  options.repeat = 10;
  EXPECT_THROW(settings.Evaluate(*model, options), ConfigError);
}

}  // namespace
}  // namespace heed::speech
