#include "course/explained_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "apps/heed/views.h"
#include "course/demos.h"
#include "heed/io/file.h"
#include "heed/page/page_files.h"
#include "heed/tasks/explain.h"

namespace heed {
namespace {

Explanation ExplanationOfInput(const LoadedModel& loaded, const Input& given,
                               const std::vector<std::string>& methods) {
  const auto predictor = loaded.MakePredictor();
  ExplainRequest request;
  request.input.given = given;
  request.attribution.methods = methods;
  return Explain(loaded, *predictor, request);
}

/// True if the picture would show only the input.
bool ShowsNothingOfTheModel(const ExplanationSegment& segment) {
  const auto& views = ExplanationViews();
  const auto first = std::ranges::find_if(views, [&](const auto& view) {
    return !view.of_model && view.refusal(segment, {}).empty();
  });
  return segment.maps.empty() &&
         (first == views.end() || first->name == "input");
}

}  // namespace

std::string ShowExplained(const LoadedModel& loaded, const Input& given,
                          const std::string& folder, const std::string& name,
                          const PictureChoice& choice) {
  PictureChoice shown = choice;
  Explanation explanation = ExplanationOfInput(loaded, given, {});
  if (std::holds_alternative<NamedBytes>(given.content) &&
      ShowsNothingOfTheModel(explanation.segments.at(0))) {
    explanation = ExplanationOfInput(loaded, given, {"saliency"});
    shown.methods = true;
  }
  fmt::print("\n{}", TerminalExplanation(explanation, shown, DetectTerminal()));
  std::string written =
      WritePicture(folder, name, ExplanationSvg({&explanation, 1}, shown));
  if (PageFiles().empty()) return written;
  const std::string page = folder + "/" + name + ".html";
  WriteFileAtomically(
      page, ExplanationFile(ExplanationFormat::kHtml, {&explanation, 1}, {}));
  return written + ", " + page;
}

}  // namespace heed
