// heed explain: attention and attributions of predictions.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <sstream>
#include <variant>

#include "apps/heed/commands.h"
#include "apps/heed/tasks.h"
#include "apps/heed/views.h"
#include "heed/base/console.h"
#include "heed/base/errors.h"
#include "heed/base/rng.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/data/input_lines.h"
#include "heed/data/shuffle.h"
#include "heed/data/table.h"
#include "heed/io/file.h"
#include "heed/render/explanation_file.h"
#include "heed/render/head_statistics_svg.h"
#include "heed/render/line_plot.h"
#include "heed/render/view.h"
#include "heed/tasks/explain_summary.h"
#include "heed/tasks/input_files.h"
#include "heed/train/progress.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

struct ExplainOptions {
  std::string folder;
  std::string text;
  std::string answer;
  std::string contrast;
  std::vector<std::string> file;
  InputOptions input;
  std::string out;
  PictureRequest picture;
  AttributionOptions attribution;
  bool summary = false;
  bool faithfulness = false;
  int max_texts = 200;
  std::vector<std::string> prune;
  bool json = false;
  RunOptions run;
};

bool Prunes(const Arguments& arguments) {
  return std::ranges::any_of(arguments, [](const std::string& argument) {
    return argument == "--prune" || argument.starts_with("--prune=");
  });
}

/// `of_task`: options of `heed predict`, or of `heed evaluate` with --prune.
Options OptionsFor(const TaskSettings& task, OptionSet& of_task, bool prunes,
                   ExplainOptions& o) {
  constexpr int kLongestText = 2000;       // costs are quadratic in it
  constexpr int kLongestDocument = 20000;  // only some words attend
  o.input = task.Reading(prunes ? *task.PredictOptions() : of_task).defaults;
  o.input.max_line =
      task.input_kind().several_lines ? kLongestDocument : kLongestText;
  Options options(
      "explain",
      "Shows the attention of a model and the inputs that its predictions "
      "depend on (gradients, occlusion), as a page, a picture, JSON or in the "
      "terminal. --summary: over many texts. --prune: quality without the "
      "least important heads; --prune SHARES --help shows its options.");
  options.ModelFolder(o.folder);
  FieldList& v = options.fields();
  v.Section("Text");
  v("text", o.text, Any{"TEXT"},
    "input to explain, as heed predict reads a line (of files: a path); else "
    "lines of --file or of standard input. Tables: a whole CSV file");
  v("file", o.file, Any{"FILE"},
    "texts, line by line; of tables: the CSV file (.gz too)");
  if (!prunes) {  // heed evaluate has these options itself
    o.input.VisitLength(v);
    o.input.VisitFormat(v);
  }
  v("answer", o.answer, Any{"TEXT"},
    "explain this instead of the model's own answer: a translation, a label, a "
    "column");
  v("contrast", o.contrast, Any{"TEXT"},
    "alternative answer: --methods then show evidence for the answer and "
    "against this one, at the first token that differs");
  v.Section("Picture");
  v("out", o.out, Any{"FILE"},
    "write .html (all views, interactive), .svg, .png or .json (default: draw "
    "in the terminal)");
  o.picture.Visit(v);
  v.Section("Implicit attention");
  o.attribution.Visit(v);
  v.Section("Many texts");
  v("summary", o.summary,
    "print over all texts: entropy, words, distance and step of each head, "
    "similarity of heads, agreement of attention and each method");
  v("faithfulness", o.faithfulness,
    "with --summary: delete and insert tokens in the order of attention, of "
    "each method and at random, and print the answer's probability");
  v("max_texts", o.max_texts, Range(1, 1000000000), "maximum texts to read");
  v("prune", o.prune, Any{"SHARES"},
    "remove these shares of the heads, such as 0.1,0.3,0.5, the least "
    "important for --file first, and evaluate each pruned model; also takes "
    "the options of heed evaluate");
  if (prunes) v.Require({{"file"}});
  of_task.Visit(v);
  v.Section("Run");
  v("json", o.json, "print JSON instead of drawing");
  o.run.Visit(v);
  options.Example(
      "heed explain model --text 'a man rides a horse' --out look.html");
  options.Example(
      "heed explain model --text 'what a film' --methods "
      "integrated_gradients,occlusion");
  options.Example(
      "heed explain model --file test.en --summary --faithfulness --methods "
      "saliency");
  options.Example(
      "heed explain model --file valid.en --prune 0.2,0.4,0.6 --source test.en "
      "--target test.de --out heads.svg");
  options.SubjectIs(fmt::format("a model for task '{}'", task.task()));
  return options;
}

