#include "heed/tasks/algorithm/algorithm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/explain/payloads.h"
#include "heed/tasks/explain.h"
#include "heed/tasks/run.h"
#include "heed/tasks/testing.h"

namespace heed::algorithm {
namespace {

/// The copy problem for up to three vectors of 3 bits, with machines of this
/// name.
struct SmallCopy {
  explicit SmallCopy(const std::string& model = "ntm", int units = 24) {
    task.ChooseModel(model);
    task.bits = 3;
    task.max_length = 3;
    task.batch_sequences = 8;
    task.epoch_sequences = 1600;
    task.valid_sequences = 30;
    SetPresetIfKnown(FieldsOf(*task.model),
                     "units=" + std::to_string(units) +
                         " memory_slots=10 memory_features=8");
    SetPresetIfKnown(FieldsOf(*task.model), "layers=1");
    task.SetDefaults(training);
    training.optimizer.optimizer = OptimizerKind::kAdam;
    training.optimizer.learning_rate = 3e-3;
    training.run.epochs = 1;
    training.run.quiet = true;
    training.run.out = folder.Path("model");
  }

  LoadedModel Trained() {
    TrainOn(task, Data(), training);
    return ReadModel(training.run.out);
  }

  TemporaryFolder folder;
  Settings task;
  TrainingConfig training;
};

std::vector<Input> Lines(const std::vector<std::string>& lines) {
  return InputsOf(Task().input, lines, 0);
}

Explanation ExplanationOf(const LoadedModel& loaded, const std::string& text) {
  ExplainRequest request;
  request.input.given.content = text;
  request.attribution.methods = {"saliency"};
  return Explain(loaded, *loaded.MakePredictor(), request);
}

TEST(Task, LearnsShortCopiesAndIsMeasuredByLength) {
  SmallCopy copy;
  copy.training.run.epochs = 8;
  const LoadedModel loaded = copy.Trained();
  const auto options = loaded.settings->EvaluateOptions();
  FieldList fields;
  options->Visit(fields);
  FindField(fields.fields(), "lengths")->SetText({"1,2", "3"}, "lengths");
  const Report report = loaded.settings->Evaluate(*loaded.model, *options);
  ASSERT_EQ(report.details["lengths"].size(), 3u);
  for (const auto& one : report.details["lengths"]) {
    EXPECT_EQ(one["bit_errors"], 0) << one["length"];
  }
  EXPECT_LT(report.figures[0].value, 0.5) << "bits";
  EXPECT_FALSE(report.curve.has_value()) << "nobody asked for it";
  EXPECT_EQ(report.figures[2].key, "faultless");
  EXPECT_EQ(report.figures[2].value, 100) << "per cent";
  EXPECT_EQ(report.details["lengths"][0]["faultless"], 100);

  const auto predictor = loaded.MakePredictor();
  const auto answers = predictor->Predict(Lines({"101 011 000", "110"}));
  EXPECT_EQ(answers[0].line, "101 011 000");
  EXPECT_EQ(answers[0].parts["bit_errors"], 0);
  EXPECT_EQ(answers[0].parts["expected"][1], "011");
  EXPECT_EQ(answers[1].line, "110");
}

TEST(Task, WhatIsLongerThanMemoryAndTrainingIsAnswered) {
  SmallCopy copy;
  copy.task.epoch_sequences = 8;
  const LoadedModel loaded = copy.Trained();
  const std::vector<Input> lines =
      Lines({"random 40", "random 1", "random 4", "random 3"});
  const auto predictor = loaded.MakePredictor();
  testing::internal::CaptureStderr();
  const auto answers = predictor->Predict(lines);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "")
      << "who reads the parts reads the note";
  EXPECT_EQ(answers[0].parts["vectors"].size(), 40u);
  EXPECT_EQ(answers[0].parts["note"],
            "40 vectors; the memory has 10 slots, training had at most 3");
  EXPECT_EQ(answers[1].parts["vectors"].size(), 1u);
  EXPECT_FALSE(answers[1].parts.contains("note"));
  EXPECT_EQ(answers[2].parts["note"], "4 vectors; training had at most 3");
  EXPECT_FALSE(answers[3].parts.contains("note"));

