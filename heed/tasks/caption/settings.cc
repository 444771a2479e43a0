#include <fmt/format.h>

#include "heed/base/errors.h"
#include "heed/tasks/caption/caption.h"
#include "heed/tasks/made_up_data.h"
#include "heed/tasks/sample_files.h"

namespace heed::caption {
namespace {

void VisitImages(FieldList& v, const char* key, std::string& images,
                 const std::string& what) {
  v(key, images, Any{"FILE"},
    what +
        ": a list with path, tab and caption on each line; optionally tab and "
        "boxes, [[word, left, top, right, bottom], ..]")
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
  row.examples = SampleInputs("scene-", kImageTypes[0]);
  row.training = {"--images train.tsv --valid-images valid.tsv",
                  "--images images.tsv --valid-last 500 --image-size 96"};
  return row;
}

void DataConfig::Visit(FieldList& v) {
  v.Section("Data");
  VisitImages(v, "images", images, "images for training");
  v.Require({{"images"}});
  VisitImages(v, "valid_images", valid_images, "images for validation");
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
    "weight of the penalty for unequal total attention of cells (λ; the paper: "
    "1), a mean over cells; on generated scenes it moves attention away from "
    "objects");
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
  VisitImages(v, "images", images, "images to compare with");
  v.Require({{"images"}});
  RemoveMadeUpData(v, {"scenes", "scene_seed"}, "--images", "scenes");
  v("tokenize", tokenize, kBleuTokenizeHelp);
  Prediction::Visit(v);
}

void Settings::Visit(FieldList& v) {
  data.Visit(v);
  model.VisitName(v, "architecture");
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
  if (data.valid_last > 0 && !data.valid_images.empty()) {
    throw ConfigError(
        "--valid-last keeps images of training for validation, and "
        "--valid-images are others; choose one");
  }
  data.vocabulary.Resolve();
  model->Fill(CaptionUse(data.Format()));
}

Data Settings::Read() const {
  Data read;
  const ImageFormat format = data.Format();
  RequireFiles(data.images, "--images", "scenes");
  read.train = ReadCaptions(data.images, format);
  if (!data.valid_images.empty()) {
    read.valid = ReadCaptions(data.valid_images, format);
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