/// The model with everything that explanations need.
struct Subject {
  LoadedModel loaded;
  InputReading reading;  // reading of heed predict with its options
  std::unique_ptr<OptionSet> evaluation;  // options of --prune
  std::unique_ptr<Predictor> predictor;
};

/// Input from --text.
Input RequestedText(const ExplainOptions& o, const InputKind& kind,
                    bool whole) {
  std::string text = o.text;
  if (whole) return {std::move(text), "the text"};
  LimitLine(text, o.input, "the text");
  Input input = InputsOf(kind, {text}, 0).front();
  if (kind.line == InputKind::Line::kText) input.place = "the text";
  return input;
}

/// Reads --file like heed predict: each file by itself, or all together if all
/// lines form one input.
void ReadFiles(const ExplainOptions& o, const InputKind& kind,
               InputReading reading, bool whole, const InputsFunction& add) {
  std::string all;
  for (const std::string& file : o.file) {
    std::string text = ReadInflated(file);
    if (whole) {
      if (!all.empty() && !all.ends_with('\n')) all += '\n';
      all += text;
      continue;
    }
    std::istringstream in(std::move(text));
    const std::string form = TableFormOf(file);
    reading.defaults.form =
        form.empty() ? o.input.form : Named<InputForm>(form);
    reading.defaults.source = file;
    ForEachInput(kind, reading, in, add);
  }
  if (!whole) return;
  std::istringstream in(std::move(all));
  reading.defaults.source = o.file.front();
  ForEachInput(kind, reading, in, add);
}

/// Inputs from --text and --file, in order.
std::vector<Input> RequestedInputs(const Subject& s, const ExplainOptions& o) {
  const InputKind kind = s.loaded.input();
  const bool whole = s.reading.whole || kind.line == InputKind::Line::kPart;
  InputReading reading = s.reading;
  const LongLines long_lines = reading.defaults.long_lines;
  reading.defaults = o.input;
  // A text that heed predict splits would be explained in parts.
  reading.defaults.long_lines =
      long_lines == LongLines::kWhole ? LongLines::kCutEnd : long_lines;
  std::vector<Input> inputs;
  const auto add = [&](const std::vector<Input>& some) {
    std::ranges::copy_if(some, std::back_inserter(inputs), [](const Input& i) {
      const auto* text = std::get_if<std::string>(&i.content);
      return text == nullptr || !SplitWhitespace(*text).empty();
    });
  };
  if (!o.text.empty()) {
    ExplainOptions of_text = o;
    of_text.input.long_lines = reading.defaults.long_lines;
    inputs.push_back(RequestedText(of_text, kind, whole));
  } else if (!o.file.empty()) {
    ReadFiles(o, kind, reading, whole, add);
  } else {
    ForEachInput(kind, reading, std::cin, add);
  }
  if (inputs.empty()) throw FormatError("there is no text to explain");
  if (std::ssize(inputs) > o.max_texts) {
    inputs.resize(static_cast<size_t>(o.max_texts));
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    inputs[i].number = static_cast<int64_t>(i);
  }
  return inputs;
}

/// View chosen by --view; null if there is none.
const ExplanationView* ChosenView(const ExplainOptions& o) {
  return o.picture.view.empty() ? nullptr : &ExplanationViewOf(o.picture.view);
}

/// True if the view shows numbers of a head.
bool WantsPanels(const ExplainOptions& o) {
  const ExplanationView* view = ChosenView(o);
  return view != nullptr && view->of_numbers;
}

/// True if the view shows the model itself, without a text.
bool WantsModel(const ExplainOptions& o) {
  const ExplanationView* view = ChosenView(o);
  return view != nullptr && view->of_model && o.text.empty() && o.file.empty();
}

/// Map for the panels: that of --layer, otherwise the answer's, otherwise the
/// last one.
std::string PanelMap(const Subject& s, const ExplainOptions& o,
                     const Input& input) {
  if (!o.picture.layer.empty()) return o.picture.layer;
  const Explanation e = Explain(
      s.loaded, *s.predictor, {.input = {.given = input, .answer = o.answer}});
  const ExplanationSegment& segment = e.segments.at(0);
  if (segment.maps.empty()) {
    throw ConfigError(
        "this model has no attention; --methods shows what its predictions "
        "depend on");
  }
  return segment.maps[segment.AlignmentMap().value_or(segment.maps.size() - 1)]
      .name;
}

