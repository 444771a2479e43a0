// heed demo visits: which codes of which visits count, on made-up patients of
// whom that is known.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "apps/heed/program.h"
#include "demos/demos.h"
#include "demos/training_in.h"
#include "heed/base/errors.h"
#include "heed/base/threads.h"
#include "heed/data/patients.h"
#include "heed/io/file.h"
#include "heed/page/page_files.h"
#include "heed/render/explanation_file.h"
#include "heed/render/text_layout.h"
#include "heed/tasks/explain.h"
#include "heed/tasks/run.h"
#include "heed/tasks/visits/visits.h"

namespace heed {
namespace {

constexpr int kHeldOutPatients = 2000;
constexpr uint64_t kFirstOfValid = uint64_t{1} << 32;
constexpr uint64_t kFirstOfTest = uint64_t{1} << 33;
constexpr int kVisitEpochs = 20;

struct VisitDemo {
  std::string out = "heed-visits";
  int patients = 10000;
  int epochs = kVisitEpochs;
  double decay = PatientOptions().decay;
  bool write_only = false;
  uint64_t seed = 1;
  int threads = 0;

  void Visit(FieldList& v) {
    v("out", out, Any{"DIR"}, "folder for patients, models and pictures");
    v("patients", patients, Range(100, 10000000),
      "patients for training; 2000 more are for validation and 2000 for the "
      "test");
    v("epochs", epochs, Range(1, 1000), "passes over the patients");
    v("decay", decay, Range(0.1, 1000),
      "visits after which a code counts 1/e of what it counts at the last one");
    v("write_only", write_only,
      "write the patients, as heed train --task visits reads them, and train "
      "nothing");
    v("seed", seed, "of the patients and the weights");
    v("threads", threads, Range(0, 1024), "threads; 0: one per core");
  }
  std::string Path(const std::string& file) const { return out + "/" + file; }
};

/// A model and what was measured of it on the test.
struct VisitResult {
  std::string name;
  LoadedModel loaded;
  Report report;

