#include "demos/explained_file.h"

#include <fmt/format.h>

#include <utility>

#include "apps/heed/views.h"
#include "demos/demos.h"
#include "heed/io/file.h"
#include "heed/page/page_files.h"
#include "heed/tasks/explain.h"

namespace heed {
namespace {

Explanation ExplanationOfInput(const LoadedModel& loaded, Input given) {
  const auto predictor = loaded.MakePredictor();
  ExplainRequest request;
  request.input.given = std::move(given);
  return Explain(loaded, *predictor, request);
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
  return ShowExplained(loaded, Input{std::move(file), std::move(place)}, folder,
                       name);
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
