// heed demo bottleneck: a fixed-size sentence vector and attention, compared on
// sentences of growing length.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "course/copied_words.h"
#include "course/copying_model.h"
#include "course/demos.h"
#include "heed/base/at.h"
#include "heed/base/text.h"
#include "heed/metrics/spread.h"
#include "heed/render/drawing.h"
#include "heed/render/line_plot.h"
#include "heed/render/shades_terminal.h"
#include "heed/render/terminal.h"
#include "heed/render/text_layout.h"
#include "heed/render/words_svg.h"
#include "heed/tasks/translate/translation_evaluation.h"

namespace heed {
namespace {

constexpr int64_t kCopiesOfLength = 100;
constexpr std::array<int64_t, 9> kCopiedLengths = {5,  10, 15, 20, 25,
                                                   30, 40, 50, 60};
// Lengths with accuracy by position: the longest trained, and twice as long.
constexpr std::array<int64_t, 2> kLengthsByPosition = {30, 60};
constexpr double kWindowShare = 90;  // percent

/// One of the two models, and its accuracy in copying.
struct CopyingModel {
  std::string name;  // in tables and pictures
  CopyingKind kind = CopyingKind::kFixed;
  std::string sentence = {};             // its copy of the long sentence
  std::vector<CopiedShare> shares = {};  // for each of kCopiedLengths
  std::optional<double> window = {};

