// heed demo visits: which codes of which visits count, on synthetic patients
// with known effects.
#include <fmt/format.h>

#include <cmath>

#include "course/data/generators.h"
#include "course/demos.h"
#include "course/task_demo.h"
#include "heed/data/visits.h"
#include "heed/io/file.h"
#include "heed/models/registry.h"
#include "heed/tasks/visits/visits.h"

namespace heed {
namespace {

/// Returns the most instructive patient of a file: 5 to 9 visits and the
/// largest absolute log-odds.
std::string ChoosePatient(const std::string& path) {
  std::string chosen;
  double best = 0;
  ForEachLine(path, [&](std::string_view line, int64_t) {
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

}  // namespace

int RunDemoVisits(const Arguments& arguments) {
  TaskDemo demo = {
      .name = "visits",
      .purpose =
          "Generates patients with a known effect of each code of each visit, "
          "writes them as lines of JSON, trains every model of the task on "
          "them, and compares what they find with what was planted; shows "
          "which codes of which visits counted for one patient, as Choi et al. "
          "2016 (RETAIN).",
      .examples = {"", " --patients 2000 --epochs 5"},
      .data = PatientData(),
      .epochs = 20,
      .entries = [] { return EntriesOf(ModelNames<VisitSettings>()); },
      .columns = {{"AUC", "auc", 2},
                  {"NLL", "nll", 4, ""},
                  {"rank correlation", "effect_spearman", 3, ""},
                  {"signs right", "effect_signs"}},
      .baselines = {{"at best", {"bayes_auc", "bayes_nll"}}},
      .remark =
          "Rank correlation and signs: of what each code of each visit is "
          "found to add to the\nlog-odds, beside what it was made to add; "
          "there is none for a model whose answer is no\nsum over codes.\n"};
  demo.inputs = [&](const TaskDemo::Results& results) {
    return std::vector<DemoInput>{
        {"patient", Input{ChoosePatient(demo.Path("test.jsonl"))},
         "What the visits of one patient of the test add to the log-odds, by " +
             results[0].entry.name}};
  };
  demo.typed = [](const auto&) {
    return R"(echo '{"visits": [["C001", "C002"], ["C003"]]}')";
  };
  return RunTaskDemo(demo, arguments);
}

}  // namespace heed
