#include <algorithm>
#include <cmath>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/tasks/visits/visits.h"

namespace heed::visits {
namespace {

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
    const Patient& patient = At(patients, At(indices, b));
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
    const Patient& patient = At(patients, At(indices, b));
    const int32_t begin = *offset;
    for (int64_t s = 0; s < batch.S; ++s) {
      const int64_t end = std::min(s + 1, patient.visits());
      *++offset = begin + At(patient.starts, end);
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
  const auto visits = [&](int64_t i) { return At(patients, i).visits(); };
  std::ranges::stable_sort(order, std::less<>(), visits);
  std::vector<std::vector<int64_t>> batches;
  for (const int64_t i : order) {
    // Patients are sorted by length, so patient i is the longest of the batch.
    const bool fits =
        !batches.empty() && std::ssize(batches.back()) < size &&
        (std::ssize(batches.back()) + 1) * visits(i) <= kMaxVisitsAtOnce;
    if (!fits) batches.emplace_back();
    batches.back().push_back(i);
  }
  return batches;
}
}  // namespace heed::visits