/// Removes the panels of all other heads.
void KeepHead(const ExplainOptions& o, const std::string& map,
              ExplanationSegment& segment) {
  std::erase_if(segment.panels, [&](const AttentionPanels& p) {
    return p.head != std::max(o.picture.head, 0);
  });
  if (segment.panels.empty()) {
    throw ConfigError("--head: '{}' has no head {}", map, o.picture.head);
  }
}

std::vector<Explanation> ExplainAll(const Subject& s, const ExplainOptions& o,
                                    const std::vector<Input>& inputs) {
  std::vector<Explanation> all;
  ExplainRequest request;
  request.attribution = o.attribution;
  if (WantsPanels(o)) request.panels_of = PanelMap(s, o, inputs.front());
  const ExplanationView* view = ChosenView(o);
  request.saliency_without_attention =
      view == nullptr && o.picture.layer.empty();
  request.inputs = view != nullptr && view->of_inputs;
  request.pictures =
      !o.out.empty() && ExplanationFormatOf(o.out) == ExplanationFormat::kHtml;
  Progress progress("texts", inputs.size() < 2);
  ProgressState state = {"explaining", 0, std::ssize(inputs), 0, {}};
  progress.Update(state);
  for (const Input& input : inputs) {
    request.input = {
        .given = input, .answer = o.answer, .contrast = o.contrast};
    all.push_back(Explain(s.loaded, *s.predictor, request));
    for (ExplanationSegment& segment : all.back().segments) {
      if (!o.picture.layer.empty()) MapNamed(segment, o.picture.layer);
      if (WantsPanels(o)) KeepHead(o, request.panels_of, segment);
    }
    state.step = state.units = std::ssize(all);
    progress.Update(state);
  }
  return all;
}

/// Attribution method used because the model has no attention; "" if there is
/// none.
std::string MethodInstead(const ExplainOptions& o,
                          const std::vector<Explanation>& all) {
  if (!o.attribution.methods.empty()) return "";
  for (const Explanation& e : all) {
    for (const ExplanationSegment& segment : e.segments) {
      if (!segment.maps.empty()) return "";
      // Skips attributions by the model itself, such as contributions and
      // gates.
      for (const Attribution& a : segment.attributions) {
        if (a.method == "saliency" || a.method == "occlusion") return a.method;
      }
    }
  }
  return "";
}

int ShowTexts(const Subject& s, const ExplainOptions& o) {
  std::optional<ExplanationFormat> format;
  if (!o.out.empty()) format = ExplanationFormatOf(o.out);
  const std::vector<Explanation> all =
      WantsModel(o) ? std::vector{ExplainModel(s.loaded)}
                    : ExplainAll(s, o, RequestedInputs(s, o));
  const std::string instead = MethodInstead(o, all);
  PictureChoice choice = o.picture.Choice();
  if (choice.view.empty() && !o.picture.rows.empty()) choice.view = "alignment";
  choice.methods = !o.attribution.methods.empty() || !instead.empty();
  if (!instead.empty()) {
    Warn(fmt::format(
        "the model has no attention; showing {} instead: how much each part of "
        "the input changes the answer (--methods selects others)",
        instead));
  }
  if (format) {
    WriteFileAtomically(o.out, ExplanationFile(*format, all, choice));
    return 0;
  }
  if (o.json && !o.picture.rows.empty()) {
    Print("{}", ExplanationFile(ExplanationFormat::kJson, all, choice));
    return 0;
  }
  for (const Explanation& e : all) {
    Print("{}\n", o.json ? ExplanationJson(e).dump()
                         : TerminalExplanation(e, choice, DetectTerminal()));
  }
  return 0;
}

/// Draws the deletion curve beside the insertion curve, with one colour per
/// method. Tokens, patches of an image or parts of a series are deleted.
std::string FaithfulnessSvg(const ExplainSummary& summary) {
  const std::string y_label = "mean probability of the answer";
  std::vector<std::string> names;
  LinePlotPanel deletion = {{},
                            {"Deletion: a faithful order falls early",
                             "share of the input that is taken away", y_label}};
  LinePlotPanel insertion = {{},
                             {"Insertion: a faithful order rises early",
                              "share of the input that is put back", y_label}};
  for (const FaithfulnessCurve& c : summary.faithfulness) {
    names.push_back(c.method);
    deletion.series.push_back({c.method, c.share, c.deletion});
    insertion.series.push_back({c.method, c.share, c.insertion});
  }
  const std::vector<LinePlotPanel> panels = {std::move(deletion),
                                             std::move(insertion)};
  return LinePlotsSvg(panels, names, "Faithfulness");
}

