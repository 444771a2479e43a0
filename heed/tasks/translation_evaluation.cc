#include "heed/tasks/translation_evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/base/timing.h"
#include "heed/data/batches.h"
#include "heed/decode/translator.h"
#include "heed/io/file.h"
#include "heed/kernels/elementwise.h"
#include "heed/metrics/bleu.h"
#include "heed/metrics/chrf.h"
#include "heed/metrics/error_rate.h"
#include "heed/tasks/translation_loss.h"

namespace heed {
namespace {

/// Takes the weights of one attention while a batch is read, summed over the
/// heads: of one step at a time, or of all steps at once.
class TargetRecorder : public Recorder {
 public:
  explicit TargetRecorder(std::string layer) : layer_(std::move(layer)) {}

  void OnAttention(const std::string& layer, int head, int64_t /*step*/,
                   const Tensor& weights) override {
    if (layer != layer_) return;
    if (head == 0) {
      parts_.push_back(weights);
    } else {
      kernels::AddTo(parts_.back(), weights);
    }
  }
  /// What target token t of sentence b looked at: S weights.
  const float* Row(int64_t b, int64_t t) const {
    for (const Tensor& part : parts_) {
      if (t < part.dim(1)) return part[b].row<float>(t);
      t -= part.dim(1);
    }
    return nullptr;
  }

 private:
  std::string layer_;
  std::vector<Tensor> parts_;  // [B, T, S] each
};

/// For each piece the number of the white-space word it belongs to; −1 for
/// spaces and </s>.
std::vector<int64_t> WordsOf(const std::vector<std::string>& pieces,
                             VocabularyKind kind) {
  constexpr std::string_view kWordStart = "\u2581";  // SentencePiece's space
  std::vector<int64_t> words;
  int64_t word = -1;
  bool inside = false;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const std::string_view piece = pieces[i];
    if (i + 1 == pieces.size()) {
      words.push_back(-1);  // </s>
    } else if (kind == VocabularyKind::kWords) {
      words.push_back(++word);
    } else if (kind == VocabularyKind::kCharacters) {
      const bool space = piece == " " || piece == "\t";
      if (!space && !inside) ++word;
      inside = !space;
      words.push_back(space ? -1 : word);
    } else {
      if (piece.starts_with(kWordStart) || word < 0) ++word;
      words.push_back(word);
    }
  }
  return words;
}

AlignmentLinks LinksOf(const TargetRecorder& recorder, int64_t b,
                       const std::vector<int64_t>& source_words,
                       const std::vector<int64_t>& target_words) {
  int64_t sources = 0;
  int64_t targets = 0;
  for (const int64_t word : source_words) sources = std::max(sources, word + 1);
  for (const int64_t word : target_words) targets = std::max(targets, word + 1);
  std::vector<double> sums(static_cast<size_t>(sources * targets));
  for (size_t t = 0; t < target_words.size(); ++t) {
    if (target_words[t] < 0) continue;
    const float* row = recorder.Row(b, static_cast<int64_t>(t));
    for (size_t s = 0; s < source_words.size(); ++s) {
      if (source_words[s] < 0) continue;
      sums[static_cast<size_t>(target_words[t] * sources + source_words[s])] +=
          row[s];
    }
  }
  AlignmentLinks links;
  for (int64_t t = 0; t < targets && sources > 0; ++t) {
    const auto row = sums.begin() + t * sources;
    links.insert({std::max_element(row, row + sources) - row, t});
  }
  return links;
}

std::vector<GoldAlignment> ReadGold(const std::string& path, size_t sentences) {
  const std::vector<std::string> lines = ReadLines(path);
  if (lines.size() != sentences) {
    throw FormatError(fmt::format("{}: {} lines of links for {} sentence pairs",
                                  path, lines.size(), sentences));
  }
  std::vector<GoldAlignment> gold;
  for (size_t i = 0; i < lines.size(); ++i) {
    // Also the last column of a table: source, target, links.
    const size_t tab = lines[i].rfind('\t');
    const std::string links =
        tab == std::string::npos ? lines[i] : lines[i].substr(tab + 1);
    gold.push_back(
        ParseGoldAlignment(links, path, static_cast<int64_t>(i) + 1));
  }
  return gold;
}

/// The lines of a file, one for each item.
std::vector<std::string> ReadTranslations(const std::string& path, size_t items,
                                          bool lowercase) {
  std::vector<std::string> lines = ReadLines(path);
  if (lines.size() != items) {
    throw FormatError(
        fmt::format("{}: {} translations of {} sentences (with alternatives, "
                    "lines of equal source are one)",
                    path, lines.size(), items));
  }
  if (lowercase) LowercaseLines(lines);
  return lines;
}

BatchOptions BatchesOf(const TranslationModel& model) {
  return {model.data.batch_tokens, 0};
}

}  // namespace

