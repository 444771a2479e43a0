// Counters of the server, in Prometheus' text format.
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

/// Histogram: number of values up to each bound, and their sum.
class Histogram {
 public:
  explicit Histogram(std::span<const double> bounds)
      : bounds_(bounds.begin(), bounds.end()), counts_(bounds.size() + 1) {}
  void Add(double value);
  /// Appends the lines of metric `name` with these labels ("a=\"b\"", or "").
  void Write(const std::string& name, const std::string& labels,
             std::string& out) const;

 private:
  std::vector<double> bounds_;
  std::vector<uint64_t> counts_;
  double sum_ = 0;
};

/// A number that is sampled when the metrics are read.
struct Gauge {
  std::string name;
  std::string help;
  std::string labels;  ///< `model="m"`, or ""
  double value = 0;
};

/// Escapes a label's value: a\"b.
std::string LabelValue(std::string_view text);

/// Counters of requests, batches and connections. Thread-safe.
class ServerMetrics {
 public:
  /// Counts an answered request. `route`: as in the API, "other" for unknown
  /// paths, which bounds the number of routes. `seconds`: since the first byte.
  void CountRequest(const std::string& route, int status, double seconds);
  /// Counts a batch that a thread of the model computed.
  void CountBatch(const std::string& model, int64_t texts, double seconds);
  void CountTokens(const std::string& model, int64_t source, int64_t target);
  void CountWait(const std::string& model, double seconds);
  void CountReload(const std::string& model, bool succeeded);
  /// Counts a request that was cancelled before its answer was complete.
  void CountAbandoned(const std::string& model);
  void CountRefusedConnection() { ++refused_connections_; }
  void CountAcceptedConnection() { ++accepted_connections_; }

  /// All metrics, with figures of the process and `gauges`. Gauges of one name
  /// must be adjacent.
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

/// Resident memory of this process; 0 if unknown. Units: bytes
int64_t ResidentBytes();
/// Number of open files and sockets of this process; 0 if unknown.
int64_t OpenFiles();

}  // namespace heed

#endif  // HEED_SERVE_SERVER_METRICS_H_
