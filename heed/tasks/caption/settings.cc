#include <fmt/format.h>

#include "heed/base/errors.h"
#include "heed/data/scenes.h"
#include "heed/tasks/caption/caption.h"

namespace heed::caption {
namespace {
constexpr double kMostScenes = 1e6;

void VisitSource(FieldList& v, const std::string& prefix, CaptionSource& source,
                 const std::string& what) {
  v(prefix + "images", source.images, Any{"FILE"},
    what +
        ": a list with path, tab and caption on each line; behind another tab "
        "there may be boxes, [[word, left, top, right, bottom], ..]")
      .Main();
  v(prefix + "scenes", source.scenes, Range(0, kMostScenes),
    what + ": so many scenes of a few shapes, which are drawn by number")
      .Main();
}

}  // namespace

TaskRow Task() {
  TaskRow row;
  row.name = "caption";
  row.description = "what an image shows, in words";
  row.settings = [] { return std::make_unique<Settings>(); };
  row.input = {"image", InputKind::Line::kPath, kImageTypes};
  row.input_label = "Image";
  row.answer_label = "Caption";
  row.prompt = "Choose, drop or draw an image";
  constexpr int64_t kExamples = 4;
  for (int64_t i = 0; i < kExamples; ++i) {
    row.examples.push_back(ImageExample(
        fmt::format("scene-{}.png", i + 1),
        [i] { return DrawScenes({.scenes = kExamples, .seed = 4}).At(i); }));
  }
  row.training = {"--scenes 20000 --valid-scenes 1000",
                  "--images images.tsv --valid-last 500 --image-size 96"};
  return row;
}

CaptionedImages CaptionSource::Read(const ImageFormat& format,
                                    uint64_t seed) const {
  if (images.empty() && scenes == 0) {
    throw ConfigError(
        "nothing to read: --images names a list of images with captions, "
        "--scenes a number of scenes that are drawn");
  }
  if (!images.empty() && scenes > 0) {
    throw ConfigError(
        "--images are captioned images of a list, --scenes are drawn; choose "
        "one");
  }
  if (!images.empty()) return ReadCaptions(images, format);
  CaptionedImages set = DrawScenes({.scenes = scenes, .seed = seed});
  return set.format == format ? set : FittedTo(set, format);
}

void DataConfig::Visit(FieldList& v) {
  v.Section("Data");
  VisitSource(v, "", train, "images for training");
  v.Require({{"images"}, {"scenes"}});
  VisitSource(v, "valid_", valid, "images for validation");
  v("valid_last", valid_last, Range(0, 1000000000),
    "keep so many of the last images of training for validation");
  v("scene_seed", scene_seed,
    "seed of scenes for training; the next one is of validation")
      .If(train.scenes > 0 || valid.scenes > 0, "--scenes");
  v("image_size", image_size, Range(8, 4096),
    "height and width that images are made to have");
  v("colours", colours, "grey or rgb");
  v("batch_images", batch_images, Range(1, 1000000), "images per batch")
      .Alias("batch_size")
      .Alias("bs");
  v("max_length", max_length, Range(1, 1000),
    "captions of more tokens are not learned from");
  v("tokenize", tokenize, kBleuTokenizeHelp);
  vocabulary.Visit(v, {"words", "unigram", "bpe", "characters"});
  v.Section("Attention");
  v("doubly_stochastic", doubly_stochastic, Range(0, 1000),
    "weight of what asks attention to add up alike at all cells (λ; the paper: "
    "1), in the mean over the cells; on scenes it leads away from things");
  v("attention_sum", attention_sum,
    "what it adds up to: one, or an even share of the words")
      .If(doubly_stochastic > 0, "--doubly-stochastic");
  hard.Visit(v);
}

void Prediction::Visit(FieldList& v) {
  VisitSearch(v, "captions", "image", "twice as many as there are cells");
}

void Evaluation::Visit(FieldList& v) {
  v.Section("Data");
  VisitSource(v, "", source, "images to compare with");
  v.Require({{"images"}, {"scenes"}});
  v("scene_seed", scene_seed, "seed of the scenes");
  v("tokenize", tokenize, kBleuTokenizeHelp);
  Prediction::Visit(v);
}

void Settings::Visit(FieldList& v) {
  data.Visit(v);
  model.VisitName(v, "what looks at the images and writes");
  model->Visit(v);
  HardChoiceConfig::ActWithHardChoices(v);
}

void Settings::SetDefaults(TrainingConfig& training) const {
  training.optimizer.learning_rate = 2e-3;
  training.optimizer.schedule = Schedule::kCosine;
  training.optimizer.warmup = 200;
  training.optimizer.label_smoothing = 0;
  training.run.epochs = 12;
}

void Settings::Resolve() {
  if (data.valid_last > 0 && !data.valid.empty()) {
    throw ConfigError(
        "--valid-last keeps images of training for validation, and "
        "--valid-images or --valid-scenes are others; choose one");
  }
  data.vocabulary.Resolve();
  model->Fill(CaptionUse(data.Format()));
}

Data Settings::Read() const {
  Data read;
  const ImageFormat format = data.Format();
  read.train = data.train.Read(format, data.scene_seed);
  if (!data.valid.empty()) {
    read.valid = data.valid.Read(format, data.scene_seed + 1);
  }
  if (data.valid_last > 0) {
    KeepLastForValidation(data.valid_last, read.train, read.valid);
  }
  return read;
}

std::unique_ptr<Model> Settings::MakeModel(const Data& read,
                                           uint64_t seed) const {
  return std::make_unique<Model>(*this, read.train.format,
                                 data.vocabulary.Learn(read.train.captions),
                                 seed);
}
}  // namespace heed::caption
