#include "course/data/planted_documents.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <iterator>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/rng.h"

namespace heed {
namespace {

constexpr std::array kPraise = {"splendid", "moving",   "witty",
                                "graceful", "inspired", "radiant"};
constexpr std::array kBlame = {"tedious", "clumsy", "hollow",
                               "dreary",  "stale",  "shallow"};
constexpr std::array kNeutral = {
    "the",    "a",     "film",    "plot",  "actor",  "scene",  "camera",
    "it",     "was",   "of",      "and",   "in",     "music",  "year",
    "town",   "story", "brother", "house", "begins", "ends",   "shows",
    "opens",  "with",  "long",    "old",   "two",    "people", "talk",
    "street", "night", "morning", "train", "letter", "garden", "walks",
    "waits",  "by",    "from",    "there", "while"};

template <size_t N>
const char* DrawnWord(const std::array<const char*, N>& words, Rng& rng) {
  return words[rng.Below(N)];
}

/// Returns a random size from 3 to `max`.
int64_t SizeUpTo(int max, Rng& rng) {
  return 3 + static_cast<int64_t>(rng.Below(static_cast<uint64_t>(max - 2)));
}

}  // namespace

std::string PlantedDocument::text() const {
  std::vector<std::string> lines;
  for (const auto& sentence : sentences) {
    lines.push_back(fmt::format("{}", fmt::join(sentence, " ")));
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

PlantedDocument MakePlantedDocument(const PlantedOptions& options,
                                    uint64_t seed, int64_t number) {
  constexpr int kFewest = 3;
  if (options.sentences < kFewest || options.words < kFewest) {
    throw ConfigError(
        "planted documents: up to {} sentences of up to {} words; at least {} "
        "of both are needed",
        options.sentences, options.words, kFewest);
  }
  Rng rng(seed * 0x9E3779B97F4A7C15u + static_cast<uint64_t>(number));
  PlantedDocument document;
  const int64_t count = SizeUpTo(options.sentences, rng);
  for (int64_t i = 0; i < count; ++i) {
    auto& sentence = document.sentences.emplace_back();
    for (int64_t n = SizeUpTo(options.words, rng); n > 0; --n) {
      sentence.emplace_back(DrawnWord(kNeutral, rng));
    }
  }
  constexpr std::array kLabels = {"pos", "neg", "none"};
  document.label = kLabels[rng.Below(kLabels.size())];
  if (document.label == "none") return document;
  document.sentence =
      static_cast<int64_t>(rng.Below(static_cast<uint64_t>(count)));
  auto& sentence = At(document.sentences, document.sentence);
  document.word = static_cast<int64_t>(rng.Below(sentence.size()));
  At(sentence, document.word) = document.label == "pos"
                                    ? DrawnWord(kPraise, rng)
                                    : DrawnWord(kBlame, rng);
  return document;
}

LabelledText PlantedText(const PlantedOptions& options, uint64_t seed,
                         int64_t first, int64_t count) {
  LabelledText all;
  for (int64_t i = first; i < first + count; ++i) {
    const PlantedDocument document = MakePlantedDocument(options, seed, i);
    all.text.push_back(document.text());
    all.labels.push_back({document.label});
  }
  return all;
}

std::string PlantedFile(const PlantedOptions& options, uint64_t seed,
                        int64_t first, int64_t count) {
  std::string file;
  for (int64_t i = first; i < first + count; ++i) {
    const PlantedDocument document = MakePlantedDocument(options, seed, i);
    fmt::format_to(std::back_inserter(file), "#doc {} {}\n{}\n\n", i,
                   document.label, document.text());
  }
  return file;
}

}  // namespace heed