std::vector<AlignmentLinks> AlignWords(const TranslationModel& model,
                                       const ParallelText& text) {
  const std::string layer = model.model->alignment_attention();
  if (layer.empty()) {
    throw ConfigError(fmt::format(
        "model '{}' has no attention to align words with", model.config.model));
  }
  const Vocabularies& v = model.vocabularies;
  Corpus corpus;
  std::vector<std::vector<int64_t>> source_words;
  std::vector<std::vector<int64_t>> target_words;
  for (size_t i = 0; i < text.source.size(); ++i) {
    Encoded source = EncodeSentence(v.source, text.source[i], false);
    Encoded target = EncodeSentence(v.target, text.target[i], false);
    source_words.push_back(WordsOf(source.pieces, v.source.kind()));
    target_words.push_back(WordsOf(target.pieces, v.target.kind()));
    corpus.source.push_back(std::move(source.ids));
    corpus.target.push_back(std::move(target.ids));
  }
  std::vector<AlignmentLinks> links(text.source.size());
  for (const auto& indices : PlanBatches(corpus, BatchesOf(model), 0, 0)) {
    TargetRecorder recorder(layer);
    Context ctx;
    ctx.recorder = &recorder;
    TranslationLogits(*model.model, ctx, MakeBatch(corpus, indices));
    for (size_t b = 0; b < indices.size(); ++b) {
      const auto i = static_cast<size_t>(indices[b]);
      links[i] = LinksOf(recorder, static_cast<int64_t>(b), source_words[i],
                         target_words[i]);
    }
  }
  return links;
}

std::vector<std::string> TranslateLines(const TranslationModel& model,
                                        const std::vector<std::string>& lines,
                                        const DecodeOptions& options) {
  const Vocabularies& v = model.vocabularies;
  DecodeOptions texts_alone = options;
  texts_alone.keep_scores = false;
  const Translator translator(
      *model.model, v.source, v.target, false, texts_alone,
      ReadShortlist(options, model.folder, v.source, v.target));
  std::vector<std::string> translations;
  for (const Translations& best : translator.Translate(lines)) {
    translations.push_back(best.front().text);
  }
  return translations;
}

TextMeasures MeasureText(std::vector<std::string> hypotheses,
                         ReferencedText right, bool lowercase) {
  const BleuScore bleu =
      CorpusBleu(hypotheses, right.First().target, {.lowercase = lowercase});
  if (lowercase) {
    LowercaseLines(hypotheses);
    for (References& references : right.references) LowercaseLines(references);
  }
  const ChrfScore chrf = CorpusChrf(hypotheses, right.First().target);
  return {bleu.score,
          chrf.score,
          ExactMatchRate(hypotheses, right.references),
          WordErrorRate(hypotheses, right.references),
          bleu.signature,
          chrf.signature};
}

Evaluation Evaluate(const TranslationModel& model, ParallelText text,
                    const EvaluationOptions& options) {
  if (model.data.lowercase) LowercaseText(text);
  const Vocabularies& v = model.vocabularies;
  const ReferencedText items = ReferencesOf(text, options.alternatives);
  Evaluation result;
  result.sentences = std::ssize(items.source);
  result.references = std::ssize(text.target);
  if (options.translations.empty()) {
    const auto start = Clock::now();
    result.translations = TranslateLines(model, items.source, options.decode);
    result.seconds = SecondsSince(start);
    const Corpus corpus = EncodeCorpus(text, v.source, v.target, {});
    result.loss = CorpusLoss(*model.model, corpus, BatchesOf(model)).mean();
  } else {
    result.translations = ReadTranslations(
        options.translations, items.source.size(), model.data.lowercase);
  }
  if (!options.alignment_gold.empty()) {
    const auto gold = ReadGold(options.alignment_gold, text.source.size());
    result.aer = AlignmentErrorRate(AlignWords(model, text), gold);
  }
  static_cast<TextMeasures&>(result) =
      MeasureText(result.translations, items, options.lowercase);
  if (options.copy_baseline) {
    result.copy = MeasureText(items.source, items, options.lowercase);
  }
  return result;
}

Series BleuByLength(const std::string& name, const ParallelText& text,
                    const std::vector<std::string>& translations,
                    bool lowercase) {
  constexpr size_t kFewest = 25;  // sentences, below which BLEU says nothing
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
    series.y.push_back(
        CorpusBleu(hypotheses, references, {.lowercase = lowercase}).score);
  }
  return series;
}

}  // namespace heed
