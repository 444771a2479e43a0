// heed demo cost: costs of a recurrence, self-attention and a convolution in
// inference, training and decoding.
#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "course/demos.h"
#include "course/layer_costs.h"
#include "heed/base/errors.h"
#include "heed/render/line_plot.h"
#include "heed/render/text_layout.h"
#include "heed/train/progress.h"

namespace heed {
namespace {

constexpr int kShortest = 16;

struct CostCommand : DemoOptions {
  CostCommand() { seeded = false; }
  int longest = 0;
  bool decode = false;
  CostOptions cost;

  void VisitOwn(FieldList& v) override {
    v("longest", longest, Range(0, 65536),
      "longest sequence, doubled from 16; 0: 4096, with --decode 16384, with "
      "--backward 2048");
    v("decode", decode,
      "time one more word after each length, and count the bytes cached for "
      "it");
    v("backward", cost.backward, "also time gradients, as in training");
    v("width", cost.width, Range(4, 4096),
      "features of a word (a multiple of 4)");
    v("batch", cost.batch, Range(1, 1024), "sequences at a time");
  }
};

void AddPoint(Series& series, int64_t x, double y) {
  series.x.push_back(static_cast<double>(x));
  series.y.push_back(y);
}

/// Measures passes over whole sequences.
void RunPasses(const CostCommand& command) {
  std::vector<Series> series = {{"GRU layer", {}, {}},
                                {"self-attention", {}, {}},
                                {"convolution of 3", {}, {}}};
  std::vector<Cost> costs;
  fmt::print("{}{}GRU GFLOP   attention ms   GFLOP   convolution ms   GFLOP\n",
             Pad("length", 10), Pad("GRU ms", 12));
  for (int64_t n = kShortest; n <= command.longest; n *= 2) {
    const Cost c = MeasureCost(n, command.cost);
    costs.push_back(c);
    fmt::print(
        "{:6}  {:8.2f}  {:11.3f}  {:13.2f}  {:6.3f}  {:15.2f}  {:6.3f}\n", n,
        c.recurrence_ms, c.recurrence_gflop, c.attention_ms, c.attention_gflop,
        c.convolution_ms, c.convolution_gflop);
    std::fflush(stdout);
    AddPoint(series[0], n, c.recurrence_ms);
    AddPoint(series[1], n, c.attention_ms);
    AddPoint(series[2], n, c.convolution_ms);
  }
  const std::optional<double> crossing = Crossing(costs);
  std::string found = "attention is faster at all lengths";
  if (crossing) {
    found = fmt::format("equal at length {:.0f}", *crossing);
  } else if (costs.back().attention_ms > costs.back().recurrence_ms) {
    found = "attention is slower at all lengths";
  }
  const char* what = command.cost.backward ? "training, " : "";
  ShowPlot(
      command.out, command.cost.backward ? "cost-backward" : "cost", series,
      {.title =
           fmt::format("One layer of width {}, {}{}: {}", command.cost.width,
                       what, Counted(ThreadCount(), "thread"), found),
       .x_label = "length",
       .y_label =
           fmt::format("milliseconds for {} sequences", command.cost.batch),
       .logarithmic_x = true,
       .logarithmic_y = true});
  const Cost& last = costs.back();
  if (command.cost.backward) {
    fmt::print(
        "Memory: gradients need what a layer computed of all {} words at once; "
        "without\n--backward words are computed in parts, as a longer text "
        "would be.\n",
        last.length * command.cost.batch);
  }
  fmt::print(
      "Measured of GRU and attention: {}. Counted in operations: equal at {}.\n"
      "At {} words a convolution of 3, which sees no further, takes {:.2f} "
      "times\nas long as the GRU and {:.2f} times as long as attention.\n",
      found, command.cost.width, last.length,
      last.convolution_ms / last.recurrence_ms,
      last.convolution_ms / last.attention_ms);
}

std::string BytesText(int64_t bytes) {
  return HumanCount(static_cast<double>(bytes));
}

/// Measures decoding of one more word after a context.
void RunDecode(const CostCommand& command) {
  std::vector<Series> series = {{"GRU step", {}, {}},
                                {"attention with a cache", {}, {}}};
  std::vector<DecodeCost> costs;
  fmt::print("context   GRU ms   bytes kept   attention ms   bytes kept\n");
  for (int64_t n = kShortest; n <= command.longest; n *= 2) {
    costs.push_back(MeasureDecode(n, command.cost));
    const DecodeCost& c = costs.back();
    fmt::print("{:7}{:9.3f}{:>13}{:15.3f}{:>13}\n", n, c.recurrence_ms,
               BytesText(c.recurrence_bytes), c.attention_ms,
               BytesText(c.attention_bytes));
    std::fflush(stdout);
    AddPoint(series[0], n, c.recurrence_ms);
    AddPoint(series[1], n, c.attention_ms);
  }
  ShowPlot(
      command.out, "cost-decode", series,
      {.title = fmt::format("One more word, width {}, {}", command.cost.width,
                            Counted(ThreadCount(), "thread")),
       .x_label = "words before it",
       .y_label =
           fmt::format("milliseconds for {} sequences", command.cost.batch),
       .logarithmic_x = true,
       .logarithmic_y = true});
  const DecodeCost& first = costs.front();
  const DecodeCost& last = costs.back();
  fmt::print(
      "Memory: the keys and values of {} sequences of {} words are {} bytes.\n",
      command.cost.batch, last.context,
      BytesText(last.attention_bytes * command.cost.batch));
  fmt::print(
      "From {} to {} words before it, the next word takes a GRU {:.1f} times "
      "as "
      "long\nand attention {:.1f} times. Of a sequence a GRU keeps {} bytes "
      "and "
      "attention {}.\nAt {} words attention takes {:.1f} times as long as the "
      "GRU.\n",
      first.context, last.context, last.recurrence_ms / first.recurrence_ms,
      last.attention_ms / first.attention_ms, BytesText(last.recurrence_bytes),
      BytesText(last.attention_bytes), last.context,
      last.attention_ms / last.recurrence_ms);
}

}  // namespace

int RunDemoCost(const Arguments& arguments) {
  CostCommand command;
  const auto limit = ParseDemo(
      command, arguments, "cost",
      "Times a GRU layer, a self-attention with its projections and a "
      "convolution of three words on sequences of 16 and more words, in "
      "alternation. Counted in operations GRU and attention cost the same "
      "where the length is the width. With --backward gradients are timed "
      "besides, with --decode the next word behind 16 and more.",
      {"", " --width 512 --batch 1 --longest 2048", " --decode --batch 1"});
  if (!limit) return 0;

  if (command.decode && command.cost.backward) {
    throw ConfigError(
        "--backward cannot be combined with --decode, which does not train");
  }
  if (command.longest == 0) {
    command.longest = command.decode          ? 16384
                      : command.cost.backward ? 2048
                                              : 4096;
  }
  if (command.longest < kShortest) {
    throw ConfigError("--longest must be at least {}, or 0", kShortest);
  }
  if (command.decode) {
    RunDecode(command);
  } else {
    RunPasses(command);
  }
  return 0;
}

}  // namespace heed
