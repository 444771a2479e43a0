// Several computations of one model, one at a time.
#ifndef HEED_SERVE_TURNS_H_
#define HEED_SERVE_TURNS_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>

namespace heed {

/// Lets computations take turns, so that a long one does not keep short ones
/// waiting: one that has used up its slice pauses at its next Pass, and goes on
/// when the others had theirs. A new one comes first, unless the last turn was
/// a new one's and others are paused. Thread-safe.
class Turns {
 public:
  using Clock = std::chrono::steady_clock;

  /// The first slice is for computations that are usually done within it.
  Turns(Clock::duration first_slice, Clock::duration slice)
      : first_slice_(first_slice), slice_(slice) {}

  /// A computation, from its first turn to its end. Made and destroyed by its
  /// thread; the constructor waits for the turn.
  class Turn {
   public:
    explicit Turn(Turns& turns);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    /// How long its further slices are; as Turns has it unless this is called.
    void SetSlice(Clock::duration slice) { slice_ = slice; }
    /// Lets others go first if it is time. Called by each thread of the
    /// computation, often.
    void Pass();
    /// How long it was paused in all.
    Clock::duration paused() const { return paused_time_; }

   private:
    friend class Turns;

    Turns& turns_;
    Clock::duration slice_;
    std::atomic<Clock::rep> slice_end_ = 0;
    std::atomic<bool> paused_ = false;
    Clock::duration paused_time_ = {};
  };

 private:
  // All with the lock.
  bool OthersWait() const { return !arriving_.empty() || !paused_.empty(); }
  void GiveTurn();
  void StartSlice(Turn& turn, Clock::duration length);

  const Clock::duration first_slice_;
  const Clock::duration slice_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Turn*> arriving_;
  std::deque<Turn*> paused_;
  Turn* current_ = nullptr;
  bool last_was_new_ = false;
};

}  // namespace heed

#endif  // HEED_SERVE_TURNS_H_