  testing::internal::CaptureStderr();
  predictor->Predict(lines, {.warns = true});
  const std::string printed = testing::internal::GetCapturedStderr();
  EXPECT_NE(
      printed.find("warning: standard input:1: 40 vectors; the memory has "
                   "10 slots, training had at most 3"),
      printed.npos)
      << printed;
  EXPECT_EQ(std::ranges::count(printed, '\n'), 1)
      << "of one line alone: " << printed;
}

TEST(Task, WhatFewCharactersStandForCountsAgainstTheLimit) {
  SmallCopy copy;
  copy.task.epoch_sequences = 8;
  const LoadedModel loaded = copy.Trained();
  const auto predictor = loaded.MakePredictor();
  ExplainRequest request;
  request.input.max_characters = 39;  // characters of 10 vectors of 3 bits
  const auto refusal = [&](const std::string& text) {
    request.input.given.content = text;
    return MessageOf<FormatError>(
        [&] { Explain(loaded, *predictor, request); });
  };
  request.input.given.content = "random 9";
  EXPECT_EQ(Explain(loaded, *predictor, request).segments.size(), 1u);
  EXPECT_EQ(refusal("random 10"),
            "text: 40 characters are read and answered; at most 39 are "
            "explained: ask for fewer vectors");
  EXPECT_EQ(refusal("random 6\n101\nrandom 4"),
            "text: 44 characters are read and answered; at most 39 are "
            "explained: ask for fewer vectors")
      << "all lines together";
  request.input.max_characters = 0;
  EXPECT_EQ(refusal("random 10000"),
            "text: an explanation of 20001 steps would have 200 million "
            "numbers; at most 5 million are explained: ask for fewer vectors");
}

TEST(Task, AStoppedRunGoesOnToTheSameBits) {
  SmallCopy whole;
  whole.task.epoch_sequences = 80;
  whole.training.optimizer.optimizer = OptimizerKind::kRmsprop;
  whole.training.run.epochs = 2;
  SmallCopy stopped;
  stopped.task.epoch_sequences = 80;
  stopped.training.optimizer.optimizer = OptimizerKind::kRmsprop;
  stopped.training.run.epochs = 2;
  stopped.training.run.steps = 13;
  whole.Trained();
  stopped.Trained();
  Resume(stopped.training.run.out, /*quiet=*/true, {.steps = 20});
  const auto a = ReadModel(whole.training.run.out);
  const auto b = ReadModel(stopped.training.run.out);
  const auto& left = std::as_const(*a.model).parameters().all();
  const auto& right = std::as_const(*b.model).parameters().all();
  for (size_t i = 0; i < left.size(); ++i) {
    EXPECT_EQ(left[i]->value().ToVector<float>(),
              right[i]->value().ToVector<float>())
        << left[i]->name();
  }
}

TEST(Task, ExplanationHasTheMemoryAndHeadWeights) {
  SmallCopy copy;
  copy.task.epoch_sequences = 8;
  const Explanation e = ExplanationOf(copy.Trained(), "101 011");
  CheckExplanation(e);
  ASSERT_EQ(e.segments.size(), 1u);
  const ExplanationSegment& s = e.segments[0];
  EXPECT_EQ(s.axis("source").size(), 5);
  EXPECT_EQ(s.axis("source").items,
            (std::vector<std::string>{"1", "2", "|", "1", "2"}));
  EXPECT_EQ(s.axis("target").size(), 2);
  EXPECT_EQ(s.axis("memory").size(), 10);
  EXPECT_EQ(PayloadOf<MemoryPayload>(s.axis("memory")).add.size(), 5u);
  EXPECT_EQ(PayloadOf<MemoryPayload>(s.axis("memory")).read[0].size(), 8u);
  ASSERT_EQ(s.maps.size(), 2u);
  EXPECT_EQ(s.maps[0].key, "memory");
  EXPECT_EQ(s.maps[0].query_size, 5);
  ASSERT_EQ(s.targets.size(), 2u);
  EXPECT_EQ(s.targets[1].row, 4);
  EXPECT_EQ(s.maps[s.targets[1].map.value()].name, "read.address");
  for (const Target& target : s.targets) {
    EXPECT_GT(target.probability.value(), 0);
    EXPECT_LE(target.probability.value(), 1);
  }
  ASSERT_EQ(s.attributions.size(), 1u);
  EXPECT_EQ(s.attributions[0].scores.size(), 2u * 5u);
}

TEST(Task, AMachineWithoutAMemoryIsExplainedWithoutOne) {
  SmallCopy copy("lstm", 8);
  copy.task.epoch_sequences = 8;
  const Explanation e = ExplanationOf(copy.Trained(), "101 011\n111");
  ASSERT_EQ(e.segments.size(), 2u) << "one for each line";
  EXPECT_EQ(e.segments[0].Find("memory"), nullptr);
  EXPECT_TRUE(e.segments[0].maps.empty());
  EXPECT_EQ(e.segments[1].targets.size(), 1u);
}

TEST(Task, EveryProblemIsTrainedPredictedAndMeasured) {
  for (const char* problem : {"repeat-copy", "recall", "ngrams", "sort"}) {
    for (const char* model : {"ntm", "lstm"}) {
      SmallCopy small(model, 6);
      small.task.problem = problem;
      small.task.bits = 0;
      small.task.max_length = 0;
      small.task.epoch_sequences = 8;
      small.task.batch_sequences = 4;
      small.task.valid_sequences = 3;
      const LoadedModel loaded = small.Trained();
      const std::string line =
          std::string(problem) == "repeat-copy" ? "random 7 x2" : "random 7";
      const auto answers = loaded.MakePredictor()->Predict(Lines({line}));
      EXPECT_FALSE(answers[0].line.empty()) << problem << " " << model;
      const Report report = loaded.settings->Evaluate(
          *loaded.model, *WithValues(loaded.settings->EvaluateOptions(),
                                     {{"sequences", "5"}}));
      EXPECT_GT(report.figures[0].value, 0) << problem << " " << model;
      EXPECT_TRUE(std::isfinite(report.figures[0].value));
    }
  }
}

TEST(Task, LearnsToRecallAnItemFromMemory) {
  // Two items: the second is queried. With three, not every seed learns
  // content-based addressing in so few sequences.
  SmallCopy recall("ntm", 32);
  SetPresetIfKnown(FieldsOf(*recall.task.model), "memory_slots=16");
  recall.task.problem = Problem::kRecall;
  recall.task.bits = 2;
  recall.task.min_length = 2;
  recall.task.max_length = 2;
  recall.task.epoch_sequences = 4000;
  recall.training.run.epochs = 4;
  SetPresetIfKnown(FieldsOf(*recall.task.model), "read_heads=1 write_heads=1");
  const LoadedModel loaded = recall.Trained();
  const Report report = loaded.settings->Evaluate(
      *loaded.model,
      *WithValues(loaded.settings->EvaluateOptions(), {{"sequences", "200"}}));
  ASSERT_EQ(report.figures[1].key, "bit_errors");
  EXPECT_LT(report.figures[1].value, 0.1);  // 3 of 6 bits by chance
}

TEST(Task, ANextBitComesWithItsProbability) {
  SmallCopy small;
  small.task.problem = Problem::kNgrams;
  small.task.bits = 0;
  small.task.max_length = 0;
  small.task.epoch_sequences = 8;
  const LoadedModel loaded = small.Trained();
  const auto answers = loaded.MakePredictor()->Predict(Lines({"0110"}));
  const double p = answers[0].parts["probability"];
  EXPECT_GE(p, 0.5);
  EXPECT_LE(p, 1);
}

TEST(Task, SettingsAreThoseOfThePaperUnlessChosen) {
  Settings sort;
  sort.problem = Problem::kSort;
  sort.Resolve();
  EXPECT_EQ(sort.bits, 8);
  EXPECT_EQ(sort.min_length, 20);
  EXPECT_EQ(FindField(FieldsOf(*sort.model), "units")->Value(), 512);
  EXPECT_EQ(FindField(FieldsOf(*sort.model), "read_heads")->Value(), 8);
  Settings own;
  own.min_length = 4;
  own.bits = 2;
  own.Resolve();
  EXPECT_EQ(own.max_length, 20);
  EXPECT_EQ(own.min_length, 4);
  EXPECT_EQ(own.bits, 2);
}

TEST(Task, SettingsThatDoNotFitAreNamed) {
  const auto refusal = [](const OptionTexts& values) {
    Settings task;
    FieldList fields;
    task.Visit(fields);
    SetValues(fields, values);
    return MessageOf<ConfigError>([&] { task.Resolve(); });
  };
  EXPECT_EQ(refusal({{"min_length", "9"}, {"max_length", "4"}}),
            "min_length 9 is above max_length 4");
  EXPECT_EQ(refusal({{"problem", "recall"}, {"min_length", "1"}}),
            "min_length 1: problem recall needs at least 2");
  EXPECT_EQ(refusal({{"min_repeats", "3"}}),
            "min_repeats: problem copy has none");
  EXPECT_EQ(refusal({{"problem", "sort"}, {"max_repeats", "4"}}),
            "max_repeats: problem sort has none");
  EXPECT_EQ(refusal({{"problem", "ngrams"}, {"bits", "3"}}),
            "bits 3: problem ngrams has vectors of one bit");
}

TEST(Task, WhatCannotBeMeasuredOrExplainedIsNamed) {
  SmallCopy copy;
  copy.task.epoch_sequences = 8;
  const LoadedModel loaded = copy.Trained();
  const auto evaluate = [&](const OptionTexts& values) {
    return MessageOf<ConfigError>([&] {
      loaded.settings->Evaluate(
          *loaded.model,
          *WithValues(loaded.settings->EvaluateOptions(), values));
    });
  };
  EXPECT_EQ(evaluate({{"lengths", "3,x"}}),
            "lengths: 'x' is not a number from 1 to 10000");
  EXPECT_EQ(evaluate({{"repeats", "3"}}), "repeats: problem copy has none");
  const auto predictor = loaded.MakePredictor();
  EXPECT_EQ(
      MessageOf<FormatError>([&] { predictor->Predict(Lines({"1012"})); }),
      "standard input:1: vector 1: '1012' is not a row of 0 and 1");
  ExplainRequest request;
  request.input.given.content = "101";
  request.input.answer = "111";
  ExplainRequest numbers;
  numbers.input.given.content = "101";
  numbers.panels_of = "read.address";
  EXPECT_EQ(
      MessageOf<ConfigError>([&] { Explain(loaded, *predictor, numbers); }),
      "'read.address' is not shown in numbers: what it attends to changes at "
      "each step; choose another view");
  EXPECT_EQ(
      MessageOf<FormatError>([&] { Explain(loaded, *predictor, request); }),
      "explain: what an algorithm answers is explained, no other answer");
}

}  // namespace
}  // namespace heed::algorithm
