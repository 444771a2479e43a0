#include <algorithm>
#include <utility>
#include <vector>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/data/image_features.h"
#include "heed/decode/beam.h"
#include "heed/tasks/caption/caption.h"
#include "heed/tasks/forced_text.h"

namespace heed::caption {
namespace {

constexpr int64_t kWrittenAtOnce = 64;
/// Side of a cell in pictures of features. Units: pixels
constexpr int64_t kShownCell = 8;

/// Mean of the cells of an image, which stands for an occluded cell.
std::vector<double> MeanCell(const Tensor& features) {
  const int64_t size = features.dim(3), cells = features.numel() / size;
  std::vector<double> mean(static_cast<size_t>(size));
  for (int64_t i = 0; i < features.numel(); ++i) {
    At(mean, i % size) +=
        features.data<float>()[i] / static_cast<double>(cells);
  }
  return mean;
}

/// Predicts captions of images.
class CaptionPredictor : public PredictorWith<Prediction> {
 public:
  CaptionPredictor(const Model& model, Prediction options)
      : PredictorWith(options), model_(model) {
    CheckOptions(options.Decoding(model.vocabulary));
  }

  double Targets(double /*bytes*/) const override {
    return model_.config.data.max_length;
  }
  double TokensOfCopy(double /*bytes*/) const override {
    return 2.0 * model_.config.data.max_length;
  }

 protected:
  std::vector<Answer> Predict(std::span<const Input> inputs,
                              const Prediction& options,
                              const PredictCall& call) const override;
  ExplainablePrediction PrepareExplanation(
      const Context& given, const ExplainInput& input,
      const Prediction& options) const override;
  bool joins_inputs(const Prediction&) const override { return true; }

 private:
  Image Prepared(const Input& input) const {
    return Fitted(ImageFromBytes(input.Text(), input.place),
                  model_.source.format);
  }
  /// Pixels or features of an input, [1, H, W, C].
  Tensor Read(const Input& input) const {
    const ImageFormat& format = model_.source.format;
    return model_.source.of_features
               ? FeaturesFromBytes(input.Text(), format, input.place)
               : ImageTensor(Prepared(input).pixels, format);
  }
  ForcedText Forced(const Tensor& image, Encoded target) const;

  const Model& model_;
};

ForcedText CaptionPredictor::Forced(const Tensor& image, Encoded target) const {
  ForcedText text;
  text.label = "Caption";
  text.target = std::move(target);
  text.logits = [this, image,
                 read = ReadTokens(model_.vocabulary, text.target.ids)](
                    const Context& ctx, int64_t copies) {
    return model_.network->Logits(
        ctx, model_.CellsOf(ctx, RepeatImage(image, copies)),
        RepeatedColumns(read, copies));
  };
  return text;
}

std::vector<Answer> CaptionPredictor::Predict(std::span<const Input> inputs,
                                              const Prediction& options,
                                              const PredictCall& call) const {
  std::vector<Answer> answers;
  const auto size = static_cast<size_t>(kWrittenAtOnce);
  for (size_t begin = 0; begin < inputs.size(); begin += size) {
    const auto part =
        inputs.subspan(begin, std::min(size, inputs.size() - begin));
    const ImageFormat& format = model_.source.format;
    Tensor images(
        {std::ssize(part), format.height, format.width, format.channels});
    float* next = images.data<float>();
    for (const Input& input : part) {
      next = std::copy_n(Read(input).data<float>(), format.size(), next);
    }
    const auto found =
        WriteCaptions(model_, images, options, call.cancellation);
    for (size_t b = 0; b < part.size(); ++b) {
      const auto at = static_cast<int64_t>(b);
      answers.push_back(
          WrittenAnswer(model_.vocabulary, part[b].number, found[b], call.parts,
                        [&](const Encoded& best) {
                          return Forced(images.Slice(at, at + 1), best)
                              .logits(call.context(), 1);
                        }));
    }
  }
  return answers;
}

/// Explains the caption that beam search finds, or a given caption by teacher
/// forcing.
ExplainablePrediction CaptionPredictor::PrepareExplanation(
    const Context& given, const ExplainInput& input,
    const Prediction& options) const {
  const bool of_features = model_.source.of_features;
  const int64_t cell = of_features ? kShownCell : model_.network->cell();
  Tensor source;
  Image image;
  if (of_features) {
    source = Read(input.given);
    image = PictureOfFeatures(source, cell);  // grey
  } else {
    image = Prepared(input.given);
    source = ImageTensor(image.pixels, model_.source.format);
  }
  Encoded target;
  if (input.answer.empty()) {
    Prediction one = options;
    one.nbest = 1;
    target = WithEnd(model_.vocabulary,
                     WriteCaptions(model_, source, one, given.cancellation)
                         .front()
                         .front()
                         .tokens);
  } else {
    target = model_.Encode(input.answer);
  }
  ExplainableSegment result;
  ExplanationSegment& e = result.segment;
  e.text = input.given.Shown();
  e.answer = model_.vocabulary.Decode(target.ids);
  e.axes = {CellsAxis(cell, image)};
  ForcedText text = Forced(source, std::move(target));
  if (!input.contrast.empty()) {
    text.contrast = model_.Encode(input.contrast).ids;
  }
  ForceText(given, input.watch, *model_.network, model_.vocabulary,
            std::move(text), result);
  result.scores.back().absent =
      of_features ? MeanCell(source) : AbsentCell(cell, image);
  const std::string answer = e.answer;
  return {answer, {std::move(result)}};
}

}  // namespace

std::vector<std::vector<Hypothesis>> WriteCaptions(
    const Model& model, const Tensor& images, const Prediction& options,
    const Cancellation* cancellation) {
  Context ctx;
  ctx.cancellation = cancellation;
  SearchHooks hooks;
  if (cancellation != nullptr) {
    hooks.cancellations.assign(static_cast<size_t>(images.dim(0)),
                               cancellation);
  }
  return BeamSearch(*model.network, model.CellsOf(ctx, images),
                    options.Decoding(model.vocabulary), {}, hooks);
}

std::unique_ptr<Predictor> Settings::MakePredictor(const Model& made,
                                                   Prediction options) const {
  return std::make_unique<CaptionPredictor>(made, options);
}

}  // namespace heed::caption
