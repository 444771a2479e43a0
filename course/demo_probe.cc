// heed demo probe: words that can be decoded from an encoder's last state and
// from its annotations.
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "course/copied_words.h"
#include "course/copying_model.h"
#include "course/demos.h"
#include "course/word_probe.h"
#include "heed/metrics/spread.h"
#include "heed/render/line_plot.h"
#include "heed/render/terminal.h"
#include "heed/render/text_layout.h"

namespace heed {
namespace {

constexpr int64_t kProbedWords = 20;
constexpr int64_t kProbeTests = 300;

struct ProbeCommand : CopyingOptions {
  ProbeCommand() {
    out = "heed-demo-probe";
    epochs = 3;
  }
  int probed = 4000;

  void VisitOwn(FieldList& v) override {
    CopyingOptions::VisitOwn(v);
    v("probed", probed, Range(100, 100000),
      "further sentences that the probes learn from");
  }
};

/// Prints accuracies at some positions, and their mean over all.
void PrintProbe(const Series& series) {
  const std::span<const double> all(series.y);
  fmt::print("{}", Pad(series.name, 28));
  for (const size_t t : {size_t{0}, size_t{1}, size_t{4}, size_t{9}, size_t{14},
                         size_t{18}, size_t{19}}) {
    fmt::print("{:>5.0f}", all[t]);
  }
  fmt::print("{:>6.1f}\n", MeanOf(all));
}

/// Summarises the results in words.
std::string ProbeVerdict(const std::vector<Series>& probes) {
  const double fixed = MeanOf(probes[0].y);
  const double last = MeanOf(probes[1].y);
  const double own = MeanOf(probes[2].y);
  std::string text = fmt::format(
      "A linear layer reads {:.0f} % of the words from the last states of the "
      "fixed vector's\nencoder, {:.0f} % from the last state of the attentive "
      "encoder, and {:.0f} % from its annotations.\n",
      fixed, last, own);
  if (own > last && last < fixed) {
    text +=
        "Attention does relieve the encoder here: it need not keep the "
        "sentence in its last state,\nthe words stay where they were read.\n";
  } else if (own > last) {
    text +=
        "The annotations know more than the last state, which does not "
        "know less than that\nof the fixed vector's encoder.\n";
  } else {
    text +=
        "The last state knows as much as the annotations here: the claim "
        "is not seen.\n";
  }
  return text;
}

}  // namespace

int RunDemoProbe(const Arguments& arguments) {
  ProbeCommand command;
  const auto limit = ParseDemo(
      command, arguments, "probe",
      "Trains a model that keeps a sentence in one vector and one that "
      "attends to its words to copy random sentences, then trains linear "
      "layers to read word t of 20 from the last states of both encoders, and "
      "from annotation t of the attentive one (about a minute).",
      {"", " --variant cho"});
  if (!limit) return 0;

  const ParallelText copies = command.Copies();
  const ParallelText train =
      MakeCopies(command.probed, kProbedWords, kProbedWords, command.seed + 3);
  const ParallelText test =
      MakeCopies(kProbeTests, kProbedWords, kProbedWords, command.seed + 4);
  std::vector<Series> probes;
  std::vector<double> places;
  for (int64_t t = 1; t <= kProbedWords; ++t) {
    places.push_back(static_cast<double>(t));
  }
  for (const bool attentive : {false, true}) {
    fmt::print(stderr, "{}\n", attentive ? "attention" : "fixed vector");
    const translate::Model model = TrainCopying(
        command, attentive ? CopyingKind::kAttentive : CopyingKind::kFixed,
        copies);
    const ProbedSentences learned = ReadForProbe(model, train.source);
    const ProbedSentences tested = ReadForProbe(model, test.source);
    const ProbeTraining probe = {.seed = command.seed};
    probes.push_back(
        {attentive ? "attentive, last state" : "fixed, last states", places,
         ProbeLast(learned, tested, probe)});
    if (!attentive) continue;
    probes.push_back({"attentive, annotation t", places,
                      ProbeAnnotations(learned, tested, probe)});
  }
  fmt::print("\nword t read, %, of t ={}", Pad("", 6));
  for (const int t : {1, 2, 5, 10, 15, 19, 20}) fmt::print("{:>5}", t);
  fmt::print("{:>6}\n", "mean");
  for (const Series& series : probes) PrintProbe(series);
  const LinePlotOptions axes = {
      .title = fmt::format("Words that a linear layer reads from one vector, "
                           "of sentences of {}",
                           kProbedWords),
      .x_label = "position t of the word",
      .y_label = "%"};
  fmt::print("\n{}", TerminalLinePlot(probes, axes, DetectTerminal()));
  fmt::print("\n{}\nThe picture: {}\n", ProbeVerdict(probes),
             WritePicture(command.out, "probe", LinePlotSvg(probes, axes)));
  return 0;
}

}  // namespace heed
