#include "heed/serve/server_metrics.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "heed/base/at.h"

namespace heed {
namespace {

constexpr double kLatencyBounds[] = {0.001, 0.0025, 0.005, 0.01, 0.025,
                                     0.05,  0.1,    0.25,  0.5,  1,
                                     2.5,   5,      10,    30,   60};
constexpr double kTextBounds[] = {1, 2, 4, 8, 16, 32, 64, 128, 256};

const std::time_t kStarted = std::time(nullptr);

void WriteHead(std::string& out, std::string_view name, std::string_view help,
               std::string_view type) {
  fmt::format_to(std::back_inserter(out), "# HELP {} {}\n# TYPE {} {}\n", name,
                 help, name, type);
}

void WriteLine(std::string& out, std::string_view name,
               const std::string& labels, double value) {
  fmt::format_to(std::back_inserter(out), "{}{} {}\n", name,
                 labels.empty() ? "" : "{" + labels + "}", value);
}

std::string OfModelLabel(const std::string& model) {
  return fmt::format("model=\"{}\"", LabelValue(model));
}

}  // namespace

void Histogram::Add(double value) {
  const auto place = std::ranges::lower_bound(bounds_, value);
  ++At(counts_, place - bounds_.begin());
  sum_ += value;
}

void Histogram::Write(const std::string& name, const std::string& labels,
                      std::string& out) const {
  uint64_t count = 0;
  const std::string comma = labels.empty() ? "" : ",";
  for (size_t i = 0; i < counts_.size(); ++i) {
    count += counts_[i];
    const std::string bound =
        i < bounds_.size() ? fmt::format("{}", bounds_[i]) : "+Inf";
    WriteLine(out, name + "_bucket",
              fmt::format("{}{}le=\"{}\"", labels, comma, bound),
              static_cast<double>(count));
  }
  WriteLine(out, name + "_sum", labels, sum_);
  WriteLine(out, name + "_count", labels, static_cast<double>(count));
}

std::string LabelValue(std::string_view text) {
  std::string value;
  for (const char c : text) {
    if (c == '\\' || c == '"') value += '\\';
    if (c == '\n') {
      value += "\\n";
    } else {
      value += c;
    }
  }
  return value;
}

ServerMetrics::OfModel::OfModel()
    : batch_texts(kTextBounds),
      batch_seconds(kLatencyBounds),
      wait_seconds(kLatencyBounds) {}

void ServerMetrics::CountRequest(const std::string& route, int status,
                                 double seconds) {
  const std::lock_guard lock(mutex_);
  ++requests_[{route, status}];
  latencies_.try_emplace(route, kLatencyBounds).first->second.Add(seconds);
}

void ServerMetrics::CountBatch(const std::string& model, int64_t texts,
                               double seconds) {
  const std::lock_guard lock(mutex_);
  Of(model).batch_texts.Add(static_cast<double>(texts));
  Of(model).batch_seconds.Add(seconds);
}

void ServerMetrics::CountTokens(const std::string& model, int64_t source,
                                int64_t target) {
  const std::lock_guard lock(mutex_);
  Of(model).source_tokens += static_cast<uint64_t>(source);
  Of(model).target_tokens += static_cast<uint64_t>(target);
}

void ServerMetrics::CountWait(const std::string& model, double seconds) {
  const std::lock_guard lock(mutex_);
  Of(model).wait_seconds.Add(seconds);
}

void ServerMetrics::CountReload(const std::string& model, bool succeeded) {
  const std::lock_guard lock(mutex_);
  ++(succeeded ? Of(model).reloads : Of(model).failed_reloads);
}

void ServerMetrics::CountAbandoned(const std::string& model) {
  const std::lock_guard lock(mutex_);
  ++Of(model).abandoned;
}

std::string ServerMetrics::Text(const std::vector<Gauge>& gauges) const {
  std::string out;
  const std::lock_guard lock(mutex_);
  WriteHead(out, "heed_requests_total", "Answered requests.", "counter");
  for (const auto& [key, count] : requests_) {
    WriteLine(out, "heed_requests_total",
              fmt::format("route=\"{}\",status=\"{}\"", LabelValue(key.first),
                          key.second),
              static_cast<double>(count));
  }
  WriteHead(out, "heed_request_seconds",
            "Time from the first byte of a request to its whole answer.",
            "histogram");
  for (const auto& [route, histogram] : latencies_) {
    histogram.Write("heed_request_seconds",
                    fmt::format("route=\"{}\"", LabelValue(route)), out);
  }

  const auto histogram = [&](const char* name, const char* help,
                             Histogram OfModel::*member) {
    WriteHead(out, name, help, "histogram");
    for (const auto& [model, counts] : models_) {
      (counts.*member).Write(name, OfModelLabel(model), out);
    }
  };
  histogram("heed_batch_texts", "Texts computed together.",
            &OfModel::batch_texts);
  histogram("heed_batch_seconds", "Time to compute a batch.",
            &OfModel::batch_seconds);
  histogram("heed_wait_seconds", "Time that a request waited for its model.",
            &OfModel::wait_seconds);
  const auto counter = [&](const char* name, const char* help,
                           const char* label, uint64_t OfModel::*member,
                           bool head) {
    if (head) WriteHead(out, name, help, "counter");
    for (const auto& [model, counts] : models_) {
      WriteLine(out, name, OfModelLabel(model) + label,
                static_cast<double>(counts.*member));
    }
  };
  counter("heed_tokens_total", "Tokens read and written.", ",side=\"source\"",
          &OfModel::source_tokens, true);
  counter("heed_tokens_total", "", ",side=\"target\"", &OfModel::target_tokens,
          false);
  counter("heed_abandoned_total",
          "Requests that were not computed to their end, because their client "
          "went away or their time was up.",
          "", &OfModel::abandoned, true);
  counter("heed_reloads_total", "Models read again.", ",result=\"succeeded\"",
          &OfModel::reloads, true);
  counter("heed_reloads_total", "", ",result=\"failed\"",
          &OfModel::failed_reloads, false);

  const auto single = [&out](const char* name, const char* help,
                             const char* type, double value) {
    WriteHead(out, name, help, type);
    WriteLine(out, name, "", value);
  };
  single("heed_connections_accepted_total", "Connections taken.", "counter",
         static_cast<double>(accepted_connections_));
  single("heed_connections_refused_total",
         "Connections answered with 503 because there were too many.",
         "counter", static_cast<double>(refused_connections_));

  std::string last;
  for (const Gauge& gauge : gauges) {
    if (gauge.name != last) WriteHead(out, gauge.name, gauge.help, "gauge");
    last = gauge.name;
    WriteLine(out, gauge.name, gauge.labels, gauge.value);
  }

  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) +
           static_cast<double>(time.tv_usec) * 1e-6;
  };
  single("process_cpu_seconds_total", "Processor time used.", "counter",
         seconds(usage.ru_utime) + seconds(usage.ru_stime));
  single("process_resident_memory_bytes", "Resident memory.", "gauge",
         static_cast<double>(ResidentBytes()));
  single("process_open_fds", "Open files and sockets.", "gauge",
         static_cast<double>(OpenFiles()));
  single("process_start_time_seconds", "Start, since the epoch.", "gauge",
         static_cast<double>(kStarted));
  return out;
}

int64_t ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  int64_t whole = 0;
  int64_t resident = 0;
  if (!(file >> whole >> resident)) return 0;
  return resident * sysconf(_SC_PAGESIZE);
}

int64_t OpenFiles() {
  std::error_code error;
  const std::filesystem::directory_iterator files("/proc/self/fd", error);
  return error ? 0 : std::distance(begin(files), end(files)) - 1;
}

}  // namespace heed
