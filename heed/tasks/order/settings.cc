#include <fmt/format.h>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/data/moving_sprites.h"
#include "heed/tasks/order/order.h"
#include "heed/tasks/text_vocabulary.h"

namespace heed::order {
namespace {
constexpr int kDrawnSide = 48;

/// Separates clips for validation from those of training.
constexpr uint64_t kValidClips = 0x76616c6964;

void VisitFrames(FieldList& v, const char* key, std::string& frames,
                 const std::string& what) {
  v(key, frames, Any{"DIR"},
    what +
        ": a folder with a folder for each clip, in it numbered frames as PNG "
        "or JPEG files, five at least; left out: clips are drawn")
      .Main();
}

void VisitSpacing(FieldList& v, int& spacing) {
  v("spacing", spacing, Range(1, 1000),
    "from a frame of a tuple to the next one, in frames of the clip; more "
    "where "
    "a camera takes many pictures a second");
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
  // Of clips that are drawn, in order and out of order by turns.
  constexpr int64_t kExamples = 4;
  for (int64_t i = 0; i < kExamples; ++i) {
    row.examples.push_back(
        ImageExample(fmt::format("strip-{}.png", i + 1), [i] {
          constexpr uint64_t kSeed = 6;
          const Clips clips =
              DrawMovingSprites({kExamples, kDrawnSide, kSeed}).clips;
          const auto tuples = BalancedTuples(clips, 1, kSeed);
          return StripOf(clips, At(tuples, 2 * i + i % 2));
        }));
  }
  row.training = {"--clips 4000",
                  "--frames clips --valid-frames others --spacing 3"};
  return row;
}

void DataConfig::Visit(FieldList& v) {
  v.Section("Data");
  constexpr const char* kDrawn = "clips that are drawn, without --frames";
  VisitFrames(v, "frames", frames, "clips for training");
  VisitFrames(v, "valid_frames", valid_frames, "clips for validation");
  v("clips", clips, Range(1, 1e7),
    "clips that are drawn for training: a sprite that moves over a textured "
    "ground")
      .If(frames.empty(), kDrawn);
  v("valid_clips", valid_clips, Range(1, 1e6),
    "others that are drawn for validation")
      .If(frames.empty(), kDrawn);
  v("clip_seed", clip_seed, "seed of the clips that are drawn")
      .If(frames.empty(), kDrawn);
  v("frame_size", frame_size, Range(0, 4096),
    "height and width that frames are made to have; 0: as the first one, and "
    "then all must be of its size; of clips that are drawn: 48");
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
  v("clips", clips, Range(1, 1e6),
    "clips that are drawn, if no folder is named");
  VisitSpacing(v, spacing);
  v("seed", seed,
    "seed of these clips, which training has never seen, and of the tuples");
}

void Settings::Visit(FieldList& v) {
  data.Visit(v);
  model.VisitName(v, "what judges the order of frames");
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

void Settings::Resolve() {
  if (data.frames.empty() && !data.valid_frames.empty()) {
    throw ConfigError("--valid-frames without --frames: clips are drawn");
  }
  if (data.frames.empty() && data.spacing > 1) {
    throw ConfigError(
        "spacing: {} for clips that are drawn, which have {} frames",
        data.spacing, kWindowFrames);
  }
}

Data Settings::Read() const {
  Data read;
  if (data.frames.empty()) {
    const int64_t side = data.frame_size > 0 ? data.frame_size : kDrawnSide;
    read.train = DrawMovingSprites({data.clips, side, data.clip_seed}).clips;
    read.valid = DrawMovingSprites(
                     {data.valid_clips, side, data.clip_seed ^ kValidClips})
                     .clips;
    return read;
  }
  read.train = ReadClips(data.frames, data.Wanted(), LeastFrames(data.spacing));
  if (!data.valid_frames.empty()) {
    read.valid = ReadClips(data.valid_frames, read.train.format,
                           LeastFrames(data.spacing));
  }
  return read;
}

std::unique_ptr<Model> Settings::MakeModel(const Data& read,
                                           uint64_t seed) const {
  return std::make_unique<Model>(*this, read.train.format, seed);
}
}  // namespace heed::order
