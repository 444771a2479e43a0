#include "heed/tasks/order/order.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "course/data/generators.h"
#include "course/data/moving_sprites.h"
#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/explain/faithfulness.h"
#include "heed/tasks/testing.h"
#include "heed/train/in_memory.h"

namespace heed::order {
namespace {

/// A folder of synthetic clips.
const std::string& Clips24() {
  static const TemporaryFolder folder;
  static const std::string path = [] {
    SpriteData(24).Sized({12, 4, 1}).WriteTo(folder.path().string());
    return folder.path().string();
  }();
  return path;
}

Settings OrderSettings(const OptionTexts& values = {}) {
  Settings settings;
  FieldList fields;
  settings.Visit(fields);
  OptionTexts all = {{"frames", Clips24() + "/train"},
                     {"valid_frames", Clips24() + "/valid"},
                     {"frame_size", "24"},
                     {"colours", "grey"},
                     {"filters", "2"},
                     {"features", "8"},
                     {"units", "8"}};
  for (const auto& [key, value] : values) all[key] = value;
  SetValues(fields, all);
  settings.Resolve();
  return settings;
}

Input StripFile(const Image& image) {
  return {NamedBytes{"x.png", "image/png", EncodePng(image)}, "x.png"};
}

TEST(Task, ExamplesAreStripsThatItsModelsRead) {
  const TaskRow row = Task();
  ASSERT_EQ(row.examples.size(), 4u);
  const auto made = OrderSettings({{"frame_size", "48"}})
                        .MakeModel(OrderSettings().Read(), 1);
  for (const InputExample& example : row.examples) {
    const NamedBytes file = example.file();
    const Image strip = made->Prepared(DecodeImage(file.bytes, "x"), "x");
    EXPECT_EQ(strip.width, 3 * strip.height);
  }
}

TEST(Task, AModelOpensWithTheSizeOfItsFrames) {
  const Settings settings = OrderSettings();
  const auto made = settings.MakeModel(settings.Read(), 1);
  EXPECT_EQ(made->format, (ImageFormat{24, 72, 1}));
  const auto opened = settings.Open(made->Files(), "folder", 1);
  EXPECT_EQ(opened->frame, made->frame);
  EXPECT_EQ(opened->format, made->format);
  for (const char* bad :
       {"", "[]", "{\"height\": 8, \"width\": 8, \"channels\": 2}",
        "{\"height\": 0}"}) {
    EXPECT_THROW(settings.Open({{"frame.json", bad}}, "folder", 1), FormatError)
        << bad;
  }
}

TEST(Task, EachEpochDrawsOtherTuples) {
  const Settings settings = OrderSettings();
  const Data data = settings.Read();
  const auto model = settings.MakeModel(data, 1);
  const auto objective = settings.MakeObjective(data, *model, 1);
  const auto first = objective->PlanEpoch(1, 0).All().at(0);
  const auto third = objective->PlanEpoch(1, 2).All().at(0);
  EXPECT_EQ(first.size(), 12u);
  EXPECT_GE(std::ranges::min(third), 24);
  const auto loss = [&](const std::vector<int64_t>& examples) {
    return objective->Loss({}, examples, {}).nll;
  };
  EXPECT_EQ(loss(first), loss(first));
  EXPECT_NE(loss({0}), loss({12})) << "the same clip in two epochs";
}

TEST(Task, HalfOfValidationIsInOrder) {
  const Clips clips = DrawMovingSprites({.clips = 5, .side = 24}).clips;
  const auto tuples = BalancedTuples(clips, 1, 7);
  ASSERT_EQ(tuples.size(), 10u);
  EXPECT_EQ(std::ranges::count_if(tuples, &FrameTuple::in_order), 5);
}

TEST(Task, AnswersAndExplains) {
  const Settings settings = OrderSettings();
  const Data data = settings.Read();
  const auto model = settings.MakeModel(data, 1);
  const auto predictor = settings.MakePredictor(*model, {});
  const Image strip = StripOf(data.valid, BalancedTuples(data.valid, 1, 1)[0]);
  const std::vector<Input> inputs = {StripFile(strip),
                                     StripFile(Resized(strip, 48, 144))};
  const std::vector<Answer> answers = predictor->Predict(inputs);
  ASSERT_EQ(answers.size(), 2u);
  const std::string label = answers[0].parts.at("classes")[0].at("class");
  EXPECT_TRUE(label == "in order" || label == "out of order") << label;
  EXPECT_TRUE(answers[0].line.starts_with(label + "\t0.")) << answers[0].line;
  ExplainInput request;
  request.given = inputs[0];
  request.answer = "out of order";
  request.contrast = "in order";
  const ExplainablePrediction explained =
      predictor->PrepareExplanation({}, request, predictor->options());
  const ExplanationSegment& e = explained.segments.at(0).segment;
  EXPECT_EQ(e.answer, "out of order");
  const int64_t along = 24 / model->network->cell();
  EXPECT_EQ(e.axis("source").size(), 3 * along * along);
  const auto attributions =
      Attribute(explained.segments[0].scores.at(0),
                {.methods = AttributionMethods(), .steps = 4, .samples = 2});
  EXPECT_EQ(attributions.size(), AttributionMethods().size());
  EXPECT_EQ(
      MeasureFaithfulness(explained.segments[0].scores.at(0), attributions, 1)
          .size(),
      attributions.size() + 1);
}

TEST(Task, RefusesWhatIsNoStrip) {
  const Settings settings = OrderSettings();
  const auto model = settings.MakeModel(settings.Read(), 1);
  const auto predictor = settings.MakePredictor(*model, {});
  const auto refusal = [&](int64_t height, int64_t width) {
    const Image image = {
        height, width, 1,
        std::vector<uint8_t>(static_cast<size_t>(height * width), 9)};
    return MessageOf<FormatError>(
        [&] { predictor->Predict(std::vector{StripFile(image)}); });
  };
  EXPECT_EQ(refusal(24, 70),
            "x.png: 70 × 24 pixels are no strip; it has three frames side by "
            "side, as 72 × 24 pixels");
  EXPECT_NE(refusal(24, 24).find("no strip"), std::string::npos);
}

TEST(Task, RefusesSettingsThatDoNotFit) {
  EXPECT_THROW(OrderSettings({{"valid_frames", "x"}}).Read(), IoError);
  EXPECT_THROW(OrderSettings({{"spacing", "2"}}).Read(), FormatError);
  EXPECT_THROW(OrderSettings({{"frames", "/none/there"}}).Read(), IoError);
  const Settings settings = OrderSettings();
  const auto model = settings.MakeModel(settings.Read(), 1);
  Evaluation evaluation;
  evaluation.frames = Clips24() + "/test";
  evaluation.spacing = 2;
  EXPECT_THROW(settings.Evaluate(*model, evaluation), FormatError);
  EXPECT_THROW(settings.MakeObjective(
                   OrderSettings({{"frame_size", "32"}}).Read(), *model, 1),
               FormatError);
}

TEST(Task, ClipsOfOnesOwnAreReadFromFolders) {
  const TemporaryFolder folder;
  const Clips drawn = DrawMovingSprites({.clips = 3, .side = 24}).clips;
  for (int64_t i = 0; i < drawn.frames(); ++i) {
    const std::string clip = "clip" + std::to_string(i / kWindowFrames);
    std::filesystem::create_directories(folder.Path(clip));
    folder.Put(clip + "/" + std::to_string(i) + ".png", EncodePng(drawn.At(i)));
  }
  const Settings settings = OrderSettings({{"frames", folder.path().string()},
                                           {"valid_frames", ""},
                                           {"frame_size", "0"},
                                           {"colours", "grey"}});
  const Data data = settings.Read();
  EXPECT_EQ(data.train.pixels, drawn.pixels);
  EXPECT_EQ(data.valid.size(), 0);
  const auto model = settings.MakeModel(data, 1);
  Evaluation evaluation;
  evaluation.frames = folder.path().string();
  const Report report = settings.Evaluate(*model, evaluation);
  EXPECT_EQ(report.details.at("tuples"), 6);
  EXPECT_EQ(report.figures.at(0).key, "accuracy");
}

TEST(OrderLearning, FindsTheFrameThatIsOutOfOrder) {
  // A light square jumps to the right over black, which is easier than a
  // sprite. Chance is 50 %.
  Data data;
  for (Clips* clips : {&data.train, &data.valid}) {
    clips->format = {8, 24, 1};
    Rng rng(clips == &data.train ? 1 : 2);
    for (int clip = 0; clip < 48; ++clip) {
      const auto top = static_cast<int64_t>(rng.Below(6));
      const auto left = static_cast<int64_t>(rng.Below(4));
      for (int64_t t = 0; t < kWindowFrames; ++t) {
        for (int64_t i = 0; i < 8 * 24; ++i) {
          const int64_t y = i / 24 - top, x = i % 24 - left - 4 * t;
          clips->pixels.push_back(y >= 0 && y < 3 && x >= 0 && x < 4 ? 250 : 5);
        }
      }
      clips->AddClip(kWindowFrames);
    }
  }
  const Settings settings = OrderSettings({{"filters", "4"},
                                           {"features", "16"},
                                           {"units", "32"},
                                           {"batch_tuples", "16"}});
  const auto model = settings.MakeModel(data, 3);
  const auto objective = settings.MakeObjective(data, *model, 3);
  TrainingConfig training;
  settings.SetDefaults(training);
  training.optimizer.learning_rate = 1e-2;
  training.optimizer.warmup = 10;
  training.run.epochs = 60;
  TrainInMemory(*objective, training);
  EXPECT_GE(objective->Validate("accuracy").at(0).second, 90);
}

}  // namespace
}  // namespace heed::order
