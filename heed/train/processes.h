// The processes that train one model together.
#ifndef HEED_TRAIN_PROCESSES_H_
#define HEED_TRAIN_PROCESSES_H_

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "heed/base/errors.h"
#include "heed/train/config.h"
#include "heed/train/messages.h"
#include "heed/train/shards.h"

namespace heed {

/// Another process is gone, or failed; names its rank and host.
class ProcessError : public Error {
 public:
  using Error::Error;
};

/// One process of several, or the only one. A thread of its own exchanges
/// messages, by asking and sleeping in turn: it takes no time from who
/// computes. All processes call the same functions in the same order, from one
/// thread. Every function that waits throws ProcessError once a process is
/// lost: it has failed, or was not heard of for some seconds, as one that was
/// killed or stopped, or whose network is gone.
class Processes {
 public:
  using Open = std::function<std::unique_ptr<Messages>()>;
  struct Timing {
    double beat = 1;     ///< seconds between signs of life
    double silence = 6;  ///< without any, after which a process is lost
    /// After a loss, what the thread that computes has to notice it before the
    /// process is ended: a checkpoint is written then, or was before.
    double grace = 2;
  };

  /// The only one.
  Processes();
  /// One of several: `open` is called on the thread that exchanges messages.
  /// Throws: what it throws; ProcessError.
  explicit Processes(Open open);
  Processes(Open open, Timing timing);
  /// Without Finish(), as after an error, others are left to notice.
  ~Processes();
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  /// Whether this one writes files and speaks to the user.
  bool leads() const { return rank_ == 0; }
  bool alone() const { return size_ == 1; }
  /// Whether this one says why all end: the leading one, or the next if that is
  /// lost.
  bool speaks() const;
  /// "rank 2 on node7".
  std::string NameOf(int rank) const;
  /// How many of them run on the machine of this one.
  int on_this_host() const;

  /// What each gives, by rank.
  std::vector<std::string> Gather(const std::string& mine);
  /// What rank 0 gives.
  std::string Broadcast(const std::string& mine) {
    return Gather(leads() ? mine : std::string()).front();
  }

  /// Throws: ConfigError in all of them, naming one whose text is another than
  /// that of rank 0.
  void CheckSame(const std::string& what, const std::string& mine);

  /// Starts to sum numbers over all processes in the order of the tree over
  /// `shards` shards, of which each process has a part in even pieces
  /// (EvenPart): `nodes` are the sums of this one's NodesOf, and the first of
  /// them gets the result. The numbers are left alone until FinishSums().
  void StartSum(int64_t shards, std::vector<std::span<float>> nodes, Wire wire);
  /// Waits for all sums. Returns the seconds that it waited.
  double FinishSums();

  /// All processes have come here. The last call.
  void Finish();
  /// Lets the others end with this reason, named as of this process, or as it
  /// is if they learned of it together. Does not throw or wait for long.
  void Fail(const std::string& reason) noexcept;
  /// After Fail in a process that does not lead: returns when the leading one
  /// has had its time to save what there is.
  void AwaitEnd() const;

  /// What the bytes of sums were that this process has sent.
  int64_t bytes_sent() const { return bytes_sent_; }

 private:
  class Transfers;
  class Job;
  class GatherJob;
  class SumJob;
  class Watch;

  void Exchange(const Open& open);
  void ExchangeMessages(Messages& messages);
  void Enqueue(std::unique_ptr<Job> job);
  void WaitForJobs();
  void Lost(const std::string& reason, int rank);
  void GiveUp();

  int rank_ = 0;
  int size_ = 1;
  Timing timing_;
  std::vector<std::string> hosts_ = {""};

  std::thread thread_;
  mutable std::mutex mutex_;
  std::condition_variable to_thread_;
  std::condition_variable from_thread_;
  std::deque<std::unique_ptr<Job>> jobs_;  // not begun
  int64_t open_jobs_ = 0;                  // not ended
  bool started_ = false;
  bool finishing_ = false;
  bool given_up_ = false;  // the destructor of a run that failed
  bool noticed_ = false;   // the main thread knows of the loss
  std::string loss_;       // why, if a process is lost
  int lost_rank_ = -1;
  std::string failure_;  // of this process, for the others
  std::exception_ptr start_error_;
  int64_t number_ = 0;  // of jobs so far
  int64_t bytes_sent_ = 0;
};

}  // namespace heed

#endif  // HEED_TRAIN_PROCESSES_H_
