// heed info and heed list: what a folder holds, and what there is to choose.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/heed/commands.h"
#include "heed/attention/catalogue.h"
#include "heed/base/text.h"
#include "heed/models/registry.h"
#include "heed/tasks/run.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

/// One row of a list: its columns by name.
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

/// The parts of the attention algebra, or those of one kind.
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

/// A head, then columns as wide as their widest entry.
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
    fmt::print("{}\n", line);
  }
}

}  // namespace

int RunList(const Arguments& arguments) {
  std::string what;
  bool json = false;
  Options options(
      "list",
      "Lists what there is to choose from: tasks; models; attentions, "
      "which are put together from a score, modifiers, a mask and "
      "a normalizer; or scores alone. An attention runs through a "
      "fused kernel if all of its parts do.");
  options.Positional("WHAT", what,
                     OneOf{"tasks", "models", "attentions", "scores"},
                     "what to list");
  options.fields()("json", json, "one JSON object on standard output");
  options.Example("heed list models");
  options.Example("heed list attentions");
  options.Example("heed list scores --json");
  if (!options.Parse(arguments)) return 0;
  const std::vector<Row> rows = what == "tasks"    ? TaskRows()
                                : what == "models" ? ModelRows()
                                : what == "scores" ? AttentionRows("score")
                                                   : AttentionRows("");
  if (!json) {
    PrintRows(rows);
    return 0;
  }
  Json list = Json::array();
  for (const Row& row : rows) {
    Json object;
    for (const auto& [key, value] : row) object[key] = value;
    list.push_back(object);
  }
  fmt::print("{}\n", Json{{what, list}}.dump());
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
                {"config", settings},
                {"tensors", tensors}});
    fmt::print("{}\n", all.dump());
    return 0;
  }
  fmt::print("{}: {}, {}{}, {} parameters", folder, task, setting("model"),
             setting("variant").empty() ? "" : " (" + setting("variant") + ")",
             parameters.elements());
  for (const auto& [name, size] : loaded.model->Sizes()) {
    std::string words = name;
    std::ranges::replace(words, '_', ' ');
    fmt::print(", {} of {}", words, size);
  }
  fmt::print("\n");
  if (!metadata("heed.score").empty()) {
    fmt::print("weights of step {}, validation {} {}\n", metadata("heed.step"),
               metadata("heed.metric"), metadata("heed.score"));
  }
  std::string section;
  const auto describe = [&section](FieldList& v) {
    for (const FieldDescription& field : DescribeFields(v.fields())) {
      if (field.section != section) {
        section = field.section;
        fmt::print("\n{}\n", section);
      }
      fmt::print("  {:<24}{}\n", field.key, field.default_value);
    }
  };
  FieldList fields;
  loaded.settings->VisitAll(fields);
  TrainingConfig training = loaded.training;
  training.Visit(fields);
  describe(fields);
  fmt::print("\nTensors\n");
  for (const auto& p : parameters.all()) {
    fmt::print("  {:<40}{}\n", p->name(), p->value().shape().ToString());
  }
  return 0;
}

}  // namespace heed
