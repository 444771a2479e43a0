#include "heed/tasks/caption/caption.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "course/data/generators.h"
#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/metrics/bleu.h"
#include "heed/metrics/cider.h"
#include "heed/tasks/explain.h"
#include "heed/tasks/testing.h"
#include "heed/train/in_memory.h"

namespace heed::caption {
namespace {

/// A red or blue square in one of four places of 16 × 16 pixels.
CaptionedImages FourPlaces(int64_t count, uint64_t seed) {
  CaptionedImages set;
  set.format = {16, 16, 3};
  for (int64_t i = 0; i < count; ++i) {
    Rng rng(Rng(seed, static_cast<uint64_t>(i)).Next());
    const bool red = rng.Below(2) == 0;
    const auto top = static_cast<int64_t>(8 * rng.Below(2));
    const auto left = static_cast<int64_t>(8 * rng.Below(2));
    for (int64_t y = 0; y < 16; ++y) {
      for (int64_t x = 0; x < 16; ++x) {
        const bool in =
            y >= top + 1 && y < top + 7 && x >= left + 1 && x < left + 7;
        for (const int c : {0, 1, 2}) {
          const bool ink = in && c == (red ? 0 : 2);
          set.pixels.push_back(
              static_cast<uint8_t>(ink ? 230 : 20 + 10 * rng.Uniform()));
        }
      }
    }
    set.captions.push_back(std::string(top == 0 ? "above" : "below") +
                           (left == 0 ? " left " : " right ") +
                           (red ? "red" : "blue"));
    set.image_of.push_back(i);
    set.boxes.push_back({{2, left, top, left + 8, top + 8}});
  }
  return set;
}

Settings SmallCaptions(const OptionTexts& values = {}) {
  Settings settings;
  FieldList fields;
  settings.Visit(fields);
  OptionTexts all = {{"image_size", "16"}, {"filters", "4"},
                     {"units", "24"},      {"embedding", "16"},
                     {"dropout", "0"},     {"batch_images", "16"}};
  for (const auto& [key, value] : values) all[key] = value;
  SetValues(fields, all);
  settings.Resolve();
  return settings;
}

/// A captioner trained on this data for `epochs` epochs.
std::unique_ptr<Model> Taught(const Settings& settings, const Data& data,
                              int epochs) {
  TrainingConfig training;
  settings.SetDefaults(training);
  training.optimizer.learning_rate = 1e-2;
  training.optimizer.warmup = 20;
  training.run.epochs = epochs;
  training.run.quiet = true;
  training.run.patience = 0;
  auto model = settings.MakeModel(data, 1);
  const auto objective = settings.MakeObjective(data, *model, 1);
  TrainInMemory(*objective, training);
  return model;
}

Input FileOf(const Image& image) {
  return {NamedBytes{"x.png", "image/png", EncodePng(image)}, "x.png"};
}

TEST(Task, LearnsToSayWhatIsWhere) {
  for (const std::string look : {"soft", "hard"}) {
    const Settings settings = SmallCaptions({{"look", look}});
    const auto model =
        Taught(settings, {FourPlaces(320, 1), FourPlaces(20, 2)}, 20);
    const CaptionedImages test = FourPlaces(60, 3);
    const std::vector<std::string> written = CaptionsOf(*model, test, {});
    int right = 0;
    for (size_t i = 0; i < written.size(); ++i) {
      right += written[i] == test.captions[i] ? 1 : 0;
    }
    EXPECT_GE(right, 57) << look;
    EXPECT_EQ(model->network->hard_choices(), look == "hard");
  }
}

TEST(Task, ManyCaptionsOfAnImageAreItsReferences) {
  const Settings settings = SmallCaptions();
  CaptionedImages set = FourPlaces(12, 3);
  const auto model = settings.MakeModel({set, {}}, 1);
  const std::vector<std::string> written = CaptionsOf(*model, set, {});
  // The first image gets its written caption as a second reference.
  set.captions.insert(set.captions.begin() + 1, written[0]);
  set.image_of.insert(set.image_of.begin() + 1, 0);
  set.boxes.insert(set.boxes.begin() + 1, {{}});
  ASSERT_EQ(set.size(), 12);
  EXPECT_EQ(CaptionsOf(*model, set, {}), written);
  const Report report = MeasureCaptions(*model, set, {});
  const auto value = [&](const std::string& key) {
    return std::ranges::find(report.figures, key, &Figure::key)->value;
  };
  EXPECT_NEAR(value("exact_match"), 100 / 12.0, 1e-9);
  EXPECT_EQ(value("bleu"), CorpusBleu(written, set.References()).score);
  EXPECT_EQ(value("cider"), CorpusCider(written, set.References()));
  EXPECT_EQ(report.details.at("images"), 12);
  EXPECT_EQ(report.details.at("references"), 13);
  // Each caption is an example, and validation can choose by CIDEr.
  const auto objective = settings.MakeObjective({set, set}, *model, 1);
  size_t examples = 0;
  for (const auto& batch : objective->PlanEpoch(1, 1).All()) {
    examples += batch.size();
  }
  EXPECT_EQ(examples, 13u);
  EXPECT_NE(objective->Summary().find("13 captions of 12 images"),
            std::string::npos)
      << objective->Summary();
  const Metrics metrics = objective->Validate("cider");
  EXPECT_EQ(metrics.back().first, "cider");
  Prediction greedy;
  greedy.beam = 1;
  EXPECT_EQ(metrics.back().second,
            CorpusCider(CaptionsOf(*model, set, greedy), set.References()));
}

TEST(Task, PointingIsThatOfTheCellOfTheMostAttention) {
  const Settings settings = SmallCaptions();
  CaptionedImages set = FourPlaces(40, 3);
  const auto model = settings.MakeModel({set, {}}, 1);
  // With all cells in the box every word counts, also by chance.
  for (auto& boxes : set.boxes) boxes = {{2, 0, 0, 16, 16}};
  const PointingResult all = PointAt(*model, set);
  EXPECT_EQ(all.nouns, 40);
  EXPECT_EQ(all.touching, 40);
  EXPECT_EQ(all.near, 40);
  EXPECT_DOUBLE_EQ(all.touching_by_chance, 40);
  EXPECT_EQ(all.tokens, 40 * 4);
  // The box is one of four cells, and all cells are its neighbours.
  for (auto& boxes : set.boxes) boxes = {{2, 1, 1, 7, 7}};
  const PointingResult one = PointAt(*model, set);
  EXPECT_DOUBLE_EQ(one.touching_by_chance, 10);
  EXPECT_EQ(one.near, 40);
  EXPECT_LE(one.entropy / static_cast<double>(one.tokens),
            std::log(16.0) + 1e-6);
  // A box of an absent word does not count.
  for (auto& boxes : set.boxes) boxes = {{7, 1, 1, 7, 7}};
  EXPECT_EQ(PointAt(*model, set).nouns, 0);
}

/// Features of the 2 × 2 cells of FourPlaces: mean colour and place.
CaptionedImages FeaturesOfPlaces(int64_t count, uint64_t seed) {
  CaptionedImages set = FourPlaces(count, seed);
  for (int64_t i = 0; i < count; ++i) {
    const Image small = Resized(set.At(i), 2, 2);
    Tensor features = Tensor::Zeros({1, 2, 2, 7});
    for (int64_t cell = 0; cell < 4; ++cell) {
      float* own = features.data<float>() + 7 * cell;
      for (int64_t c = 0; c < 3; ++c) {
        own[c] = At(small.pixels, 3 * cell + c) / 127.0F;
      }
      own[3 + cell] = 1;
    }
    set.features.push_back(features);
  }
  set.format = {2, 2, 7};
  set.pixels.clear();
  set.boxes.assign(static_cast<size_t>(count), {});
  return set;
}

TEST(Task, LearnsFromFeaturesAndNeedsThemToPredict) {
  const Settings settings = SmallCaptions({{"features", "f.npz"}});
  const auto model =
      Taught(settings, {FeaturesOfPlaces(320, 1), FeaturesOfPlaces(20, 2)}, 20);
  const CaptionedImages test = FeaturesOfPlaces(60, 3);
  const std::vector<std::string> written = CaptionsOf(*model, test, {});
  int right = 0;
  for (size_t i = 0; i < written.size(); ++i) {
    right += written[i] == test.captions[i] ? 1 : 0;
  }
  EXPECT_GE(right, 57);
  const auto opened = settings.Open(model->Files(), "folder", 1);
  EXPECT_TRUE(opened->source.of_features);
  EXPECT_EQ(opened->source.format, (ImageFormat{2, 2, 7}));
  // Prediction and explanation read one array.
  std::string npy = "\x93NUMPY\x01";
  npy += '\0';
  const std::string header =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (4, 7)}";
  npy += static_cast<char>(header.size());
  npy += '\0';
  npy += header;
  npy.append(reinterpret_cast<const char*>(test.features[0].data<float>()),
             28 * sizeof(float));
  EXPECT_EQ(settings.input_kind().media_types,
            std::vector<std::string>{"application/x-npy"});
  const auto predictor = settings.MakePredictor(*model, {});
  ExplainInput request;
  request.given = {NamedBytes{"x.npy", "application/x-npy", npy}, "x.npy"};
  const std::vector<Input> inputs = {request.given};
  EXPECT_EQ(predictor->Predict(inputs)[0].line, written[0]);
  const ExplainablePrediction explained =
      predictor->PrepareExplanation({}, request, predictor->options());
  const ExplanationSegment& e = explained.segments.at(0).segment;
  EXPECT_EQ(e.axis("source").size(), 4);
  EXPECT_EQ(e.axis("source").kind, "image");
  EXPECT_EQ(e.answer, written[0]);
  const std::vector<Input> image = {FileOf(FourPlaces(1, 1).At(0))};
  EXPECT_EQ(MessageOf<FormatError>([&] { predictor->Predict(image); }),
            "x.png: is not an array in the .npy format, versions 1 to 3");
  // An evaluation needs them, too, and a model of images does not take them.
  Evaluation evaluation;
  evaluation.images = "x.tsv";
  EXPECT_EQ(
      MessageOf<ConfigError>([&] { settings.Evaluate(*model, evaluation); }),
      "the model reads features of images; add --features FILE");
}

TEST(Task, FeaturesLeaveOptionsOfPixelsWithoutEffect) {
  for (const std::string features : {"", "f.npz"}) {
    Settings settings = SmallCaptions({{"features", features}});
    FieldList list;
    settings.Visit(list);
    for (const char* key : {"image_size", "colours", "filters", "pool_cells"}) {
      EXPECT_EQ(FindField(list.fields(), key)->needs,
                features.empty() ? "" : "images without --features")
          << key;
    }
  }
}

TEST(Task, AnswersAndExplainsWordByWord) {
  const Settings settings = SmallCaptions();
  const CaptionedImages set = FourPlaces(40, 3);
  const auto model = settings.MakeModel({set, {}}, 1);
  const auto predictor =
      settings.MakePredictor(*model, {{.beam = 3, .nbest = 2}});
  const std::vector<Input> inputs = {FileOf(set.At(0)),
                                     FileOf(Resized(set.At(1), 40, 20))};
  const std::vector<Answer> answers = predictor->Predict(inputs);
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0].parts.at("alternatives").size(), 1u);
  EXPECT_EQ(answers[0].parts.at("tokens").size(),
            answers[0].parts.at("probabilities").size());
  ExplainInput request;
  request.given = inputs[0];
  request.answer = "above left red";
  request.contrast = "above left blue";
  const ExplainablePrediction explained =
      predictor->PrepareExplanation({}, request, predictor->options());
  const ExplanationSegment& e = explained.segments.at(0).segment;
  EXPECT_EQ(e.axis("source").size(), 16);
  EXPECT_EQ(e.axis("source").kind, "image");
  ASSERT_EQ(e.targets.size(), 4u);
  EXPECT_EQ(e.LabelOf(e.targets[2]), "red");
  EXPECT_EQ(RowOf(e, e.targets[0]).size(), 16u);
  EXPECT_TRUE(e.targets[2].contrast.has_value());
  request.contrast = request.answer;
  EXPECT_THROW(predictor->PrepareExplanation({}, request, predictor->options()),
               FormatError);
  const std::vector<Input> bad = {
      {NamedBytes{"b.png", "image/png", "not an image"}, "b.png"}};
  EXPECT_EQ(MessageOf<FormatError>([&] { predictor->Predict(bad); }),
            "b.png: neither a PNG nor a JPEG image");
}

