// heed demo steps: one step of two decoders beside each other, in numbers.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "course/demos.h"
#include "course/reversed_letters.h"
#include "course/training_in.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/io/file.h"
#include "heed/models/registry.h"
#include "heed/render/drawing.h"
#include "heed/render/step_view.h"
#include "heed/render/terminal.h"
#include "heed/render/text_layout.h"
#include "heed/tasks/explain.h"
#include "heed/tasks/translate/translation.h"
#include "heed/train/progress.h"

namespace heed {
namespace {

constexpr int kTrainLines = 3000;
constexpr int kValidLines = 100;
constexpr int kTestLines = 200;
constexpr int kMaxLetters = 8;    // letters of a line that is learned
constexpr int kLongestTest = 12;  // of test.tsv

struct StepsDemoOptions : DemoOptions {
  StepsDemoOptions() { out = "heed-demo-steps"; }
  std::string text = "h e a d b";
  int step = 2;
  int epochs = 12;

  void VisitOwn(FieldList& v) override {
    v("text", text, Any{"LETTERS"},
      "letters from a to l to show, separated by spaces");
    v("step", step, Range(0, 1000), "letter of the answer to show, from 0");
    v("epochs", epochs, Range(1, 1000), "passes over 3000 lines");
  }
};

/// A model, what it showed and what it can do.
struct SteppedModel {
  std::string name;
  LoadedModel loaded;
  double exact = 0;  // lines of the test without an error. Units: percent
  RepeatedItems found;
  Explanation shown;
};

/// The translators whose outline has an attention among its steps.
std::vector<std::string> SteppingModels() {
  std::vector<std::string> names;
  for (const std::string& name : ModelNames<TranslatorSettings>()) {
    ModelChoice<TranslatorSettings> choice;
    choice.Choose(name);
    // Small and without values: the outline alone is read.
    for (const char* size :
         {"units=32", "layers=1", "width=16", "ff=32", "heads=2"}) {
      SetPresetIfKnown(FieldsOf(*choice), size);
    }
    choice->Fill();
    constexpr int kAnyVocabulary = 8;
    const std::unique_ptr<Decoder> decoder =
        choice->Make(kAnyVocabulary, kAnyVocabulary, kNoSeed);
    if (!decoder->Outline().attention.empty()) names.push_back(name);
  }
  return names;
}

/// Counts which repeated items a model attends to while it writes its answers.
RepeatedItems FoundIn(const SteppedModel& model,
                      const std::vector<std::string>& lines) {
  const auto predictor = model.loaded.MakePredictor();
  RepeatedItems sum;
  for (const std::string& line : lines) {
    ExplainRequest request;
    request.input.given = {line};
    const Explanation e = Explain(model.loaded, *predictor, request);
    for (const ExplanationSegment& segment : e.segments) {
      const RepeatedItems found = CountRepeated(segment);
      sum.found += found.found;
      sum.all += found.all;
    }
  }
  return sum;
}

/// With the numbers of the attention that speaks for the answer.
Explanation StepOf(const LoadedModel& loaded, const std::string& text) {
  const auto predictor = loaded.MakePredictor();
  ExplainRequest request;
  request.input.given = {text};
  request.panels_of = loaded.model->Outline().attention;
  return Explain(loaded, *predictor, request);
}

SteppedModel Trained(const StepsDemoOptions& demo, const std::string& name,
                     const ParallelText& test) {
  const translate::Config config = TranslatorIn(
      demo, name,
      fmt::format("embedding=24 units=32 layers=1 dropout=0 batch_sentences=32 "
                  "learning_rate=0.01 warmup=50 epochs={}",
                  demo.epochs));
  translate::TrainTranslation(
      config, {ReversedLetters(kTrainLines, kMaxLetters, demo.seed),
               ReversedLetters(kValidLines, kMaxLetters, demo.seed + 1)});
  SteppedModel model;
  model.name = name;
  model.loaded = ReadModel(config.run.out);
  translate::EvaluationOptions evaluation;
  evaluation.decode.beam = 1;
  model.exact = Evaluate(translate::ReadTranslationModel(config.run.out), test,
                         evaluation)
                    .exact_match;
  model.found = FoundIn(model, test.source);
  model.shown = StepOf(model.loaded, demo.text);
  return model;
}

double PercentOf(const RepeatedItems& found) {
  return found.all == 0 ? 0
                        : 100.0 * static_cast<double>(found.found) /
                              static_cast<double>(found.all);
}

/// Describes the query and the most attended item of the step that is shown.
std::string Sentence(const SteppedModel& model, int step) {
  const ExplanationSegment& segment = model.shown.segments.at(0);
  const Target& target = segment.targets.at(static_cast<size_t>(step));
  const std::vector<float> weights = RowOf(segment, target);
  const auto max = std::ranges::max_element(weights) - weights.begin();
  const std::vector<OutlineStep> steps = segment.outline.Steps();
  const auto attention = std::ranges::find(steps, OutlineStep::Role::kAttention,
                                           &OutlineStep::role);
  return fmt::format(
      "{} asks with {}, and to write '{}' gives '{}' the weight {:.2f}",
      model.name, attention->reads.at(0), segment.LabelOf(target),
      segment.axis("source").shown().at(static_cast<size_t>(max)),
      weights.at(static_cast<size_t>(max)));
}

}  // namespace

int RunDemoSteps(const Arguments& arguments) {
  StepsDemoOptions demo;
  const auto limit = ParseDemo(
      demo, arguments, "steps",
      "Trains the recurrent translators of Bahdanau et al. 2014 and of Luong "
      "et al. 2015 to write letters backwards, and shows one step of both "
      "beside each other: what is computed from what, with the numbers of the "
      "step.",
      {"", " --text 'c a b' --step 0 --out steps"});
  if (!limit) return 0;

  const ParallelText test =
      ReversedLetters(kTestLines, kMaxLetters, demo.seed + 2);
  std::vector<SteppedModel> models;
  for (const std::string& name : SteppingModels()) {
    models.push_back(Trained(demo, name, test));
  }
  std::string table;
  const ParallelText longer =
      ReversedLetters(kTestLines, kLongestTest, demo.seed + 3);
  for (size_t i = 0; i < longer.source.size(); ++i) {
    table += longer.source[i] + '\t' + longer.target[i] + '\n';
  }
  WriteFileAtomically(PathIn(demo.out, "test.tsv"), table);
  const ViewOptions view = {.step = demo.step};
  std::vector<Drawing> drawings;
  for (const SteppedModel& model : models) {
    const ExplanationSegment& segment = model.shown.segments.at(0);
    const std::string refusal = StepView().refusal(segment, view);
    if (!refusal.empty()) throw ConfigError("--step: {}", refusal);
    fmt::print("\n{}", StepView().text(segment, view, DetectTerminal()));
    drawings.push_back(DrawStep(segment, view));
  }
  fmt::print("\n{}{:>14}{:>34}\n", Pad("", 12), "lines right",
             "largest weight on the letter");
  for (const SteppedModel& model : models) {
    fmt::print("{}{:>12.1f} %{:>32.1f} %\n", Pad(model.name, 12), model.exact,
               PercentOf(model.found));
  }
  const std::string picture =
      WritePicture(demo.out, "steps",
                   SvgPicture(drawings, {.label = "A step of two decoders"}));
  std::vector<std::string> sentences;
  for (const SteppedModel& model : models) {
    sentences.push_back(Sentence(model, demo.step));
  }
  fmt::print(
      "\n{}.\n\nThe picture:  {}\nA model:      heed explain {} --view "
      "model\n",
      fmt::join(sentences, "; "), picture,
      PathIn(demo.out, models.back().name));
  return 0;
}

}  // namespace heed
