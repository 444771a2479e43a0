// Several computations of one model, in turns.
#ifndef HEED_SERVE_TURNS_H_
#define HEED_SERVE_TURNS_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>

#include "heed/base/at.h"
#include "heed/serve/time_share.h"

namespace heed {

/// Lets the computations of each lane take turns, so that a long one does not
/// keep others waiting: one that has used up its slice pauses at its next Pass,
/// and goes on when the others of its lane had theirs. A new one comes first,
/// unless the last turn was a new one's and others are paused; of those that
/// are paused the one whose client used the least time is next.
///
/// A computation of the short lane does not wait for one of the long lane: that
/// one pauses at its next Pass for as long as LaneShare says. Thread-safe.
class Turns {
 public:
  using Clock = std::chrono::steady_clock;

  /// The first slice is for computations that are usually done within it.
  /// `allowance`: as LaneShare has it.
  Turns(Clock::duration first_slice, Clock::duration slice,
        Clock::duration allowance = std::chrono::milliseconds(50))
      : first_slice_(first_slice),
        slice_(slice),
        share_(kShortWeight, allowance) {}

  /// A computation, from its first turn to its end. Made and destroyed by its
  /// thread; the constructor waits for the turn.
  class Turn {
   public:
    explicit Turn(Turns& turns, Lane lane = Lane::kShort);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    /// How long its further slices are; as Turns has it unless this is called.
    void SetSlice(Clock::duration slice) { slice_ = slice; }
    /// Whose time it takes; nobody's until this is called, once.
    void SetClient(const std::string& client);
    /// Lets others go first if it is time. Called by each thread of the
    /// computation, often.
    void Pass();
    /// How long it was paused in all.
    Clock::duration paused() const { return paused_time_; }

   private:
    friend class Turns;

    Turns& turns_;
    const Lane lane_;
    Clock::duration slice_;
    std::string client_;  // of those that are paused
    bool has_client_ = false;
    std::atomic<Clock::rep> slice_end_ = 0;
    std::atomic<bool> paused_ = false;
    Clock::duration paused_time_ = {};
  };

 private:
  struct LaneState {
    std::deque<Turn*> arriving;
    std::deque<Turn*> paused;
    Turn* current = nullptr;
    bool last_was_new = false;
    bool computes = false;            // current does, and is not paused
    Clock::time_point counted_until;  // of its time
  };

  // All with the lock.
  LaneState& StateOf(Lane lane) { return At(lanes_, lane); }
  bool OthersWait(Lane lane);
  void GiveTurn(Lane lane);
  void StartSlice(Turn& turn, Clock::duration length);
  void CountTime();
  void SetComputes(LaneState& lane, bool computes);
  Turn* NextPaused(LaneState& lane);
  bool PausesForShort(const Turn& turn);
  void PauseForShort(Turn& turn, std::unique_lock<std::mutex>& lock);

  const Clock::duration first_slice_;
  const Clock::duration slice_;
  std::mutex mutex_;
  std::condition_variable changed_;
  LaneState lanes_[2];
  LaneShare share_;
  ClientShare clients_;  // of the long lane
  std::atomic<bool> short_wants_ = false;

  /// How much time short computations get for each that long ones get.
  static constexpr double kShortWeight = 2;
};

}  // namespace heed

#endif  // HEED_SERVE_TURNS_H_
