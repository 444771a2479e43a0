// Processes that train one model together.
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

/// Error for a lost or failed process; names its rank and host.
class ProcessError : public Error {
 public:
  using Error::Error;
};

/// One of several processes, or the only one. A separate thread exchanges
/// messages by polling with sleeps, so that it takes no time from the
/// computation. All processes must call the same functions in the same order,
/// from one thread. Every waiting function throws ProcessError once a process
/// is lost: it failed, or was silent for some seconds because it was killed or
/// stopped, or its network failed.
class Processes {
 public:
  using Open = std::function<std::unique_ptr<Messages>()>;
  struct Timing {
    double beat = 1;     ///< seconds between heartbeats
    double silence = 6;  ///< seconds of silence after which a process is lost
    /// Seconds that the computing thread has to notice a loss before the
    /// process is ended. It can write a checkpoint in this time.
    double grace = 2;
  };

  /// A single process.
  Processes();
  /// One of several processes; `open` is called on the message thread. Throws:
  /// errors of `open`; ProcessError.
  explicit Processes(Open open);
  Processes(Open open, Timing timing);
  /// Without Finish(), as after an error, other processes detect the loss.
  ~Processes();
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  /// True for the process that writes files and reports to the user.
  bool leads() const { return rank_ == 0; }
  bool alone() const { return size_ == 1; }
  /// True for the process that reports why the run ends: the leading one, or
  /// the next one if that is lost.
  bool speaks() const;
  /// "rank 2 on node7".
  std::string NameOf(int rank) const;
  /// Number of these processes on this machine.
  int on_this_host() const;

  /// Values of all processes, by rank.
  std::vector<std::string> Gather(const std::string& mine);
  /// Value of rank 0.
  std::string Broadcast(const std::string& mine) {
    return Gather(leads() ? mine : std::string()).front();
  }

  /// Checks that all processes have the same value. Throws: ConfigError in all
  /// processes; the message names a rank whose value differs from that of rank
  /// 0.
  void CheckSame(const std::string& what, const std::string& mine);

  /// Starts to sum numbers over all processes, in the order of the tree over
  /// `shards` shards, which are divided evenly among the processes (EvenPart).
  /// `nodes` are this process's sums of NodesOf; the first receives the result.
  /// The numbers must not be accessed until FinishSums().
  void StartSum(int64_t shards, std::vector<std::span<float>> nodes, Wire wire);
  /// Waits for all sums. Returns the waiting time in seconds.
  double FinishSums();

  /// Barrier of all processes. Must be the last call.
  void Finish();
  /// Ends the other processes with this reason, attributed to this process
  /// unless it is about a loss that they know already. Does not throw or wait
  /// for long.
  void Fail(const std::string& reason) noexcept;
  /// Waits, after Fail in a process that does not lead, until the leading
  /// process has had time to save its state.
  void AwaitEnd() const;

  /// Bytes of sums sent by this process.
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
  std::deque<std::unique_ptr<Job>> jobs_;  // not started
  int64_t open_jobs_ = 0;                  // not finished
  bool started_ = false;
  bool finishing_ = false;
  bool given_up_ = false;  // destroyed after a failure
  bool noticed_ = false;   // the main thread knows of the loss
  std::string loss_;       // reason, if a process is lost
  int lost_rank_ = -1;
  std::string failure_;  // failure of this process, sent to the others
  std::exception_ptr start_error_;
  int64_t number_ = 0;  // number of jobs so far
  int64_t bytes_sent_ = 0;
};

}  // namespace heed

#endif  // HEED_TRAIN_PROCESSES_H_
