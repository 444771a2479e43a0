// Steps of heed distill.
#ifndef HEED_APPS_HEED_DISTILLATION_H_
#define HEED_APPS_HEED_DISTILLATION_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/heed/options.h"
#include "apps/heed/step_record.h"
#include "heed/data/pair_files.h"
#include "heed/tasks/translate/distillation.h"
#include "heed/tasks/translate/translate_options.h"
#include "heed/train/progress.h"

namespace heed {

// Files and folders that the steps write.
inline constexpr const char* kTrainingFile = "training.json";
inline constexpr const char* kTranslationsFolder = "translations";
inline constexpr const char* kSelectedFiles[] = {"selected.source",
                                                 "selected.target"};
inline constexpr const char* kFilteredFiles[] = {"filtered.source",
                                                 "filtered.target"};
inline constexpr const char* kLinksFile = "links.pharaoh";
inline constexpr const char* kStudentFolder = "student";
inline constexpr const char* kTunedFolder = "tuned";
inline constexpr const char* kInt8Folder = "int8";
inline constexpr const char* kReportFile = "report.json";

/// Options of heed distill.
struct DistillOptions {
  std::vector<std::string> teachers;  // model folders of an ensemble
  PairFiles pairs;                    // without a target: as mono
  std::vector<std::string> mono;
  PairFiles valid;
  std::string to;
  int beam = 8;
  int nbest = 8;
  int chunk = 1000;
  translate::FilterOptions filter;
  std::string reverse;
  double drop = 0.05;
  std::string student = "student-tiny";
  int64_t fine_tune_steps = 2000;
  double fine_tune_learning_rate = 1e-4;
  std::string out;
  int threads = 0;
  Arguments training;  // options of heed train for the student

  void Visit(FieldList& v);
  bool has_references() const {
    return !pairs.target.empty() || !pairs.tsv.empty();
  }
};

/// A distillation, whose steps write files of the folder `options.out`.
class Distillation {
 public:
  /// Reads the text. Throws: ConfigError, IoError, FormatError for options and
  /// files that no step could use.
  explicit Distillation(DistillOptions options);

  /// Writes the options of the student's training, and checks them. Returns
  /// false if they ask for help, which is then printed.
  bool PrepareTraining();
  /// The steps; refer to this object.
  std::vector<Step> Steps() const;
  /// Prints the figures of the last step.
  void PrintReport() const;

 private:
  std::string In(const std::string& name) const;
  /// Model before quantisation, relative to the folder.
  std::string tuned() const {
    return options_.fine_tune_steps > 0 ? kTunedFolder : kStudentFolder;
  }
  nlohmann::ordered_json StudentOptions() const;
  void CheckSpace() const;
  translate::Model Teacher() const;
  std::string ChunkPath(const std::string& kind, size_t first) const;
  /// Translates the lines that have no chunk yet. `state`: progress, which
  /// continues from one kind of text to the next.
  void TranslateChunks(const translate::Model& teacher, const std::string& kind,
                       const std::vector<std::string>& lines,
                       Progress& progress, ProgressState& state) const;
  /// Calls body(i, translations) for each line of a kind.
  void ForEachTranslation(
      const std::string& kind, size_t lines,
      const std::function<void(size_t, std::vector<std::string>)>& body) const;
  void TrainOrResume(const std::string& name, const Arguments& start) const;
  /// A row of the report.
  nlohmann::ordered_json Figures(const std::string& name,
                                 const translate::Model& model, double bytes,
                                 translate::Prediction decode) const;

  std::string Translate() const;
  std::string Select() const;
  std::string Filter() const;
  std::string Align() const;
  std::string TrainStudent() const;
  std::string FineTune() const;
  std::string LearnShortlist() const;
  std::string Measure() const;

  DistillOptions options_;
  ParallelText parallel_;  // with references
  std::vector<std::string> mono_;
  ParallelText valid_;
  nlohmann::ordered_json teacher_;   // settings
  nlohmann::ordered_json training_;  // options of the student's training
};

}  // namespace heed

#endif  // HEED_APPS_HEED_DISTILLATION_H_
