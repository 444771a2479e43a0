// Visits: predicts the probability of an outcome from the codes of a patient's
// visits.
#ifndef HEED_TASKS_VISITS_VISITS_H_
#define HEED_TASKS_VISITS_VISITS_H_

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heed/data/visits.h"
#include "heed/models/registry.h"
#include "heed/models/visit_classifier.h"
#include "heed/tasks/task.h"

namespace heed::visits {

/// Maximum number of visits in a batch, including padding, to bound memory.
inline constexpr int64_t kMaxVisitsAtOnce = 1 << 15;

/// Files of patients, their codes and batches.
struct DataConfig {
  std::vector<std::string> patients;
  std::vector<std::string> valid_patients;
  int min_patients = 1;
  Named<UnknownCodes> unknown_codes = UnknownCodes::kRefuse;
  int batch_patients = 100;

  void Visit(FieldList& v);
};

/// Settings of the task: options of `heed train`, keys of config.json.
struct Config {
  ModelChoice<VisitSettings> model;
  DataConfig data;
};

struct Data {
  VisitRecords train;
  VisitRecords valid;
};

/// Makes a batch of the patients at `indices`. With `ages`, log(1 + time from
/// each visit to the last visit) is a feature, in the units of the times.
/// Throws: ShapeError if `ages` is set and times are missing.
VisitBatch MakeVisitBatch(std::span<const Patient> patients,
                          std::span<const int64_t> indices, int64_t codes,
                          bool ages);

/// Makes batches of patients of similar length: at most `size` patients and,
/// unless it is a single patient, at most kMaxVisitsAtOnce visits with
/// padding. `order`: indices of the patients to batch.
std::vector<std::vector<int64_t>> BatchesOf(std::span<const Patient> patients,
                                            std::vector<int64_t> order,
                                            int64_t size);

/// A table of codes and a network that reads them.
class Model : public TaskModel {
 public:
  Model(Config settings, CodeTable table, uint64_t seed);

  using TaskModel::parameters;
  ParameterSet& parameters() override { return parameters_; }
  ModelFiles Files() const override;
  ModelOutline Outline() const override { return network->Outline(); }
  std::vector<std::pair<std::string, int64_t>> Sizes() const override {
    return {{"codes", codes.size()}};
  }
  /// An example patient with known codes.
  std::vector<InputExample> Examples() const override;

  /// Converts codes to ids. Throws: FormatError that names place, visit and
  /// code, also for missing times.
  Patient Encode(const VisitRecord& record, UnknownCodes unknown,
                 const std::string& place) const;
  std::vector<Patient> Encode(const VisitRecords& records,
                              UnknownCodes unknown) const;
  VisitBatch BatchOf(std::span<const Patient> patients,
                     std::span<const int64_t> indices) const {
    return MakeVisitBatch(patients, indices, codes.size(),
                          network->reads_ages());
  }
  /// Log-odds of each patient. Throws: Cancelled.
  std::vector<double> LogOdds(const Context& ctx,
                              std::span<const Patient> patients) const;
  /// Log-odds after each visit of a patient. Throws: Cancelled.
  std::vector<double> LogOddsAtEachVisit(const Context& ctx,
                                         const Patient& patient) const;
  /// Decomposition of a patient's log-odds into a sum over codes, if the model
  /// has one.
  std::optional<VisitParts> PartsOf(const Patient& patient) const;

  const Config config;
  const CodeTable codes;

 private:
  ParameterSet parameters_;

 public:
  const std::unique_ptr<VisitClassifier> network;
};

/// Converts log-odds to a probability.
double ProbabilityOf(double log_odds);

/// Mean of −log p(label). Units: nats.
double NegativeLogLikelihood(std::span<const double> log_odds,
                             std::span<const Patient> patients);
/// ROC AUC of the labels, 0 to 100.
double AucOf(std::span<const double> log_odds,
             std::span<const Patient> patients);

/// Options of a prediction.
struct Prediction {
  bool every_visit = false;
  Named<UnknownCodes> unknown_codes = UnknownCodes::kRefuse;

  void Visit(FieldList& v);
};

/// Options of an evaluation: labelled patients.
struct Evaluation {
  std::vector<std::string> patients;
  Named<UnknownCodes> unknown_codes = UnknownCodes::kRefuse;

  void Visit(FieldList& v);
};

class Settings : public TaskSettingsOf<Data, Model, Prediction, Evaluation>,
                 public Config {
 public:
  std::string task() const override { return "visits"; }
  void ChooseModel(const std::string& name) override { model.Choose(name); }
  void Visit(FieldList& v) override;
  void SetDefaults(TrainingConfig& training) const override;
  void Resolve() override { model->Fill(); }
  bool in_files() const override { return !data.patients.empty(); }

  Data Read() const override;
  std::unique_ptr<Model> MakeModel(const Data& read,
                                   uint64_t seed) const override;
  std::unique_ptr<Model> Open(const ModelFiles& files,
                              const std::string& folder,
                              uint64_t seed) const override;
  std::vector<MeasureInfo> Measures(const Data& read) const override;
  std::unique_ptr<Trainable> MakeObjective(Data read, Model& made,
                                           uint64_t seed) const override;
  Prediction prediction() const override { return {false, data.unknown_codes}; }
  Evaluation evaluation() const override { return {{}, data.unknown_codes}; }
  InputReading Reading(const Prediction&) const override {
    InputReading reading;
    reading.defaults.long_lines = LongLines::kStructured;
    return reading;
  }
  std::unique_ptr<Predictor> MakePredictor(const Model& made,
                                           Prediction options) const override;
  Report Evaluate(const Model& made, const Evaluation& options) const override;
};

TaskRow Task();

}  // namespace heed::visits

#endif  // HEED_TASKS_VISITS_VISITS_H_
