#include "heed/train/processes.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/timing.h"
#include "heed/tensor/tensor.h"
#include "heed/train/interrupt.h"

namespace heed {
namespace {

constexpr int kBeatTag = 1;
constexpr int kNoticeTag = 2;
/// Tags of jobs, two per job; far fewer than kJobTags jobs are active at a
/// time.
constexpr int kFirstJobTag = 16;
constexpr int64_t kJobTags = 8192;
/// Maximum number of concurrent sums.
constexpr int kSumsAtOnce = 4;
/// Sleep between two polls for messages.
constexpr std::chrono::microseconds kBusyNap(30);
constexpr std::chrono::milliseconds kIdleNap(2);
/// Seconds to answer after an interrupt; launchers soon kill processes.
constexpr double kAnswerAfterInterrupt = 0.3;
/// Seconds for the leading process to save its state.
constexpr double kTimeToSave = 6;

std::string ThisHost() {
  std::array<char, 256> name = {};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

}  // namespace

/// Messages in transit, with their peers.
class Processes::Transfers {
 public:
  void Add(int peer, std::unique_ptr<Transfer> transfer) {
    all_.push_back({peer, std::move(transfer)});
  }
  /// Removes finished transfers; true if there were any.
  bool Advance() {
    const auto ended = std::remove_if(all_.begin(), all_.end(), [](Pending& p) {
      return p.transfer->Ended();
    });
    const bool some = ended != all_.end();
    all_.erase(ended, all_.end());
    return some;
  }
  bool empty() const { return all_.empty(); }
  /// A peer with an unfinished transfer; there must be one.
  int peer() const { return all_.front().peer; }

 private:
  struct Pending {
    int peer;
    std::unique_ptr<Transfer> transfer;
  };
  std::vector<Pending> all_;
};

namespace {

/// Loss of a process with its reason; rank −1: the process reported it itself.
class Loss : public ProcessError {
 public:
  Loss(int rank, const std::string& reason)
      : ProcessError(reason), rank_(rank) {}
  int rank() const { return rank_; }

 private:
  int rank_;
};

uint16_t ToBf16(float x) {
  const auto bits = std::bit_cast<uint32_t>(x);
  if ((bits & 0x7fffffffU) > 0x7f800000U) {
    return static_cast<uint16_t>((bits >> 16) | 0x40U);  // keep NaN
  }
  return static_cast<uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}

float FromBf16(uint16_t x) {
  return std::bit_cast<float>(static_cast<uint32_t>(x) << 16);
}

void AddSpan(std::span<float>& a, const std::span<float>& b) {
  float* x = a.data();
  const float* y = b.data();
  const size_t n = a.size();
  for (size_t i = 0; i < n; ++i) x[i] += y[i];
}

}  // namespace

/// A collective operation of all processes.
class Processes::Job {
 public:
  Job() = default;
  virtual ~Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  /// Progresses as far as messages allow; true if there was any progress.
  virtual bool Advance(Messages& messages) = 0;
  virtual bool ended() const = 0;
  /// Rank of a peer that is waited for; −1 if there is none.
  int waits_for() const { return transfers_.empty() ? -1 : transfers_.peer(); }
  void set_tag(int64_t number) {
    tag_ = kFirstJobTag + static_cast<int>(2 * (number % kJobTags));
  }

 protected:
  Transfers transfers_;
  int tag_ = 0;
};

/// All-gather of texts: their lengths, then their contents.
class Processes::GatherJob : public Job {
 public:
  GatherJob(std::string mine, std::vector<std::string>& all)
      : mine_(std::move(mine)), all_(all) {}

  bool Advance(Messages& messages) override {
    const bool some = transfers_.Advance();
    if (!transfers_.empty() || phase_ == kDone) return some;
    const int size = messages.size();
    if (phase_ == kStart) {
      lengths_.resize(static_cast<size_t>(size));
      length_ = std::ssize(mine_);
      ForOthers(messages, [&](int rank) {
        transfers_.Add(rank,
                       messages.Receive(rank, tag_, &At(lengths_, rank), 8));
        transfers_.Add(rank, messages.Send(rank, tag_, &length_, 8));
      });
    } else if (phase_ == kLengths) {
      ForOthers(messages, [&](int rank) {
        std::string& text = At(all_, rank);
        text.resize(static_cast<size_t>(At(lengths_, rank)));
        if (!text.empty()) {
          transfers_.Add(rank, messages.Receive(rank, tag_ + 1, text.data(),
                                                std::ssize(text)));
        }
        if (!mine_.empty()) {
          transfers_.Add(rank, messages.Send(rank, tag_ + 1, mine_.data(),
                                             std::ssize(mine_)));
        }
      });
    } else {
      At(all_, messages.rank()) = std::move(mine_);
    }
    phase_ = static_cast<Phase>(phase_ + 1);
    return true;
  }
  bool ended() const override { return phase_ == kDone; }

