// Image captioning: texts that describe images.
#ifndef HEED_TASKS_CAPTION_CAPTION_H_
#define HEED_TASKS_CAPTION_CAPTION_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heed/data/captions.h"
#include "heed/decode/hypothesis.h"
#include "heed/metrics/bleu_tokenizer.h"
#include "heed/models/caption/captioner.h"
#include "heed/models/registry.h"
#include "heed/ops/attention_sum.h"
#include "heed/tasks/hard_choices.h"
#include "heed/tasks/image_input.h"
#include "heed/tasks/task.h"
#include "heed/tasks/text_vocabulary.h"
#include "heed/tasks/written_text.h"

namespace heed::caption {

/// Options of the files of images and captions.
struct SourceConfig {
  std::string images;
  std::string image_folder;
  std::string features;

  /// `what`: use of the images, such as "images for training".
  void Visit(FieldList& v, const std::string& what);
  CaptionFiles Files() const { return {images, image_folder}; }
};

/// Options of image lists, captions and training.
struct DataConfig : SourceConfig {
  std::string valid_images;
  int valid_last = 0;
  int image_size = 56;
  Named<Colours> colours = Colours::kRgb;
  TextVocabularyConfig vocabulary;
  int max_length = 50;
  double doubly_stochastic = 1;
  Named<AttentionSumTarget> attention_sum = AttentionSumTarget::kOne;
  HardChoiceConfig hard;
  int batch_images = 64;
  Auto<BleuTokenizer> tokenize;

  DataConfig() { vocabulary.vocabulary = "words"; }
  void Visit(FieldList& v);
  ImageFormat Format() const {
    return {image_size, image_size, colours == Colours::kGrey ? 1 : 3};
  }
};

/// Settings of the task: options of `heed train`, keys of config.json.
struct Config {
  ModelChoice<CaptionerSettings> model;
  DataConfig data;
};

/// Input of a captioner: images, or features of their cells.
struct Source {
  ImageFormat format;
  bool of_features = false;

  ImageUse Use() const;
};

struct Data {
  CaptionedImages train;
  CaptionedImages valid;
};

/// A captioner, the size of its images and its vocabulary.
class Model : public TaskModel {
 public:
  Model(Config settings, const Source& source, Vocabulary words, uint64_t seed);

  using TaskModel::parameters;
  ParameterSet& parameters() override { return network->parameters(); }
  const Vocabulary* written_vocabulary() const override { return &vocabulary; }
  ModelFiles Files() const override;
  ModelOutline Outline() const override { return network->Outline(); }
  std::string Prompt() const override {
    return source.of_features ? "Choose a file of features of image cells" : "";
  }
  std::vector<std::pair<std::string, int64_t>> Sizes() const override {
    return {{"vocabulary", vocabulary.size()},
            {"height", source.format.height},
            {"width", source.format.width},
            {"channels", source.format.channels}};
  }

  /// Inputs of the decoder for images or features [B, H, W, C].
  Inputs CellsOf(const Context& ctx, const Tensor& images) const {
    return Inputs::Cells(network->Cells(ctx, images));
  }
  Encoded Encode(const std::string& caption) const {
    return EncodeSentence(vocabulary, caption,
                          config.data.vocabulary.lowercase);
  }

  const Source source;
  const Vocabulary vocabulary;
  const Config config;  ///< with the model's settings filled
  const std::unique_ptr<Captioner> network;
};

/// Search options for captions.
struct Prediction : TextSearch {
  void Visit(FieldList& v);
};

/// The captions of images or features [B, H, W, C], best first. Throws: as
/// BeamSearch.
std::vector<std::vector<Hypothesis>> WriteCaptions(
    const Model& model, const Tensor& images, const Prediction& options,
    const Cancellation* cancellation = nullptr);

/// Attention to the boxes of words in reference captions, by teacher forcing.
struct PointingResult {
  int64_t nouns = 0;  ///< words with a box
  /// Words whose most attended cell touches their box, and words for which this
  /// cell or a neighbour touches it.
  int64_t touching = 0;
  int64_t near = 0;
  /// Expected counts for uniformly random cells.
  double touching_by_chance = 0;
  double near_by_chance = 0;
  double nll = 0;      ///< Σ −log p of the tokens. Units: nats
  int64_t tokens = 0;  ///< including </s>
  double entropy = 0;  ///< Σ over tokens: attention entropy. Units: nats

  void Add(const PointingResult& other);
};

/// Measures the attention over all captions of a set.
PointingResult PointAt(const Model& model, const CaptionedImages& set);

/// Returns the predicted captions of all images of a set.
std::vector<std::string> CaptionsOf(const Model& model,
                                    const CaptionedImages& set,
                                    const Prediction& options);

/// Makes the report of `heed evaluate` on a set.
Report MeasureCaptions(const Model& model, const CaptionedImages& set,
                       const Prediction& options,
                       Auto<BleuTokenizer> tokenize = {});

/// Options of an evaluation: images with reference captions.
struct Evaluation : Prediction, SourceConfig {
  Auto<BleuTokenizer> tokenize;
  void Visit(FieldList& v);
};

class Settings : public TaskSettingsOf<Data, Model, Prediction, Evaluation>,
                 public Config {
 public:
  std::string task() const override { return "caption"; }
  InputKind input_kind() const override;
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
  std::vector<MeasureInfo> Measures(const Data& /*read*/) const override;
  Evaluation evaluation() const override {
    Evaluation options;
    options.tokenize = data.tokenize;
    return options;
  }
  std::unique_ptr<Trainable> MakeObjective(Data read, Model& made,
                                           uint64_t seed) const override;
  std::unique_ptr<Predictor> MakePredictor(const Model& made,
                                           Prediction options) const override;
  Report Evaluate(const Model& made, const Evaluation& options) const override;
};

TaskRow Task();

}  // namespace heed::caption

#endif  // HEED_TASKS_CAPTION_CAPTION_H_
