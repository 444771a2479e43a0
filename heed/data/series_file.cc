#include "heed/data/series_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "heed/base/console.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/data/input_lines.h"
#include "heed/io/file.h"

namespace heed {
namespace {

/// Number of places in a message; others are counted.
constexpr size_t kNamedPlaces = 3;

/// First places, and the number of further ones.
std::string PlacesText(const std::vector<std::string>& places) {
  std::string text = fmt::format(
      "{}", fmt::join(places.begin(),
                      places.begin() + static_cast<std::ptrdiff_t>(std::min(
                                           kNamedPlaces, places.size())),
                      "; "));
  if (places.size() > kNamedPlaces) {
    text += fmt::format("; and {} more", places.size() - kNamedPlaces);
  }
  return text;
}

/// Concatenates and sorts the tables of one series.
class SeriesBuilder {
 public:
  explicit SeriesBuilder(const KnownSeries* known) : known_(known) {}

  /// Throws: FormatError unless the columns equal those of the first table.
  void Add(SeriesTable table, const std::string& name) {
    if (names_.empty()) {
      all_ = table;
    } else if (table.names != all_.names ||
               table.times.empty() != all_.times.empty() ||
               table.time.has_value() != all_.time.has_value()) {
      throw FormatError("{} has other columns than {}, whose rows it continues",
                        name, names_.front());
    } else {
      Append(all_.values, table.values);
      Append(all_.lines, table.lines);
      Append(all_.times, table.times);
      Append(all_.notes, table.notes);
      if (table.time) {
        Append(table_time().moments, table.time->moments);
        Append(table_time().local, table.time->local);
      }
    }
    names_.push_back(name);
    file_of_row_.resize(all_.lines.size(), names_.size() - 1);
  }

  TimeSeries Take() {
    order_.resize(all_.lines.size());
    std::iota(order_.begin(), order_.end(), size_t{0});
    if (all_.time) SortByTime();
    TimeSeries series;
    if (all_.time) series.axis = TakeAxis();
    series.names = std::move(all_.names);
    const size_t width = series.names.size();
    series.values =
        Tensor({std::ssize(order_), static_cast<int64_t>(width)}, DType::kF64);
    double* next = series.values.data<double>();
    for (const size_t row : order_) {
      next = std::copy_n(&all_.values[row * width], width, next);
      if (!all_.times.empty()) {
        series.times.push_back(std::move(all_.times[row]));
      }
    }
    series.notes = std::move(all_.notes);
    return series;
  }

 private:
  template <typename T>
  static void Append(std::vector<T>& to, const std::vector<T>& from) {
    to.insert(to.end(), from.begin(), from.end());
  }
  TimeColumn& table_time() { return *all_.time; }

  Moment MomentOf(size_t i) const { return all_.time->moments[order_[i]]; }
  std::string Place(size_t i) const {
    const size_t row = order_[i];
    const std::string line = fmt::format("line {}", all_.lines[row]);
    return names_.size() == 1
               ? line
               : fmt::format("{}, {}", names_[file_of_row_[row]], line);
  }
  const std::string& TimeText(size_t i) const { return all_.times[order_[i]]; }

  void Note(std::string_view text) {
    all_.notes.push_back(fmt::format("{}: {}", names_.front(), text));
  }
  void Doubt(std::string_view text) {
    all_.notes.push_back(fmt::format("warning: {}: {}", names_.front(), text));
  }

  void SortByTime() {
    // A single row among many may be out of order.
    constexpr size_t kFewRises = 5;
    if (all_.time->form == DateForm::kTimeOfDay) CountDays(table_time());
    size_t rises = 0;
    size_t falls = 0;
    size_t first_fall = 0;
    for (size_t i = 1; i < order_.size(); ++i) {
      rises += MomentOf(i) > MomentOf(i - 1) ? 1 : 0;
      if (MomentOf(i) >= MomentOf(i - 1)) continue;
      if (falls++ == 0) first_fall = i;
    }
    if (falls > 0) {
      const bool newest_first = falls >= kFewRises * rises;
      Note(
          newest_first
              ? fmt::format("the newest row is the first; rows are sorted by "
                            "'{}'",
                            all_.time_name)
              : fmt::format("rows are sorted by '{}', which goes back {} times "
                            "in the file, first at {}",
                            all_.time_name, falls, Place(first_fall)));
      // Rows with equal times keep their order.
      if (newest_first) std::ranges::reverse(order_);
      std::ranges::stable_sort(
          order_, {}, [this](size_t row) { return all_.time->moments[row]; });
    }
    ReportDuplicates();
  }

