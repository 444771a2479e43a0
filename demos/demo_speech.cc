// heed demo speech: digits that nobody said, and what is heard in them.
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

#include "apps/heed/program.h"
#include "apps/heed/tasks.h"
#include "demos/demos.h"
#include "demos/explained_file.h"
#include "demos/training_in.h"
#include "heed/base/threads.h"
#include "heed/data/sound.h"
#include "heed/data/spoken_digits.h"
#include "heed/io/file.h"
#include "heed/models/preset.h"
#include "heed/tasks/run.h"
#include "heed/tasks/speech/speech.h"

namespace heed {
namespace {

constexpr int64_t kTestedStrings = 100;
constexpr int64_t kShownSounds = 2;
constexpr int64_t kWrittenSounds = 6;
constexpr int kLongestLearnt = 6;

struct SpeechDemoOptions {
  std::string out = "heed-demo-speech";
  int speakers = 12;
  int strings = 1200;
  int epochs = 8;
  std::string score = "location_aware(10,50)";
  std::string normalizer = "smoothed_sigmoid";
  std::string modifiers = "median_window(45)";
  uint64_t seed = 1;
  int threads = 0;

  void Visit(FieldList& v) {
    v("out", out, Any{"DIR"},
      "folder for some sounds, the model and the pictures");
    v("speakers", speakers, Range(1, 1000), "voices that are learned from");
    v("strings", strings, Range(100, 1e6), "strings of digits in each epoch");
    v("epochs", epochs, Range(1, 1000), "passes, each over other strings");
    v("score", score, Any{"SCORE"},
      "score of the attention; additive: without regard to where it was");
    v("normalizer", normalizer, Any{"NORMALIZER"}, "from scores to weights");
    v("modifiers", modifiers, Any{"MODIFIERS"},
      "what changes scores; none: the whole sound is seen at every step");
    v("seed", seed, "random seed of the voices, the strings and the weights");
    v("threads", threads, Range(0, 1024), "threads; 0: one per core");
  }
};

/// Strings of speakers who were not learned from.
speech::Utterances StringsOf(const SpeechDemoOptions& demo, int64_t repeat) {
  StringOptions strings;
  strings.repeat = repeat;
  strings.seed = demo.seed + 1000;
  return {MakeSpokenDigits({.speakers = 4, .seed = strings.seed}), strings,
          kTestedStrings / (repeat > 1 ? 4 : 1)};
}

std::string WriteSounds(const std::string& folder,
                        const speech::Utterances& said) {
  std::string list;
  for (int64_t i = 0; i < kWrittenSounds; ++i) {
    const Recording one = said.At(i);
    const std::string name = fmt::format("digits-{}.wav", i + 1);
    WriteFileAtomically(PathIn(folder, name),
                        EncodeWav(one.samples, said.rate()));
    list += fmt::format("{}\t{}\t{}\n", name, one.text, one.speaker);
  }
  std::string path = PathIn(folder, "sounds.tsv");
  WriteFileAtomically(path, list);
  return path;
}

/// Learns from made-up voices, in the folder `model`.
LoadedModel TrainedRecogniser(SpeechDemoOptions demo) {
  // Presets are separated by blanks.
  std::erase(demo.score, ' ');
  std::erase(demo.normalizer, ' ');
  std::erase(demo.modifiers, ' ');
  speech::Settings task;
  task.ChooseModel(ModelNames<RecogniserSettings>().front());
  SetPreset(FieldsOf(task),
            fmt::format("units=64 embedding=64 dropout=0.1 score={} "
                        "normalizer={} modifiers={}",
                        demo.score, demo.normalizer, demo.modifiers));
  task.data.train.speakers = demo.speakers;
  task.data.train.strings = demo.strings;
  task.data.longest = kLongestLearnt;
  task.data.string_seed = demo.seed;
  TrainingConfig training =
      TrainingIn(PathIn(demo.out, "model"), task, demo.epochs, demo.seed);
  training.run.patience = 0;
  Train(task, training);
  return ReadModel(training.run.out);
}

}  // namespace

int RunDemoSpeech(const Arguments& arguments) {
  SpeechDemoOptions demo;
  Options options(
      "demo speech",
      "Makes digits up by a small formant synthesiser, teaches a recogniser to "
      "write strings of them, and measures it on voices that it has not heard, "
      "on short strings and on strings four times over (half a minute).");
  demo.Visit(options.fields());
  options.Example("heed demo speech");
  options.Example(
      "heed demo speech --score additive --normalizer softmax --modifiers "
      "none");
  if (!options.Parse(arguments)) return 0;
  const ThreadLimit limit(demo.threads);
  const speech::Utterances test = StringsOf(demo, 1);
  std::filesystem::create_directories(demo.out);
  const std::string list = WriteSounds(demo.out, test);
  fmt::print(
      "{} voices say ten digits; {} strings of 1 to {} of them in each of {} "
      "epochs. Sounds to listen to: {}\n",
      demo.speakers, demo.strings, kLongestLearnt, demo.epochs, list);
  std::fflush(stdout);
  const LoadedModel loaded = TrainedRecogniser(demo);
  const auto& model = dynamic_cast<const speech::Model&>(*loaded.model);
  fmt::print("\n3 to 8 digits of voices that were not learned from:\n{}",
             ReportText(speech::MeasureSpeech(model, test, {})));
  fmt::print("\nThe same four times over:\n{}",
             ReportText(speech::MeasureSpeech(model, StringsOf(demo, 4), {})));
  std::string pictures;
  for (int64_t i = 0; i < kShownSounds; ++i) {
    const Recording said = test.At(i);
    fmt::print("\nSaid: {}", said.text);
    const std::string path = ShowExplained(
        loaded,
        {"digits.wav", kSoundTypes[0], EncodeWav(said.samples, test.rate())},
        demo.out, fmt::format("speech-{}", i + 1));
    pictures += (pictures.empty() ? "" : ", ") + path;
  }
  fmt::print(
      "\nThe pictures:    {0}\n"
      "Try your own:    echo {1}/digits-1.wav | {2} predict {1}/model "
      "--times\n"
      "                 {2} serve {1}/model   # and speak to the page\n"
      "Train your own:  {2} train --task {3} --recordings LIST --out model   "
      "# a list as {4}\n",
      pictures, demo.out, ProgramName(), loaded.settings->task(), list);
  return 0;
}

}  // namespace heed
