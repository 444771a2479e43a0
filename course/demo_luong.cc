// heed demo luong: global and local attention, by score.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "course/demos.h"
#include "course/luong_table.h"
#include "heed/base/config.h"
#include "heed/metrics/spread.h"
#include "heed/render/drawing.h"
#include "heed/render/heatmap_svg.h"
#include "heed/render/text_layout.h"
#include "heed/train/progress.h"

namespace heed {
namespace {

struct LuongDemo : DemoOptions {
  std::vector<std::string> scores = {"dot", "general", "additive", "location"};
  int seeds = 3;
  LuongTraining training;

  void VisitOwn(FieldList& v) override {
    v("scores", scores, Any{"NAMES"}, "score functions, separated by commas");
    v("seeds", seeds, Range(1, 100),
      "trainings of each, for the standard deviation");
    v("sequences", training.sequences, Range(100, 1000000),
      "training sequences");
    v("longest", training.longest, Range(4, 100),
      "maximum symbols of a sequence");
    v("window", training.window, Range(1, 50),
      "keys that local attention sees on each side");
    v("epochs", training.epochs, Range(1, 1000), "passes over the sequences");
  }
};

struct LuongRow {
  std::string name;
  LuongKind kind = LuongKind::kGlobal;
  bool copied = false;
};

/// Returns the rows of the table; local_m also on a task with the source's
/// order.
std::vector<LuongRow> LuongRows() {
  const auto row = [](LuongKind kind) {
    return LuongRow{Named<LuongKind>(kind).word(), kind, false};
  };
  return {row(LuongKind::kGlobal),
          row(LuongKind::kLocalM),
          {"local_m, same order", LuongKind::kLocalM, true},
          row(LuongKind::kLocalP)};
}

/// Returns the highest mean of a row over its scores.
double BestOf(std::span<const double> means, size_t row, size_t scores) {
  return *std::ranges::max_element(means.subspan(row * scores, scores));
}

}  // namespace

int RunDemoLuong(const Arguments& arguments) {
  LuongDemo demo;
  const auto limit = ParseDemo(
      demo, arguments, "luong",
      "Trains small models of Luong et al. 2015 to write sequences from their "
      "end, with global attention, with local attention around the same place "
      "(local_m) and around a predicted one (local_p), each with several "
      "scores; with local_m also to write them as they are. A table of the "
      "sequences without an error, with deviations "
      "(about two minutes).",
      {"", " --scores general --window 4 --seeds 5"});
  if (!limit) return 0;
  demo.training.seed = demo.seed;

  demo.training.model = "luong";
  const std::vector<LuongRow> rows = LuongRows();
  fmt::print("Sequences without an error, % of 300 (deviation of {})\n\n{}",
             Counted(demo.seeds, "seed"), Pad("", 26));
  for (const std::string& score : demo.scores) fmt::print("{:<16}", score);
  fmt::print("\n");
  std::vector<double> means;
  std::vector<std::string> names;
  for (const LuongRow& row : rows) {
    names.push_back(row.name);
    fmt::print("{}", Pad(row.name, 26));
    for (const std::string& score : demo.scores) {
      std::vector<double> exact;
      for (int i = 0; i < demo.seeds; ++i) {
        LuongTraining training = demo.training;
        training.seed += static_cast<uint64_t>(i);
        exact.push_back(
            ExactReversals({row.kind, score, row.copied}, training));
      }
      const Spread spread = ComputeSpread(exact);
      means.push_back(spread.mean);
      fmt::print("{:5.1f} ± {:<8.1f}", spread.mean, spread.deviation);
      std::fflush(stdout);
    }
    fmt::print("\n");
  }
  std::vector<float> shares;
  for (const double mean : means) {
    shares.push_back(static_cast<float>(mean / 100));
  }
  const std::vector<Drawing> drawings = {
      DrawHeatmap({demo.scores, names, shares, "Sequences without an error"},
                  {.caption = "from none to all, by attention and score"})};
  const std::string picture = WritePicture(
      demo.out, "luong",
      SvgPicture(drawings, {.label = "Sequences without an error"}));
  const size_t scores = demo.scores.size();
  fmt::print(
      "\nA target's word stands at the other end of the source. With a window "
      "of {} to each\nside of the same place local_m reaches {:.0f} % at best, "
      "where global attention has\n{:.0f} %; of sequences in the source's "
      "order "
      "it writes {:.0f} % without an error. local_p\npredicts the place: "
      "{:.0f} "
      "% at best.\n\nThe picture: {}\n",
      demo.training.window, BestOf(means, 1, scores), BestOf(means, 0, scores),
      BestOf(means, 2, scores), BestOf(means, 3, scores), picture);
  return 0;
}

}  // namespace heed
