#include "demos/explained_file.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "apps/heed/views.h"
#include "demos/demos.h"
#include "heed/render/explanation_file.h"
#include "heed/tasks/explain.h"

namespace heed {

std::string ShowExplained(const LoadedModel& loaded, NamedBytes file,
                          const std::string& folder, const std::string& name) {
  std::string place = file.name;
  return ShowExplained(loaded, Input{std::move(file), std::move(place)}, folder,
                       name);
}

std::string ShowExplained(const LoadedModel& loaded, Input given,
                          const std::string& folder, const std::string& name) {
  const auto predictor = loaded.MakePredictor();
  ExplainRequest request;
  request.input.given = std::move(given);
  const Explanation explanation = Explain(loaded, *predictor, request);
  fmt::print("\n{}", TerminalExplanation(explanation, {}, DetectTerminal()));
  return WritePicture(folder, name,
                      ExplanationSvg(std::vector{explanation}, {}));
}

}  // namespace heed
