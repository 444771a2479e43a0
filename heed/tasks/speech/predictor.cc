#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/base64.h"
#include "heed/base/errors.h"
#include "heed/base/threads.h"
#include "heed/data/image.h"
#include "heed/decode/beam.h"
#include "heed/explain/payloads.h"
#include "heed/tasks/forced_text.h"
#include "heed/tasks/speech/speech.h"

namespace heed::speech {
namespace {

constexpr int64_t kSoundsPerBatch = 16;

/// A sound with its features.
struct SoundFeatures {
  std::vector<float> samples;
  Tensor energies;  // [F, bands]
  Tensor features;  // [S, stack · bands]
};

/// Energies of bands as a grey image: time to the right, high frequencies at
/// the top. The range is that of the sound, at most 60 dB.
Image SpectrogramOf(const Tensor& energies) {
  constexpr float kRange = 13.8f;  // 60 dB in natural logarithms of power
  const int64_t frames = energies.dim(0), bands = energies.dim(1);
  const float* e = energies.data<float>();
  const float max = *std::max_element(e, e + energies.numel());
  const float min =
      std::max(max - kRange, *std::min_element(e, e + energies.numel()));
  const float range = std::max(max - min, 1e-3f);
  Image image = {bands, frames, 1, {}};
  image.pixels.resize(static_cast<size_t>(bands * frames));
  for (int64_t m = 0; m < bands; ++m) {
    for (int64_t f = 0; f < frames; ++f) {
      const float share =
          std::clamp((e[f * bands + m] - min) / range, 0.f, 1.f);
      At(image.pixels, (bands - 1 - m) * frames + f) =
          static_cast<uint8_t>(std::lround(255 * share));
    }
  }
  return image;
}

/// Energies at low resolution, 0 to 255, for a terminal.
std::vector<std::vector<int>> SmallSpectrogram(const Image& image) {
  constexpr int64_t kRows = 16;
  constexpr int64_t kColumns = 400;
  const Image small = Resized(image, std::min(image.height, kRows),
                              std::min(image.width, kColumns));
  std::vector<std::vector<int>> rows;
  for (int64_t y = 0; y < small.height; ++y) {
    rows.emplace_back(small.pixels.begin() + y * small.width,
                      small.pixels.begin() + (y + 1) * small.width);
  }
  return rows;
}

/// Recognises the text of a sound.
class SpeechPredictor : public PredictorWith<Prediction> {
 public:
  SpeechPredictor(const Model& model, Prediction options)
      : PredictorWith(options), model_(model) {
    CheckOptions(options.Decoding(model.vocabulary));
  }

