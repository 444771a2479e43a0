#include "heed/render/explanation_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "heed/base/errors.h"
#include "heed/render/drawing.h"
#include "heed/render/explanation_html.h"
#include "heed/render/frames_svg.h"
#include "heed/render/heads_svg.h"
#include "heed/render/heatmap_svg.h"
#include "heed/render/layer_groups.h"
#include "heed/render/lines_svg.h"
#include "heed/render/panels_svg.h"
#include "heed/render/png.h"
#include "heed/render/saliency_svg.h"

namespace heed {
namespace {

constexpr double kPngScale = 2;  // sharp on dense screens and in print

constexpr std::array<std::pair<std::string_view, ExplanationFormat>, 4>
    kFormats = {{{".html", ExplanationFormat::kHtml},
                 {".svg", ExplanationFormat::kSvg},
                 {".png", ExplanationFormat::kPng},
                 {".json", ExplanationFormat::kJson}}};

constexpr std::array<std::pair<std::string_view, ExplanationView>, 6> kViews = {
    {{"heads", ExplanationView::kHeads},
     {"alignment", ExplanationView::kAlignment},
     {"frames", ExplanationView::kFrames},
     {"panels", ExplanationView::kPanels},
     {"lines", ExplanationView::kLines},
     {"saliency", ExplanationView::kSaliency}}};

bool MarksBlocks(const ExplanationFileOptions& options) {
  return options.view == ExplanationView::kAlignment && !options.layer;
}

void AddDrawings(const Explanation& explanation,
                 const ExplanationFileOptions& options,
                 std::vector<Drawing>* drawings) {
  CheckViewExists(explanation, options);
  switch (options.view) {
    case ExplanationView::kHeads:
      drawings->push_back(DrawHeads(explanation));
      return;
    case ExplanationView::kAlignment:
      drawings->push_back(
          DrawHeatmap(ShownAttention(explanation, options),
                      {.outline_off_diagonal = MarksBlocks(options)}));
      return;
    case ExplanationView::kFrames:
      drawings->push_back(DrawFrames(ShownAttention(explanation, options)));
      return;
    case ExplanationView::kLines:
      drawings->push_back(DrawLines(ShownAttention(explanation, options)));
      return;
    case ExplanationView::kPanels:
      for (const AttentionPanels& panels : explanation.panels) {
        drawings->push_back(DrawPanels(explanation, panels));
      }
      return;
    case ExplanationView::kSaliency:
      drawings->push_back(DrawSaliency(explanation));
      return;
  }
}

PictureLegend LegendOf(std::span<const Explanation> explanations,
                       const ExplanationFileOptions& options) {
  if (options.view == ExplanationView::kPanels) return PictureLegend::kNone;
  if (options.view != ExplanationView::kSaliency) {
    return PictureLegend::kWeights;
  }
  for (const Explanation& explanation : explanations) {
    for (const Attribution& attribution : explanation.attributions) {
      for (float score : attribution.scores) {
        if (score < 0) return PictureLegend::kSigned;
      }
    }
  }
  return PictureLegend::kNone;
}

std::string JsonFile(std::span<const Explanation> explanations) {
  auto all = nlohmann::ordered_json::array();
  for (const Explanation& explanation : explanations) {
    all.push_back(ExplanationJson(explanation));
  }
  const nlohmann::ordered_json document =
      all.size() == 1
          ? std::move(all[0])
          : nlohmann::ordered_json{{"explanations", std::move(all)}};
  // Tokens may hold parts of characters; those become U+FFFD, not an error.
  return document.dump(-1, ' ', false,
                       nlohmann::ordered_json::error_handler_t::replace) +
         "\n";
}

}  // namespace

ExplanationFormat ExplanationFormatOf(std::string_view path) {
  for (const auto& [ending, format] : kFormats) {
    if (path.ends_with(ending)) return format;
  }
  throw ConfigError(fmt::format(
      "{}: unknown kind of explanation file; let its name end in .html, .svg, "
      ".png or .json",
      path));
}

ExplanationView ExplanationViewOf(std::string_view name) {
  for (const auto& [known, view] : kViews) {
    if (name == known) return view;
  }
  throw ConfigError(fmt::format("unknown view '{}'; choose one of {}", name,
                                fmt::join(ExplanationViewNames(), ", ")));
}

std::vector<std::string> ExplanationViewNames() {
  std::vector<std::string> names;
  for (const auto& [name, view] : kViews) names.emplace_back(name);
  return names;
}

void CheckViewExists(const Explanation& explanation,
                     const ExplanationFileOptions& options) {
  CheckExplanation(explanation);
  switch (options.view) {
    case ExplanationView::kHeads:
      if (!explanation.layers.empty()) return;
      throw ConfigError(explanation.model + ": has no attention to show");
    case ExplanationView::kPanels:
      if (!explanation.panels.empty()) return;
      throw ConfigError("view panels: choose a layer and a head");
    case ExplanationView::kSaliency:
      if (!explanation.attributions.empty()) return;
      throw ConfigError("view saliency: choose a method of attribution");
    case ExplanationView::kAlignment:
    case ExplanationView::kFrames:
    case ExplanationView::kLines:
      if (options.layer || explanation.alignment) return;
      throw ConfigError(
          fmt::format("{}: no attention aligns source and target; choose a "
                      "layer, or --view heads",
                      explanation.model));
  }
}

AlignmentView ShownAttention(const Explanation& explanation,
                             const ExplanationFileOptions& options) {
  if (!options.layer) return AlignmentOf(explanation);
  if (*options.layer >= explanation.layers.size()) {
    throw ConfigError(fmt::format("{}: there is no layer {}, but {}",
                                  explanation.model, *options.layer,
                                  explanation.layers.size()));
  }
  return ViewOfHead(explanation, *options.layer, options.head);
}

std::string ExplanationSvg(std::span<const Explanation> explanations,
                           const ExplanationFileOptions& options,
                           bool embedded) {
  std::vector<Drawing> drawings;
  for (const Explanation& explanation : explanations) {
    AddDrawings(explanation, options, &drawings);
  }
  return SvgPicture(drawings, {.label = "What the model looked at",
                               .legend = LegendOf(explanations, options),
                               .embedded = embedded});
}

std::string ExplanationFile(ExplanationFormat format,
                            std::span<const Explanation> explanations,
                            const ExplanationFileOptions& options) {
  switch (format) {
    case ExplanationFormat::kHtml:
      return ExplanationHtml(explanations);
    case ExplanationFormat::kSvg:
      return ExplanationSvg(explanations, options);
    case ExplanationFormat::kPng:
      return SvgToPng(ExplanationSvg(explanations, options), kPngScale);
    case ExplanationFormat::kJson:
      return JsonFile(explanations);
  }
  throw ConfigError("explanation file: unknown format");
}

}  // namespace heed
