#include <fmt/format.h>

#include <optional>

#include "heed/base/errors.h"
#include "heed/data/caption_list.h"
#include "heed/data/image_features.h"
#include "heed/tasks/caption/caption.h"
#include "heed/tasks/made_up_data.h"
#include "heed/tasks/sample_files.h"

namespace heed::caption {
namespace {

void VisitImages(FieldList& v, const char* key, std::string& images,
                 const std::string& what) {
  v(key, images, Any{"FILE"},
    what +
        ": a list with path, tab and caption on each line, optionally tab and "
        "boxes, [[word, left, top, right, bottom], ..]; or a data set in "
        "Karpathy's format (.json)")
      .Main();
}

/// Reads images and captions, or captions and features.
CaptionedImages ReadSource(const CaptionFiles& files, CaptionSplit split,
                           const ImageFormat& format,
                           std::optional<ImageFeatures>& features) {
  return features ? ReadCaptions(files, split, *features)
                  : ReadCaptions(files, split, format);
}

std::optional<ImageFeatures> FeaturesOf(const SourceConfig& config) {
  if (config.features.empty()) return std::nullopt;
  return ImageFeatures(config.features);
}

}  // namespace

void SourceConfig::Visit(FieldList& v, const std::string& what) {
  VisitImages(v, "images", images, what);
  v.Require({{"images"}});
  v("image_folder", image_folder, Any{"DIR"},
    "folder of the image files (default: that of --images)");
  v("features", features, Any{"FILE"},
    "read features of image cells instead of pixels: .npz with an array "
    "[cells, features] for each image, named after its file, or .npy [images, "
    "cells, features] in the order of --images");
}

TaskRow Task() {
  TaskRow row;
  row.name = "caption";
  row.description = "what an image shows, in words";
  row.settings = [] { return std::make_unique<Settings>(); };
  row.input = {"image", InputKind::Line::kPath, kImageTypes};
  row.input_label = "Image";
  row.answer_label = "Caption";
  row.prompt = "Choose, drop or draw an image";
  row.examples = SampleInputs("scene-", kImageTypes[0]);
  row.training = {"--images train.tsv --valid-images valid.tsv",
                  "--images images.tsv --valid-last 500 --image-size 96"};
  return row;
}

void DataConfig::Visit(FieldList& v) {
  v.Section("Data");
  SourceConfig::Visit(v, "images for training");
  VisitImages(v, "valid_images", valid_images,
              "images for validation (default for .json: split val)");
  RemoveMadeUpData(v, {"scenes", "valid_scenes", "scene_seed"}, "--images",
                   "scenes");
  v("valid_last", valid_last, Range(0, 1000000000),
    "use the last N images of training for validation");
  v("image_size", image_size, Range(8, 4096),
    "resize images to this height and width in pixels");
  v("colours", colours, "grey or rgb");
  v("batch_images", batch_images, Range(1, 1000000), "images per batch")
      .Alias("batch_size")
      .Alias("bs");
  v("max_length", max_length, Range(1, 1000),
    "drop captions of more than N tokens");
  v("tokenize", tokenize, kBleuTokenizeHelp);
  vocabulary.Visit(v, {"words", "unigram", "bpe", "characters"});
  v.Section("Attention");
  v("doubly_stochastic", doubly_stochastic, Range(0, 1000),
    "weight of the penalty for unequal total attention of cells (λ), a mean "
    "over cells");
  v("attention_sum", attention_sum,
    "total attention of a cell with the least penalty: one, or an even share "
    "of the words")
      .If(doubly_stochastic > 0, "--doubly-stochastic");
  hard.Visit(v);
}

void Prediction::Visit(FieldList& v) {
  VisitSearch(v, "captions", "image", "twice the number of cells");
}

void Evaluation::Visit(FieldList& v) {
  v.Section("Data");
  SourceConfig::Visit(v, "images to compare with (.json: split test)");
  RemoveMadeUpData(v, {"scenes", "scene_seed"}, "--images", "scenes");
  v("tokenize", tokenize, kBleuTokenizeHelp);
  Prediction::Visit(v);
}

void Settings::Visit(FieldList& v) {
  data.Visit(v);
  model.VisitName(v, "architecture");
  model->Visit(v);
  HardChoiceConfig::ActWithHardChoices(v);
  for (const char* key : {"image_size", "colours", "filters", "pool_cells"}) {
    v.If(key, data.features.empty(), "images without --features");
  }
}

void Settings::SetDefaults(TrainingConfig& training) const {
  training.optimizer.learning_rate = 2e-3;
  training.optimizer.schedule = Schedule::kCosine;
  training.optimizer.warmup = 200;
  training.optimizer.label_smoothing = 0;
  training.run.epochs = 12;
}

void Settings::Resolve() {
  if (data.valid_last > 0 && !data.valid_images.empty()) {
    throw ConfigError(
        "--valid-last keeps images of training for validation, and "
        "--valid-images are others; choose one");
  }
  const bool is_npy = data.features.ends_with(".npy");
  if (is_npy && !data.valid_images.empty()) {
    throw ConfigError(
        "features: a .npy file belongs to one list; with --valid-images, write "
        "an .npz file");
  }
  data.vocabulary.Resolve();
  // The size of features is known when they are read.
  if (data.features.empty()) model->Fill(Source{data.Format()}.Use());
}

InputKind Settings::input_kind() const {
  InputKind kind = TaskSettings::input_kind();
  if (!data.features.empty()) {
    kind.name = "file of features";
    kind.media_types = {"application/x-npy"};
  }
  return kind;
}

Data Settings::Read() const {
  Data read;
  const ImageFormat format = data.Format();
  RequireFiles(data.images, "--images", "scenes");
  std::optional<ImageFeatures> features = FeaturesOf(data);
  const auto read_source = [&](const CaptionFiles& files, CaptionSplit split) {
    return ReadSource(files, split, format, features);
  };
  read.train = read_source(data.Files(), CaptionSplit::kTrain);
  if (!data.valid_images.empty()) {
    read.valid = read_source({data.valid_images, data.image_folder},
                             CaptionSplit::kValid);
  } else if (data.valid_last > 0) {
    KeepLastForValidation(data.valid_last, read.train, read.valid);
  } else if (IsCaptionJson(data.images)) {
    read.valid = read_source(data.Files(), CaptionSplit::kValid);
  }
  return read;
}

std::unique_ptr<Model> Settings::MakeModel(const Data& read,
                                           uint64_t seed) const {
  const Source source = {read.train.format, !read.train.features.empty()};
  return std::make_unique<Model>(
      *this, source, data.vocabulary.Learn(read.train.captions), seed);
}

Report Settings::Evaluate(const Model& made, const Evaluation& options) const {
  std::optional<ImageFeatures> features = FeaturesOf(options);
  if (made.source.of_features != features.has_value()) {
    throw ConfigError(
        made.source.of_features
            ? "the model reads features of images; add --features FILE"
            : "the model reads images; leave out --features");
  }
  const CaptionedImages set = ReadSource(options.Files(), CaptionSplit::kTest,
                                         made.source.format, features);
  CheckSameSize(set.format, made.source.format);
  return MeasureCaptions(made, set, options, options.tokenize);
}

}  // namespace heed::caption
