// Which colour a strip has most of: a task in a folder of its own.
#ifndef HEED_TESTS_OPEN_HOUSE_TASK_H_
#define HEED_TESTS_OPEN_HOUSE_TASK_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "heed/models/classifier.h"
#include "heed/models/registry.h"
#include "heed/render/axis_kind.h"
#include "heed/render/view.h"
#include "heed/tasks/task.h"
#include "tests/open_house/strip.h"

namespace heed::strips {

/// What a user chooses: options of `heed train`, keys of config.json.
struct StripConfig {
  ModelChoice<EncoderSettings> encoder;
  ClassifierConfig classifier;
  std::string train;
  std::string valid;
  int batch_strips = 16;
};

struct StripData {
  LabelledStrips train;
  LabelledStrips valid;
};

/// An encoder of cells, pooled to one vector.
class StripModel : public TaskModel {
 public:
  StripModel(StripConfig settings, uint64_t seed);

  using TaskModel::parameters;
  ParameterSet& parameters() override { return parameters_; }

  /// Shapes: result [strips, colours].
  Tensor Probabilities(const Context& ctx,
                       const std::vector<Strip>& strips) const;

  const StripConfig config;

 private:
  ParameterSet parameters_;

 public:
  const Classifier network;
};

/// How many of these strips the model answers rightly. Units: percent.
double AccuracyOf(const StripModel& model, const LabelledStrips& strips);

struct StripEvaluation {
  std::string strips;
  void Visit(FieldList& v);
};

class StripSettings
    : public TaskSettingsOf<StripData, StripModel, NoOptions, StripEvaluation>,
      public StripConfig {
 public:
  std::string task() const override;
  void ChooseModel(const std::string& name) override { encoder.Choose(name); }
  void Visit(FieldList& v) override;
  void Resolve() override { encoder->Fill({}); }

  StripData ReadData() const override;
  std::unique_ptr<StripModel> Learn(const StripData& data,
                                    uint64_t seed) const override;
  std::unique_ptr<StripModel> Open(const ModelFiles& files,
                                   const std::string& folder,
                                   uint64_t seed) const override;
  std::vector<MeasureInfo> MeasuresOf(const StripData& data) const override;
  std::unique_ptr<Trainable> Objective(StripData data, StripModel& model,
                                       uint64_t seed) const override;
  std::unique_ptr<Predictor> Predicting(const StripModel& model,
                                        NoOptions options) const override;
  Report Measure(const StripModel& model,
                 const StripEvaluation& options) const override;
};

/// The row of the registry of tasks.
TaskRow StripTask();
/// Cells that do not know of each other.
ModelRow SeparateModel();
/// That of the registry of kinds of axes.
AxisKind StripKind();
/// That of the registry of views.
ExplanationView ColoursView();

}  // namespace heed::strips

#endif  // HEED_TESTS_OPEN_HOUSE_TASK_H_
