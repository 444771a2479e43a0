#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/json.h"
#include "heed/tasks/one_answer/model.h"
#include "heed/tasks/plain_text.h"
#include "heed/tasks/text_vocabulary.h"

namespace heed::one_answer {
namespace {

void VisitExamples(FieldList& v, const std::string& prefix,
                   const std::string& purpose, LabelledFiles& files) {
  v(prefix + "examples", files.texts, Any{"FILE"},
    "lists of inputs with their answers " + purpose + " (.gz too)")
      .Main();
}

NumberScale ScaleOf(const std::vector<double>& numbers) {
  if (numbers.empty()) return {};
  const auto count = static_cast<double>(numbers.size());
  NumberScale scale;
  scale.mean = std::accumulate(numbers.begin(), numbers.end(), 0.0) / count;
  double squares = 0;
  for (const double number : numbers) {
    squares += (number - scale.mean) * (number - scale.mean);
  }
  if (squares > 0) scale.deviation = std::sqrt(squares / count);
  return scale;
}

}  // namespace

Settings::Settings(std::shared_ptr<const OneAnswerTask> task)
    : task_(std::move(task)) {
  format = task_->format;
}

void Settings::Visit(FieldList& v) {
  v.Section("Data");
  VisitExamples(v, "", "for training", train);
  v.Require({{"examples"}});
  VisitExamples(v, "valid_", "for validation", valid);
  format.VisitTable(v);
  v("max_length", max_length, Range(0, 1000000),
    "symbols of an input at most; a longer one is an error; 0: no limit");
  VisitBatches(v, "symbols", batch_symbols, "inputs", batch_inputs);
  encoder.VisitName(v, "encoder of the symbols");
  classifier.Visit(v);
  encoder->Visit(v);
}

void Settings::VisitTraining(FieldList& v, TrainingConfig& training) const {
  if (task_->labels.empty()) return VisitWithoutSmoothing(v, training);
  training.Visit(v);
}

void Settings::SetDefaults(TrainingConfig& training) const {
  training.optimizer.label_smoothing = 0;
}

void Settings::Resolve() {
  encoder->Fill({.length = max_length});
  max_length = LimitWithin(encoder->positions(), max_length);
}

Data Settings::Read() const {
  Data data;
  if (!valid.texts.empty()) {
    data.valid = ReadExamples(*task_, valid, format, max_length);
  }
  data.train = ReadExamples(*task_, train, format, max_length);
  return data;
}

std::unique_ptr<Model> Settings::MakeModel(const Data& data,
                                           uint64_t seed) const {
  return std::make_unique<Model>(task_, *this, ScaleOf(data.train.numbers),
                                 seed);
}

std::unique_ptr<Model> Settings::Open(const ModelFiles& files,
                                      const std::string& folder,
                                      uint64_t seed) const {
  NumberScale scale;
  if (task_->labels.empty()) {
    const std::string place = PathIn(folder, kScaleFile);
    const auto json = ParseJson(FindFile(files, folder, kScaleFile), place);
    try {
      scale = {json.at("mean").get<double>(),
               json.at("deviation").get<double>()};
    } catch (const nlohmann::json::exception& error) {
      throw FormatError("{}: {}", place, error.what());
    }
    if (!(scale.deviation > 0)) {
      throw FormatError("{}: the deviation is not above 0", place);
    }
  }
  return std::make_unique<Model>(task_, *this, scale, seed);
}

Evaluation Settings::evaluation() const {
  Evaluation options;
  options.format = format;
  return options;
}

void Evaluation::Visit(FieldList& v) {
  v.Section("Data");
  VisitExamples(v, "", "to compare with", files);
  v.Require({{"examples"}});
  format.VisitTable(v);
}

}  // namespace heed::one_answer

namespace heed {

TaskRow MakeTask(OneAnswerTask task) {
  if (task.symbols.empty() || !task.read || task.labels.size() == 1) {
    throw ConfigError(
        "task {}: it needs names of symbols, a reader, and two labels or none",
        task.row.name);
  }
  if (!task.axis) {
    task.axis = [symbols = task.symbols, label = task.row.input_label](
                    const std::vector<int32_t>& ids) {
      std::vector<std::string> names;
      for (const int32_t id : ids) {
        names.push_back(symbols.at(static_cast<size_t>(id)));
      }
      return NamesAxis("source", label, std::move(names));
    };
  }
  TaskRow row = task.row;
  if (row.training.empty()) {
    row.training = {"--examples train.tsv --valid-examples valid.tsv"};
  }
  row.settings = [own =
                      std::make_shared<const OneAnswerTask>(std::move(task))] {
    return std::make_unique<one_answer::Settings>(own);
  };
  return row;
}

}  // namespace heed
