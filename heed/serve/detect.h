// Which language a text is in, as far as the loaded translators know.
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

/// How sure a translator is of what it made of texts: the log-probability of
/// the translations by the characters of texts or translations, whichever has
/// more, less a penalty for unknown tokens. It is far higher for texts in its
/// own source language, also where two translators share one vocabulary. Units:
/// natural logarithm
double SourceFit(const Vocabulary& source, std::span<const std::string> texts,
                 std::span<const Translations> translations);

/// The most probable language first, from the fits of each. What none of them
/// fits leaves all confidences low: they share what a constant fit leaves.
std::vector<Detection> DetectionsOf(const std::map<std::string, double>& fits);

/// The languages of a text, by the beginnings of the texts together, among the
/// source languages of all translators, but for those that nobody named. Calls
/// `done` on the thread of a model, or `failed`; at once if there is nothing to
/// translate. Throws: HttpError 503 as ModelQueue::Submit; 400 if there is no
/// translator.
void DetectLanguages(const Engine& engine, std::span<const std::string> texts,
                     const std::shared_ptr<const Cancellation>& cancellation,
                     std::function<void(std::vector<Detection>)> done,
                     std::function<void(std::exception_ptr)> failed);

}  // namespace heed

#endif  // HEED_SERVE_DETECT_H_
