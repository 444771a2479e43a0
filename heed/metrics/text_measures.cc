#include "heed/metrics/text_measures.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "heed/base/errors.h"
#include "heed/metrics/chrf.h"
#include "heed/metrics/cider.h"
#include "heed/metrics/error_rate.h"
#include "heed/metrics/rouge.h"
#include "heed/metrics/ter.h"

namespace heed {
namespace {

constexpr std::array<TextMeasure, 9> kTextMeasures = {
    {{"bleu", true},
     {"chrf", true},
     {"ter", false},
     {"exact_match", true},
     {"word_error_rate", false},
     {"character_error_rate", false},
     {"rouge1", true},
     {"rouge2", true},
     {"rouge_l", true}}};

}  // namespace

std::span<const TextMeasure> TextMeasures() { return kTextMeasures; }

bool IsTextMeasure(std::string_view name) {
  return std::ranges::find(kTextMeasures, name, &TextMeasure::name) !=
         kTextMeasures.end();
}

double MeasureTexts(std::string_view name,
                    std::span<const std::string> hypotheses,
                    std::span<const std::string> references,
                    const BleuOptions& bleu) {
  if (name == "bleu") return CorpusBleu(hypotheses, references, bleu).score;
  if (name == "chrf") return CorpusChrf(hypotheses, references).score;
  if (name == "ter") return CorpusTer(hypotheses, references);
  if (name == "exact_match") {
    return 100 * ExactMatchRate(hypotheses, references);
  }
  if (name == "word_error_rate") {
    return 100 * WordErrorRate(hypotheses, references);
  }
  if (name == "character_error_rate") {
    return 100 * CharacterErrorRate(hypotheses, references);
  }
  const RougeScores rouge = CorpusRouge(hypotheses, references);
  if (name == "rouge1") return rouge.rouge1.f1;
  return name == "rouge2" ? rouge.rouge2.f1 : rouge.rouge_l.f1;
}

double MeasureTexts(std::string_view name,
                    std::span<const std::string> hypotheses,
                    std::span<const References> references,
                    const BleuOptions& bleu) {
  if (name == "cider") {
    return CorpusCider(hypotheses, references, bleu.tokenizer);
  }
  if (name == "bleu") return CorpusBleu(hypotheses, references, bleu).score;
  if (name == "exact_match") {
    return 100 * ExactMatchRate(hypotheses, references);
  }
  if (name == "word_error_rate") {
    return 100 * WordErrorRate(hypotheses, references);
  }
  if (hypotheses.size() != references.size()) {
    throw ShapeError("{}: {} texts for {} items with references", name,
                     hypotheses.size(), references.size());
  }
  std::vector<std::string> texts, pairs;
  for (size_t i = 0; i < references.size(); ++i) {
    texts.insert(texts.end(), references[i].size(), hypotheses[i]);
    pairs.insert(pairs.end(), references[i].begin(), references[i].end());
  }
  return MeasureTexts(name, texts, pairs, bleu);
}

}  // namespace heed
