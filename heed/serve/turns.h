// Time slicing for several computations of one model.
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
/// delay others. A computation pauses at its next Pass after its slice, and
/// resumes after the others of its lane. A new computation comes first, unless
/// the last turn was a new one's and others are paused. Among paused
/// computations, the one whose client used the least time is next.
///
/// Computations of the short lane do not wait for the long lane: a long one
/// pauses at its next Pass for as long as LaneShare requires. Thread-safe.
class Turns {
 public:
  using Clock = std::chrono::steady_clock;

  /// `first_slice`: long enough for most computations. `allowance`: see
  /// LaneShare.
  Turns(Clock::duration first_slice, Clock::duration slice,
        Clock::duration allowance = std::chrono::milliseconds(50))
      : first_slice_(first_slice),
        slice_(slice),
        share_(kShortWeight, allowance) {}

  /// A computation, from its first turn to its end. Its thread constructs and
  /// destroys it. The constructor waits for the turn.
  class Turn {
   public:
    explicit Turn(Turns& turns, Lane lane = Lane::kShort);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    /// Sets the length of its further slices. Default: that of Turns.
    void SetSlice(Clock::duration slice) { slice_ = slice; }
    /// Sets the client that its time is counted for. Call it at most once.
    void SetClient(const std::string& client);
    /// Pauses for others if its slice is over. All threads of the computation
    /// call it, often.
    void Pass();
    /// Total time in pauses.
    Clock::duration paused() const { return paused_time_; }

   private:
    friend class Turns;

    Turns& turns_;
    const Lane lane_;
    Clock::duration slice_;
    std::string client_;  // client that its time is counted for
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
    bool computes = false;            // `current` computes and is not paused
    Clock::time_point counted_until;  // end of the time counted for `current`
  };

  // Call these with the lock.
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

  /// Time of short computations per time of long ones.
  static constexpr double kShortWeight = 2;
};

}  // namespace heed

#endif  // HEED_SERVE_TURNS_H_
