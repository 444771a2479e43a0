// heed info and heed list: contents of model folders, and available choices.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/heed/commands.h"
#include "apps/heed/tasks.h"
#include "apps/heed/views.h"
#include "heed/attention/catalogue.h"
#include "heed/attention/mask.h"
#include "heed/base/console.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/models/registry.h"
#include "heed/render/mask_picture.h"
#include "heed/render/terminal.h"
#include "heed/render/timeline_picture.h"
#include "heed/tasks/run.h"
#include "heed/train/checkpoint.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

/// A row of a table: names and values of its columns.
using Row = std::vector<std::pair<std::string, std::string>>;

std::vector<Row> ModelRows() {
  std::vector<Row> rows;
  for (const ModelRow& model : Models()) {
    for (const ModelVariant& variant : model.variants) {
      rows.push_back({{"model", model.name},
                      {"variant", variant.name},
                      {"description", variant.description},
                      {"source", variant.source}});
    }
  }
  return rows;
}

std::vector<Row> TaskRows() {
  std::vector<Row> rows;
  for (const TaskRow& task : Tasks()) {
    rows.push_back({{"task", task.name}, {"description", task.description}});
  }
  return rows;
}

/// Parts of the attention algebra, or only those of one kind.
std::vector<Row> AttentionRows(const std::string& kind) {
  std::vector<Row> rows;
  for (const CataloguePart& part : AttentionCatalogue()) {
    if (!kind.empty() && part.kind != kind) continue;
    Row row = {{"formula", part.formula},
               {"runs", part.runs},
               {"source", part.source}};
    if (kind.empty()) {
      row.insert(row.begin(), {{"kind", part.kind}, {"name", part.usage}});
    } else {
      row.insert(row.begin(), {kind, part.name});
    }
    rows.push_back(row);
  }
  return rows;
}

/// Options of `heed train` for a task and a model; "": its default model.
std::vector<Row> OptionRows(const std::string& task_name,
                            const std::string& model) {
  const std::unique_ptr<TaskSettings> task = TaskNamed(task_name).settings();
  if (!model.empty()) task->ChooseModel(model);
  TrainingConfig training = TrainingDefaults(*task);
  FieldList fields;
  task->VisitAll(fields);
  task->VisitTraining(fields, training);
  std::vector<Row> rows;
  for (const FieldDescription& field : DescribeFields(fields.fields())) {
    rows.push_back({{"key", field.key},
                    {"type", field.type},
                    {"default", field.default_value},
                    {"range", field.range},
                    {"section", field.section},
                    {"help", field.help}});
  }
  return rows;
}

/// Argument of a mask, reduced so that its effect is visible in a small
/// pattern.
double ShownArgument(const PartArgument& argument, int size) {
  const double max = std::max(argument.minimum, std::floor(size / 3.0));
  return std::min(argument.initial, max);
}

MaskPattern PatternOf(const Mask& mask, int size) {
  MaskPattern pattern;
  pattern.size = size;
  for (int t = 0; t < size; ++t) {
    for (int s = 0; s < size; ++s) {
      pattern.may.push_back(mask.May(0, t, s));
    }
  }
  return pattern;
}

/// Patterns of no mask and of every mask, or of the mask that `text` describes.
/// Throws: ConfigError.
std::vector<MaskPattern> MaskPatterns(const std::string& text, int size) {
  const MaskSizes sizes = {1, size, size};
  std::vector<MaskPattern> patterns;
  if (!text.empty()) {
    patterns.push_back(PatternOf(ParseMask(text, sizes), size));
    patterns.back().name = text;
    return patterns;
  }
  patterns.push_back(PatternOf(Mask(), size));
  patterns.back().name = "none";
  patterns.back().formula = "all";
  for (const MaskInfo& info : Masks()) {
    std::vector<double> arguments;
    for (const PartArgument& argument : info.arguments) {
      arguments.push_back(ShownArgument(argument, size));
    }
    patterns.push_back(PatternOf(info.make(arguments, sizes), size));
    patterns.back().name =
        arguments.empty()
            ? info.name
            : fmt::format("{}({})", info.name, fmt::join(arguments, ", "));
    patterns.back().formula = info.formula;
  }
  // Puts masks without arguments first, after "none".
  std::stable_partition(patterns.begin(), patterns.end(),
                        [](const MaskPattern& pattern) {
                          return pattern.name.find('(') == std::string::npos;
                        });
  return patterns;
}

/// Timeline with models on the left and parts of attention on the right.
std::vector<TimelineEntry> TimelineEntries() {
  std::vector<TimelineEntry> entries;
  for (const ModelRow& model : Models()) {
    for (const ModelVariant& variant : model.variants) {
      const bool named = model.variants.size() > 1;
      entries.push_back({named
                             ? fmt::format("{} ({})", model.name, variant.name)
                             : model.name,
                         variant.source, true});
    }
  }
  for (const CataloguePart& part : AttentionCatalogue()) {
    entries.push_back({part.name, part.source, false});
  }
  return entries;
}

