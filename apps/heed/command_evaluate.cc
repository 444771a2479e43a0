// heed evaluate: metrics of models on data with references.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "apps/heed/commands.h"
#include "apps/heed/tasks.h"
#include "apps/heed/views.h"
#include "heed/base/console.h"
#include "heed/base/errors.h"
#include "heed/base/threads.h"
#include "heed/io/file.h"
#include "heed/render/terminal.h"
#include "heed/tasks/input_files.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kMetricKey = "metric";

Json ToJson(const Report& report) {
  Json json = Json::object();
  for (const Figure& figure : report.figures) {
    if (!figure.on_request) json[figure.key] = figure.value;
  }
  json.update(report.details);
  return json;
}

struct EvaluateOptions {
  std::vector<std::string> folders;
  std::string task;
  RunOptions run;
  bool json = false;
  std::string output = "text";
  std::vector<std::string> metric;
};

Options OptionsFor(const TaskSettings& task, OptionSet& evaluation,
                   EvaluateOptions& chosen) {
  Options options(
      "evaluate",
      "Measures models on examples with known answers. Measures and options "
      "depend on the task: heed evaluate DIR --help, or heed evaluate --task "
      "NAME --help. For translation: BLEU as sacreBLEU counts it (13a), chrF2, "
      "loss, exact match, word error rate; several models give one line each "
      "in the plot.");
  options.ModelFolders(chosen.folders, "model folders");
  FieldList& v = options.fields();
  evaluation.Visit(v);
  if (FindField(v.fields(), kMetricKey) == nullptr) {
    v.Section("Measures");
    v(kMetricKey, chosen.metric, Any{"NAMES"}, kMetricHelp);
  }
  v.Section("Run");
  v("task", chosen.task, OneOf(TaskNames()),
    "show the options of this task (with --help)");
  v("output", chosen.output, OneOf{"text", "json"},
    "json: one object on standard output");
  v("json", chosen.json, "print JSON, as --output json");
  chosen.run.Visit(v);
  options.Example(
      "heed evaluate model --source test.en --target test.de --lowercase");
  options.Example(
      "heed evaluate fixed attention --source test.en --target test.de "
      "--by-length length.svg");
  options.SubjectIs(fmt::format("a model for task '{}'", task.task()));
  chosen.folders.clear();
  return options;
}

std::vector<std::string> MetricOf(Options& options) {
  return FindField(options.fields().fields(), kMetricKey)
      ->Value()
      .get<std::vector<std::string>>();
}

/// Title of a report: "a + b + c" for a model and the models of its ensemble.
std::string Heading(const std::string& folder, const Report& report) {
  std::string heading = folder;
  for (const std::string& other : report.models) heading += " + " + other;
  return heading;
}

/// File for the curve by length; "" if the option is not set.
std::string PlotOf(OptionSet& evaluation) {
  FieldList list;
  evaluation.Visit(list);
  const Field* plot = FindField(list.fields(), "by_length");
  return plot != nullptr && plot->IsSet() ? plot->Value().get<std::string>()
                                          : "";
}

}  // namespace

int RunEvaluate(const Arguments& arguments) {
  EvaluateOptions chosen;
  std::unique_ptr<OptionSet> evaluation;
  const auto shown = PeekTask(arguments, [&](TaskSettings& task) {
    evaluation = task.EvaluateOptions();
    return OptionsFor(task, *evaluation, chosen).fields().fields();
  });
  evaluation = shown->EvaluateOptions();
  if (!OptionsFor(*shown, *evaluation, chosen).Parse(arguments)) return 0;
  const std::vector<std::string> folders = chosen.folders;
  CheckSameTask(folders);
  const bool json = chosen.json || chosen.output == "json";
  const ThreadLimit limit(chosen.run.threads);
  const std::string plot = PlotOf(*evaluation);
  std::optional<AtomicFile> plot_file;
  if (!plot.empty()) {
    CheckPicture(plot);
    plot_file.emplace(plot);  // fails early if the file cannot be written
  }
  std::vector<Series> curves;
  LinePlotOptions axes;
  Json all = Json::array();
  for (const std::string& folder : folders) {
    const LoadedModel loaded =
        ReadModelToRun(folder, chosen.run.dtype, chosen.run.activations);
    const TaskSettings& task = *loaded.settings;
    evaluation = task.EvaluateOptions();
    Options options = OptionsFor(task, *evaluation, chosen);
    options.Parse(arguments);
    ExpandPatterns(options.fields());
    Report report = task.Evaluate(*loaded.model, *evaluation);
    ChooseFigures(MetricOf(options), report);
    if (json) {
      all.push_back(ToJson(report));
      if (folders.size() > 1) all.back()["model"] = folder;
      if (!report.models.empty()) all.back()["ensemble"] = report.models;
    } else {
      Print("{}: {}", Heading(folder, report), ReportText(report));
    }
    if (!report.curve) continue;
    report.curve->name = Heading(folder, report);
    curves.push_back(std::move(*report.curve));
    axes = report.axes;
  }
  if (json) {
    Print("{}\n", (all.size() == 1 ? all[0] : Json{{"models", all}}).dump());
  }
  if (plot_file) {
    plot_file->Write(PictureFile(plot, LinePlotSvg(curves, axes)));
    plot_file->Commit();
    if (!json) Print("\n{}", TerminalLinePlot(curves, axes, DetectTerminal()));
  }
  return 0;
}

}  // namespace heed
