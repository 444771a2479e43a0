#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/kernels/gather.h"
#include "heed/ops/loss.h"
#include "heed/tasks/forecast.h"

namespace heed {
namespace {

constexpr int64_t kMostSteps = 12;

/// Some of the steps ahead, evenly: the first and the last among them.
std::vector<int32_t> StepsOf(int64_t horizon) {
  const int64_t count = std::min(horizon, kMostSteps);
  std::vector<int32_t> steps;
  for (int64_t i = 0; i < count; ++i) {
    steps.push_back(
        static_cast<int32_t>(count == 1 ? 0 : i * (horizon - 1) / (count - 1)));
  }
  return steps;
}

}  // namespace

/// The place of a column among those of the model.
int64_t ForecastTask::ColumnOf(const std::string& name) const {
  const auto found = std::ranges::find(names_, name);
  if (found == names_.end()) {
    throw FormatError(fmt::format("explain: there is no column '{}'{}", name,
                                  DidYouMean(name, names_)));
  }
  return found - names_.begin();
}

/// A forecast of one column, by the patches of the window before it.
ExplainablePrediction ForecastTask::PrepareExplanation(
    const Context& given, const ExplainInput& input,
    AttentionWatch& watch) const {
  std::vector<std::string> lines;
  std::istringstream in(input.text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  const TimeSeries series = ParseTimeSeries(std::move(lines), "the text");
  const Tensor window = LastWindow(series, "the text");
  const int64_t column =
      input.answer.empty() ? std::ssize(names_) - 1 : ColumnOf(input.answer);
  const auto forecast = [this, window](const Context& c, int64_t copies) {
    return (*model_)(
        c, kernels::Gather(window, Tensor::Zeros({copies}, DType::kI32)));
  };
  Context ctx = given;
  ctx.observer = &watch;
  const Tensor future =
      standardizer_->Invert(forecast(ctx, 1).value().Contiguous());

  ExplainablePrediction e;
  const std::vector<int32_t> steps = StepsOf(forecaster.horizon);
  for (const int32_t step : steps) {
    e.target.push_back(fmt::format("+{}", step + 1));
    e.answer += fmt::format("{}{} {:.6g}", e.answer.empty() ? "" : ", ",
                            e.target.back(), future.row<float>(step)[column]);
  }
  e.answer =
      fmt::format("{}: {}", names_[static_cast<size_t>(column)], e.answer);
  const int64_t patches = forecaster.steps();
  const int64_t begin =
      series.rows() -
      (forecaster.patch + (patches - 1) * forecaster.patch_stride);
  for (int64_t i = 0; i < patches; ++i) {
    const int64_t row = begin + i * forecaster.patch_stride;
    e.source.push_back(series.times.empty()
                           ? fmt::format("{}", row - series.rows())
                           : series.times[static_cast<size_t>(row)]);
  }
  const bool independent = forecaster.independent_columns == "yes";
  if (forecaster.forecast_from == "last") {
    e.alignment = LastSelfAttention(watch);
    e.alignment_rows.assign(steps.size(), patches - 1);
  }
  e.row = independent ? column : 0;
  e.scores.tokens = patches;
  e.scores.targets = std::ssize(steps);
  e.scores.log_probability = false;
  e.scores.rows_of_copy = independent ? std::ssize(names_) : 1;
  e.scores.row = e.row;
  e.scores.scores = [forecast, column, steps](const Context& c,
                                              int64_t copies) {
    const Var all = forecast(c, copies);
    const Var own =
        Pick(all, Tensor::Full({copies, all.dim(1)},
                               static_cast<double>(column), DType::kI32));
    return ChosenColumns(own, steps);
  };
  return e;
}

}  // namespace heed
