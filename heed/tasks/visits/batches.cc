#include <algorithm>
#include <cmath>
#include <numeric>

#include "heed/base/errors.h"
#include "heed/tasks/visits/visits.h"

namespace heed {
namespace {

constexpr int64_t kPatientsAtOnce = 256;

std::vector<int64_t> AllOf(std::span<const Patient> patients) {
  std::vector<int64_t> order(patients.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  return order;
}

void AddAges(const Patient& patient, const std::string& where, double* to) {
  const auto visits = static_cast<size_t>(patient.visits());
  if (patient.times.size() != visits) {
    throw ShapeError("{}: a patient without times", where);
  }
  for (size_t s = 0; s < visits; ++s) {
    to[s] = std::log1p(patient.times.back() - patient.times[s]);
  }
}

}  // namespace

VisitBatch MakeVisitBatch(std::span<const Patient> patients,
                          std::span<const int64_t> indices, int64_t codes,
                          bool ages) {
  VisitBatch batch;
  batch.B = std::ssize(indices);
  batch.lengths = Tensor({batch.B}, DType::kI32);
  int64_t entries = 0;
  for (int64_t b = 0; b < batch.B; ++b) {
    const Patient& patient =
        patients[static_cast<size_t>(indices[static_cast<size_t>(b)])];
    batch.S = std::max(batch.S, patient.visits());
    batch.lengths.data<int32_t>()[b] = static_cast<int32_t>(patient.visits());
    entries += std::ssize(patient.codes);
  }
  Tensor offsets({batch.B * batch.S + 1}, DType::kI32);
  Tensor columns({entries}, DType::kI32);
  if (ages) batch.ages = Tensor::Zeros({batch.B, batch.S, 1}, DType::kF64);
  int32_t* offset = offsets.data<int32_t>();
  int32_t* column = columns.data<int32_t>();
  *offset = 0;
  for (int64_t b = 0; b < batch.B; ++b) {
    const Patient& patient =
        patients[static_cast<size_t>(indices[static_cast<size_t>(b)])];
    const int32_t begin = *offset;
    for (int64_t s = 0; s < batch.S; ++s) {
      const int64_t end = std::min(s + 1, patient.visits());
      *++offset = begin + patient.starts[static_cast<size_t>(end)];
    }
    column = std::ranges::copy(patient.codes, column).out;
    if (ages) AddAges(patient, "visits", batch.ages[b].data<double>());
  }
  batch.codes = std::make_shared<kernels::SparsePattern>(
      kernels::MakeSparsePattern(offsets, columns, codes));
  return batch;
}

std::vector<std::vector<int64_t>> BatchesOf(std::span<const Patient> patients,
                                            std::vector<int64_t> order,
                                            int64_t size) {
  const auto visits = [&](int64_t i) {
    return patients[static_cast<size_t>(i)].visits();
  };
  std::ranges::stable_sort(order, std::less<>(), visits);
  std::vector<std::vector<int64_t>> batches;
  for (const int64_t i : order) {
    // The longest comes last.
    const bool fits =
        !batches.empty() && std::ssize(batches.back()) < size &&
        (std::ssize(batches.back()) + 1) * visits(i) <= kMostVisitsAtOnce;
    if (!fits) batches.emplace_back();
    batches.back().push_back(i);
  }
  return batches;
}

Patient VisitModel::Encode(const VisitRecord& record, UnknownCodes unknown,
                           const std::string& place) const {
  if (network->reads_ages() && record.times.empty()) {
    throw FormatError("{}: no \"times\", which the model reads beside codes",
                      place);
  }
  return heed::Encode(record, codes, unknown, place);
}

std::vector<Patient> VisitModel::Encode(const VisitRecords& records,
                                        UnknownCodes unknown) const {
  std::vector<Patient> patients;
  for (size_t i = 0; i < records.records.size(); ++i) {
    patients.push_back(Encode(records.records[i], unknown, records.places[i]));
  }
  return patients;
}

std::vector<double> VisitModel::LogOdds(
    const Context& ctx, std::span<const Patient> patients) const {
  std::vector<double> all(patients.size());
  for (const auto& batch :
       BatchesOf(patients, AllOf(patients), kPatientsAtOnce)) {
    ctx.CheckCancelled();
    const Tensor logits =
        network->Logits(ctx, BatchOf(patients, batch)).value().Contiguous();
    for (size_t i = 0; i < batch.size(); ++i) {
      all[static_cast<size_t>(batch[i])] = double{logits.data<float>()[i]};
    }
  }
  return all;
}

std::vector<double> VisitModel::LogOddsAtEachVisit(
    const Context& ctx, const Patient& patient) const {
  std::vector<double> all;
  while (std::ssize(all) < patient.visits()) {
    // Those that are computed together are made together.
    std::vector<Patient> some;
    for (int64_t n = std::ssize(all) + 1; n <= patient.visits(); ++n) {
      const bool fits = std::ssize(some) < kPatientsAtOnce &&
                        (std::ssize(some) + 1) * n <= kMostVisitsAtOnce;
      if (!fits && !some.empty()) break;
      some.push_back(patient.First(n));
    }
    const std::vector<double> own = LogOdds(ctx, some);
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

std::optional<VisitParts> VisitModel::PartsOf(const Patient& patient) const {
  return network->Parts(
      BatchOf(std::span(&patient, 1), std::vector<int64_t>{0}));
}

}  // namespace heed
