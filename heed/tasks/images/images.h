// Classification of images.
#ifndef HEED_TASKS_IMAGES_IMAGES_H_
#define HEED_TASKS_IMAGES_IMAGES_H_

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heed/data/image_canvas.h"
#include "heed/data/image_set.h"
#include "heed/models/image_classifier.h"
#include "heed/models/registry.h"
#include "heed/models/settings.h"
#include "heed/tasks/image_input.h"
#include "heed/tasks/images/image_classes.h"
#include "heed/tasks/task.h"

namespace heed::images {

/// Files of images, their preparation and batches.
struct DataConfig {
  ImageFiles train;
  ImageFiles valid;
  int valid_last = 0;
  int image_size = 0;
  Auto<Colours> colours;
  CanvasConfig canvas;
  int batch_images = 128;

  void Visit(FieldList& v);
  /// Format to which images are converted; 0 in the options: that of the first
  /// image.
  ImageFormat Wanted(const ImageFormat& first) const;
};

/// Settings of the task: options of `heed train`, keys of config.json.
struct Config {
  ModelChoice<ImageSettings> model;
  DataConfig data;
};

struct Data {
  ImageSet train;
  ImageSet valid;
};

class Model : public ImageClassesModel {
 public:
  /// `own`: format of images before they are placed on a canvas.
  Model(Config settings, const ImageFormat& own,
        std::vector<std::string> class_names, uint64_t seed);

  using TaskModel::parameters;
  ParameterSet& parameters() override { return parameters_; }
  ModelFiles Files() const override;
  ModelOutline Outline() const override { return network->Outline(); }
  std::vector<std::pair<std::string, int64_t>> Sizes() const override {
    return {{"classes", std::ssize(classes)},
            {"height", format.height},
            {"width", format.width},
            {"channels", format.channels}};
  }

  const ImageClassifier& classifier() const override { return *network; }
  /// Resizes an image to the network's format, centred on a canvas if the model
  /// has one.
  Image Prepared(const Image& image, const std::string& place) const override;

  const ImageFormat own_format;  ///< format of images without a canvas
  const Config config;           ///< with the model's settings filled

 private:
  ParameterSet parameters_;

 public:
  const std::unique_ptr<ImageClassifier> network;
};

/// Predictions of the model for a set; nll is the mean over the images.
ImageAnswers AnswersOf(const Model& model, const ImageSet& set);

/// Permutes the cells of each image at random (tests whether the model uses
/// positions).
ImageSet WithShuffledCells(const ImageSet& set, int64_t cell, uint64_t seed);

/// Options of an evaluation: labelled images.
struct Evaluation {
  ImageFiles files;
  CanvasConfig canvas;
  bool shuffle_cells = false;
  uint64_t seed = 1;
  void Visit(FieldList& v);
};

class Settings : public TaskSettingsOf<Data, Model, Prediction, Evaluation>,
                 public Config {
 public:
  std::string task() const override { return "images"; }
  void ChooseModel(const std::string& name) override { model.Choose(name); }
  void Visit(FieldList& v) override;
  void SetDefaults(TrainingConfig& training) const override;
  int64_t MinUpdates() const override { return 2000; }
  void Resolve() override;

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
  Evaluation evaluation() const override { return {{}, data.canvas, false, 1}; }
  std::unique_ptr<Predictor> MakePredictor(const Model& made,
                                           Prediction options) const override;
  Report Evaluate(const Model& made, const Evaluation& options) const override;
};

TaskRow Task();

}  // namespace heed::images

#endif  // HEED_TASKS_IMAGES_IMAGES_H_
