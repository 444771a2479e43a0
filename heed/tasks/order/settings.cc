#include <fmt/format.h>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/tasks/made_up_data.h"
#include "heed/tasks/order/order.h"
#include "heed/tasks/sample_files.h"
#include "heed/tasks/text_vocabulary.h"

namespace heed::order {
namespace {

void VisitFrames(FieldList& v, const char* key, std::string& frames,
                 const std::string& what) {
  v(key, frames, Any{"DIR"},
    what +
        ": a folder with a folder for each clip, with at least five numbered "
        "frames as PNG or JPEG files")
      .Main();
}

void VisitSpacing(FieldList& v, int& spacing) {
  v("spacing", spacing, Range(1, 1000),
    "distance between the frames of a tuple, in frames of the clip; use more "
    "for high frame rates");
}

}  // namespace

TaskRow Task() {
  TaskRow row;
  row.name = "order";
  row.description = "whether three frames of a clip are in order";
  row.settings = [] { return std::make_unique<Settings>(); };
  row.input = {"image", InputKind::Line::kPath, kImageTypes};
  row.input_label = "Strip of three frames";
  row.answer_label = "Order";
  row.prompt = "Choose or drop a strip: three frames side by side in one image";
  // Alternating strips in order and out of order.
  row.examples = SampleInputs("strip-", kImageTypes[0]);
  row.training = {"--frames train --valid-frames valid",
                  "--frames clips --valid-frames others --spacing 3"};
  return row;
}

void DataConfig::Visit(FieldList& v) {
  v.Section("Data");
  VisitFrames(v, "frames", frames, "clips for training");
  v.Require({{"frames"}});
  VisitFrames(v, "valid_frames", valid_frames, "clips for validation");
  RemoveMadeUpData(v, {"clips", "valid_clips", "clip_seed"}, "--frames",
                   "sprites");
  v("frame_size", frame_size, Range(0, 4096),
    "resize frames to this height and width in pixels; 0: size of the first "
    "one, which all must have");
  v("colours", colours, "grey or rgb; auto: as the first frame");
  VisitSpacing(v, spacing);
  v("batch_tuples", batch_tuples, Range(1, 1000000),
    "tuples of three frames per batch; an epoch draws one from each clip")
      .Alias("batch_size")
      .Alias("bs");
}

ImageFormat DataConfig::Wanted() const {
  ImageFormat wanted = {frame_size, frame_size, 0};
  if (!colours.open()) wanted.channels = colours == Colours::kGrey ? 1 : 3;
  return wanted;
}

void Evaluation::Visit(FieldList& v) {
  v.Section("Data");
  VisitFrames(v, "frames", frames, "clips to compare with");
  v.Require({{"frames"}});
  RemoveMadeUpData(v, {"clips"}, "--frames", "sprites");
  VisitSpacing(v, spacing);
  v("seed", seed, "seed of the tuples");
}

void Settings::Visit(FieldList& v) {
  data.Visit(v);
  model.VisitName(v, "architecture");
  model->Visit(v);
}

void Settings::SetDefaults(TrainingConfig& training) const {
  training.optimizer.learning_rate = 2e-3;
  training.optimizer.schedule = Schedule::kCosine;
  training.optimizer.warmup = 100;
  training.optimizer.label_smoothing = 0;
  training.run.epochs = 20;
  training.run.patience = 0;
}

Data Settings::Read() const {
  Data read;
  RequireFiles(data.frames, "--frames", "sprites");
  read.train = ReadClips(data.frames, data.Wanted(), MinFrames(data.spacing));
  if (!data.valid_frames.empty()) {
    read.valid = ReadClips(data.valid_frames, read.train.format,
                           MinFrames(data.spacing));
  }
  return read;
}

std::unique_ptr<Model> Settings::MakeModel(const Data& read,
                                           uint64_t seed) const {
  return std::make_unique<Model>(*this, read.train.format, seed);
}
}  // namespace heed::order
