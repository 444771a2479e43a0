#include "heed/tasks/visits/visits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "course/data/patients.h"
#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/tasks/explain.h"
#include "heed/tasks/run.h"

namespace heed::visits {
namespace {

using testing::HasSubstr;

VisitRecords Records(const std::vector<std::string>& lines) {
  VisitRecords records;
  for (const std::string& line : lines) {
    records.places.push_back("p:" + std::to_string(records.size() + 1));
    records.records.push_back(ParseVisits(line, records.places.back()));
  }
  return records;
}

Settings SettingsOf(const std::string& model = "retain",
                    const std::string& values = "") {
  Settings settings;
  settings.ChooseModel(model);
  SetPresetIfKnown(FieldsOf(*settings.model), "units=6");
  SetPresetIfKnown(FieldsOf(*settings.model), "embedding=5");
  if (!values.empty()) SetPreset(FieldsOf(settings), values);
  settings.Resolve();
  return settings;
}

VisitRecords SomePatients() {
  return Records({R"({"visits":[["a"],["b","c"],["a","d"]],"label":1})",
                  R"({"visits":[["d"]],"label":0})",
                  R"({"visits":[["c"],["b"]],"label":0})"});
}

Answer AnswerOf(const Settings& settings, const Model& model,
                const std::string& line, bool every_visit = false) {
  Prediction options = settings.prediction();
  options.every_visit = every_visit;
  const std::vector<Input> inputs = {{line, "standard input:4"}};
  return settings.MakePredictor(model, options)->Predict(inputs).front();
}

TEST(VisitBatches, CoverAllOnceByLengthWithinTheirBounds) {
  std::vector<Patient> patients;
  for (int i = 0; i < 50; ++i) {
    Patient patient;
    patient.starts.resize(static_cast<size_t>(1 + (i * 7) % 20) + 1);
    patients.push_back(patient);
  }
  patients[3].starts.resize(kMaxVisitsAtOnce * 2);
  std::vector<int64_t> order(patients.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  std::vector<int64_t> seen;
  for (const auto& batch : BatchesOf(patients, order, 8)) {
    EXPECT_LE(batch.size(), 8);
    int64_t longest = 0;
    for (const int64_t i : batch) {
      longest = std::max(longest, At(patients, i).visits());
      seen.push_back(i);
    }
    EXPECT_TRUE(batch.size() == 1 ||
                std::ssize(batch) * longest <= kMaxVisitsAtOnce);
  }
  std::ranges::sort(seen);
  EXPECT_EQ(seen, order);
}

TEST(Model, OrderOfPatientsDoesNotMatter) {
  const Settings settings = SettingsOf();
  const auto model = settings.MakeModel({SomePatients(), {}}, 1);
  std::vector<Patient> patients =
      model->Encode(SomePatients(), UnknownCodes::kRefuse);
  const std::vector<double> forwards = model->LogOdds({}, patients);
  std::ranges::reverse(patients);
  std::vector<double> backwards = model->LogOdds({}, patients);
  std::ranges::reverse(backwards);
  EXPECT_THAT(backwards,
              testing::Pointwise(testing::DoubleNear(1e-6), forwards));
}

TEST(VisitPredictor, EveryVisitIsThePredictionOfThoseUpToIt) {
  for (const char* name : {"retain", "gru", "logistic"}) {
    const Settings settings = SettingsOf(name);
    const auto model = settings.MakeModel({SomePatients(), {}}, 1);
    const Answer every =
        AnswerOf(settings, *model, R"({"visits":[["a"],["b","c"],["d"]]})",
                 /*every_visit=*/true);
    const char* prefixes[] = {R"({"visits":[["a"]]})",
                              R"({"visits":[["a"],["b","c"]]})",
                              R"({"visits":[["a"],["b","c"],["d"]]})"};
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(every.parts.at("every_visit").at(i).get<double>(),
                  AnswerOf(settings, *model, prefixes[i])
                      .parts.at("probability")
                      .get<double>(),
                  1e-6)
          << name;
    }
  }
}

TEST(VisitPredictor, ContributionsAndBiasAreTheLogOdds) {
  for (const char* name : {"retain", "logistic"}) {
    const Settings settings = SettingsOf(name);
    const auto model = settings.MakeModel({SomePatients(), {}}, 1);
    const Answer answer =
        AnswerOf(settings, *model, R"({"visits":[["a"],["b","c"],["d"]]})");
    double sum = answer.parts.at("bias").get<double>();
    for (const auto& one : answer.parts.at("contributions")) {
      sum += one.at("contribution").get<double>();
    }
    EXPECT_NEAR(sum, answer.parts.at("log_odds").get<double>(), 1e-6);
    EXPECT_EQ(answer.parts.at("contributions").at(2).at("code"), "c");
    EXPECT_EQ(answer.parts.at("contributions").at(3).at("visit"), 3);
  }
}

TEST(VisitPredictor, UnknownCodeIsNamedWithItsPlace) {
  const Settings settings = SettingsOf();
  const auto model = settings.MakeModel({SomePatients(), {}}, 1);
  EXPECT_THAT(MessageOf<FormatError>([&] {
                AnswerOf(settings, *model, R"({"visits":[["a"],["x"]]})");
              }),
              HasSubstr("standard input:4: visit 2: the code 'x' is unknown"));
  const Settings skips = SettingsOf("retain", "unknown_codes=skip");
  const auto other = skips.MakeModel({SomePatients(), {}}, 1);
  EXPECT_FALSE(
      AnswerOf(skips, *other, R"({"visits":[["a"],["x"]]})").line.empty());
}

TEST(VisitPredictor, TimesThatAModelReadsMustBeThere) {
  const Settings settings = SettingsOf("retain", "times=yes");
  const VisitRecords records =
      Records({R"({"visits":[["a"],["b"]],"times":[0,4],"label":1})"});
  const auto model = settings.MakeModel({records, {}}, 1);
  EXPECT_THAT(MessageOf<FormatError>(
                  [&] { AnswerOf(settings, *model, R"({"visits":[["a"]]})"); }),
              HasSubstr("standard input:4: \"times\" is missing"));
  const auto answer = [&](const char* line) {
    return AnswerOf(settings, *model, line).parts.at("log_odds").get<double>();
  };
  EXPECT_NE(answer(R"({"visits":[["a"],["b"]],"times":[0,4]})"),
            answer(R"({"visits":[["a"],["b"]],"times":[0,400]})"));
  // Only the time before the last visit matters.
  EXPECT_EQ(answer(R"({"visits":[["a"],["b"]],"times":[0,4]})"),
            answer(R"({"visits":[["a"],["b"]],"times":[70,74]})"));
}

TEST(VisitObjective, EpochsAreShuffledFunctionsOfSeedAndNumber) {
  const Settings settings = SettingsOf("logistic");
  Data data = {PatientWorld({}, 1).Make(500, 0), {}};
  const auto model = settings.MakeModel(data, 1);
  const auto objective = settings.MakeObjective(data, *model, 1);
  EXPECT_EQ(objective->PlanEpoch(1, 2).All(), objective->PlanEpoch(1, 2).All());
  EXPECT_NE(objective->PlanEpoch(1, 2).All(), objective->PlanEpoch(1, 3).All());
  std::swap(data.train.records[0], data.train.records[1]);
  EXPECT_NE(settings.MakeObjective(data, *model, 1)->Checksum(),
            objective->Checksum());
}

/// Synthetic patients. Four of 12 codes have strong effects (log-odds ±4),
/// which decay to 1/e in two visits.
VisitRecords RecentPatients(int count) {
  PatientOptions options;
  options.codes = 12;
  options.effective = 4;
  options.min = options.max = 4;
  options.visits = 4;
  options.codes_of_visit = 2;
  options.decay = 2;
  return PatientWorld(options, 3).Make(count, 0);
}

TEST(Visits, RetainLearnsWhichCodesCount) {
  const TemporaryFolder folder;
  std::string lines;
  for (const VisitRecord& record : RecentPatients(1500).records) {
    lines += VisitLine(record) + "\n";
  }
  const std::string path = folder.Put("patients.jsonl", lines);
  Settings settings;
  settings.ChooseModel("retain");
  SetPreset(FieldsOf(*settings.model), "units=16 embedding=16 dropout=0");
  settings.data.patients = settings.data.valid_patients = {path};
  TrainingConfig training;
  settings.SetDefaults(training);
  training.run.out = folder.Path("model");
  training.run.epochs = 12;
  training.run.quiet = true;
  Train(settings, training);

  const LoadedModel loaded = ReadModel(folder.Path("model"));
  Evaluation options;
  options.patients = {path};
  const Report report =
      loaded.settings->Evaluate(*loaded.model, OptionsOf<Evaluation>(options));
  const auto figure = [&](const std::string& key) {
    return std::ranges::find(report.figures, key, &Figure::key)->value;
  };
  EXPECT_GT(figure("auc"), 80);
  EXPECT_LT(figure("auc_below_bayes"), 3);
  EXPECT_GT(figure("effect_spearman"), 0.8);
  EXPECT_GT(figure("effect_signs"), 95);
}

TEST(Visits, ExplanationHasContributionsOfCodesThatVisitsCover) {
  Settings settings = SettingsOf();
  LoadedModel loaded;
  loaded.model = settings.MakeModel({SomePatients(), {}}, 1);
  loaded.settings = std::make_unique<Settings>(settings);
  const auto predictor = loaded.MakePredictor();
  ExplainRequest request;
  request.input.given = {R"({"visits":[["a"],["b","c"],["d"]]})"};
  const Explanation e = Explain(loaded, *predictor, request);
  CheckExplanation(e);
  const ExplanationSegment& segment = e.segments.at(0);
  EXPECT_EQ(segment.axis("codes").items,
            (std::vector<std::string>{"a", "b", "c", "d"}));
  EXPECT_EQ(segment.axis("source").spans,
            (std::vector<ItemRange>{{0, 1}, {1, 3}, {3, 4}}));
  const Attribution& contributions = segment.attributions.at(0);
  EXPECT_EQ(contributions.method, "contributions");
  EXPECT_NEAR(std::accumulate(contributions.scores.begin(),
                              contributions.scores.end(), 0.0),
              contributions.differences.at(0), 1e-5);

  // For the other label all signs are reversed.
  request.input.answer = "0";
  const Explanation against = Explain(loaded, *predictor, request);
  EXPECT_FLOAT_EQ(against.segments[0].attributions[0].scores[1],
                  -contributions.scores[1]);
  request.input.answer = "2";
  EXPECT_THROW(Explain(loaded, *predictor, request), FormatError);
}

}  // namespace
}  // namespace heed::visits