 private:
  enum Phase { kStart, kLengths, kTexts, kDone };

  template <typename Fn>
  static void ForOthers(const Messages& messages, Fn&& fn) {
    for (int rank = 0; rank < messages.size(); ++rank) {
      if (rank != messages.rank()) fn(rank);
    }
  }

  std::string mine_;
  std::vector<std::string>& all_;  // by rank
  Phase phase_ = kStart;
  int64_t length_ = 0;
  std::vector<int64_t> lengths_;
};

/// All-reduce: each process sums one block and sends it to the others.
class Processes::SumJob : public Job {
 public:
  SumJob(int64_t shards, std::vector<std::span<float>> nodes, Wire wire,
         int64_t& bytes_sent)
      : shards_(shards),
        nodes_(std::move(nodes)),
        wire_(wire),
        bytes_sent_(bytes_sent) {}

  bool Advance(Messages& messages) override {
    const bool some = transfers_.Advance();
    if (!transfers_.empty() || phase_ == kDone) return some;
    if (phase_ == kStart) {
      SendBlocks(messages);
    } else if (phase_ == kBlocks) {
      Combine(messages);
      SendResult(messages);
    } else {
      Unpack(messages);
    }
    phase_ = static_cast<Phase>(phase_ + 1);
    return true;
  }
  bool ended() const override { return phase_ == kDone; }

 private:
  enum Phase { kStart, kBlocks, kResults, kDone };

  Interval Block(const Messages& messages, int rank) const {
    return EvenPart(std::ssize(nodes_.front()), messages.size(), rank);
  }
  static std::span<float> Part(std::span<float> numbers, Interval part) {
    return numbers.subspan(static_cast<size_t>(part.begin),
                           static_cast<size_t>(part.size()));
  }
  static std::span<float> SpanOf(Tensor& numbers) {
    return {numbers.data<float>(), static_cast<size_t>(numbers.numel())};
  }
  std::vector<TreeNode> NodesAt(const Messages& messages, int rank) const {
    return NodesOf(EvenPart(shards_, messages.size(), rank));
  }

  void Send(Messages& messages, int to, int tag, std::span<float> numbers) {
    if (numbers.empty()) return;
    const void* data = numbers.data();
    auto bytes = static_cast<int64_t>(numbers.size_bytes());
    if (wire_ == Wire::kBf16) {
      auto& packed = packed_.emplace_back(numbers.size());
      std::ranges::transform(numbers, packed.begin(), ToBf16);
      data = packed.data();
      bytes /= 2;
    }
    bytes_sent_ += bytes;
    transfers_.Add(to, messages.Send(to, tag, data, bytes));
  }
  /// Receives numbers; Unpacked() converts them to f32 on arrival.
  void Receive(Messages& messages, int from, int tag, std::span<float> to) {
    if (to.empty()) return;
    if (wire_ == Wire::kF32) {
      transfers_.Add(from,
                     messages.Receive(from, tag, to.data(),
                                      static_cast<int64_t>(to.size_bytes())));
      return;
    }
    auto& packed = received_.emplace_back(to, std::vector<uint16_t>(to.size()));
    transfers_.Add(from,
                   messages.Receive(from, tag, packed.second.data(),
                                    static_cast<int64_t>(to.size_bytes() / 2)));
  }
  void Unpacked() {
    for (auto& [to, packed] : received_) {
      std::ranges::transform(packed, to.begin(), FromBf16);
    }
    received_.clear();
    packed_.clear();
  }

