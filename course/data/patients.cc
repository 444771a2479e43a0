#include "course/data/patients.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/rng.h"
#include "heed/data/shuffle.h"

namespace heed {
namespace {

constexpr uint64_t kWorldNumber = ~uint64_t{0};
constexpr double kMeanDays = 30;  // between visits

/// Samples a Poisson distribution by products of uniform numbers (Knuth 1969,
/// section 3.4.1).
int64_t DrawPoisson(double mean, Rng& rng) {
  const double limit = std::exp(-mean);
  int64_t count = 0;
  for (double product = rng.Uniform(); product > limit;
       product *= rng.Uniform()) {
    ++count;
  }
  return count;
}

/// `count` distinct numbers below `below`; all sets are equally likely.
std::vector<int64_t> DrawDifferent(int64_t count, int64_t below, Rng& rng) {
  std::vector<int64_t> drawn;
  while (std::ssize(drawn) < count) {
    const auto one =
        static_cast<int64_t>(rng.Below(static_cast<uint64_t>(below)));
    if (std::ranges::find(drawn, one) == drawn.end()) drawn.push_back(one);
  }
  return drawn;
}

Rng RngOf(uint64_t seed, uint64_t number) {
  return Rng(Rng(seed, number).Next());
}

}  // namespace

PatientWorld::PatientWorld(const PatientOptions& options, uint64_t seed)
    : options_(options), seed_(seed) {
  const bool fits =
      options.codes > 0 && options.effective >= 0 &&
      options.effective <= options.codes && options.codes_of_visit > 0 &&
      2 * options.codes_of_visit <= options.codes && options.visits > 0 &&
      options.visits <= 500 && options.decay > 0 && options.min <= options.max;
  if (!fits) {
    throw ConfigError(
        "patients: {} codes of which {} count, {} a visit, {} visits and a "
        "decay of {} do not fit together",
        options.codes, options.effective, options.codes_of_visit,
        options.visits, options.decay);
  }
  Rng rng = RngOf(seed, kWorldNumber);
  std::vector<int64_t> order(static_cast<size_t>(options.codes));
  std::iota(order.begin(), order.end(), int64_t{0});
  Shuffle(order, rng);
  effects_.resize(order.size());
  double sum = 0;
  for (int64_t i = 0; i < options.effective; ++i) {
    const double size = rng.Uniform(options.min, options.max);
    double& effect = At(effects_, At(order, i));
    effect = i % 2 == 0 ? size : -size;
    sum += effect;
  }
  const double shares = 1 / (1 - std::exp(-1 / options.decay));
  bias_ = -sum * static_cast<double>(options.codes_of_visit) /
          static_cast<double>(options.codes) * std::min(options.visits, shares);
}

std::string PatientWorld::CodeName(int64_t code) const {
  return fmt::format("C{:03}", code);
}

VisitRecord PatientWorld::Make(uint64_t number) const {
  Rng rng = RngOf(seed_, number);
  const int64_t visits =
      std::max<int64_t>(1, DrawPoisson(options_.visits, rng));
  VisitRecord record;
  double day = 0;
  double log_odds = bias_;
  for (int64_t j = 0; j < visits; ++j) {
    if (j > 0) day += 1 + std::floor(-kMeanDays * std::log(1 - rng.Uniform()));
    record.times.push_back(day);
    auto& codes = record.visits.emplace_back();
    auto& effects = record.effects.emplace_back();
    const double share =
        std::exp(static_cast<double>(j + 1 - visits) / options_.decay);
    for (const int64_t code :
         DrawDifferent(options_.codes_of_visit, options_.codes, rng)) {
      codes.push_back(CodeName(code));
      effects.push_back(At(effects_, code) * share);
      log_odds += effects.back();
    }
  }
  record.log_odds = log_odds;
  record.label = rng.Uniform() < 1 / (1 + std::exp(-log_odds)) ? 1 : 0;
  return record;
}

VisitRecords PatientWorld::Make(int64_t count, uint64_t first) const {
  VisitRecords all;
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t number = first + static_cast<uint64_t>(i);
    all.records.push_back(Make(number));
    all.places.push_back(fmt::format("patient {}", number));
  }
  return all;
}

}  // namespace heed