TEST(Task, AModelOpensAsItWasSaved) {
  const Settings settings = SmallCaptions();
  const auto model = settings.MakeModel({FourPlaces(40, 3), {}}, 1);
  const auto opened = settings.Open(model->Files(), "folder", 1);
  EXPECT_EQ(opened->source.format, model->source.format);
  EXPECT_EQ(opened->vocabulary.size(), model->vocabulary.size());
  ModelFiles files = model->Files();
  files.at("captions.json") = "{\"height\": -1}";
  EXPECT_THROW(settings.Open(files, "folder", 1), FormatError);
}

TEST(Task, ItsDefaultsAreThoseOfThePaper) {
  Settings settings;
  FieldList list;
  settings.Visit(list);
  settings.Resolve();
  EXPECT_EQ(FindField(list.fields(), "score")->Value(), "mlp");
  EXPECT_EQ(FindField(list.fields(), "doubly_stochastic")->Value(), 1);
  EXPECT_EQ(FindField(list.fields(), "dropout")->Value(), 0.5);
  EXPECT_EQ(FindField(list.fields(), "pool_cells")->Value(), "no");
}

TEST(Task, RefusesWhatDoesNotFit) {
  EXPECT_THROW(SmallCaptions({{"image_size", "18"}}), ConfigError);
  EXPECT_THROW(SmallCaptions({{"valid_images", "x.tsv"}, {"valid_last", "2"}}),
               ConfigError);
  EXPECT_THROW(SmallCaptions({{"images", "x.tsv"}}).Read(), IoError);
  const Settings settings = SmallCaptions({{"max_length", "2"}});
  Data data = {FourPlaces(4, 1), {}};
  const auto model = settings.MakeModel(data, 1);
  EXPECT_THROW(settings.MakeObjective(data, *model, 1), ConfigError);
}