void WriteResult(const std::string& path, const Json& json,
                 const std::string& svg) {
  if (path.ends_with(".json")) {
    WriteFileAtomically(path, json.dump(1) + "\n");
  } else {
    WritePicture(path, svg);
  }
}

ExplainSummary Summarize(const std::vector<Input>& inputs,
                         ExplainSummarizer& summarizer) {
  Progress progress("texts");
  ProgressState state = {"explaining", 0, std::ssize(inputs), 0, {}};
  progress.Update(state);
  for (const Input& input : inputs) {
    summarizer.Add(input);
    ++state.units;
    ++state.step;
    progress.Update(state);
  }
  return summarizer.Result();
}

int ShowSummary(const Subject& s, const ExplainOptions& o) {
  const std::vector<Input> inputs = RequestedInputs(s, o);
  SummaryOptions options;
  options.attribution = o.attribution;
  options.faithfulness = o.faithfulness;
  options.importance = true;
  ExplainSummarizer summarizer(s.loaded, *s.predictor, options);
  const ExplainSummary summary = Summarize(inputs, summarizer);
  Print("{}",
        o.json ? SummaryJson(summary).dump() + "\n" : SummaryText(summary));
  if (!o.out.empty()) {
    WriteResult(o.out, SummaryJson(summary),
                summary.faithfulness.empty()
                    ? HeadStatisticsSvg(summary.layers, summary.importance)
                    : FaithfulnessSvg(summary));
  }
  return 0;
}

/// Parses shares of heads. Throws: ConfigError for values outside [0, 1].
std::vector<double> SharesOf(const std::vector<std::string>& texts) {
  std::vector<double> shares;
  for (const std::string& text : texts) {
    const std::optional<double> share = ParseNumber(text);
    if (!share || *share < 0 || *share > 1) {
      throw ConfigError("--prune: '{}' is not a share of heads from 0 to 1",
                        text);
    }
    shares.push_back(*share);
  }
  std::ranges::sort(shares);
  return shares;
}

/// Heads in random order (fixed seed).
std::vector<HeadPlace> Shuffled(std::vector<HeadPlace> heads) {
  constexpr uint64_t kSeed = 1;
  Rng rng(kSeed);
  Shuffle(heads, rng);
  return heads;
}

/// First figure of the evaluation, or the first one that --metric names.
Figure FirstFigure(const Subject& s) {
  Report report = s.loaded.settings->Evaluate(*s.loaded.model, *s.evaluation);
  FieldList list;
  s.evaluation->Visit(list);
  if (const Field* metric = FindField(list.fields(), "metric")) {
    ChooseFigures(metric->Value().get<std::vector<std::string>>(), report);
  }
  return report.figures.at(0);
}

/// Evaluates with growing shares of heads pruned, in the order of `order`.
/// Returns the first figure for each share, and restores the parameters.
std::vector<double> MeasurePruned(const Subject& s,
                                  const std::vector<HeadPlace>& order,
                                  const std::vector<double>& shares) {
  ParameterSet& parameters = s.loaded.model->parameters();
  const std::vector<NamedTensor> whole = parameters.Tensors();
  std::vector<NamedTensor> kept;
  for (const NamedTensor& tensor : whole) {
    kept.push_back({tensor.name, tensor.value.Clone()});
  }
  std::vector<double> values;
  for (const double share : shares) {
    const auto count = static_cast<size_t>(
        std::lround(share * static_cast<double>(order.size())));
    PruneHeads(std::span(order).first(count), parameters);
    values.push_back(FirstFigure(s).value);
  }
  parameters.SetTensors(kept, "the model");
  return values;
}

