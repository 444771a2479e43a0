#include "heed/serve/idle_memory.h"

#include <utility>

#include "heed/tensor/pool.h"

namespace heed {

IdleMemory::IdleMemory(std::function<bool()> is_idle,
                       std::chrono::milliseconds every)
    : is_idle_(std::move(is_idle)), thread_([this, every] { Watch(every); }) {}

IdleMemory::~IdleMemory() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void IdleMemory::Watch(std::chrono::milliseconds every) {
  bool was_idle = false;
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, every, [this] { return ends_; })) {
    const bool idle = is_idle_();
    if (idle && was_idle && pool::Stats().cached > 0) pool::Trim();
    was_idle = idle;
  }
}

}  // namespace heed
