#include "heed/tasks/task.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "heed/base/errors.h"
#include "heed/tasks/pretrained.h"
#include "heed/train/progress.h"

namespace heed {

std::string FigureText(double value, int decimals) {
  return std::isnan(value) ? "-" : fmt::format("{:.{}f}", value, decimals);
}

std::unique_ptr<PretrainedEncoder> TaskModel::encoder() const {
  return nullptr;
}

void ChooseFigures(const std::vector<std::string>& keys, Report& report) {
  if (keys.empty()) return;
  std::vector<std::string> known;
  for (const Figure& figure : report.figures) known.push_back(figure.key);
  std::vector<Figure> chosen;
  for (const std::string& key : keys) {
    const auto found = std::ranges::find(report.figures, key, &Figure::key);
    if (found == report.figures.end()) {
      throw ConfigError("--metric: '{}' is not measured here{} (valid: {})",
                        key, DidYouMean(key, known), fmt::join(known, ", "));
    }
    chosen.push_back(*found);
    chosen.back().on_request = false;
  }
  report.figures = std::move(chosen);
  report.text.clear();
}

ModelOutline OutlineOf(const ParameterSet& parameters) {
  std::vector<std::pair<std::string, int64_t>> parts;
  for (const auto& parameter : parameters.all()) {
    const std::string& path = parameter->name();
    std::string name = path.substr(0, path.find('.'));
    const auto found =
        std::ranges::find(parts, name, &std::pair<std::string, int64_t>::first);
    const int64_t count = parameter->value().numel();
    if (found == parts.end()) {
      parts.emplace_back(std::move(name), count);
    } else {
      found->second += count;
    }
  }
  OutlineSequence sequence = {"network", "source", false, false, {}};
  for (const auto& part : parts) {
    sequence.blocks.push_back({{{OutlinePart::Kind::kWhole, part.first, 0,
                                 Counted(part.second, "weight")}},
                               1});
  }
  return {{}, {std::move(sequence)}};
}

InputKind TaskSettings::input_kind() const { return TaskNamed(task()).input; }

void TaskSettings::VisitAll(FieldList& v) {
  const auto count_main = [&] {
    return std::ranges::count_if(v.fields(), &Field::main);
  };
  const auto before = count_main();
  Visit(v);
  // The short help has room for ten options; `pretrained` is included unless
  // the task's own main options fill it.
  constexpr int kRoom = 4;
  const bool is_main = count_main() - before <= kRoom;
  std::vector<std::string> starts;
  for (const TaskRow& row : Tasks()) {
    if (CanStartFrom(row)) starts.push_back(row.name);
  }
  v.Section("Start");
  v("pretrained", pretrained, Any{"DIR"},
    fmt::format("fine-tune the trained or imported model in this folder, of "
                "the same task: keep its settings, vocabularies and weights, "
                "with a new optimiser{}; --freeze excludes parameters",
                starts.empty() ? ""
                               : fmt::format(" (also the encoder of --task {})",
                                             fmt::join(starts, " or "))));
  if (is_main) v.Main();
}

void VisitWithoutSmoothing(FieldList& v, TrainingConfig& training) {
  training.Visit(v);
  v.Remove("label_smoothing", "the loss of this task has no labels to smooth");
}

const TaskRow& TaskNamed(const std::string& name) {
  std::vector<std::string> names;
  for (const TaskRow& row : Tasks()) {
    if (row.name == name) return row;
    names.push_back(row.name);
  }
  throw ConfigError("unknown task '{}'{} (valid: {})", name,
                    DidYouMean(name, names), fmt::join(names, ", "));
}

std::string VocabularySizeNote(int64_t size, int requested) {
  if (requested == 0 || size == requested) return "";
  return size < requested
             ? fmt::format(" (the text does not allow {})", requested)
             : fmt::format(" ({} are too few for its characters)", requested);
}

}  // namespace heed
