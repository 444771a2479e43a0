// Language detection with the loaded translators.
#ifndef HEED_SERVE_DETECT_H_
#define HEED_SERVE_DETECT_H_

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "heed/serve/engine.h"

namespace heed {

struct Detection {
  std::string language;
  double confidence = 0;  ///< percent
};

/// Confidence of a translator in its translations of texts: log-probability
/// divided by the number of characters of text or translation, whichever has
/// more, minus a penalty for unknown tokens. The fit is much higher for texts
/// in the translator's source language, also if translators share a vocabulary.
/// Units: nats per character
double SourceFit(const Vocabulary& source, std::span<const std::string> texts,
                 std::span<const Translations> translations);

/// Detections by decreasing confidence, from the fit of each language. If no
/// language fits, all confidences are low: a constant fit takes part in the
/// softmax.
std::vector<Detection> DetectionsOf(const std::map<std::string, double>& fits);

/// Detects the language of texts from their first sentences. Candidates are the
/// source languages of all translators with known languages. Calls `done` or
/// `failed` on the thread of a model, or `done` at once if there is nothing to
/// translate. Throws: HttpError 400 if there is no translator; 503 from
/// ModelQueue::Submit.
void DetectLanguages(const Engine& engine, std::span<const std::string> texts,
                     const std::shared_ptr<const Cancellation>& cancellation,
                     std::function<void(std::vector<Detection>)> done,
                     std::function<void(std::exception_ptr)> failed);

}  // namespace heed

#endif  // HEED_SERVE_DETECT_H_
