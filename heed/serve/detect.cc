#include "heed/serve/detect.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>

#include "heed/base/text.h"
#include "heed/text/markup/text_split.h"

namespace heed {
namespace {

// Sentences that are enough to identify a language.
constexpr size_t kDetectedSentences = 3;

// Measured on Multi30k: the right language has a fit of about
// -0.13 with a deviation of 0.06, a wrong one of about -0.4.
constexpr double kSharpness = 30;
constexpr double kFitOfNone = -0.45;
constexpr double kUnknownPenalty = 0.5;

// Fits reported by several models. The last one completes the detection.
struct Detecting {
  std::mutex mutex;
  size_t left = 0;
  bool ended = false;
  std::map<std::string, double> fits;
  std::function<void(std::vector<Detection>)> done;
  std::function<void(std::exception_ptr)> failed;

  void Add(const std::string& language, double fit) {
    std::vector<Detection> found;
    {
      const std::lock_guard lock(mutex);
      fits[language] = fit;
      if (--left > 0 || ended) return;
      ended = true;
      found = DetectionsOf(fits);
    }
    done(std::move(found));
  }
  void Fail(std::exception_ptr error) {
    {
      const std::lock_guard lock(mutex);
      if (ended) return;
      ended = true;
    }
    failed(std::move(error));
  }
};

std::vector<std::string> FirstSentences(std::span<const std::string> texts) {
  std::vector<std::string> sentences;
  for (const std::string& text : texts) {
    for (Segment& segment : SplitText(text)) {
      if (!segment.translate) continue;
      sentences.push_back(std::move(segment.text));
      if (sentences.size() == kDetectedSentences) return sentences;
    }
  }
  return sentences;
}

}  // namespace

double SourceFit(const Vocabulary& source, std::span<const std::string> texts,
                 std::span<const Translations> translations) {
  double log_probability = 0;
  double characters = 0;
  double unknown = 0;
  double pieces = 0;
  for (size_t i = 0; i < texts.size(); ++i) {
    const Translation& translation = translations[i][0];
    log_probability += translation.log_probability;
    characters += static_cast<double>(
        std::max(CountCharacters(texts[i]), CountCharacters(translation.text)));
    for (const int32_t id : source.Encode(texts[i])) {
      unknown += id == source.special().unk ? 1 : 0;
      pieces += 1;
    }
  }
  return log_probability / std::max(characters, 1.0) -
         kUnknownPenalty * unknown / std::max(pieces, 1.0);
}

std::vector<Detection> DetectionsOf(const std::map<std::string, double>& fits) {
  double sum = std::exp(kSharpness * kFitOfNone);
  for (const auto& [language, fit] : fits) sum += std::exp(kSharpness * fit);
  std::vector<Detection> detections;
  for (const auto& [language, fit] : fits) {
    const double share = std::exp(kSharpness * fit) / sum;
    detections.push_back({language, std::round(share * 1000) / 10});
  }
  std::ranges::stable_sort(detections, [](const auto& a, const auto& b) {
    return a.confidence > b.confidence;
  });
  return detections;
}

void DetectLanguages(const Engine& engine, std::span<const std::string> texts,
                     const std::shared_ptr<const Cancellation>& cancellation,
                     std::function<void(std::vector<Detection>)> done,
                     std::function<void(std::exception_ptr)> failed) {
  std::map<std::string, ModelQueue*> queues;
  for (const auto& queue : engine.queues()) {
    const auto model = queue->model();
    if (!model->translates()) continue;
    queues.try_emplace(model->languages().source, queue.get());
  }
  // The source language of such a translator is unknown.
  if (queues.size() > 1) queues.erase(kUnknownSource);
  if (queues.empty()) {
    throw HttpError(400, "no translator is loaded, so there are no languages");
  }
  const std::vector<std::string> sentences = FirstSentences(texts);
  if (sentences.empty()) {
    std::vector<Detection> none;
    for (const auto& [language, queue] : queues) none.push_back({language, 0});
    return done(std::move(none));
  }
  const auto detecting = std::make_shared<Detecting>();
  detecting->left = queues.size();
  detecting->done = std::move(done);
  detecting->failed = std::move(failed);
  for (const auto& [language, queue] : queues) {
    Job job;
    for (const std::string& sentence : sentences) {
      job.inputs.push_back({sentence});
    }
    job.options = queue->model()->SearchOptions({.beam = 1, .scores = true});
    job.parts = false;
    job.cancellation = cancellation;
    job.predicted = [detecting, sentences, name = language](
                        const ServedModel& model,
                        const std::vector<Answer>& answers) {
      std::vector<Translations> all;
      for (const Answer& answer : answers) {
        all.push_back(TranslationsOf(answer));
      }
      detecting->Add(name,
                     SourceFit(model.source_vocabulary(), sentences, all));
    };
    job.failed = [detecting](std::exception_ptr error) {
      detecting->Fail(std::move(error));
    };
    queue->Submit(std::move(job));
  }
}

}  // namespace heed
