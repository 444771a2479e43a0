// heed demo autocomplete: four recurrent cells predict the word being typed.
// The demo shows which past characters each prediction depends on.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <vector>

#include "apps/heed/program.h"
#include "course/data/generators.h"
#include "course/data/stories.h"
#include "course/demos.h"
#include "course/training_in.h"
#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/io/file.h"
#include "heed/models/recurrent/rnn_config.h"
#include "heed/page/page_files.h"
#include "heed/render/connectivity.h"
#include "heed/render/explanation_file.h"
#include "heed/render/line_plot.h"
#include "heed/render/text_layout.h"
#include "heed/tasks/autocomplete/autocomplete.h"
#include "heed/tasks/run.h"

namespace heed {
namespace {

// User texts give one line in kHeldOutEvery to validation and one to the test
// set.
constexpr size_t kHeldOutEvery = 20;
constexpr int kStoryEpochs = 8;
constexpr int kTextEpochs = 2;
constexpr int kMoments = 3;
constexpr int kNameColumns = 14;

struct CellName {
  Cell cell;
  const char* name;
};
constexpr std::array<CellName, 4> kMemoryCells = {
    {{Cell::kGru, "GRU"},
     {Cell::kLstm, "LSTM"},
     {Cell::kNestedLstm, "Nested LSTM"},
     {Cell::kRnn, "RNN"}}};

struct MemoryCommand : DemoOptions {
  MemoryCommand() { out = "heed-memory"; }
  std::vector<std::string> texts;
  std::vector<std::string> models;
  std::string sentence;
  int units = 64;
  int layers = 1;
  int epochs = 0;
  int words = 3000;
  double forget_gate_bias = 3;

  void VisitOwn(FieldList& v) override {
    v("texts", texts, Any{"FILE"},
      "learn from this text instead of made-up stories; one line in 20 is for "
      "validation, one for the test");
    v("models", models, Any{"DIR"},
      "show these models of heed train --task autocomplete without training; "
      "--texts is then the test text");
    v("sentence", sentence, Any{"TEXT"},
      "text to type in the pictures (default: the first test line)");
    v("units", units, Range(1, 4096), "features of a state");
    v("layers", layers, Range(1, 16), "recurrent layers");
    v("epochs", epochs, Range(0, 1000),
      "passes over the text; 0: 8 over stories, 2 over a text");
    v("words", words, Range(1, 1000000), "most frequent words to guess");
    v("forget_gate_bias", forget_gate_bias, Range(-20, 20),
      "initial bias of forget gates (a GRU's update gates)");
  }
};

struct MemoryText : PlainText {
  std::vector<std::string> test;
  bool stories = true;
};

/// A trained model and its name.
struct MemoryModel {
  std::string name;
  std::string folder;
  LoadedModel loaded;

