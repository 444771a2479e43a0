// Shared code of tasks that classify an image.
#ifndef HEED_TASKS_IMAGES_IMAGE_CLASSES_H_
#define HEED_TASKS_IMAGES_IMAGE_CLASSES_H_

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heed/base/at.h"
#include "heed/data/image_set.h"
#include "heed/models/image_classifier.h"
#include "heed/tasks/task.h"

namespace heed::images {

/// A network, the size of its images and the names of their classes.
class ImageClassesModel : public TaskModel {
 public:
  ImageClassesModel(const ImageFormat& read, std::vector<std::string> names)
      : format(read), classes(std::move(names)) {}

  virtual const ImageClassifier& classifier() const = 0;
  /// Converts an image to the network's input format. Throws: FormatError that
  /// begins with `place` if that is impossible.
  virtual Image Prepared(const Image& image,
                         const std::string& place) const = 0;
  /// log p of each class. Shapes: images [B, H, W, C], result [B, K]. Throws:
  /// Cancelled.
  Tensor LogProbabilities(const Context& ctx, const Tensor& images) const;

  const ImageFormat format;  ///< format of the network's input
  const std::vector<std::string> classes;
};

struct Prediction {
  bool probabilities = false;
  void Visit(FieldList& v);
};

/// Predicts the class of an image.
class ImageClassPredictor : public PredictorWith<Prediction> {
 public:
  ImageClassPredictor(const ImageClassesModel& model, Prediction options)
      : PredictorWith(options), model_(model) {}

 protected:
  std::vector<Answer> Predict(std::span<const Input> inputs,
                              const Prediction& options,
                              const PredictCall& call) const override;
  ExplainablePrediction PrepareExplanation(const Context& given,
                                           const ExplainInput& input,
                                           const Prediction&) const override;
  bool joins_inputs(const Prediction&) const override { return true; }

 private:
  const std::string& NameOf(int32_t id) const { return At(model_.classes, id); }
  int32_t ClassNamed(const std::string& name, const char* place) const;

  const ImageClassesModel& model_;
};

/// Predictions of a network for images, in order.
struct ImageAnswers {
  std::vector<int32_t> chosen;  ///< the most probable class
  int64_t right = 0;            ///< images with `chosen` equal to the label
  double nll = 0;               ///< Σ of −log p(label). Units: nats

  /// Adds a batch. Shapes: log_p [B, K], labels [B].
  void Add(const Tensor& log_p, std::span<const int32_t> labels);
  /// Share of right predictions; 0 without images. Units: per cent
  double accuracy() const;
};

/// Predicts all images in batches of at most `at_once`. `answer`: log p of
/// images [begin, end), shape [end − begin, K]. nll of the result is the mean
/// over all images.
ImageAnswers AnswersInBatches(
    std::span<const int32_t> labels, int64_t at_once,
    const std::function<Tensor(int64_t begin, int64_t end)>& answer);

}  // namespace heed::images

#endif  // HEED_TASKS_IMAGES_IMAGE_CLASSES_H_
