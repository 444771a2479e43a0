#include "heed/tasks/translate/translation_evaluation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/base/timing.h"
#include "heed/data/batches.h"
#include "heed/decode/translator.h"
#include "heed/io/file.h"
#include "heed/metrics/chrf.h"
#include "heed/metrics/error_rate.h"
#include "heed/metrics/ter.h"
#include "heed/tasks/target_loss.h"
#include "heed/tasks/translate/word_alignment.h"
#include "heed/tasks/written_text.h"
#include "heed/text/sentences.h"

namespace heed::translate {
namespace {

/// Reads lines of files, one per item.
std::vector<std::string> ReadTranslations(const std::vector<std::string>& paths,
                                          size_t items, bool lowercase) {
  std::vector<std::string> lines = ReadAllLines(paths);
  if (lines.size() != items) {
    throw FormatError(
        "{}: {} translations of {} sentences (with alternatives, "
        "lines of equal source are one)",
        fmt::join(paths, ", "), lines.size(), items);
  }
  if (lowercase) LowercaseLines(lines);
  return lines;
}

BatchOptions BatchesOf(const Model& model) {
  return {model.data.batch_tokens, 0};
}

}  // namespace

std::vector<std::string> TranslateLines(const Model& model,
                                        const std::vector<std::string>& lines,
                                        const Prediction& options,
                                        int64_t max_line) {
  const Vocabularies& v = model.vocabularies;
  DecodeOptions texts_alone = options;
  texts_alone.keep_scores = false;
  const Translator translator(
      *model.model, v.source, v.target, model.data.lowercase, texts_alone,
      ReadShortlist(options, model.folder, v.source, v.target));
  std::vector<std::string> read;
  const std::string mark = options.Mark(*model.marks);
  for (const std::string& line : lines) {
    read.push_back(WithMark(*model.marks, line, mark));
  }
  const std::vector<Translations> all =
      TranslateDivided(translator, *model.marks, read, 0, max_line);
  WarnOfPositions(*model.model, all);
  std::vector<std::string> translations;
  for (const Translations& best : all) {
    translations.push_back(best.front().text);
  }
  return translations;
}

TextScores MeasureText(std::vector<std::string> hypotheses,
                       ReferencedText right, const BleuOptions& options) {
  const BleuScore bleu = CorpusBleu(hypotheses, right.First().target, options);
  if (options.lowercase) {
    LowercaseLines(hypotheses);
    for (References& references : right.references) LowercaseLines(references);
  }
  const ChrfScore chrf = CorpusChrf(hypotheses, right.First().target);
  return {bleu.score,
          chrf.score,
          CorpusTer(hypotheses, right.First().target),
          100 * ExactMatchRate(hypotheses, right.references),
          100 * WordErrorRate(hypotheses, right.references),
          100 * CharacterErrorRate(hypotheses, right.First().target),
          bleu.signature,
          chrf.signature};
}

std::string TruncateToLead(std::string_view text, int sentences, int words) {
  if (sentences > 0) {
    const std::vector<std::string_view> all = SplitSentences(text);
    size_t size = 0;
    for (size_t i = 0; i < all.size() && std::cmp_less(i, sentences); ++i) {
      size += all[i].size();
    }
    text = text.substr(0, size);
  }
  std::vector<std::string_view> kept = SplitUnicodeWhitespace(text);
  if (words > 0 && std::cmp_greater(kept.size(), words)) {
    kept.resize(static_cast<size_t>(words));
  }
  return fmt::format("{}", fmt::join(kept, " "));
}

bool EvaluationOptions::Rouge() const {
  return rouge || lead > 0 || lead_words > 0 ||
         std::ranges::any_of(metric, [](const std::string& name) {
           return name.starts_with("rouge");
         });
}

EvaluationResult Evaluate(const Model& model, ParallelText text,
                          const EvaluationOptions& options) {
  std::vector<std::string> cased = text.source;
  if (model.data.lowercase) LowercaseText(text);
  // Sentences begin with capitals, so they are found before lower-casing.
  const std::vector<std::string> lines =
      ReferencesOf({text.source, std::move(cased)}, options.alternatives)
          .First()
          .target;
  const Vocabularies& v = model.vocabularies;
  const ReferencedText items = ReferencesOf(text, options.alternatives);
  EvaluationResult result;
  result.sentences = std::ssize(items.source);
  result.references = std::ssize(text.target);
  if (options.translations.empty()) {
    const auto start = Clock::now();
    result.translations =
        TranslateLines(model, lines, options.decode, options.max_line);
    result.seconds = SecondsSince(start);
    ParallelText read = text;
    const std::string mark = options.decode.Mark(*model.marks);
    for (std::string& line : read.source) {
      line = WithMark(*model.marks, line, mark);
    }
    const Corpus corpus = EncodeMeasured(
        read, v.source, v.target,
        TokensWithin(*model.model, kMaxMeasuredTokens), model.data.copy);
    result.loss = CorpusLoss({}, *model.model, corpus, BatchesOf(model)).mean();
  } else {
    result.translations = ReadTranslations(
        options.translations, items.source.size(), model.data.lowercase);
  }
  if (!options.alignment_gold.empty()) {
    const auto gold = ReadAlignments(options.alignment_gold, text);
    EmptyLongPairs(text, model);
    result.aer =
        100 * ScoreAlignments(AlignWords(model, text), gold).error_rate;
    result.baselines =
        MeasureBaselines(options.baseline, model.data, text, gold,
                         Symmetrization::kGrowDiagFinalAnd);
  }
  result.tokenizer = BleuTokenizerFor(options.tokenize, items.First().target);
  const BleuOptions bleu = {options.lowercase, result.tokenizer};
  static_cast<TextScores&>(result) =
      MeasureText(result.translations, items, bleu);
  const auto rouge_of = [&](const std::vector<std::string>& summaries) {
    return CorpusRouge(summaries, items.First().target);
  };
  const bool lead = options.lead > 0 || options.lead_words > 0;
  if (options.Rouge()) result.rouge = rouge_of(result.translations);
  if (lead) {
    std::vector<std::string> leads;
    for (const std::string& line : lines) {
      leads.push_back(TruncateToLead(line, options.lead, options.lead_words));
    }
    result.lead = rouge_of(leads);
  }
  if (options.copy_baseline) {
    result.copy = MeasureText(items.source, items, bleu);
  }
  return result;
}

Series BleuByLength(const std::string& name, const ParallelText& text,
                    const std::vector<std::string>& translations,
                    const BleuOptions& options) {
  constexpr size_t kFewest = 25;  // sentences; BLEU of fewer is unreliable
  std::vector<size_t> lengths;
  for (const std::string& line : text.source) {
    lengths.push_back(SplitWhitespace(line).size());
  }
  std::vector<size_t> sorted = lengths;
  std::sort(sorted.begin(), sorted.end());
  const size_t longest =
      sorted.empty() ? 0 : sorted[(sorted.size() - 1) * 99 / 100];
  const size_t width = std::max<size_t>(2, (longest + 9) / 10);

  Series series;
  series.name = name;
  for (size_t low = 0; low <= longest; low += width) {
    std::vector<std::string> hypotheses;
    std::vector<std::string> references;
    double words = 0;
    for (size_t i = 0; i < lengths.size(); ++i) {
      if (lengths[i] <= low || lengths[i] > low + width) continue;
      hypotheses.push_back(translations[i]);
      references.push_back(text.target[i]);
      words += static_cast<double>(lengths[i]);
    }
    if (hypotheses.size() < kFewest) continue;
    series.x.push_back(words / static_cast<double>(hypotheses.size()));
    series.y.push_back(CorpusBleu(hypotheses, references, options).score);
  }
  return series;
}

}  // namespace heed::translate
