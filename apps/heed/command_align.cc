// heed align: word alignment of sentence pairs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "apps/heed/commands.h"
#include "apps/heed/tasks.h"
#include "heed/base/console.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/data/input_lines.h"
#include "heed/io/file.h"
#include "heed/metrics/symmetrize.h"
#include "heed/render/alignment_file.h"
#include "heed/tasks/input_files.h"
#include "heed/tasks/translate/ibm_alignment.h"
#include "heed/tasks/translate/translation.h"
#include "heed/tasks/translate/word_alignment.h"
#include "heed/train/progress.h"

namespace heed {
namespace {

struct AlignOptions {
  std::string folder;
  PairFiles pairs;
  std::string reverse;
  std::string symmetrize = "grow-diag-final-and";
  std::string layer = "auto";
  std::string reverse_layer = "auto";
  int head = -1;
  std::string shift = "auto";
  LinkOptions links;
  translate::IbmOptions ibm;
  translate::BaselineOptions baseline;
  std::vector<std::string> gold;
  std::string out;
  std::string format = "auto";
  RunOptions run;

  void Visit(FieldList& v);
};

void AlignOptions::Visit(FieldList& v) {
  v.Section("Text");
  pairs.Visit(v, "", "text");
  v.Section("Attention");
  v("layer", layer, Any{"N"},
    "decoder layer to read, from 0; auto: the one trained with "
    "--guided-alignment; else, with --reverse, the layers and steps of both "
    "models whose links agree most; else the second-last");
  v("head", head, Range(-1, 1023),
    "head of that layer, from 0; -1: the mean of all, or the one trained with "
    "--guided-alignment");
  v("shift", shift, OneOf{"auto", "yes", "no"},
    "read a word's weights one step later, when the model has read the word");
  v.Section("Links");
  v("threshold", links.threshold, Range(0, 1),
    "link a target word to all source words with at least this weight; 0: only "
    "to the one with the largest");
  v("allow_null", links.allow_null,
    "leave a target word unlinked if its largest weight lies on no source "
    "word; IBM models always do");
  v.Section("Two directions");
  v("reverse", reverse, Any{"DIR"},
    "model of the opposite direction, to combine links with");
  v("reverse_layer", reverse_layer, Any{"N"},
    "decoder layer of the reverse model, as --layer");
  const auto names = SymmetrizationNames();
  v("symmetrize", symmetrize,
    OneOf(std::vector<std::string>(names.begin(), names.end())),
    "rule that combines the links of both directions");
  ibm.Visit(v);
  baseline.Visit(v);
  v.Section("Output");
  v("gold", gold, Any{"FILE"},
    "hand-made links i-j (sure) or i?j (possible) per pair, also the last "
    "column of a table: print error rate, precision and recall; svg "
    "outlines these links");
  v("out", out, Any{"FILE"},
    "file to write (default: standard output, or none with --gold)");
  v("format", format, OneOf{"auto", "pharaoh", "json", "html", "svg"},
    "pharaoh: a line of links i-j for each pair; json: words, the weights of "
    "words and links; html, svg: pictures; auto: by the name of --out, else "
    "pharaoh");
}

/// Throws: FormatError for a pair with one empty side.
void CheckSides(const ParallelText& text) {
  for (size_t i = 0; i < text.source.size(); ++i) {
    const bool no_source = SplitWhitespace(text.source[i]).empty();
    const bool no_target = SplitWhitespace(text.target[i]).empty();
    if (no_source == no_target) continue;
    throw FormatError(
        "{}: the {} is empty but its {} is not, so that there is nothing to "
        "align; leave the pair out, or empty both sides",
        text.PlaceOf(i, no_source), no_source ? "source" : "target",
        no_source ? "target" : "source");
  }
}

int64_t ParseLayer(const std::string& name, const std::string& text) {
  const auto number = ParseNumber(text);
  if (!number || *number < 0 || *number > 1e6 ||
      *number != static_cast<double>(static_cast<int64_t>(*number))) {
    throw ConfigError(
        "--{}: '{}' is neither 'auto' nor a layer's number, from 0", name,
        text);
  }
  return static_cast<int64_t>(*number);
}

/// Replaces values of `automatic` by those of the options.
translate::AttentionChoice Chosen(const AlignOptions& options,
                                  const std::string& name,
                                  const std::string& layer,
                                  translate::AttentionChoice automatic) {
  if (layer != "auto") {
    automatic.layer = ParseLayer(name, layer);
    automatic.head = -1;
  }
  if (options.head >= 0) automatic.head = options.head;
  if (options.shift != "auto") automatic.shift = options.shift == "yes";
  return automatic;
}

std::string Described(const translate::AttentionChoice& choice) {
  return fmt::format(
      "layer {}{}{}", choice.layer,
      choice.head < 0 ? std::string() : fmt::format(", head {}", choice.head),
      choice.shift ? ", one step later" : "");
}

/// Views with their links. `data`: settings of the attention model, if one was
/// used.
struct AlignedPairs {
  std::vector<AlignmentView> views;
  std::optional<translate::DataConfig> data;
};

/// Combines the links and weights of two directions.
std::vector<AlignmentView> Symmetrized(
    std::vector<AlignmentView> views,
    const std::vector<AlignmentView>& reversed, Symmetrization method) {
  for (size_t i = 0; i < views.size(); ++i) {
    AlignmentLinks links =
        Symmetrize(*views[i].links, Reversed(*reversed[i].links), method);
    views[i] = translate::BothWays(views[i], reversed[i]);
    views[i].links = std::move(links);
  }
  return views;
}

/// Refuses options of the aligner that was not chosen.
void RefuseOptions(const Options& options, bool ibm,
                   const std::string& folder) {
  constexpr std::array kOfModels = {"layer",       "head",          "shift",
                                    "reverse",     "reverse_layer", "dtype",
                                    "activations", "allow_null"};
  constexpr std::array kOfIbm = {"iterations", "tension",   "null_probability",
                                 "alpha",      "lowercase", "learn_tension"};
  const auto refuse = [&](std::span<const char* const> keys, const char* of) {
    for (const char* key : keys) {
      if (!options.Given(key)) continue;
      throw ConfigError("--{} is an option of {}, not of '{}'", WithDashes(key),
                        of, folder);
    }
  };
  if (ibm) {
    refuse(kOfModels, "models with attention");
  } else {
    refuse(kOfIbm, "ibm1 and ibm2");
  }
}

/// Trains the aligner of one direction. `label`: name in the progress output.
translate::IbmAligner LearnIbm(const AlignOptions& options,
                               const ParallelText& text,
                               const std::string& label) {
  const AlignerOptions model = options.ibm.Applied(options.folder);
  Progress progress("pair",
                    std::ssize(text.source) <= translate::kQuietIbmPairs);
  ProgressState state;
  state.label = label;
  state.steps = model.iterations;
  progress.Update(state);
  translate::IbmAligner aligner(text, model, options.ibm.lowercase,
                                [&](int done, double /*likelihood*/) {
                                  state.step = done;
                                  state.units = done * std::ssize(text.source);
                                  progress.Update(state);
                                });
  if (model.diagonal) {
    progress.Log(fmt::format("{}, {}: {} pairs, tension {:.2f}", options.folder,
                             label, aligner.pairs(), aligner.tension()));
  }
  return aligner;
}

/// Aligns with IBM models trained on these pairs or on other ones.
AlignedPairs AlignByIbm(const AlignOptions& options, ParallelText& text) {
  translate::EmptyLongPairs(text);
  const PairFiles& files = options.baseline.learn;
  const ParallelText training = files.empty() ? text : files.Read("learn_");
  const auto with_links = [&](std::vector<AlignmentView> views) {
    if (options.links.threshold > 0) {
      for (AlignmentView& view : views) {
        view.links = LinksOf(view, options.links);
      }
    }
    return views;
  };
  std::vector<AlignmentView> views =
      with_links(LearnIbm(options, training, "forward").Align(text));
  const Symmetrization method = ParseSymmetrization(options.symmetrize);
  if (method == Symmetrization::kNone) return {std::move(views), {}};
  const std::vector<AlignmentView> reversed =
      with_links(LearnIbm(options, translate::Swapped(training), "backward")
                     .Align(translate::Swapped(text)));
  return {Symmetrized(std::move(views), reversed, method), {}};
}

/// Aligns with a model's attention. Clears pairs that are too long.
AlignedPairs AlignByAttention(const AlignOptions& options, ParallelText& text) {
  const translate::Model forward = translate::ReadTranslationModel(
      options.folder, options.run.dtype, options.run.activations);
  translate::EmptyLongPairs(text, forward);
  translate::AttentionChoice choice = Chosen(
      options, "layer", options.layer, translate::UsualAttention(forward));
  if (options.reverse.empty()) {
    std::vector<AlignmentView> views =
        translate::WordWeights(forward, text, choice);
    for (AlignmentView& view : views) view.links = LinksOf(view, options.links);
    return {std::move(views), forward.data};
  }
  const translate::Model backward = translate::ReadTranslationModel(
      options.reverse, options.run.dtype, options.run.activations);
  translate::EmptyLongPairs(text, backward, true);
  translate::AttentionChoice other =
      Chosen(options, "reverse_layer", options.reverse_layer,
             translate::UsualAttention(backward));
  const bool taught = !forward.data.guided_alignment.empty() &&
                      !backward.data.guided_alignment.empty();
  if (!taught && options.layer == "auto" && options.reverse_layer == "auto" &&
      options.head < 0 && options.shift == "auto") {
    const translate::AgreedChoice agreed =
        translate::ChooseByAgreement(forward, backward, text, options.links);
    choice = agreed.forward;
    other = agreed.backward;
    PrintNote("{}: {}; {}: {}; they agree on {:.1f} % of their links\n",
              options.folder, Described(choice), options.reverse,
              Described(other), 100 * agreed.agreement);
  }
  std::vector<AlignmentView> views =
      translate::WordWeights(forward, text, choice);
  for (AlignmentView& view : views) view.links = LinksOf(view, options.links);
  std::vector<AlignmentView> reversed =
      translate::WordWeights(backward, translate::Swapped(text), other);
  for (AlignmentView& view : reversed) {
    view.links = LinksOf(view, options.links);
  }
  return {Symmetrized(std::move(views), reversed,
                      ParseSymmetrization(options.symmetrize)),
          forward.data};
}

void PrintScore(const std::vector<AlignmentView>& views,
                const std::vector<GoldAlignment>& gold) {
  std::vector<AlignmentLinks> links;
  for (const AlignmentView& view : views) links.push_back(*view.links);
  const AlignmentScore score = ScoreAlignments(links, gold);
  Print("AER        {:.2f} %\nprecision  {:.2f} %\nrecall     {:.2f} %\n",
        100 * score.error_rate, 100 * score.precision, 100 * score.recall);
}

void PrintBaselines(const translate::AlignmentBaselines& baselines) {
  if (baselines.rows.empty()) return;
  size_t width = baselines.origin.size();
  for (const translate::AlignmentBaseline& row : baselines.rows) {
    width = std::max(width, row.label.size());
  }
  Print("\n{:<{}}  {:>6}  {:>11}  {:>8}\n", baselines.origin, width, "AER, %",
        "precision", "recall");
  for (const translate::AlignmentBaseline& row : baselines.rows) {
    Print("{:<{}}  {:6.2f}  {:11.2f}  {:8.2f}\n", row.label, width,
          100 * row.score.error_rate, 100 * row.score.precision,
          100 * row.score.recall);
  }
}

AlignmentFormat FormatOf(const AlignOptions& options) {
  if (options.format != "auto") return ParseAlignmentFormat(options.format);
  return options.out.empty() ? AlignmentFormat::kPharaoh
                             : AlignmentFormatOf(options.out);
}

}  // namespace

int RunAlign(const Arguments& arguments) {
  AlignOptions chosen;
  Options options(
      "align",
      "Links the words of sentence pairs by the attention of a translation "
      "model under forced decoding of the target (teacher forcing), or of two "
      "models of opposite directions. With ibm1 or ibm2 instead of DIR, uses "
      "IBM model 1, or model 2 with a diagonal prior (Dyer et al. 2013), in "
      "both directions, learnt by expectation maximisation from the pairs "
      "themselves or from --learn-tsv.");
  options.ModelFolder(chosen.folder, "model folder, or ibm1 or ibm2");
  const auto ibm_names = translate::IbmModelNames();
  options.InsteadOfModelFolder({ibm_names.begin(), ibm_names.end()});
  chosen.Visit(options.fields());
  options.fields().Section("Run");
  chosen.run.Visit(options.fields());
  options.Example("heed align model --source test.de --target test.en");
  options.Example(
      "heed align de-en --reverse en-de --tsv gold.tsv --gold gold.tsv");
  options.Example(
      "heed align de-en --tsv pairs.tsv --format json --out pairs.json");
  options.Example(
      "heed align ibm2 --source train.de --target train.en --lowercase "
      "--out train.pharaoh");
  if (!options.Parse(arguments)) return 0;
  ExpandPatterns(options.fields());

  const bool ibm = translate::IbmModelOf(chosen.folder).has_value();
  RefuseOptions(options, ibm, chosen.folder);
  const ThreadLimit limit(chosen.run.threads);
  const AlignmentFormat format = FormatOf(chosen);
  ParallelText text = chosen.pairs.Read("");
  CheckSides(text);
  std::vector<GoldAlignment> gold;
  if (!chosen.gold.empty()) gold = translate::ReadAlignments(chosen.gold, text);
  std::optional<AtomicFile> file;
  if (!chosen.out.empty()) file.emplace(chosen.out);
  auto [views, data] =
      ibm ? AlignByIbm(chosen, text) : AlignByAttention(chosen, text);
  if (!chosen.gold.empty()) {
    PrintScore(views, gold);
    if (data) {
      PrintBaselines(MeasureBaselines(chosen.baseline, *data, text, gold,
                                      ParseSymmetrization(chosen.symmetrize)));
    }
  }
  for (size_t i = 0; i < views.size(); ++i) {
    views[i].title = text.target[i];
    if (format == AlignmentFormat::kSvg && !gold.empty()) {
      views[i].links = gold[i].possible;
    }
  }
  if (file) {
    file->Write(AlignmentFile(format, views));
    file->Commit();
  } else if (chosen.gold.empty()) {
    Print("{}", AlignmentFile(format, views));
    if (std::fflush(stdout) != 0) {
      throw IoError("standard output: cannot be written");
    }
  }
  return 0;
}

}  // namespace heed