struct ListOptions {
  std::string what;
  std::string task;
  std::string model;
  int masks = 0;
  std::string mask;
  std::string out;
  bool json = false;
};

Options OptionsForList(ListOptions& o) {
  Options options(
      "list",
      "Lists the available tasks, models, scores, or attentions, which consist "
      "of a score, modifiers, a mask and a normalizer. An attention runs "
      "through a fused kernel if all of its parts do. timeline: models and "
      "parts by the year of their papers. options: the options of heed train "
      "for a task.");
  options.Positional(
      "WHAT", o.what,
      OneOf{"tasks", "models", "attentions", "scores", "timeline", "options"},
      "what to list");
  FieldList& v = options.fields();
  v("task", o.task, OneOf(TaskNames()), "options: those of training this task");
  v("model", o.model, Any{"NAME"}, "options: those of training this model");
  v("masks", o.masks, Range(0, 64),
    "attentions: draw the masks of N positions instead (which may attend to "
    "which); 0: no masks");
  v("mask", o.mask, Any{"MASK"},
    "with --masks: draw only this mask, such as 'causal && window(4)'");
  v("out", o.out, Any{"FILE"},
    "with --masks, and for timeline: write the picture, .svg or .png");
  v("json", o.json, "one JSON object on standard output");
  options.Example("heed list models");
  options.Example("heed list attentions");
  options.Example("heed list attentions --masks 12 --out masks.svg");
  options.Example("heed list timeline --out timeline.svg");
  options.Example("heed list scores --json");
  options.Example(
      fmt::format("heed list options --task {} --json", Tasks().front().name));
  return options;
}

void CheckListChoices(const ListOptions& o) {
  if (o.what == "options" && o.task.empty()) {
    throw ConfigError("--task is needed: options depend on the task");
  }
  if (o.what != "options" && !(o.task + o.model).empty()) {
    throw ConfigError("--task and --model: only options depend on them");
  }
  if (o.masks > 0 && o.what != "attentions") {
    throw ConfigError("--masks: only attentions have masks");
  }
  if (!o.mask.empty() && o.masks == 0) {
    throw ConfigError("--mask needs --masks, how many positions it is for");
  }
  if (o.out.empty()) return;
  if (o.masks == 0 && o.what != "timeline") {
    throw ConfigError(
        "--out: there is no picture of {}, but one of attentions with --masks, "
        "and one of timeline",
        o.what);
  }
  CheckPicture(o.out);
}

int ListMasks(const ListOptions& o) {
  const std::vector<MaskPattern> patterns = MaskPatterns(o.mask, o.masks);
  if (!o.out.empty()) WritePicture(o.out, MasksSvg(patterns));
  if (!o.json) {
    Print("{}", MasksText(patterns, DetectTerminal()));
    return 0;
  }
  Json list = Json::array();
  for (const MaskPattern& p : patterns) {
    Json rows = Json::array();
    for (int64_t t = 0; t < p.size; ++t) {
      Json row = Json::array();
      for (int64_t s = 0; s < p.size; ++s) row.push_back(p.May(t, s) ? 1 : 0);
      rows.push_back(row);
    }
    list.push_back({{"name", p.name}, {"formula", p.formula}, {"may", rows}});
  }
  Print("{}\n", Json{{"masks", list}}.dump());
  return 0;
}

std::vector<Row> RowsOf(const ListOptions& o) {
  const std::string& what = o.what;
  if (what == "tasks") return TaskRows();
  if (what == "models") return ModelRows();
  if (what == "scores") return AttentionRows("score");
  if (what == "attentions") return AttentionRows("");
  if (what == "options") return OptionRows(o.task, o.model);
  std::vector<Row> rows;
  for (const TimelineEntry& entry : TimelineEntries()) {
    const std::optional<int> year = YearOf(entry.source);
    if (!year) continue;
    rows.push_back({{"year", std::to_string(*year)},
                    {"kind", entry.left ? "model" : "attention"},
                    {"name", entry.name},
                    {"source", entry.source}});
  }
  std::ranges::stable_sort(rows, {},
                           [](const Row& row) { return row.front().second; });
  return rows;
}

/// Prints all settings by section, and the tensors.
void PrintSettings(const LoadedModel& loaded) {
  std::string section;
  const auto describe = [&section](FieldList& v) {
    for (const FieldDescription& field : DescribeFields(v.fields())) {
      if (field.section != section) {
        section = field.section;
        Print("\n{}\n", section);
      }
      Print("  {:<24}{}\n", field.key, field.default_value);
    }
  };
  FieldList fields;
  loaded.settings->VisitAll(fields);
  TrainingConfig training = loaded.training;
  training.Visit(fields);
  describe(fields);
  Print("\nTensors\n");
  for (const auto& p : std::as_const(*loaded.model).parameters().all()) {
    Print("  {:<40}{}\n", p->name(), p->value().shape().ToString());
  }
}