  void SendBlocks(Messages& messages) {
    const Interval mine = Block(messages, messages.rank());
    for (int rank = 0; rank < messages.size(); ++rank) {
      if (rank == messages.rank()) continue;
      for (size_t i = 0; i < NodesAt(messages, rank).size(); ++i) {
        scratch_.emplace_back(Shape{mine.size()});  // pooled, uninitialised
        Receive(messages, rank, tag_, SpanOf(scratch_.back()));
      }
      const Interval theirs = Block(messages, rank);
      for (const std::span<float> node : nodes_) {
        Send(messages, rank, tag_, Part(node, theirs));
      }
    }
  }
  void Combine(Messages& messages) {
    Unpacked();
    const Interval mine = Block(messages, messages.rank());
    TreeSum<std::span<float>> sum(AddSpan);
    auto next = scratch_.begin();
    for (int rank = 0; rank < messages.size(); ++rank) {
      const auto nodes = NodesAt(messages, rank);
      for (size_t i = 0; i < nodes.size(); ++i) {
        const bool own = rank == messages.rank();
        sum.Push(nodes[i], own ? Part(nodes_[i], mine) : SpanOf(*next++));
      }
    }
    const std::span<float> total = sum.Take().front();
    const std::span<float> result = Part(nodes_.front(), mine);
    if (wire_ == Wire::kBf16) {  // the same rounding in all processes
      for (float& x : total) x = FromBf16(ToBf16(x));
    }
    if (total.data() != result.data()) {
      std::ranges::copy(total, result.begin());
    }
  }
  void SendResult(Messages& messages) {
    const std::span<float> result =
        Part(nodes_.front(), Block(messages, messages.rank()));
    for (int rank = 0; rank < messages.size(); ++rank) {
      if (rank == messages.rank()) continue;
      Receive(messages, rank, tag_ + 1,
              Part(nodes_.front(), Block(messages, rank)));
      Send(messages, rank, tag_ + 1, result);
    }
  }
  void Unpack(const Messages& /*messages*/) {
    Unpacked();
    scratch_.clear();
  }

  int64_t shards_;
  std::vector<std::span<float>> nodes_;
  Wire wire_;
  int64_t& bytes_sent_;
  Phase phase_ = kStart;
  std::deque<Tensor> scratch_;
  std::deque<std::vector<uint16_t>> packed_;
  std::deque<std::pair<std::span<float>, std::vector<uint16_t>>> received_;
};

/// Heartbeats and failure notices.
class Processes::Watch {
 public:
  /// Reason of a failure, sent to the other processes.
  struct Notice {
    std::array<char, 1024> text = {};
  };

  Watch(Processes& processes, Messages& messages)
      : processes_(processes), messages_(messages) {
    others_.resize(static_cast<size_t>(messages.size()));
    for (int rank = 0; rank < messages.size(); ++rank) {
      if (rank == messages.rank()) continue;
      Other& other = At(others_, rank);
      other.last_message = Clock::now();
      other.beat_in = messages.Receive(rank, kBeatTag, &other.in, 1);
      other.notice_in =
          messages.Receive(rank, kNoticeTag, &other.notice, sizeof(Notice));
    }
  }

  /// Checks the other processes. Throws: ProcessError if one is lost.
  void Look() {
    // After a pause of this process itself, silence of the others means
    // nothing.
    if (SecondsSince(last_look_) > processes_.timing_.beat) {
      for (Other& other : others_) other.last_message = Clock::now();
    }
    last_look_ = Clock::now();
    const bool due = SinceBeat() >= processes_.timing_.beat;
    if (due) last_beat_ = Clock::now();
    for (int rank = 0; rank < messages_.size(); ++rank) {
      if (rank != messages_.rank()) LookAt(rank, due);
    }
  }

  /// Sends a notice to all processes and waits up to a second for delivery.
  void Notify(const Notice& notice) {
    Transfers sent;
    for (int rank = 0; rank < messages_.size(); ++rank) {
      if (rank == messages_.rank()) continue;
      sent.Add(rank, messages_.Send(rank, kNoticeTag, &notice, sizeof(notice)));
    }
    const auto start = Clock::now();
    while (!sent.empty() && SecondsSince(start) < 1) {
      sent.Advance();
      std::this_thread::sleep_for(kIdleNap);
    }
  }

 private:
  struct Other {
    Clock::time_point last_message;
    char in = 0;
    char out = 0;
    Notice notice;
    std::unique_ptr<Transfer> beat_in;
    std::unique_ptr<Transfer> beat_out;
    std::unique_ptr<Transfer> notice_in;
  };

  double SinceBeat() const { return SecondsSince(last_beat_); }

