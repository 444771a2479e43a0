#include "heed/render/explanation_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/json.h"
#include "heed/base/text.h"
#include "heed/page/static_page.h"
#include "heed/render/png.h"

namespace heed {
namespace {

constexpr double kPngScale = 2;  // sharp on dense screens and in print

constexpr std::array<std::pair<std::string_view, ExplanationFormat>, 4>
    kFormats = {{{".html", ExplanationFormat::kHtml},
                 {".svg", ExplanationFormat::kSvg},
                 {".png", ExplanationFormat::kPng},
                 {".json", ExplanationFormat::kJson}}};

constexpr std::array<std::pair<std::string_view, ShadeScale>, 4> kScales = {
    {{"auto", ShadeScale::kAuto},
     {"absolute", ShadeScale::kAbsolute},
     {"row", ShadeScale::kRow},
     {"picture", ShadeScale::kPicture}}};

std::vector<ExplanationSegment> SegmentsOf(
    std::span<const Explanation> explanations, bool words) {
  std::vector<ExplanationSegment> segments;
  for (const Explanation& explanation : explanations) {
    CheckExplanation(explanation);
    for (const ExplanationSegment& segment : explanation.segments) {
      segments.push_back(words ? MergeWords(segment) : segment);
    }
  }
  if (segments.empty()) throw ConfigError("there is nothing to show");
  return segments;
}

/// The chosen view, or the first that can show the first segment.
const ExplanationView& ViewOf(std::span<const ExplanationSegment> segments,
                              const PictureChoice& choice,
                              const ViewOptions& options) {
  if (!choice.view.empty()) return ExplanationViewOf(choice.view);
  if (choice.methods) {
    for (const ExplanationView& view : ExplanationViews()) {
      if (!view.of_methods) continue;
      if (view.refusal(segments.front(), options).empty()) return view;
    }
  }
  std::string reason;
  for (const ExplanationView& view : ExplanationViews()) {
    if (view.of_model) continue;  // fits every segment; only on request
    std::string refusal = view.refusal(segments.front(), options);
    if (refusal.empty()) return view;
    if (view.name == "heads") reason = std::move(refusal);
  }
  throw ConfigError(reason);
}

double FullShade(const ExplanationView& view,
                 std::span<const ExplanationSegment> segments,
                 const ViewOptions& options, ShadeScale scale) {
  constexpr float kSmall = 0.3f;  // shades below are hard to tell apart
  if (scale == ShadeScale::kRow) return 0;
  if (scale == ShadeScale::kAbsolute || !view.largest) return 1;
  float largest = 0;
  for (const ExplanationSegment& segment : segments) {
    largest = std::max(largest, view.largest(segment, options));
  }
  const bool small = largest > 0 && largest < kSmall;
  return scale == ShadeScale::kPicture || small
             ? std::clamp(largest, 1e-6f, 1.0f)
             : 1;
}

/// Calls fn(view, segment, options) for each shown segment.
template <typename Fn>
void ForShown(std::span<const ExplanationSegment> segments,
              const PictureChoice& choice, const Fn& fn) {
  ViewOptions options = {.map = choice.map,
                         .head = choice.head,
                         .rows = choice.rows,
                         .step = choice.step};
  const ExplanationView& view = ViewOf(segments, choice, options);
  for (const ExplanationSegment& segment : segments) {
    const std::string refusal = view.refusal(segment, options);
    if (!refusal.empty()) {
      throw ConfigError("view {}: {}", view.name, refusal);
    }
  }
  options.full = FullShade(view, segments, options, choice.scale);
  for (const ExplanationSegment& segment : segments) {
    fn(view, segment, options);
  }
}

/// Legend of a view. A signed legend depends on the attributions: without any
/// it is kWeights, without negative scores kMagnitudes.
PictureLegend::Kind LegendOf(const ExplanationView& view,
                             const ExplanationSegment& segment) {
  const PictureLegend::Kind kind =
      view.legend_of ? view.legend_of(segment) : view.legend;
  if (kind != PictureLegend::kSigned) return kind;
  if (segment.attributions.empty()) return PictureLegend::kWeights;
  const bool negative =
      std::ranges::any_of(segment.attributions, [](const Attribution& a) {
        return std::ranges::any_of(a.scores, [](float v) { return v < 0; });
      });
  return negative ? kind : PictureLegend::kMagnitudes;
}

bool IsOnPage(const ExplanationView& view, const ExplanationSegment& segment) {
  if (!view.on_page) return false;
  if (view.recoloured) return !segment.maps.empty();
  if (!view.refusal(segment, {}).empty()) return false;
  return !view.on_page_of || view.on_page_of(segment);
}

nlohmann::ordered_json PagePicture(const ExplanationView& view,
                                   const ExplanationSegment& segment,
                                   const ViewOptions& options) {
  PictureOptions picture = {.label = view.description};
  if (!options.bare) {
    picture.legend = {LegendOf(view, segment), options.full};
  }
  return {{"view", view.name},
          {"svg", SvgPicture(view.draw(segment, options), picture)}};
}

/// Pictures of a view: one, or if the page recolours it one for each pair of
/// axes, also merged to words.
std::vector<nlohmann::ordered_json> PagePictures(
    const ExplanationView& view, const ExplanationSegment& segment,
    ShadeScale scale) {
  if (!view.recoloured) {
    const double full = FullShade(view, {&segment, 1}, {}, scale);
    return {PagePicture(view, segment, {.full = full})};
  }
  std::vector<nlohmann::ordered_json> pictures;
  const bool has_words = std::ranges::any_of(
      segment.axes, [](const Axis& axis) { return !axis.words.empty(); });
  for (const bool words : {false, true}) {
    if (words && !has_words) break;
    const ExplanationSegment shown = words ? MergeWords(segment) : segment;
    std::set<std::pair<std::string, std::string>> known;
    for (const AttentionMap& map : shown.maps) {
      if (!known.emplace(map.query, map.key).second) continue;
      pictures.push_back(
          PagePicture(view, shown, {.map = map.name, .bare = true}));
      pictures.back()["map"] = map.name;
      pictures.back()["words"] = words;
    }
  }
  return pictures;
}

/// JSON array of `json_of` of each explanation.
nlohmann::ordered_json ListOf(
    std::span<const Explanation> explanations,
    nlohmann::ordered_json (*json_of)(const Explanation&)) {
  auto all = nlohmann::ordered_json::array();
  for (const Explanation& explanation : explanations) {
    CheckExplanation(explanation);
    all.push_back(json_of(explanation));
  }
  return all;
}

std::string JsonFile(std::span<const Explanation> explanations) {
  nlohmann::ordered_json all = ListOf(
      explanations, [](const Explanation& e) { return ExplanationJson(e); });
  return DumpJson(all.size() == 1
                      ? std::move(all[0])
                      : nlohmann::ordered_json{{"explanations", all}}) +
         "\n";
}

/// Weights of the chosen rows of each segment.
std::string RowsFile(std::span<const Explanation> explanations,
                     const PictureChoice& choice) {
  std::vector<AlignmentView> views;
  for (const ExplanationSegment& segment :
       SegmentsOf(explanations, choice.words)) {
    views.push_back(ShownAttention(
        segment,
        {.map = choice.map, .head = choice.head, .rows = choice.rows}));
  }
  return AlignmentJson(views) + "\n";
}

}  // namespace

void PictureRequest::Visit(FieldList& v) {
  v("view", view, OneOf(ExplanationViewNames()),
    "view for .svg, .png and the terminal (default: saliency with --methods, "
    "else the first in this list that the text has); model needs no --text or "
    "--file");
  v("layer", layer, Any{"PATH"},
    "alignment, frames, lines, panels: attention to show, such as "
    "decoder.layers.0.cross_attention");
  v("head", head, Range(-1, 1e9),
    "head of --layer, from 0; -1: mean of all (panels: the first)");
  v("rows", rows, Any{"A:B"},
    "rows of --layer to show, from A to before B, such as 100:120; --json "
    "prints their weights");
  v("step", step, Range(-1, 1e9),
    "step, model: part of the answer to show, from 0; -1: the middle (step) or "
    "the first (model)");
  v("scale", scale, OneOf(ShadeScaleNames()),
    "weight drawn in full shade: 1 (absolute), the largest of its row or of "
    "the picture; auto: 1, or the largest if all are below 0.3");
  v("words", words, "merge sub-words to words");
}

PictureChoice PictureRequest::Choice() const {
  return {.view = view,
          .map = layer,
          .head = head,
          .rows = ParseRows(rows),
          .step = step,
          .scale = ParseShadeScale(scale),
          .words = words};
}

ExplanationFormat ExplanationFormatOf(std::string_view path) {
  for (const auto& [ending, format] : kFormats) {
    if (path.ends_with(ending)) return format;
  }
  throw ConfigError(
      "{}: unknown kind of explanation file; let its name end in .html, .svg, "
      ".png or .json",
      path);
}

ShadeScale ParseShadeScale(std::string_view name) {
  for (const auto& [known, scale] : kScales) {
    if (name == known) return scale;
  }
  throw ConfigError("unknown scale '{}'; choose one of {}", name,
                    fmt::join(ShadeScaleNames(), ", "));
}

ItemRange ParseRows(std::string_view text) {
  if (text.empty()) return {};
  const std::vector<std::string_view> ends = SplitAt(text, ":");
  if (ends.size() == 2) {
    const auto begin = ParseInteger<int64_t>(ends[0]);
    const auto end = ParseInteger<int64_t>(ends[1]);
    if (begin && end && *begin >= 0 && *begin < *end) return {*begin, *end};
  }
  throw ConfigError("rows '{}' are not A:B with A from 0 and below B", text);
}

std::vector<std::string> ShadeScaleNames() {
  std::vector<std::string> names;
  for (const auto& [name, scale] : kScales) names.emplace_back(name);
  return names;
}

std::vector<std::string> PageViewNames() {
  std::vector<std::string> names;
  for (const ExplanationView& view : ExplanationViews()) {
    if (view.on_page) names.push_back(view.name);
  }
  return names;
}

bool NeedsVectors(const std::string& view) {
  const ExplanationView& row = ExplanationViewOf(view);
  return row.of_numbers || row.of_inputs;
}

nlohmann::ordered_json PageJson(const Explanation& explanation,
                                std::span<const std::string> views,
                                ShadeScale scale,
                                const ExplanationJsonOptions& large) {
  nlohmann::ordered_json json = ExplanationJson(explanation, large);
  if (!views.empty()) {
    json.erase("inputs");
    json["pictures"] = nlohmann::ordered_json::array();
  }
  for (size_t i = 0; i < explanation.segments.size(); ++i) {
    const ExplanationSegment& segment = explanation.segments[i];
    auto& names = json["segments"].at(i)["views"];
    names = nlohmann::ordered_json::array();
    for (const ExplanationView& view : ExplanationViews()) {
      if (!IsOnPage(view, segment)) continue;
      names.push_back(view.name);
      if (std::ranges::find(views, view.name) == views.end()) continue;
      for (nlohmann::ordered_json& picture :
           PagePictures(view, segment, scale)) {
        picture["segment"] = i;
        json["pictures"].push_back(std::move(picture));
      }
    }
  }
  return json;
}

std::string ExplanationSvg(std::span<const Explanation> explanations,
                           const PictureChoice& choice) {
  const std::vector<ExplanationSegment> segments =
      SegmentsOf(explanations, choice.words);
  std::vector<Drawing> drawings;
  PictureLegend legend;
  ForShown(segments, choice,
           [&](const ExplanationView& view, const ExplanationSegment& segment,
               const ViewOptions& options) {
             for (Drawing& drawing : view.draw(segment, options)) {
               drawings.push_back(std::move(drawing));
             }
             legend = {LegendOf(view, segment), options.full};
           });
  return SvgPicture(drawings,
                    {.label = "What the model attended to", .legend = legend});
}

std::string TerminalExplanation(const Explanation& explanation,
                                const PictureChoice& choice,
                                const TerminalOptions& terminal) {
  const std::vector<ExplanationSegment> segments =
      SegmentsOf({&explanation, 1}, choice.words);
  std::string out;
  ForShown(segments, choice,
           [&](const ExplanationView& view, const ExplanationSegment& segment,
               const ViewOptions& options) {
             if (!out.empty()) out += '\n';
             out += view.text(segment, options, terminal);
           });
  return out;
}

std::string ExplanationFile(ExplanationFormat format,
                            std::span<const Explanation> explanations,
                            const PictureChoice& choice) {
  switch (format) {
    case ExplanationFormat::kHtml:
      return StaticPage(PageFiles(),
                        DumpJson(ListOf(explanations, [](const Explanation& e) {
                          return PageJson(e, PageViewNames());
                        })));
    case ExplanationFormat::kSvg:
      return ExplanationSvg(explanations, choice);
    case ExplanationFormat::kPng:
      return SvgToPng(ExplanationSvg(explanations, choice), kPngScale);
    case ExplanationFormat::kJson:
      return choice.rows == ItemRange() ? JsonFile(explanations)
                                        : RowsFile(explanations, choice);
  }
  throw ConfigError("explanation file: unknown format");
}

}  // namespace heed
