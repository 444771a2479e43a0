#include "course/data/patients.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/testing.h"

namespace heed {
namespace {

using testing::HasSubstr;

TEST(Patients, AreAFunctionOfSeedAndNumber) {
  const PatientWorld world({}, 7);
  EXPECT_EQ(VisitLine(world.Make(3)), VisitLine(PatientWorld({}, 7).Make(3)));
  EXPECT_NE(VisitLine(world.Make(3)), VisitLine(world.Make(4)));
  EXPECT_NE(VisitLine(world.Make(3)), VisitLine(PatientWorld({}, 8).Make(3)));
  EXPECT_EQ(VisitLine(world.Make(2, 3).records[1]), VisitLine(world.Make(4)));
}

TEST(Patients, AreReadAsTheyAreWritten) {
  const VisitRecord made = PatientWorld({}, 1).Make(0);
  EXPECT_EQ(VisitLine(ParseVisits(VisitLine(made), "p")), VisitLine(made));
}

TEST(Patients, HaveTheRequestedVisitsAndCodes) {
  const VisitRecords all = PatientWorld({}, 1).Make(2000, 0);
  double visits = 0;
  for (const VisitRecord& record : all.records) {
    visits += static_cast<double>(record.visits.size());
    for (const auto& visit : record.visits) EXPECT_EQ(visit.size(), 3);
  }
  EXPECT_NEAR(visits / 2000, 8, 0.2);
}

TEST(Patients, LogOddsAreTheEffectsAndTheirMeanIsNearZero) {
  const PatientWorld world({}, 2);
  int counting = 0;
  for (const double effect : world.effects()) {
    if (effect == 0) continue;
    ++counting;
    EXPECT_GE(std::abs(effect), 0.5);
    EXPECT_LE(std::abs(effect), 2);
  }
  EXPECT_EQ(counting, 20);
  double bias = 0, mean = 0, labels = 0;
  const VisitRecords all = world.Make(4000, 0);
  for (size_t i = 0; i < all.records.size(); ++i) {
    const VisitRecord& record = all.records[i];
    double sum = 0;
    for (const auto& visit : record.effects) {
      for (const double effect : visit) sum += effect;
    }
    if (i == 0) bias = *record.log_odds - sum;
    EXPECT_NEAR(*record.log_odds - sum, bias, 1e-9);
    mean += *record.log_odds / 4000;
    labels += *record.label / 4000.0;
  }
  EXPECT_NEAR(mean, 0, 0.2);
  EXPECT_NEAR(labels, 0.5, 0.05);
}

TEST(Patients, OptionsThatDoNotFitAreRefused) {
  EXPECT_THAT(
      MessageOf<ConfigError>([&] { (void)PatientWorld({.codes = 4}, 1); }),
      HasSubstr("do not fit"));
  EXPECT_THAT(MessageOf<ConfigError>(
                  [&] { (void)PatientWorld({.effective = 300}, 1); }),
              HasSubstr("do not fit"));
}

}  // namespace
}  // namespace heed
