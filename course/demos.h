// Entry points of `heed demo NAME`. Each demo is a file and a line in
// registry.cc.
#ifndef HEED_COURSE_DEMOS_H_
#define HEED_COURSE_DEMOS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "apps/heed/command.h"
#include "apps/heed/options.h"
#include "heed/base/threads.h"
#include "heed/render/line_plot.h"

namespace heed {

/// Runs `heed demo` without a name.
int RunDemoDates(const Arguments& arguments);

int RunDemoGallery(const Arguments& arguments);
int RunDemoSaturation(const Arguments& arguments);
int RunDemoEquivariance(const Arguments& arguments);
int RunDemoCost(const Arguments& arguments);
int RunDemoAutocomplete(const Arguments& arguments);
int RunDemoGradients(const Arguments& arguments);
int RunDemoNodes(const Arguments& arguments);
int RunDemoVisits(const Arguments& arguments);
int RunDemoDocuments(const Arguments& arguments);
int RunDemoWords(const Arguments& arguments);
int RunDemoRatings(const Arguments& arguments);
int RunDemoRead(const Arguments& arguments);
int RunDemoMemory(const Arguments& arguments);
int RunDemoLabyrinth(const Arguments& arguments);
int RunDemoImages(const Arguments& arguments);
int RunDemoCaptions(const Arguments& arguments);
int RunDemoSpeech(const Arguments& arguments);
int RunDemoPreference(const Arguments& arguments);
int RunDemoSummaries(const Arguments& arguments);
int RunDemoRetrieve(const Arguments& arguments);
int RunDemoLuong(const Arguments& arguments);
int RunDemoProducts(const Arguments& arguments);
int RunDemoScaling(const Arguments& arguments);
int RunDemoTemperature(const Arguments& arguments);
int RunDemoHeads(const Arguments& arguments);
int RunDemoOrder(const Arguments& arguments);
int RunDemoSteps(const Arguments& arguments);
int RunDemoBottleneck(const Arguments& arguments);
int RunDemoRecall(const Arguments& arguments);
int RunDemoHard(const Arguments& arguments);
int RunDemoSmallest(const Arguments& arguments);
int RunDemoProbe(const Arguments& arguments);

/// Parts of `heed generate`, and the command itself.
const std::vector<Command>& Generators();
int RunGenerate(const Arguments& arguments);

/// Options of every demo. A demo derives from it and adds its own options.
struct DemoOptions {
  std::string out = "heed-pictures";
  uint64_t seed = 1;
  int threads = 0;
  bool seeded = true;  ///< true if the seed has an effect.

  virtual ~DemoOptions() = default;
  void Visit(FieldList& v);

 protected:
  virtual void VisitOwn(FieldList& /*v*/) {}
};

/// Reads the options of a demo. `examples`: options that --help shows. Returns
/// the thread limit, which must live while the demo runs; null if help was
/// printed. Throws: ConfigError.
std::unique_ptr<ThreadLimit> ParseDemo(
    DemoOptions& demo, const Arguments& arguments, const std::string& name,
    const std::string& purpose, const std::vector<std::string>& examples);

/// Writes a picture into `folder`, creating the folder if necessary, and
/// returns its path. Throws: IoError.
std::string WritePicture(const std::string& folder, const std::string& name,
                         const std::string& svg);

/// Draws a plot in the terminal and into `folder` as NAME.svg.
void ShowPlot(const std::string& folder, const std::string& name,
              const std::vector<Series>& series,
              const LinePlotOptions& options);

}  // namespace heed

#endif  // HEED_COURSE_DEMOS_H_
