// The skeleton of demos that train models of a task: data are made up, models
// learn from them, are measured and explained, and the last lines say how to go
// on. A demo is a TaskDemo, whose functions hold what is special to it.
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

/// A model that is trained.
struct DemoEntry {
  std::string name;            ///< and its folder in that of the demo
  SettingsText settings = {};  ///< of task, model and training
  std::string label = {};      ///< in the table; empty: the name
  std::string note = {};       ///< behind its row of the table
};

/// A figure of the table.
struct DemoColumn {
  std::string title;
  /// A key of the report, or a JSON pointer into its details: "/model/mrr".
  std::string figure;
  int decimals = 1;
  std::string unit = " %";
  std::string share_of = {};  ///< another figure: show the percentage of it
};

/// A further row of the table: figures of the first model's report.
struct DemoBaseline {
  std::string label;
  std::vector<std::string> figures;
};

/// A test: one without a title fills the table.
struct DemoTest {
  std::string title = {};
  SettingsText options = {};
};

struct DemoResult {
  DemoEntry entry;
  std::string folder;
  LoadedModel loaded;
  std::vector<Report> reports;  ///< one for each test

  /// Of the first report; kNoFigure: it has none.
  double Figure(const std::string& key) const;
};

/// An input whose explanation is shown and drawn.
struct DemoInput {
  std::string picture;  ///< its file, without the ending
  Input input;
  std::string title = {};
  size_t result = 0;  ///< the model, by its place
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
  /// The models, once the options are known.
  std::function<std::vector<DemoEntry>()> entries = {};
  /// Settings of all models that have them.
  SettingsText settings = {};

  /// Keeps no models: for many short epochs, each of which would write one.
  bool in_memory = false;

  std::vector<DemoTest> tests = {{}};
  /// Adds what the evaluation does not measure.
  std::function<void(DemoResult& result)> measure = {};
  std::vector<DemoColumn> columns = {};  ///< none: whole reports are shown
  std::vector<DemoBaseline> baselines = {};
  std::string remark = {};  ///< below the table

  std::function<std::vector<DemoInput>(const Results& results)> inputs = {};
  /// Shows more; returns further pictures.
  std::function<std::vector<std::string>(const Results& results)> show = {};
  /// What prints an input, to be piped into the model: "echo 'a text'".
  std::function<std::string(const Results& results)> typed = {};

  std::string Path(const std::string& file) const { return out + "/" + file; }
};

/// Runs a demo. Throws: ConfigError, IoError.
int RunTaskDemo(TaskDemo& demo, const Arguments& arguments);

/// An entry for each of these models, with what it is said to be.
std::vector<DemoEntry> EntriesOf(const std::vector<std::string>& models);
/// Line `i` of a file of the demo; lines of a shorter file: "".
std::string LineOf(const std::string& path, int64_t i);

}  // namespace heed

#endif  // HEED_COURSE_TASK_DEMO_H_