  void ReportDuplicates() {
    std::vector<std::string> places;
    for (size_t i = 1; i < order_.size(); ++i) {
      if (MomentOf(i) != MomentOf(i - 1)) continue;
      places.push_back(
          fmt::format("{} in {} and {}", TimeText(i), Place(i - 1), Place(i)));
    }
    if (places.empty()) return;
    Doubt(fmt::format(
        "'{}' tells a time twice, which is read as two rows: {}{}",
        all_.time_name, PlacesText(places),
        2 * places.size() > order_.size()
            ? "; where a table holds several series one below the other, give "
              "each a column"
            : ""));
  }

  /// Uses local time if steps are days or months, whose length varies with
  /// clock changes.
  TimeAxis TakeAxis() {
    TimeAxis axis;
    std::vector<Moment> moments;
    std::vector<Moment> local;
    for (const size_t row : order_) {
      moments.push_back(all_.time->moments[row]);
      local.push_back(all_.time->local[row]);
    }
    axis.name = all_.time_name;
    const TimeStep local_step = StepOf(local);
    axis.local = local_step.months > 0 || local_step.microseconds >= kDay;
    const std::vector<Moment>& used = axis.local ? local : moments;
    axis.step = axis.local ? local_step : StepOf(moments);
    ReportSteps(axis, used);
    axis.last = used.back();
    axis.column = std::move(table_time());
    axis.column.moments.clear();
    axis.column.local.clear();
    return axis;
  }

  void ReportSteps(TimeAxis& axis, const std::vector<Moment>& moments) {
    if (known_ != nullptr && known_->step.known()) TakeKnownStep(axis, moments);
    if (!axis.step.known()) return;
    const bool counts = all_.time->counts;
    const std::string step = counts ? "one step" : axis.step.Text();
    if (!IsRegular(moments, axis.step)) {
      Doubt(
          fmt::format("rows are not evenly spaced in time (most often {}); "
                      "the model counts rows",
                      step));
      return;
    }
    std::vector<std::string> places;
    for (size_t i = 1; i < moments.size(); ++i) {
      const int64_t steps = StepsBetween(moments[i - 1], moments[i], axis.step);
      if (steps < 2) continue;
      places.push_back(fmt::format("{} missing between {} and {} ({})",
                                   steps - 1, TimeText(i - 1), TimeText(i),
                                   Place(i)));
    }
    if (places.empty()) return;
    Doubt(fmt::format("'{}' has gaps in its steps of {}: rows {}",
                      all_.time_name, step, PlacesText(places)));
  }

  /// Uses the training data's step, unless the rows have another one.
  void TakeKnownStep(TimeAxis& axis, const std::vector<Moment>& moments) {
    if (moments.size() < 2 || IsRegular(moments, known_->step)) {
      axis.step = known_->step;
    } else if (axis.step != known_->step && !all_.time->counts) {
      Doubt(fmt::format("rows are {} apart, but those of training were {}",
                        axis.step.Text(), known_->step.Text()));
    }
  }

  const KnownSeries* known_;
  std::vector<std::string> names_;  // names of the files
  std::vector<size_t> file_of_row_;
  std::vector<size_t> order_;
  SeriesTable all_;
};

}  // namespace

std::vector<std::string> TimeAxis::Behind(int64_t count) const {
  std::vector<std::string> times;
  for (Moment moment : MomentsBehind(last, step, count)) {
    if (local) moment -= column.pattern.offset * kSecond;
    times.push_back(column.Write(moment));
  }
  return times;
}

TimeSeries ReadTimeSeries(const std::vector<std::string>& paths,
                          const SeriesFormat& format,
                          const KnownSeries* known) {
  if (paths.empty()) throw ConfigError("--series is needed");
  SeriesBuilder builder(known);
  for (const std::string& path : paths) {
    builder.Add(ReadSeriesTable(ReadLines(path), path, format, known), path);
  }
  TimeSeries series = builder.Take();
  for (const std::string& note : series.notes) Say(note);
  return series;
}

TimeSeries ParseTimeSeries(std::string_view text, const std::string& name,
                           const SeriesFormat& format,
                           const KnownSeries* known) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) {
    text.remove_prefix(kByteOrderMark.size());
  }
  std::vector<std::string> lines;
  for (const std::string_view line : SplitLines(text)) {
    lines.emplace_back(line);
    if (IsValidUtf8(line)) continue;
    throw FormatError("{}:{}: not valid UTF-8; convert the file", name,
                      lines.size());
  }
  SeriesBuilder builder(known);
  builder.Add(ReadSeriesTable(std::move(lines), name, format, known), name);
  return builder.Take();
}

}  // namespace heed
