// heed demo words: distribution of a word's weights in documents of each label.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "apps/heed/program.h"
#include "course/demos.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/metrics/spread.h"
#include "heed/render/document_view.h"
#include "heed/render/line_plot.h"
#include "heed/tasks/classify/classify.h"
#include "heed/tasks/explain.h"
#include "heed/tasks/run.h"

namespace heed {
namespace {

/// Bins of half an octave, from a 32nd of an equal share up to 32 equal shares.
constexpr int kDoublings = 5;
constexpr int kBins = 4 * kDoublings + 1;

struct WordsDemo : DemoOptions {
  WordsDemo() {
    out = "heed-words";
    seeded = false;
  }
  std::string model;
  LabelledFiles texts;
  std::vector<std::string> words;
  int max_texts = 1000;

  void VisitOwn(FieldList& v) override {
    v("model", model, Any{"DIR"},
      "a classifier that reads documents sentence by sentence")
        .Main();
    v("texts", texts.texts, Any{"FILE"},
      "labelled documents, in the format of its training (.gz too)")
        .Main();
    v("folds", texts.folds, Any{"FOLDS"},
      "format docs: use only documents of these folds, such as 0-7,9");
    v("words", words, Any{"WORDS"}, "words, separated by commas").Main();
    v("most_texts", max_texts, Range(1, 1000000),
      "maximum documents to read, from the start of the files");
    v.Require({{"model"}});
    v.Require({{"texts"}});
    v.Require({{"words"}});
  }
};

/// Weights of a word by document label, as multiples of an equal share: the
/// weight times the number of words of the sentence.
using WeightsByLabel = std::map<std::string, std::vector<double>>;
using WeightsOfWords = std::map<std::string, WeightsByLabel>;

/// Adds the weights of the words in one document.
void AddWeights(const Explanation& explained, const std::string& label,
                WeightsOfWords& all) {
  const auto weights = DocumentWeightsOf(explained.segments.at(0));
  if (!weights) {
    throw ConfigError(
        "demo words: the model attends to no words of sentences; train one "
        "with --pooling attention");
  }
  for (const ItemRange& sentence : weights->sentences->spans) {
    const auto length = static_cast<double>(sentence.end - sentence.begin);
    for (int64_t i = sentence.begin; i < sentence.end; ++i) {
      const auto at = static_cast<size_t>(i);
      const auto word = all.find(Lowercase(weights->words->shown()[at]));
      if (word == all.end()) continue;
      word->second[label].push_back(length * double{weights->of_words[at]});
    }
  }
}

/// Returns the histogram of weights over bins of half an octave; empty without
/// weights.
Series WeightHistogram(const std::string& name,
                       const std::vector<double>& weights) {
  if (weights.empty()) return {name, {}, {}};
  Series series = {name, {}, std::vector<double>(kBins)};
  for (int bin = 0; bin < kBins; ++bin) {
    series.x.push_back(std::exp2(bin / 2.0 - kDoublings));
  }
  for (const double w : weights) {
    const double place =
        std::round(2 * (std::log2(std::max(w, 1e-9)) + kDoublings));
    const double bin = std::clamp(place, 0.0, double{kBins - 1});
    series.y[static_cast<size_t>(bin)] +=
        100.0 / static_cast<double>(weights.size());
  }
  return series;
}

void ShowWords(const WordsDemo& demo, const WeightsOfWords& all) {
  std::vector<LinePlotPanel> panels;
  std::vector<std::string> labels;
  for (const auto& [word, by_label] : all) {
    for (const auto& [label, weights] : by_label) {
      if (!std::ranges::count(labels, label)) labels.push_back(label);
    }
  }
  std::ranges::sort(labels);
  fmt::print("{:<16} {:<12} {:>7} {:>12}\n", "word", "label", "times",
             "mean weight");
  for (const auto& [word, by_label] : all) {
    LinePlotPanel panel = {{},
                           {.title = word,
                            .x_label = "weight in equal shares of its sentence",
                            .y_label = "times, %",
                            .logarithmic_x = true,
                            .named = false}};
    for (const std::string& label : labels) {
      const auto found = by_label.find(label);
      const std::vector<double> none;
      const auto& weights = found == by_label.end() ? none : found->second;
      panel.series.push_back(WeightHistogram(label, weights));
      fmt::print(
          "{:<16} {:<12} {:>7} {:>12}\n", word, label, weights.size(),
          weights.empty() ? "-" : fmt::format("{:.3f}", MeanOf(weights)));
    }
    panels.push_back(std::move(panel));
  }
  for (const LinePlotPanel& panel : panels) {
    LinePlotOptions options = panel.options;
    options.named = true;
    fmt::print("\n{}",
               TerminalLinePlot(panel.series, options, DetectTerminal()));
  }
  const std::string path =
      WritePicture(demo.out, "words",
                   LinePlotsSvg(panels, labels,
                                "Weights of words, by the label of the text"));
  fmt::print("\nThe picture:     {}\n", path);
}

}  // namespace

int RunDemoWords(const Arguments& arguments) {
  WordsDemo demo;
  const auto limit = ParseDemo(
      demo, arguments, "words",
      "Shows how much words count in their sentences, apart for documents of "
      "each label, as figures 3 and 4 of Yang et al. 2016 (Hierarchical "
      "Attention Networks): does attention give 'good' more weight where a "
      "text praises? A weight is in equal shares: 1 is what each word of the "
      "sentence would have if all had the same.",
      {" --model heed-documents/attention --texts heed-documents/test.txt "
       "--words witty,night"});
  if (!limit) return 0;

  const LoadedModel loaded = ReadModel(demo.model);
  const auto* model = dynamic_cast<const classify::Model*>(loaded.model.get());
  if (model == nullptr || !model->documents()) {
    throw ConfigError(
        "demo words: {} is no classifier that reads documents sentence by "
        "sentence; heed demo documents makes one",
        demo.model);
  }
  const LabelledText texts =
      ReadLabelled(demo.texts, model->config.data.format);
  WeightsOfWords all;
  for (const std::string& word : demo.words) all[Lowercase(word)];
  const auto predictor = loaded.MakePredictor();
  const size_t count =
      std::min(texts.text.size(), static_cast<size_t>(demo.max_texts));
  for (size_t i = 0; i < count; ++i) {
    ExplainRequest request;
    request.input.given = {texts.text[i]};
    AddWeights(Explain(loaded, *predictor, request),
               fmt::format("{}", fmt::join(texts.labels[i], ",")), all);
  }
  for (const auto& [word, by_label] : all) {
    if (!by_label.empty()) continue;
    throw ConfigError("demo words: '{}' is no word of the {} texts", word,
                      count);
  }
  ShowWords(demo, all);
  return 0;
}

}  // namespace heed
