// Made-up patients of whom it is known what each code counts: data that needs
// no files and no permission.
#ifndef HEED_COURSE_DATA_PATIENTS_H_
#define HEED_COURSE_DATA_PATIENTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "heed/data/visits.h"

namespace heed {

/// How they are made.
struct PatientOptions {
  int64_t codes = 200;
  int64_t effective = 20;  ///< codes that count, half for and half against
  double least = 0.5;      ///< log-odds of a code at the last visit, in
  double most = 2;         ///< magnitude
  double visits = 8;       ///< mean of the Poisson distribution; at least 1
  int64_t codes_of_visit = 3;
  double decay = 3;  ///< visits after which a code counts 1/e of that
};

/// A world with its own codes that count: "C000", "C001", ... Patient number n
/// has Poisson visits, each with different codes, all as likely, some days
/// apart; the label is drawn with
///   log odds = bias + Σ_j Σ_{k in visit j} effect_k exp(−(last − j) / decay),
/// and the bias takes away the mean of the sum. The same (seed, number) gives
/// the same patient on every platform; immutable.
class PatientWorld {
 public:
  /// Throws: ConfigError for options that no patients follow from.
  PatientWorld(const PatientOptions& options, uint64_t seed);

  /// With label, times (days), effects and log-odds.
  VisitRecord Make(uint64_t number) const;
  /// So many, from this number on.
  VisitRecords Make(int64_t count, uint64_t first) const;

  /// Log-odds of each code at the last visit. [codes]
  const std::vector<double>& effects() const { return effects_; }
  std::string CodeName(int64_t code) const;

 private:
  PatientOptions options_;
  uint64_t seed_;
  std::vector<double> effects_;
  double bias_ = 0;
};

}  // namespace heed

#endif  // HEED_COURSE_DATA_PATIENTS_H_
