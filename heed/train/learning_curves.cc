#include "heed/train/learning_curves.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/json.h"
#include "heed/io/file.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kLogFile = "metrics.jsonl";
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// A line of the record.
struct RecordLine {
  int64_t step = 0;
  double time = kNaN;  // seconds since 1970
  double epoch = kNaN;
  std::vector<std::pair<std::string, double>> values;
};

std::optional<RecordLine> ParseLine(const std::string& text) {
  Json json;
  try {
    json = ParseJson(text, kLogFile);
  } catch (const FormatError&) {
    return std::nullopt;
  }
  if (!json.is_object() || !json.contains("step") ||
      !json["step"].is_number_integer()) {
    return std::nullopt;
  }
  RecordLine line;
  line.step = json["step"].get<int64_t>();
  for (const auto& [key, value] : json.items()) {
    if (!value.is_number() && !value.is_null()) return std::nullopt;
    const double number = value.is_null() ? kNaN : value.get<double>();
    if (key == "time") {
      line.time = number;
    } else if (key == "epoch") {
      line.epoch = number;
    } else if (key != "step") {
      line.values.emplace_back(key, number);
    }
  }
  return line;
}

/// Lines of a record; of repeated steps the later lines.
std::vector<RecordLine> ReadRecordLines(const std::string& path,
                                        std::vector<std::string>& problems) {
  const std::string text = ReadFile(path);
  std::vector<RecordLine> lines;
  size_t number = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string content = text.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    if (content.find_first_not_of(" \r") == std::string::npos) continue;
    std::optional<RecordLine> line = ParseLine(content);
    if (!line) {
      problems.push_back(fmt::format(
          "{}:{}: no record of a step (damaged?), left out", path, number));
      continue;
    }
    if (!lines.empty() && line->step < lines.back().step) {
      while (!lines.empty() && lines.back().step >= line->step) {
        lines.pop_back();
      }
    }
    lines.push_back(std::move(*line));
  }
  return lines;
}

/// Training time at each line in hours. A pause far longer than the median,
/// between a stop and its resume, counts as a median pause.
std::vector<double> TrainingHours(const std::vector<RecordLine>& lines) {
  std::vector<double> pauses;
  for (size_t i = 1; i < lines.size(); ++i) {
    pauses.push_back(lines[i].time - lines[i - 1].time);
  }
  std::vector<double> sorted;
  std::ranges::copy_if(pauses, std::back_inserter(sorted),
                       [](double pause) { return pause >= 0; });
  std::ranges::sort(sorted);
  const double usual = sorted.empty() ? 0 : sorted[sorted.size() / 2];
  constexpr double kShortestBreak = 60;  // seconds
  const double longest = std::max(kShortestBreak, 20 * usual);
  std::vector<double> hours(lines.size(), 0);
  for (size_t i = 1; i < lines.size(); ++i) {
    const double pause = pauses[i - 1];
    const bool counts = pause >= 0 && pause <= longest;
    hours[i] = hours[i - 1] + (counts ? pause : usual) / 3600;
  }
  return hours;
}

/// Last component of a path, or the whole path if there is none.
std::string BaseName(const std::string& folder) {
  std::filesystem::path path = std::filesystem::path(folder).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  const std::string name = path.filename().string();
  return name.empty() || name == "." ? folder : name;
}

/// Display text of a value: last component of a path, joined elements of a
/// list.
std::string ValueText(const Json& value) {
  if (value.is_string()) {
    const auto text = value.get<std::string>();
    return text.find('/') == std::string::npos ? text : BaseName(text);
  }
  if (!value.is_array()) return value.dump();
  std::vector<std::string> elements;
  for (const Json& element : value) elements.push_back(ValueText(element));
  return fmt::format("{}", fmt::join(elements, "+"));
}

std::string SettingText(const Json& settings, const std::string& key) {
  const std::string text =
      settings.contains(key) ? ValueText(settings[key]) : "";
  return text.empty() ? "none" : text;
}

using Group = std::vector<const TrainingRecord*>;

bool HaveTheSame(const Group& records, const std::string& key) {
  return std::ranges::all_of(records, [&](const TrainingRecord* record) {
    return SettingText(record->settings, key) ==
           SettingText(records.front()->settings, key);
  });
}

bool AllHave(const Group& records, const std::string& key) {
  return std::ranges::all_of(records, [&](const TrainingRecord* record) {
    return record->settings.contains(key);
  });
}

/// True if there are several models and the runs of each model share the
/// setting.
bool FollowsTheModel(const Group& records, const std::string& key) {
  if (key == "model") return false;
  std::map<std::string, Group> models;
  for (const TrainingRecord* record : records) {
    models[SettingText(record->settings, "model")].push_back(record);
  }
  return models.size() > 1 &&
         std::ranges::all_of(models, [&](const auto& model) {
           return HaveTheSame(model.second, key);
         });
}

