#include "heed/data/series.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"

namespace heed {
namespace {

// A column is constant if its deviation is below this share of its largest
// magnitude (rounding errors).
constexpr double kConstant = 1e-12;

constexpr std::string_view kEttSplit = "8640,2880,2880";

void CheckSeries(const Tensor& values) {
  if (values.rank() != 2 || values.dtype() != DType::kF64) {
    throw ShapeError("series: values must be f64 [rows, columns], not " +
                     values.shape().ToString());
  }
}

RowRange Behind(int64_t begin, int64_t count) { return {begin, begin + count}; }

void CopyRows(const Tensor& values, int64_t begin, int64_t end, float* to) {
  const double* from = values.row<double>(begin);
  std::transform(from, from + (end - begin) * values.dim(1), to,
                 [](double x) { return static_cast<float>(x); });
}

template <typename T, typename Fn>
void ForEachElement(Tensor& x, Fn&& fn) {
  const int64_t columns = x.cols();
  for (int64_t row = 0; row < x.rows(); ++row) {
    T* element = x.row<T>(row);
    for (int64_t c = 0; c < columns; ++c) {
      element[c] = static_cast<T>(fn(element[c], static_cast<size_t>(c)));
    }
  }
}

template <typename Fn>
Tensor MapColumns(const Tensor& x, Fn&& fn) {
  Tensor y = x.Clone();
  if (y.dtype() == DType::kF64) {
    ForEachElement<double>(y, fn);
  } else {
    ForEachElement<float>(y, fn);
  }
  return y;
}

}  // namespace

SeriesSplit SplitRows(std::string_view text, int64_t rows) {
  const auto fail = [text](std::string_view why) {
    throw ConfigError(
        "split '{}' {}; give rows of train, valid and test as in {}, shares "
        "as in 0.7,0.1,0.2, or ett",
        text, why, kEttSplit);
  };
  const auto shares = SplitAt(text == "ett" ? kEttSplit : text, ",");
  std::array<double, 3> parts{};
  if (shares.size() != parts.size()) fail("is not three numbers");
  for (size_t i = 0; i < parts.size(); ++i) {
    const std::optional<double> part = ParseNumber(shares[i]);
    if (!part) fail("is not three numbers");
    if (*part <= 0) fail("has a part that is not above 0");
    parts[i] = *part;
  }
  const double sum = parts[0] + parts[1] + parts[2];
  const double n = static_cast<double>(rows);
  if (std::abs(sum - 1) < 1e-6) {
    // The test part gets the remaining rows, so that none is lost. The small
    // offset makes 0.7 of 700 equal 490.
    const auto rows_of = [n](double share) {
      return std::floor(share * n + 1e-6);
    };
    parts = {rows_of(parts[0]), rows_of(parts[1]), 0};
    parts[2] = n - parts[0] - parts[1];
  } else if (sum > n) {
    fail(fmt::format("has more rows than the {} that there are", rows));
  }
  for (const double part : parts) {
    if (part < 1 || part != std::floor(part)) {
      fail(fmt::format("does not cut {} rows into whole parts", rows));
    }
  }
  SeriesSplit split;
  split.train = Behind(0, static_cast<int64_t>(parts[0]));
  split.valid = Behind(split.train.end, static_cast<int64_t>(parts[1]));
  split.test = Behind(split.valid.end, static_cast<int64_t>(parts[2]));
  return split;
}

Standardizer::Standardizer(const Tensor& values, RowRange fitted) {
  CheckSeries(values);
  if (fitted.begin < 0 || fitted.size() < 1 || fitted.end > values.dim(0)) {
    throw ShapeError("standardise: rows {} to {} are not among {}",
                     fitted.begin, fitted.end, values.dim(0));
  }
  const double n = static_cast<double>(fitted.size());
  for (int64_t c = 0; c < values.dim(1); ++c) {
    // Divides before summing to avoid overflow.
    double mean = 0, variance = 0, largest = 0;
    for (int64_t i = fitted.begin; i < fitted.end; ++i) {
      mean += values.row<double>(i)[c] / n;
      largest = std::max(largest, std::abs(values.row<double>(i)[c]));
    }
    for (int64_t i = fitted.begin; i < fitted.end && largest > 0; ++i) {
      const double z = (values.row<double>(i)[c] - mean) / largest;
      variance += z * z / n;
    }
    const double deviation = std::sqrt(variance);
    means_.push_back(mean);
    deviations_.push_back(deviation > kConstant ? deviation * largest : 1);
  }
}

Standardizer::Standardizer(std::vector<double> means,
                           std::vector<double> deviations)
    : means_(std::move(means)), deviations_(std::move(deviations)) {
  if (means_.size() != deviations_.size()) {
    throw ShapeError("standardise: {} means but {} deviations", means_.size(),
                     deviations_.size());
  }
  for (const double deviation : deviations_) {
    if (!(deviation > 0)) {
      throw NumericError("standardise: a deviation that is not above zero");
    }
  }
}

void Standardizer::Check(const Tensor& x) const {
  const bool fits = x.rank() >= 1 &&
                    x.cols() == static_cast<int64_t>(means_.size()) &&
                    (x.dtype() == DType::kF32 || x.dtype() == DType::kF64);
  if (!fits) {
    throw ShapeError("standardise: {} does not have {} columns",
                     x.shape().ToString(), means_.size());
  }
}

Tensor Standardizer::Apply(const Tensor& x) const {
  Check(x);
  return MapColumns(x, [this](double value, size_t c) {
    return (value - means_[c]) / deviations_[c];
  });
}

Tensor Standardizer::Invert(const Tensor& z) const {
  Check(z);
  return MapColumns(z, [this](double value, size_t c) {
    return value * deviations_[c] + means_[c];
  });
}

std::vector<int64_t> WindowOrigins(RowRange part, const WindowShape& window,
                                   int64_t stride, bool reach_back) {
  if (window.lookback < 1 || window.horizon < 1 || stride < 1) {
    throw ConfigError(
        "windows: lookback, horizon and stride must be at least 1");
  }
  const int64_t first = reach_back ? std::max(part.begin, window.lookback)
                                   : part.begin + window.lookback;
  std::vector<int64_t> origins;
  for (int64_t origin = first; origin <= part.end - window.horizon;
       origin += stride) {
    origins.push_back(origin);
  }
  if (origins.empty()) {
    throw ConfigError(
        "rows {} to {} are too few for one window of {} rows in and {} out; "
        "shorten the windows or lengthen the part",
        part.begin, part.end, window.lookback, window.horizon);
  }
  return origins;
}

SeriesBatch MakeSeriesBatch(const Tensor& values,
                            std::span<const int64_t> origins,
                            const WindowShape& window) {
  CheckSeries(values);
  const auto b_size = static_cast<int64_t>(origins.size());
  SeriesBatch batch{Tensor({b_size, window.lookback, values.dim(1)}),
                    Tensor({b_size, window.horizon, values.dim(1)})};
  for (int64_t b = 0; b < b_size; ++b) {
    const int64_t origin = At(origins, b);
    const int64_t begin = origin - window.lookback;
    const int64_t end = origin + window.horizon;
    if (begin < 0 || end > values.dim(0)) {
      throw ShapeError("windows: origin {} needs rows {} to {} of {}", origin,
                       begin, end, values.dim(0));
    }
    CopyRows(values, begin, origin, batch.inputs[b].data<float>());
    CopyRows(values, origin, end, batch.targets[b].data<float>());
  }
  return batch;
}

}  // namespace heed
