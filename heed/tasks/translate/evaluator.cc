#include <fmt/format.h>

#include <cmath>

#include "heed/tasks/translate/translation.h"
#include "heed/train/progress.h"

namespace heed::translate {
namespace {

/// Adds F1 of ROUGE-1, -2 and -L. `name` and `key`: prefixes of the figures'
/// names and keys.
void AddRouge(const std::string& key, const std::string& name,
              const RougeScores& scores, const std::string& of,
              std::vector<Figure>& figures) {
  const auto add = [&](const char* kind, const char* shown,
                       const RougeScore& score) {
    figures.push_back({key + kind, name + shown, score.f1, 2, "%",
                       fmt::format("F1; precision {:.2f}, recall {:.2f}{}",
                                   score.precision, score.recall, of)});
  };
  add("rouge1", "ROUGE-1", scores.rouge1);
  add("rouge2", "ROUGE-2", scores.rouge2);
  add("rouge_l", "ROUGE-L", scores.rouge_l);
}

std::vector<Figure> FiguresOf(const EvaluationResult& e, bool alternatives) {
  const char* first = alternatives ? " (the first reference of each)" : "";
  std::vector<Figure> figures = {
      {"bleu", "BLEU", e.bleu, 2, "", e.signature + first},
      {"chrf", "chrF2", e.chrf, 2, "", e.chrf_signature + first},
      {"ter", "TER", e.ter, 2, "%",
       fmt::format("edits and shifts per word{}", first), true}};
  if (e.loss) {
    figures.push_back(
        {"loss", "loss", *e.loss, 3, "", "per token, teacher forcing"});
    figures.push_back(
        {"perplexity", "perplexity", std::exp(*e.loss), 2, "", ""});
  }
  const char* words = alternatives ? "edits per word of the nearest reference"
                                   : "edits per word of the reference";
  figures.push_back({"exact_match", "exact match", e.exact_match, 2, "%", ""});
  figures.push_back({"sentence_error", "sentence error", 100 - e.exact_match, 2,
                     "%", "100 - exact match"});
  figures.push_back(
      {"word_error_rate", "word error rate", e.word_error_rate, 2, "%", words});
  figures.push_back({"character_error_rate", "character error rate",
                     e.character_error_rate, 2, "%",
                     fmt::format("edits per character{}", first), true});
  if (e.copy) {
    const char* copied = "of the source as its own answer";
    figures.push_back({"copy_bleu", "copy: BLEU", e.copy->bleu, 2, "", copied});
    figures.push_back({"copy_exact_match", "copy: exact match",
                       e.copy->exact_match, 2, "%", copied});
    figures.push_back({"copy_word_error_rate", "copy: word error rate",
                       e.copy->word_error_rate, 2, "%", copied});
  }
  if (e.rouge) AddRouge("", "", *e.rouge, first, figures);
  if (e.lead) {
    AddRouge("lead_", "lead: ", *e.lead, "; the lead baseline", figures);
  }
  if (e.aer) figures.push_back({"aer", "AER", *e.aer, 2, "%", ""});
  for (const AlignmentBaseline& row : e.baselines.rows) {
    figures.push_back({"aer_" + row.key, row.label + ": AER",
                       100 * row.score.error_rate, 2, "%", e.baselines.origin});
  }
  return figures;
}

}  // namespace

void Evaluation::Visit(FieldList& v) {
  v.Section("Data");
  files.Visit(v, "", "text to translate");
  v("alternatives", alternatives,
    "lines of equal source are one example with several references: exact "
    "match takes any, the word error rate the nearest (of those the shortest), "
    "BLEU, chrF, TER and ROUGE the first");
  v("translations", translations, Any{"FILE"},
    "measure these translations instead of the model's; without loss");
  v("alignment_gold", alignment_gold, Any{"FILE"},
    "links i-j (sure) or i?j (possible) per line, positions of white-space "
    "words from 0: adds the alignment error rate");
  baseline.Visit(v);
  v.Section("Measures");
  v("lowercase", lowercase, "compare lower-cased text");
  v("tokenize", tokenize, kBleuTokenizeHelp);
  v("copy_baseline", copy_baseline,
    "also measure the unchanged source as an answer");
  v("metric", metric, Any{"NAMES"}, kMetricHelp);
  v("rouge", rouge,
    "add ROUGE-1, -2 and -L, as for summaries, without stemming");
  v("lead", lead, Range(0, 1e6),
    "add ROUGE, also of the first N sentences of the source (lead-N); 0: off");
  v("lead_words", lead_words, Range(0, 1e6),
    "add ROUGE, also of the first N words of the source, or of its lead "
    "sentences; 0: off");
  v("by_length", by_length, Any{"FILE.svg"},
    "plot BLEU by source length; .svg or .png");
  decode.Visit(v);
  v.Section("Input");
  v("max_line", max_line, Range(0, 1e9),
    "translate the sentences of lines of more than N characters one by one; 0: "
    "no limit");
}

Report Settings::Evaluate(const Model& translator,
                          const Evaluation& options) const {
  options.decode.RefuseConfidence();
  ParallelText text = options.files.Read("");
  const EvaluationResult e = translate::Evaluate(
      WithEnsemble(translator, options.decode.ensemble), text, options);
  Report report;
  report.heading = Counted(e.sentences, "sentence");
  if (options.alternatives) {
    report.heading += " with " + Counted(e.references, "reference");
  }
  if (options.translations.empty()) {
    report.heading += fmt::format(" in {:.1f} s", e.seconds);
  }
  report.models = options.decode.ensemble;
  report.figures = FiguresOf(e, options.alternatives);
  report.details = {{"sentences", e.sentences},
                    {"references", e.references},
                    {"seconds", e.seconds},
                    {"signature", e.signature}};
  if (!e.aer) report.details["aer"] = nullptr;
  if (!options.by_length.empty()) {
    if (data.lowercase) LowercaseText(text);
    const ReferencedText items = ReferencesOf(text, options.alternatives);
    report.curve = BleuByLength("", items.First(), e.translations,
                                {options.lowercase, e.tokenizer});
    report.axes = {"Quality by sentence length", "source words", "BLEU"};
  }
  return report;
}

}  // namespace heed::translate
