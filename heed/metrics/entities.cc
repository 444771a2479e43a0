#include "heed/metrics/entities.h"

#include <algorithm>
#include <set>

#include "heed/base/errors.h"

namespace heed {
namespace {

/// "B-LOC" parsed; a tag without a hyphen has no type.
struct Tag {
  explicit Tag(std::string_view text)
      : prefix(text.substr(0, text.find('-'))),
        type(text.substr(std::min(prefix.size() + 1, text.size()))) {}
  bool outside() const { return prefix == "O"; }

  std::string_view prefix;
  std::string_view type;
};

double Percent(int64_t part, int64_t whole) {
  return whole == 0
             ? 0
             : 100 * static_cast<double>(part) / static_cast<double>(whole);
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

bool SpellEntities(std::span<const std::vector<std::string>> tags) {
  const auto spells = [](const std::string& tag) {
    return tag == "O" ||
           (tag.size() > 2 && tag[1] == '-' &&
            std::string_view("BIES").find(tag[0]) != std::string_view::npos);
  };
  return std::all_of(tags.begin(), tags.end(), [&](const auto& sentence) {
    return std::all_of(sentence.begin(), sentence.end(), spells);
  });
}

std::vector<Entity> ReadEntities(std::span<const std::string> tags) {
  std::vector<Entity> entities;
  bool open = false;
  for (size_t i = 0; i < tags.size(); ++i) {
    const Tag tag(tags[i]);
    const auto at = static_cast<int64_t>(i);
    const bool continues = open && (tag.prefix == "I" || tag.prefix == "E") &&
                           tag.type == entities.back().type;
    if (tag.outside()) {
      open = false;
      continue;
    }
    if (!continues) entities.push_back({at, at, std::string(tag.type)});
    entities.back().end = at + 1;
    open = tag.prefix != "E" && tag.prefix != "S";
  }
  return entities;
}

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
                       std::span<const std::vector<std::string>> predicted) {
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
    Count(ReadEntities(gold[i]), ReadEntities(predicted[i]), score);
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