  double Figure(const std::string& key) const {
    for (const heed::Figure& figure : report.figures) {
      if (figure.key == key) return figure.value;
    }
    return NAN;
  }
};

void WritePatients(const VisitDemo& demo) {
  PatientOptions how;
  how.decay = demo.decay;
  const PatientWorld world(how, demo.seed);
  const auto write = [&](const std::string& file, int64_t count,
                         uint64_t first) {
    std::string lines;
    for (const VisitRecord& record : world.Make(count, first).records) {
      lines += VisitLine(record) + '\n';
    }
    WriteFileAtomically(demo.Path(file), lines);
  };
  std::filesystem::create_directories(demo.out);
  write("train.jsonl", demo.patients, 0);
  write("valid.jsonl", kHeldOutPatients, kFirstOfValid);
  write("test.jsonl", kHeldOutPatients, kFirstOfTest);
}

VisitResult TrainVisits(const VisitDemo& demo, const std::string& model) {
  visits::Settings task;
  task.ChooseModel(model);
  task.data.patients = {demo.Path("train.jsonl")};
  task.data.valid_patients = {demo.Path("valid.jsonl")};
  const TrainingConfig training =
      TrainingIn(demo.Path(model), task, demo.epochs, demo.seed);
  fmt::print(stderr, "{}\n", model);
  Train(task, training);
  VisitResult result = {model, ReadModel(training.run.out), {}};
  visits::Evaluation evaluation;
  evaluation.patients = {demo.Path("test.jsonl")};
  result.report = result.loaded.settings->Evaluate(
      *result.loaded.model, OptionsOf<visits::Evaluation>(evaluation));
  return result;
}

std::string Number(double value, int decimals, const char* unit = "") {
  return std::isfinite(value) ? fmt::format("{:.{}f}{}", value, decimals, unit)
                              : "-";
}

void ShowResults(const std::vector<VisitResult>& results) {
  fmt::print("\n{:<12} {:>7} {:>7} {:>18} {:>12}\n", "test", "AUC", "NLL",
             "rank correlation", "signs right");
  for (const VisitResult& result : results) {
    fmt::print("{:<12} {:>7} {:>7} {:>18} {:>12}\n", result.name,
               Number(result.Figure("auc"), 4), Number(result.Figure("nll"), 4),
               Number(result.Figure("effect_spearman"), 3),
               Number(result.Figure("effect_signs"), 1, " %"));
  }
  fmt::print("{:<12} {:>7} {:>7}\n", "at best",
             Number(results.front().Figure("bayes_auc"), 4),
             Number(results.front().Figure("bayes_nll"), 4));
  fmt::print(
      "\nRank correlation and signs: of what each code of each visit is found "
      "to add to the\nlog-odds, beside what it was made to add; there is none "
      "for a model whose answer is no\nsum over codes.\n");
}

/// The patient of the test who shows most: some visits, and a sure answer.
std::string ChoosePatient(const VisitDemo& demo) {
  std::string chosen;
  double best = 0;
  ForEachLine(demo.Path("test.jsonl"), [&](std::string_view line, int64_t) {
    VisitRecord record = ParseVisits(line, "patient");
    const double sure = std::abs(record.log_odds.value_or(0));
    const bool fits = record.visits.size() >= 5 && record.visits.size() <= 9;
    if (fits && sure > best) {
      best = sure;
      record.effects.clear();
      record.log_odds.reset();
      chosen = VisitLine(record);
    }
    return true;
  });
  return chosen;
}

void ShowPatient(const VisitDemo& demo, const VisitResult& result) {
  ExplainRequest request;
  request.input.given = {ChoosePatient(demo)};
  const auto predictor = result.loaded.MakePredictor();
  const Explanation explanation = Explain(result.loaded, *predictor, request);
  fmt::print(
      "\nWhat the visits of one patient of the test add to the "
      "log-odds, by {}\n\n{}",
      result.name, TerminalExplanation(explanation, {}, DetectTerminal()));
  WritePicture(demo.out, "patient", ExplanationSvg({&explanation, 1}, {}));
  std::string page;
  if (!PageFiles().empty()) {
    WriteFileAtomically(
        demo.Path("patient.html"),
        ExplanationFile(ExplanationFormat::kHtml, {&explanation, 1}, {}));
    page = fmt::format(", {}", demo.Path("patient.html"));
  }
  fmt::print(
      "\nThe picture:     {0}/patient.svg{1}\n"
      "The patients:    {0}/train.jsonl, {0}/valid.jsonl, {0}/test.jsonl\n"
      "Try your own:    echo '{{\"visits\": [[\"C001\", \"C002\"], "
      "[\"C003\"]]}}' | {2} predict {3}\n",
      demo.out, page, ProgramName(), demo.Path(result.name));
}

}  // namespace

int RunDemoVisits(const Arguments& arguments) {
  VisitDemo demo;
  Options options(
      "demo visits",
      "Makes up patients of whom it is known what each code of each visit "
      "counts, writes them as lines of JSON, trains every model of the task on "
      "them, and compares what they find with what was planted; shows which "
      "codes of which visits counted for one patient, as Choi et al. 2016 "
      "(RETAIN).");
  demo.Visit(options.fields());
  options.Example("heed demo visits");
  options.Example("heed demo visits --write-only --out patients");
  if (!options.Parse(arguments)) return 0;

  const ThreadLimit limit(demo.threads);
  WritePatients(demo);
  if (demo.write_only) {
    fmt::print(
        "{0}/train.jsonl: {1} patients; {0}/valid.jsonl and "
        "{0}/test.jsonl: {2} each\n",
        demo.out, demo.patients, kHeldOutPatients);
    return 0;
  }
  fmt::print("Learning from {} patients, for example\n  {}\n", demo.patients,
             Ellipsize(ChoosePatient(demo), TerminalWidth() - 2));
  std::fflush(stdout);
  std::vector<VisitResult> results;
  for (const std::string& model : ModelNames<VisitSettings>()) {
    results.push_back(TrainVisits(demo, model));
  }
  ShowResults(results);
  ShowPatient(demo, results.front());
  return 0;
}

}  // namespace heed
