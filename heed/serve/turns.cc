#include "heed/serve/turns.h"

#include <algorithm>

namespace heed {

Turns::Turn::Turn(Turns& turns, Lane lane)
    : turns_(turns), lane_(lane), slice_(turns.slice_) {
  std::unique_lock lock(turns_.mutex_);
  LaneState& state = turns_.StateOf(lane);
  turns_.CountTime();
  if (lane == Lane::kShort) turns_.short_wants_ = true;
  state.arriving.push_back(this);
  if (state.current == nullptr) turns_.GiveTurn(lane);
  turns_.changed_.wait(lock, [&] { return state.current == this; });
}

Turns::Turn::~Turn() {
  const std::lock_guard lock(turns_.mutex_);
  LaneState& state = turns_.StateOf(lane_);
  turns_.CountTime();
  if (has_client_) turns_.clients_.End(client_);
  turns_.SetComputes(state, false);
  state.current = nullptr;
  turns_.GiveTurn(lane_);
  if (state.current != nullptr) return;
  if (lane_ == Lane::kLong) {
    turns_.share_.Reset();
    return;
  }
  turns_.short_wants_ = false;
  turns_.changed_.notify_all();  // wakes a long one that paused
}

void Turns::Turn::SetClient(const std::string& client) {
  const std::lock_guard lock(turns_.mutex_);
  client_ = client;
  has_client_ = true;
  turns_.clients_.Begin(client_);
}

void Turns::Turn::Pass() {
  const Clock::rep now = Clock::now().time_since_epoch().count();
  const bool may_yield = lane_ == Lane::kLong && turns_.short_wants_;
  if (!paused_ && !may_yield && now < slice_end_) return;
  std::unique_lock lock(turns_.mutex_);
  if (paused_) {  // by another thread of the computation
    turns_.changed_.wait(lock, [this] { return !paused_; });
    return;
  }
  turns_.CountTime();
  if (turns_.PausesForShort(*this)) turns_.PauseForShort(*this, lock);
  if (Clock::now().time_since_epoch().count() < slice_end_) return;
  if (!turns_.OthersWait(lane_)) return turns_.StartSlice(*this, slice_);
  LaneState& state = turns_.StateOf(lane_);
  paused_ = true;
  const Clock::time_point start = Clock::now();
  turns_.SetComputes(state, false);
  state.current = nullptr;
  turns_.GiveTurn(lane_);  // before it is in the list itself
  state.paused.push_back(this);
  turns_.changed_.wait(lock, [&] { return state.current == this; });
  paused_time_ += Clock::now() - start;
  paused_ = false;
  turns_.changed_.notify_all();
}

bool Turns::OthersWait(Lane lane) {
  const LaneState& state = StateOf(lane);
  return !state.arriving.empty() || !state.paused.empty();
}

void Turns::StartSlice(Turn& turn, Clock::duration length) {
  turn.slice_end_ = (Clock::now() + length).time_since_epoch().count();
}

// Counts time of the short lane only while both lanes have computations.
void Turns::CountTime() {
  const Clock::time_point now = Clock::now();
  const bool both =
      lanes_[0].current != nullptr && lanes_[1].current != nullptr;
  for (const Lane lane : {Lane::kShort, Lane::kLong}) {
    LaneState& state = StateOf(lane);
    if (!state.computes) continue;
    const Clock::duration time = now - state.counted_until;
    state.counted_until = now;
    if (lane == Lane::kLong) {
      share_.Count(lane, time);
      if (state.current->has_client_) {
        clients_.Count(state.current->client_, time);
      }
    } else if (both) {
      share_.Count(lane, time);
    }
  }
}

void Turns::SetComputes(LaneState& lane, bool computes) {
  lane.computes = computes;
  lane.counted_until = Clock::now();
}

Turns::Turn* Turns::NextPaused(LaneState& lane) {
  const auto next = std::min_element(lane.paused.begin(), lane.paused.end(),
                                     [&](const Turn* a, const Turn* b) {
                                       return clients_.UsedBy(a->client_) <
                                              clients_.UsedBy(b->client_);
                                     });
  Turn* const turn = *next;
  lane.paused.erase(next);
  return turn;
}

void Turns::GiveTurn(Lane lane) {
  LaneState& state = StateOf(lane);
  const bool is_new =
      !state.arriving.empty() && (state.paused.empty() || !state.last_was_new);
  if (is_new) {
    state.current = state.arriving.front();
    state.arriving.pop_front();
  } else if (!state.paused.empty()) {
    state.current = NextPaused(state);
  } else {
    return;
  }
  state.last_was_new = is_new;
  SetComputes(state, true);
  StartSlice(*state.current, is_new ? first_slice_ : state.current->slice_);
  changed_.notify_all();
}

bool Turns::PausesForShort(const Turn& turn) {
  return turn.lane_ == Lane::kLong && short_wants_ && share_.ShortFirst();
}

void Turns::PauseForShort(Turn& turn, std::unique_lock<std::mutex>& lock) {
  LaneState& state = StateOf(Lane::kLong);
  const Clock::time_point start = Clock::now();
  turn.paused_ = true;
  SetComputes(state, false);
  while (PausesForShort(turn)) {
    changed_.wait_for(lock, share_.UntilEqual());
    CountTime();
  }
  SetComputes(state, true);
  const Clock::duration time = Clock::now() - start;
  turn.paused_time_ += time;
  turn.slice_end_ += time.count();
  turn.paused_ = false;
  changed_.notify_all();
}

}  // namespace heed
