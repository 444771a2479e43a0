// Memory that a computation needed goes back once there is nothing to compute.
#ifndef HEED_SERVE_IDLE_MEMORY_H_
#define HEED_SERVE_IDLE_MEMORY_H_

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace heed {

/// Looks again and again, on a thread of its own, whether `is_idle`; twice in a
/// row, and buffers that the pool of tensors kept are given back to the system.
/// A server that is asked all the time is not slowed down by it.
class IdleMemory {
 public:
  /// `is_idle` must be thread-safe and live as long as this.
  explicit IdleMemory(
      std::function<bool()> is_idle,
      std::chrono::milliseconds every = std::chrono::seconds(1));
  ~IdleMemory();
  IdleMemory(const IdleMemory&) = delete;
  IdleMemory& operator=(const IdleMemory&) = delete;

 private:
  void Watch(std::chrono::milliseconds every);

  const std::function<bool()> is_idle_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace heed

#endif  // HEED_SERVE_IDLE_MEMORY_H_
