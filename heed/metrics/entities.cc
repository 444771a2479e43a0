#include "heed/metrics/entities.h"

#include <algorithm>
#include <set>

#include "heed/base/errors.h"
#include "heed/metrics/metrics.h"

namespace heed {
namespace {

double Percent(int64_t part, int64_t whole) {
  return 100 * RatioOf(static_cast<double>(part), whole);
}

void Count(const std::vector<Entity>& gold,
           const std::vector<Entity>& predicted, TaggingScore& score) {
  const std::set<Entity> right(gold.begin(), gold.end());
  for (const Entity& entity : gold) {
    ++score.entities.gold;
    ++score.types[entity.type].gold;
  }
  for (const Entity& entity : predicted) {
    const int64_t correct = right.contains(entity) ? 1 : 0;
    ++score.entities.predicted;
    score.entities.correct += correct;
    ++score.types[entity.type].predicted;
    score.types[entity.type].correct += correct;
  }
}

}  // namespace

double EntityScore::Precision() const { return Percent(correct, predicted); }
double EntityScore::Recall() const { return Percent(correct, gold); }
double EntityScore::F1() const {
  return Percent(2 * correct, predicted + gold);
}

double TaggingScore::WordAccuracy() const {
  return Percent(correct_words, words);
}
double TaggingScore::SentenceAccuracy() const {
  return Percent(correct_sentences, sentences);
}

TaggingScore ScoreTags(std::span<const std::vector<std::string>> gold,
                       std::span<const std::vector<std::string>> predicted,
                       const TagNotation& gold_notation,
                       const TagNotation& predicted_notation) {
  if (gold.size() != predicted.size()) {
    throw ShapeError("tagging: {} sentences, but {} tagged", gold.size(),
                     predicted.size());
  }
  TaggingScore score;
  for (size_t i = 0; i < gold.size(); ++i) {
    if (gold[i].size() != predicted[i].size()) {
      throw ShapeError(
          "tagging: sentence {} has {} words, but {} "
          "tags",
          i + 1, gold[i].size(), predicted[i].size());
    }
    Count(gold_notation.Read(gold[i]), predicted_notation.Read(predicted[i]),
          score);
    ++score.sentences;
    score.correct_sentences += gold[i] == predicted[i] ? 1 : 0;
    score.words += static_cast<int64_t>(gold[i].size());
    for (size_t word = 0; word < gold[i].size(); ++word) {
      score.correct_words += gold[i][word] == predicted[i][word] ? 1 : 0;
    }
  }
  return score;
}

}  // namespace heed
