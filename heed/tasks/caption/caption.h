// What an image shows, in words.
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
#include "heed/models/captioner.h"
#include "heed/models/registry.h"
#include "heed/ops/attention_sum.h"
#include "heed/tasks/hard_choices.h"
#include "heed/tasks/image_input.h"
#include "heed/tasks/task.h"
#include "heed/tasks/text_vocabulary.h"
#include "heed/tasks/written_text.h"

namespace heed {

/// A list of images with captions, or scenes that are drawn.
struct CaptionSource {
  std::string images;
  int64_t scenes = 0;

  bool empty() const { return images.empty() && scenes == 0; }
  /// Scenes are those of `seed`. Throws: IoError; FormatError; ConfigError for
  /// both or neither.
  CaptionedImages Read(const ImageFormat& format, uint64_t seed) const;
};

/// Where images and captions come from, and what is learned of them.
struct CaptionDataConfig {
  CaptionSource train;
  CaptionSource valid;
  int valid_last = 0;
  int image_size = 56;
  Named<Colours> colours = Colours::kRgb;
  uint64_t scene_seed = 1;
  TextVocabularyConfig vocabulary;
  int max_length = 50;
  double doubly_stochastic = 0;
  Named<AttentionSumTarget> attention_sum = AttentionSumTarget::kOne;
  HardChoiceConfig hard;
  int batch_images = 64;
  Auto<BleuTokenizer> tokenize;

  CaptionDataConfig() { vocabulary.vocabulary = "words"; }
  void Visit(FieldList& v);
  ImageFormat Format() const {
    return {image_size, image_size, colours == Colours::kGrey ? 1 : 3};
  }
};

/// What a user chooses: options of `heed train`, keys of config.json.
struct CaptionConfig {
  ModelChoice<CaptionerSettings> model;
  CaptionDataConfig data;
};

struct CaptionData {
  CaptionedImages train;
  CaptionedImages valid;
};

/// A captioner, the size of its images and its vocabulary.
class CaptionModel : public TaskModel {
 public:
  CaptionModel(CaptionConfig settings, const ImageFormat& format,
               Vocabulary words, uint64_t seed);

  using TaskModel::parameters;
  ParameterSet& parameters() override { return network->parameters(); }
  ModelFiles Files() const override;
  ModelOutline Outline() const override { return network->Outline(); }
  std::vector<std::pair<std::string, int64_t>> Sizes() const override {
    return {{"vocabulary", vocabulary.size()},
            {"height", format.height},
            {"width", format.width},
            {"channels", format.channels}};
  }

  /// What the network reads of images [B, H, W, C].
  Inputs CellsOf(const Context& ctx, const Tensor& images) const {
    return Inputs::Cells(network->Cells(ctx, images));
  }
  Encoded Encode(const std::string& caption) const {
    return EncodeSentence(vocabulary, caption,
                          config.data.vocabulary.lowercase);
  }

  const ImageFormat format;
  const Vocabulary vocabulary;
  const CaptionConfig config;  ///< with the model's settings filled
  const std::unique_ptr<Captioner> network;
};

/// How captions are searched for.
struct CaptionPrediction : TextSearch {
  void Visit(FieldList& v);
};

/// The captions of a batch of images [B, H, W, C], best first. Throws: as
/// BeamSearch.
std::vector<std::vector<Hypothesis>> WriteCaptions(
    const CaptionModel& model, const Tensor& images,
    const CaptionPrediction& options,
    const Cancellation* cancellation = nullptr);

/// Where the model looks as it is made to write given captions.
struct PointingResult {
  int64_t nouns = 0;  ///< words with a box
  /// Those whose cell of the most attention touches their box, and those where
  /// it or a neighbour of it does.
  int64_t touching = 0;
  int64_t near = 0;
  /// Σ of the shares of cells that would count so: what chance reaches.
  double touching_by_chance = 0;
  double near_by_chance = 0;
  double nll = 0;      ///< Σ −log p of the tokens. Units: nats
  int64_t tokens = 0;  ///< </s> among them
  double entropy = 0;  ///< Σ over tokens of that of the attention. Units: nats

  void Add(const PointingResult& other);
};

/// Of all captions of a set.
PointingResult PointAt(const CaptionModel& model, const CaptionedImages& set);

/// What is written of all images of a set.
std::vector<std::string> CaptionsOf(const CaptionModel& model,
                                    const CaptionedImages& set,
                                    const CaptionPrediction& options);

/// What `heed evaluate` shows of a set.
Report MeasureCaptions(const CaptionModel& model, const CaptionedImages& set,
                       const CaptionPrediction& options,
                       Auto<BleuTokenizer> tokenize = {});

/// The images that a model is compared with.
struct CaptionEvaluation : CaptionPrediction {
  CaptionSource source;
  uint64_t scene_seed = 3;
  Auto<BleuTokenizer> tokenize;
  void Visit(FieldList& v);
};

class CaptionSettings
    : public TaskSettingsOf<CaptionData, CaptionModel, CaptionPrediction,
                            CaptionEvaluation>,
      public CaptionConfig {
 public:
  std::string task() const override { return "caption"; }
  void ChooseModel(const std::string& name) override { model.Choose(name); }
  void Visit(FieldList& v) override;
  void SetDefaults(TrainingConfig& training) const override;
  int64_t LeastUpdates() const override { return 2000; }
  void Resolve() override;

  CaptionData ReadData() const override;
  std::unique_ptr<CaptionModel> Learn(const CaptionData& read,
                                      uint64_t seed) const override;
  std::unique_ptr<CaptionModel> Open(const ModelFiles& files,
                                     const std::string& folder,
                                     uint64_t seed) const override;
  std::vector<MeasureInfo> MeasuresOf(
      const CaptionData& /*read*/) const override;
  CaptionEvaluation evaluation() const override {
    CaptionEvaluation options;
    options.tokenize = data.tokenize;
    return options;
  }
  std::unique_ptr<Trainable> Objective(CaptionData read, CaptionModel& made,
                                       uint64_t seed) const override;
  std::unique_ptr<Predictor> Predicting(
      const CaptionModel& made, CaptionPrediction options) const override;
  Report Measure(const CaptionModel& made,
                 const CaptionEvaluation& options) const override;
};

TaskRow CaptionTask();

}  // namespace heed

#endif  // HEED_TASKS_CAPTION_CAPTION_H_