  double Targets(double bytes) const override { return FramesIn(bytes); }
  double TokensOfCopy(double bytes) const override {
    return 2 * FramesIn(bytes);
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
  /// Estimated frames of a 16-bit file at the model's sample rate.
  double FramesIn(double bytes) const {
    return 1 + bytes / (2 * model_.mel.config().rate * model_.mel.step());
  }
  SoundFeatures ReadSound(const Input& input) const;
  ForcedText Forced(const Tensor& features, Encoded target) const;
  Axis SoundAxis(const SoundFeatures& sound) const;
  Answer AnswerOf(const Context& ctx, const SoundFeatures& sound,
                  int64_t number, const std::vector<Hypothesis>& found,
                  const Prediction& options, const PredictCall& call) const;

  const Model& model_;
};

SoundFeatures SpeechPredictor::ReadSound(const Input& input) const {
  SoundFeatures sound;
  sound.samples = Resampled(DecodeSound(input.Text(), input.place),
                            model_.mel.config().rate)
                      .samples;
  sound.energies = model_.mel.Energies(sound.samples);
  sound.features = model_.mel.Features(sound.energies);
  return sound;
}

ForcedText SpeechPredictor::Forced(const Tensor& features,
                                   Encoded target) const {
  ForcedText text;
  text.label = "Text";
  text.target = std::move(target);
  text.logits = [this, features,
                 read = ReadTokens(model_.vocabulary, text.target.ids)](
                    const Context& ctx, int64_t copies) {
    const std::vector<Tensor> same(static_cast<size_t>(copies), features);
    return model_.network->Logits(ctx, FramesOf(same),
                                  RepeatedColumns(read, copies));
  };
  return text;
}

Axis SpeechPredictor::SoundAxis(const SoundFeatures& sound) const {
  Axis axis = {.id = "source", .kind = "audio", .label = "Sound"};
  const double step = model_.mel.step();
  for (int64_t s = 0; s < sound.features.dim(0); ++s) {
    axis.items.push_back(
        fmt::format("{:.2f} s", static_cast<double>(s) * step));
  }
  const int rate = model_.mel.config().rate;
  const Image spectrogram = SpectrogramOf(sound.energies);
  axis.payload = SoundPayload{static_cast<double>(sound.samples.size()) / rate,
                              step,
                              static_cast<double>(sound.energies.dim(0)) *
                                  step / model_.mel.config().stack,
                              rate,
                              SmallSpectrogram(spectrogram),
                              ToBase64(EncodePng(spectrogram)),
                              ToBase64(EncodeWav(sound.samples, rate))};
  return axis;
}

Answer SpeechPredictor::AnswerOf(const Context& ctx, const SoundFeatures& sound,
                                 int64_t number,
                                 const std::vector<Hypothesis>& found,
                                 const Prediction& options,
                                 const PredictCall& call) const {
  Answer answer = WrittenAnswer(
      model_.vocabulary, number, found, call.parts, [&](const Encoded& best) {
        return Forced(sound.features, best).logits(ctx, 1);
      });
  const std::vector<TimedWord> words = TimedWords(model_, found.front());
  if (options.times) {
    for (const TimedWord& word : words) {
      answer.line +=
          fmt::format("\n{:.2f}\t{:.2f}\t{}", word.begin, word.end, word.word);
    }
  }
  if (!call.parts) return answer;
  answer.parts["words"] = nlohmann::ordered_json::array();
  for (const TimedWord& word : words) {
    answer.parts["words"].push_back(
        {{"word", word.word}, {"begin", word.begin}, {"end", word.end}});
  }
  return answer;
}

std::vector<Answer> SpeechPredictor::Predict(std::span<const Input> inputs,
                                             const Prediction& options,
                                             const PredictCall& call) const {
  std::vector<Answer> answers;
  const auto size = static_cast<size_t>(kSoundsPerBatch);
  for (size_t begin = 0; begin < inputs.size(); begin += size) {
    const auto part =
        inputs.subspan(begin, std::min(size, inputs.size() - begin));
    std::vector<SoundFeatures> sounds(part.size());
    ParallelForEach(std::ssize(part), 1,
                    [&](int64_t b) { At(sounds, b) = ReadSound(At(part, b)); });
    std::vector<Tensor> features;
    for (const SoundFeatures& one : sounds) features.push_back(one.features);
    const auto found = Recognise(model_, features, options, call.cancellation);
    for (size_t b = 0; b < part.size(); ++b) {
      answers.push_back(AnswerOf(call.context(), sounds[b], part[b].number,
                                 found[b], options, call));
    }
  }
  return answers;
}

/// Explains the text that beam search finds, or a given text by teacher
/// forcing.
ExplainablePrediction SpeechPredictor::PrepareExplanation(
    const Context& given, const ExplainInput& input,
    const Prediction& options) const {
  const SoundFeatures sound = ReadSound(input.given);
  Encoded target;
  if (input.answer.empty()) {
    Prediction one = options;
    one.nbest = 1;
    const std::vector<Tensor> features = {sound.features};
    target = WithEnd(model_.vocabulary,
                     Recognise(model_, features, one, given.cancellation)
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
  e.axes = {SoundAxis(sound)};
  ForcedText text = Forced(sound.features, std::move(target));
  if (!input.contrast.empty()) {
    text.contrast = model_.Encode(input.contrast).ids;
  }
  ForceText(given, input.watch, *model_.network, model_.vocabulary,
            std::move(text), result);
  const std::string answer = e.answer;
  return {answer, {std::move(result)}};
}

/// Position in frames, between 0 and S, at which the cumulative weight reaches
/// this share.
double FramePlaceOf(std::span<const double> weights, double share) {
  double total = 0;
  for (const double w : weights) total += w;
  double sum = 0;
  for (size_t s = 0; s < weights.size(); ++s) {
    if (weights[s] > 0 && sum + weights[s] >= share * total) {
      return static_cast<double>(s) + (share * total - sum) / weights[s];
    }
    sum += weights[s];
  }
  return static_cast<double>(weights.size());
}

}  // namespace

std::vector<TimedWord> TimedWords(const Model& model, const Hypothesis& found) {
  constexpr double kTail = 0.05;
  if (found.attention.empty() || found.tokens.empty()) return {};
  const Axis axis = TokenAxis("target", "", model.vocabulary, found.tokens);
  std::vector<ItemRange> ranges = axis.words;
  if (ranges.empty()) {
    for (int64_t t = 0; t < axis.size(); ++t) ranges.push_back({t, t + 1});
  }
  const int64_t frames = found.source_length;
  std::vector<TimedWord> words;
  for (const ItemRange& range : ranges) {
    std::vector<double> weights(static_cast<size_t>(frames));
    TimedWord& word = words.emplace_back();
    for (int64_t t = range.begin; t < range.end; ++t) {
      for (int64_t s = 0; s < frames; ++s) {
        At(weights, s) += At(found.attention, t * frames + s);
      }
      word.word += At(axis.shown(), t);
    }
    const double step = model.mel.step();
    word.begin = step * FramePlaceOf(weights, kTail);
    word.middle = step * FramePlaceOf(weights, 0.5);
    word.end = step * FramePlaceOf(weights, 1 - kTail);
  }
  return words;
}

std::vector<std::vector<Hypothesis>> Recognise(
    const Model& model, std::span<const Tensor> features,
    const Prediction& options, const Cancellation* cancellation) {
  SearchHooks hooks;
  if (cancellation != nullptr) {
    hooks.cancellations.assign(features.size(), cancellation);
  }
  DecodeOptions decode = options.Decoding(model.vocabulary);
  decode.keep_attention = true;
  constexpr double kShortestWord = 0.1;  // s
  const bool words = model.vocabulary.kind() == VocabularyKind::kWords;
  decode.max_length_factor = words ? model.mel.step() / kShortestWord : 1;
  return BeamSearch(*model.network, FramesOf(features), decode, {}, hooks);
}

std::unique_ptr<Predictor> Settings::MakePredictor(const Model& made,
                                                   Prediction options) const {
  return std::make_unique<SpeechPredictor>(made, options);
}

}  // namespace heed::speech
