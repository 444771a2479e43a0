// heed demo gallery: one trained example for each part of an attention.
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "course/attention_gallery.h"
#include "course/demos.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/io/file.h"
#include "heed/render/drawing.h"
#include "heed/render/heatmap_svg.h"
#include "heed/render/heatmap_terminal.h"
#include "heed/render/line_plot.h"
#include "heed/render/text_layout.h"
#include "heed/train/progress.h"

namespace heed {
namespace {

std::vector<std::string> CatalogueNames() {
  std::vector<std::string> names;
  for (const CataloguePart& part : AttentionCatalogue()) {
    names.push_back(part.name);
  }
  return names;
}

struct GalleryCommand : DemoOptions {
  std::string only;

  void VisitOwn(FieldList& v) override {
    v("only", only, Any{"PART"},
      "draw only this part (see heed list attentions)");
  }
};

std::vector<CataloguePart> Chosen(const std::string& only) {
  std::vector<CataloguePart> parts;
  for (const CataloguePart& part : AttentionCatalogue()) {
    if (only.empty() || part.name == only) parts.push_back(part);
  }
  if (parts.empty()) {
    throw ConfigError(
        "--only: there is no part '{}'{} (see heed list attentions)", only,
        DidYouMean(only, CatalogueNames()));
  }
  return parts;
}

/// Returns the written letters, with the correct letter after each wrong one.
std::vector<std::string> OutputLabels(const GalleryExample& example) {
  std::vector<std::string> labels = example.written;
  for (size_t t = 0; t < labels.size(); ++t) {
    if (labels[t] != example.wanted[t]) labels[t] += " ≠ " + example.wanted[t];
  }
  return labels;
}

/// Returns the weights of the first head before and after training.
std::vector<AlignmentView> ViewsOf(const CataloguePart& part,
                                   const GalleryExample& example) {
  const int64_t heads = example.weights.dim(0);
  const std::string name =
      heads == 1 ? part.name
                 : fmt::format("{}, head 1 of {}", part.name, heads);
  return {{example.input, example.wanted,
           example.untrained[0].ToVector<float>(), name + ", untrained"},
          {example.input, OutputLabels(example),
           example.weights[0].ToVector<float>(),
           fmt::format("{}, trained: {:.1f} % right", name,
                       100 * example.accuracy)}};
}

/// Draws the trained attention of a score, its formula and its accuracy. Four
/// fit side by side.
Drawing DrawScore(const CataloguePart& part, AlignmentView trained,
                  double accuracy) {
  trained.title = fmt::format("{}: {:.0f} % right", part.name, 100 * accuracy);
  return DrawHeatmap(trained, {.caption = part.formula, .cell = 15});
}

/// Returns the parts of the trained attention, without default parts.
std::string PartsOf(const GalleryOptions& options) {
  std::string text = options.score;
  if (options.modifiers != "none") text += "; " + options.modifiers;
  if (options.mask != "none") text += "; " + options.mask;
  if (options.normalizer != "softmax") text += "; " + options.normalizer;
  return text;
}

}  // namespace

int RunDemoGallery(const Arguments& arguments) {
  GalleryCommand command;
  const auto limit =
      ParseDemo(command, arguments, "gallery",
                "Trains a small self-attention to write words backwards, "
                "once for each score, modifier, mask and normaliser, and "
                "draws its attention before and after: DIR/KIND-NAME.svg. "
                "DIR/scores.svg has all scores side by side.",
                {"", " --only sparsemax --out pictures"});
  if (!limit) return 0;

  const std::vector<CataloguePart> parts = Chosen(command.only);
  fmt::print("{}{}{:>7}  trained with\n", Pad("kind", 12), Pad("part", 18),
             "right");
  Progress progress("words");
  ProgressState state;
  state.steps = static_cast<int64_t>(parts.size());
  std::vector<AlignmentView> views;
  std::vector<Drawing> scores;
  for (const CataloguePart& part : parts) {
    state.label = part.name;
    progress.Update(state);
    GalleryOptions training = GalleryOptionsFor(part);
    training.seed = command.seed;
    const GalleryExample example = TrainGalleryExample(training);
    views = ViewsOf(part, example);
    WritePicture(command.out, part.kind + "-" + part.name, AlignmentSvg(views));
    if (part.kind == "score") {
      scores.push_back(DrawScore(part, views[1], example.accuracy));
    }
    ++state.step;
    state.units += int64_t{64} * training.steps;
    progress.Clear();
    fmt::print("{}{}{:>5.1f} %  {}\n", Pad(part.kind, 12), Pad(part.name, 18),
               100 * example.accuracy, PartsOf(training));
    std::fflush(stdout);
  }
  if (scores.size() > 1) {
    WritePicture(command.out, "scores",
                 SvgPicture(SameWidth(std::move(scores)),
                            {.label = "Score functions",
                             .legend = {PictureLegend::kWeights}}));
  }
  if (parts.size() == 1) {
    fmt::print("\n{}", TerminalHeatmap(views[1], DetectTerminal()));
  }
  fmt::print("\nThe pictures: {}\n", command.out);
  return 0;
}

}  // namespace heed
