// What the server counts, in the text format of Prometheus.
#ifndef HEED_SERVE_SERVER_METRICS_H_
#define HEED_SERVE_SERVER_METRICS_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace heed {

/// How many values were at most each bound, and their sum.
class Histogram {
 public:
  explicit Histogram(std::span<const double> bounds)
      : bounds_(bounds.begin(), bounds.end()), counts_(bounds.size() + 1) {}
  void Add(double value);
  /// The lines of `name` with these labels ("a=\"b\"", or "").
  void Write(const std::string& name, const std::string& labels,
             std::string& out) const;

 private:
  std::vector<double> bounds_;
  std::vector<uint64_t> counts_;
  double sum_ = 0;
};

/// A number that is read when the metrics are.
struct Gauge {
  std::string name;
  std::string help;
  std::string labels;  ///< `model="m"`, or ""
  double value = 0;
};

/// "a\"b" as the value of a label.
std::string LabelValue(std::string_view text);

/// Thread-safe.
class ServerMetrics {
 public:
  /// An answered request. `route`: as in the API, "other" for unknown paths, so
  /// that their number is limited. Units: seconds, from the first byte.
  void CountRequest(const std::string& route, int status, double seconds);
  /// What a worker computed at once.
  void CountBatch(const std::string& model, int64_t texts, double seconds);
  void CountTokens(const std::string& model, int64_t source, int64_t target);
  void CountWait(const std::string& model, double seconds);
  void CountReload(const std::string& model, bool succeeded);
  /// Requests that were cancelled before they were done.
  void CountAbandoned(const std::string& model);
  void CountRefusedConnection() { ++refused_connections_; }
  void CountAcceptedConnection() { ++accepted_connections_; }

  /// Everything, with process figures and `gauges`, which stand together by
  /// name.
  std::string Text(const std::vector<Gauge>& gauges) const;

 private:
  struct OfModel {
    OfModel();
    Histogram batch_texts, batch_seconds, wait_seconds;
    uint64_t source_tokens = 0, target_tokens = 0, abandoned = 0;
    uint64_t reloads = 0, failed_reloads = 0;
  };
  OfModel& Of(const std::string& model) { return models_[model]; }

  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, uint64_t> requests_;
  std::map<std::string, Histogram> latencies_;
  std::map<std::string, OfModel> models_;
  std::atomic<uint64_t> accepted_connections_ = 0;
  std::atomic<uint64_t> refused_connections_ = 0;
};

/// Resident memory of this process. Units: bytes; 0 where it is not known
int64_t ResidentBytes();
/// Files and sockets that this process has open; 0 where it is not known.
int64_t OpenFiles();

}  // namespace heed

#endif  // HEED_SERVE_SERVER_METRICS_H_
