// heed evaluate: models against references.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "apps/heed/commands.h"
#include "heed/base/errors.h"
#include "heed/base/threads.h"
#include "heed/explain/terminal.h"
#include "heed/io/file.h"
#include "heed/train/evaluation.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

Json ToJson(const Evaluation& e) {
  return {{"bleu", e.bleu},
          {"chrf", e.chrf},
          {"loss", e.loss},
          {"perplexity", e.perplexity},
          {"exact_match", e.exact_match},
          {"aer", e.aer ? Json(*e.aer) : Json()},
          {"sentences", e.sentences},
          {"seconds", e.seconds},
          {"signature", e.signature}};
}

void Print(const std::string& model, const Evaluation& e) {
  fmt::print("{}: {} sentences in {:.1f} s\n", model, e.sentences, e.seconds);
  fmt::print("  BLEU         {:6.2f}   {}\n", e.bleu, e.signature);
  fmt::print("  chrF2        {:6.2f}   {}\n", e.chrf, e.chrf_signature);
  fmt::print("  loss         {:6.3f}   per token, given gold prefixes\n",
             e.loss);
  fmt::print("  perplexity   {:6.2f}\n", e.perplexity);
  fmt::print("  exact match  {:6.2f} %\n", 100 * e.exact_match);
  if (e.aer) fmt::print("  AER          {:6.3f}\n", *e.aer);
}

}  // namespace

int RunEvaluate(const Arguments& arguments) {
  std::vector<std::string> folders;
  std::string source;
  std::string target;
  std::string tsv;
  std::string by_length;
  bool json = false;
  int threads = 0;
  EvaluationOptions evaluation;
  Options options(
      "evaluate",
      "Translates a text and compares with a reference: BLEU as sacreBLEU "
      "counts it (13a), chrF2, loss, exact match. Several models give one "
      "line each in the plot.");
  options.Positionals("DIR", folders, "model folders");
  FieldList& v = options.fields();
  v.Section("Data");
  v("source", source, Any{"FILE"}, "text to translate");
  v("target", target, Any{"FILE"}, "its reference translation");
  v("tsv", tsv, Any{"FILE"}, "both in one file: source, tab, target");
  v("alignment_gold", evaluation.alignment_gold, Any{"FILE"},
    "links i-j (sure) or i?j (possible) per line, positions of white-space "
    "words from 0: adds the alignment error rate");
  v.Section("Measures");
  v("lowercase", evaluation.lowercase, "compare lower-cased text");
  v("by_length", by_length, Any{"FILE.svg"}, "plot BLEU by source length");
  v("json", json, "one JSON object on standard output");
  evaluation.decode.Visit(v);
  v.Section("Run");
  v("threads", threads, Range(0, 1024), "threads; 0: one per core");
  options.Example(
      "heed evaluate model --source test.en --target test.de --lowercase");
  options.Example(
      "heed evaluate fixed attention --source test.en --target test.de "
      "--by-length "
      "length.svg");
  if (!options.Parse(arguments)) return 0;

  const ThreadLimit limit(threads);
  DataConfig data;
  data.source = source;
  data.target = target;
  data.tsv = tsv;
  const ParallelText text = ReadTrainingText(data).train;
  std::optional<AtomicFile> plot_file;
  if (!by_length.empty()) plot_file.emplace(by_length);
  std::vector<Series> curves;
  Json all = Json::array();
  for (const std::string& folder : folders) {
    const ModelFolder model = ReadModel(folder);
    const Evaluation result = Evaluate(model, text, evaluation);
    if (json) {
      all.push_back(ToJson(result));
      if (folders.size() > 1) all.back()["model"] = folder;
    } else {
      Print(folder, result);
    }
    if (!plot_file) continue;
    ParallelText compared = text;
    if (model.config.data.lowercase) LowercaseText(compared);
    curves.push_back(BleuByLength(folder, compared, result.translations,
                                  evaluation.lowercase));
  }
  if (json)
    fmt::print("{}\n",
               (all.size() == 1 ? all[0] : Json{{"models", all}}).dump());
  if (plot_file) {
    const LinePlotOptions plot = {"Quality by sentence length", "source words",
                                  "BLEU"};
    plot_file->Write(LinePlotSvg(curves, plot));
    plot_file->Commit();
    if (!json)
      fmt::print("\n{}", TerminalLinePlot(curves, plot, DetectTerminal()));
  }
  return 0;
}

}  // namespace heed
