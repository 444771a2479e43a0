#include "heed/serve/turns.h"

namespace heed {

Turns::Turn::Turn(Turns& turns) : turns_(turns), slice_(turns.slice_) {
  std::unique_lock lock(turns_.mutex_);
  turns_.arriving_.push_back(this);
  if (turns_.current_ == nullptr) turns_.GiveTurn();
  turns_.changed_.wait(lock, [this] { return turns_.current_ == this; });
}

Turns::Turn::~Turn() {
  const std::lock_guard lock(turns_.mutex_);
  turns_.current_ = nullptr;
  turns_.GiveTurn();
}

void Turns::Turn::Pass() {
  const Clock::rep now = Clock::now().time_since_epoch().count();
  if (!paused_ && now < slice_end_) return;
  std::unique_lock lock(turns_.mutex_);
  if (paused_) {  // by another of its threads
    turns_.changed_.wait(lock, [this] { return !paused_; });
    return;
  }
  if (now < slice_end_) return;
  if (!turns_.OthersWait()) return turns_.StartSlice(*this, slice_);
  paused_ = true;
  const Clock::time_point start = Clock::now();
  turns_.current_ = nullptr;
  turns_.GiveTurn();  // to another one
  turns_.paused_.push_back(this);
  turns_.changed_.wait(lock, [this] { return turns_.current_ == this; });
  paused_time_ += Clock::now() - start;
  lock.unlock();
  const auto go_on = [&] {
    lock.lock();
    paused_ = false;
    turns_.changed_.notify_all();
  };
  try {
  } catch (...) {
    go_on();
    throw;
  }
  go_on();
}

void Turns::StartSlice(Turn& turn, Clock::duration length) {
  turn.slice_end_ = (Clock::now() + length).time_since_epoch().count();
}

void Turns::GiveTurn() {
  const bool is_new = !arriving_.empty() && (paused_.empty() || !last_was_new_);
  std::deque<Turn*>& from = is_new ? arriving_ : paused_;
  if (from.empty()) return;
  current_ = from.front();
  from.pop_front();
  last_was_new_ = is_new;
  StartSlice(*current_, is_new ? first_slice_ : current_->slice_);
  changed_.notify_all();
}

}  // namespace heed
