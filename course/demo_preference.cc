// heed demo preference: preferred patches of a network that has learned the
// order of frames, of one that has learned class names, and of an untrained
// one.
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "apps/heed/program.h"
#include "apps/heed/views.h"
#include "course/demos.h"
#include "course/preference_picture.h"
#include "course/sprite_classifier.h"
#include "course/training_in.h"
#include "heed/base/at.h"
#include "heed/io/file.h"
#include "heed/render/text_layout.h"
#include "heed/tasks/order/order.h"
#include "heed/tasks/run.h"
#include "heed/train/in_memory.h"
#include "heed/train/progress.h"

namespace heed {
namespace {

constexpr int64_t kStrips = 6;
// Seeds of clips outside the training set.
constexpr uint64_t kOrderValidSeed = 0x76616c6964;
constexpr uint64_t kValidSeed = 1000003;
constexpr uint64_t kShownSeed = 2000003;
constexpr int kValidClips = 500;
constexpr int64_t kSide = 48;

struct PreferenceDemo : DemoOptions {
  PreferenceDemo() { out = "heed-preference"; }
  int clips = 4000;
  int epochs = 12;
  int frames = 2000;

  void VisitOwn(FieldList& v) override {
    v("clips", clips, Range(10, 1e6), "training clips");
    v("epochs", epochs, Range(1, 1000), "passes over them");
    v("frames", frames, Range(1, 100000),
      "frames of other clips to search for preferred patches");
  }
};

/// A line of the table.
struct LearnedWeights {
  NamedPreferences preferences;
  std::string learned;
  double accuracy = 0;
  double chance = 0;
};

/// Frames for the patch search: the middle frame of each clip.
struct ShownFrames {
  Images frames;
  std::vector<SpriteBox> boxes;
};

ShownFrames MiddleFrames(const MovingSprites& set) {
  ShownFrames shown;
  shown.frames.format = set.clips.format;
  for (int64_t clip = 0; clip < set.clips.size(); ++clip) {
    const int64_t frame = clip * kWindowFrames + kWindowFrames / 2;
    const auto pixels = set.clips.PixelsOf(frame);
    shown.frames.pixels.insert(shown.frames.pixels.end(), pixels.begin(),
                               pixels.end());
    shown.boxes.push_back(At(set.boxes, frame));
  }
  return shown;
}

const ConvolutionStack& TrunkOf(const order::Model& model) {
  return dynamic_cast<const TripletClassifier&>(*model.network).trunk();
}

LearnedWeights WeightsOf(const ConvolutionStack& trunk,
                         const ShownFrames& shown, const std::string& title,
                         const std::string& heading, const std::string& learned,
                         double accuracy, double chance) {
  LearnedWeights weights;
  weights.learned = learned;
  weights.accuracy = accuracy;
  weights.chance = chance;
  Preferences found = FindPreferences(trunk, shown.frames, shown.boxes, {});
  weights.preferences = {
      title, heading,
      fmt::format("{:.0f} % of patches touch the sprite; chance {:.0f} %",
                  100 * found.touching, 100 * found.chance),
      std::move(found)};
  return weights;
}

/// Trains in memory and shows progress.
void TrainSprites(SpriteClassifier& model, const PreferenceDemo& demo,
                  const MovingSprites& train, const MovingSprites& valid,
                  const TrainingConfig& training, int batch) {
  Progress progress("frame");
  ProgressState state;
  state.steps = demo.epochs;
  const auto show = [&] {
    state.label = fmt::format("sprites, epoch {}/{}", state.step, demo.epochs);
    progress.Update(state);
  };
  show();
  SpriteObjective objective(model, train, valid, batch, [&](double) {
    ++state.step;
    state.units += kTupleFrames * train.clips.size();
    show();
  });
  TrainInMemory(objective, training);
}

void ShowWeights(const std::vector<LearnedWeights>& all) {
  fmt::print("\n{}{}{:>8}{:>9}{:>20}{:>9}{:>9}{:>12}\n", Pad("weights", 12),
             Pad("learned from", 18), "right", "chance", "patches on sprite",
             "chance", "times", "activation");
  for (const LearnedWeights& weights : all) {
    const Preferences& found = weights.preferences.found;
    fmt::print(
        "{}{}{:>6.1f} %{:>7.1f} %{:>18.1f} %{:>7.1f} %{:>9.2f}{:>12.2f}\n",
        Pad(weights.preferences.title, 12), Pad(weights.learned, 18),
        weights.accuracy, weights.chance, 100 * found.touching,
        100 * found.chance, found.touching / found.chance, found.focus);
  }
  fmt::print(
      "\nPatches: the {} at which each of the {} strongest units of the last "
      "convolution is most active.\nActivation: its mean on the sprite, as a "
      "multiple of that of all places.\n",
      PreferenceOptions().patches, PreferenceOptions().units);
}

/// Writes strips for heed predict; returns their paths.
std::string WriteStrips(const PreferenceDemo& demo, const Clips& clips) {
  std::string names;
  const std::vector<FrameTuple> tuples = order::BalancedTuples(
      clips.Slice(0, std::min(kStrips / 2, clips.size())), 1, demo.seed);
  for (size_t i = 0; i < tuples.size(); ++i) {
    const std::string path = PathIn(
        demo.out, fmt::format("{}-{}.png",
                              tuples[i].in_order ? "in-order" : "out-of-order",
                              i / 2 + 1));
    WriteFileAtomically(path, EncodePng(StripOf(clips, tuples[i])));
    names += "  " + path + '\n';
  }
  return names;
}

std::string PageOf(const std::string& svg, const std::string& title) {
  return fmt::format(
      "<!doctype html>\n<html lang='en'><meta charset='utf-8'>"
      "<meta name='viewport' content='width=device-width'>"
      "<meta name='color-scheme' content='light dark'><title>{}</title>\n"
      "<body style='margin:0'>\n{}</body></html>\n",
      title, svg);
}

}  // namespace

int RunDemoPreference(const Arguments& arguments) {
  PreferenceDemo demo;
  const auto limit = ParseDemo(
      demo, arguments, "preference",
      "Draws clips of a sprite that moves over a textured ground and teaches a "
      "convolutional network the order of their frames (Misra et al. 2016), "
      "another one which sprite it is, and a third one nothing. Shows the "
      "patches that their units prefer, and how often these touch what moves "
      "(about two minutes).",
      {"", " --epochs 40 --out preference"});
  if (!limit) return 0;

  order::Settings task;
  const TrainingConfig training =
      TrainingIn(PathIn(demo.out, "model"), task, demo.epochs, demo.seed);
  const MovingSprites train = DrawMovingSprites({demo.clips, kSide, demo.seed});
  TrainOn(
      task,
      order::Data{train.clips, DrawMovingSprites({kValidClips, kSide,
                                                  demo.seed ^ kOrderValidSeed})
                                   .clips},
      training);
  const LoadedModel loaded = ReadModel(training.run.out);
  const auto& order = dynamic_cast<const order::Model&>(*loaded.model);

  const MovingSprites valid =
      DrawMovingSprites({kValidClips, kSide, demo.seed + kValidSeed});
  const ShownFrames shown = MiddleFrames(
      DrawMovingSprites({demo.frames, kSide, demo.seed + kShownSeed}));
  const auto& config = order.config.model.As<TripletConfig>();
  SpriteClassifier sprites(config, order.frame.channels, demo.seed);
  TrainSprites(sprites, demo, train, valid, training, task.data.batch_tuples);
  const order::Model random(order.config, order.frame, demo.seed + 1);

  const std::vector<FrameTuple> tuples =
      order::BalancedTuples(valid.clips, 1, demo.seed);
  const auto right = [&](const order::Model& model) {
    return AnswersOf(model, valid.clips, tuples).accuracy();
  };
  const std::vector<LearnedWeights> all = {
      WeightsOf(TrunkOf(order), shown, "Order", "Trained: the order of frames",
                "order of frames", right(order), 50),
      WeightsOf(sprites.trunk(), shown, "Names",
                "Supervised: which sprite it is", "which sprite",
                SpriteAccuracy(sprites, valid),
                100.0 / std::ssize(kSpriteKinds)),
      WeightsOf(TrunkOf(random), shown, "Random", "Random weights", "nothing",
                right(random), 50)};
  ShowWeights(all);
  const TerminalOptions terminal = DetectTerminal();
  std::vector<Drawing> drawings;
  for (const LearnedWeights& weights : all) {
    fmt::print("\n{}",
               PreferencesText(weights.preferences, shown.frames, terminal));
    drawings.push_back(DrawPreferences(weights.preferences, shown.frames));
  }
  const std::string title =
      "Patches that units prefer, after learning the order of frames, the "
      "names of sprites, and nothing";
  const std::string svg = SvgPicture(drawings, {.label = title});
  WritePicture(demo.out, "preference", svg);
  WritePicture(PathIn(demo.out, "preference.png"), svg);
  WriteFileAtomically(PathIn(demo.out, "preference.html"), PageOf(svg, title));
  const std::string strips = WriteStrips(demo, valid.clips);
  fmt::print(
      "\nThe pictures: {0}/preference.svg, preference.png, preference.html\n"
      "Strips of three frames:\n{1}The model judges their order, and yours:\n"
      "  ls {0}/*order-*.png | {2} predict {0}/model\n",
      demo.out, strips, ProgramName());
  return 0;
}

}  // namespace heed
