// heed demo documents: which word of which sentence decides, on synthetic
// documents with a known answer.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "course/data/generators.h"
#include "course/demos.h"
#include "course/task_demo.h"
#include "heed/base/at.h"
#include "heed/render/document_view.h"
#include "heed/tasks/explain.h"

namespace heed {
namespace {

int64_t PlaceOfLargest(std::span<const float> values) {
  return std::ranges::max_element(values) - values.begin();
}

/// Adds how often the largest weight of both levels is at the planted word.
/// Adds nothing for a model without attention.
void CountFound(const std::vector<PlantedDocument>& test, DemoResult& result) {
  const auto predictor = result.loaded.MakePredictor();
  int64_t planted = 0, sentences = 0, words = 0;
  for (const PlantedDocument& document : test) {
    if (document.sentence < 0) continue;
    ++planted;
    ExplainRequest request;
    request.input.given = {document.text()};
    const Explanation e = Explain(result.loaded, *predictor, request);
    const auto weights = DocumentWeightsOf(e.segments.at(0));
    if (!weights) return;
    const int64_t sentence = PlaceOfLargest(weights->of_sentences);
    if (sentence != document.sentence) continue;
    ++sentences;
    const ItemRange span = At(weights->sentences->spans, sentence);
    const int64_t word = PlaceOfLargest(
        std::span(weights->of_words)
            .subspan(static_cast<size_t>(span.begin),
                     static_cast<size_t>(span.end - span.begin)));
    words += word == document.word ? 1 : 0;
  }
  if (planted == 0) return;
  const double percent = 100.0 / static_cast<double>(planted);
  result.reports[0].figures.push_back(
      {"sentences", "", percent * static_cast<double>(sentences), 1, "%", ""});
  result.reports[0].figures.push_back(
      {"words", "", percent * static_cast<double>(words), 1, "%", ""});
}

}  // namespace

int RunDemoDocuments(const Arguments& arguments) {
  const auto how = std::make_shared<PlantedOptions>();
  TaskDemo demo = {
      .name = "documents",
      .purpose =
          "Makes up documents of praise or blame, which one word of one "
          "sentence says, and of neither, writes them as files with sentences, "
          "trains hierarchical networks on them that pool words and sentences "
          "by attention, by their mean and by their maximum, and counts how "
          "often attention is largest at that sentence and that word, as Yang "
          "et al. 2016 (Hierarchical Attention Networks).",
      .examples = {"", " --documents 500 --sentences 30"},
      .data = DocumentData(how),
      .epochs = 6,
      .settings = "embedding=32 units=24 learning_rate=0.005 warmup=0",
      .columns = {{"accuracy", "accuracy"},
                  {"sentence found", "sentences"},
                  {"word found", "words"}},
      .remark =
          "Found: of the documents with a planted word, the largest weight is "
          "that of its\nsentence, and there that of the word.\n"};
  demo.entries = [] {
    std::vector<DemoEntry> entries;
    for (const std::string pooling : {"attention", "mean", "max"}) {
      entries.push_back({pooling, "model=han pooling=" + pooling});
    }
    return entries;
  };
  std::vector<PlantedDocument> test;
  demo.measure = [&](DemoResult& result) {
    const auto first = static_cast<int64_t>(demo.data.Parts()[2].far_first());
    for (int64_t i = std::ssize(test); i < demo.data.sizes.test; ++i) {
      test.push_back(MakePlantedDocument(*how, demo.data.seed, first + i));
    }
    CountFound(test, result);
  };
  demo.inputs = [&](const TaskDemo::Results& results) {
    const auto planted = std::ranges::find_if(
        test, [](const auto& document) { return document.sentence >= 0; });
    return std::vector<DemoInput>{
        {"document",
         Input{(planted == test.end() ? test.front() : *planted).text()},
         "A document of the test, by " + results[0].entry.name}};
  };
  demo.typed = [](const auto&) {
    return "echo 'It was a long night. The plot was witty.'";
  };
  return RunTaskDemo(demo, arguments);
}

}  // namespace heed
