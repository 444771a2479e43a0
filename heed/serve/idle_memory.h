// Release of pooled memory while the server is idle.
#ifndef HEED_SERVE_IDLE_MEMORY_H_
#define HEED_SERVE_IDLE_MEMORY_H_

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace heed {

/// Polls `is_idle` on its own thread. After two idle polls in a row, buffers of
/// the tensor pool are returned to the system. A busy server is not slowed
/// down.
class IdleMemory {
 public:
  /// `is_idle` must be thread-safe and outlive this object.
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