int ShowPruning(const Subject& s, const ExplainOptions& o) {
  std::vector<double> shares = SharesOf(o.prune);
  if (shares.empty() || shares.front() > 0) shares.insert(shares.begin(), 0);
  SummaryOptions options;
  options.importance = true;
  ExplainSummarizer summarizer(s.loaded, *s.predictor, options);
  const ExplainSummary summary = Summarize(RequestedInputs(s, o), summarizer);
  const std::vector<HeadPlace> order =
      LeastImportantHeads(summary.importance, s.loaded.model->parameters());
  if (order.empty()) {
    throw ConfigError(
        "--prune: this model has no attention of several heads with an output "
        "of its own");
  }
  const Figure figure = FirstFigure(s);
  const std::vector<double> by_importance = MeasurePruned(s, order, shares);
  const std::vector<double> by_lot = MeasurePruned(s, Shuffled(order), shares);
  Json json = {{"measure", figure.key}, {"heads", order.size()},
               {"share", shares},       {"by_importance", by_importance},
               {"at_random", by_lot},   {"order", Json::array()}};
  for (const HeadPlace& place : order) {
    json["order"].push_back({{"layer", place.layer}, {"head", place.head}});
  }
  const std::vector<Series> curves = {
      {"least important", shares, by_importance},
      {"at random", shares, by_lot}};
  const LinePlotOptions axes = {"Without some heads", "share of heads away",
                                figure.label};
  if (o.json) {
    Print("{}\n", json.dump());
  } else {
    Print("{}\n\n{:>6} {:>6} {:>16} {:>16}   {}\n",
          Counted(std::ssize(order), "head"), "share", "heads",
          "least important", "at random", figure.label);
    for (size_t i = 0; i < shares.size(); ++i) {
      Print("{:>6.2f} {:>6} {:>16.{}f} {:>16.{}f}\n", shares[i],
            std::lround(shares[i] * static_cast<double>(order.size())),
            by_importance[i], figure.decimals, by_lot[i], figure.decimals);
    }
    Print("\n{}", TerminalLinePlot(curves, axes, DetectTerminal()));
  }
  if (!o.out.empty()) WriteResult(o.out, json, LinePlotSvg(curves, axes));
  return 0;
}

void CheckChoices(const ExplainOptions& o) {
  if (o.faithfulness && !o.summary) {
    throw ConfigError("--faithfulness needs --summary");
  }
  if (o.picture.head >= 0 && o.picture.layer.empty() && !WantsPanels(o)) {
    throw ConfigError("--head needs --layer, the attention that it is one of");
  }
  if (ParseRows(o.picture.rows) == ItemRange()) return;
  if (o.picture.layer.empty() || o.picture.words || o.summary ||
      o.out.ends_with(".html")) {
    throw ConfigError(
        "--rows needs --layer, and is for tokens in the terminal, .svg, .png "
        "and .json, without --words and --summary");
  }
}

}  // namespace

int RunExplain(const Arguments& arguments) {
  ExplainOptions o;
  const bool prunes = Prunes(arguments);
  std::unique_ptr<OptionSet> of_task;
  const auto options_for = [&](const TaskSettings& task, ExplainOptions& into) {
    of_task = prunes ? task.EvaluateOptions() : task.PredictOptions();
    return OptionsFor(task, *of_task, prunes, into);
  };
  const auto shown = PeekTask(arguments, [&](TaskSettings& task) {
    return options_for(task, o).fields().fields();
  });
  if (!options_for(*shown, o).Parse(arguments)) return 0;
  CheckChoices(o);
  const ThreadLimit limit(o.run.threads);
  std::ios::sync_with_stdio(false);
  Subject s = {
      ReadModelToRun(o.folder, o.run.dtype, o.run.activations), {}, {}, {}};
  ExplainOptions chosen;
  Options options = options_for(*s.loaded.settings, chosen);
  options.Parse(arguments);
  ExpandPatterns(options.fields());
  if (prunes) {
    s.evaluation = std::move(of_task);
    s.predictor = s.loaded.MakePredictor();
    s.reading = s.loaded.ReadingOf(*s.predictor);
  } else {
    s.reading = s.loaded.settings->Reading(*of_task);
    s.predictor = s.loaded.MakePredictor(*of_task);
  }
  // Each token of an answer needs a gradient of its own.
  constexpr int kLongestAttributed = 500;
  constexpr double kManyTargets = 50;
  if (s.predictor->Targets(chosen.input.max_line) > kManyTargets &&
      !chosen.attribution.methods.empty() && !options.Given("max_line")) {
    chosen.input.max_line = kLongestAttributed;
  }
  if (prunes) return ShowPruning(s, chosen);
  return chosen.summary ? ShowSummary(s, chosen) : ShowTexts(s, chosen);
}

}  // namespace heed