  const CopiedShare& At(int64_t length) const {
    const auto found = std::ranges::find(kCopiedLengths, length);
    return heed::At(shares, found - kCopiedLengths.begin());
  }
};

/// Trains the model and copies sentences of each length, and the long one.
void TrainAndCopy(const CopyingOptions& command, const ParallelText& train,
                  CopyingModel& copying) {
  fmt::print(stderr, "{}\n", copying.name);
  const translate::Model model = TrainCopying(command, copying.kind, train);
  translate::Prediction decode;
  decode.beam = 1;
  decode.keep_scores = false;
  std::vector<double> lengths, words;
  for (const int64_t length : kCopiedLengths) {
    const ParallelText test =
        MakeCopies(kCopiesOfLength, length, length, command.seed + 2);
    copying.shares.push_back(ShareCopied(
        test.source, translate::TranslateLines(model, test.source, decode)));
    lengths.push_back(static_cast<double>(length));
    words.push_back(copying.shares.back().words);
  }
  copying.window = ReferenceWindow(lengths, words, kWindowShare);
  copying.sentence =
      translate::TranslateLines(model, {LongSentence()}, decode)[0];
}

using BothModels = std::array<CopyingModel, 2>;

void PrintByLength(const BothModels& models) {
  fmt::print("\nwords at their places, %, by length (trained: {} to {})\n{}",
             kShortestCopied, kLongestCopied, Pad("", 16));
  for (const int64_t length : kCopiedLengths) fmt::print("{:>6}", length);
  for (const CopyingModel& copying : models) {
    fmt::print("\n{}", Pad(copying.name, 16));
    for (const CopiedShare& share : copying.shares) {
      fmt::print("{:>6.1f}", share.words);
    }
  }
  fmt::print("\n");
}

/// Returns accuracy by length, and by position for two lengths.
std::vector<LinePlotPanel> BottleneckPanels(const BothModels& models) {
  std::vector<LinePlotPanel> panels;
  LinePlotPanel by_length = {{},
                             {.title = "By the length of the sentence",
                              .x_label = "words",
                              .y_label = "words at their places, %"}};
  for (const CopyingModel& copying : models) {
    Series series = {copying.name, {}, {}};
    for (size_t i = 0; i < kCopiedLengths.size(); ++i) {
      series.x.push_back(static_cast<double>(kCopiedLengths[i]));
      series.y.push_back(copying.shares[i].words);
    }
    by_length.series.push_back(std::move(series));
  }
  panels.push_back(std::move(by_length));
  for (const int64_t length : kLengthsByPosition) {
    LinePlotPanel panel = {
        {},
        {.title = fmt::format("By position, in sentences of {} words", length),
         .x_label = "position",
         .y_label = "words at this place, %"}};
    for (const CopyingModel& copying : models) {
      Series series = {copying.name, {}, copying.At(length).by_position};
      for (size_t t = 0; t < series.y.size(); ++t) {
        series.x.push_back(static_cast<double>(t + 1));
      }
      panel.series.push_back(std::move(series));
    }
    panels.push_back(std::move(panel));
  }
  return panels;
}

int64_t CountOf(std::span<const Returned> back, Returned what) {
  return std::ranges::count(back, what);
}

/// Describes the marked words: "blind man (6-7) in place".
std::string TextOfMarks(const std::vector<Returned>& back) {
  std::vector<std::string> all;
  for (const MarkedWords& marked : MarkedInLongSentence()) {
    const auto words = static_cast<size_t>(marked.end - marked.begin);
    const std::span<const Returned> own =
        std::span(back).subspan(static_cast<size_t>(marked.begin), words);
    const auto lost = static_cast<size_t>(CountOf(own, Returned::kLost));
    const auto there = static_cast<size_t>(CountOf(own, Returned::kInPlace));
    const std::string place =
        words == 1 ? fmt::format("{}", marked.end)
                   : fmt::format("{}-{}", marked.begin + 1, marked.end);
    const std::string found =
        there == words  ? "in place"
        : lost == words ? "lost"
        : lost == 0     ? "elsewhere"
                        : fmt::format("{} of {}", words - lost, words);
    all.push_back(fmt::format("{} ({}) {}", marked.words, place, found));
  }
  return fmt::format("{}", fmt::join(all, ", "));
}

/// Marks a word without colours: parentheses if elsewhere, dots if lost.
std::string MarkedWord(const std::string& word, Returned what) {
  switch (what) {
    case Returned::kInPlace:
      return word;
    case Returned::kElsewhere:
      return "(" + word + ")";
    case Returned::kLost:
      break;
  }
  return std::string(word.size(), '.');
}

float ShadeOf(Returned what) {
  switch (what) {
    case Returned::kInPlace:
      return 0.8f;
    case Returned::kElsewhere:
      return 0.25f;
    case Returned::kLost:
      break;
  }
  return -0.5f;
}

/// Shows the long sentence with each word marked by its result.
void ShowLongSentence(const CopyingOptions& command, const BothModels& models) {
  const TerminalOptions terminal = DetectTerminal();
  std::vector<std::string> words;
  for (const std::string_view word : SplitWhitespace(LongSentence())) {
    words.emplace_back(word);
  }
  std::vector<Drawing> drawings = {
      DrawHeading(fmt::format("A sentence of {} words, copied", words.size()),
                  1),
      DrawHeading("blue: in place; pale: elsewhere, beside a neighbour of the "
                  "sentence; orange: lost",
                  3)};
  fmt::print("\nA sentence of {} words, copied{}\n", words.size(),
             terminal.colour ? ": blue in place, pale elsewhere, orange lost"
                             : ": (elsewhere), and dots for lost words");
  for (const CopyingModel& copying : models) {
    const std::vector<Returned> back =
        CameBack(LongSentence(), copying.sentence);
    const std::string title = fmt::format(
        "{}: {} words in place, {} elsewhere, {} lost", copying.name,
        CountOf(back, Returned::kInPlace), CountOf(back, Returned::kElsewhere),
        CountOf(back, Returned::kLost));
    const std::string marked = TextOfMarks(back);
    std::vector<float> shades;
    std::vector<std::string> plain;
    for (size_t t = 0; t < words.size(); ++t) {
      shades.push_back(ShadeOf(back[t]));
      plain.push_back(MarkedWord(words[t], back[t]));
    }
    const std::vector<float> none(words.size());
    fmt::print("\n{}\n{}  {}\n", terminal::Strong(terminal, title),
               terminal.colour ? TerminalWords(words, shades, 2, terminal)
                               : TerminalWords(plain, none, 2, terminal),
               marked);
    drawings.push_back(DrawHeading(title, 2));
    drawings.push_back(
        DrawShadedWords(words, shades, kPictureWidth, 2, words.size()));
    drawings.push_back(DrawHeading(marked, 3));
  }
  const std::array<Drawing, 1> page = {StackDrawings(drawings, 8)};
  WritePicture(command.out, "sentence",
               SvgPicture(page, {.label = "A long sentence, copied"}));
}

std::string WindowText(const std::optional<double>& window) {
  return window ? fmt::format("{:.0f} words", *window)
                : fmt::format("all {} words", kCopiedLengths.back());
}

/// Summarises the results in words.
std::string BottleneckVerdict(const BothModels& models) {
  const CopyingModel& fixed = models[0];
  const CopyingModel& attentive = models[1];
  const std::span<const double> places = fixed.At(kLongestCopied).by_position;
  const size_t third = places.size() / 3;
  const double open = static_cast<double>(kCopiedLengths.back()) + 1;
  const double min = fixed.window.value_or(open);
  const double max = attentive.window.value_or(open);
  return fmt::format(
      "{:.0f} % of the words come back in place up to sentences of {} from the "
      "fixed vector,\nand of {} with attention. Of {} words the fixed vector "
      "brings back {:.0f} % of the\nfirst third and {:.0f} % of the last. {}\n",
      kWindowShare, WindowText(fixed.window), WindowText(attentive.window),
      kLongestCopied, MeanOf(places.first(third)), MeanOf(places.last(third)),
      min < max   ? "Here a fixed vector does forget long\nsentences, and "
                    "sooner than attention."
      : min > max ? "Here attention forgets sooner:\nthe claim does not "
                    "hold."
                  : "Here neither forgets sooner:\nthe claim is not seen.");
}

}  // namespace

int RunDemoBottleneck(const Arguments& arguments) {
  CopyingOptions command;
  command.out = "heed-demo-bottleneck";
  const auto limit = ParseDemo(
      command, arguments, "bottleneck",
      "Trains a model that keeps a sentence in one vector and one that "
      "attends to its words to copy random sentences of 5 to 30 words, and "
      "lets both copy sentences of 5 to 60 words and one of 97: which words "
      "come back, by length and by position (a minute and a quarter).",
      {"", " --variant cho --out forward"});
  if (!limit) return 0;

  const ParallelText train = command.Copies();
  fmt::print("Learning to copy sentences of {} to {} words in random order.\n",
             kShortestCopied, kLongestCopied);
  std::fflush(stdout);
  BothModels models = {{{"fixed vector", CopyingKind::kFixed},
                        {"attention", CopyingKind::kAttentive}}};
  for (CopyingModel& copying : models) TrainAndCopy(command, train, copying);

  PrintByLength(models);
  const std::vector<LinePlotPanel> panels = BottleneckPanels(models);
  fmt::print("\n{}", TerminalLinePlot(panels[1].series, panels[1].options,
                                      DetectTerminal()));
  const std::vector<std::string> names = {models[0].name, models[1].name};
  WritePicture(command.out, "bottleneck",
               LinePlotsSvg(panels, names, "Copying sentences"));
  ShowLongSentence(command, models);
  fmt::print(
      "\n{0}\nThe pictures:   {1}/bottleneck.svg, {1}/sentence.svg\n"
      "Try your own:   echo 'the car he stole' | heed translate {1}/bahdanau\n",
      BottleneckVerdict(models), command.out);
  return 0;
}

}  // namespace heed
