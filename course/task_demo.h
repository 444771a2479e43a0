// Skeleton of demos that train models of a task: generate data, train,
// evaluate, explain, and print commands to continue with. A demo is a TaskDemo
// whose functions hold its own parts.
#ifndef HEED_COURSE_TASK_DEMO_H_
#define HEED_COURSE_TASK_DEMO_H_

#include <functional>
#include <string>
#include <vector>

#include "apps/heed/options.h"
#include "course/data/generator.h"
#include "heed/render/explanation_file.h"
#include "heed/tasks/run.h"

namespace heed {

/// A model to train.
struct DemoEntry {
  std::string name;            ///< also the subfolder in the demo's folder
  SettingsText settings = {};  ///< of task, model and training
  std::string label = {};      ///< in the table; empty: the name
  std::string note = {};       ///< note after its row of the table
};

/// A column of the table.
struct DemoColumn {
  std::string title;
  /// Key of the report, or a JSON pointer into its details: "/model/mrr".
  std::string figure;
  int decimals = 1;
  std::string unit = " %";
  std::string share_of = {};  ///< denominator of a percentage
};

/// An additional row of the table: figures of the first model's report.
struct DemoBaseline {
  std::string label;
  std::vector<std::string> figures;
};

/// A test. A test without a title fills the table.
struct DemoTest {
  std::string title = {};
  SettingsText options = {};
};

struct DemoResult {
  DemoEntry entry;
  std::string folder;
  LoadedModel loaded;
  std::vector<Report> reports;  ///< one for each test

  /// Returns a figure of the first report; kNoFigure if it is missing.
  double Figure(const std::string& key) const;
};

/// An input whose explanation is shown and drawn.
struct DemoInput {
  std::string picture;  ///< file name, without extension
  Input input;
  std::string title = {};
  size_t result = 0;  ///< index of the model
  PictureChoice choice = {};
};

struct TaskDemo {
  using Results = std::vector<DemoResult>;

  std::string name;
  std::string purpose;
  std::vector<std::string> examples;  ///< options that --help shows
  Generator data;
  int epochs = 8;
  std::string out = "heed-" + name;
  int threads = 0;

  /// Adds the demo's own options.
  std::function<void(FieldList& v)> options = {};
  /// Returns the models. Called after the options are parsed.
  std::function<std::vector<DemoEntry>()> entries = {};
  /// Settings of all models that have these fields.
  SettingsText settings = {};

  /// Keeps no models: for many short epochs, each of which would write one.
  bool in_memory = false;

  std::vector<DemoTest> tests = {{}};
  /// Adds results that the evaluation does not measure.
  std::function<void(DemoResult& result)> measure = {};
  std::vector<DemoColumn> columns = {};  ///< empty: whole reports are shown
  std::vector<DemoBaseline> baselines = {};
  std::string remark = {};  ///< below the table

  std::function<std::vector<DemoInput>(const Results& results)> inputs = {};
  /// Shows more; returns paths of further pictures.
  std::function<std::vector<std::string>(const Results& results)> show = {};
  /// Returns a shell command that prints an input for the model: "echo 'a
  /// text'".
  std::function<std::string(const Results& results)> typed = {};

  std::string Path(const std::string& file) const { return out + "/" + file; }
};

/// Runs a demo. Throws: ConfigError, IoError.
int RunTaskDemo(TaskDemo& demo, const Arguments& arguments);

/// Returns an entry per model, with its description.
std::vector<DemoEntry> EntriesOf(const std::vector<std::string>& models);
/// Returns line `i` of a file of the demo; "" beyond its end.
std::string LineOf(const std::string& path, int64_t i);

}  // namespace heed

#endif  // HEED_COURSE_TASK_DEMO_H_
