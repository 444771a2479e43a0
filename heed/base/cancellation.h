// Cancellation of computations.
#ifndef HEED_BASE_CANCELLATION_H_
#define HEED_BASE_CANCELLATION_H_

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>
#include <vector>

#include "heed/base/errors.h"

namespace heed {

/// Tells a computation to stop early. Passed by pointer (see Context); null:
/// never cancelled. Must outlive the computation. Thread-safe.
class Cancellation {
 public:
  virtual ~Cancellation() = default;

  /// True if the computation should stop. Polled between steps (of a search, of
  /// layers, of batches) by each thread, at least every 0.1 s if possible.
  /// Cheap, but may block to let computations of higher priority run first.
  virtual bool cancelled() const = 0;

  /// Throws: Cancelled.
  void Check() const {
    if (cancelled()) throw Cancelled("the computation was cancelled");
  }
};

/// Cancelled by a call or at a deadline, whichever comes first.
class CancellationFlag : public Cancellation {
 public:
  using Clock = std::chrono::steady_clock;

  CancellationFlag() = default;
  explicit CancellationFlag(Clock::time_point deadline) : deadline_(deadline) {}

  void Cancel() { flag_.store(true, std::memory_order_relaxed); }
  bool cancelled() const override {
    return flag_.load(std::memory_order_relaxed) ||
           (deadline_ != Clock::time_point::max() && Clock::now() >= deadline_);
  }

 private:
  std::atomic<bool> flag_ = false;
  const Clock::time_point deadline_ = Clock::time_point::max();
};

/// Cancellation of work shared by several clients: cancelled once all of them
/// are. A null client never cancels; an empty list is never cancelled.
class AllCancelled : public Cancellation {
 public:
  explicit AllCancelled(std::vector<const Cancellation*> all)
      : all_(std::move(all)) {}

  bool cancelled() const override {
    return !all_.empty() && std::ranges::all_of(all_, [](const auto* one) {
      return one != nullptr && one->cancelled();
    });
  }

 private:
  const std::vector<const Cancellation*> all_;
};

}  // namespace heed

#endif  // HEED_BASE_CANCELLATION_H_
