#include <algorithm>
#include <utility>

#include "heed/base/errors.h"
#include "heed/decode/beam.h"
#include "heed/tasks/caption/caption.h"
#include "heed/tasks/forced_text.h"

namespace heed::caption {
namespace {

constexpr int64_t kWrittenAtOnce = 64;

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
    return Fitted(ImageFromBytes(input.Text(), input.place), model_.format);
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
    std::vector<uint8_t> pixels;
    for (const Input& input : part) {
      const Image image = Prepared(input);
      pixels.insert(pixels.end(), image.pixels.begin(), image.pixels.end());
    }
    const Tensor images = ImageTensor(pixels, model_.format);
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
  const Image image = Prepared(input.given);
  const Tensor pixels = ImageTensor(image.pixels, model_.format);
  Encoded target;
  if (input.answer.empty()) {
    Prediction one = options;
    one.nbest = 1;
    target = WithEnd(model_.vocabulary,
                     WriteCaptions(model_, pixels, one, given.cancellation)
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
  e.axes = {CellsAxis(model_.network->cell(), image)};
  ForcedText text = Forced(pixels, std::move(target));
  if (!input.contrast.empty()) {
    text.contrast = model_.Encode(input.contrast).ids;
  }
  ForceText(given, input.watch, *model_.network, model_.vocabulary,
            std::move(text), result);
  result.scores.back().absent = AbsentCell(model_.network->cell(), image);
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