  const autocomplete::Model& autocomplete() const {
    return dynamic_cast<const autocomplete::Model&>(*loaded.model);
  }
};

MemoryText TextOf(const MemoryCommand& command) {
  if (command.texts.empty() && !command.models.empty()) {
    return {{}, {}, false};
  }
  if (command.texts.empty()) {
    Generator stories = StoryData();
    stories.seed = command.seed;
    stories.WriteTo(command.out);
    const auto part = [&](const char* name) {
      return ReadLines(command.out + "/" + name);
    };
    return {{part("train.txt"), part("valid.txt")}, part("test.txt")};
  }
  MemoryText text;
  text.stories = false;
  size_t number = 0;
  for (const std::string& path : command.texts) {
    for (std::string& line : ReadLines(path)) {
      const size_t place = number++ % kHeldOutEvery;
      const bool whole = !command.models.empty();
      (whole || place == 1 ? text.test
       : place == 2        ? text.valid
                           : text.train)
          .push_back(std::move(line));
    }
  }
  return text;
}

MemoryModel TrainMemory(const MemoryCommand& command, const CellName& cell,
                        const MemoryText& text) {
  autocomplete::Settings task;
  auto& rnn = task.encoder.As<RnnConfig>();
  rnn.cell = cell.cell;
  rnn.units = command.units;
  rnn.layers = command.layers;
  rnn.forget_gate_bias = command.forget_gate_bias;
  task.data.words = command.words;
  task.data.batch_texts = 16;
  const int epochs = command.epochs > 0 ? command.epochs
                     : text.stories     ? kStoryEpochs
                                        : kTextEpochs;
  TrainingConfig training = TrainingIn(command.out + "/" + rnn.cell.word(),
                                       task, epochs, command.seed);
  training.optimizer.learning_rate = text.stories ? 8e-3 : 3e-3;
  training.optimizer.beta2 = 0.99;  // long-range gradients are rare
  training.optimizer.schedule = Schedule::kCosine;
  training.optimizer.warmup = 50;
  training.run.patience = 0;
  fmt::print(stderr, "{}\n", cell.name);
  TrainOn(task, task.Typed(text), training);
  return {cell.name, training.run.out, ReadModel(training.run.out)};
}

MemoryModel ReadMemory(const std::string& folder) {
  LoadedModel loaded = ReadModel(folder);
  const auto* model =
      dynamic_cast<const autocomplete::Model*>(loaded.model.get());
  if (model == nullptr) {
    throw ConfigError(
        "--models: {} is for the task {}; needed is one of heed train --task "
        "autocomplete",
        folder, loaded.task().name);
  }
  const ModelChoice<EncoderSettings>& encoder = model->config.encoder;
  std::string name = encoder.name();
  if (const auto* rnn = encoder.Find<RnnConfig>()) {
    for (const CellName& cell : kMemoryCells) {
      if (rnn->cell == cell.cell) name = cell.name;
    }
    if (rnn->layers > 1) name += fmt::format(", {} layers", rnn->layers);
  }
  return {name, folder, std::move(loaded)};
}

/// Prints a line of accuracies and returns their curve.
Series ShowScore(const MemoryModel& model, const MemoryText& text) {
  const autocomplete::TypingScore score = model.autocomplete().Score(text.test);
  std::string line = Pad(model.name, kNameColumns + 4);
  Series curve = {model.name, {}, {}};
  for (size_t seen = 0; seen <= autocomplete::TypingScore::kMaxSeen; ++seen) {
    const autocomplete::TypingScore::Counts& counts = score.seen[seen];
    line += fmt::format(" {:5.1f} / {:5.1f}", 100 * counts.First(),
                        100 * counts.Third());
    curve.x.push_back(static_cast<double>(seen));
    curve.y.push_back(100 * counts.First());
  }
  fmt::print("{}   {:.3f}\n", line, score.all.Loss());
  return curve;
}

void ShowScores(const MemoryCommand& command,
                const std::vector<MemoryModel>& models,
                const MemoryText& text) {
  fmt::print(
      "\n% right first / right among the first three, by characters of the "
      "word typed\n{}             0             1             "
      "2             3    loss\n",
      Pad("", kNameColumns));
  std::vector<Series> curves;
  for (const MemoryModel& model : models) {
    curves.push_back(ShowScore(model, text));
  }
  if (text.stories) {
    Series best = {"at best", {}, {}};
    std::string line = Pad("at best", kNameColumns + 4);
    for (size_t seen = 0; seen <= autocomplete::TypingScore::kMaxSeen; ++seen) {
      const double accuracy = BestStoryAccuracy(static_cast<int>(seen));
      line += fmt::format(" {:5.1f}        ", 100 * accuracy);
      best.x.push_back(static_cast<double>(seen));
      best.y.push_back(100 * accuracy);
    }
    fmt::print("{}\n", line);
    curves.push_back(best);
  }
  WritePicture(command.out, "accuracy",
               LinePlotSvg(curves, {.title = "Guesses of the word that is "
                                             "being typed",
                                    .x_label = "characters typed",
                                    .y_label = "% right"}));
}

/// Returns the positions after the first letter of each word that repeats the
/// beginning of a story.
std::vector<int64_t> StoryMoments(const Connectivity& story) {
  std::vector<int64_t> spaces;
  for (int64_t t = 0; t < story.size(); ++t) {
    if (At(story.characters, t) == " ") spaces.push_back(t);
  }
  std::vector<int64_t> moments;
  int64_t from_end = 1;  // index of the slot's word from the end
  const auto slots = StorySlots();
  for (size_t i = slots.size(); i-- > 0; ++from_end) {
    if (slots[i].phrases.front().find(' ') != std::string::npos) break;
    if (slots[i].like && from_end <= std::ssize(spaces)) {
      moments.push_back(spaces[spaces.size() - static_cast<size_t>(from_end)] +
                        1);
    }
  }
  std::ranges::reverse(moments);
  return moments;
}

void ShowMemory(const MemoryCommand& command,
                const std::vector<MemoryModel>& models,
                const std::string& sentence, bool story) {
  std::vector<Connectivity> all;
  for (const MemoryModel& model : models) {
    all.push_back(model.autocomplete().Remember(sentence, model.name));
  }
  const std::vector<int64_t> moments =
      story ? StoryMoments(all.front()) : FarthestAttention(all, kMoments);
  const int64_t shown =
      moments.empty() ? all.front().size() - 1 : moments.front();
  fmt::print("\nWhat counted for a guess (brightest: most)\n");
  for (const Connectivity& c : all) {
    fmt::print("\n{}", TerminalConnectivity(c, shown, DetectTerminal()));
  }
  const std::string svg =
      WritePicture(command.out, "memory", ConnectivitySvg(all, moments));
  if (!PageFiles().empty()) {
    std::vector<Explanation> explanations;
    for (const Connectivity& c : all) {
      explanations.push_back(ConnectivityExplanation(c));
    }
    WriteFileAtomically(
        command.out + "/memory.html",
        ExplanationFile(ExplanationFormat::kHtml, explanations, {}));
    fmt::print("\nThe page to explore: {}/memory.html", command.out);
  }
  WriteFileAtomically(command.out + "/memory.json",
                      ConnectivityJson(all).dump() + "\n");
  fmt::print(
      "\nThe pictures:        {0}/memory.svg, {0}/accuracy.svg\n"
      "The numbers:         {0}/memory.json\n",
      command.out);
}

}  // namespace

int RunDemoAutocomplete(const Arguments& arguments) {
  MemoryCommand command;
  const auto limit = ParseDemo(
      command, arguments, "autocomplete",
      "Trains a GRU, an LSTM, a Nested LSTM and a plain RNN to guess the word "
      "that is being typed, from made-up stories that end as they began or "
      "from a text of one's own; compares how often they are right by "
      "characters typed, and shows which past characters each guess depends "
      "on, as Madsen 2019 (Distill).",
      {"", " --texts book.txt --out memory",
       " --models gru,lstm --texts test.txt --sentence 'the cat sat on the "
       "mat'"});
  if (!limit) return 0;

  const MemoryText text = TextOf(command);
  if (command.sentence.empty() && text.test.empty()) {
    throw ConfigError("the text has no line for a test; --sentence is needed");
  }
  const std::string sentence =
      command.sentence.empty() ? text.test.front() : command.sentence;
  std::vector<MemoryModel> models;
  for (const std::string& folder : command.models) {
    models.push_back(ReadMemory(folder));
  }
  if (models.empty()) {
    fmt::print("Learning to guess words, for example of\n  {}\n",
               Ellipsize(text.test.empty() ? sentence : text.test.front(),
                         TerminalWidth() - 2));
    std::fflush(stdout);
    for (const CellName& cell : kMemoryCells) {
      models.push_back(TrainMemory(command, cell, text));
    }
  }
  if (!text.test.empty()) ShowScores(command, models, text);
  ShowMemory(command, models, sentence,
             text.stories && command.sentence.empty());
  fmt::print("Try your own:        echo 'anna the b' | {} predict {}\n",
             ProgramName(), models.front().folder);
  return 0;
}

}  // namespace heed