  void LookAt(int rank, bool due) {
    Other& other = At(others_, rank);
    if (other.notice_in->Ended()) {
      other.notice.text.back() = 0;
      throw Loss(-1, other.notice.text.data());  // reported by a live process
    }
    while (other.beat_in->Ended()) {
      other.last_message = Clock::now();
      other.beat_in = messages_.Receive(rank, kBeatTag, &other.in, 1);
    }
    if (due && (!other.beat_out || other.beat_out->Ended())) {
      other.beat_out = messages_.Send(rank, kBeatTag, &other.out, 1);
    }
    if (SecondsSince(other.last_message) > processes_.timing_.silence) {
      throw Loss(rank,
                 fmt::format("{} has not been heard of for {:.0f} s: it was "
                             "killed or stopped, or its machine or network is "
                             "gone",
                             processes_.NameOf(rank),
                             SecondsSince(other.last_message)));
    }
  }

  Processes& processes_;
  Messages& messages_;
  std::vector<Other> others_;
  Clock::time_point last_beat_ = Clock::now();
  Clock::time_point last_look_ = Clock::now();
};

Processes::Processes() = default;

Processes::Processes(Open open) : Processes(std::move(open), Timing()) {}

Processes::Processes(Open open, Timing timing) : timing_(timing) {
  thread_ = std::thread([this, open = std::move(open)] { Exchange(open); });
  std::unique_lock lock(mutex_);
  from_thread_.wait(lock, [this] { return started_ || start_error_; });
  if (start_error_) {
    lock.unlock();
    thread_.join();
    std::rethrow_exception(start_error_);
  }
  lock.unlock();
  try {
    hosts_ = Gather(ThisHost());
  } catch (...) {
    GiveUp();
    throw;
  }
}

Processes::~Processes() { GiveUp(); }

void Processes::GiveUp() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    given_up_ = true;
    to_thread_.notify_all();
  }
  thread_.join();
}

void Processes::CheckSame(const std::string& what, const std::string& mine) {
  const std::vector<std::string> all = Gather(mine);
  const auto other = std::ranges::find_if(
      all, [&](const std::string& one) { return one != all.front(); });
  if (other == all.end()) return;
  const auto [a, b] = std::ranges::mismatch(all.front(), *other);
  const auto from = std::max<ptrdiff_t>(0, a - all.front().begin() - 30);
  const auto part = [from](const std::string& text) {
    return text.substr(std::min(text.size(), static_cast<size_t>(from)), 60);
  };
  throw ConfigError("{}: {} differ from those of {}: '{}' instead of '{}'",
                    NameOf(static_cast<int>(other - all.begin())), what,
                    NameOf(0), part(*other), part(all.front()));
}

std::string Processes::NameOf(int rank) const {
  const auto i = static_cast<size_t>(rank);
  return i < hosts_.size() && !hosts_[i].empty()
             ? fmt::format("rank {} on {}", rank, hosts_[i])
             : fmt::format("rank {}", rank);
}

bool Processes::speaks() const {
  const std::lock_guard lock(mutex_);
  return leads() || (rank_ == 1 && lost_rank_ == 0);
}

int Processes::on_this_host() const {
  return static_cast<int>(std::ranges::count(hosts_, At(hosts_, rank_)));
}

std::vector<std::string> Processes::Gather(const std::string& mine) {
  if (alone()) return {mine};
  std::vector<std::string> all(static_cast<size_t>(size_));
  Enqueue(std::make_unique<GatherJob>(mine, all));
  WaitForJobs();
  return all;
}

void Processes::StartSum(int64_t shards, std::vector<std::span<float>> nodes,
                         Wire wire) {
  if (alone()) return;
  Enqueue(
      std::make_unique<SumJob>(shards, std::move(nodes), wire, bytes_sent_));
}

double Processes::FinishSums() {
  const auto start = Clock::now();
  if (!alone()) WaitForJobs();
  return SecondsSince(start);
}

void Processes::Finish() {
  if (alone()) return;
  Gather("");
  {
    const std::lock_guard lock(mutex_);
    finishing_ = true;
    to_thread_.notify_all();
  }
  thread_.join();
}

