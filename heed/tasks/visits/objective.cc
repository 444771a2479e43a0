#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/console.h"
#include "heed/base/errors.h"
#include "heed/base/rng.h"
#include "heed/data/input_lines.h"
#include "heed/data/shuffle.h"
#include "heed/io/file.h"
#include "heed/metrics/classification.h"
#include "heed/ops/loss.h"
#include "heed/tasks/visits/visits.h"

namespace heed::visits {
namespace {

/// Patients are sorted by length among this number of batches.
constexpr int64_t kBatchesOfPool = 20;

/// −log p(label): log(1 + e^−x) of log-odds x for the label.
double Surprise(double log_odds, int32_t label) {
  const double x = label == 1 ? log_odds : -log_odds;
  return std::max(-x, 0.0) + std::log1p(std::exp(-std::abs(x)));
}

std::string ComputeVisitsChecksum(const Data& data) {
  std::string sums;
  for (const VisitRecords* part : {&data.train, &data.valid}) {
    for (const VisitRecord& record : part->records) {
      sums += fmt::format("{:08x}", Crc32(VisitLine(record)));
    }
    sums += '\n';
  }
  return fmt::format("{:08x}", Crc32(sums));
}

/// Binary cross entropy of the labels of patients.
class VisitObjective : public ObjectiveOf<Model> {
 public:
  VisitObjective(const Settings& settings, const Data& data, Model& model)
      : ObjectiveOf(model, settings.Measures(data)),
        checksum_(ComputeVisitsChecksum(data)),
        // Training codes that are too rare to be learnt are skipped, not an
        // error.
        train_(model.Encode(data.train,
                            settings.data.min_patients > 1
                                ? UnknownCodes::kSkip
                                : settings.data.unknown_codes.value())),
        valid_(model.Encode(data.valid, settings.data.unknown_codes)) {}

  std::string unit() const override { return "patient"; }
  std::string Summary() const override {
    const auto positive = std::ranges::count(train_, 1, &Patient::label);
    return fmt::format(
        "{} patients ({:.1f} % with the outcome), {} for validation; {} codes",
        train_.size(),
        100.0 * static_cast<double>(positive) /
            static_cast<double>(std::max<size_t>(train_.size(), 1)),
        valid_.size(), model_.codes.size());
  }
  std::string Checksum() const override { return checksum_; }
  EpochPlan PlanEpoch(uint64_t seed, int epoch) const override;
  BatchLoss Loss(const Context& ctx, std::span<const int64_t> examples,
                 const LossOptions& options) const override;
  std::string loss_measure() const override { return "nll"; }
  bool has_valid() const override { return !valid_.empty(); }
  Metrics Validate(const std::string& /*measure*/) const override {
    const std::vector<double> log_odds = model_.LogOdds({}, valid_);
    Metrics metrics;
    AppendFigures({{"auc", AucOf(log_odds, valid_)}}, metrics);
    metrics.emplace_back("nll", NegativeLogLikelihood(log_odds, valid_));
    return metrics;
  }

 private:
  std::string checksum_;
  std::vector<Patient> train_;
  std::vector<Patient> valid_;
};

EpochPlan VisitObjective::PlanEpoch(uint64_t seed, int epoch) const {
  const int64_t size = model_.config.data.batch_patients;
  std::vector<std::vector<int64_t>> batches;
  for (auto& pool : ShuffledBatches(std::ssize(train_), size * kBatchesOfPool,
                                    seed, epoch)) {
    for (auto& batch : BatchesOf(train_, std::move(pool), size)) {
      batches.push_back(std::move(batch));
    }
  }
  Rng rng(Rng(seed, static_cast<uint64_t>(epoch)).Next());
  Shuffle(batches, rng);
  return batches;
}

BatchLoss VisitObjective::Loss(const Context& ctx,
                               std::span<const int64_t> examples,
                               const LossOptions& options) const {
  Tensor targets({std::ssize(examples)}, DType::kF32);
  for (size_t i = 0; i < examples.size(); ++i) {
    const int32_t label = At(train_, examples[i]).label;
    targets.data<float>()[i] =
        static_cast<float>(label + options.smoothing * (0.5 - label));
  }
  const Var logits =
      model_.network->Logits(ctx, model_.BatchOf(train_, examples));
  double nll = 0;
  for (size_t i = 0; i < examples.size(); ++i) {
    nll += Surprise(double{logits.value().data<float>()[i]},
                    At(train_, examples[i]).label);
  }
  return {BinaryCrossEntropy(logits, targets, options.scale),
          nll * options.scale};
}

/// True if AUC is defined: there are patients with and without the outcome.
bool HasBothOutcomes(const VisitRecords& patients) {
  const auto with = std::ranges::count_if(
      patients.records, [](const VisitRecord& r) { return r.label == 1; });
  return with > 0 && with < std::ssize(patients.records);
}

}  // namespace

std::vector<MeasureInfo> Settings::Measures(const Data& read) const {
  std::vector<MeasureInfo> measures = {{"nll", false}};
  if (read.valid.records.empty() || HasBothOutcomes(read.valid)) {
    measures.insert(measures.begin(), {"auc", true});
  }
  return measures;
}

double ProbabilityOf(double log_odds) { return 1 / (1 + std::exp(-log_odds)); }

double NegativeLogLikelihood(std::span<const double> log_odds,
                             std::span<const Patient> patients) {
  double sum = 0;
  for (size_t i = 0; i < patients.size(); ++i) {
    sum += Surprise(log_odds[i], patients[i].label);
  }
  return RatioOf(sum, std::ssize(patients));
}

double AucOf(std::span<const double> log_odds,
             std::span<const Patient> patients) {
  std::vector<int32_t> labels;
  for (const Patient& patient : patients) labels.push_back(patient.label);
  return 100 * RocAuc(log_odds, labels);
}

std::unique_ptr<Trainable> Settings::MakeObjective(Data read, Model& made,
                                                   uint64_t) const {
  if (read.train.size() == 0) {
    throw ConfigError("there are no patients to learn from");
  }
  if (!read.valid.records.empty() && !HasBothOutcomes(read.valid)) {
    Warn(
        "all validation patients have the same outcome, so AUC cannot be "
        "computed; NLL is reported instead");
  }
  return std::make_unique<VisitObjective>(*this, read, made);
}

}  // namespace heed::visits
