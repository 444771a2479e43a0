#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/base/timing.h"
#include "heed/metrics/error_rate.h"
#include "heed/tasks/speech/speech.h"
#include "heed/train/progress.h"

namespace heed::speech {
namespace {

constexpr int64_t kRecognisedAtOnce = 16;

}  // namespace

Recognised RecogniseAll(const Model& model, const Utterances& utterances,
                        const Prediction& options) {
  Recognised all;
  for (int64_t begin = 0; begin < utterances.size();
       begin += kRecognisedAtOnce) {
    const int64_t count =
        std::min(utterances.size() - begin, kRecognisedAtOnce);
    std::vector<Recording> recordings(static_cast<size_t>(count));
    for (int64_t b = 0; b < count; ++b) {
      At(recordings, b) = utterances.At(begin + b);
    }
    const auto start = Clock::now();
    std::vector<Tensor> features(recordings.size());
    ParallelForEach(count, 1, [&](int64_t b) {
      const auto at = static_cast<size_t>(b);
      features[at] = model.FeaturesOf(recordings[at].samples);
    });
    const auto found = Recognise(model, features, options);
    all.seconds += SecondsSince(start);
    for (size_t b = 0; b < recordings.size(); ++b) {
      const Hypothesis& best = found[b].front();
      all.texts.push_back(model.vocabulary.Decode(best.tokens));
      all.references.push_back(model.Normal(recordings[b].text));
      all.audio_seconds +=
          static_cast<double>(recordings[b].samples.size()) / utterances.rate();
      if (all.texts.back() != all.references.back()) continue;
      const std::vector<TimedWord> timed = TimedWords(model, best);
      if (timed.size() != recordings[b].words.size()) continue;
      for (size_t w = 0; w < timed.size(); ++w) {
        const double at = timed[w].middle * utterances.rate();
        ++all.timed_words;
        if (at >= static_cast<double>(recordings[b].words[w].begin) &&
            at <= static_cast<double>(recordings[b].words[w].end)) {
          ++all.in_time;
        }
      }
    }
  }
  return all;
}

Report MeasureSpeech(const Model& model, const Utterances& utterances,
                     const Prediction& options) {
  const Recognised found = RecogniseAll(model, utterances, options);
  const double loss = MeanLoss(model, utterances);
  Report report;
  report.heading = fmt::format("{} of {:.0f} s in {:.1f} s",
                               Counted(utterances.size(), "sound"),
                               found.audio_seconds, found.seconds);
  report.figures = {
      {"wer", "word errors", 100 * WordErrorRate(found.texts, found.references),
       2, "%",
       "insertions, deletions and substitutions per word that was said"},
      {"cer", "character errors",
       100 * CharacterErrorRate(found.texts, found.references), 2, "%",
       "edits per character that was said", true},
      {"exact_match", "exact",
       100 * ExactMatchRate(found.texts, found.references), 2, "%",
       "sounds of which every word is right"},
      {"perplexity", "perplexity", std::exp(loss), 4, "",
       "of the tokens, </s> among them"},
      {"real_time_factor", "real time", found.seconds / found.audio_seconds, 4,
       "", "seconds for a second of sound, features and search"}};
  report.details["sounds"] = utterances.size();
  report.details["seconds_of_sound"] = found.audio_seconds;
  if (found.timed_words == 0) return report;
  report.figures.push_back(
      {"in_time", "in time",
       100 * static_cast<double>(found.in_time) /
           static_cast<double>(found.timed_words),
       2, "%",
       "words of right texts that have the median of their attention where "
       "they were said"});
  report.details["timed_words"] = found.timed_words;
  return report;
}

Report Settings::Evaluate(const Model& made, const Evaluation& options) const {
  if (options.shortest > options.longest) {
    throw ConfigError("shortest: strings of {} to {} words", options.shortest,
                      options.longest);
  }
  StringOptions strings;
  strings.shortest = options.shortest;
  strings.longest = options.longest;
  strings.repeat = options.repeat;
  strings.seed = options.string_seed;
  if (options.repeat > 1 && options.source.strings == 0) {
    throw ConfigError(
        "repeat: strings are repeated; choose how many, by "
        "--strings");
  }
  return MeasureSpeech(
      made, options.source.Read(made.mel.config().rate, strings), options);
}

}  // namespace heed::speech
