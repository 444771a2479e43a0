// heed demo summaries: long sentences and their compressions.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "course/data/generators.h"
#include "course/demos.h"
#include "course/shown_alignments.h"
#include "course/task_demo.h"
#include "heed/base/text.h"
#include "heed/io/file.h"

namespace heed {
namespace {

/// Returns an active and a passive sentence short enough for a terminal.
std::vector<std::string> ShownSentences(const std::string& path) {
  std::vector<std::string> chosen;
  for (const bool passive : {false, true}) {
    ForEachLine(path, [&](std::string_view line, int64_t) {
      const std::string text(line.substr(0, line.find('\t')));
      const auto words = std::ssize(SplitWhitespace(text));
      if (words < 14 || words > 18 ||
          passive != (text.find(" by ") != text.npos)) {
        return true;
      }
      chosen.push_back(text);
      return false;
    });
  }
  return chosen;
}

}  // namespace

int RunDemoSummaries(const Arguments& arguments) {
  const auto names = std::make_shared<bool>(false);
  TaskDemo demo = {
      .name = "summaries",
      .purpose =
          "Makes up long sentences and learns to say in three words who did "
          "what. Measures ROUGE beside a lead baseline, the first words, and "
          "shows which words were attended to (about a minute). With --names, "
          "people have names that training never shows, and a second model "
          "copies them.",
      .examples = {"", " --names", " --sentences 20000 --out compressions"},
      .data = CompressionData(names),
      .epochs = 5,
      .columns = {{"ROUGE-1", "rouge1", 2, ""},
                  {"ROUGE-2", "rouge2", 2, ""},
                  {"ROUGE-L", "rouge_l", 2, ""},
                  {"all words right", "exact_match"}},
      .baselines = {{"the first 8 words",
                     {"lead_rouge1", "lead_rouge2", "lead_rouge_l"}}}};
  demo.entries = [&] {
    const std::string usual =
        "embedding=64 units=96 dropout=0.2 batch_sentences=64 "
        "learning_rate=0.003 schedule=cosine warmup=100 label_smoothing=0 "
        "patience=0";
    if (!*names) return std::vector<DemoEntry>{{"model", usual, "the model"}};
    // Rare words are unknown, so that unknown words are learned.
    const std::string rare = usual + " min_count=5";
    return std::vector<DemoEntry>{
        {"copying", rare + " copy=true", "the model, copying"},
        {"model", rare, "without copying"}};
  };
  demo.show = [&](const TaskDemo::Results& results) {
    fmt::print(
        "\nEach row is a word that was written; it is dark where it looked. In "
        "a passive\nsentence who did it comes last, and is written first.\n\n");
    const std::string picture = demo.Path("attention.svg");
    ShowAlignments(
        dynamic_cast<const translate::Model&>(*results[0].loaded.model),
        ShownSentences(demo.Path("test.tsv")), picture);
    return std::vector<std::string>{picture};
  };
  demo.typed = [&](const auto&) {
    return fmt::format("cut -f 1 {} | head -3", demo.Path("test.tsv"));
  };
  return RunTaskDemo(demo, arguments);
}

}  // namespace heed
