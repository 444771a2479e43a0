#include "demos/explained_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "apps/heed/views.h"
#include "demos/demos.h"
#include "heed/io/file.h"
#include "heed/page/page_files.h"
#include "heed/tasks/explain.h"

namespace heed {
namespace {

Explanation ExplanationOfInput(const LoadedModel& loaded, Input given,
                               const std::vector<std::string>& methods = {}) {
  const auto predictor = loaded.MakePredictor();
  ExplainRequest request;
  request.input.given = std::move(given);
  request.attribution.methods = methods;
  return Explain(loaded, *predictor, request);
}

/// Whether its picture is the input alone.
bool ShowsNothingOfTheModel(const ExplanationSegment& segment) {
  const auto& views = ExplanationViews();
  const auto first = std::ranges::find_if(views, [&](const auto& view) {
    return !view.of_model && view.refusal(segment, {}).empty();
  });
  return segment.maps.empty() &&
         (first == views.end() || first->name == "input");
}

std::string ShowExplanation(const Explanation& explanation,
                            const std::string& folder, const std::string& name,
                            const PictureChoice& choice) {
  fmt::print("\n{}",
             TerminalExplanation(explanation, choice, DetectTerminal()));
  return WritePicture(folder, name, ExplanationSvg({&explanation, 1}, choice));
}

}  // namespace

std::string ShowExplained(const LoadedModel& loaded, NamedBytes file,
                          const std::string& folder, const std::string& name) {
  std::string place = file.name;
  const Input given{std::move(file), std::move(place)};
  Explanation explanation = ExplanationOfInput(loaded, given);
  const bool bare = ShowsNothingOfTheModel(explanation.segments.at(0));
  if (bare) explanation = ExplanationOfInput(loaded, given, {"saliency"});
  return ShowExplanation(explanation, folder, name, {.methods = bare});
}

std::string ShowExplained(const LoadedModel& loaded, Input given,
                          const std::string& folder, const std::string& name) {
  return ShowExplanation(ExplanationOfInput(loaded, std::move(given)), folder,
                         name, {});
}

std::string ShowExplainedWithPage(const LoadedModel& loaded, Input given,
                                  const std::string& folder,
                                  const std::string& name,
                                  const PictureChoice& choice) {
  const Explanation explanation = ExplanationOfInput(loaded, std::move(given));
  std::string picture = ShowExplanation(explanation, folder, name, choice);
  if (PageFiles().empty()) return picture;
  const std::string page = folder + "/" + name + ".html";
  WriteFileAtomically(
      page, ExplanationFile(ExplanationFormat::kHtml, {&explanation, 1}, {}));
  return picture + ", " + page;
}

}  // namespace heed
