#include "heed/tasks/translate/confidence.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <string>

#include "heed/base/text.h"
#include "heed/text/markup/word_links.h"
#include "heed/text/subwords.h"

namespace heed::translate {
namespace {

/// Index of the first piece of each word.
std::vector<size_t> WordStarts(std::span<const std::string> pieces,
                               VocabularyKind kind) {
  std::vector<size_t> starts;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const std::string& piece = pieces[i];
    if (starts.empty() || kind == VocabularyKind::kWords ||
        piece.starts_with(kSpaceMark) || SplitWhitespace(piece).empty()) {
      starts.push_back(i);
    }
  }
  return starts;
}

float MeanOf(std::span<const float> numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0F) /
         static_cast<float>(numbers.size());
}

}  // namespace

TranslationConfidence ConfidenceOf(const Translation& translation,
                                   VocabularyKind kind,
                                   const std::optional<QualityModel>& quality) {
  TranslationConfidence result;
  if (translation.log_probabilities.size() < 2) return result;
  const size_t count = translation.log_probabilities.size() - 1;  // no </s>
  const auto pieces = std::span(translation.target_pieces).first(count);
  const auto log_p = std::span(translation.log_probabilities).first(count);
  const std::vector<TextRange> ranges =
      RangesOfPieces(translation.text, pieces);
  const std::vector<size_t> starts = WordStarts(pieces, kind);
  const float mean = MeanOf(log_p);
  double sum = 0;
  for (size_t w = 0; w < starts.size(); ++w) {
    const size_t begin = starts[w];
    const size_t end = w + 1 < starts.size() ? starts[w + 1] : count;
    const auto own = log_p.subspan(begin, end - begin);
    const float own_mean = MeanOf(own);
    const double confidence =
        quality ? 1 - quality->ProbabilityOfBad(
                          {own_mean, std::ranges::min(own),
                           static_cast<float>(own.size()), mean})
                : std::exp(double{own_mean});
    result.words.push_back(
        {{ranges[begin].begin, ranges[end - 1].end}, confidence});
    sum += std::log(confidence);
  }
  result.confidence = std::exp(sum / static_cast<double>(starts.size()));
  return result;
}

nlohmann::ordered_json WordsJson(std::string_view text,
                                 const std::vector<WordConfidence>& words) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  size_t at = 0;  // bytes whose characters are counted
  int64_t characters = 0;
  const auto position = [&](size_t byte) {
    characters += CountCharacters(text.substr(at, byte - at));
    at = byte;
    return characters;
  };
  for (const WordConfidence& word : words) {
    const auto [begin, end] = word.range;
    const int64_t start = position(begin);
    list.push_back({{"text", std::string(text.substr(begin, end - begin))},
                    {"start", start},
                    {"end", position(end)},
                    {"confidence", word.confidence}});
  }
  return list;
}

}  // namespace heed::translate
