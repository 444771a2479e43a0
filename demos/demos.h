// What `heed demo NAME` shows: each is a file, and a line in registry.cc.
#ifndef HEED_DEMOS_DEMOS_H_
#define HEED_DEMOS_DEMOS_H_

#include <string>
#include <vector>

#include "apps/heed/options.h"
#include "heed/render/line_plot.h"

namespace heed {

/// Without a name.
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

/// Writes a picture into `folder`, which is made if it is not there, and
/// returns its path. Throws: IoError.
std::string WritePicture(const std::string& folder, const std::string& name,
                         const std::string& svg);

/// Draws a plot in the terminal, and into `folder` as NAME.svg.
void ShowPlot(const std::string& folder, const std::string& name,
              const std::vector<Series>& series,
              const LinePlotOptions& options);

}  // namespace heed

#endif  // HEED_DEMOS_DEMOS_H_