TEST(Task, ImagesOfAListAreFittedToTheRequestedSize) {
  const TemporaryFolder folder;
  SceneData().Sized({3, 2, 1}).WriteTo(folder.path().string());
  OptionTexts files = {{"images", folder.Path("train.tsv")},
                       {"valid_images", folder.Path("valid.tsv")}};
  const Data data = SmallCaptions(files).Read();
  EXPECT_EQ(data.train.format, (ImageFormat{16, 16, 3}));
  EXPECT_EQ(data.train.size(), 3);
  EXPECT_NE(data.train.captions[0], "");
  EXPECT_FALSE(data.train.boxes[0].empty());
  EXPECT_EQ(data.valid.size(), 2);
  files["valid_images"] = "";
  files["valid_last"] = "3";
  EXPECT_THROW(SmallCaptions(files).Read(), ConfigError);
}

TEST(Task, AJsonFileHasAllSplits) {
  const TemporaryFolder folder;
  std::string images;
  for (const std::string split : {"train", "val", "test", "restval"}) {
    folder.Put(split + ".png", EncodePng(FourPlaces(1, 1).At(0)));
    images += (images.empty() ? "" : ",") +
              (R"({"filename": ")" + split + R"(.png", "split": ")" + split +
               R"(", "sentences": [{"tokens": ["a", "square"]},
                                  {"tokens": ["a", "box"]}]})");
  }
  const std::string json =
      folder.Put("set.json", R"({"images": [)" + images + "]}");
  const Settings settings = SmallCaptions({{"images", json}});
  const Data data = settings.Read();
  EXPECT_EQ(data.train.size(), 2);
  EXPECT_EQ(data.train.captions.size(), 4u);
  EXPECT_EQ(data.valid.size(), 1);
  const auto model = settings.MakeModel(data, 1);
  Evaluation evaluation;
  evaluation.images = json;
  const Report report = settings.Evaluate(*model, evaluation);
  EXPECT_EQ(report.details.at("images"), 1);
  EXPECT_EQ(report.details.at("references"), 2);
}

/// Removed options of versions that generated examples.
TEST(Task, SaysWhereMadeUpDataAreNow) {
  Settings settings;
  FieldList list;
  settings.Visit(list);
  EXPECT_EQ(FindField(list.fields(), "scenes"), nullptr);
  ASSERT_EQ(list.removed().size(), 3u);
  EXPECT_EQ(list.removed()[0].field.key, "scenes");
  EXPECT_NE(list.removed()[0].reason.find("heed generate scenes"),
            std::string::npos);
  EXPECT_NE(
      MessageOf<ConfigError>([&] { settings.Read(); }).find("heed generate"),
      std::string::npos);
}

}  // namespace
}  // namespace heed::caption