void Processes::Fail(const std::string& reason) noexcept {
  if (alone() || !thread_.joinable()) return;
  try {
    std::unique_lock lock(mutex_);
    noticed_ = true;
    if (loss_.empty()) failure_ = reason.empty() ? "failed" : reason;
    to_thread_.notify_all();
    // Waits until the message thread has sent it and ended.
    from_thread_.wait_for(lock, std::chrono::seconds(2),
                          [this] { return !loss_.empty(); });
  } catch (const std::exception&) {
    // The other processes detect the silence.
  }
}

void Processes::AwaitEnd() const {
  const auto start = Clock::now();
  while (!speaks() && SecondsSince(start) < kTimeToSave) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

void Processes::Enqueue(std::unique_ptr<Job> job) {
  const std::lock_guard lock(mutex_);
  job->set_tag(number_++);
  jobs_.push_back(std::move(job));
  ++open_jobs_;
  to_thread_.notify_all();
}

void Processes::WaitForJobs() {
  std::unique_lock lock(mutex_);
  from_thread_.wait(lock, [this] { return open_jobs_ == 0 || !loss_.empty(); });
  if (open_jobs_ == 0) return;
  noticed_ = true;
  to_thread_.notify_all();
  throw ProcessError(loss_);
}

void Processes::Exchange(const Open& open) {
  std::unique_ptr<Messages> messages;
  try {
    messages = open();
    const std::lock_guard lock(mutex_);
    rank_ = messages->rank();
    size_ = messages->size();
    hosts_.assign(static_cast<size_t>(size_), "");
    started_ = true;
    from_thread_.notify_all();
  } catch (...) {
    const std::lock_guard lock(mutex_);
    start_error_ = std::current_exception();
    from_thread_.notify_all();
    return;
  }
  try {
    ExchangeMessages(*messages);
    const std::lock_guard lock(mutex_);
    if (!given_up_) messages->Finish();
  } catch (const Loss& loss) {
    Lost(loss.what(), loss.rank());
  } catch (const std::exception& error) {
    Lost(error.what(), rank_);
  }
}

void Processes::ExchangeMessages(Messages& messages) {
  Watch watch(*this, messages);
  std::deque<std::unique_ptr<Job>> active;
  auto last_way = Clock::now();
  while (true) {
    {
      std::unique_lock lock(mutex_);
      if (active.empty() && jobs_.empty()) {
        to_thread_.wait_for(lock, kIdleNap);
      }
      while (!jobs_.empty() && std::ssize(active) < kSumsAtOnce) {
        active.push_back(std::move(jobs_.front()));
        jobs_.pop_front();
        last_way = Clock::now();
      }
      if (given_up_) return;
      if (!failure_.empty()) {
        Watch::Notice notice;
        const std::string text = NameOf(rank_) + ": " + failure_;
        text.copy(notice.text.data(), notice.text.size() - 1);
        lock.unlock();
        watch.Notify(notice);
        throw Loss(rank_, text);
      }
      if (finishing_ && active.empty()) break;
    }
    watch.Look();
    bool way = false;
    for (const auto& job : active) way |= job->Advance(messages);
    if (way) {
      last_way = Clock::now();
      const auto ended =
          std::erase_if(active, [](const auto& job) { return job->ended(); });
      if (ended > 0) {
        const std::lock_guard lock(mutex_);
        open_jobs_ -= static_cast<int64_t>(ended);
        if (open_jobs_ == 0) from_thread_.notify_all();
      }
      continue;
    }
    if (active.empty()) continue;
    if (InterruptRequested() &&
        SecondsSince(last_way) > kAnswerAfterInterrupt) {
      const int rank = std::max(0, active.front()->waits_for());
      throw Loss(rank,
                 fmt::format("ended while {} did not answer", NameOf(rank)));
    }
    std::this_thread::sleep_for(kBusyNap);
  }
}

/// Notifies the computing thread, and ends the process if it does not react.
void Processes::Lost(const std::string& reason, int rank) {
  std::unique_lock lock(mutex_);
  loss_ = reason;
  lost_rank_ = rank;
  from_thread_.notify_all();
  const bool waits = !leads() && lost_rank_ != 0;
  const double patience = timing_.grace + (waits ? kTimeToSave : 0);
  const bool seen =
      to_thread_.wait_for(lock, std::chrono::duration<double>(patience),
                          [this] { return noticed_ || given_up_; });
  if (seen) return;
  if (leads() || rank_ == 1) {
    fmt::print(stderr, "heed: {}\n", reason);
    std::fflush(stderr);
  }
  _exit(1);
}

}  // namespace heed
