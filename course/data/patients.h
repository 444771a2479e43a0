// Synthetic patients with known effects of their codes.
#ifndef HEED_COURSE_DATA_PATIENTS_H_
#define HEED_COURSE_DATA_PATIENTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "heed/data/visits.h"

namespace heed {

/// Parameters of synthetic patients.
struct PatientOptions {
  int64_t codes = 200;
  int64_t effective = 20;  ///< codes with an effect, half negative
  double min = 0.5;        ///< minimum magnitude of a code's log-odds
  double max = 2;          ///< maximum magnitude, at the last visit
  double visits = 8;       ///< mean of the Poisson distribution; at least 1
  int64_t codes_of_visit = 3;
  double decay = 3;  ///< visits after which an effect has decayed to 1/e
};

/// A random set of effective codes ("C000", "C001", ...) and patients. A
/// patient has a Poisson number of visits some days apart, each with different
/// codes drawn uniformly. The label is drawn with
///   log odds = bias + Σ_j Σ_{k in visit j} effect_k exp(−(last − j) / decay),
/// where the bias cancels the mean of the sum. (seed, number) determine a
/// patient on every platform. Immutable.
class PatientWorld {
 public:
  /// Throws: ConfigError for invalid options.
  PatientWorld(const PatientOptions& options, uint64_t seed);

  /// Patient with label, times (days), effects and log-odds.
  VisitRecord Make(uint64_t number) const;
  /// `count` patients with numbers from `first` on.
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
