#include "course/demos.h"

#include <fmt/format.h>

#include <filesystem>

#include "heed/base/errors.h"
#include "heed/io/file.h"
#include "heed/render/terminal.h"

namespace heed {

void DemoOptions::Visit(FieldList& v) {
  v("out", out, Any{"DIR"}, "folder for the results").Main();
  VisitOwn(v);
  if (seeded) v("seed", seed, "random seed of data and weights");
  v("threads", threads, Range(0, 1024), "threads; 0: one per core");
}

std::unique_ptr<ThreadLimit> ParseDemo(
    DemoOptions& demo, const Arguments& arguments, const std::string& name,
    const std::string& purpose, const std::vector<std::string>& examples) {
  Options options("demo " + name, purpose);
  demo.Visit(options.fields());
  for (const std::string& example : examples) {
    options.Example(fmt::format("heed demo {}{}", name, example));
  }
  if (!options.Parse(arguments)) return nullptr;
  return std::make_unique<ThreadLimit>(demo.threads);
}

std::string WritePicture(const std::string& folder, const std::string& name,
                         const std::string& svg) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw IoError("cannot make the folder {}: {}", folder, error.message());
  }
  std::string path = folder + "/" + name + ".svg";
  WriteFileAtomically(path, svg);
  return path;
}

void ShowPlot(const std::string& folder, const std::string& name,
              const std::vector<Series>& series,
              const LinePlotOptions& options) {
  fmt::print("\n{}\n", TerminalLinePlot(series, options, DetectTerminal()));
  fmt::print("The picture: {}\n",
             WritePicture(folder, name, LinePlotSvg(series, options)));
}

}  // namespace heed
