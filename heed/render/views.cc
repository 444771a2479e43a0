#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "heed/base/errors.h"
#include "heed/base/registry.h"
#include "heed/base/text.h"
#include "heed/render/alignment_view.h"
#include "heed/render/axis_kind.h"
#include "heed/render/contributions_view.h"
#include "heed/render/document_view.h"
#include "heed/render/embedding_view.h"
#include "heed/render/frames_view.h"
#include "heed/render/graph_view.h"
#include "heed/render/heads_view.h"
#include "heed/render/input_view.h"
#include "heed/render/lines_view.h"
#include "heed/render/memory_view.h"
#include "heed/render/model_view.h"
#include "heed/render/neurons_view.h"
#include "heed/render/panels_view.h"
#include "heed/render/passage_view.h"
#include "heed/render/path_view.h"
#include "heed/render/reviews_view.h"
#include "heed/render/saliency_view.h"
#include "heed/render/step_view.h"
#include "heed/render/view.h"

namespace heed {
namespace {

std::vector<ExplanationView>& AllViews() {
  static std::vector<ExplanationView> views = {
      MemoryView(),         //
      PathView(),           //
      DocumentView(),       //
      InputView(),          //
      GraphView(),          //
      ContributionsView(),  //
      ReviewsView(),        //
      PassageView(),        //
      SaliencyView(),       //
      AlignmentMapView(),   //
      HeadsView(),          //
      FramesView(),         //
      LinesView(),          //
      PanelsView(),         //
      NeuronsView(),        //
      StepView(),           //
      EmbeddingView(),      //
      ModelView(),          //
  };
  return views;
}

std::string OnOneLine(std::string_view text) {
  std::string line;
  for (const std::string_view part : SplitAt(text, "\n")) {
    if (SplitWhitespace(part).empty()) continue;
    if (!line.empty()) line += " / ";
    line += part;
  }
  std::ranges::replace(line, '\t', ' ');
  std::erase(line, '\r');
  return line;
}

}  // namespace

const std::vector<ExplanationView>& ExplanationViews() { return AllViews(); }

void AddExplanationView(ExplanationView view) {
  AddRow(AllViews(), std::move(view), "view");
}

std::vector<std::string> ExplanationViewNames() {
  std::vector<std::string> names;
  for (const ExplanationView& view : AllViews()) names.push_back(view.name);
  return names;
}

const ExplanationView& ExplanationViewOf(std::string_view name) {
  for (const ExplanationView& view : AllViews()) {
    if (view.name == name) return view;
  }
  throw ConfigError("unknown view '{}'; choose one of {}", name,
                    fmt::join(ExplanationViewNames(), ", "));
}

AlignmentView ShownAttention(const ExplanationSegment& segment,
                             const ViewOptions& options) {
  if (options.map.empty()) return AlignmentOf(segment);
  return ViewOfHead(segment, MapNamed(segment, options.map), options.head,
                    options.rows);
}

std::span<const float> RowAt(const AlignmentView& view, int64_t target) {
  return std::span(view.weights)
      .subspan(static_cast<size_t>(target * view.source_size()),
               view.source_tokens.size());
}

std::string AttentionRefusal(const ExplanationSegment& segment,
                             const ViewOptions& options) {
  if (!options.map.empty() || segment.AlignmentMap()) return "";
  return "no attention speaks for the answer; choose a layer, or --view heads";
}

float LargestShown(const ExplanationSegment& segment,
                   const ViewOptions& options) {
  const AlignmentView view = ShownAttention(segment, options);
  return view.weights.empty() ? 0 : std::ranges::max(view.weights);
}

float ShadeFactor(std::span<const float> row, double full) {
  if (full > 0) return static_cast<float>(1 / full);
  float largest = 0;
  for (const float w : row) {
    if (std::isfinite(w)) largest = std::max(largest, std::abs(w));
  }
  return largest > 0 ? 1 / largest : 0;
}

bool ReadsText(const ExplanationSegment& segment) {
  const Axis* source = segment.Find("source");
  return source != nullptr && source->kind == "text";
}

std::string TitleOf(const ExplanationSegment& segment) {
  std::string answer = OnOneLine(segment.answer);
  const Axis* source = segment.Find("source");
  if (source == nullptr) return answer;
  const AxisKind& kind = KindOf(*source);
  if (kind.name != source->kind || !kind.named_by_text) return answer;
  const std::string text = OnOneLine(segment.text);
  return answer.empty() ? text : fmt::format("{} → {}", text, answer);
}

}  // namespace heed
