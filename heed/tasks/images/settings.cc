#include <fmt/format.h>

#include "heed/base/errors.h"
#include "heed/tasks/images/images.h"
#include "heed/tasks/sample_files.h"
#include "heed/tasks/text_vocabulary.h"

namespace heed::images {
namespace {

void VisitFiles(FieldList& v, const char* prefix, ImageFiles& files,
                const std::string& what) {
  const std::string images = fmt::format("{}images", prefix);
  v(images, files.images, Any{"FILE"},
    what +
        ": an idx file, a folder with a folder of PNG or JPEG files for each "
        "class, or a list with path, tab and class on each line")
      .Main();
  v(fmt::format("{}labels", prefix), files.labels, Any{"FILE"},
    "idx file with the classes of the images of an idx file (.gz too)")
      .Main();
}

void VisitCanvas(FieldList& v, CanvasConfig& canvas) {
  v("canvas", canvas.canvas, Range(0, 4096),
    "place each image at random on a black square with a side of N pixels; 0: "
    "none");
  v("clutter", canvas.clutter, Range(0, 1000),
    "patches of other images to add as clutter");
  v("clutter_size", canvas.clutter_size, Range(1, 4096),
    "side of a clutter patch in pixels")
      .If(canvas.clutter > 0, "--clutter");
}

}  // namespace

TaskRow Task() {
  TaskRow row;
  row.name = "images";
  row.description = "the class of an image";
  row.settings = [] { return std::make_unique<Settings>(); };
  row.input = {"image", InputKind::Line::kPath, kImageTypes};
  row.input_label = "Image";
  row.answer_label = "Class";
  row.prompt = "Choose, drop or draw an image";
  row.examples = SampleInputs("digit-", kImageTypes[0]);
  row.training = {"--images train.tsv --valid-images valid.tsv",
                  "--images train-images-idx3-ubyte --labels "
                  "train-labels-idx1-ubyte --valid-last 5000"};
  return row;
}

void DataConfig::Visit(FieldList& v) {
  v.Section("Data");
  VisitFiles(v, "", train, "images for training");
  v.Require({{"images"}});
  VisitFiles(v, "valid_", valid, "images for validation");
  v("valid_last", valid_last, Range(0, 1000000000),
    "use the last N images of training for validation");
  v("image_size", image_size, Range(0, 4096),
    "resize images to this height and width in pixels; 0: size of the first "
    "one");
  v("colours", colours, "grey or rgb; auto: as idx images");
  v("shift", canvas.shift, Range(0, 4096),
    "shift training images by up to N pixels in each direction, anew in every "
    "epoch");
  VisitCanvas(v, canvas);
  v("batch_images", batch_images, Range(1, 1000000), "images per batch")
      .Alias("batch_size")
      .Alias("bs");
}

ImageFormat DataConfig::Wanted(const ImageFormat& first) const {
  ImageFormat wanted = first;
  if (image_size > 0) wanted.height = wanted.width = image_size;
  if (!colours.open()) wanted.channels = colours == Colours::kGrey ? 1 : 3;
  return wanted;
}

void Evaluation::Visit(FieldList& v) {
  v.Section("Data");
  VisitFiles(v, "", files, "images to compare with");
  v.Require({{"images"}});
  VisitCanvas(v, canvas);
  v("shuffle_cells", shuffle_cells,
    "shuffle the cells of each image (tests whether the model uses positions)");
  v("seed", seed,
    "seed of places on a canvas, of clutter and of shuffled "
    "cells");
}

void Settings::Visit(FieldList& v) {
  data.Visit(v);
  model.VisitName(v, "architecture");
  model->Visit(v);
}

void Settings::SetDefaults(TrainingConfig& training) const {
  training.optimizer.learning_rate = model->learning_rate();
  training.optimizer.schedule = Schedule::kCosine;
  training.optimizer.warmup = 100;
  training.optimizer.label_smoothing = 0;
  training.run.epochs = 10;
}

void Settings::Resolve() {
  if (data.valid_last > 0 && !data.valid.images.empty()) {
    throw ConfigError(
        "--valid-last keeps images of training for validation, and "
        "--valid-images names others; choose one");
  }
}

Data Settings::Read() const {
  Data read;
  // Default size: that of the first image.
  ImageFormat format = data.Wanted({});
  if (format.height == 0 || format.channels == 0) {
    format = data.Wanted(FirstFormat(data.train));
  }
  read.train = ReadImages(data.train, format, {});
  if (!data.valid.images.empty()) {
    read.valid = ReadImages(data.valid, format, read.train.classes);
  }
  if (data.valid_last > 0) {
    KeepLastForValidation(data.valid_last, read.train, read.valid);
  }
  CheckCanvas(data.canvas, format);
  return read;
}

std::unique_ptr<Model> Settings::MakeModel(const Data& read,
                                           uint64_t seed) const {
  return std::make_unique<Model>(*this, read.train.format, read.train.classes,
                                 seed);
}
}  // namespace heed::images
