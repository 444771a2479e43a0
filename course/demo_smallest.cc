// heed demo smallest: "let's go" to "vamos", with every number.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "course/demos.h"
#include "course/smallest_picture.h"
#include "course/smallest_translator.h"
#include "heed/render/drawing.h"
#include "heed/render/terminal.h"

namespace heed {
namespace {

struct SmallestCommand : DemoOptions {
  std::string sentence = "let's go";
  int steps = 500;

  void VisitOwn(FieldList& v) override {
    v("sentence", sentence, OneOf({"let's go", "to go"}),
      "sentence to translate on the page");
    v("steps", steps, Range(1, 1000000), "updates");
  }
};

std::string SourceOf(const SmallestPair& pair) {
  return fmt::format("{} {}", pair.source[0], pair.source[1]);
}

const SmallestPair& PairOf(const std::string& sentence) {
  return *std::ranges::find(kSmallestPairs, sentence, SourceOf);
}

double LargestOf(const std::vector<double>& numbers) {
  return *std::ranges::max_element(numbers);
}

/// Summarises the results in words.
std::string SmallestVerdict(const SmallestTranslator& model,
                            const SmallestPair& described) {
  std::string text;
  int right = 0, right_without = 0;
  for (const SmallestPair& pair : kSmallestPairs) {
    const TracedTranslation with = model.Translate(pair);
    const TracedTranslation without = model.Translate(pair, false);
    right += with.written[0] == pair.target ? 1 : 0;
    right_without += without.written[0] == pair.target ? 1 : 0;
    if (&pair != &described) continue;
    const auto first = static_cast<size_t>(with.encoded());
    const std::vector<double>& weights = with.Line("weight").of_steps[first];
    text += fmt::format(
        "\"{}\" becomes \"{}\" (p {:.2f}). At the first word {} has the weight "
        "{:.2f} and {} {:.2f}.\nWith a context of zeros the first word is "
        "\"{}\" (p {:.2f}).\n",
        SourceOf(pair), fmt::join(with.written, " "),
        LargestOf(with.Line("p").of_steps[first]), pair.source[0], weights[0],
        pair.source[1], weights[1], without.written[0],
        LargestOf(without.Line("p").of_steps[first]));
  }
  text += fmt::format(
      "Of the {} sentences {} begin rightly, without the context {}: ",
      kSmallestPairs.size(), right, right_without);
  text += right > right_without ? "here attention is needed.\n"
                                : "here the decoder's state is enough.\n";
  return text;
}

}  // namespace

int RunDemoSmallest(const Arguments& arguments) {
  SmallestCommand command;
  const auto limit = ParseDemo(
      command, arguments, "smallest",
      "Learns to translate \"let's go\" as \"vamos\" and \"to go\" as \"ir\" "
      "with embeddings of two features, LSTMs of two units and dot attention, "
      "and shows every number of a translation: embeddings, gates, states, "
      "scores, weights, context, output, and all parameters (a second).",
      {"", " --sentence 'to go' --seed 3"});
  if (!limit) return 0;

  SmallestTranslator model(command.seed);
  double first = 0, last = 0;
  TrainSmallest(model, command.steps, [&](int64_t step, double loss) {
    if (step == 1) first = loss;
    last = loss;
  });
  const SmallestPair& pair = PairOf(command.sentence);
  const TracedTranslation traced = model.Translate(pair);
  const TerminalOptions terminal = DetectTerminal();
  const std::string title =
      fmt::format("{} → {}: {} parameters, {} updates, loss {:.3f} → {:.3f}",
                  command.sentence, pair.target, model.parameters().elements(),
                  command.steps, first, last);
  fmt::print("{}\n\n{}\n{}\n", title, TranslationText(traced, terminal),
             ParametersText(model.parameters(), terminal));
  const std::array<Drawing, 4> parts = {
      DrawHeading(title, 1), DrawTranslation(traced),
      DrawHeading("Parameters: of gates i, f, g, o in this order", 2),
      DrawParameters(model.parameters())};
  const std::array<Drawing, 1> page = {StackDrawings(parts, 18)};
  const std::string picture = WritePicture(
      command.out, "smallest",
      SvgPicture(page, {.label = "Every number of a small translator"}));
  fmt::print("{}\nThe picture: {}\n", SmallestVerdict(model, pair), picture);
  return 0;
}

}  // namespace heed