/// Settings that differ between runs and describe training; settings that
/// differ between runs of one model come first.
std::vector<std::string> DifferingSettings(
    std::span<const TrainingRecord> all) {
  const std::set<std::string> kept_out = {"out", "overwrite", "quiet", "heed"};
  Group records;
  std::vector<std::string> keys;
  for (const TrainingRecord& record : all) {
    if (record.settings.empty()) continue;
    records.push_back(&record);
    for (const auto& [key, value] : record.settings.items()) {
      if (kept_out.contains(key) || std::ranges::find(keys, key) != keys.end())
        continue;
      keys.push_back(key);
    }
  }
  std::erase_if(keys, [&](const std::string& key) {
    return HaveTheSame(records, key) ||
           (!AllHave(records, key) && FollowsTheModel(records, key));
  });
  // A setting with the same values as an earlier one adds no information.
  std::set<std::vector<std::string>> known;
  std::erase_if(keys, [&](const std::string& key) {
    std::vector<std::string> values;
    for (const TrainingRecord* record : records) {
      values.push_back(SettingText(record->settings, key));
    }
    return !known.insert(values).second;
  });
  std::stable_partition(keys.begin(), keys.end(), [&](const std::string& key) {
    return !FollowsTheModel(records, key);
  });
  return keys;
}

/// Display name of a metric: "validation BLEU" for "valid_bleu".
std::string MeasureText(const std::string& measure) {
  if (measure == "nll") return "training loss";
  if (measure == "loss") return "training loss with its penalties";
  std::string text = measure;
  if (text.starts_with("valid_")) text.replace(0, 6, "validation ");
  std::ranges::replace(text, '_', ' ');
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6>
      kNames = {{{"bleu", "BLEU"},
                 {"chrf", "chrF"},
                 {"ter", "TER"},
                 {"f1", "F1"},
                 {"aer", "AER"},
                 {"rouge l", "ROUGE-L"}}};
  for (const auto& [key, name] : kNames) {
    const size_t at = text.rfind(key);
    if (at != std::string::npos && at + key.size() == text.size()) {
      text.replace(at, key.size(), name);
    }
  }
  return text;
}

bool HasValues(const TrainingRecord& record, const std::string& measure) {
  const auto found = record.curves.find(measure);
  return found != record.curves.end() &&
         std::ranges::any_of(found->second.values,
                             [](double v) { return std::isfinite(v); });
}

bool AnyHas(std::span<const TrainingRecord> records,
            const std::string& measure) {
  return std::ranges::any_of(records, [&](const TrainingRecord& record) {
    return HasValues(record, measure);
  });
}

std::vector<std::string> UsualMeasures(
    std::span<const TrainingRecord> records) {
  std::vector<std::string> measures = {"nll", "valid_loss"};
  for (const TrainingRecord& record : records) {
    const std::string chosen =
        "valid_" + SettingText(record.settings, "metric");
    if (std::ranges::find(measures, chosen) == measures.end()) {
      measures.push_back(chosen);
    }
  }
  measures.emplace_back("learning_rate");
  std::erase_if(measures, [&](const std::string& measure) {
    return !AnyHas(records, measure);
  });
  if (measures.empty()) {
    std::vector<std::string> folders;
    for (const TrainingRecord& record : records) {
      folders.push_back(record.folder + "/" + kLogFile);
    }
    throw ConfigError(
        "{}: nothing to draw yet (a run records its first update)",
        fmt::join(folders, ", "));
  }
  return measures;
}

void CheckMeasures(std::span<const TrainingRecord> records,
                   const std::vector<std::string>& measures) {
  std::set<std::string> all;
  for (const TrainingRecord& record : records) {
    for (const auto& [name, curve] : record.curves) {
      if (HasValues(record, name)) all.insert(name);
    }
  }
  for (const std::string& measure : measures) {
    if (all.contains(measure)) continue;
    throw ConfigError(
        "measures: no run recorded '{}' (there are: "
        "{})",
        measure, fmt::join(all, ", "));
  }
}

/// Averages neighbouring points down to at most 400 points.
Series Thin(const Series& series) {
  constexpr size_t kMax = 400;
  const size_t size = series.x.size();
  if (size <= kMax) return series;
  Series thin;
  thin.name = series.name;
  for (size_t i = 0; i < kMax; ++i) {
    const size_t begin = i * size / kMax;
    const size_t end = (i + 1) * size / kMax;
    double x = 0, y = 0;
    int finite = 0;
    for (size_t j = begin; j < end; ++j) {
      x += series.x[j];
      if (!std::isfinite(series.y[j])) continue;
      y += series.y[j];
      ++finite;
    }
    thin.x.push_back(x / static_cast<double>(end - begin));
    thin.y.push_back(finite > 0 ? y / finite : kNaN);
  }
  return thin;
}

