// Small models of every task with random weights, and inputs for them.
#ifndef HEED_TASKS_EXPLAIN_TESTING_H_
#define HEED_TASKS_EXPLAIN_TESTING_H_

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "heed/base/base64.h"
#include "heed/base/testing.h"
#include "heed/io/file.h"
#include "heed/tasks/input.h"
#include "heed/tasks/run.h"
#include "heed/tasks/testing.h"

namespace heed {

/// Data of a task in tests/samples, which the end-to-end tests use as well.
struct TaskSample {
  std::map<std::string, std::string> files;  // name: content
  OptionTexts data;  // options of data files; "{}" is the folder
  Input input;
};

inline TaskSample SampleOf(const std::string& task) {
  const std::string path = std::string(HEED_SAMPLES_DIR) + "/" + task + ".json";
  const auto says = nlohmann::ordered_json::parse(ReadFile(path));
  TaskSample sample;
  for (const auto& [name, content] : says.at("files").items()) {
    std::string& bytes = sample.files[name];
    if (content.is_object()) {
      bytes = FromBase64(content.at("base64").get<std::string>()).value();
    } else {
      for (const auto& line : content) bytes += line.get<std::string>() + "\n";
    }
  }
  const auto& options = says.at("train");
  for (size_t i = 0; i + 1 < options.size(); ++i) {
    const auto value = options[i + 1].get<std::string>();
    if (!value.starts_with("{}") || value.find("valid") != value.npos) continue;
    std::string key = options[i].get<std::string>().substr(2);
    std::ranges::replace(key, '-', '_');
    sample.data[key] = value;
  }
  if (says.contains("input_file")) {
    const auto name = says.at("input_file").get<std::string>();
    const std::string type = says.value(
        "media_type", name.ends_with(".wav") ? "audio/wav" : "image/png");
    sample.input.content = NamedBytes{name, type, sample.files.at(name)};
  } else {
    sample.input.content = says.at("input").get<std::string>();
  }
  return sample;
}

/// A model of any task with random weights, and an input for it.
struct ExplainCase {
  std::string name;
  std::string task;
  std::string model;
  OptionTexts settings;
  int64_t maps;
  bool aligned;
  std::string text = "";  // of the sample, if empty
};

inline void PrintTo(const ExplainCase& c, std::ostream* out) { *out << c.name; }

inline Input InputOf(const ExplainCase& c) {
  return c.text.empty() ? SampleOf(c.task).input : Input{c.text};
}

inline std::string SeriesOf(int rows) {
  std::string csv = "hour,load,heat\n";
  for (int i = 0; i < rows; ++i) {
    csv += fmt::format("{},{},{}\n", i, i % 7, std::sin(i));
  }
  return csv;
}

inline std::vector<ExplainCase> ExplainCases() {
  const auto with = [](OptionTexts a, const OptionTexts& b) {
    a.insert(b.begin(), b.end());
    return a;
  };
  const OptionTexts rnn = {{"units", "8"}};
  const OptionTexts words_rnn = {{"vocabulary", "words"}, {"units", "8"}};
  const OptionTexts decoder = with(words_rnn, {{"embedding", "6"}});
  const OptionTexts one_layer = with(kSmallTransformer, {{"layers", "1"}});
  const OptionTexts words_transformer =
      with(kSmallTransformer, {{"vocabulary", "words"}, {"layers", "2"}});
  const OptionTexts patchtst = {
      {"lookback", "16"}, {"horizon", "4"}, {"patch", "4"}, {"layers", "1"}};
  const OptionTexts small_han = {{"units", "6"}, {"embedding", "5"}};
  const std::string document = "A good cast. The plot is bad! Good.";
  return {
      {"Transformer", "translate", "transformer-tiny", words_transformer, 6,
       true},
      {"Bahdanau", "translate", "bahdanau", decoder, 1, true},
      {"LuongReversed", "translate", "luong",
       with(decoder, {{"reverse_source", "yes"}}), 1, true},
      {"Fixed", "translate", "fixed", decoder, 0, false},
      {"ClassifyRnn", "classify", "rnn", words_rnn, 2, true},
      {"ClassifyDocuments", "classify", "han",
       with(small_han, {{"min_count", "1"}}), 3, true, document},
      {"ClassifyDocumentsOfPieces", "classify", "han",
       with(small_han, {{"pooling", "max"},
                        {"vocabulary", "bpe"},
                        {"vocabulary_size", "40"}}),
       0, false, document},
      {"ClassifyBert", "classify", "bert-tiny",
       with(one_layer, {{"vocabulary", "wordpiece"}, {"pooling", "cls"}}), 1,
       true},
      {"TagRnn", "tag", "rnn", rnn, 1, true},
      {"TagBert", "tag", "bert-tiny", one_layer, 1, true},
      {"LanguageRnn", "lm", "rnn", words_rnn, 1, true, "the cat"},
      {"LanguageTransformer", "lm", "transformer-tiny", words_transformer, 2,
       true, "the cat"},
      {"LanguageSubwords", "lm", "rnn",
       with(rnn, {{"vocabulary", "bpe"}, {"vocabulary_size", "24"}}), 1, true,
       "the cat"},
      {"Autocomplete", "autocomplete", "rnn", rnn, 0, false},
      {"AutocompleteAttending", "autocomplete", "rnn",
       with(rnn, {{"self_attention", "causal"}}), 1, true},
      {"Forecast", "forecast", "patchtst",
       with(patchtst, {{"patch_stride", "4"}}), 1, false, SeriesOf(60)},
      {"ForecastLinear", "forecast", "patchtst-linear",
       with(patchtst, {{"patch_stride", "2"}}), 1, false, SeriesOf(60)},
      {"ForecastFar",
       "forecast",
       "rnn",  // many targets
       {{"lookback", "16"},
        {"horizon", "10"},
        {"patch", "1"},
        {"patch_stride", "1"},
        {"forecast_from", "last"},
        {"independent_columns", "no"},
        {"units", "6"}},
       1,
       true,
       SeriesOf(60)},
      {"Slots", "slots", "rnn", rnn, 2, true, "play some jazz"},
      {"Retrieve", "retrieve", "rnn", with(rnn, {{"pooling", "attention"}}), 2,
       true, "is it snow\tsnow falls"},
      {"Nodes", "nodes", "gat", {{"heads", "2"}, {"units", "3"}}, 2, true},
      {"Pretrain", "pretrain", "bert-tiny",
       with(one_layer, {{"vocabulary_size", "60"}}), 1, true},
      {"Visits", "visits", "retain", with(small_han, {{"times", "yes"}}), 1,
       true,
       R"({"visits": [["E11"], ["I10", "I50"], ["I50"]], "times": [1, 2, 5]})"},
      {"VisitsWithoutAttention", "visits", "gru", small_han, 0, false},
      {"Algorithm",
       "algorithm",
       "ntm",
       {{"problem", "copy"},
        {"bits", "3"},
        {"max_length", "3"},
        {"units", "8"},
        {"memory_slots", "6"},
        {"memory_features", "4"}},
       2,
       true},
      {"Images", "images", "patches", with(one_layer, {{"patch", "2"}}), 2,
       true},
      {"ImagesWithoutAttention",
       "images",
       "conv",
       {{"filters", "2"}, {"units", "4"}, {"cell", "2"}},
       0,
       false},
      {"Captions",
       "caption",
       "sat",
       {{"image_size", "16"},
        {"filters", "2"},
        {"units", "6"},
        {"embedding", "6"},
        {"dropout", "0"}},
       1,
       true},
      {"Speech",
       "speech",
       "arsg",
       {{"bands", "8"}, {"units", "6"}, {"embedding", "6"}, {"dropout", "0"}},
       1,
       true},
      {"Order",
       "order",
       "triplet",
       {{"colours", "grey"}, {"filters", "2"}},
       0,
       false},
      {"Ratings",
       "ratings",
       "mpcn",
       {{"embedding", "6"}, {"pointers", "2"}, {"min_count", "1"}},
       10,
       true},
      {"RatingsByGates",
       "ratings",
       "dattn",
       {{"embedding", "6"},
        {"document", "12"},
        {"local_filters", "3"},
        {"filters", "2"},
        {"hidden", "5"},
        {"min_count", "1"}},
       0,
       false},
      {"Recommend", "recommend", "sasrec", one_layer, 1, true},
      {"Read", "read", "sum", with(small_han, {{"hops", "2"}}), 2, true},
  };
}

/// Makes a model with random weights from the settings of a case.
inline LoadedModel ModelOf(const ExplainCase& c, TemporaryFolder& folder) {
  const TaskSample sample = SampleOf(c.task);
  for (const auto& [name, bytes] : sample.files) {
    const std::string path = folder.Path(name);
    std::filesystem::create_directories(
        std::filesystem::path(path).parent_path());
    folder.Put(name, bytes);
  }
  LoadedModel loaded;
  loaded.settings = TaskNamed(c.task).settings();
  TaskSettings& task = *loaded.settings;
  task.ChooseModel(c.model);
  OptionTexts settings = c.settings;
  for (const auto& [key, path] : sample.data) {
    settings[key] = folder.path().string() + path.substr(2);
  }
  FieldList fields;
  task.Visit(fields);
  SetValues(fields, settings);
  task.Resolve();
  loaded.model = task.MakeModel(*task.ReadDataset(), 7);
  return loaded;
}

}  // namespace heed

#endif  // HEED_TASKS_EXPLAIN_TESTING_H_
