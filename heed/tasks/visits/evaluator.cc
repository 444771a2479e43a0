#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "heed/base/errors.h"
#include "heed/metrics/rank_correlation.h"
#include "heed/tasks/visits/visits.h"

namespace heed::visits {
namespace {

using Json = nlohmann::ordered_json;

/// Effects above this magnitude should have the right sign. Units: log-odds
constexpr double kClearEffect = 0.5;

/// True effects of codes in synthetic patients and the model's contributions,
/// over all codes of all visits with an effect.
struct EffectComparison {
  std::vector<double> planted;
  std::vector<double> found;
  int64_t clear = 0;  // effects above kClearEffect
  int64_t right = 0;  // clear effects with the right sign

  void Add(double effect, double contribution) {
    if (effect == 0) return;
    planted.push_back(effect);
    found.push_back(contribution);
    if (std::abs(effect) <= kClearEffect) return;
    ++clear;
    right += (effect > 0) == (contribution > 0) ? 1 : 0;
  }
};

/// Compares effects; none if the model's log-odds are not a sum over codes.
std::optional<EffectComparison> CompareEffects(
    const Model& model, std::span<const Patient> patients) {
  EffectComparison comparison;
  for (const Patient& patient : patients) {
    const auto parts = model.PartsOf(patient);
    if (!parts) return std::nullopt;
    for (size_t e = 0; e < patient.effects.size(); ++e) {
      comparison.Add(double{patient.effects[e]}, parts->contributions[e]);
    }
  }
  return comparison;
}

template <typename Known>
bool AllKnow(std::span<const Patient> patients, const Known& known) {
  return !patients.empty() && std::ranges::all_of(patients, known);
}

/// Adds figures of the true log-odds. `both`: there are patients with and
/// without the outcome.
void AddKnownOdds(std::span<const double> log_odds,
                  std::span<const Patient> patients, bool both,
                  Report& report) {
  std::vector<double> known;
  for (const Patient& patient : patients) known.push_back(*patient.log_odds);
  const double best = AucOf(known, patients);
  if (both) {
    report.figures.push_back({"bayes_auc", "Bayes AUC", best, 2, "%",
                              "of the log-odds that the lines give"});
  }
  report.figures.push_back({"bayes_nll", "Bayes NLL",
                            NegativeLogLikelihood(known, patients), 4, "nats",
                            ""});
  if (both) {
    report.figures.push_back({"auc_below_bayes", "below Bayes",
                              best - AucOf(log_odds, patients), 2, "%",
                              "of AUC"});
  }
}

void AddEffects(const EffectComparison& comparison, Report& report) {
  const auto rho = SpearmanCorrelation(comparison.planted, comparison.found);
  if (rho) {
    report.figures.push_back(
        {"effect_spearman", "rank correlation", *rho, 3, "",
         fmt::format("Spearman's, of contributions and the effects of {} codes "
                     "in visits",
                     comparison.planted.size())});
  }
  if (comparison.clear > 0) {
    report.figures.push_back({"effect_signs", "signs right",
                              100.0 * static_cast<double>(comparison.right) /
                                  static_cast<double>(comparison.clear),
                              2, "%",
                              fmt::format("of {} effects above {} log-odds",
                                          comparison.clear, kClearEffect)});
  }
}

}  // namespace

Report Settings::Evaluate(const Model& made, const Evaluation& options) const {
  const std::vector<Patient> patients =
      made.Encode(ReadVisits(options.patients), options.unknown_codes);
  if (patients.empty()) {
    throw FormatError("{}: no patients", options.patients.front());
  }
  const std::vector<double> log_odds = made.LogOdds({}, patients);
  const auto positive = std::ranges::count(patients, 1, &Patient::label);
  Report report;
  report.heading =
      fmt::format("{} patients, {} with the outcome and {} without",
                  patients.size(), positive, std::ssize(patients) - positive);
  const bool both = positive > 0 && positive < std::ssize(patients);
  if (both) {
    report.figures.push_back(
        {"auc", "AUC", AucOf(log_odds, patients), 2, "%",
         "chance that a patient with the outcome is above one without"});
  } else {
    report.heading += "; AUC needs both";
  }
  report.figures.push_back({"nll", "NLL",
                            NegativeLogLikelihood(log_odds, patients), 4,
                            "nats", "mean of -log p(label)"});
  report.details = {{"patients", patients.size()}, {"positive", positive}};
  if (AllKnow(patients,
              [](const Patient& p) { return p.log_odds.has_value(); })) {
    AddKnownOdds(log_odds, patients, both, report);
  }
  if (AllKnow(patients, [](const Patient& p) {
        return p.effects.size() == p.codes.size();
      })) {
    const auto comparison = CompareEffects(made, patients);
    if (comparison) AddEffects(*comparison, report);
  }
  return report;
}

}  // namespace heed::visits