/// Path of the licence file of an imported model; "": there is none.
std::string LicenceIn(const std::string& folder) {
  const std::string path = PathIn(folder, kLicenceFile);
  return std::filesystem::exists(path) ? path : "";
}

/// Prints a header and rows in aligned columns.
void PrintRows(std::vector<Row> rows) {
  constexpr int kGap = 2;
  Row head = rows[0];
  for (auto& [key, value] : head) value = key;
  rows.insert(rows.begin(), head);
  std::vector<int> widths(head.size());
  for (const Row& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], DisplayWidth(row[i].second));
    }
  }
  for (const Row& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string& text = row[i].second;
      const int padding =
          i + 1 < row.size() ? widths[i] + kGap - DisplayWidth(text) : 0;
      line += text + std::string(static_cast<size_t>(padding), ' ');
    }
    Print("{}\n", line);
  }
}

}  // namespace

int RunList(const Arguments& arguments) {
  ListOptions o;
  if (!OptionsForList(o).Parse(arguments)) return 0;
  CheckListChoices(o);
  if (o.masks > 0) return ListMasks(o);
  if (o.what == "timeline" && !o.out.empty()) {
    WritePicture(o.out, TimelineSvg(TimelineEntries(), "Models",
                                    "Scores, modifiers, masks, normalisers"));
  }
  if (o.what == "timeline" && !o.json) {
    Print("{}", TimelineText(TimelineEntries(), DetectTerminal()));
    return 0;
  }
  const std::vector<Row> rows = RowsOf(o);
  if (!o.json) {
    PrintRows(rows);
    return 0;
  }
  Json list = Json::array();
  for (const Row& row : rows) {
    Json object;
    for (const auto& [key, value] : row) object[key] = value;
    list.push_back(object);
  }
  Print("{}\n", Json{{o.what, list}}.dump());
  return 0;
}

int RunInfo(const Arguments& arguments) {
  std::string folder;
  bool json = false;
  Options options("info",
                  "Describes a model folder: sizes, training, every setting.");
  options.ModelFolder(folder);
  options.fields()("json", json, "one JSON object on standard output");
  options.Example("heed info model");
  if (!options.Parse(arguments)) return 0;

  const LoadedModel loaded = ReadModel(folder);
  const std::string task = loaded.settings->task();
  const ParameterSet& parameters = loaded.model->parameters();
  Json settings = ReadModelSettings(folder);
  const auto metadata = [&loaded](const char* key) {
    const auto found = loaded.metadata.find(key);
    return found == loaded.metadata.end() ? std::string() : found->second;
  };
  const auto setting = [&settings](const char* key) {
    return settings.value(key, std::string());
  };
  const std::string licence = LicenceIn(folder);
  if (json) {
    Json tensors = Json::array();
    for (const auto& p : parameters.all()) {
      Json shape = Json::array();
      for (int i = 0; i < p->value().rank(); ++i)
        shape.push_back(p->value().dim(i));
      tensors.push_back({{"name", p->name()}, {"shape", shape}});
    }
    Json all = {{"folder", folder},
                {"task", task},
                {"model", setting("model")},
                {"variant", setting("variant")},
                {"parameters", parameters.elements()}};
    for (const auto& [name, size] : loaded.model->Sizes()) all[name] = size;
    all.update({{"step", metadata("heed.step")},
                {"metric", metadata("heed.metric")},
                {"score", metadata("heed.score")},
                {"validated", !metadata("heed.score").empty()},
                {"imported", metadata(kImportedKey)},
                {"family", metadata(kFamilyKey)},
                {"licence", licence},
                {"config", settings},
                {"tensors", tensors}});
    Print("{}\n", all.dump());
    return 0;
  }
  Print("{}: {}, {}{}, {} parameters", folder, task, setting("model"),
        setting("variant").empty() ? "" : " (" + setting("variant") + ")",
        parameters.elements());
  for (const auto& [name, size] : loaded.model->Sizes()) {
    std::string words = name;
    std::ranges::replace(words, '_', ' ');
    Print(", {} of {}", words, size);
  }
  Print("\n");
  if (!metadata(kImportedKey).empty()) {
    Print("imported from {}{}; licence: {}\n", metadata(kImportedKey),
          metadata(kFamilyKey).empty()
              ? ""
              : fmt::format(", family {}", metadata(kFamilyKey)),
          licence.empty() ? "no file came with the model" : licence);
  }
  if (!metadata("heed.score").empty()) {
    Print("weights of step {}, validation {} {}\n", metadata("heed.step"),
          metadata("heed.metric"), metadata("heed.score"));
  } else if (!UnvalidatedNote(folder, loaded.metadata).empty()) {
    Print("weights of step {}, not validated\n", metadata("heed.step"));
  }
  PrintSettings(loaded);
  return 0;
}

}  // namespace heed