const std::vector<double>& Abscissa(const LearningCurve& curve, CurveAxis x) {
  return x == CurveAxis::kUpdates  ? curve.updates
         : x == CurveAxis::kEpochs ? curve.epochs
                                   : curve.hours;
}

}  // namespace

TrainingRecord ReadTrainingRecord(const std::string& folder) {
  TrainingRecord record;
  record.folder = folder;
  const std::string path = folder + "/" + kLogFile;
  if (!std::filesystem::exists(path)) {
    throw IoError("{}: missing; a folder that heed train writes has one", path);
  }
  const std::string config = folder + "/config.json";
  if (std::filesystem::exists(config)) {
    record.settings = ParseJson(ReadFile(config), config);
  }
  if (!record.settings.is_object()) record.settings = Json::object();
  const std::vector<RecordLine> lines = ReadRecordLines(path, record.problems);
  const std::vector<double> hours = TrainingHours(lines);
  for (size_t i = 0; i < lines.size(); ++i) {
    for (const auto& [name, value] : lines[i].values) {
      LearningCurve& curve = record.curves[name];
      curve.updates.push_back(static_cast<double>(lines[i].step));
      curve.epochs.push_back(lines[i].epoch);
      curve.hours.push_back(hours[i]);
      curve.values.push_back(value);
    }
  }
  return record;
}

std::vector<std::string> NameRuns(std::span<const TrainingRecord> records) {
  constexpr size_t kMax = 6;  // settings in a name
  std::set<std::string> bases;
  for (const TrainingRecord& record : records) {
    bases.insert(BaseName(record.folder));
  }
  const bool distinct = bases.size() == records.size();
  const std::vector<std::string> keys = DifferingSettings(records);
  std::vector<std::string> names;
  for (const TrainingRecord& record : records) {
    std::vector<std::string> parts;
    if (!record.settings.empty()) {
      for (size_t i = 0; i < std::min(kMax, keys.size()); ++i) {
        parts.push_back(keys[i] + " " + SettingText(record.settings, keys[i]));
      }
      if (keys.size() > kMax) parts.emplace_back("…");
    }
    const std::string base = distinct ? BaseName(record.folder) : record.folder;
    names.push_back(parts.empty()
                        ? base
                        : fmt::format("{}: {}", base, fmt::join(parts, ", ")));
  }
  return names;
}

std::vector<LinePlotPanel> PlotLearningCurves(
    std::span<const TrainingRecord> records, std::span<const std::string> names,
    const LearningCurveOptions& options) {
  const std::vector<std::string> usual = UsualMeasures(records);
  CheckMeasures(records, options.measures);
  double longest = 0;
  for (const TrainingRecord& record : records) {
    for (const auto& [name, curve] : record.curves) {
      for (double hours : curve.hours) longest = std::max(longest, hours);
    }
  }
  const bool minutes = longest < 2;
  double farthest = 0;  // maximum over all plots, which share their x axis
  std::vector<LinePlotPanel> panels;
  for (const std::string& measure :
       options.measures.empty() ? usual : options.measures) {
    LinePlotPanel panel;
    panel.options.title = MeasureText(measure);
    panel.options.x_label = options.x != CurveAxis::kTime ? options.x.word()
                            : minutes ? "minutes of training"
                                      : "hours of training";
    for (size_t i = 0; i < records.size(); ++i) {
      Series series;
      series.name = names[i];
      const auto found = records[i].curves.find(measure);
      if (found != records[i].curves.end()) {
        series.x = Abscissa(found->second, options.x);
        series.y = found->second.values;
        if (options.x == CurveAxis::kTime && minutes) {
          for (double& x : series.x) x *= 60;
        }
        if (options.x == CurveAxis::kEpochs &&
            std::ranges::none_of(series.x,
                                 [](double x) { return std::isfinite(x); })) {
          throw ConfigError("x: {}/{} has no epochs; use --x updates",
                            records[i].folder, kLogFile);
        }
        for (double x : series.x) {
          if (std::isfinite(x)) farthest = std::max(farthest, x);
        }
      }
      panel.series.push_back(Thin(series));
    }
    panels.push_back(std::move(panel));
  }
  for (LinePlotPanel& panel : panels) panel.options.x_holds = {0, farthest};
  return panels;
}

}  // namespace heed
