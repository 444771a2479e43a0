// heed demo speech: synthetic spoken digits and their recognition.
#include <fmt/format.h>

#include <string>

#include "course/data/generators.h"
#include "course/demos.h"
#include "course/task_demo.h"
#include "heed/base/text.h"

namespace heed {
namespace {

/// Removes blanks, which separate settings.
std::string WithoutBlanks(std::string text) {
  std::erase(text, ' ');
  return text;
}

}  // namespace

int RunDemoSpeech(const Arguments& arguments) {
  int strings = 1200;
  std::string score = "location_aware(10,50)";
  std::string normalizer = "smoothed_sigmoid";
  std::string modifiers = "median_window(45)";
  TaskDemo demo = {
      .name = "speech",
      .purpose =
          "Makes digits up by a small formant synthesiser, teaches a "
          "recogniser to write strings of them, and measures it on voices that "
          "it has not heard, on short strings and on strings four times over "
          "(half a minute).",
      .examples = {"",
                   " --score additive --normalizer softmax --modifiers "
                   "none"},
      .data = VoiceData()};
  demo.options = [&](FieldList& v) {
    v("strings", strings, Range(100, 1e6), "strings of digits in each epoch");
    v("score", score, Any{"SCORE"},
      "score of the attention; additive: ignores earlier attention");
    v("normalizer", normalizer, Any{"NORMALIZER"}, "from scores to weights");
    v("modifiers", modifiers, Any{"MODIFIERS"},
      "modifiers of scores; none: attend to the whole sound at every step");
  };
  demo.entries = [&] {
    return std::vector<DemoEntry>{
        {"model",
         fmt::format("strings={} string_seed={} units=64 embedding=64 "
                     "dropout=0.1 score={} normalizer={} modifiers={} "
                     "patience=0",
                     strings, demo.data.seed, WithoutBlanks(score),
                     WithoutBlanks(normalizer), WithoutBlanks(modifiers))}};
  };
  demo.tests = {{"3 to 8 digits of voices that were not learned from:\n",
                 "string_seed=1001 strings=100"},
                {"Such strings four times over:\n",
                 "string_seed=1001 strings=25 repeat=4"}};
  demo.inputs = [&](const TaskDemo::Results& results) {
    std::vector<DemoInput> inputs;
    for (const int i : {1, 2}) {
      inputs.push_back(
          {fmt::format("speech-{}", i),
           ReadInput(results[0].loaded.input(),
                     demo.Path(fmt::format("strings-{}.wav", i))),
           fmt::format(
               "Said: {}",
               SplitAt(LineOf(demo.Path("strings.tsv"), i - 1), "\t")[1])});
    }
    return inputs;
  };
  demo.typed = [&](const auto&) {
    return "echo " + demo.Path("strings-1.wav");
  };
  return RunTaskDemo(demo, arguments);
}

}  // namespace heed
