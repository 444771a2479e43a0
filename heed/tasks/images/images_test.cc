#include "heed/tasks/images/images.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/explain/payloads.h"
#include "heed/io/file.h"
#include "heed/tasks/testing.h"

namespace heed::images {
namespace {

/// An image of 8 × 8 pixels with a bright half on the left or right.
Image HalfImage(bool left) {
  Image image = {8, 8, 1, {}};
  for (int i = 0; i < 64; ++i) {
    image.pixels.push_back((i % 8 < 4) == left ? 220 : 20);
  }
  return image;
}

class ImagesTask : public testing::Test {
 protected:
  ImagesTask() {
    std::string list;
    for (int i = 0; i < 8; ++i) {
      const std::string name = std::to_string(i) + ".png";
      folder_.Put(name, EncodePng(HalfImage(i % 2 == 0)));
      list += name + (i % 2 == 0 ? "\tleft\n" : "\tright\n");
    }
    list_ = folder_.Put("list.tsv", list);
  }

  Settings SettingsWith(const OptionTexts& values = {}) const {
    Settings settings;
    settings.ChooseModel("patches");
    FieldList fields;
    settings.Visit(fields);
    OptionTexts all = kSmallTransformer;
    all.insert({{"images", list_}, {"patch", "2"}, {"layers", "1"}});
    for (const auto& [key, value] : values) all[key] = value;
    SetValues(fields, all);
    settings.Resolve();
    return settings;
  }
  Input FileOf(const Image& image) const {
    return {NamedBytes{"x.png", "image/png", EncodePng(image)}, "x.png"};
  }

  TemporaryFolder folder_;
  std::string list_;
};

TEST_F(ImagesTask, AModelOpensWithItsSizeAndClasses) {
  const Settings settings = SettingsWith({{"canvas", "12"}});
  const auto made = settings.MakeModel(settings.Read(), 1);
  EXPECT_EQ(made->format, (ImageFormat{12, 12, 3}));
  const auto opened = settings.Open(made->Files(), "folder", 1);
  EXPECT_EQ(opened->own_format, made->own_format);
  EXPECT_EQ(opened->format, made->format);
  EXPECT_EQ(opened->classes, (std::vector<std::string>{"left", "right"}));
  for (const char* bad : {"", "[]",
                          "{\"height\": 8, \"width\": 8, \"channels\": 2, "
                          "\"classes\": [\"a\", \"b\"]}",
                          "{\"height\": 0}",
                          "{\"height\": 8, \"width\": 8, \"channels\": 1, "
                          "\"classes\": [\"a\"]}"}) {
    EXPECT_THROW(settings.Open({{"images.json", bad}}, "folder", 1),
                 FormatError)
        << bad;
  }
}

TEST_F(ImagesTask, AnImageLiesInTheMiddleOfItsCanvas) {
  const Settings settings =
      SettingsWith({{"canvas", "12"}, {"colours", "grey"}});
  const auto made = settings.MakeModel(settings.Read(), 1);
  const Image image = made->Prepared(HalfImage(true), "x.png");
  EXPECT_EQ(image.height, 12);
  EXPECT_EQ(image.At(1, 1)[0], 0);
  EXPECT_EQ(image.At(2, 2)[0], 220);
  EXPECT_EQ(image.At(9, 9)[0], 20);
  // A larger image is scaled down.
  EXPECT_EQ(made->Prepared(Resized(HalfImage(true), 24, 24), "x.png").width,
            12);
}

TEST_F(ImagesTask, LearnsAnswersAndExplains) {
  const Settings settings = SettingsWith({{"colours", "grey"}});
  Data data = settings.Read();
  const auto model = settings.MakeModel(data, 1);
  const auto objective = settings.MakeObjective(data, *model, 1);
  // Each epoch has new example numbers, for new random canvases.
  EXPECT_GE(objective->PlanEpoch(1, 2).All().at(0).at(0),
            2 * data.train.size());
  const auto predictor = settings.MakePredictor(*model, {});
  const std::vector<Input> inputs = {FileOf(HalfImage(true)),
                                     FileOf(HalfImage(false))};
  const std::vector<Answer> answers = predictor->Predict(inputs);
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0].parts.at("classes").size(), 1u);
  ExplainInput request;
  request.given = inputs[0];
  request.answer = "left";
  request.contrast = "right";
  const ExplainablePrediction explained =
      predictor->PrepareExplanation({}, request, predictor->options());
  const ExplanationSegment& e = explained.segments.at(0).segment;
  EXPECT_EQ(e.axis("source").size(), 16);
  EXPECT_EQ(ThumbnailOf(PayloadOf<ImagePayload>(e.axis("source")).image).size(),
            8u);
  EXPECT_EQ(RowOf(e, e.targets.at(0)).size(), 16u);
  request.answer = "middle";
  EXPECT_NE(MessageOf<FormatError>([&] {
              predictor->PrepareExplanation({}, request, predictor->options());
            }).find("no class 'middle' (it has: left, right)"),
            std::string::npos);
  const std::vector<Input> bad = {
      {NamedBytes{"b.png", "image/png", "not an image"}, "b.png"}};
  EXPECT_EQ(MessageOf<FormatError>([&] { predictor->Predict(bad); }),
            "b.png: neither a PNG nor a JPEG image");
}

TEST_F(ImagesTask, ShuffledCellsAreTheSameCells) {
  ImageSet set;
  set.format = {4, 6, 1};
  for (uint8_t i = 0; i < 48; ++i) set.pixels.push_back(i);
  set.labels = {0, 1};
  const ImageSet shuffled = WithShuffledCells(set, 2, 3);
  EXPECT_NE(shuffled.pixels, set.pixels);
  std::vector<uint8_t> sorted(shuffled.pixels);
  std::ranges::sort(sorted);
  EXPECT_EQ(sorted, set.pixels);
  // A cell stays whole.
  const auto pixels = shuffled.PixelsOf(0);
  EXPECT_EQ(pixels[1], pixels[0] + 1);
  EXPECT_EQ(pixels[6], pixels[0] + 6);
}

TEST_F(ImagesTask, RefusesSettingsThatDoNotFit) {
  EXPECT_THROW(SettingsWith({{"valid_last", "2"}, {"valid_images", list_}}),
               ConfigError);
  EXPECT_THROW(SettingsWith({{"valid_last", "8"}}).Read(), ConfigError);
  EXPECT_THROW(SettingsWith({{"canvas", "4"}}).Read(), ConfigError);
  const Settings settings = SettingsWith({{"patch", "3"}});
  EXPECT_NE(MessageOf<ConfigError>([&] {
              settings.MakeModel(settings.Read(), 1);
            }).find("patch: 3 does not divide the 8 × 8 pixels"),
            std::string::npos);
}

}  // namespace
}  // namespace heed::images
