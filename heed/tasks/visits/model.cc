#include <algorithm>
#include <numeric>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/tasks/text_vocabulary.h"
#include "heed/tasks/visits/visits.h"

namespace heed::visits {
namespace {

constexpr const char* kCodesFile = "codes.txt";

constexpr int64_t kPatientsAtOnce = 256;

std::vector<int64_t> AllOf(std::span<const Patient> patients) {
  std::vector<int64_t> order(patients.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  return order;
}

}  // namespace

std::unique_ptr<Model> Settings::Open(const ModelFiles& files,
                                      const std::string& folder,
                                      uint64_t seed) const {
  return std::make_unique<Model>(
      *this,
      CodeTable::Parse(FindFile(files, folder, kCodesFile),
                       PathIn(folder, kCodesFile)),
      seed);
}

Model::Model(Config settings, CodeTable table, uint64_t seed)
    : config(std::move(settings)),
      codes(std::move(table)),
      parameters_(seed, DType::kF32, config.model->precision()),
      network(config.model->Make(Scope(parameters_, ""), codes.size())) {}

std::vector<InputExample> Model::Examples() const {
  constexpr size_t kVisits = 3;
  constexpr double kDays = 30;
  const std::vector<std::string>& known = codes.codes();
  VisitRecord record;
  for (size_t i = 0; i < std::min(kVisits, known.size()); ++i) {
    record.visits.push_back({known[i]});
    if (network->reads_ages()) {
      record.times.push_back(kDays * static_cast<double>(i));
    }
  }
  if (record.visits.empty()) return {};
  return {{VisitLine(record)}};
}

ModelFiles Model::Files() const { return {{kCodesFile, codes.ToText()}}; }

Patient Model::Encode(const VisitRecord& record, UnknownCodes unknown,
                      const std::string& place) const {
  if (network->reads_ages() && record.times.empty()) {
    throw FormatError(
        "{}: \"times\" is missing; the model reads times and codes", place);
  }
  return heed::Encode(record, codes, unknown, place);
}

std::vector<Patient> Model::Encode(const VisitRecords& records,
                                   UnknownCodes unknown) const {
  std::vector<Patient> patients;
  for (size_t i = 0; i < records.records.size(); ++i) {
    patients.push_back(Encode(records.records[i], unknown, records.places[i]));
  }
  return patients;
}

std::vector<double> Model::LogOdds(const Context& ctx,
                                   std::span<const Patient> patients) const {
  std::vector<double> all(patients.size());
  for (const auto& batch :
       BatchesOf(patients, AllOf(patients), kPatientsAtOnce)) {
    ctx.CheckCancelled();
    const Tensor logits =
        network->Logits(ctx, BatchOf(patients, batch)).value().Contiguous();
    for (size_t i = 0; i < batch.size(); ++i) {
      At(all, batch[i]) = double{logits.data<float>()[i]};
    }
  }
  return all;
}

std::vector<double> Model::LogOddsAtEachVisit(const Context& ctx,
                                              const Patient& patient) const {
  std::vector<double> all;
  while (std::ssize(all) < patient.visits()) {
    // The next batch of prefixes of the visits, within the limits.
    std::vector<Patient> some;
    for (int64_t n = std::ssize(all) + 1; n <= patient.visits(); ++n) {
      const bool fits = std::ssize(some) < kPatientsAtOnce &&
                        (std::ssize(some) + 1) * n <= kMaxVisitsAtOnce;
      if (!fits && !some.empty()) break;
      some.push_back(patient.First(n));
    }
    const std::vector<double> own = LogOdds(ctx, some);
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

std::optional<VisitParts> Model::PartsOf(const Patient& patient) const {
  return network->Parts(
      BatchOf(std::span(&patient, 1), std::vector<int64_t>{0}));
}

}  // namespace heed::visits
