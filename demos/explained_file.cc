#include "demos/explained_file.h"

#include <fmt/format.h>

#include <vector>

#include "apps/heed/views.h"
#include "demos/demos.h"
#include "heed/render/explanation_file.h"
#include "heed/tasks/explain.h"

namespace heed {

std::string ShowExplained(const LoadedModel& loaded, NamedBytes file,
                          const std::string& folder, const std::string& name) {
  const auto predictor = loaded.MakePredictor();
  ExplainRequest request;
  request.input.given = {file, file.name};
  const Explanation explanation = Explain(loaded, *predictor, request);
  fmt::print("\n{}", TerminalExplanation(explanation, {}, DetectTerminal()));
  return WritePicture(folder, name,
                      ExplanationSvg(std::vector{explanation}, {}));
}

}  // namespace heed
