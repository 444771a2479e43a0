// Frame order: classifies whether three frames of a clip are in temporal order.
// Paper: Misra et al. 2016, Shuffle and Learn, arXiv:1603.08561.
#ifndef HEED_TASKS_ORDER_ORDER_H_
#define HEED_TASKS_ORDER_ORDER_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "heed/data/clips.h"
#include "heed/models/frame_order/frame_order.h"
#include "heed/models/registry.h"
#include "heed/tasks/image_input.h"
#include "heed/tasks/images/image_classes.h"
#include "heed/tasks/task.h"

namespace heed::order {

/// Folders of clips, and batches of frame tuples.
struct DataConfig {
  std::string frames;
  std::string valid_frames;
  int frame_size = 0;
  Auto<Colours> colours;
  int spacing = 1;
  int batch_tuples = 64;

  void Visit(FieldList& v);
  /// The requested format of frames; 0: as in the files.
  ImageFormat Wanted() const;
};

/// Minimum number of frames of a clip for tuples of this spacing.
constexpr int64_t MinFrames(int64_t spacing) {
  return (kWindowFrames - 1) * spacing + 1;
}

/// Settings of the task: options of `heed train`, keys of config.json.
struct Config {
  ModelChoice<FrameOrderSettings> model;
  DataConfig data;
};

struct Data {
  Clips train;
  Clips valid;
};

/// Two tuples of each clip, one in order and one out of order, drawn by
/// (seed, clip).
std::vector<FrameTuple> BalancedTuples(const Clips& clips, int64_t spacing,
                                       uint64_t seed);

/// A network that classifies strips: three frames side by side.
class Model : public images::ImageClassesModel {
 public:
  Model(Config settings, const ImageFormat& one, uint64_t seed);

  using TaskModel::parameters;
  ParameterSet& parameters() override { return parameters_; }
  ModelFiles Files() const override;
  ModelOutline Outline() const override { return network->Outline(); }
  std::vector<std::pair<std::string, int64_t>> Sizes() const override {
    return {{"height", frame.height},
            {"width", frame.width},
            {"channels", frame.channels}};
  }

  const ImageClassifier& classifier() const override { return *network; }
  /// Scales a strip to the network's format. Throws: FormatError unless it has
  /// the shape of three frames side by side.
  Image Prepared(const Image& image, const std::string& place) const override;

  const ImageFormat frame;
  const Config config;  ///< with the model's settings filled

 private:
  ParameterSet parameters_;

 public:
  const std::unique_ptr<ImageClassifier> network;
};

/// Predictions of the model for tuples; nll is the mean over the tuples.
images::ImageAnswers AnswersOf(const Model& model, const Clips& clips,
                               const std::vector<FrameTuple>& tuples);

/// Options of an evaluation: held-out clips.
struct Evaluation {
  std::string frames;
  int spacing = 1;
  uint64_t seed = 1;
  void Visit(FieldList& v);
};

class Settings
    : public TaskSettingsOf<Data, Model, images::Prediction, Evaluation>,
      public Config {
 public:
  std::string task() const override { return "order"; }
  void ChooseModel(const std::string& name) override { model.Choose(name); }
  void Visit(FieldList& v) override;
  void SetDefaults(TrainingConfig& training) const override;
  void Resolve() override {}

  Data Read() const override;
  std::unique_ptr<Model> MakeModel(const Data& read,
                                   uint64_t seed) const override;
  std::unique_ptr<Model> Open(const ModelFiles& files,
                              const std::string& folder,
                              uint64_t seed) const override;
  std::vector<MeasureInfo> Measures(const Data& /*read*/) const override {
    return {{"accuracy", true}, {"nll", false}};
  }
  std::unique_ptr<Trainable> MakeObjective(Data read, Model& made,
                                           uint64_t seed) const override;
  Evaluation evaluation() const override {
    Evaluation options;
    options.spacing = data.spacing;
    return options;
  }
  std::unique_ptr<Predictor> MakePredictor(
      const Model& made, images::Prediction options) const override;
  Report Evaluate(const Model& made, const Evaluation& options) const override;
};

TaskRow Task();

}  // namespace heed::order

#endif  // HEED_TASKS_ORDER_ORDER_H_
