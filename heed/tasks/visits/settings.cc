
#include "heed/tasks/visits/visits.h"

namespace heed::visits {
namespace {

void VisitUnknownCodes(FieldList& v, Named<UnknownCodes>& unknown) {
  v("unknown_codes", unknown,
    "codes of no training patient: stop with an error (refuse), or ignore them "
    "(skip)");
}

}  // namespace

TaskRow Task() {
  TaskRow row;
  row.name = "visits";
  row.description = "the probability of an outcome from a patient's visits";
  row.settings = [] { return std::make_unique<Settings>(); };
  row.input = {"timeline", InputKind::Line::kText, {}};
  row.input.json_lines = true;
  row.input_label = "Visits";
  row.answer_label = "Probability";
  row.prompt = "The codes of each visit, the earliest visit first";
  row.training = {"--patients train.jsonl --valid-patients valid.jsonl"};
  return row;
}

void DataConfig::Visit(FieldList& v) {
  v.Section("Data");
  v("patients", patients, Any{"FILE"},
    "patients for training, each a line of JSON: {\"visits\": [[\"I50\", "
    "\"E11\"], [\"I10\"]], \"label\": 1}, the earliest visit first (.gz too)")
      .Main();
  v.Require({{"patients"}});
  v("valid_patients", valid_patients, Any{"FILE"},
    "patients for validation, which select the best weights")
      .Main();
  v("least_patients", min_patients, Range(1, 1000000000),
    "minimum patients with a code; rarer codes are unknown");
  VisitUnknownCodes(v, unknown_codes);
  v("batch_patients", batch_patients, Range(1, 1000000), "patients per batch")
      .Alias("batch_size")
      .Alias("bs");
}

void Prediction::Visit(FieldList& v) {
  v.Section("Output");
  v("every_visit", every_visit,
    "write the probability after each visit, from the visits up to it, instead "
    "of only after the last");
  v.Section("Data");
  VisitUnknownCodes(v, unknown_codes);
}

void Evaluation::Visit(FieldList& v) {
  v.Section("Data");
  v("patients", patients, Any{"FILE"},
    "patients with labels to compare with; also compares with \"log_odds\" and "
    "\"effects\" of generated patients")
      .Main();
  v.Require({{"patients"}});
  VisitUnknownCodes(v, unknown_codes);
}

void Settings::Visit(FieldList& v) {
  data.Visit(v);
  model.VisitName(v, "architecture");
  model->Visit(v);
}

void Settings::SetDefaults(TrainingConfig& training) const {
  training.optimizer.optimizer = OptimizerKind::kAdadelta;
  training.optimizer.learning_rate = 1;
  training.optimizer.rho = 0.95;
  training.optimizer.schedule = Schedule::kConstant;
  training.optimizer.warmup = 0;
  training.optimizer.label_smoothing = 0;
  training.optimizer.l2 = 1e-4;
  training.optimizer.l2_of = PenalizedWeights::kMatrices;
  training.run.epochs = 20;
}

Data Settings::Read() const {
  Data read;
  if (!data.valid_patients.empty()) {
    read.valid = ReadVisits(data.valid_patients);
  }
  read.train = ReadVisits(data.patients);
  return read;
}

std::unique_ptr<Model> Settings::MakeModel(const Data& read,
                                           uint64_t seed) const {
  return std::make_unique<Model>(
      *this, LearnCodes(read.train, data.min_patients), seed);
}
}  // namespace heed::visits
