#include "course/task_demo.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "apps/heed/program.h"
#include "apps/heed/tasks.h"
#include "course/explained_file.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/io/file.h"
#include "heed/models/registry.h"
#include "heed/render/text_layout.h"
#include "heed/train/in_memory.h"

namespace heed {
namespace {

constexpr int64_t kShownLines = 3;

/// Returns the value of the last word "key=value" of a text, or "".
std::string ValueIn(const SettingsText& text, const std::string& key) {
  std::string value;
  for (const auto word : SplitWhitespace(text)) {
    if (word.starts_with(key + "=")) value = word.substr(key.size() + 1);
  }
  return value;
}

/// Returns the words of a text whose keys exist among the fields.
SettingsText KnownIn(const std::vector<Field>& fields,
                     const SettingsText& text) {
  SettingsText known;
  for (const auto word : SplitWhitespace(text)) {
    if (FindField(fields, word.substr(0, word.find('='))) == nullptr) continue;
    known += fmt::format("{} ", word);
  }
  return known;
}

/// A task with its training configuration, and the settings from texts.
struct DemoTraining {
  std::unique_ptr<TaskSettings> task;
  TrainingConfig training;
  SettingsText text;
};

DemoTraining TrainingOf(const TaskDemo& demo, const DemoEntry& entry) {
  DemoTraining made;
  made.task = TaskNamed(demo.data.task).settings();
  const std::string model = ValueIn(entry.settings, "model");
  if (!model.empty()) made.task->ChooseModel(model);
  made.task->SetDefaults(made.training);
  FieldList list;
  made.task->VisitAll(list);
  made.task->VisitTraining(list, made.training);
  made.text = fmt::format(
      "{} epochs={}{} {} {} seed={}", demo.data.train, demo.epochs,
      made.task->MinUpdates() > 0 ? " min_steps=0" : "",
      KnownIn(list.fields(), demo.settings), entry.settings, demo.data.seed);
  SetFromText(list.fields(), made.text, demo.out);
  RunConfig& run = made.training.run;
  run.out = demo.Path(entry.name);
  run.overwrite = true;
  run.threads = demo.threads;
  return made;
}

/// Trains without a folder.
LoadedModel TrainedInMemory(DemoTraining made) {
  made.task->Resolve();
  const uint64_t seed = made.training.run.seed;
  std::unique_ptr<Dataset> data = made.task->ReadDataset();
  auto model = made.task->MakeModel(*data, seed);
  const auto objective =
      made.task->MakeObjective(std::move(data), *model, seed);
  TrainInMemory(*objective, made.training);
  return {std::move(made.task), made.training, std::move(model), {}};
}

DemoResult Trained(const TaskDemo& demo, const DemoEntry& entry) {
  DemoTraining training = TrainingOf(demo, entry);
  fmt::print(stderr, "{}\n", entry.name);
  DemoResult result = {entry, training.training.run.out, {}, {}};
  if (demo.in_memory) {
    result.loaded = TrainedInMemory(std::move(training));
  } else {
    Train(*training.task, training.training);
    result.loaded = ReadModel(result.folder);
  }
  for (const DemoTest& test : demo.tests) {
    const auto options = result.loaded.settings->EvaluateOptions();
    FieldList list;
    options->Visit(list);
    SetFromText(list.fields(), demo.data.evaluation + " " + test.options,
                demo.out);
    result.reports.push_back(
        result.loaded.settings->Evaluate(*result.loaded.model, *options));
  }
  if (demo.measure) demo.measure(result);
  return result;
}

void PrintBeginning(const TaskDemo& demo) {
  fmt::print("Learning from {}, in {}\n", demo.data.Sizes(), demo.out);
  for (const char* list : {"train.tsv", "train.txt", "train.jsonl"}) {
    const std::string path = demo.Path(list);
    if (!std::filesystem::exists(path)) continue;
    ForEachLine(path, [](std::string_view line, int64_t number) {
      const std::string text(line);
      fmt::print("  {}\n", Ellipsize(text, TerminalWidth() - 2));
      return number < kShownLines;
    });
    fmt::print("  ...\n");
  }
  std::fflush(stdout);
}

std::string Shown(double value, const DemoColumn& column) {
  return std::isfinite(value)
             ? fmt::format("{:.{}f}{}", value, column.decimals, column.unit)
             : "-";
}

void PrintRow(const TaskDemo& demo, size_t width, const std::string& label,
              const std::vector<std::string>& cells, const std::string& note) {
  std::string line = Pad(label, static_cast<int>(width));
  for (size_t i = 0; i < cells.size(); ++i) {
    const size_t columns = std::max<size_t>(demo.columns[i].title.size(), 7);
    line += fmt::format("  {:>{}}", cells[i], columns);
  }
  fmt::print("{}{}\n", line, note.empty() ? "" : "  (" + note + ")");
}

void PrintTable(const TaskDemo& demo, const TaskDemo::Results& results) {
  const auto label_of = [](const DemoResult& result) {
    return result.entry.label.empty() ? result.entry.name : result.entry.label;
  };
  size_t width = 10;
  for (const DemoResult& r : results) {
    width = std::max(width, label_of(r).size());
  }
  for (const DemoBaseline& b : demo.baselines) {
    width = std::max(width, b.label.size());
  }
  std::vector<std::string> cells;
  for (const DemoColumn& column : demo.columns) cells.push_back(column.title);
  fmt::print("\n");
  PrintRow(demo, width, "test", cells, "");
  for (const DemoResult& result : results) {
    cells.clear();
    for (const DemoColumn& column : demo.columns) {
      double value = result.Figure(column.figure);
      if (!column.share_of.empty()) {
        value *= 100 / result.Figure(column.share_of);
      }
      cells.push_back(Shown(value, column));
    }
    PrintRow(demo, width, label_of(result), cells, result.entry.note);
  }
  for (const DemoBaseline& baseline : demo.baselines) {
    cells.clear();
    for (size_t i = 0; i < baseline.figures.size(); ++i) {
      cells.push_back(
          Shown(results.front().Figure(baseline.figures[i]), demo.columns[i]));
    }
    PrintRow(demo, width, baseline.label, cells, "");
  }
}

void PrintReports(const TaskDemo& demo, const TaskDemo::Results& results) {
  if (!demo.columns.empty()) {
    PrintTable(demo, results);
  } else {
    for (const DemoResult& result : results) {
      for (size_t i = 0; i < demo.tests.size(); ++i) {
        fmt::print("\n{}{}", demo.tests[i].title,
                   ReportText(result.reports[i]));
      }
    }
  }
  if (!demo.remark.empty()) fmt::print("\n{}", demo.remark);
}

/// Wraps command options with backslashes at line ends.
std::string Wrapped(const std::string& options) {
  constexpr size_t kColumns = 60;
  std::string text;
  size_t width = 0;
  for (size_t at = 0; at < options.size();) {
    const size_t next = std::min(options.find(" --", at + 1), options.size());
    if (width > 0 && width + next - at > kColumns) {
      text += " \\\n                ";
      width = 0;
    }
    text += options.substr(at, next - at);
    width += next - at;
    at = next;
  }
  return text;
}

void PrintClosing(const TaskDemo& demo, const TaskDemo::Results& results,
                  const std::vector<std::string>& pictures) {
  const DemoResult& first = results.front();
  const std::string task = demo.data.task;
  fmt::print("\nThe pictures:    {}\nThe data:        {}: {}\n",
             fmt::join(pictures, ", "), demo.out, demo.data.Sizes());
  if (demo.typed) {
    fmt::print("Try your own:    {} | {} {} {}\n", demo.typed(results),
               ProgramName(), TaskNamed(task).command, first.folder);
  }
  const std::string again =
      OptionsText(TrainingOf(demo, first.entry).text, demo.out);
  fmt::print("Train again:     {} train --task {}{}\n", ProgramName(), task,
             Wrapped(again + " --out model"));
}

}  // namespace

double DemoResult::Figure(const std::string& key) const {
  const Report& report = reports.front();
  if (key.starts_with('/')) {
    return report.details.at(nlohmann::ordered_json::json_pointer(key))
        .get<double>();
  }
  const auto found = std::ranges::find(report.figures, key, &heed::Figure::key);
  return found == report.figures.end() ? kNoFigure : found->value;
}

int RunTaskDemo(TaskDemo& demo, const Arguments& arguments) {
  Options options("demo " + demo.name, demo.purpose);
  FieldList& v = options.fields();
  v("out", demo.out, Any{"DIR"}, "folder for data, models and pictures");
  demo.data.Visit(v);
  v("epochs", demo.epochs, Range(1, 1000), "passes over the data");
  if (demo.options) demo.options(v);
  v("threads", demo.threads, Range(0, 1024), "threads; 0: one per core");
  for (const std::string& example : demo.examples) {
    options.Example(fmt::format("heed demo {}{}", demo.name, example));
  }
  if (!options.Parse(arguments)) return 0;

  const ThreadLimit limit(demo.threads);
  demo.data.WriteTo(demo.out);
  PrintBeginning(demo);
  TaskDemo::Results results;
  for (const DemoEntry& entry : demo.entries()) {
    results.push_back(Trained(demo, entry));
  }
  PrintReports(demo, results);
  std::vector<std::string> pictures;
  if (demo.inputs) {
    for (const DemoInput& one : demo.inputs(results)) {
      if (!one.title.empty()) fmt::print("\n{}\n", one.title);
      pictures.push_back(ShowExplained(results.at(one.result).loaded, one.input,
                                       demo.out, one.picture, one.choice));
    }
  }
  if (demo.show) {
    for (std::string& picture : demo.show(results)) {
      pictures.push_back(std::move(picture));
    }
  }
  PrintClosing(demo, results, pictures);
  return 0;
}

std::vector<DemoEntry> EntriesOf(const std::vector<std::string>& models) {
  std::vector<DemoEntry> entries;
  for (const std::string& model : models) {
    entries.push_back({model, "model=" + model, "",
                       FindModel(model).variants.front().description});
  }
  return entries;
}

std::string LineOf(const std::string& path, int64_t i) {
  std::string found;
  ForEachLine(path, [&](std::string_view line, int64_t number) {
    if (number == i + 1) found = line;
    return number <= i;
  });
  return found;
}

}  // namespace heed
