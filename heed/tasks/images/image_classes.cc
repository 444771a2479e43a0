#include "heed/tasks/images/image_classes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "heed/base/at.h"
#include "heed/base/base64.h"
#include "heed/base/errors.h"
#include "heed/explain/payloads.h"
#include "heed/metrics/metrics.h"
#include "heed/ops/loss.h"
#include "heed/tasks/choice.h"
#include "heed/tasks/image_input.h"

namespace heed::images {
namespace {

/// Decodes an image file and fits it to the model's format.
Image ImageOf(const ImageClassesModel& model, const Input& input) {
  return model.Prepared(ImageFromBytes(input.Text(), input.place), input.place);
}

Tensor TensorOf(const Image& image, const ImageFormat& format) {
  return ImageTensor(image.pixels, format);
}

/// Encodes a glimpse, [N, N, C] in 0 to 1, as an image file.
std::string SeenFile(const Tensor& seen) {
  Image image{seen.dim(0), seen.dim(1), seen.dim(2), {}};
  for (const double value : seen.To(DType::kF64).ToVector<double>()) {
    image.pixels.push_back(static_cast<uint8_t>(std::lround(255 * value)));
  }
  return ToBase64(EncodePng(image));
}

/// Adds the windows of the glimpses to the image.
ImagePayload WithLooks(const Payload& image,
                       const std::vector<ImageLook>& looks) {
  ImagePayload payload = *image.As<ImagePayload>();
  for (const ImageLook& look : looks) {
    auto& windows = payload.looks.emplace_back();
    for (const ImageWindow& window : look.windows) {
      windows.push_back(
          {window.left, window.top, window.side, SeenFile(window.seen)});
    }
  }
  return payload;
}

}  // namespace

int32_t ImageClassPredictor::ClassNamed(const std::string& name,
                                        const char* place) const {
  const auto found = std::ranges::find(model_.classes, name);
  if (found == model_.classes.end()) {
    throw FormatError("{}: the model has no class '{}' (it has: {})", place,
                      name, fmt::join(model_.classes, ", "));
  }
  return static_cast<int32_t>(found - model_.classes.begin());
}

std::vector<Answer> ImageClassPredictor::Predict(
    std::span<const Input> inputs, const Prediction& options,
    const PredictCall& call) const {
  std::vector<uint8_t> pixels;
  for (const Input& input : inputs) {
    const Image image = ImageOf(model_, input);
    pixels.insert(pixels.end(), image.pixels.begin(), image.pixels.end());
  }
  std::vector<Answer> answers;
  if (inputs.empty()) return answers;
  const Tensor log_p = model_.LogProbabilities(
      call.context(), ImageTensor(pixels, model_.format));
  for (int64_t b = 0; b < log_p.dim(0); ++b) {
    const float* row = log_p.row<float>(b);
    CandidateList candidates("classes", "class");
    const auto add = [&](int32_t c) {
      candidates.Add(NameOf(c), std::exp(double{row[c]}));
    };
    const int32_t chosen = LargestOf({row, static_cast<size_t>(log_p.dim(1))});
    if (options.probabilities) {
      for (int32_t c = 0; c < log_p.dim(1); ++c) add(c);
    } else {
      add(chosen);
    }
    answers.push_back(candidates.answer());
    if (!options.probabilities) answers.back().line = NameOf(chosen);
  }
  return answers;
}

ExplainablePrediction ImageClassPredictor::PrepareExplanation(
    const Context& given, const ExplainInput& input, const Prediction&) const {
  const Image image = ImageOf(model_, input.given);
  const Tensor one = TensorOf(image, model_.format);
  const ImageClassifier& classifier = model_.classifier();
  const auto log_p = [&classifier, one](const Context& c, int64_t copies) {
    return LogSoftmax(classifier.Scores(c, RepeatImage(one, copies)));
  };
  std::vector<Axis> axes = {CellsAxis(classifier.cell(), image)};
  const std::vector<ImageLook> looks = classifier.Looks(given, one);
  if (!looks.empty()) axes[0].payload = WithLooks(axes[0].payload, looks);
  ExplainableSegment result =
      ExplainChoice(given, input, std::move(axes),
                    {"Class", [this](int32_t id) { return NameOf(id); },
                     [this](const std::string& name, const char* place) {
                       return ClassNamed(name, place);
                     },
                     log_p});
  result.scores.back().absent = AbsentCell(classifier.cell(), image);
  std::string answer = result.segment.answer;
  return {std::move(answer), {std::move(result)}};
}

Tensor ImageClassesModel::LogProbabilities(const Context& ctx,
                                           const Tensor& images) const {
  ctx.CheckCancelled();
  return LogSoftmax(classifier().Scores(ctx, images)).value();
}

void ImageAnswers::Add(const Tensor& log_p, std::span<const int32_t> labels) {
  for (int64_t b = 0; b < log_p.dim(0); ++b) {
    const float* row = log_p.row<float>(b);
    const int32_t best = LargestOf({row, static_cast<size_t>(log_p.dim(1))});
    const int32_t label = At(labels, b);
    chosen.push_back(best);
    right += best == label ? 1 : 0;
    nll -= double{row[label]};
  }
}

double ImageAnswers::accuracy() const {
  return RatioOf(100.0 * static_cast<double>(right), std::ssize(chosen));
}

ImageAnswers AnswersInBatches(
    std::span<const int32_t> labels, int64_t at_once,
    const std::function<Tensor(int64_t begin, int64_t end)>& answer) {
  ImageAnswers answers;
  const int64_t count = std::ssize(labels);
  for (int64_t begin = 0; begin < count; begin += at_once) {
    const int64_t end = std::min(count, begin + at_once);
    answers.Add(answer(begin, end),
                labels.subspan(static_cast<size_t>(begin),
                               static_cast<size_t>(end - begin)));
  }
  answers.nll = RatioOf(answers.nll, count);
  return answers;
}

void Prediction::Visit(FieldList& v) {
  v.Section("Answers");
  v("probabilities", probabilities,
    "write all classes with their probabilities, instead of the most probable "
    "one");
}

}  // namespace heed::images
